/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ask/edits/changes.h. What changes do to a server: its own numbers, and its library of steps as edited. */
#include "ask/edits/changes.h"

bool gsim_change_is_of_steps(enum gsim_change_kind kind)
{
    return kind == GSIM_CHANGE_GRAPH || kind == GSIM_CHANGE_NOSYNC || kind == GSIM_CHANGE_LAUNCH ||
           kind == GSIM_CHANGE_FUSE || kind == GSIM_CHANGE_KERNEL || kind == GSIM_CHANGE_KERNELS ||
           kind == GSIM_CHANGE_LINK || kind == GSIM_CHANGE_DEVICE;
}

static enum gsim_status set_batching(struct gsim_variant *v, const char *name, bool *touched,
                                     struct gsim_error *error)
{
    const struct gsim_batching_ops *ops = v->server.policy;
    if (gsim_batching_load(name, &ops, error)) return gsim_error_prefix(error, "--change batching");
    *touched = ops != v->server.policy;
    if (!*touched) return GSIM_OK;
    void *params = gsim_arena_alloc(&v->arena, ops->params_size + 1);
    if (!params) return gsim_no_memory(error);
    gsim_params_set_defaults(ops->params, params);
    v->server.policy = ops;
    v->server.params = params;
    return GSIM_OK;
}

static enum gsim_status edit_server(struct gsim_variant *v, const struct gsim_change *c, bool *touched,
                                    struct gsim_error *error)
{
    struct gsim_serving_spec *spec = &v->spec;
    enum gsim_beside beside = spec->beside;
    *touched = true;
    switch (c->kind) {
    case GSIM_CHANGE_LAUNCH:
        spec->host.launch_us /= c->factor;
        spec->host.node_us /= c->factor;
        return GSIM_OK;
    case GSIM_CHANGE_RATE:
        return gsim_arrivals_set_rate(&spec->arrivals, c->factor, error) ? gsim_error_prefix(error, "--change")
                                                                         : GSIM_OK;
    case GSIM_CHANGE_REPLICAS:
        *touched = spec->replicas != gsim_whole_u32(c->factor);
        spec->replicas = gsim_whole_u32(c->factor);
        return GSIM_OK;
    case GSIM_CHANGE_BESIDE:
        if (gsim_beside_parse(c->argument, &beside, error)) return gsim_error_prefix(error, "--change prefill_beside");
        *touched = beside != spec->beside;
        spec->beside = beside;
        return GSIM_OK;
    case GSIM_CHANGE_BATCHING: return set_batching(v, c->argument, touched, error);
    default: *touched = false; return GSIM_OK;
    }
}

/* The steps, in their order, as the variant has them. */
static enum gsim_status move_step(void *context, const char *path, struct gsim_program *program, bool *is_graph,
                                  struct gsim_error *error)
{
    struct gsim_variant *v = context;
    uint32_t step = v->taken++;
    (void)path, (void)error;
    *program = v->programs[step];
    *is_graph = v->graphs[step];
    v->programs[step] = (struct gsim_program){0};
    return GSIM_OK;
}

enum gsim_status gsim_variant_join_server(struct gsim_variant *v, const struct gsim_changeable *base,
                                          const struct gsim_change *changes, size_t count, uint64_t *touched,
                                          struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    v->spec = *base->library->spec;
    v->spec.arena = (struct gsim_arena){0};
    v->server = *base->server;
    v->server.spec = &v->spec;
    v->server.device = &v->device;
    for (size_t i = 0; i < count && !status; i++) {
        bool is_touched;
        status = edit_server(v, &changes[i], &is_touched, error);
        *touched |= (uint64_t)is_touched << i;
    }
    if (!status && v->spec.beside != GSIM_BESIDE_SAME && v->server.policy->separate)
        status = gsim_refuse(error, "prefill_beside: under %s a prefill has a GPU of its own", v->server.policy->name);
    v->has_effect |= *touched != 0;
    if (!status) status = gsim_library_init(&v->library, &v->spec, &v->simulation, move_step, v, error);
    v->library.is_separate = v->server.policy->separate;
    v->simulation = v->library.simulation;
    return status;
}

enum gsim_status gsim_variant_serve(const struct gsim_variant *v, struct gsim_serving_result *result,
                                    struct gsim_error *error)
{
    struct gsim_serving_table *table = gsim_serving_table_create(&v->library);
    *result = (struct gsim_serving_result){0};
    if (!table) return gsim_no_memory(error);
    enum gsim_status status = gsim_serve_drawn(&v->server, v->simulation.seed, &v->library, table, result, error);
    gsim_serving_table_destroy(table);
    return status;
}
