/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See board.h. What threads share is under one lock, which a thread takes only where a report has changed or it may
 * have a task to place. */
#include "traces/runner/resident/board.h"

#include <pthread.h>
#include <sched.h>

#include "gpusim/memory.h"

#define AHEAD      64u /* tasks that a thread with nothing ready looks at, to place one ahead: as in the model */
#define LOOK_AFTER                                                                                                     \
    256u /* sweeps without anything new before a thread looks at the clock, and lets others have the processor */

enum placed { UNPLACED, PLACED };

struct op {
    uint32_t unannounced, waits_for, unplaced;
};

struct worker {
    uint32_t held;           /* tasks that it has, the running one included */
    uint32_t sent, seen;     /* tickets */
    uint32_t reported;       /* what its report said last */
    uint32_t *given;         /* tasks by ticket, depth of them */
};

struct server {
    struct gsim_host_board *board;
    uint32_t first, count;   /* workers */
    uint32_t *batch, batch_count; /* workers whose last ticket is not visible yet */
    uint64_t batch_since;
};

struct gsim_host_board {
    const struct gsim_tasks_tables *tasks;
    struct gsim_tasks_slot *slots;
    struct gsim_tasks_report *reports;
    struct op *ops;
    struct worker *workers;
    struct server *servers;
    uint32_t *queue, queue_first, queue_count, staged, left, server_count;
    uint8_t *is_placed;      /* by task */
    uint64_t until_ns;
    pthread_spinlock_t lock;
    uint32_t is_over;        /* read without the lock */
    bool is_late;
    struct gsim_arena arena;
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void spend(double us)
{
    if (us <= 0) return;
    for (const uint64_t until = now_ns() + gsim_whole_u64(us * 1e3); now_ns() < until;) continue;
}

/* --- slots ------------------------------------------------------------------------------------------------------- */

static struct gsim_tasks_slot *slot_of(const struct gsim_host_board *b, uint32_t worker, uint32_t ticket)
{
    uint32_t depth = b->tasks->view.depth;
    return &b->slots[worker * depth + ticket % depth];
}

/* The flag is what the worker polls: it comes behind all else of the slot. */
static void show(const struct gsim_host_board *b, uint32_t worker, uint32_t ticket, uint32_t task)
{
    __atomic_store_n(&slot_of(b, worker, ticket)->flag, (uint64_t)task << 32 | ticket, __ATOMIC_RELEASE);
}

static void commit(struct server *s)
{
    const struct gsim_host_board *b = s->board;
    uint32_t depth = b->tasks->view.depth;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    for (uint32_t i = 0; i < s->batch_count; i++) {
        const struct worker *w = &b->workers[s->batch[i]];
        /* A worker may be in a batch several times: its tickets in turn. */
        uint32_t ticket = w->sent;
        for (uint32_t j = i + 1; j < s->batch_count; j++) ticket -= s->batch[j] == s->batch[i];
        show(b, s->batch[i], ticket, w->given[ticket % depth]);
    }
    s->batch_count = 0;
}

static void place(struct server *s, uint32_t worker, uint32_t task, bool is_gated)
{
    struct gsim_host_board *b = s->board;
    const struct gsim_copilot *style = &b->tasks->plan->copilot;
    struct worker *w = &b->workers[worker];
    struct gsim_tasks_slot *slot = slot_of(b, worker, ++w->sent);
    spend(style->decision_us);
    slot->is_gated = is_gated;
    slot->task = b->tasks->view.tasks[task];
    w->given[w->sent % b->tasks->view.depth] = task;
    w->held++;
    b->is_placed[task] = PLACED;
    b->ops[slot->task.op].unplaced--;
    if (!s->batch_count && style->batch_us > 0) s->batch_since = now_ns();
    s->batch[s->batch_count++] = worker;
    if (s->batch_count >= (style->batch ? style->batch : 1)) commit(s);
}

/* --- ends --------------------------------------------------------------------------------------------------------- */

static void make_ready(struct gsim_host_board *b, uint32_t op)
{
    const struct gsim_tasks_op *its = &b->tasks->view.ops[op];
    for (uint32_t t = its->first_task; t < its->first_task + its->task_count; t++)
        if (b->is_placed[t] == UNPLACED) b->queue[b->queue_count++] = t;
}

static void retire(struct gsim_host_board *b, struct worker *w, uint32_t task)
{
    const struct gsim_tasks_view *v = &b->tasks->view;
    const struct gsim_tasks_task *its = &v->tasks[task];
    w->held--;
    b->left--;
    if (--b->ops[its->op].unannounced) return;
    for (uint32_t i = 0; i < its->follower_count; i++) {
        uint32_t follower = v->followers[its->follower_start + i];
        if (!--b->ops[follower].waits_for) make_ready(b, follower);
    }
}

/* The lock is taken with the first report that has changed, and kept. */
static bool retire_all(struct server *s, bool *is_locked)
{
    struct gsim_host_board *b = s->board;
    bool any = false;
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        struct worker *w = &b->workers[i];
        uint32_t ended = __atomic_load_n(&b->reports[i].ended, __ATOMIC_ACQUIRE);
        if (ended == w->reported) continue;
        if (!*is_locked) pthread_spin_lock(&b->lock);
        *is_locked = any = true;
        w->reported = ended;
        while (w->seen != ended) retire(b, w, w->given[++w->seen % b->tasks->view.depth]);
    }
    return any;
}

