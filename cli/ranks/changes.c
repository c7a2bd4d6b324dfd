/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). See cli/ranks/changes.h: words to changes, changes to ranks that run. */
#include "cli/ranks/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ranks/ranks.h"

#define ITERATIONS   4     /* the steps behind the first repeat */
#define NODE_GPUS    8     /* where nothing says what a node has */
#define NODE_GBPS    50.0  /* a network card of 400 Gbit/s for each GPU */
#define MIB          1048576.0

static const struct {
    const char *word, *takes;
} words[] = {
#define WORD(id, word, takes, meaning) {word, takes},
    GSIM_RANK_CHANGES(WORD)
#undef WORD
};

static enum gsim_status fail(const char *text, int length, struct gsim_error *error)
{
    char known[300] = "";
    for (size_t i = 0, at = 0; i < GSIM_RANK_CHANGE_COUNT; i++)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%s%s%s", i ? ", " : "", words[i].word,
                               words[i].takes[0] && i != GSIM_RANK_CHANGE_RANK ? "=" : "", words[i].takes);
    return gsim_error_set(error, GSIM_USAGE, "--change: of ranks expected one of %s, found '%.*s'", known, length,
                          text);
}

static enum gsim_status parse_one(const char *text, int length, struct gsim_rank_change *change,
                                  struct gsim_error *error)
{
    for (int k = 0; k < GSIM_RANK_CHANGE_COUNT; k++) {
        size_t word = strlen(words[k].word);
        char *end = NULL;
        const char *value = text + word;
        if ((int)word > length || strncmp(text, words[k].word, word) != 0) continue;
        *change = (struct gsim_rank_change){.kind = (enum gsim_rank_change_kind)k, .value = 1};
        if (!words[k].takes[0]) {
            if ((int)word == length) return GSIM_OK;
            continue;
        }
        if (k == GSIM_RANK_CHANGE_RANK) {
            change->rank = (uint32_t)strtoul(value, &end, 10);
            if (end == value) continue;
            value = end;
        }
        if (*value++ != '=') continue;
        if (k == GSIM_RANK_CHANGE_OVERLAP) {
            bool on = text + length - value == 2 && strncmp(value, "on", 2) == 0,
                 off = text + length - value == 3 && strncmp(value, "off", 3) == 0;
            change->value = on ? 1 : -1;
            return on || off ? GSIM_OK : fail(text, length, error);
        }
        if (k == GSIM_RANK_CHANGE_NODE) {
            size_t size = (size_t)(text + length - value);
            if (!size || size >= sizeof change->node) return fail(text, length, error);
            memcpy(change->node, value, size);
            return GSIM_OK;
        }
        change->value = strtod(value, &end);
        end += *end == 'x' && strchr(words[k].takes, 'x') != NULL;
        bool is_count = strcmp(words[k].takes, "N") == 0;
        if (end - text == length && change->value > 0 && change->value < 1e9 &&
            (!is_count || change->value == floor(change->value)))
            return GSIM_OK;
        return fail(text, length, error);
    }
    return fail(text, length, error);
}

enum gsim_status gsim_rank_changes_parse(const char *text, struct gsim_rank_change changes[GSIM_RANK_CHANGES_MOST],
                                         uint32_t *count, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    *count = 0;
    if (strcmp(text, "now") == 0) return GSIM_OK;
    for (const char *at = text; !status; at++) {
        size_t length = strcspn(at, "+");
        if (*count == GSIM_RANK_CHANGES_MOST)
            return gsim_error_set(error, GSIM_USAGE, "--change: expected at most %d together, found '%s'",
                                  GSIM_RANK_CHANGES_MOST, text);
        status = parse_one(at, (int)length, &changes[(*count)++], error);
        at += length;
        if (!*at) break;
    }
    return status;
}

/* --- variants --- */

static uint32_t count_pairs(const struct gsim_program *p)
{
    uint32_t sends = 0, receives = 0;
    for (uint32_t i = 0; i < p->op_count; i++) {
        const struct gsim_collective *c =
            p->ops[i].kind == GSIM_OP_KERNEL ? p->kernels[p->ops[i].kernel_index].collective : NULL;
        sends += c && c->kind == GSIM_COLLECTIVE_SEND;
        receives += c && c->kind == GSIM_COLLECTIVE_RECV;
    }
    return sends > receives ? sends : receives;
}

static enum gsim_status find_micro(const struct gsim_cli_rank_traces *t, double wanted, struct gsim_rank_edit *edit,
                                   struct gsim_error *error)
{
    uint32_t there = count_pairs(&t->traces[0].program);
    double times = there ? wanted / there : 0;
    if (!there || times < 1 || times != floor(times))
        return gsim_error_set(
            error, GSIM_INPUT,
            "micro=%g: the trace has %u micro-batches (sends of rank %u): expected a multiple of them", wanted, there,
            t->traces[0].rank);
    edit->times = (uint32_t)times;
    return GSIM_OK;
}

static void copy_device(struct gsim_rank_variant *v, const struct gsim_cli_rank_traces *t)
{
    v->device = t->setup.device;
    v->device.arena = (struct gsim_arena){0};
}

