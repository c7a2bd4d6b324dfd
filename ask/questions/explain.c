/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ask/questions/explain.h. */
#include "ask/questions/explain.h"

#include <math.h>
#include <string.h>

#include "ask/whatif/rows.h"

#define ITERATIONS 3 /* of clients: the last one is explained; the first begin together */

enum gsim_status gsim_explained_run(struct gsim_explained *e, const struct gsim_changeable *scenario,
                                    const char *change, bool repeats, struct gsim_error *error)
{
    struct gsim_changeable base = *scenario;
    struct gsim_whatif_row row = {0};
    *e = (struct gsim_explained){.repeats = repeats};
    if (base.clients) base.iterations = ITERATIONS;
    enum gsim_status status = change ? gsim_whatif_parse(change, strlen(change), &row, error) : GSIM_OK;
    if (!status) status = gsim_variant_of(&e->variant, &base, row.changes, row.count, error);
    if (!status && row.count && !e->variant.has_effect)
        status = gsim_refuse(error, "--change %s: changes nothing: %s", change, e->variant.note);
    if (status) return status;
    if (base.library) return gsim_variant_serve(&e->variant, &e->served, error);
    e->variant.simulation.detailed = true;
    if (!base.clients && !e->variant.simulation.source) e->variant.simulation.until_steady = repeats;
    status = gsim_variant_run(&e->variant, &e->timeline, error);
    if (status) return status;
    if (base.clients) {
        uint32_t count = base.client_count;
        e->times = gsim_alloc(sizeof *e->times * ((size_t)count + 1));
        if (!e->times) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
        e->late = gsim_client_times(&e->timeline, count, !gsim_changeable_has_ranks(&base), e->times, &e->step_us);
        if (e->late >= count) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
        /* Why the late client is late: more of its own kernels, or its host. */
        const struct gsim_client_time *late = &e->times[e->late];
        double kernels = 0, idle = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (i == e->late) continue;
            kernels = fmax(kernels, late->kernels - e->times[i].kernels);
            idle = fmax(idle, late->idle - e->times[i].idle);
            e->late_by_us = fmax(e->late_by_us, e->times[i].exposed_waiting);
        }
        e->late_why = kernels >= idle ? "its kernels take longer" : "its GPU idles longer: its host is late";
        return GSIM_OK;
    }
    status = gsim_explain(&e->variant.simulation, &e->timeline,
                          repeats ? e->timeline.iteration_count - 1 : GSIM_ALL_ITERATIONS, &e->explanation, error);
    uint32_t gpus = e->timeline.gpu_count;
    if (status || gpus < 2) return status;
    e->gpus = gsim_alloc(sizeof *e->gpus * gpus);
    if (!e->gpus) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (uint32_t g = 0; g < gpus && !status; g++) status = gsim_explain_gpu(&e->explanation, g, e->gpus[g], error);
    return status;
}

static void add_clients(const struct gsim_explained *e, const struct gsim_changeable *scenario, struct gsim_answer *a)
{
    static const struct gsim_answer_column columns[] = {
        GSIM_COLUMN_COUNT_OF("rank"), GSIM_COLUMN_TEXT("client"), GSIM_COLUMN_REAL("step_us", "us"),
        GSIM_COLUMN_REAL("computing_us", "us"), GSIM_COLUMN_REAL("transferring_us", "us"),
        GSIM_COLUMN_REAL("waiting_us", "us"), GSIM_COLUMN_REAL("others_us", "us"), GSIM_COLUMN_REAL("idle_us", "us"),
        GSIM_COLUMN_REAL("kernel_us", "us"), GSIM_COLUMN_REAL("all_waiting_us", "us"),
        GSIM_COLUMN_REAL("all_transfer_us", "us"), GSIM_COLUMN_REAL("start_us", "us"), {0}};
    gsim_answer_begin(a, columns);
    for (uint32_t i = 0; i < scenario->client_count; i++) {
        const struct gsim_client_time *t = &e->times[i];
        const struct gsim_client *c = &scenario->clients[i];
        gsim_answer_add(a, (uint64_t)c->rank, c->task ? c->task->name : c->program->name, t->step, t->compute,
                        t->exposed_transfer, t->exposed_waiting, t->others, t->idle, t->kernels, t->all_waiting,
                        t->all_transfer, scenario->offsets_us ? scenario->offsets_us[i] : 0.0);
    }
}