/* --- placing --- */

/* Workers of other threads hold fewer tasks than LEVEL: what is ready is theirs. */
static bool is_others_turn(const struct server *s, uint32_t level)
{
    const struct gsim_host_board *b = s->board;
    if (!b->tasks->plan->copilot.is_global || b->server_count == 1) return false;
    for (uint32_t i = 0; i < b->tasks->view.worker_count; i++)
        if (b->workers[i].held < level && i - s->first >= s->count) return true;
    return false;
}

static bool place_ready(struct server *s)
{
    struct gsim_host_board *b = s->board;
    bool any = false;
    for (uint32_t level = 0;
         level < b->tasks->view.depth && b->queue_first < b->queue_count && !is_others_turn(s, level); level++)
        for (uint32_t i = s->first; i < s->first + s->count && b->queue_first < b->queue_count; i++) {
            if (b->workers[i].held != level) continue;
            place(s, i, b->queue[b->queue_first++], false);
            any = true;
        }
    return any;
}

static bool may_stage(const struct gsim_host_board *b, uint32_t task)
{
    const struct gsim_tasks_view *v = &b->tasks->view;
    const struct gsim_tasks_task *its = &v->tasks[task];
    if (b->is_placed[task] != UNPLACED || !b->ops[its->op].waits_for) return false;
    for (uint32_t i = 0; i < its->pred_count; i++)
        if (b->ops[v->preds[its->pred_start + i].op].unplaced) return false;
    return true;
}

/* The next task of the preset order all of whose predecessors have been placed; UINT32_MAX: none. */
static uint32_t next_to_stage(struct gsim_host_board *b)
{
    const struct gsim_tasks_view *v = &b->tasks->view;
    while (b->staged < v->task_count && b->is_placed[v->sequence[b->staged]] != UNPLACED) b->staged++;
    for (uint32_t i = b->staged; i < v->task_count && i < b->staged + AHEAD; i++)
        if (may_stage(b, v->sequence[i])) return v->sequence[i];
    return UINT32_MAX;
}

static bool stage(struct server *s)
{
    struct gsim_host_board *b = s->board;
    bool any = false;
    if (!b->tasks->plan->copilot.speculates || b->queue_first < b->queue_count) return false;
    for (uint32_t level = 0; level < b->tasks->view.depth && !is_others_turn(s, level); level++)
        for (uint32_t i = s->first; i < s->first + s->count; i++) {
            if (b->workers[i].held != level) continue;
            uint32_t task = next_to_stage(b);
            if (task == UINT32_MAX) return any; /* nor for any other worker */
            place(s, i, task, true);
            any = true;
        }
    return any;
}

/* --- the loop --- */

static bool sweep(struct server *s)
{
    struct gsim_host_board *b = s->board;
    const struct gsim_copilot *style = &b->tasks->plan->copilot;
    bool is_locked = false, any = retire_all(s, &is_locked);
    if (!is_locked && (style->speculates || __atomic_load_n(&b->queue_first, __ATOMIC_RELAXED) <
                                                __atomic_load_n(&b->queue_count, __ATOMIC_RELAXED))) {
        pthread_spin_lock(&b->lock);
        is_locked = true;
    }
    if (is_locked) {
        any |= place_ready(s);
        any |= stage(s);
        if (!b->left) __atomic_store_n(&b->is_over, 1, __ATOMIC_RELEASE);
        pthread_spin_unlock(&b->lock);
    }
    if (s->batch_count && (style->batch_us <= 0 || now_ns() >= s->batch_since + gsim_whole_u64(style->batch_us * 1e3)))
        commit(s);
    return any;
}

