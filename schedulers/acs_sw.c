/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * acs-sw: a window of kernels in program order on the host (ACS, PACT 2024, there ACE; arXiv 2401.12377). The
 * application puts kernels into a queue; one window thread takes them in while the window has room, tests each against
 * those in it and hands ready ones to scheduler threads, each of which has a stream, launches one kernel and waits for
 * its end. application --> inbox --> window thread --> ready --> scheduler threads --> inbox (ended) Deviations:
 * hazards are all three (the paper's listing forgets read after write). A host access that must wait for a kernel waits
 * until the window is empty. What a kernel touches: its segments, else its whole arguments, or everything if unknown.
 * On several GPUs each scheduler thread has a stream on every one.
 */
#include "schedulers/acs/acs.h"
#include "schedulers/acs/window.h"

#define NONE             UINT32_MAX
#define GSIM_ACS_THREADS 64

struct acs_params {
    int64_t window, threads;
    int wait;
    struct gsim_acs_check check;
    double update_us, push_us, block_us, poll_entry_us;
};

enum { WAIT_SPIN, WAIT_BLOCK };

/* What the inbox holds: an op that the application launches, a window entry that ended, or the end of a stretch. */
struct message {
    enum { LAUNCHED, ENDED, DRAIN, STOP } kind;
    uint32_t entry;           /* ENDED: of the window */
    const struct gsim_op *op; /* LAUNCHED: what, and when */
    double pushed_us;
    struct message *next;     /* in the queue in front of the window, or idle */
};

/* When a kernel in the window got how far. */
struct entry {
    const struct gsim_op *op;
    struct gsim_acs_kept kept; /* until it is out of the window */
    bool is_move;
    double ready_us, done_us;
    struct message ended;
};

/* What a kernel's time from its launch into the queue to its leaving the window is spent on. */
enum wait {
    WAIT_WINDOW,
    WAIT_CHECK,
    WAIT_DEPENDENCE,
    WAIT_THREAD,
    WAIT_LOCK,
    WAIT_LAUNCH,
    WAIT_COMPLETION,
    WAIT_UPDATE,
    WAIT_COUNT
};

struct acs;
struct worker {
    struct acs *acs;
    gsim_stream *streams; /* by GPU */
    double waits[WAIT_COUNT];
};

struct acs {
    struct gsim_acs app; /* first; one unit */
    const struct acs_params *params;
    struct gsim_window window;
    struct entry *entries;       /* of the window, and one behind it: no more */
    _Atomic uint32_t idle;       /* scheduler threads without a kernel */
    struct message *head, **tail; /* ops that have not come into the window yet */
    struct message *messages;    /* of the ops of a list */
    struct message *idle_messages; /* of a program that is drawn: may be used again */
    uint32_t device_count;
    struct gsim_afters afters;   /* of the window thread */
    gsim_queue inbox, ready, drained;
    struct worker *workers;      /* scheduler threads */
    double waits[WAIT_COUNT];    /* of the window thread; of all in the end */
    uint64_t kernels;
};

static bool is_managed(const struct acs *acs) { return acs->app.run->memory == GSIM_MEMORY_MANAGED; }
static double now_us(const struct acs *acs) { return gsim_now_us(acs->app.run->driver); }

/* Threads without a kernel look for one over and over, all entries under the window's lock: who takes it waits for
 * them. */
static double lock_us(const struct acs *acs)
{
    return acs->params->poll_entry_us * (double)acs->params->window * acs->idle;
}

/* --- the window thread --- */
static void make_ready(struct acs *acs, uint32_t entry)
{
    acs->entries[entry].ready_us = now_us(acs);
    gsim_queue_push(acs->app.run->driver, acs->ready, &acs->entries[entry]);
}

/* The entry of an op of the program; NONE: it is not in the window. */
static uint32_t entry_of(const struct acs *acs, uint32_t op_index)
{
    for (uint32_t e = 0; e < acs->window.size; e++)
        if (acs->window.entries[e].is_taken && acs->entries[e].kept.op.index == op_index && !acs->entries[e].is_move)
            return e;
    return NONE;
}

static void insert(struct acs *acs, const struct message *launched)
{
    const struct gsim_op *op = launched->op;
    const uint32_t *after;
    uint32_t after_count;
    double before = now_us(acs);
    acs->waits[WAIT_WINDOW] += before - launched->pushed_us;
    gsim_host_work(acs->app.run->driver,
                   gsim_acs_check_us(&acs->params->check, acs->window.used, gsim_op_segments(op)) + lock_us(acs),
                   "window check");
    acs->waits[WAIT_CHECK] += now_us(acs) - before;
    uint32_t at = gsim_window_insert(&acs->window, 0, now_us(acs));
    acs->entries[at].op = op;
    acs->entries[at].is_move = gsim_op_is_move(acs->app.run, op);
    gsim_acs_keep(&acs->app, &acs->entries[at].kept, op);
    for (uint32_t e = 0; e < acs->window.size; e++)
        if (e != at && acs->window.entries[e].is_taken &&
            gsim_op_conflicts(&acs->entries[e].kept.op, op, is_managed(acs)))
            gsim_window_wait_for(&acs->window, at, e);
    if (!gsim_afters_find(&acs->afters, op, acs->app.pending->node_of, &after, &after_count)) acs->app.failed = true;
    for (uint32_t i = 0; i < after_count; i++) {
        uint32_t earlier = entry_of(acs, after[i]);
        if (earlier != NONE && earlier != at) gsim_window_wait_for(&acs->window, at, earlier);
    }
    acs->entries[at].ready_us = now_us(acs);
    if (gsim_window_is_ready(&acs->window, at)) make_ready(acs, at);
}

static void end(struct acs *acs, uint32_t at)
{
    struct entry *entry = &acs->entries[at];
    gsim_host_work(acs->app.run->driver, acs->params->update_us + lock_us(acs), "window update");
    acs->waits[WAIT_UPDATE] += now_us(acs) - entry->done_us;
    acs->kernels++;
    for (uint32_t i = 0, count = gsim_window_end(&acs->window, at, now_us(acs)); i < count; i++) {
        uint32_t next = acs->window.freed[i];
        acs->waits[WAIT_DEPENDENCE] += now_us(acs) - acs->entries[next].ready_us;
        make_ready(acs, next);
    }
}

static void fill(struct acs *acs)
{
    while (acs->head && acs->window.used < acs->window.size) {
        struct message *launched = acs->head;
        acs->head = launched->next;
        if (!acs->head) acs->tail = &acs->head;
        insert(acs, launched);
        if (!acs->app.run->draw) continue;
        launched->next = acs->idle_messages;
        acs->idle_messages = launched;
    }
}

static void window_main(struct gsim_driver *driver, void *argument)
{
    struct acs *acs = argument;
    bool drains = false, stops = false;
    while (!stops && !gsim_driver_failed(driver)) {
        struct message *message = gsim_queue_pop(driver, acs->inbox);
        if (!message) break;
        if (message->kind == LAUNCHED) {
            message->next = NULL;
            *acs->tail = message;
            acs->tail = &message->next;
        }
        if (message->kind == ENDED) end(acs, message->entry);
        drains |= message->kind == DRAIN;
        stops = message->kind == STOP;
        fill(acs);
        if (!drains || acs->window.used || acs->head) continue;
        drains = false;
        gsim_queue_push(driver, acs->drained, acs);
    }
    for (int64_t i = 0; i < acs->params->threads; i++)
        gsim_queue_push(driver, acs->ready, &acs->entries[acs->params->window]);
}

/* --- scheduler threads --- */
/* Adds what has passed since *FROM to what is waited for. */
static void spend(struct worker *worker, enum wait wait, double *from)
{
    double now = now_us(worker->acs);
    worker->waits[wait] += now - *from;
    *from = now;
}

static void scheduler_main(struct gsim_driver *driver, void *argument)
{
    struct worker *worker = argument;
    struct acs *acs = worker->acs;
    for (uint32_t d = 0; d < acs->device_count; d++) {
        if (acs->device_count > 1) gsim_device_set(driver, d);
        worker->streams[d] = gsim_stream_create(driver, 0);
    }
    while (!gsim_driver_failed(driver)) {
        acs->idle++;
        struct entry *entry = gsim_queue_pop(driver, acs->ready);
        acs->idle--;
        if (!entry || entry == &acs->entries[acs->params->window]) break;
        double from = entry->ready_us;
        spend(worker, WAIT_THREAD, &from);
        gsim_host_work(driver, lock_us(acs), "window lock");
        spend(worker, WAIT_LOCK, &from);
        gsim_stream stream = worker->streams[entry->op->device];
        gsim_op_issue(driver, entry->op, stream);
        spend(worker, WAIT_LAUNCH, &from);
        gsim_stream_synchronize(driver, stream);
        if (acs->params->wait == WAIT_BLOCK) gsim_host_work(driver, acs->params->block_us, "wake-up");
        spend(worker, WAIT_COMPLETION, &from);
        entry->done_us = from;
        gsim_queue_push(driver, acs->inbox, &entry->ended);
    }
}

/* --- the application --- */
static void drain(struct gsim_acs *app, uint32_t unit)
{
    static struct message const message = {.kind = DRAIN};
    struct acs *acs = (struct acs *)app;
    if (!app->pending[unit].is_any) return;
    gsim_queue_push(app->run->driver, acs->inbox, (void *)&message);
    (void)gsim_queue_pop(app->run->driver, acs->drained);
}

static struct message *new_message(struct acs *acs, uint32_t node)
{
    struct message *message = acs->app.run->draw ? acs->idle_messages : &acs->messages[node];
    if (!acs->app.run->draw) return message;
    if (message) acs->idle_messages = message->next;
    else if (!(message = GSIM_ARENA_NEW(acs->app.run->arena, struct message))) acs->app.failed = true;
    return message;
}

static void launch(struct gsim_acs *app, const struct gsim_op *op, uint32_t node)
{
    struct acs *acs = (struct acs *)app;
    gsim_pending_add(app->pending, op);
    gsim_host_work(app->run->driver, acs->params->push_us, "launch into the queue");
    struct message *message = new_message(acs, node);
    if (!message) return;
    *message = (struct message){.kind = LAUNCHED, .op = op, .pushed_us = now_us(acs)};
    gsim_queue_push(app->run->driver, acs->inbox, message);
}

static bool init(struct acs *acs, uint32_t most)
{
    struct gsim_arena *arena = acs->app.run->arena;
    uint32_t window = (uint32_t)acs->params->window, threads = (uint32_t)acs->params->threads;
    acs->tail = &acs->head;
    acs->entries = GSIM_ARENA_ARRAY(arena, struct entry, window + 1);
    acs->messages = GSIM_ARENA_ARRAY(arena, struct message, (size_t)most + 1);
    acs->workers = GSIM_ARENA_ARRAY(arena, struct worker, threads);
    gsim_stream *streams = GSIM_ARENA_ARRAY(arena, gsim_stream, (size_t)threads * acs->device_count);
    if (!gsim_window_init(&acs->window, window, arena) || arena->failed) return false;
    for (uint32_t i = 0; i < window; i++) acs->entries[i].ended = (struct message){.kind = ENDED, .entry = i};
    for (uint32_t i = 0; i < threads; i++)
        acs->workers[i] = (struct worker){.acs = acs, .streams = streams + i * acs->device_count};
    gsim_afters_init(&acs->afters, acs->app.run->program);
    acs->inbox = gsim_queue_create(acs->app.run->driver, most + window + 4);
    acs->ready = gsim_queue_create(acs->app.run->driver, window + threads + 1);
    acs->drained = gsim_queue_create(acs->app.run->driver, 1);
    return true;
}

/* Per kernel on average. */
static void tell(struct acs *acs)
{
    static const char *const names[WAIT_COUNT] = {
        "wait for the window", "dependence check", "wait for dependences",     "wait for a thread",
        "window lock",         "launch",           "execution and completion", "window update"};
    struct gsim_driver *driver = acs->app.run->driver;
    for (int64_t w = 0; w < acs->params->threads; w++)
        for (int i = 0; i < WAIT_COUNT; i++) acs->waits[i] += acs->workers[w].waits[i];
    gsim_figure(driver, "window fill", "kernels", gsim_window_fill(&acs->window));
    for (int i = 0; i < WAIT_COUNT && acs->kernels; i++)
        gsim_figure(driver, names[i], "us", acs->waits[i] / (double)acs->kernels);
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    static struct message const stop = {.kind = STOP};
    const struct acs_params *params = run->params;
    static const struct gsim_acs_ops ops = {launch, drain};
    struct acs acs = {.app = {.run = run, .ops = &ops, .unit_count = 1}, .params = params,
                      .device_count = gsim_device_count(run->driver)};
    gsim_thread threads[GSIM_ACS_THREADS + 1];
    if (!init(&acs, gsim_feed_most(run))) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (int64_t i = 0; i < params->threads; i++)
        threads[i] = gsim_thread_create(run->driver, scheduler_main, &acs.workers[i]);
    threads[params->threads] = gsim_thread_create(run->driver, window_main, &acs);
    enum gsim_status status = gsim_acs_run(&acs.app, error);
    gsim_queue_push(run->driver, acs.inbox, (void *)&stop);
    for (int64_t i = 0; i <= params->threads; i++) gsim_thread_join(run->driver, threads[i]);
    tell(&acs);
    for (int64_t i = 0; i < params->window; i++) gsim_acs_forget(&acs.entries[i].kept);
    gsim_afters_release(&acs.afters);
    return status ? status : gsim_run_status(run, error);
}

static const struct gsim_param params_table[] = {
    GSIM_INT(struct acs_params, window, 32, 1, 1024, "", "kernels in the scheduling window (published: 32)"),
    GSIM_INT(struct acs_params, threads, 4, 1, GSIM_ACS_THREADS, "",
             "scheduler threads, each with a stream of its own"),
    GSIM_CHOICE(struct acs_params, wait, WAIT_SPIN, 1, "spin|block",
                "how a scheduler thread waits for its kernel's end"),
    GSIM_ACS_CHECK_PARAMS(struct acs_params),
    GSIM_REAL(struct acs_params, update_us, 7, 0, 1000, "us",
              "until the window thread has taken an ended kernel out (fitted: traces/h100/irregular.json.gz)"),
    GSIM_REAL(struct acs_params, push_us, 0.2, 0, 1000, "us", "the application's part per kernel (assumed)"),
    GSIM_REAL(struct acs_params, block_us, 50, 0, 1000, "us",
              "how much longer a blocking wait takes than a spinning one (fitted to the same; "
              "traces/h100/threads.txt: 17 to 47)"),
    GSIM_REAL(struct acs_params, poll_entry_us, 0.03, 0, 1000, "us",
              "per entry, how long a thread without a kernel keeps the window's lock (fitted to the same, on a host "
              "of 16 cores)"),
    {.name = NULL},
};

const struct gsim_scheduler_ops gsim_scheduler_acs_sw = {
    GSIM_HEAD(scheduler),
    .name = "acs-sw",
    .summary = "a window of kernels in program order on the host, ready ones on streams of scheduler threads",
    .source = "ACS, arXiv 2401.12377; ACE, PACT 2024",
    .shape = GSIM_SHAPE_CONCURRENT,
    .has_threads = true,
    .uses_devices = true,
    .takes_source = true,
    .params_size = sizeof(struct acs_params),
    .params = params_table,
    .prepare = gsim_feed_prepare_default,
    .execute = execute,
};
