/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What each change would be worth (ask/whatif/rows.h). Every row is a simulation; then those that help are tried
 * together, the best first, again all at once.
 */
#include "ask/whatif/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/whatif/clients.h"
#include "ask/whatif/names.h"
#include "gpusim/energy.h"
#include "gpusim/metrics.h"
#include "gpusim/order.h"
#include "sim/base/jobs/each.h"
#include "sim/base/text.h"
#include "sim/sm/demand.h"
#include "traces/kernels/names.h"

#define MAX_NAME 48
#define HELPS   0.002 /* less is not worth doing */

struct outcome {
    uint32_t late;
    double time_us, busy_us, idle_ratio, host_ratio, link_ratio, off_ratio;
    enum gsim_cause cause;
    bool has_effect;
    char note[200];
};

/* --- the rows --- */
const char *gsim_whatif_name(const struct gsim_whatif_row *row, char *text, size_t size)
{
    snprintf(text, size, "%s", row->count ? "" : GSIM_WHATIF_NOW);
    for (uint32_t i = 0; i < row->count; i++) {
        size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s", i ? "+" : "", row->changes[i].text);
    }
    return text;
}

enum gsim_status gsim_whatif_parse(const char *text, size_t length, struct gsim_whatif_row *row,
                                   struct gsim_error *error)
{
    *row = (struct gsim_whatif_row){.time_us = NAN};
    if (length == strlen(GSIM_WHATIF_NOW) && strncmp(text, GSIM_WHATIF_NOW, length) == 0) return GSIM_OK;
    while (length) {
        size_t one = 0;
        char word[GSIM_CHANGE_TEXT];
        while (one < length && text[one] != '+') one++;
        if (one >= sizeof word || !one || row->count == GSIM_WHATIF_TOGETHER)
            return gsim_refuse(error, "--change: expected CHANGE or CHANGE+CHANGE, at most %d of them, found '%.*s'",
                               GSIM_WHATIF_TOGETHER, (int)(length < 60 ? length : 60), text);
        snprintf(word, sizeof word, "%.*s", (int)one, text);
        enum gsim_status status = gsim_change_parse(word, &row->changes[row->count], error);
        if (status != GSIM_OK) return status;
        row->count++;
        text += one + (one < length);
        length -= one + (one < length);
    }
    return row->count ? GSIM_OK : gsim_refuse(error, "--change: expected the name of a change, found nothing");
}

/* A name that is none, or a file that cannot be read, concerns the whole command. */
static enum gsim_status check_device(const char *name, struct gsim_error *error)
{
    struct gsim_device_spec device = {0};
    enum gsim_status status = gsim_device_load(name, &device, error);
    gsim_device_release(&device);
    return status == GSIM_OK ? status : gsim_error_prefix(error, "--change device=%.60s", name);
}

static enum gsim_status add_row(struct gsim_whatif *w, const char *text, size_t length, struct gsim_error *error)
{
    if (w->row_count == GSIM_WHATIF_ROWS - GSIM_WHATIF_TOGETHER)
        return gsim_refuse(error, "--change: expected at most %d changes", GSIM_WHATIF_ROWS - GSIM_WHATIF_TOGETHER - 1);
    struct gsim_whatif_row *row = &w->rows[w->row_count];
    enum gsim_status status = gsim_whatif_parse(text, length, row, error);
    for (uint32_t i = 0; i < row->count && status == GSIM_OK; i++) {
        const struct gsim_change *c = &row->changes[i];
        const struct gsim_sharing_ops *ops;
        const struct gsim_batching_ops *policy;
        enum gsim_beside beside;
        if (c->kind == GSIM_CHANGE_DEVICE) status = check_device(c->argument, error);
        if (c->kind == GSIM_CHANGE_SHARE && gsim_sharing_load(c->argument, &ops, error))
            status = gsim_error_prefix(error, "--change share");
        if ((c->kind == GSIM_CHANGE_BATCHING && gsim_batching_load(c->argument, &policy, error)) ||
            (c->kind == GSIM_CHANGE_BESIDE && gsim_beside_parse(c->argument, &beside, error)))
            status = gsim_error_prefix(error, "--change %s", gsim_change_word(c->kind));
    }
    w->row_count += status == GSIM_OK;
    return status;
}

