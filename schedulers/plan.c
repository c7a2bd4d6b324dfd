/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan: follows a plan (gpusim/opplan.h), its own or another runtime's: which GPU and stream each kernel has, and in
 * which order they are issued between the host's ops. Events are those that the dependences need. Not in
 * schedulers.def: --sched plan=FILE names it.
 */
#include "gpusim/opplan.h"

#include "gpusim/placement.h"
#include "gpusim/schedulers/plan.h"

#define NONE UINT32_MAX

struct plan_state {
    struct gsim_planned planned;
    uint32_t *stream_of, *position; /* by op of the program: its stream, counted from 0, and its place in the plan */
    uint32_t stream_count;
};

/* The plan's numbers of streams become 0, 1, ... */
static uint32_t stream_number(uint32_t *numbers, uint32_t *count, uint32_t stream)
{
    for (uint32_t i = 0; i < *count; i++)
        if (numbers[i] == stream) return i;
    numbers[*count] = stream;
    return (*count)++;
}

static enum gsim_status read_rows(struct gsim_run *run, struct plan_state *s, uint32_t *device_of,
                                  struct gsim_error *error)
{
    const struct gsim_op_plan *plan = run->op_plan;
    const struct gsim_program *p = run->program;
    uint32_t *numbers = GSIM_ARENA_ARRAY(run->arena, uint32_t, plan->count + 1);
    s->stream_of = GSIM_ARENA_ARRAY(run->arena, uint32_t, (size_t)p->op_count + 1);
    s->position = GSIM_ARENA_ARRAY(run->arena, uint32_t, (size_t)p->op_count + 1);
    if (run->arena->failed) return gsim_error_set(error, GSIM_NOMEM, "out of memory while planning");
    for (uint32_t i = 0; i < p->op_count; i++) s->position[i] = NONE;
    for (size_t i = 0; i < plan->count; i++) {
        const struct gsim_op_plan_row *r = &plan->rows[i];
        if (r->op >= p->op_count || gsim_op_is_host(&p->ops[r->op]))
            return gsim_error_set(error, GSIM_INPUT, "plan: row %zu: op %u is no kernel or copy of '%s'", i + 1, r->op,
                                  p->name);
        if (s->position[r->op] != NONE)
            return gsim_error_set(error, GSIM_INPUT, "plan: row %zu: op %u was planned before", i + 1, r->op);
        if (r->device >= run->device_count)
            return gsim_error_set(error, GSIM_INPUT, "plan: row %zu: op %u is for GPU %u, and there %s %u (--gpus)",
                                  i + 1, r->op, r->device, run->device_count == 1 ? "is" : "are", run->device_count);
        s->position[r->op] = (uint32_t)i;
        s->stream_of[r->op] = stream_number(numbers, &s->stream_count, r->stream);
        device_of[r->op] = r->device;
    }
    for (uint32_t i = 0; i < p->op_count; i++)
        if (p->ops[i].kind == GSIM_OP_KERNEL && s->position[i] == NONE)
            return gsim_error_set(error, GSIM_INPUT, "plan: op %u of '%s' is not in it", i, p->name);
    return GSIM_OK;
}

/* Where a node stands among its stretch between host ops: at the plan's place; a move before the first that needs
 * it. */
static void find_places(const struct gsim_run *run, const struct plan_state *s, const struct gsim_oplist *list,
                        const struct gsim_dag *dag, uint64_t *place)
{
    for (uint32_t i = list->op_count; i-- > 0;) {
        const struct gsim_op *op = list->ops[i];
        bool is_own = !gsim_op_is_move(run, op);
        place[i] = s->position[op->index] != NONE ? 2 * (uint64_t)s->position[op->index] + is_own
                   : is_own                       ? 0
                                                  : UINT64_MAX; /* what the host alone needs comes last */
        for (uint32_t e = dag->succ_start[i]; !is_own && e < dag->succ_start[i + 1]; e++)
            if (!gsim_op_is_host(list->ops[dag->succs[e]]) && place[dag->succs[e]] < place[i])
                place[i] = place[dag->succs[e]] & ~UINT64_C(1);
    }
}

