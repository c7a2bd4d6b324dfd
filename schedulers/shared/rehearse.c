/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places a whole program before its run (include/gpusim/placement.h). The rehearsal knows estimates alone: each GPU
 * does one kernel after another, transfers start when a kernel is given to it, and links are idle.
 */
#include <math.h>
#include <string.h>

#include "gpusim/placement.h"

struct moment {
    double us;
    uint32_t node;
    bool ends;
};

struct rehearsal {
    struct gsim_placing *p;
    const struct gsim_oplist *list;
    const struct gsim_dag *dag;
    uint32_t *device_of, *all;   /* all: every device, as candidates */
    uint32_t *waiting;           /* by node: how many it follows have not ended, the host's op before it among them */
    uint32_t *host_before;       /* by node: the last host op before it, plus 1 */
    double *end_us, *data_us, *rank_us;
    struct moment *heap;
    uint32_t heap_count;
    uint32_t **queues, *queue_counts, *running; /* by device */
};

/* --- in the program's order --------------------------------------------------------------------------------------- */

static double ready_us(const struct rehearsal *r, uint32_t node)
{
    double us = r->host_before[node] ? r->end_us[r->host_before[node] - 1] : 0;
    for (uint32_t e = r->dag->pred_start[node]; e < r->dag->pred_start[node + 1]; e++)
        us = fmax(us, r->end_us[r->dag->preds[e]]);
    return us;
}

static void place_in_order(struct rehearsal *r)
{
    for (uint32_t node = 0; node < r->list->op_count; node++) {
        const struct gsim_op *op = r->list->ops[node];
        r->p->now_us = ready_us(r, node);
        if (op->kind == GSIM_OP_KERNEL) {
            r->device_of[node] = gsim_placing_choose(r->p, op, r->all, r->p->device_count);
            r->p->busy_streams[r->device_of[node]]++;
            r->end_us[node] = r->p->free_us[r->device_of[node]];
        } else {
            r->end_us[node] = r->p->now_us + (op->kind == GSIM_OP_HOST_COMPUTE ? op->host_us : 0);
        }
        gsim_placing_note(r->p, op, r->device_of[node]);
    }
}

/* --- as kernels are ready --- */

static bool is_before(const struct moment *a, const struct moment *b)
{
    if (a->us != b->us) return a->us < b->us;
    if (a->ends != b->ends) return a->ends;
    return a->node < b->node;
}

static void add_moment(struct rehearsal *r, double us, uint32_t node, bool ends)
{
    uint32_t at = r->heap_count++;
    r->heap[at] = (struct moment){us, node, ends};
    for (; at && is_before(&r->heap[at], &r->heap[(at - 1) / 2]); at = (at - 1) / 2) {
        struct moment other = r->heap[at];
        r->heap[at] = r->heap[(at - 1) / 2];
        r->heap[(at - 1) / 2] = other;
    }
}

static struct moment pop_moment(struct rehearsal *r)
{
    struct moment first = r->heap[0];
    r->heap[0] = r->heap[--r->heap_count];
    for (uint32_t at = 0, child; (child = 2 * at + 1) < r->heap_count; at = child) {
        if (child + 1 < r->heap_count && is_before(&r->heap[child + 1], &r->heap[child])) child++;
        if (!is_before(&r->heap[child], &r->heap[at])) break;
        struct moment other = r->heap[at];
        r->heap[at] = r->heap[child];
        r->heap[child] = other;
    }
    return first;
}

/* Less comes first. */
static double urgency(struct rehearsal *r, uint32_t device, uint32_t node)
{
    const struct gsim_op *op = r->list->ops[node];
    switch (r->p->run->placement->queue) {
    case GSIM_QUEUE_FIFO: return 0;
    case GSIM_QUEUE_RANK: return -r->rank_us[node];
    case GSIM_QUEUE_DATA: return (double)gsim_placing_total(r->p, op) - (double)gsim_placing_present(r->p, op, device);
    }
    return 0;
}

/* The device begins what comes first in its queue. */
static void begin_next(struct rehearsal *r, uint32_t device, double now_us)
{
    uint32_t best = 0, *queue = r->queues[device];
    if (!r->queue_counts[device] || r->running[device] != UINT32_MAX) return;
    for (uint32_t i = 1; i < r->queue_counts[device]; i++)
        if (urgency(r, device, queue[i]) < urgency(r, device, queue[best])) best = i;
    uint32_t node = queue[best];
    memmove(queue + best, queue + best + 1, sizeof *queue * (--r->queue_counts[device] - best));
    r->running[device] = node;
    gsim_placing_note(r->p, r->list->ops[node], device);
    add_moment(r, fmax(now_us, r->data_us[node]) + gsim_estimate_us(r->p->run, r->list->ops[node]), node, true);
}