/* Of the kernels that WORD names how many there are with other names than NAME. */
static uint32_t count_others(const struct gsim_program *p, const char *word, const char *name)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->kernel_count; k++)
        count += gsim_name_holds(p->kernels[k].name, word, true) && strcmp(p->kernels[k].name, name) != 0;
    return count;
}

/* A word that names kernel NAME and as few others as can be: its function's, or one of its template arguments. */
static bool find_word(const struct gsim_program *p, const char *name, char word[GSIM_CHANGE_TEXT])
{
    char other[MAX_NAME + 1];
    if (!gsim_name_word(name, 0, word, MAX_NAME + 1)) return false;
    uint32_t least = count_others(p, word, name);
    for (unsigned i = 1; least && gsim_name_word(name, i, other, sizeof other); i++) {
        uint32_t count = count_others(p, other, name);
        if (count >= least) continue;
        least = count;
        snprintf(word, GSIM_CHANGE_TEXT, "%s", other);
    }
    return true;
}

/* The kernel that takes longest in all, by the name of its function. The program's delays are none. */
static bool heaviest(const struct gsim_simulation *s, char name[GSIM_CHANGE_TEXT])
{
    const struct gsim_program *p = s->program;
    double *sums = gsim_alloc(sizeof *sums * ((size_t)p->kernel_count + 1)), most = 0;
    const char *best = NULL;
    struct gsim_error ignored = {0}; /* a kernel that does not fit is for the run to tell */
    struct gsim_demand *own = s->demands ? NULL : gsim_alloc(sizeof *own * ((size_t)p->kernel_count + 1));
    bool is_known = own && !gsim_demands_init(own, p->kernel_count, s->device, p->kernels, &ignored);
    const struct gsim_demand *demands = is_known ? own : s->demands;
    for (uint32_t i = 0; sums && i < p->op_count; i++)
        if (p->ops[i].kind == GSIM_OP_KERNEL)
            sums[p->ops[i].kernel_index] += demands ? demands[p->ops[i].kernel_index].solo_ps * 1e-6
                                                    : p->kernels[p->ops[i].kernel_index].solo_us;
    gsim_free(own);
    for (uint32_t k = 0; sums && k < p->kernel_count; k++) {
        double sum = 0;
        if (gsim_is_delay(p->kernels[k].name) || gsim_talks_by_name(p->kernels[k].name)) continue;
        if (k > 0 && p->kernel_count > 2000 && sums[k] * 50 < most)
            continue; /* many: only those that are long by themselves */
        for (uint32_t other = 0; other < p->kernel_count; other++)
            if (other == k || strcmp(p->kernels[other].name, p->kernels[k].name) == 0) sum += sums[other];
        if (sum <= most) continue;
        most = sum;
        best = p->kernels[k].name;
    }
    gsim_free(sums);
    return best && find_word(p, best, name);
}

static enum gsim_status choose_kernel_and_devices(struct gsim_whatif *w, struct gsim_error *error)
{
    static const char *const devices[] = {"h200", "a100-sxm4-40gb", "v100"};
    char text[GSIM_CHANGE_TEXT + 16], name[GSIM_CHANGE_TEXT];
    enum gsim_status status = GSIM_OK;
    if (!w->base.simulation->source && heaviest(w->base.simulation, name)) {
        snprintf(text, sizeof text, "kernel:%s=2x", name);
        status = add_row(w, text, strlen(text), error);
    }
    if (w->base.clients && status == GSIM_OK) status = add_row(w, "share=mps", strlen("share=mps"), error);
    for (size_t i = 0; i < sizeof devices / sizeof devices[0] && status == GSIM_OK; i++) {
        if (strcmp(devices[i], w->base.simulation->device->name) == 0) continue;
        snprintf(text, sizeof text, "device=%s", devices[i]);
        status = add_row(w, text, strlen(text), error);
    }
    return status;
}