/* Its links between GPUs and hosts; ranks fill one host after the other. */
static enum gsim_status use_node(struct gsim_rank_variant *v, const char *name, uint32_t ranks,
                                 struct gsim_error *error)
{
    struct gsim_cli_node node;
    double speed = v->run.links.speed;
    size_t length = strlen(v->note);
    enum gsim_status status = gsim_cli_node(name, v->device.name, ranks, &node, error);
    if (status) return status;
    uint64_t gpus = (uint64_t)node.gpus * node.hosts;
    if (ranks > gpus)
        return gsim_error_set(error, GSIM_INPUT, "node=%s: %u ranks, and %llu GPUs: expected a GPU for each", name,
                              ranks, (unsigned long long)gpus);
    v->run.links = node.links;
    v->run.links.speed = speed;
    v->run.links.per_node = ranks > node.gpus ? node.gpus : 0;
    v->has_effect = true;
    if (strcmp(node.device, v->device.name) != 0)
        snprintf(v->note + length, sizeof v->note - length, "%slinks of %s; GPUs stay as recorded", length ? "; " : "",
                 name);
    return GSIM_OK;
}

static enum gsim_status apply(struct gsim_rank_variant *v, const struct gsim_cli_rank_traces *t,
                              const struct gsim_rank_change *c, struct gsim_rank_edit *edit, double *of_rank,
                              uint32_t *ranks, const struct gsim_scheduler_ops **scheduler, struct gsim_error *error)
{
    switch (c->kind) {
    case GSIM_RANK_CHANGE_COMM:
        v->run.links.speed = c->value;
        v->has_effect = true;
        break;
    case GSIM_RANK_CHANGE_CHANNELS:
        edit->channels = c->value > GSIM_LIMIT_CHANNELS ? GSIM_LIMIT_CHANNELS : (uint32_t)c->value;
        break;
    case GSIM_RANK_CHANGE_BUCKET:
        edit->bucket_bytes = (uint64_t)fmax(c->value * MIB, 1);
        break;
    case GSIM_RANK_CHANGE_OVERLAP:
        edit->overlap = (int)c->value;
        if (c->value > 0)
            snprintf(v->note, sizeof v->note, "no kernel waits for a collective: the most that overlap can give");
        break;
    case GSIM_RANK_CHANGE_PRIORITY: edit->is_urgent = true; break;
    case GSIM_RANK_CHANGE_GRAPH:
        *scheduler = gsim_scheduler_find("cudagraph");
        edit->is_graph = true;
        v->has_effect = true;
        break;
    case GSIM_RANK_CHANGE_RANKS:
        *ranks = (uint32_t)fmin(c->value, GSIM_LIMIT_RANKS);
        v->has_effect = true;
        break;
    case GSIM_RANK_CHANGE_MICRO: return find_micro(t, c->value, edit, error);
    case GSIM_RANK_CHANGE_KERNELS:
        for (uint32_t i = 0; i < t->count; i++) of_rank[i] *= c->value;
        break;
    case GSIM_RANK_CHANGE_RANK:
        if (c->rank >= t->count)
            return gsim_error_set(error, GSIM_INPUT, "rank:%u: there are %u ranks", c->rank, t->count);
        of_rank[c->rank] *= c->value;
        break;
    case GSIM_RANK_CHANGE_COPY_ENGINE: edit->by_engines = true; break;
    case GSIM_RANK_CHANGE_HW_QUEUES:
        v->has_effect |= v->device.hw_queues != c->value;
        v->device.hw_queues = fmin(c->value, gsim_device_number_maximum(GSIM_DEV_hw_queues));
        break;
    case GSIM_RANK_CHANGE_NODE: /* behind all others: it needs the number of ranks */
    case GSIM_RANK_CHANGE_COUNT: break;
    }
    return GSIM_OK;
}

/* Which op each gradient came behind, by the host's clock, and how many bytes it has: those that the all-reduces have
 * in all. */
static enum gsim_status find_gradients(struct gsim_rank_variant *v, const struct gsim_cli_rank_trace *t,
                                       struct gsim_rank_edit *edit, struct gsim_error *error)
{
    double elements = 0, bytes = 0;
    struct gsim_rank_gradient *list =
        GSIM_ARENA_ARRAY(&v->arena, struct gsim_rank_gradient, t->times.gradient_count + 1);
    if (!list) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    edit->gradients = list;
    edit->gradient_count = t->times.gradient_count;
    for (uint32_t i = 0; i < t->times.gradient_count; i++) elements += (double)t->times.gradients[i].elements;
    for (uint32_t i = 0; i < t->program.op_count; i++) {
        const struct gsim_op *op = &t->program.ops[i];
        const struct gsim_collective *c =
            op->kind == GSIM_OP_KERNEL ? t->program.kernels[op->kernel_index].collective : NULL;
        if (c && c->kind == GSIM_COLLECTIVE_ALL_REDUCE) bytes += (double)c->bytes;
    }
    for (uint32_t i = 0, at = 0; i < t->times.gradient_count; i++) {
        while (at + 1 < t->times.count && t->times.ops[at + 1].launch_us <= t->times.gradients[i].ready_us) at++;
        list[i] = (struct gsim_rank_gradient){
            t->times.ops[at].op, (uint64_t)ceil((double)t->times.gradients[i].elements * bytes / elements)};
    }
    if (!edit->gradient_count)
        snprintf(v->note, sizeof v->note,
                 "taken to come evenly between two all-reduces: the trace does not say how gradients come");
    return GSIM_OK;
}