static void make_ready(struct rehearsal *r, uint32_t node, double now_us)
{
    const struct gsim_op *op = r->list->ops[node];
    r->p->now_us = now_us;
    if (op->kind != GSIM_OP_KERNEL) {
        gsim_placing_note(r->p, op, 0);
        add_moment(r, now_us + (op->kind == GSIM_OP_HOST_COMPUTE ? op->host_us : 0), node, true);
        return;
    }
    uint32_t device = gsim_placing_choose(r->p, op, r->all, r->p->device_count);
    r->device_of[node] = device;
    r->p->busy_streams[device]++;
    r->data_us[node] = now_us + gsim_placing_transfer_us(r->p, op, device, false);
    r->queues[device][r->queue_counts[device]++] = node;
    begin_next(r, device, now_us);
}

static void end_node(struct rehearsal *r, uint32_t node, double now_us)
{
    const struct gsim_dag *dag = r->dag;
    bool is_host = gsim_op_is_host(r->list->ops[node]);
    r->end_us[node] = now_us;
    if (r->list->ops[node]->kind == GSIM_OP_KERNEL) r->running[r->device_of[node]] = UINT32_MAX;
    for (uint32_t e = dag->succ_start[node]; e < dag->succ_start[node + 1]; e++)
        if (!--r->waiting[dag->succs[e]]) add_moment(r, now_us, dag->succs[e], false);
    for (uint32_t next = node + 1; is_host && next < r->list->op_count && r->host_before[next] == node + 1; next++)
        if (!--r->waiting[next]) add_moment(r, now_us, next, false);
    if (r->list->ops[node]->kind == GSIM_OP_KERNEL) begin_next(r, r->device_of[node], now_us);
}

static void rank_nodes(struct rehearsal *r)
{
    for (uint32_t node = r->list->op_count; node-- > 0;) {
        for (uint32_t e = r->dag->succ_start[node]; e < r->dag->succ_start[node + 1]; e++)
            r->rank_us[node] = fmax(r->rank_us[node], r->rank_us[r->dag->succs[e]]);
        r->rank_us[node] += gsim_estimate_us(r->p->run, r->list->ops[node]);
    }
}

static void place_as_ready(struct rehearsal *r)
{
    rank_nodes(r);
    for (uint32_t node = 0; node < r->list->op_count; node++) {
        r->waiting[node] = r->dag->pred_start[node + 1] - r->dag->pred_start[node] + (r->host_before[node] > 0);
        if (!r->waiting[node]) add_moment(r, 0, node, false);
    }
    while (r->heap_count) {
        struct moment m = pop_moment(r);
        if (m.ends) end_node(r, m.node, m.us);
        else make_ready(r, m.node, m.us);
    }
}

/* --- the program --- */

static bool init_rehearsal(struct rehearsal *r, struct gsim_arena *arena)
{
    size_t nodes = (size_t)r->list->op_count + 1, devices = r->p->device_count;
    r->all = GSIM_ARENA_ARRAY(arena, uint32_t, devices);
    r->waiting = GSIM_ARENA_ARRAY(arena, uint32_t, nodes);
    r->host_before = GSIM_ARENA_ARRAY(arena, uint32_t, nodes);
    r->end_us = GSIM_ARENA_ARRAY(arena, double, nodes);
    r->data_us = GSIM_ARENA_ARRAY(arena, double, nodes);
    r->rank_us = GSIM_ARENA_ARRAY(arena, double, nodes);
    r->heap = GSIM_ARENA_ARRAY(arena, struct moment, 2 * nodes);
    r->queues = GSIM_ARENA_ARRAY(arena, uint32_t *, devices);
    r->queue_counts = GSIM_ARENA_ARRAY(arena, uint32_t, devices);
    r->running = GSIM_ARENA_ARRAY(arena, uint32_t, devices);
    for (size_t d = 0; d < devices && !arena->failed; d++) {
        r->all[d] = (uint32_t)d;
        r->running[d] = UINT32_MAX;
        r->queues[d] = GSIM_ARENA_ARRAY(arena, uint32_t, nodes);
    }
    for (uint32_t node = 1; node < r->list->op_count && !arena->failed; node++)
        r->host_before[node] = gsim_op_is_host(r->list->ops[node - 1]) ? node : r->host_before[node - 1];
    return !arena->failed;
}