static enum gsim_status choose_all(struct gsim_whatif *w, struct gsim_error *error)
{
    static const char *const words[] = {"graph",     "dag",         "nosync",       "streams=2",    "streams=4",
                                        "streams=8", "priorities",  "launch=2x",    "pdl",          "fuse",
                                        "pinned",    "hw_queues=8", "hw_queues=16", "hw_queues=32", "link=2x"};
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < sizeof words / sizeof words[0] && status == GSIM_OK; i++)
        status = add_row(w, words[i], strlen(words[i]), error);
    return status ? status : choose_kernel_and_devices(w, error);
}

static enum gsim_status choose_of_server(struct gsim_whatif *w, struct gsim_error *error)
{
    static const char *const words[] = {"graph",   "launch=2x",         "fuse",       "batching=continuous",
                                        "batching=chunked", "prefill_beside=stream", "replicas=2"};
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < sizeof words / sizeof words[0] && !status; i++)
        status = add_row(w, words[i], strlen(words[i]), error);
    return status ? status : choose_kernel_and_devices(w, error);
}

/* Of ranks all that may matter, the late one's kernels among it. */
static enum gsim_status choose_of_ranks(struct gsim_whatif *w, struct gsim_error *error)
{
    static const char *const words[] = {"comm=2x",  "channels=1", "channels=4", "channels=16", "bucket=1",
                                        "bucket=5", "bucket=25",  "bucket=100", "overlap=on",  "overlap=off",
                                        "priority", "graph",      "kernels=2x", "hw_queues=1", "copy_engine"};
    char late[32];
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < sizeof words / sizeof words[0] && !status; i++)
        status = add_row(w, words[i], strlen(words[i]), error);
    const struct gsim_client *client = &w->base.clients[w->late];
    snprintf(late, sizeof late, "rank:%u=2x", client->rank);
    return status || client->copies > 1 ? status : add_row(w, late, strlen(late), error);
}

static enum gsim_status choose_rows(struct gsim_whatif *w, const char *list, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    if (list && !*list) return GSIM_OK;
    if (!list && w->base.library) return choose_of_server(w, error);
    if (!list) return gsim_changeable_has_ranks(&w->base) ? choose_of_ranks(w, error) : choose_all(w, error);
    while (status == GSIM_OK) {
        size_t length = strcspn(list, ",");
        status = add_row(w, list, length, error);
        if (!list[length]) break;
        list += length + 1;
    }
    return status;
}

/* --- the runs --- */
static bool is_of_host(enum gsim_cause cause)
{
    return cause == GSIM_CAUSE_LAUNCH_CALLS || cause == GSIM_CAUSE_FRAMEWORK || cause == GSIM_CAUSE_HOST_WORK ||
           cause == GSIM_CAUSE_RESULT || cause == GSIM_CAUSE_OTHER_CALLS || cause == GSIM_CAUSE_NAMED;
}

/* How much of the last iteration the GPU is idle, and why most. */
static enum gsim_status find_idle(const struct gsim_variant *variant, const struct gsim_timeline *timeline,
                                  struct outcome *outcome, struct gsim_error *error)
{
    struct gsim_explanation x;
    enum gsim_status status = gsim_explain(&variant->simulation, timeline, timeline->iteration_count - 1, &x, error);
    for (int c = 0; status == GSIM_OK && c < GSIM_CAUSE_COUNT; c++)
        if (gsim_explained_idle(&x, (enum gsim_cause)c) > gsim_explained_idle(&x, outcome->cause))
            outcome->cause = (enum gsim_cause)c;
    for (size_t i = 0; status == GSIM_OK && i < x.part_count && x.makespan; i++) {
        const struct gsim_path_part *part = &x.parts[i];
        bool is_cause = part->kind == GSIM_PART_CAUSE;
        double share = (double)part->time / (double)x.makespan;
        if (is_cause && is_of_host((enum gsim_cause)part->index)) outcome->host_ratio += share;
        if (part->kind == GSIM_PART_COPY ||
            (is_cause && (part->index == GSIM_CAUSE_COPY_ENGINE || part->index == GSIM_CAUSE_DATA)))
            outcome->link_ratio += share;
    }
    if (status == GSIM_OK && x.makespan)
        outcome->idle_ratio = (double)gsim_explained_state(&x, GSIM_GPU_IDLE) / (double)x.makespan;
    gsim_explanation_release(&x);
    return status;
}

