/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * grsched: GrSched, the run-time scheduler of GrCUDA (IPDPS 2021), a policy that issues ahead (gpusim/policy.h). Graph
 * rules: frontier.h. Deviations: work left pending at the end of an iteration is waited for there; in explicit memory
 * modes copies take the place of prefetches, with an event for later users on other streams; "after" counts as a
 * dependence; a program's own prefetches, which GrCUDA's programs cannot contain, are left out.
 */
#include <math.h>

#include "gpusim/policy.h"

#define NONE UINT32_MAX

enum { STREAMS_ALWAYS_NEW, STREAMS_REUSE };
enum { PARENT_DISJOINT, PARENT_SAME, PARENT_EARLY_DISJOINT, PARENT_MULTI_DISJOINT };
enum { ATTACH_ALWAYS, ATTACH_AUTO, ATTACH_NEVER };

struct grsched_params {
    int new_streams, parent_stream, dependences, attach;
    bool filter;
    double cost_us, cost_spread;
};

struct grsched {
    struct free_streams {
        struct gsim_policy_stream *first, *last; /* longest free first */
    } *free;                                     /* by device */
    uint32_t *candidates;                        /* all devices; room for as many again */
};

static enum gsim_status init(struct gsim_policy_run *p, struct gsim_error *error)
{
    const struct grsched_params *params = p->params;
    struct grsched *g = p->state = GSIM_ARENA_NEW(p->run->arena, struct grsched);
    if (g) g->free = GSIM_ARENA_ARRAY(p->run->arena, struct free_streams, p->device_count);
    if (g) g->candidates = GSIM_ARENA_ARRAY(p->run->arena, uint32_t, 2 * (size_t)p->device_count);
    if (p->run->arena->failed) return gsim_error_set(error, GSIM_NOMEM, "out of memory while scheduling");
    for (uint32_t d = 0; d < p->device_count; d++) g->candidates[d] = d;
    p->by_declaration = true;
    p->ignores_const = params->dependences != 0;
    p->keeps_parents = !params->filter;
    p->attaches = p->run->memory == GSIM_MEMORY_MANAGED &&
                  (params->attach == ATTACH_ALWAYS ||
                   (params->attach == ATTACH_AUTO && p->run->compute_capability < 60));
    return GSIM_OK;
}

static void came(struct gsim_policy_run *p)
{
    const struct grsched_params *params = p->params;
    double cost_us = params->cost_us;
    if (params->cost_spread > 0) cost_us *= exp(params->cost_spread * gsim_random_normal(p->run->rng));
    gsim_host_work(p->run->driver, cost_us, "GrCUDA runtime");
}

static struct gsim_policy_stream *new_stream(struct gsim_policy_run *p, uint32_t device)
{
    struct free_streams *list = &((struct grsched *)p->state)->free[device];
    struct gsim_policy_stream *stream = list->first;
    if (!stream) return gsim_policy_new_stream(p, device);
    if (!(list->first = stream->next)) list->last = NULL;
    return stream;
}

static void rested(struct gsim_policy_run *p, struct gsim_policy_stream *stream)
{
    struct free_streams *list = &((struct grsched *)p->state)->free[stream->device];
    if (((const struct grsched_params *)p->params)->new_streams != STREAMS_REUSE) return;
    stream->next = NULL;
    *(list->last ? &list->last->next : &list->first) = stream;
    list->last = stream;
}

static uint32_t choose_device(struct gsim_policy_run *p, const struct gsim_op *op, const uint32_t *candidates,
                              uint32_t count)
{
    if (!p->placing) return 0;
    if (p->run->placement->decision_us > 0)
        gsim_host_work(p->run->driver, p->run->placement->decision_us, "GrCUDA placement");
    return gsim_placing_choose(p->placing, op, candidates, count);
}

/* The stream of the first parent that no child has taken yet, on DEVICE, or with NONE on any; NULL: there is none. */
static struct gsim_policy_stream *inherit_stream(struct gsim_policy_run *p, const struct gsim_policy_op *op,
                                                 uint32_t device)
{
    const struct grsched_params *params = p->params;
    for (uint32_t i = 0; i < op->parent_count; i++) {
        struct gsim_policy_op *parent = op->parents[i];
        if (params->parent_stream != PARENT_SAME && parent->is_inherited) continue;
        if (device != NONE && parent->device != device) continue;
        parent->is_inherited = true;
        return parent->stream;
    }
    return NULL;
}

