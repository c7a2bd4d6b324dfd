/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See tasks.h: the tables of a plan, and whether a launch did what it says. */
#include "traces/runner/resident/tasks.h"

#include "gpusim/memory.h"

/* An op has at most so many tasks for each worker, as in the model: where it has more blocks, a task is several. */
#define WAVES 16u
#define MAX_TASKS (1u << 25) /* of a plan, as in the model: some hundred bytes for each are within the GPU's memory */
#define ALIGNMENT 128u

/* Being made. */
struct maker {
    struct gsim_tasks_tables *tasks;
    const struct gsim_persistent *plan;
    uint32_t *block_count, *task_blocks; /* by op: of the grid, of a task */
    uint64_t *follower_starts;
    uint32_t edge_count;
    struct gsim_arena arena;
};

/* Parts of a block, of which the first pass only adds up the sizes. */
static void *part(void *block, size_t *used, size_t bytes)
{
    void *at = block ? (char *)block + *used : NULL;
    *used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
}

static size_t lay_out_tables(struct gsim_tasks_view *v, void *block, uint32_t edges)
{
    size_t used = 0;
    v->tasks = part(block, &used, sizeof *v->tasks * (v->task_count + 1u));
    v->ops = part(block, &used, sizeof *v->ops * (v->op_count + 1u));
    v->sequence = part(block, &used, sizeof *v->sequence * (v->task_count + 1u));
    v->preds = part(block, &used, sizeof *v->preds * (edges + 1u));
    v->followers = part(block, &used, sizeof *v->followers * (edges + 1u));
    v->roots = part(block, &used, sizeof *v->roots * (v->task_count + 1u));
    v->level_start = part(block, &used, sizeof *v->level_start * (v->op_count + 2u));
    return used;
}

static size_t lay_out_state(struct gsim_tasks_view *v, void *block)
{
    size_t used = 0;
    v->done = part(block, &used, sizeof *v->done * GSIM_TASKS_OP_WORDS * (v->op_count + 1u));
    v->arrived = part(block, &used, sizeof *v->arrived * GSIM_TASKS_OP_WORDS * (v->op_count + 1u));
    v->queue = part(block, &used, sizeof *v->queue * (v->task_count + 1u));
    v->words = part(block, &used, sizeof *v->words * GSIM_TASKS_APART * GSIM_TASKS_WORDS);
    v->tickets = part(block, &used, sizeof *v->tickets * v->worker_count);
    v->stamps = part(block, &used, sizeof *v->stamps * (v->task_count + 1u));
    v->values = part(block, &used, sizeof *v->values * (v->task_count + 1u));
    return used;
}

struct gsim_tasks_view gsim_tasks_move(const struct gsim_tasks_tables *tasks, void *table_block, void *state_block)
{
    struct gsim_tasks_view v = tasks->view;
    lay_out_tables(&v, table_block, tasks->plan->after_start[tasks->plan->op_count]);
    lay_out_state(&v, state_block);
    return v;
}

/* --- what is there for real --------------------------------------------------------------------------------------- */

static enum gsim_status check_mode(const struct gsim_persistent *plan, struct gsim_error *error)
{
    if (plan->mode == GSIM_PERSISTENT_SCHED_WARPS)
        return gsim_error_set(
            error, GSIM_SIM,
            "resident kernels run for real in modes static, barrier, queue, claim and copilot, found sched-warps");
    if (plan->mode != GSIM_PERSISTENT_COPILOT) return GSIM_OK;
    if (plan->copilot.bypasses)
        return gsim_error_set(error, GSIM_SIM, "on a real GPU workers do not pass the host by: expected bypass=off");
    if (plan->copilot.speculates && plan->copilot.guess < 1)
        return gsim_error_set(error, GSIM_SIM, "on a real GPU no placement ahead is wrong: expected guess=1, found %g",
                              plan->copilot.guess);
    return GSIM_OK;
}