/* What the program's delays deliver, which are no work of the GPU's. */
static double delays_us(const struct gsim_program *p)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->op_count; i++) {
        const struct gsim_kernel *k = p->ops[i].kind == GSIM_OP_KERNEL ? &p->kernels[p->ops[i].kernel_index] : NULL;
        if (k && gsim_is_delay(k->name)) sum += k->solo_us;
    }
    return sum;
}

/* A step of the slowest rank, as it repeats; of tasks the mean of all requests. */
static enum gsim_status time_clients(const struct gsim_whatif *w, const struct gsim_timeline *timeline,
                                   struct outcome *outcome, struct gsim_error *error)
{
    uint32_t count = w->base.client_count;
    struct gsim_client_time *times = gsim_alloc(sizeof *times * count);
    if (!times) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    bool are_tasks = !gsim_changeable_has_ranks(&w->base);
    outcome->late = gsim_client_times(timeline, count, are_tasks, times, &outcome->time_us);
    if (outcome->late < count) outcome->busy_us = times[outcome->late].compute;
    if (are_tasks) outcome->time_us = 0;
    for (size_t i = 0; i < timeline->request_count && are_tasks; i++)
        outcome->time_us += gsim_time_us(timeline->requests[i].end - timeline->requests[i].arrival) /
                            (double)timeline->request_count;
    gsim_free(times);
    return outcome->late < count ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory");
}

/* Of a server the mean time of a request, from its arrival to its last token. */
static enum gsim_status time_server(const struct gsim_variant *v, struct outcome *outcome, struct gsim_error *error)
{
    struct gsim_serving_result r;
    char ttft[GSIM_TEXT_SIZE], tpot[GSIM_TEXT_SIZE];
    size_t at = strlen(outcome->note);
    enum gsim_status status = gsim_variant_serve(v, &r, error);
    if (!status) {
        double busy = r.both_us, all = r.last_us - r.first_arrival_us;
        for (int k = 0; k < GSIM_STEP_KIND_COUNT; k++) busy += r.step_us[k];
        outcome->time_us = gsim_quantiles_mean(&r.figures[GSIM_SERVED_E2E]);
        outcome->busy_us = outcome->time_us * fmin(1, busy / v->spec.replicas / all);
        outcome->idle_ratio = fmax(0, 1 - busy / v->spec.replicas / all);
        uint32_t gpus = gsim_serving_gpus(&v->spec, v->server.policy);
        snprintf(outcome->note + at, sizeof outcome->note - at, "%s%u GPU%s, TTFT p99 %s, TPOT p99 %s, %.4g tokens/s",
                 at ? "; " : "", gpus, gpus > 1 ? "s" : "",
                 gsim_text_us(ttft, gsim_quantile(&r.figures[GSIM_SERVED_TTFT], 0.99)),
                 gsim_text_us(tpot, gsim_quantile(&r.figures[GSIM_SERVED_TPOT], 0.99)), r.tokens * 1e6 / all);
    }
    gsim_serving_result_release(&r);
    return status;
}