/* Where the servers' time goes, and that of a request on average, from its arrival to its last token. */
static void add_server(const struct gsim_explained *e, struct gsim_answer *a)
{
    static const struct gsim_answer_column columns[] = {
        GSIM_COLUMN_TEXT("of"), GSIM_COLUMN_TEXT("part"), GSIM_COLUMN_REAL("time_us", "us"),
        GSIM_COLUMN_REAL("share", ""), {0}};
    const struct gsim_serving_result *r = &e->served;
    double mean[GSIM_SERVED_COUNT], all = r->both_us + r->host_us + r->waiting_us;
    for (int f = 0; f < GSIM_SERVED_COUNT; f++) mean[f] = gsim_quantiles_mean(&r->figures[f]);
    for (int k = 0; k < GSIM_STEP_KIND_COUNT; k++) all += r->step_us[k];
    gsim_answer_begin(a, columns);
    for (int k = 0; k < GSIM_STEP_KIND_COUNT; k++)
        if (r->step_us[k] > 0)
            gsim_answer_add(a, "server", gsim_step_kind_text((enum gsim_batch_kind)k), r->step_us[k],
                            r->step_us[k] / all);
    if (r->both_us > 0) gsim_answer_add(a, "server", "prefill and decode", r->both_us, r->both_us / all);
    gsim_answer_add(a, "server", "host between steps", r->host_us, r->host_us / all);
    gsim_answer_add(a, "server", "no request", r->waiting_us, r->waiting_us / all);
    const double of_request[] = {mean[GSIM_SERVED_QUEUE], mean[GSIM_SERVED_TTFT] - mean[GSIM_SERVED_QUEUE],
                                 mean[GSIM_SERVED_E2E] - mean[GSIM_SERVED_TTFT]};
    static const char *const parts[] = {"queued", "to the first token", "to the last token"};
    for (int i = 0; i < 3; i++)
        gsim_answer_add(a, "request", parts[i], of_request[i], of_request[i] / mean[GSIM_SERVED_E2E]);
}

void gsim_explained_answer(const struct gsim_explained *e, const struct gsim_changeable *scenario,
                           struct gsim_answer *a)
{
    static const struct gsim_answer_column columns[] = {
        GSIM_COLUMN_TEXT("state"), GSIM_COLUMN_TEXT("cause"), {"time_us", "us", GSIM_VALUE_TIME, false},
        GSIM_COLUMN_REAL("share", ""), {"text", "", GSIM_VALUE_TEXT, true}, {0}};
    const struct gsim_explanation *x = &e->explanation;
    if (scenario->library || scenario->clients) {
        if (scenario->library) add_server(e, a);
        else add_clients(e, scenario, a);
        return;
    }
    gsim_answer_begin(a, columns);
    for (int s = 0; s < GSIM_GPU_STATE_COUNT; s++)
        for (int c = 0; c < GSIM_CAUSE_COUNT; c++)
            if (x->time[s][c])
                gsim_answer_add(a, gsim_gpu_state_text((enum gsim_gpu_state)s), gsim_cause_word((enum gsim_cause)c),
                                x->time[s][c], x->makespan ? (double)x->time[s][c] / (double)x->makespan : 0.0,
                                gsim_cause_text((enum gsim_cause)c));
}

void gsim_explained_release(struct gsim_explained *e)
{
    gsim_free(e->times);
    gsim_free(e->gpus);
    gsim_serving_result_release(&e->served);
    gsim_explanation_release(&e->explanation);
    gsim_timeline_release(&e->timeline);
    gsim_variant_release(&e->variant);
    *e = (struct gsim_explained){0};
}

static enum gsim_status answer(const struct gsim_changeable *scenario, const char *words, struct gsim_answer *a,
                               struct gsim_error *error)
{
    struct gsim_explained e;
    enum gsim_status status = gsim_explained_run(&e, scenario, words, true, error);
    if (!status) gsim_explained_answer(&e, scenario, a);
    gsim_explained_release(&e);
    return status;
}

const struct gsim_question_ops gsim_question_explain = {
    GSIM_HEAD(question),
    .name = "explain",
    .summary = "where the time of an iteration goes: by state and cause, each client's step, or a server's time",
    .words = "changes: graph+launch=2x",
    .answer = answer,
};