bool gsim_placing_moves(const struct gsim_program *program, uint32_t *device_of)
{
    uint32_t *user = gsim_alloc(sizeof *user * ((size_t)program->buffer_count + 1));
    if (!user) return false;
    for (uint32_t i = 0; i < program->op_count; i++) {
        const struct gsim_op *op = &program->ops[i];
        bool is_back = op->kind == GSIM_OP_COPY && op->copy_kind == GSIM_COPY_D2H;
        for (uint32_t a = 0; a < op->arg_count; a++)
            if (op->kind == GSIM_OP_KERNEL) user[op->args[a].buffer_index] = device_of[i];
            else if (is_back) device_of[i] = user[op->args[a].buffer_index];
    }
    for (uint32_t i = program->op_count; i-- > 0;) {
        const struct gsim_op *op = &program->ops[i];
        bool is_there = op->kind == GSIM_OP_PREFETCH || (op->kind == GSIM_OP_COPY && op->copy_kind != GSIM_COPY_D2H);
        for (uint32_t a = 0; a < op->arg_count; a++)
            if (op->kind == GSIM_OP_KERNEL) user[op->args[a].buffer_index] = device_of[i];
            else if (is_there) device_of[i] = user[op->args[a].buffer_index];
    }
    gsim_free(user);
    return true;
}

static enum gsim_status place(struct gsim_run *run, const struct gsim_oplist *list, uint32_t *device_of,
                              struct gsim_error *error)
{
    struct gsim_dag dag;
    struct gsim_placing *p = gsim_placing_create(run, false, error);
    if (!p) return error->status;
    enum gsim_status status = gsim_dag_build(run, list, &dag, error);
    if (status) {
        gsim_placing_release(p);
        return status;
    }
    struct rehearsal r = {.p = p, .list = list, .dag = &dag, .device_of = device_of};
    if (!init_rehearsal(&r, run->arena)) status = gsim_error_set(error, GSIM_NOMEM, "out of memory while placing");
    else if (run->placement->plan) status = run->placement->plan(p, list, &dag, device_of, error);
    else if (run->placement->moment == GSIM_PLACE_AT_READY) place_as_ready(&r);
    else place_in_order(&r);
    gsim_dag_release(&dag);
    gsim_placing_release(p);
    return status;
}

enum gsim_status gsim_placing_program(struct gsim_run *run, struct gsim_error *error)
{
    const struct gsim_program *given = run->program;
    struct gsim_program *placed = GSIM_ARENA_NEW(run->arena, struct gsim_program);
    struct gsim_op *ops = GSIM_ARENA_ARRAY(run->arena, struct gsim_op, (size_t)given->op_count + 1);
    const struct gsim_op **list = GSIM_ARENA_ARRAY(run->arena, const struct gsim_op *, (size_t)given->op_count + 1);
    uint32_t *device_of = GSIM_ARENA_ARRAY(run->arena, uint32_t, (size_t)given->op_count + 1);
    if (run->arena->failed) return gsim_error_set(error, GSIM_NOMEM, "out of memory while placing");
    *placed = *given;
    placed->arena = (struct gsim_arena){0};
    placed->ops = ops;
    for (uint32_t i = 0; i < given->op_count; i++) {
        ops[i] = given->ops[i];
        list[i] = &ops[i];
        if (run->placement->follows_program) continue;
        ops[i].device = 0;
        if (ops[i].kind == GSIM_OP_COPY && ops[i].copy_kind == GSIM_COPY_P2P)
            return gsim_error_set(error, GSIM_INPUT,
                                  "--place %s: ops[%u] copies between GPUs: the program is placed already",
                                  run->placement->name, i);
    }
    run->program = placed;
    if (run->placement->follows_program) {
        run->is_placed = true;
        return GSIM_OK;
    }
    const struct gsim_oplist all = {.ops = list, .op_count = given->op_count};
    enum gsim_status status = place(run, &all, device_of, error);
    if (status) return status;
    if (!gsim_placing_moves(placed, device_of)) return gsim_error_set(error, GSIM_NOMEM, "out of memory while placing");
    for (uint32_t i = 0; i < given->op_count; i++)
        if (!gsim_op_is_host(&ops[i])) ops[i].device = (uint16_t)device_of[i];
    run->is_placed = true;
    return GSIM_OK;
}