static enum gsim_status time_of(const struct gsim_whatif *w, const struct gsim_whatif_row *row, struct outcome *outcome,
                                struct gsim_error *error)
{
    struct gsim_variant variant;
    struct gsim_timeline timeline = {0};
    struct gsim_metrics metrics;
    struct gsim_changeable base = w->base;
    base.host_factor = row->host_factor;
    enum gsim_status status = gsim_variant_of(&variant, &base, row->changes, row->count, error);
    outcome->has_effect = variant.has_effect;
    outcome->off_ratio = variant.off_ratio;
    snprintf(outcome->note, sizeof outcome->note, "%s", variant.note);
    if (status == GSIM_OK && w->base.library) {
        if (variant.has_effect || !row->count) status = time_server(&variant, outcome, error);
    } else if (status == GSIM_OK && (variant.has_effect || !row->count)) {
        variant.simulation.detailed = !row->count || w->base.clients;
        status = gsim_variant_run(&variant, &timeline, error);
        if (status == GSIM_OK)
            status = gsim_metrics_compute(&timeline, variant.simulation.device, NULL, &metrics, error);
        if (status == GSIM_OK) outcome->time_us = gsim_time_us(metrics.iteration_median);
        if (status == GSIM_OK)
            outcome->busy_us = fmax(0, outcome->time_us * (double)metrics.device_busy / (double)(metrics.makespan + 1) -
                                           delays_us(&variant.program));
        if (status == GSIM_OK && w->base.clients) status = time_clients(w, &timeline, outcome, error);
        else if (status == GSIM_OK && !row->count && timeline.iteration_count)
            status = find_idle(&variant, &timeline, outcome, error);
        char over[GSIM_ENERGY_NOTE] = "";
        size_t at = strlen(outcome->note);
        if (status == GSIM_OK && !w->base.clients)
            gsim_energy_note(&timeline, variant.simulation.device, metrics.makespan, over);
        if (over[0]) snprintf(outcome->note + at, sizeof outcome->note - at, "%s%s", at ? "; " : "", over);
        gsim_timeline_release(&timeline);
    }
    gsim_variant_release(&variant);
    return status;
}

static enum gsim_status run_item(void *data, uint64_t item, void *result, struct gsim_error *error)
{
    const struct gsim_whatif *w = data;
    struct outcome *outcome = result;
    outcome->time_us = NAN;
    return time_of(w, &w->rows[item], outcome, error);
}

static enum gsim_status deliver(void *data, uint64_t item, const void *result, const struct gsim_error *failure,
                                struct gsim_error *error)
{
    const struct outcome *outcome = result;
    struct gsim_whatif *w = data;
    struct gsim_whatif_row *row = &w->rows[item];
    bool has_run = failure->status == GSIM_OK;
    row->failed = !has_run;
    row->time_us = has_run ? outcome->time_us : NAN;
    row->busy_us = outcome->busy_us;
    row->off_ratio = outcome->off_ratio;
    row->has_effect = outcome->has_effect;
    const char *note = has_run ? outcome->note : failure->message;
    snprintf(row->note, sizeof row->note, "%.*s", (int)sizeof row->note - 1, note);
    if (item == 0) {
        w->idle_ratio = outcome->idle_ratio;
        w->host_ratio = outcome->host_ratio;
        w->link_ratio = outcome->link_ratio;
        w->cause = outcome->cause;
        w->late = outcome->late;
    }
    return item || has_run ? GSIM_OK
                           : gsim_error_set(error, failure->status, "the program as it is: %.300s", failure->message);
}

/* The rows from FIRST on. */
static enum gsim_status run_rows(struct gsim_whatif *w, uint32_t first, struct gsim_error *error)
{
    struct gsim_progress progress;
    struct gsim_each each = {.jobs = w->jobs, .first = first, .count = w->row_count - first,
                             .size = sizeof(struct outcome), .run = run_item, .deliver = deliver, .data = w};
    if (w->jobs && each.count) {
        gsim_progress_start(&progress, each.count, stderr);
        progress.unit = "runs";
        each.progress = &progress;
    }
    enum gsim_status status = gsim_each_run(&each, error);
    if (each.progress) gsim_progress_clear(&progress);
    for (uint32_t i = first; i < w->row_count; i++) {
        struct gsim_whatif_row *row = &w->rows[i];
        row->error_us = gsim_changes_error_us(row->changes, row->count, row->time_us, w->rows[0].time_us - row->time_us,
                                              row->busy_us, row->off_ratio);
    }
    return status;
}

/* --- together --- */
/* Two ways to issue the work, or two values of one number, exclude each other. */
static bool excludes(const struct gsim_change *a, const struct gsim_change *b)
{
    static const bool issues[GSIM_CHANGE_COUNT] = {
        [GSIM_CHANGE_GRAPH] = true, [GSIM_CHANGE_DAG] = true, [GSIM_CHANGE_STREAMS] = true};
    return a->kind == b->kind || (issues[a->kind] && issues[b->kind]);
}