static void *serve(void *argument)
{
    struct server *s = argument;
    struct gsim_host_board *b = s->board;
    for (uint32_t idle = 0; !__atomic_load_n(&b->is_over, __ATOMIC_ACQUIRE); idle++) {
        if (sweep(s)) idle = 0;
        if (idle < LOOK_AFTER) continue;
        idle = 0;
        sched_yield();
        if (now_ns() <= b->until_ns) continue;
        b->is_late = true;
        __atomic_store_n(&b->is_over, 1, __ATOMIC_RELEASE);
    }
    if (s->batch_count) commit(s);
    return NULL;
}

static void reset(struct gsim_host_board *b, uint64_t limit_ns)
{
    const struct gsim_tasks_view *v = &b->tasks->view;
    for (uint32_t i = 0; i < v->op_count; i++)
        b->ops[i] = (struct op){v->ops[i].task_count, v->ops[i].pred_count, v->ops[i].task_count};
    memset(b->is_placed, UNPLACED, v->task_count);
    b->queue_first = b->queue_count = b->staged = 0;
    b->left = v->task_count;
    b->is_over = !v->task_count;
    b->is_late = false;
    b->until_ns = now_ns() + limit_ns;
    for (uint32_t i = 0; i < v->root_count; i++) b->queue[b->queue_count++] = v->roots[i];
}

enum gsim_status gsim_host_board_run(struct gsim_host_board *b, uint64_t limit_ns, struct gsim_error *error)
{
    pthread_t threads[64];
    uint32_t started = 1;
    reset(b, limit_ns);
    while (started < b->server_count && !pthread_create(&threads[started], NULL, serve, &b->servers[started]))
        started++;
    bool is_short = started < b->server_count;
    if (is_short) b->is_over = 1;
    serve(&b->servers[0]);
    for (uint32_t i = 1; i < started; i++) pthread_join(threads[i], NULL);
    for (uint32_t i = 0; i < b->tasks->view.worker_count; i++) {
        show(b, i, ++b->workers[i].sent, GSIM_TASKS_STOP);
        b->workers[i].seen = b->workers[i].sent; /* that one is not reported */
        b->workers[i].held = 0;
    }
    if (is_short)
        return gsim_error_set(error, GSIM_SIM, "the host has room for %u threads of %u", started, b->server_count);
    if (b->is_late)
        return gsim_error_set(error, GSIM_SIM, "persistent kernel: %u of %u tasks have not ended in %.0f s", b->left,
                              b->tasks->view.task_count, (double)limit_ns * 1e-9);
    return GSIM_OK;
}

/* --- its life --- */

static void allocate(struct gsim_host_board *b)
{
    const struct gsim_tasks_view *v = &b->tasks->view;
    uint32_t batch = b->tasks->plan->copilot.batch ? b->tasks->plan->copilot.batch : 1;
    b->ops = GSIM_ARENA_ARRAY(&b->arena, struct op, v->op_count + 1u);
    b->workers = GSIM_ARENA_ARRAY(&b->arena, struct worker, v->worker_count);
    b->servers = GSIM_ARENA_ARRAY(&b->arena, struct server, b->server_count);
    b->queue = GSIM_ARENA_ARRAY(&b->arena, uint32_t, v->task_count + 1u);
    b->is_placed = GSIM_ARENA_ARRAY(&b->arena, uint8_t, v->task_count + 1u);
    uint32_t *given = GSIM_ARENA_ARRAY(&b->arena, uint32_t, (size_t)v->worker_count * v->depth);
    for (uint32_t i = 0; i < v->worker_count; i++) b->workers[i].given = given + (size_t)i * v->depth;
    for (uint32_t i = 0, first = 0; i < b->server_count; i++) {
        uint32_t count = v->worker_count / b->server_count + (i < v->worker_count % b->server_count);
        b->servers[i] = (struct server){
            .board = b, .first = first, .count = count, .batch = GSIM_ARENA_ARRAY(&b->arena, uint32_t, batch)};
        first += count;
    }
}

struct gsim_host_board *gsim_host_board_create(const struct gsim_tasks_tables *tasks, struct gsim_tasks_slot *slots,
                                               struct gsim_tasks_report *reports)
{
    struct gsim_host_board *b = gsim_alloc(sizeof *b);
    uint32_t threads = tasks->plan->copilot.threads ? tasks->plan->copilot.threads : 1,
             workers = tasks->view.worker_count;
    *b = (struct gsim_host_board){
        .tasks = tasks, .slots = slots, .reports = reports, .server_count = threads < workers ? threads : workers};
    pthread_spin_init(&b->lock, PTHREAD_PROCESS_PRIVATE);
    allocate(b);
    return b;
}

void gsim_host_board_destroy(struct gsim_host_board *b)
{
    if (!b) return;
    pthread_spin_destroy(&b->lock);
    gsim_arena_release(&b->arena);
    gsim_free(b);
}
