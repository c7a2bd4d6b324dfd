/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ask/schedule/units.h. Dependences between nodes are those of the schedulers (gpusim/schedulers/dag.h); of units
 * those of their nodes. */
#include "ask/schedule/units.h"

#include <math.h>

#include "sim/sm/demand.h"

#define NONE UINT32_MAX

struct gsim_run gsim_units_run(const struct gsim_program *program, struct gsim_arena *arena)
{
    return (struct gsim_run){
        .program = program, .memory = GSIM_MEMORY_PINNED, .iterations = 1, .device_count = 1, .arena = arena};
}

static bool is_node(const struct gsim_op *op) { return op->kind == GSIM_OP_KERNEL || op->kind == GSIM_OP_COPY; }

double gsim_units_node_us(const struct gsim_simulation *base, const struct gsim_op *op)
{
    const struct gsim_device_spec *d = base->device;
    const struct gsim_kernel *kernel = op->kind == GSIM_OP_KERNEL ? &base->program->kernels[op->kernel_index] : NULL;
    if (kernel)
        return base->demands && base->demands[op->kernel_index].solo_ps > 0
                   ? base->demands[op->kernel_index].solo_ps * 1e-6
                   : kernel->solo_us;
    double gbps = op->copy_kind == GSIM_COPY_H2D   ? d->h2d_gbps
                  : op->copy_kind == GSIM_COPY_D2H ? d->d2h_gbps
                                                   : d->dram_gbps / 2;
    return op->copy_us > 0 ? op->copy_us : (double)op->bytes * 1e-3 / gbps;
}

static bool list_nodes(struct gsim_units *u, const struct gsim_simulation *base, const uint64_t *groups)
{
    const struct gsim_program *p = u->source;
    u->nodes = GSIM_ARENA_ARRAY(&u->arena, uint32_t, (size_t)p->op_count + 1);
    u->units = GSIM_ARENA_ARRAY(&u->arena, struct gsim_unit, (size_t)p->op_count + 1);
    for (uint32_t i = 0; !u->arena.failed && i < p->op_count; i++) {
        if (!is_node(&p->ops[i])) continue;
        uint32_t last = u->node_count ? u->nodes[u->node_count - 1] : NONE;
        bool joins = groups && last != NONE && groups[i] && groups[i] == groups[last];
        if (!joins) u->units[u->count++] = (struct gsim_unit){.first = u->node_count};
        u->units[u->count - 1].count++;
        u->units[u->count - 1].us += gsim_units_node_us(base, &p->ops[i]);
        u->nodes[u->node_count++] = i;
    }
    return !u->arena.failed;
}

static uint64_t blocks_of(const struct gsim_kernel *k) { return (uint64_t)k->grid.x * k->grid.y * k->grid.z; }

/* A kernel for the whole unit: its time, the shape of its largest one. */
static struct gsim_kernel kernel_of(const struct gsim_units *u, const struct gsim_unit *unit)
{
    const struct gsim_program *p = u->source;
    struct gsim_kernel kernel = {
        .name = "copy", .grid = {1, 1, 1}, .block = {32, 1, 1}, .solo_us = fmax(unit->us, 1e-3)};
    const struct gsim_kernel *largest = NULL;
    for (uint32_t i = unit->first; i < unit->first + unit->count; i++) {
        const struct gsim_op *op = &p->ops[u->nodes[i]];
        const struct gsim_kernel *k = op->kind == GSIM_OP_KERNEL ? &p->kernels[op->kernel_index] : NULL;
        if (k && (!largest || blocks_of(k) > blocks_of(largest))) largest = k;
    }
    if (!largest) return kernel;
    kernel.name = largest->name;
    kernel.grid = largest->grid;
    kernel.block = largest->block;
    kernel.regs_per_thread = largest->regs_per_thread;
    kernel.smem_bytes = largest->smem_bytes;
    return kernel;
}

static enum gsim_status build_program(struct gsim_units *u, const struct gsim_dag *dag, struct gsim_error *error)
{
    struct gsim_builder *b = gsim_builder_create(u->source->name);
    uint32_t *unit_of = GSIM_ARENA_ARRAY(&u->arena, uint32_t, (size_t)u->node_count + 1),
             *met = GSIM_ARENA_ARRAY(&u->arena, uint32_t, (size_t)u->count + 1);
    uint32_t *preds = GSIM_ARENA_ARRAY(&u->arena, uint32_t, (size_t)u->count + 1);
    bool ok = b && !u->arena.failed;
    for (uint32_t i = 0; ok && i < u->count; i++) {
        struct gsim_kernel kernel = kernel_of(u, &u->units[i]);
        struct gsim_op op = {.kind = GSIM_OP_KERNEL, .stream = -1, .after = preds};
        for (uint32_t n = 0; n < u->units[i].count; n++) unit_of[u->units[i].first + n] = i;
        /* The units that i's nodes follow, each once, ascending. */
        uint32_t count = 0;
        for (uint32_t j = u->units[i].first; j < u->units[i].first + u->units[i].count; j++)
            for (uint32_t e = dag->pred_start[j]; e < dag->pred_start[j + 1]; e++) {
                uint32_t pred = unit_of[dag->preds[e]], at = count;
                if (pred == i || met[pred] == i + 1) continue;
                met[pred] = i + 1;
                for (; at && preds[at - 1] > pred; at--) preds[at] = preds[at - 1];
                preds[at] = pred;
                count++;
            }
        op.after_count = count;
        op.kernel_index = gsim_builder_kernel(b, &kernel);
        ok = op.kernel_index != NONE && gsim_builder_op(b, &op) != NONE;
    }
    if (ok) return gsim_builder_finish(b, 1, &u->program, error);
    gsim_builder_destroy(b);
    return gsim_error_set(error, GSIM_NOMEM, "out of memory");
}

/* LIST is of the ops of PROGRAM at INDICES (NULL: all). */
static enum gsim_status build_dag(struct gsim_units *u, const struct gsim_program *program, const uint32_t *indices,
                                  uint32_t count, struct gsim_oplist *list, struct gsim_dag *dag,
                                  struct gsim_error *error)
{
    struct gsim_run run = gsim_units_run(program, &u->arena);
    list->ops = GSIM_ARENA_ARRAY(&u->arena, const struct gsim_op *, (size_t)count + 1);
    list->op_count = count;
    if (!list->ops) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (uint32_t i = 0; i < count; i++) list->ops[i] = &program->ops[indices ? indices[i] : i];
    return gsim_dag_build(&run, list, dag, error);
}

enum gsim_status gsim_units_init(struct gsim_units *u, const struct gsim_simulation *base, const uint64_t *groups,
                                 struct gsim_error *error)
{
    struct gsim_dag nodes = {0};
    struct gsim_oplist list = {0};
    *u = (struct gsim_units){.source = base->program};
    if (!list_nodes(u, base, groups)) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (!u->count) return gsim_refuse(error, "'%s' has no kernels and no copies", base->program->name);
    enum gsim_status status = build_dag(u, u->source, u->nodes, u->node_count, &list, &nodes, error);
    if (status == GSIM_OK) status = build_program(u, &nodes, error);
    if (status == GSIM_OK) status = build_dag(u, &u->program, NULL, u->count, &u->list, &u->dag, error);
    gsim_dag_release(&nodes);
    return status;
}

void gsim_units_release(struct gsim_units *u)
{
    gsim_dag_release(&u->dag);
    gsim_program_release(&u->program);
    gsim_arena_release(&u->arena);
    *u = (struct gsim_units){0};
}