/* Every op once, and behind all that it follows; levels on the way. */
static enum gsim_status check_order(const struct maker *m, struct gsim_tasks_op *ops, struct gsim_error *error)
{
    const struct gsim_persistent *p = m->plan;
    for (uint32_t i = 0; i < p->op_count; i++) ops[i].level = UINT32_MAX;
    for (uint32_t i = 0; i < p->op_count; i++) {
        uint32_t op = p->order ? p->order[i] : i, level = 0;
        if (op >= p->op_count || ops[op].level != UINT32_MAX)
            return gsim_error_set(error, GSIM_INPUT,
                                  "persistent kernel: the preset order has entry %u twice or beyond its %u ops", i,
                                  p->op_count);
        for (uint32_t e = p->after_start[op]; e < p->after_start[op + 1]; e++) {
            uint32_t before = p->after[e];
            if (ops[before].level == UINT32_MAX)
                return gsim_error_set(error, GSIM_INPUT,
                                      "persistent kernel: the preset order has ops[%u] before ops[%u], which it "
                                      "follows: its worker would "
                                      "wait for ever",
                                      p->ops[op]->index, p->ops[before]->index);
            if (ops[before].level + 1 > level) level = ops[before].level + 1;
        }
        ops[op].level = level;
    }
    return GSIM_OK;
}

/* --- tables --- */

/* The tables are written here, and only here. */
static struct gsim_tasks_task *tasks_of(const struct maker *m)
{
    return (struct gsim_tasks_task *)m->tasks->view.tasks;
}
static struct gsim_tasks_op *ops_of(const struct maker *m) { return (struct gsim_tasks_op *)m->tasks->view.ops; }

static enum gsim_status count_tasks(struct maker *m, const struct gsim_kernel *kernels, struct gsim_error *error)
{
    struct gsim_tasks_view *v = &m->tasks->view;
    uint64_t most = (uint64_t)WAVES * v->worker_count, tasks = 0;
    for (uint32_t i = 0; i < m->plan->op_count; i++) {
        const struct gsim_kernel *k = &kernels[m->plan->ops[i]->kernel_index];
        uint32_t threads = k->block.x * k->block.y * k->block.z;
        uint64_t blocks = (uint64_t)k->grid.x * k->grid.y * k->grid.z, task_blocks = (blocks + most - 1) / most;
        if (blocks > UINT32_MAX)
            return gsim_error_set(error, GSIM_INPUT, "persistent kernel: ops[%u] has %llu blocks: expected %u at most",
                                  m->plan->ops[i]->index, (unsigned long long)blocks, UINT32_MAX);
        m->block_count[i] = (uint32_t)blocks;
        m->task_blocks[i] = (uint32_t)task_blocks;
        tasks += (blocks + task_blocks - 1) / task_blocks;
        if (tasks > MAX_TASKS)
            return gsim_error_set(
                error, GSIM_INPUT,
                "persistent kernel: its first %u ops are more than %u tasks for %u workers: expected fewer ops "
                "in a launch",
                i + 1, MAX_TASKS, v->worker_count);
        if (threads > m->tasks->threads) m->tasks->threads = threads;
        if (k->smem_bytes > m->tasks->smem_bytes) m->tasks->smem_bytes = k->smem_bytes;
    }
    v->task_count = (uint32_t)tasks;
    return GSIM_OK;
}

static void fill_followers(struct maker *m)
{
    const struct gsim_persistent *p = m->plan;
    uint32_t *followers = (uint32_t *)m->tasks->view.followers;
    uint64_t *next = m->follower_starts + p->op_count + 1;
    for (uint32_t e = 0; e < m->edge_count; e++) m->follower_starts[p->after[e] + 1]++;
    for (uint32_t i = 0; i < p->op_count; i++) m->follower_starts[i + 1] += m->follower_starts[i];
    memcpy(next, m->follower_starts, sizeof *next * p->op_count);
    for (uint32_t i = 0; i < p->op_count; i++)
        for (uint32_t e = p->after_start[i]; e < p->after_start[i + 1]; e++) followers[next[p->after[e]]++] = i;
}

