/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs of several tasks as one (include/gpusim/task.h). */
#include "gpusim/task.h"

#include <math.h>
#include <string.h>

#include "sim/program/guess.h"

struct counts {
    uint32_t buffers, kernels, ops;
};

static bool add(uint32_t *sum, uint32_t count)
{
    if (*sum > UINT32_MAX - count) return false;
    *sum += count;
    return true;
}

/* Copies the ops of FROM to TO, with FIRST_OP as the first one's index, and buffers and kernels as SET's programs have
 * them. */
static bool copy_ops(struct gsim_task_set *set, const struct gsim_program *from, const struct counts *first,
                     struct gsim_op *to, uint32_t first_op)
{
    for (uint32_t i = 0; i < from->op_count; i++) {
        const struct gsim_op *op = &from->ops[i];
        struct gsim_arg *args = GSIM_ARENA_ARRAY(&set->arena, struct gsim_arg, op->arg_count + 1);
        uint32_t *after = GSIM_ARENA_ARRAY(&set->arena, uint32_t, op->after_count + 1);
        if (!args || !after) return false;
        for (uint32_t a = 0; a < op->arg_count; a++) {
            args[a] = op->args[a];
            args[a].buffer_index += first->buffers;
        }
        for (uint32_t a = 0; a < op->after_count; a++) after[a] = op->after[a] + first_op;
        to[i] = *op;
        to[i].args = args;
        to[i].after = after;
        to[i].index = first_op + i;
        if (op->kind == GSIM_OP_KERNEL) to[i].kernel_index += first->kernels;
    }
    return true;
}

static bool add_program(struct gsim_task_set *set, uint32_t task, struct counts *first)
{
    const struct gsim_program *from = set->tasks[task].program;
    struct gsim_program *own = &set->programs[task];
    if (from->buffer_count)
        memcpy(set->all.buffers + first->buffers, from->buffers, sizeof *from->buffers * from->buffer_count);
    if (from->kernel_count)
        memcpy(set->all.kernels + first->kernels, from->kernels, sizeof *from->kernels * from->kernel_count);
    *own = set->all;
    own->arena = (struct gsim_arena){0};
    own->name = set->tasks[task].name;
    own->op_count = from->op_count;
    own->iterations = 1;
    own->ops = GSIM_ARENA_ARRAY(&set->arena, struct gsim_op, from->op_count + 1);
    set->first_op[task] = first->ops;
    if (!own->ops || !copy_ops(set, from, first, own->ops, 0) ||
        !copy_ops(set, from, first, set->all.ops + first->ops, first->ops))
        return false;
    first->buffers += from->buffer_count;
    first->kernels += from->kernel_count;
    first->ops += from->op_count;
    return true;
}

enum gsim_status gsim_task_set_init(struct gsim_task_set *set, const char *name, const struct gsim_task *tasks,
                                    uint32_t count, struct gsim_error *error)
{
    struct counts sum = {0}, first = {0};
    bool fits = true;
    *set = (struct gsim_task_set){.tasks = tasks, .count = count};
    for (uint32_t i = 0; i < count; i++)
        fits &= add(&sum.buffers, tasks[i].program->buffer_count) &&
                add(&sum.kernels, tasks[i].program->kernel_count) && add(&sum.ops, tasks[i].program->op_count);
    if (!fits)
        return gsim_error_set(error, GSIM_INPUT, "the tasks' programs together have more ops than can be numbered");
    set->all = (struct gsim_program){
        .name = gsim_arena_strdup(&set->arena, name),
        .buffers = GSIM_ARENA_ARRAY(&set->arena, struct gsim_buffer, sum.buffers + 1),
        .kernels = GSIM_ARENA_ARRAY(&set->arena, struct gsim_kernel, sum.kernels + 1),
        .ops = GSIM_ARENA_ARRAY(&set->arena, struct gsim_op, sum.ops + 1),
        .buffer_count = sum.buffers,
        .kernel_count = sum.kernels,
        .op_count = sum.ops,
        .iterations = 1,
    };
    set->programs = GSIM_ARENA_ARRAY(&set->arena, struct gsim_program, count);
    set->first_op = GSIM_ARENA_ARRAY(&set->arena, uint32_t, count);
    bool done = !set->arena.failed;
    for (uint32_t i = 0; i < count && done; i++)
        done = add_program(set, i, &first) && gsim_program_guess(&set->all, tasks[i].program->guesses);
    if (done) return GSIM_OK;
    gsim_task_set_release(set);
    return gsim_no_memory(error);
}

void gsim_task_set_release(struct gsim_task_set *set)
{
    gsim_arena_release(&set->arena);
    gsim_program_release(&set->all);
    memset(set, 0, sizeof *set);
}

/* --- identities ------------------------------------------------------------------------------------------------ */

static bool is_same(const struct gsim_kernel *a, const struct gsim_kernel *b)
{
    return memcmp(&a->grid, &b->grid, sizeof a->grid) == 0 && memcmp(&a->block, &b->block, sizeof a->block) == 0 &&
           strcmp(a->name, b->name) == 0;
}

void gsim_task_set_identify(const struct gsim_task_set *set, uint32_t *identity)
{
    for (uint32_t t = 0, first = 0; t < set->count; first += set->tasks[t++].program->kernel_count) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < set->tasks[t].program->kernel_count; i++) {
            uint32_t same = 0;
            while (same < i && !is_same(&set->all.kernels[first + same], &set->all.kernels[first + i])) same++;
            identity[first + i] = same < i ? identity[first + same] : count++;
        }
    }
}

/* --- processes ------------------------------------------------------------------------------------------------- */

uint32_t gsim_task_set_processes(const struct gsim_task_set *set, enum gsim_mechanism mechanism, uint32_t *process_of)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t number = set->tasks[i].process, same = 0;
        bool is_own = number == GSIM_OWN_PROCESS && mechanism != GSIM_MECHANISM_STREAMS;
        while (same < i && (is_own || set->tasks[same].process != number)) same++;
        process_of[i] = same < i ? process_of[same] : count++;
    }
    return count;
}

int gsim_task_stream_priority(const struct gsim_task_set *set, uint32_t task)
{
    int least = 0;
    for (uint32_t i = 0; i < set->count; i++)
        if (set->tasks[i].priority > least) least = set->tasks[i].priority;
    return set->tasks[task].priority - least;
}

/* --- while it runs --------------------------------------------------------------------------------------------- */

double gsim_task_arrival_us(const struct gsim_task *task, uint32_t request, double *drawn_us,
                            const struct gsim_random *numbers)
{
    switch (task->arrival) {
    case GSIM_ARRIVAL_CLOSED: return request ? task->gap_us : 0;
    case GSIM_ARRIVAL_PERIODIC: return request * task->period_us;
    case GSIM_ARRIVAL_POISSON:
        return *drawn_us -= log(1 - gsim_random_uniform(numbers)) / task->rate_per_s * 1e6;
    case GSIM_ARRIVAL_LIST: return task->times_us[request];
    }
    GSIM_BUG("arrival of kind %d", (int)task->arrival);
}

enum gsim_status gsim_share_start(struct gsim_share *share, const struct gsim_sharing_ops *ops,
                                  struct gsim_error *error)
{
    for (uint32_t i = share->urgent = 0; i < share->task_count; i++)
        if (share->tasks[i].priority < share->tasks[share->urgent].priority) share->urgent = i;
    size_t size = ops->state_size + ops->task_size * share->task_count;
    if (size) share->state = gsim_arena_alloc(share->arena, size);
    if (size && !share->state) return gsim_no_memory(error);
    return ops->start ? ops->start(share, error) : GSIM_OK;
}