GSIM_ORDER_AT(compare_rows, struct gsim_whatif_row, GSIM_UP(time_us) GSIM_PLACE)

/* --- what the profiler's share decides --- */

/* Of the changes that can be done, those that save most. Returns how many. */
static uint32_t choose_top(const struct gsim_whatif *w, uint32_t top[GSIM_WHATIF_DOUBTFUL])
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < w->row_count; i++) {
        const struct gsim_whatif_row *row = &w->rows[i];
        if (row->is_together || !row->has_effect || !(row->time_us < w->rows[0].time_us * (1 - HELPS))) continue;
        uint32_t at = count < GSIM_WHATIF_DOUBTFUL ? count++ : GSIM_WHATIF_DOUBTFUL;
        while (at > 0 && row->time_us < w->rows[top[at - 1]].time_us) {
            if (at < GSIM_WHATIF_DOUBTFUL) top[at] = top[at - 1];
            at--;
        }
        if (at < GSIM_WHATIF_DOUBTFUL) top[at] = i;
    }
    return count;
}

static void note_order(struct gsim_whatif *w, const uint32_t *top, uint32_t count,
                       double saved_us[GSIM_WHATIF_DOUBTFUL][2])
{
    char first[GSIM_CHANGE_TEXT * 2], other[GSIM_CHANGE_TEXT * 2];
    for (uint32_t k = 1; k < count && !w->undecided[0]; k++)
        for (int f = 0; f < 2; f++) {
            if (!(saved_us[k][f] > saved_us[0][f] + HELPS * w->rows[0].time_us)) continue;
            snprintf(w->undecided, sizeof w->undecided,
                     "the profiler's share decides which is first: %.60s saves %.0f to %.0f us, %.60s %.0f to %.0f "
                     "(--step-time settles it)",
                     gsim_whatif_name(&w->rows[top[0]], first, sizeof first), fmin(saved_us[0][0], saved_us[0][1]),
                     fmax(saved_us[0][0], saved_us[0][1]), gsim_whatif_name(&w->rows[top[k]], other, sizeof other),
                     fmin(saved_us[k][0], saved_us[k][1]), fmax(saved_us[k][0], saved_us[k][1]));
            break;
        }
}

static bool saves_host_time(const struct gsim_whatif_row *row)
{
    static const bool kinds[GSIM_CHANGE_COUNT] = {
        [GSIM_CHANGE_GRAPH] = true,   [GSIM_CHANGE_DAG] = true,    [GSIM_CHANGE_NOSYNC] = true,
        [GSIM_CHANGE_STREAMS] = true, [GSIM_CHANGE_LAUNCH] = true, [GSIM_CHANGE_FUSE] = true};
    bool saves = false;
    for (uint32_t i = 0; i < row->count; i++) saves |= kinds[row->changes[i].kind];
    return saves;
}

/* What is saved with a host as fast and as slow as it may be: the errors of the rows, and whether their order holds. */
static enum gsim_status find_spread(struct gsim_whatif *w, struct gsim_error *error)
{
    const double *factors = w->host_factors;
    double saved_us[GSIM_WHATIF_DOUBTFUL][2];
    uint32_t top[GSIM_WHATIF_DOUBTFUL], count = choose_top(w, top), first = w->row_count;
    if (factors[0] == factors[1]) return GSIM_OK;
    for (int f = 0; f < 2; f++)
        for (uint32_t k = 0; k <= count; k++) {
            w->rows[w->row_count] = w->rows[k ? top[k - 1] : 0];
            w->rows[w->row_count++].host_factor = factors[f];
        }
    enum gsim_status status = run_rows(w, first, error);
    w->row_count = first;
    if (status != GSIM_OK) return status;
    const struct gsim_whatif_row *low = &w->rows[first], *high = low + count + 1;
    double share = fabs(high->time_us - low->time_us) / (2 * w->rows[0].time_us);
    for (uint32_t i = 1; i < first; i++) {
        bool is_told = false; /* by runs of its own */
        for (uint32_t k = 0; k < count; k++) is_told |= top[k] == i;
        if (!is_told && saves_host_time(&w->rows[i]))
            w->rows[i].error_us = fmax(w->rows[i].error_us, share * (w->rows[0].time_us - w->rows[i].time_us));
    }
    for (uint32_t k = 0; k < count; k++) {
        saved_us[k][0] = low->time_us - low[k + 1].time_us;
        saved_us[k][1] = high->time_us - high[k + 1].time_us;
        w->rows[top[k]].error_us = fmax(w->rows[top[k]].error_us, fabs(saved_us[k][1] - saved_us[k][0]) / 2);
    }
    note_order(w, top, count, saved_us);
    return GSIM_OK;
}