static void fill_tasks(struct maker *m, gsim_tasks_cycles *cycles, const void *data)
{
    const struct gsim_persistent *p = m->plan;
    struct gsim_tasks_pred *preds = (struct gsim_tasks_pred *)m->tasks->view.preds;
    uint32_t next = 0;
    for (uint32_t i = 0; i < p->op_count; i++) {
        struct gsim_tasks_op *op = &ops_of(m)[i];
        op->first_task = next;
        op->task_count = (m->block_count[i] + m->task_blocks[i] - 1) / m->task_blocks[i];
        op->pred_count = p->after_start[i + 1] - p->after_start[i];
        for (uint32_t t = 0; t < op->task_count; t++) {
            uint32_t left = m->block_count[i] - t * m->task_blocks[i],
                     blocks = left < m->task_blocks[i] ? left : m->task_blocks[i];
            tasks_of(m)[next++] = (struct gsim_tasks_task){
                .cycles = blocks * cycles(data, p->ops[i]),
                .op = i,
                .pred_start = p->after_start[i],
                .pred_count = op->pred_count,
                .follower_start = (uint32_t)m->follower_starts[i],
                .follower_count = (uint32_t)(m->follower_starts[i + 1] - m->follower_starts[i]),
                .task_count = op->task_count};
        }
    }
    for (uint32_t e = 0; e < m->edge_count; e++)
        preds[e] = (struct gsim_tasks_pred){p->after[e], ops_of(m)[p->after[e]].task_count};
}

/* The sequence, by level where a barrier comes between two; roots; where levels start. */
static void fill_order(struct maker *m)
{
    const struct gsim_persistent *p = m->plan;
    struct gsim_tasks_view *v = &m->tasks->view;
    uint32_t *sequence = (uint32_t *)v->sequence, *roots = (uint32_t *)v->roots, *starts = (uint32_t *)v->level_start;
    struct gsim_tasks_op *ops = ops_of(m);
    for (uint32_t i = 0; i < p->op_count; i++) {
        if (p->mode != GSIM_PERSISTENT_BARRIER) ops[i].level = 0;
        if (ops[i].level + 1 > v->level_count) v->level_count = ops[i].level + 1;
        starts[ops[i].level + 1] += ops[i].task_count;
    }
    for (uint32_t l = 0; l < v->level_count; l++) starts[l + 1] += starts[l];
    for (uint32_t i = 0; i < p->op_count; i++) {
        const struct gsim_tasks_op *op = &ops[p->order ? p->order[i] : i];
        for (uint32_t t = op->first_task; t < op->first_task + op->task_count; t++) {
            sequence[starts[op->level]++] = t;
            if (!op->pred_count) roots[v->root_count++] = t;
        }
    }
    for (uint32_t l = v->level_count; l > 0; l--) starts[l] = starts[l - 1];
    starts[0] = 0;
}

static enum gsim_status allocate(struct maker *m, struct gsim_error *error)
{
    struct gsim_tasks_tables *t = m->tasks;
    t->table_bytes = lay_out_tables(&t->view, NULL, m->edge_count);
    t->state_bytes = lay_out_state(&t->view, NULL);
    if (posix_memalign(&t->tables, ALIGNMENT, t->table_bytes)) t->tables = NULL;
    if (posix_memalign(&t->state, ALIGNMENT, t->state_bytes)) t->state = NULL;
    if (!t->tables || !t->state)
        return gsim_error_set(error, GSIM_NOMEM, "out of memory for %u tasks", t->view.task_count);
    memset(t->tables, 0, t->table_bytes);
    memset(t->state, 0, t->state_bytes);
    lay_out_tables(&t->view, t->tables, m->edge_count);
    lay_out_state(&t->view, t->state);
    return GSIM_OK;
}