/* RANKS in all, of each rank that there is as many, on nodes of NODE_GPUS unless a node is given. */
static enum gsim_status repeat(struct gsim_rank_variant *v, uint32_t ranks, bool has_node, struct gsim_error *error)
{
    size_t length = strlen(v->note);
    uint32_t each = ranks / v->run.count;
    if (ranks % v->run.count)
        return gsim_error_set(error, GSIM_INPUT,
                              "ranks=%u: there are %u, which need not do the same: expected a multiple", ranks,
                              v->run.count);
    for (uint32_t i = 0; i < v->run.count; i++) {
        v->run.programs[i].copies = each;
        v->run.programs[i].rank = i * each;
    }
    if (each > 1)
        length += (size_t)snprintf(v->note + length, sizeof v->note - length, "%s%u of each rank that there is",
                                   length ? "; " : "", each);
    if (ranks <= NODE_GPUS || has_node) return GSIM_OK;
    v->run.links.per_node = NODE_GPUS;
    v->run.links.net_gbps = NODE_GBPS;
    snprintf(v->note + length, sizeof v->note - length, "%snodes of %d GPUs, %.0f GB/s of network each",
             length ? "; " : "", NODE_GPUS, NODE_GBPS);
    return GSIM_OK;
}

enum gsim_status gsim_rank_variant_init(struct gsim_rank_variant *v, const struct gsim_cli_rank_traces *t,
                                        const struct gsim_rank_change *changes, uint32_t count,
                                        struct gsim_error *error)
{
    struct gsim_rank_edit edit = {0};
    const struct gsim_scheduler_ops *scheduler = gsim_scheduler_find("async");
    uint32_t ranks = 0;
    enum gsim_status status = GSIM_OK;
    *v = (struct gsim_rank_variant){.run = {.count = t->count, .iterations = ITERATIONS}};
    copy_device(v, t);
    double *of_rank = GSIM_ARENA_ARRAY(&v->arena, double, t->count);
    v->programs = GSIM_ARENA_ARRAY(&v->arena, struct gsim_program, t->count);
    v->run.programs = GSIM_ARENA_ARRAY(&v->arena, struct gsim_client, t->count);
    if (v->arena.failed) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (uint32_t i = 0; i < t->count; i++) of_rank[i] = 1;
    for (uint32_t i = 0; i < count && !status; i++)
        status = apply(v, t, &changes[i], &edit, of_rank, &ranks, &scheduler, error);
    for (uint32_t i = 0; i < t->count && !status; i++) {
        edit.kernel_speed = of_rank[i] != 1 ? of_rank[i] : 0;
        if (edit.bucket_bytes) status = find_gradients(v, &t->traces[i], &edit, error);
        if (status) break;
        status = gsim_rank_edit(&t->traces[i].program, &edit, &v->programs[i], &v->has_effect, error);
        if (status) break;
        v->program_count++;
        v->run.programs[i] = (struct gsim_client){
            .program = &v->programs[i], .scheduler = scheduler, .rank = t->traces[i].rank, .copies = 1, .device = i};
    }
    bool has_node = false;
    for (uint32_t i = 0; i < count; i++) has_node |= changes[i].kind == GSIM_RANK_CHANGE_NODE;
    if (!status && ranks) status = repeat(v, ranks, has_node, error);
    for (uint32_t i = 0; i < count && !status; i++)
        if (changes[i].kind == GSIM_RANK_CHANGE_NODE)
            status = use_node(v, changes[i].node, ranks ? ranks : t->count, error);
    return status;
}

void gsim_rank_variant_release(struct gsim_rank_variant *v)
{
    for (uint32_t i = 0; i < v->program_count; i++) gsim_program_release(&v->programs[i]);
    gsim_arena_release(&v->arena);
    memset(v, 0, sizeof *v);
}

enum gsim_status gsim_rank_variant_run(const struct gsim_rank_variant *v, const struct gsim_cli_rank_traces *t,
                                       double *step_us, struct gsim_cli_rank_time *times, struct gsim_error *error)
{
    struct gsim_scenario scenario = {0};
    struct gsim_timeline timeline = {0};
    *step_us = 0;
    enum gsim_status status = gsim_cli_rank_traces_run(t, &v->device, &v->run, &scenario, &timeline, error);
    for (uint32_t i = 0; i < v->run.count && !status; i++) {
        struct gsim_cli_rank_time time = gsim_cli_rank_time(&timeline, i);
        *step_us = fmax(*step_us, time.step);
        if (times) times[i] = time;
    }
    gsim_timeline_release(&timeline);
    gsim_scenario_release(&scenario);
    return status;
}