/* Devices of parents whose stream no child has taken yet, each once, ascending. */
static uint32_t parents_devices(const struct gsim_policy_op *op, uint32_t device_count, uint32_t *devices)
{
    uint32_t count = 0;
    for (uint32_t d = 0; d < device_count; d++)
        for (uint32_t i = 0; i < op->parent_count; i++) {
            if (op->parents[i]->is_inherited || op->parents[i]->device != d) continue;
            devices[count++] = d;
            break;
        }
    return count;
}

/* The first child inherits its parent's stream; later ones go elsewhere (disjoint). Who may inherit on several GPUs
 * asks for the GPU first and takes a parent's stream there (early), or chooses among the parents' GPUs. */
static struct gsim_policy_stream *stream(struct gsim_policy_run *p, struct gsim_policy_op *op)
{
    const struct grsched_params *params = p->params;
    const struct grsched *g = p->state;
    struct gsim_policy_stream *found = NULL;
    uint32_t device = NONE, count = p->device_count, *parents = g->candidates + count;
    bool is_early = p->placing && (params->parent_stream == PARENT_EARLY_DISJOINT ||
                                   p->run->placement->follows_program); /* the program's GPU, whoever is a parent */
    if (is_early) device = choose_device(p, op->op, g->candidates, count);
    if (p->placing && !is_early && params->parent_stream == PARENT_MULTI_DISJOINT) {
        uint32_t parent_count = parents_devices(op, count, parents);
        if (parent_count) found = inherit_stream(p, op, choose_device(p, op->op, parents, parent_count));
    } else {
        found = inherit_stream(p, op, device);
    }
    if (found) return found;
    return new_stream(p, is_early ? device : choose_device(p, op->op, g->candidates, count));
}

static const struct gsim_policy_ops policy = {.init = init, .came = came, .stream = stream, .rested = rested};

static const struct gsim_param params_table[] = {
    GSIM_CHOICE(struct grsched_params, new_streams, STREAMS_ALWAYS_NEW, 1, "always-new|reuse",
                "stream of a kernel without parents: a new one (published runs), or the longest free one"),
    GSIM_CHOICE(
        struct grsched_params, parent_stream, PARENT_DISJOINT, 3,
        "disjoint|same-as-parent|multigpu-early-disjoint|multigpu-disjoint",
        "stream of a kernel with parents: the first parent's not yet inherited (published runs), or the first "
        "parent's; of several GPUs one on the GPU that the placement names, or names among those of such parents"),
    GSIM_CHOICE(struct grsched_params, dependences, 0, 1, "with-const|no-const",
                "whether two const uses of an array are independent (published runs) or not"),
    GSIM_BOOL(struct grsched_params, filter, 1, "drop parents that another parent already follows (with-const only)"),
    GSIM_CHOICE(
        struct grsched_params, attach, ATTACH_ALWAYS, 2, "always|auto|never",
        "cudaStreamAttachMemAsync of managed arrays: always (published runs force it), before Pascal only, never"),
    GSIM_REAL(struct grsched_params, cost_us, 10, 0, 10000, "us",
              "run-time work per kernel beside its CUDA calls; median of stream assignment alone 1.9 to 9.5 in the "
              "authors' log (2 V100, 2023), 10 with graph and bookkeeping is our assumption"),
    GSIM_REAL(struct grsched_params, cost_spread, 0, 0, 3, "",
              "sigma of a lognormal factor on cost_us with median 1; 0.62 matches the log's 90th percentiles"),
    {.name = NULL},
};

GSIM_POLICY_SCHEDULER(grsched, "grsched",
                      "GrCUDA's run-time scheduler: dependences from arguments, streams inherited from parents",
                      "GrCUDA, IPDPS 2021, arXiv 2012.09646; github.com/AlbertoParravicini/grcuda",
                      struct grsched_params, params_table, &policy);