enum gsim_status gsim_tasks_make(struct gsim_tasks_tables *tasks, const struct gsim_persistent *plan,
                                 const struct gsim_kernel *kernels, uint32_t workers, gsim_tasks_cycles *cycles,
                                 const void *data, struct gsim_error *error)
{
    struct maker m = {.tasks = tasks, .plan = plan, .edge_count = plan->after_start[plan->op_count]};
    *tasks = (struct gsim_tasks_tables){
        .plan = plan,
        .threads = 1,
        .view = {.op_count = plan->op_count,
                 .worker_count = workers,
                 .mode = plan->mode,
                 .depth = plan->copilot.depth ? plan->copilot.depth : 1,
                 .fetches_ahead = plan->fetches_ahead,
                 .tells_workers = plan->mode == GSIM_PERSISTENT_COPILOT && plan->copilot.speculates}};
    enum gsim_status status = check_mode(plan, error);
    if (status != GSIM_OK) return status;
    m.block_count = GSIM_ARENA_ARRAY(&m.arena, uint32_t, plan->op_count + 1u);
    m.task_blocks = GSIM_ARENA_ARRAY(&m.arena, uint32_t, plan->op_count + 1u);
    m.follower_starts = gsim_alloc(2 * sizeof *m.follower_starts * (plan->op_count + 1u));
    tasks->follower_starts = m.follower_starts;
    status = count_tasks(&m, kernels, error);
    if (status == GSIM_OK) status = allocate(&m, error);
    if (status == GSIM_OK) status = check_order(&m, ops_of(&m), error);
    if (status == GSIM_OK) {
        fill_followers(&m);
        fill_tasks(&m, cycles, data);
        fill_order(&m);
    }
    gsim_arena_release(&m.arena);
    return status;
}

void gsim_tasks_release(struct gsim_tasks_tables *tasks)
{
    free(tasks->tables);
    free(tasks->state);
    gsim_free((void *)tasks->follower_starts);
    *tasks = (struct gsim_tasks_tables){0};
}

/* --- afterwards --- */

static uint64_t sum_of_preds(const struct gsim_tasks_view *v, const struct gsim_tasks_task *task,
                             const uint64_t *values)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < task->pred_count; i++) {
        const struct gsim_tasks_op *op = &v->ops[v->preds[task->pred_start + i].op];
        for (uint32_t t = 0; t < op->task_count; t++) sum += values[op->first_task + t];
    }
    return sum;
}

static enum gsim_status check_task(const struct gsim_tasks_tables *tasks, const struct gsim_tasks_stamp *stamps,
                                   uint32_t index, uint32_t launch, struct gsim_error *error)
{
    const struct gsim_tasks_view *v = &tasks->view;
    const struct gsim_tasks_task *task = &v->tasks[index];
    const struct gsim_tasks_stamp *stamp = &stamps[index];
    uint32_t op = tasks->plan->ops[task->op]->index;
    if (stamp->runs != launch || stamp->launch != launch)
        return gsim_error_set(error, GSIM_SIM,
                              "persistent kernel: task %u of ops[%u] ran %u times in %u launches, last in launch %u",
                              index - v->ops[task->op].first_task, op, stamp->runs, launch, stamp->launch);
    for (uint32_t i = 0; i < task->pred_count; i++) {
        uint32_t pred = v->preds[task->pred_start + i].op;
        for (uint32_t t = v->ops[pred].first_task; t < v->ops[pred].first_task + v->ops[pred].task_count; t++)
            if (stamps[t].end_ns > stamp->start_ns)
                return gsim_error_set(
                    error, GSIM_SIM,
                    "persistent kernel: ops[%u] began %llu ns before the end of ops[%u], which it follows", op,
                    (unsigned long long)(stamps[t].end_ns - stamp->start_ns), tasks->plan->ops[pred]->index);
    }
    return GSIM_OK;
}

enum gsim_status gsim_tasks_check(const struct gsim_tasks_tables *tasks, const struct gsim_tasks_stamp *stamps,
                                  const uint64_t *values, uint32_t launch, bool verifies, struct gsim_error *error)
{
    const struct gsim_tasks_view *v = &tasks->view;
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < v->task_count && status == GSIM_OK; i++)
        status = check_task(tasks, stamps, i, launch, error);
    for (uint32_t i = 0; verifies && i < v->task_count && status == GSIM_OK; i++) {
        const struct gsim_tasks_task *task = &v->tasks[i];
        uint64_t expected = gsim_tasks_value(i, launch, sum_of_preds(v, task, values));
        if (values[i] != expected)
            status = gsim_error_set(
                error, GSIM_SIM,
                "persistent kernel: ops[%u] did not see what the ops that it follows wrote: value %llx, expected %llx",
                tasks->plan->ops[task->op]->index, (unsigned long long)values[i], (unsigned long long)expected);
    }
    return status;
}
