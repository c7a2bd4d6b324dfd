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

#define GSIM_ACS_THREADS 64

struct acs_params {
    int64_t window, threads;
    int wait;
    struct gsim_acs_check check;
    double update_us, push_us, block_us, poll_entry_us;
};

enum { WAIT_SPIN, WAIT_BLOCK };

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

/* A kernel or a move; DRAIN: the application wants to know when all before it have ended. */
struct kernel {
    enum { LAUNCHED, ENDED, DRAIN } state;
    uint32_t entry;           /* of the window */
    const struct gsim_op *op; /* until it has ended */
    struct gsim_acs_kept kept; /* until it is out of the window */
    double since_us;          /* how its time is spent is known up to here */
    struct kernel *next;      /* in the queue in front of the window, or idle */
};

struct worker {
    struct acs *acs;
    gsim_thread thread;
    gsim_stream *streams; /* by GPU */
    double waits[WAIT_COUNT];
};

struct acs {
    struct gsim_acs app;         /* first; one unit */
    const struct acs_params *params;
    struct gsim_window window;   /* of kernels */
    _Atomic uint32_t idle;       /* scheduler threads without a kernel */
    struct kernel *kernels;      /* by op of a list */
    struct kernel *idle_kernels; /* of a program that is drawn: may be used again */
    gsim_queue inbox, ready, drained; /* NULL in the first two: the run is over */
    struct worker *workers;      /* the window thread, then scheduler threads */
    uint64_t ended;
};

/* Threads without a kernel look for one over and over, all entries under the window's lock: who takes it waits for
 * them. */
static double lock_us(const struct acs *acs)
{
    return acs->params->poll_entry_us * (double)acs->params->window * acs->idle;
}

/* K's time up to now went to WAIT. */
static void spend(struct worker *worker, enum wait wait, struct kernel *k)
{
    double now = gsim_now_us(worker->acs->app.run->driver);
    worker->waits[wait] += now - k->since_us;
    k->since_us = now;
}

/* --- the window thread --- */
static void insert(struct acs *acs, struct kernel *k)
{
    struct gsim_driver *driver = acs->app.run->driver;
    spend(acs->workers, WAIT_WINDOW, k);
    gsim_host_work(driver,
                   gsim_acs_check_us(&acs->params->check, acs->window.used, gsim_op_segments(k->op)) + lock_us(acs),
                   "window check");
    spend(acs->workers, WAIT_CHECK, k);
    struct gsim_acs_test test = gsim_acs_test_begin(&acs->app, k->op);
    gsim_acs_keep(&acs->app, &k->kept, k->op);
    k->entry = gsim_window_insert(&acs->window, 0, k->since_us);
    acs->window.entries[k->entry].what = k;
    for (uint32_t e = 0; e < acs->window.size; e++) {
        const struct kernel *earlier = acs->window.entries[e].what;
        if (acs->window.entries[e].is_taken && earlier != k && gsim_acs_test_follows(&test, &earlier->kept))
            gsim_window_wait_for(&acs->window, k->entry, e);
    }
    if (gsim_window_is_ready(&acs->window, k->entry)) gsim_queue_push(driver, acs->ready, k);
}

static void end(struct acs *acs, struct kernel *k)
{
    struct gsim_driver *driver = acs->app.run->driver;
    gsim_host_work(driver, acs->params->update_us + lock_us(acs), "window update");
    spend(acs->workers, WAIT_UPDATE, k);
    acs->ended++;
    for (uint32_t i = 0, count = gsim_window_end(&acs->window, k->entry, gsim_now_us(driver)); i < count; i++) {
        struct kernel *next = acs->window.entries[acs->window.freed[i]].what;
        spend(acs->workers, WAIT_DEPENDENCE, next);
        gsim_queue_push(driver, acs->ready, next);
    }
    if (!acs->app.run->draw) return;
    k->next = acs->idle_kernels;
    acs->idle_kernels = k;
}

static void window_main(struct gsim_driver *driver, void *argument)
{
    struct acs *acs = ((struct worker *)argument)->acs;
    struct kernel *head = NULL, **tail = &head; /* that have not come into the window yet */
    bool drains = false;
    for (struct kernel *k; !gsim_driver_failed(driver) && (k = gsim_queue_pop(driver, acs->inbox)) != NULL;) {
        if (k->state == LAUNCHED) {
            *tail = k;
            tail = &k->next;
        }
        if (k->state == ENDED) end(acs, k);
        drains |= k->state == DRAIN;
        while (head && acs->window.used < acs->window.size) {
            struct kernel *first = head;
            if (!(head = first->next)) tail = &head;
            insert(acs, first);
        }
        if (!drains || acs->window.used || head) continue;
        drains = false;
        gsim_queue_push(driver, acs->drained, acs);
    }
    for (int64_t i = 0; i < acs->params->threads; i++) gsim_queue_push(driver, acs->ready, NULL);
}