/* ORDER: host ops stay, what stands between them goes by its place. Nodes come nearly sorted. */
static void sort_nodes(const struct gsim_oplist *list, const uint64_t *place, uint32_t *order)
{
    for (uint32_t i = 0; i < list->op_count; i++) {
        uint32_t at = i;
        for (; at && !gsim_op_is_host(list->ops[i]) && !gsim_op_is_host(list->ops[order[at - 1]]); at--) {
            if (place[order[at - 1]] <= place[i]) break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

static enum gsim_status check_order(const struct gsim_oplist *list, const struct gsim_dag *dag, const uint32_t *order,
                                    uint32_t *step_of, struct gsim_error *error)
{
    for (uint32_t i = 0; i < list->op_count; i++) step_of[order[i]] = i;
    for (uint32_t i = 0; i < list->op_count; i++)
        for (uint32_t e = dag->pred_start[i]; e < dag->pred_start[i + 1]; e++)
            if (step_of[dag->preds[e]] > step_of[i])
                return gsim_error_set(error, GSIM_INPUT, "plan: op %u stands before op %u, which it follows",
                                      list->ops[i]->index, list->ops[dag->preds[e]]->index);
    return GSIM_OK;
}

/* Moves to a GPU and between GPUs have a stream each, a copy back that of what made its data. */
static uint32_t stream_of(const struct gsim_run *run, const struct plan_state *s, const struct gsim_oplist *list,
                          const struct gsim_dag *dag, uint32_t node, const uint32_t *streams)
{
    const struct gsim_op *op = list->ops[node];
    bool is_move = gsim_op_is_move(run, op) || op->kind == GSIM_OP_PREFETCH,
         follows = is_move && op->copy_kind == GSIM_COPY_D2H;
    if (is_move && !follows) return s->stream_count + (op->kind == GSIM_OP_COPY && op->copy_kind == GSIM_COPY_P2P);
    uint32_t maker = follows ? gsim_dag_maker(dag, list, node) : NONE;
    if (maker != NONE) return streams[maker];
    return s->stream_of[op->index];
}

static enum gsim_status choose(struct gsim_run *run, struct gsim_plan_choice *choice, struct gsim_arena *scratch,
                               struct gsim_error *error)
{
    const struct plan_state *s = run->state;
    const struct gsim_oplist *list = choice->list;
    size_t count = (size_t)list->op_count + 1;
    uint32_t *order = GSIM_ARENA_ARRAY(scratch, uint32_t, count), *step_of = GSIM_ARENA_ARRAY(scratch, uint32_t, count);
    uint32_t *streams = GSIM_ARENA_ARRAY(scratch, uint32_t, count);
    uint64_t *place = GSIM_ARENA_ARRAY(scratch, uint64_t, count);
    if (scratch->failed) return GSIM_OK;
    find_places(run, s, list, choice->dag, place);
    sort_nodes(list, place, order);
    for (uint32_t i = 0; i < list->op_count; i++) streams[i] = stream_of(run, s, list, choice->dag, i, streams);
    choice->stream_of = streams;
    choice->order = order;
    choice->stream_count = s->stream_count + 2;
    choice->prune = GSIM_PRUNE_CLOCK;
    return check_order(list, choice->dag, order, step_of, error);
}

/* Of several GPUs the program becomes one that is placed. */
static enum gsim_status place(struct gsim_run *run, uint32_t *device_of, struct gsim_error *error)
{
    struct gsim_program *placed = GSIM_ARENA_NEW(run->arena, struct gsim_program);
    struct gsim_op *ops = GSIM_ARENA_ARRAY(run->arena, struct gsim_op, (size_t)run->program->op_count + 1);
    if (!placed || !ops) return gsim_error_set(error, GSIM_NOMEM, "out of memory while planning");
    if (!gsim_placing_moves(run->program, device_of))
        return gsim_error_set(error, GSIM_NOMEM, "out of memory while planning");
    for (size_t i = 0; i < run->op_plan->count; i++) device_of[run->op_plan->rows[i].op] = run->op_plan->rows[i].device;
    *placed = *run->program;
    placed->arena = (struct gsim_arena){0};
    placed->ops = ops;
    for (uint32_t i = 0; i < placed->op_count; i++) {
        ops[i] = run->program->ops[i];
        ops[i].device = 0;
        if (!gsim_op_is_host(&ops[i])) ops[i].device += device_of[i];
    }
    run->program = placed;
    run->is_placed = true;
    return GSIM_OK;
}

static enum gsim_status prepare(struct gsim_run *run, struct gsim_error *error)
{
    struct plan_state *s = run->state = GSIM_ARENA_NEW(run->arena, struct plan_state);
    uint32_t *device_of = GSIM_ARENA_ARRAY(run->arena, uint32_t, (size_t)run->program->op_count + 1);
    if (!s || !device_of) return gsim_no_memory(error);
    if (!run->op_plan) return gsim_refuse(error, "the scheduler plan follows a plan: --sched plan=FILE");
    enum gsim_status status = read_rows(run, s, device_of, error);
    if (status == GSIM_OK && run->device_count > 1) status = place(run, device_of, error);
    return status ? status : gsim_plan_prepare(run, GSIM_MOVES_AT_USE, false, choose, error);
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    return gsim_plan_run(run, choose, (struct gsim_plan_style){.event_flags = GSIM_EVENT_NO_TIMING}, error);
}

const struct gsim_scheduler_ops gsim_scheduler_plan = {
    GSIM_HEAD(scheduler),
    .name = "plan",
    .summary = "follows a file: GPU, stream and order of each kernel",
    .source = "a plan of gpusim (--plan) or of another runtime",
    .shape = GSIM_SHAPE_CONCURRENT,
    .takes_placed = true,
    .prepare = prepare,
    .execute = execute,
};
