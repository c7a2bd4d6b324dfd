/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * acs-sw: a window of kernels in program order on the host (ACS, PACT 2024, there ACE; arXiv 2401.12377). The application
 * puts kernels into a queue; one window thread takes them in while the window has room, tests each against those in it and
 * hands ready ones to scheduler threads, each of which has a stream, launches one kernel and waits for its end.
 *   application --> inbox --> window thread --> ready --> scheduler threads --> inbox (ended)
 * Deviations: hazards are all three (the paper's listing forgets read after write). A host access waits until the window
 * is empty. Arguments are whole buffers.
 */
#include "gpusim/schedulers/dag.h"

#define NONE             UINT32_MAX
#define GSIM_ACS_THREADS 64

struct acs_params {
    int64_t window, threads;
    int wait;
    double check_us, check_entry_us, update_us, push_us, block_us, poll_entry_us;
};

enum { WAIT_SPIN, WAIT_BLOCK };
enum entry_state { FREE, PENDING, RUNNING };

/* What the inbox holds: a kernel that the application launches, a window entry that ended, or the end of a stretch. */
struct message {
    enum { LAUNCHED, ENDED, DRAIN, STOP } kind;
    uint32_t index; /* node of the op list; entry of the window */
};

struct entry {
    enum entry_state state;
    uint32_t node, upstream; /* how many entries of the window it waits for */
    struct message ended;
    struct acs *acs;
};

struct acs {
    struct gsim_run *run;
    const struct acs_params *params;
    const struct gsim_oplist *list;
    struct gsim_dag *dag;
    struct entry *entries;       /* the window */
    uint32_t used;
    _Atomic uint32_t idle;       /* scheduler threads without a kernel */
    uint32_t *waiting, head, tail; /* nodes that have not come into the window yet */
    uint32_t *entry_of;          /* by node: its entry while it is in the window, NONE otherwise */
    struct message *messages;    /* by node */
    gsim_queue inbox, ready, drained;
};


/* Threads without a kernel look for one over and over, all entries under the window's lock: who takes it waits for them. */
static double lock_us(const struct acs *acs)
{
    return acs->params->poll_entry_us * (double)acs->params->window * acs->idle;
}

/* --- the window thread ----------------------------------------------------------------------------------------------- */
static void make_ready(struct acs *acs, struct entry *entry)
{
    entry->state = RUNNING;
    gsim_queue_push(acs->run->driver, acs->ready, entry);
}

static void insert(struct acs *acs, uint32_t node)
{
    const struct acs_params *params = acs->params;
    struct entry *entry = acs->entries;
    while (entry->state != FREE) entry++;
    gsim_host_work(acs->run->driver, params->check_us + params->check_entry_us * acs->used + lock_us(acs), "window check");
    entry->node = node;
    entry->state = PENDING;
    entry->upstream = 0;
    acs->entry_of[node] = (uint32_t)(entry - acs->entries);
    acs->used++;
    for (uint32_t e = acs->dag->pred_start[node]; e < acs->dag->pred_start[node + 1]; e++)
        entry->upstream += acs->entry_of[acs->dag->preds[e]] != NONE;
    if (!entry->upstream) make_ready(acs, entry);
}

static void end(struct acs *acs, struct entry *entry)
{
    uint32_t node = entry->node;
    gsim_host_work(acs->run->driver, acs->params->update_us + lock_us(acs), "window update");
    entry->state = FREE;
    acs->entry_of[node] = NONE;
    acs->used--;
    for (uint32_t e = acs->dag->succ_start[node]; e < acs->dag->succ_start[node + 1]; e++) {
        uint32_t at = acs->entry_of[acs->dag->succs[e]];
        if (at != NONE && !--acs->entries[at].upstream) make_ready(acs, &acs->entries[at]);
    }
}

static void window_main(struct gsim_driver *driver, void *argument)
{
    struct acs *acs = argument;
    bool drains = false, stops = false;
    while (!stops && !gsim_driver_failed(driver)) {
        const struct message *message = gsim_queue_pop(driver, acs->inbox);
        if (!message) break;
        if (message->kind == LAUNCHED) acs->waiting[acs->tail++] = message->index;
        if (message->kind == ENDED) end(acs, &acs->entries[message->index]);
        drains |= message->kind == DRAIN;
        stops = message->kind == STOP;
        while (acs->head < acs->tail && acs->used < (uint32_t)acs->params->window) insert(acs, acs->waiting[acs->head++]);
        if (!drains || acs->used || acs->head < acs->tail) continue;
        drains = false;
        acs->head = acs->tail = 0;
        gsim_queue_push(driver, acs->drained, acs);
    }
    for (int64_t i = 0; i < acs->params->threads; i++) gsim_queue_push(driver, acs->ready, &acs->entries[acs->params->window]);
}

/* --- scheduler threads ----------------------------------------------------------------------------------------------- */
static void scheduler_main(struct gsim_driver *driver, void *argument)
{
    struct acs *acs = argument;
    gsim_stream stream = gsim_stream_create(driver, 0);
    while (!gsim_driver_failed(driver)) {
        acs->idle++;
        struct entry *entry = gsim_queue_pop(driver, acs->ready);
        acs->idle--;
        if (!entry || entry == &acs->entries[acs->params->window]) break; /* the one behind the window: no more */
        gsim_host_work(driver, lock_us(acs), "window lock");
        gsim_op_issue(driver, acs->list->ops[entry->node], stream);
        gsim_stream_synchronize(driver, stream);
        if (acs->params->wait == WAIT_BLOCK) gsim_host_work(driver, acs->params->block_us, "wake-up");
        gsim_queue_push(driver, acs->inbox, &entry->ended);
    }
}

/* --- the application ------------------------------------------------------------------------------------------------- */
static void drain(struct acs *acs)
{
    static struct message const message = {DRAIN, 0};
    gsim_queue_push(acs->run->driver, acs->inbox, (void *)&message);
    (void)gsim_queue_pop(acs->run->driver, acs->drained);
}

static void run_iteration(struct acs *acs, const struct gsim_oplist *list, struct gsim_dag *dag)
{
    struct gsim_driver *driver = acs->run->driver;
    bool is_open = false;
    acs->list = list;
    acs->dag = dag;
    for (uint32_t i = 0; i < list->op_count && !gsim_driver_failed(driver); i++) {
        if (gsim_op_is_host(list->ops[i])) {
            if (is_open && dag->pred_start[i] < dag->pred_start[i + 1]) {
                drain(acs);
                is_open = false;
            }
            gsim_op_issue(driver, list->ops[i], 0);
            continue;
        }
        acs->messages[i] = (struct message){LAUNCHED, i};
        gsim_host_work(driver, acs->params->push_us, "launch into the queue");
        gsim_queue_push(driver, acs->inbox, &acs->messages[i]);
        is_open = true;
    }
    if (is_open) drain(acs);
}

static enum gsim_status prepare(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_lowering *lowering = GSIM_ARENA_NEW(run->arena, struct gsim_lowering);
    if (!lowering) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    run->state = lowering;
    return gsim_moves_lower(run, gsim_moves_place_default(run), lowering, error);
}

static bool init(struct acs *acs, uint32_t most)
{
    struct gsim_arena *arena = acs->run->arena;
    uint32_t window = (uint32_t)acs->params->window;
    acs->entries = GSIM_ARENA_ARRAY(arena, struct entry, window + 1);
    acs->waiting = GSIM_ARENA_ARRAY(arena, uint32_t, (size_t)most + 1);
    acs->entry_of = GSIM_ARENA_ARRAY(arena, uint32_t, (size_t)most + 1);
    acs->messages = GSIM_ARENA_ARRAY(arena, struct message, (size_t)most + 1);
    if (!acs->entries || !acs->waiting || !acs->entry_of || !acs->messages) return false;
    for (uint32_t i = 0; i < window; i++) acs->entries[i].ended = (struct message){ENDED, i};
    for (uint32_t i = 0; i < most; i++) acs->entry_of[i] = NONE;
    acs->inbox = gsim_queue_create(acs->run->driver, most + window + 4);
    acs->ready = gsim_queue_create(acs->run->driver, window + (uint32_t)acs->params->threads + 1);
    acs->drained = gsim_queue_create(acs->run->driver, 1);
    return true;
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    static struct message const stop = {STOP, 0};
    const struct gsim_lowering *lowering = run->state;
    const struct acs_params *params = run->params;
    struct acs acs = {.run = run, .params = params};
    struct gsim_dag first = {0}, steady = {0};
    bool is_same = lowering->first.ops == lowering->steady.ops;
    gsim_thread threads[GSIM_ACS_THREADS + 1];
    enum gsim_status status = gsim_dag_build(run, &lowering->first, &first, error);
    if (status == GSIM_OK && !is_same) status = gsim_dag_build(run, &lowering->steady, &steady, error);
    uint32_t most = lowering->first.op_count > lowering->steady.op_count ? lowering->first.op_count : lowering->steady.op_count;
    if (status == GSIM_OK && !init(&acs, most)) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (status == GSIM_OK) {
        for (int64_t i = 0; i < params->threads; i++) threads[i] = gsim_thread_create(run->driver, scheduler_main, &acs);
        threads[params->threads] = gsim_thread_create(run->driver, window_main, &acs);
        for (uint32_t i = 0; i < run->iterations && !gsim_driver_failed(run->driver); i++) {
            gsim_iteration_begin(run->driver, i);
            run_iteration(&acs, i == 0 || is_same ? &lowering->first : &lowering->steady, i == 0 || is_same ? &first : &steady);
            gsim_iteration_end(run->driver, i);
        }
        gsim_queue_push(run->driver, acs.inbox, (void *)&stop);
        for (int64_t i = 0; i <= params->threads; i++) gsim_thread_join(run->driver, threads[i]);
        status = gsim_run_status(run, error);
    }
    gsim_dag_release(&first);
    gsim_dag_release(&steady);
    return status;
}

static const struct gsim_param params_table[] = {
    {"window", GSIM_PARAM_INT, offsetof(struct acs_params, window), 32, 1, 1024, "", NULL, "kernels in the scheduling window (published: 32)"},
    {"threads", GSIM_PARAM_INT, offsetof(struct acs_params, threads), 4, 1, GSIM_ACS_THREADS, "", NULL,
     "scheduler threads, each with a stream of its own"},
    {"wait", GSIM_PARAM_CHOICE, offsetof(struct acs_params, wait), WAIT_SPIN, 0, 1, "", "spin|block",
     "how a scheduler thread waits for its kernel's end"},
    {"check_us", GSIM_PARAM_REAL, offsetof(struct acs_params, check_us), 0.31, 0, 1000, "us", NULL,
     "taking a kernel into an empty window (published, Table II: 0.41 with 16 entries, 0.51 with 32, 6 segments)"},
    {"check_entry_us", GSIM_PARAM_REAL, offsetof(struct acs_params, check_entry_us), 0.00625, 0, 1000, "us", NULL,
     "more per kernel in the window (the same table)"},
    {"update_us", GSIM_PARAM_REAL, offsetof(struct acs_params, update_us), 0.2, 0, 1000, "us", NULL, "taking an ended kernel out (assumed)"},
    {"push_us", GSIM_PARAM_REAL, offsetof(struct acs_params, push_us), 0.2, 0, 1000, "us", NULL,
     "the application's part per kernel (assumed)"},
    {"block_us", GSIM_PARAM_REAL, offsetof(struct acs_params, block_us), 40, 0, 1000, "us", NULL,
     "how much longer a blocking wait takes than a spinning one (traces/h100/threads.txt: 17 to 47)"},
    {"poll_entry_us", GSIM_PARAM_REAL, offsetof(struct acs_params, poll_entry_us), 0.01, 0, 1000, "us", NULL,
     "per entry, how long a thread without a kernel keeps the window's lock (fitted: 8 threads, H100 host of 16 cores)"},
    {.name = NULL},
};

const struct gsim_scheduler_ops gsim_scheduler_acs_sw = {
    .abi = GSIM_ABI,
    .size = sizeof(struct gsim_scheduler_ops),
    .name = "acs-sw",
    .summary = "a window of kernels in program order on the host, ready ones on streams of scheduler threads",
    .source = "ACS, arXiv 2401.12377; ACE, PACT 2024",
    .shape = GSIM_SHAPE_CONCURRENT,
    .has_threads = true,
    .params_size = sizeof(struct acs_params),
    .params = params_table,
    .prepare = prepare,
    .execute = execute,
};