/* --- scheduler threads --- */
static void scheduler_main(struct gsim_driver *driver, void *argument)
{
    struct worker *worker = argument;
    struct acs *acs = worker->acs;
    gsim_streams_create(driver, gsim_device_count(driver), 1, worker->streams);
    while (!gsim_driver_failed(driver)) {
        acs->idle++;
        struct kernel *k = gsim_queue_pop(driver, acs->ready);
        acs->idle--;
        if (!k) break;
        spend(worker, WAIT_THREAD, k);
        gsim_host_work(driver, lock_us(acs), "window lock");
        spend(worker, WAIT_LOCK, k);
        gsim_stream stream = worker->streams[k->op->device];
        gsim_op_issue(driver, k->op, stream);
        spend(worker, WAIT_LAUNCH, k);
        gsim_stream_synchronize(driver, stream);
        if (acs->params->wait == WAIT_BLOCK) gsim_host_work(driver, acs->params->block_us, "wake-up");
        spend(worker, WAIT_COMPLETION, k);
        k->state = ENDED;
        gsim_queue_push(driver, acs->inbox, k);
    }
}

/* --- the application --- */
static void drain(struct gsim_acs *app, uint32_t unit)
{
    static struct kernel drain = {.state = DRAIN};
    struct acs *acs = (struct acs *)app;
    if (!app->units[unit].is_any) return;
    gsim_queue_push(app->run->driver, acs->inbox, &drain);
    (void)gsim_queue_pop(app->run->driver, acs->drained);
}

static void launch(struct gsim_acs *app, const struct gsim_op *op, uint32_t node)
{
    struct acs *acs = (struct acs *)app;
    struct kernel *k = app->run->draw ? acs->idle_kernels : &acs->kernels[node];
    if (!k) k = GSIM_ARENA_NEW(app->run->arena, struct kernel);
    else if (app->run->draw) acs->idle_kernels = k->next;
    app->failed |= !k;
    if (!k) return;
    gsim_host_work(app->run->driver, acs->params->push_us, "launch into the queue");
    *k = (struct kernel){.op = op, .kept = k->kept, .since_us = gsim_now_us(app->run->driver)};
    gsim_queue_push(app->run->driver, acs->inbox, k);
}

static bool begin(struct gsim_acs *app)
{
    struct acs *acs = (struct acs *)app;
    struct gsim_arena *arena = app->run->arena;
    uint32_t window = (uint32_t)acs->params->window, threads = (uint32_t)acs->params->threads;
    uint32_t most = gsim_feed_most(app->run), gpus = gsim_device_count(app->run->driver);
    acs->kernels = GSIM_ARENA_ARRAY(arena, struct kernel, app->run->draw ? 1 : (size_t)most + 1);
    acs->workers = GSIM_ARENA_ARRAY(arena, struct worker, threads + 1);
    gsim_stream *streams = GSIM_ARENA_ARRAY(arena, gsim_stream, ((size_t)threads + 1) * gpus);
    if (!gsim_window_init(&acs->window, window, arena) || arena->failed) return false;
    acs->inbox = gsim_queue_create(app->run->driver, most + window + 4);
    acs->ready = gsim_queue_create(app->run->driver, window + threads + 1);
    acs->drained = gsim_queue_create(app->run->driver, 1);
    for (uint32_t i = 0; i <= threads; i++) {
        struct worker *worker = &acs->workers[i < threads ? i + 1 : 0];
        *worker = (struct worker){.acs = acs, .streams = streams + i * gpus};
        worker->thread = gsim_thread_create(app->run->driver, i < threads ? scheduler_main : window_main, worker);
    }
    return true;
}

/* Times are per kernel on average. */
static void finish(struct gsim_acs *app)
{
    static const char *const names[WAIT_COUNT] = {
        "wait for the window", "dependence check", "wait for dependences",     "wait for a thread",
        "window lock",         "launch",           "execution and completion", "window update"};
    struct acs *acs = (struct acs *)app;
    double waits[WAIT_COUNT] = {0};
    gsim_queue_push(app->run->driver, acs->inbox, NULL);
    for (int64_t w = acs->params->threads + 1; w-- > 0;) gsim_thread_join(app->run->driver, acs->workers[w].thread);
    for (int64_t w = 0; w <= acs->params->threads; w++)
        for (int i = 0; i < WAIT_COUNT; i++) waits[i] += acs->workers[w].waits[i];
    gsim_figure(app->run->driver, "window fill", "kernels", gsim_window_fill(&acs->window));
    for (int i = 0; i < WAIT_COUNT && acs->ended; i++)
        gsim_figure(app->run->driver, names[i], "us", waits[i] / (double)acs->ended);
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    static const struct gsim_acs_ops ops = {begin, launch, drain, finish};
    struct acs acs = {.app = {.run = run, .ops = &ops, .unit_count = 1}, .params = run->params};
    return gsim_acs_run(&acs.app, error);
}

const struct gsim_scheduler_ops gsim_scheduler_acs_sw = {
    GSIM_HEAD(scheduler),
    .name = "acs-sw",
    .summary = "a window of kernels in program order on the host, ready ones on streams of scheduler threads",
    .source = "ACS, arXiv 2401.12377; ACE, PACT 2024",
    .shape = GSIM_SHAPE_CONCURRENT,
    .has_threads = true,
    .uses_devices = true,
    .takes_source = true,
    GSIM_PARAMS(struct acs_params,
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
                  "per entry, how long a thread without a kernel keeps the window's lock (fitted to the same, on a "
                  "host of 16 cores)")),
    .prepare = gsim_feed_prepare_default,
    .execute = execute,
};