#define MANY_OPS          4000
#define MANY_ITERATIONS   3 /* the median of these: so long a program averages within itself */
#define CLIENT_ITERATIONS 4 /* the steps behind the first repeat */

void gsim_whatif_settle(struct gsim_changeable *base, struct gsim_simulation *simulation)
{
    if (base->clients) base->iterations = CLIENT_ITERATIONS;
    if (base->library || base->clients || simulation->source || simulation->iterations) return;
    simulation->until_steady = simulation->program->op_count <= MANY_OPS;
    if (!simulation->until_steady) simulation->iterations = MANY_ITERATIONS;
}

enum gsim_status gsim_whatif_run(struct gsim_whatif *w, const char *changes, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    uint32_t ran = w->base.clients != NULL; /* which rank is late says what to try */
    w->rows[w->row_count++] = (struct gsim_whatif_row){.time_us = NAN};
    if (ran) status = run_rows(w, 0, error);
    if (!status) status = choose_rows(w, changes, error);
    if (!status) status = run_rows(w, ran, error);
    if (status) return status;
    uint32_t first = w->row_count;
    /* Rows of the best one, the best two, the best three, ... that can be done together. */
    const struct gsim_whatif_row *helping[GSIM_WHATIF_ROWS] = {NULL};
    struct gsim_whatif_row together = {.time_us = NAN, .is_together = true};
    uint32_t count = 0, rows = w->row_count;
    double now = w->rows[0].time_us;
    for (uint32_t i = 1; i < rows; i++) {
        const struct gsim_whatif_row *row = &w->rows[i];
        if (row->count == 1 && row->has_effect && gsim_change_is_software(row->changes[0].kind) &&
            row->time_us < now * (1 - HELPS))
            helping[count++] = row;
    }
    qsort(helping, count, sizeof *helping, compare_rows);
    for (uint32_t i = 0; i < count && together.count < GSIM_WHATIF_TOGETHER && w->row_count < GSIM_WHATIF_ROWS; i++) {
        bool fits = true;
        for (uint32_t k = 0; k < together.count; k++)
            fits = fits && !excludes(&helping[i]->changes[0], &together.changes[k]);
        if (!fits) continue;
        together.changes[together.count++] = helping[i]->changes[0];
        if (together.count > 1) w->rows[w->row_count++] = together;
    }
    status = run_rows(w, first, error);
    /* Of the rows from first on the fastest stays, where it is faster than any other alone. */
    uint32_t best = 0;
    for (uint32_t i = 1; i < w->row_count; i++)
        if (w->rows[i].time_us < w->rows[best].time_us * (1 - 1e-9) &&
            (i >= first || gsim_change_is_software(w->rows[i].changes[0].kind)))
            best = i;
    if (best >= first) w->rows[first] = w->rows[best];
    w->row_count = best >= first ? first + 1 : first;
    return status ? status : find_spread(w, error);
}

enum gsim_status gsim_whatif_of(struct gsim_whatif *w, const struct gsim_changeable *scenario,
                                struct gsim_simulation *simulation, const char *changes, struct gsim_error *error)
{
    *w = (struct gsim_whatif){.base = *scenario};
    w->base.simulation = simulation;
    gsim_whatif_settle(&w->base, simulation);
    return gsim_whatif_run(w, changes, error);
}
