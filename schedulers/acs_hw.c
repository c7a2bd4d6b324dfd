/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * acs-hw: ACS's window of kernels in the GPU's front end (arXiv 2401.12377; ACE, PACT 2024). The host tests each kernel
 * against a list of those that it scheduled last, ended or not, and sends it down one stream with those that it may
 * have to wait for. The front end drops the ones that have ended, keeps the rest in a window, and starts a kernel when
 * none is left. The host hears nothing. application --> list of the last M --> one stream --> window of N in the front
 * end --> SMs So that the list forgets no kernel that runs, insertion stops while M or more newer ones than the oldest
 * in the window are there. Deviations: hazards are all three. Copies go down the same stream and are barriers in it. On
 * several GPUs each has a window, a list and a stream; who follows something on another GPU waits for an event behind
 * all that was sent there.
 */
#include "schedulers/acs/acs.h"
#include "schedulers/acs/window.h"

#define NONE UINT64_MAX

struct acs_hw_params {
    int64_t window, list;
    struct gsim_acs_check check;
    double push_us, insert_cycles, update_cycles, start_cycles;
};

/* What the host sends with a kernel; kernels are numbered in the order in which they are sent. */
struct note {
    uint64_t number;
    uint32_t count;
    struct note *next; /* free ones */
    uint64_t upstream[]; /* room for the whole list */
};

/* What a kernel's time is spent on, before it starts. */
enum spent {
    SPENT_OTHERWISE,
    SPENT_CHECK,
    SPENT_LAUNCH,
    SPENT_FULL,
    SPENT_LIST,
    SPENT_DEPENDENCE,
    SPENT_COUNT
};

/* One GPU: its front end, and what the host knows of it. */
struct unit {
    struct acs_hw *acs;
    struct gsim_window window;   /* of launches */
    struct note *idle;           /* read and free again */
    enum spent held_by;          /* insertion; OTHERWISE: by nothing */
    double held_since_us;
    struct gsim_acs_kept *list;  /* the last M, by number modulo M */
    uint64_t next, first;        /* the next kernel's number; all before FIRST have ended */
};

struct acs_hw {
    struct gsim_acs app;         /* first; a unit for each GPU */
    const struct acs_hw_params *params;
    struct unit *units;          /* by GPU, as the application's */
    double spent_us[SPENT_COUNT];
    uint64_t dropped, inserted;
};

/* --- the front end --- */
static uint64_t oldest(const struct gsim_window *w)
{
    uint64_t least = NONE;
    for (uint32_t i = 0; i < w->size; i++)
        if (w->entries[i].is_taken && w->entries[i].id < least) least = w->entries[i].id;
    return least;
}

/* From now on insertion is held by BY. */
static enum gsim_frontend_answer hold(struct unit *u, struct gsim_frontend *f, enum spent by)
{
    double now = gsim_frontend_now_us(f);
    u->acs->spent_us[u->held_by] += now - u->held_since_us;
    u->held_by = by;
    u->held_since_us = now;
    return by ? GSIM_FRONTEND_HOLD : GSIM_FRONTEND_TAKE;
}

static enum gsim_frontend_answer on_submit(void *policy, struct gsim_frontend *f, struct gsim_frontend_launch *launch)
{
    struct unit *u = policy;
    struct gsim_window *window = &u->window;
    struct note *note = (struct note *)launch->note;
    if (window->used == window->size) return hold(u, f, SPENT_FULL);
    if (window->used && note->number - oldest(window) > (uint64_t)u->acs->params->list) return hold(u, f, SPENT_LIST);
    enum gsim_frontend_answer answer = hold(u, f, SPENT_OTHERWISE);
    gsim_frontend_spend(f, u->acs->params->insert_cycles * window->size);
    uint32_t entry = gsim_window_insert(window, note->number, gsim_frontend_now_us(f));
    for (uint32_t i = 0; i < note->count; i++) {
        uint32_t upstream = gsim_window_find(window, note->upstream[i]);
        if (upstream == GSIM_WINDOW_NONE) u->acs->dropped++;
        else gsim_window_wait_for(window, entry, upstream);
    }
    u->acs->inserted++;
    window->entries[entry].what = launch;
    launch->state = &window->entries[entry];
    note->next = u->idle;
    u->idle = note;
    if (gsim_window_is_ready(window, entry)) gsim_frontend_release(f, launch, u->acs->params->start_cycles);
    return answer;
}

static void on_kernel_end(void *policy, struct gsim_frontend *f, struct gsim_frontend_launch *launch)
{
    struct unit *u = policy;
    uint32_t entry = (uint32_t)((struct gsim_window_entry *)launch->state - u->window.entries);
    gsim_frontend_spend(f, u->acs->params->update_cycles * (u->window.size - 1));
    double now = gsim_frontend_now_us(f);
    for (uint32_t i = 0, count = gsim_window_end(&u->window, entry, now); i < count; i++) {
        const struct gsim_window_entry *next = &u->window.entries[u->window.freed[i]];
        u->acs->spent_us[SPENT_DEPENDENCE] += now - next->since_us;
        gsim_frontend_release(f, next->what, u->acs->params->start_cycles);
    }
    gsim_frontend_look(f);
}

static const struct gsim_frontend_ops frontend = {GSIM_HEAD(frontend),
                                                  .name = "acs-hw",
                                                  .on_submit = on_submit,
                                                  .on_kernel_end = on_kernel_end};

/* --- the host --- */
static struct note *new_note(struct acs_hw *acs, struct unit *u)
{
    struct note *note = u->idle;
    if (note) u->idle = note->next;
    else
        note = gsim_arena_alloc(acs->app.run->arena,
                                sizeof *note + sizeof note->upstream[0] * (size_t)acs->params->list);
    if (note) *note = (struct note){.number = u->next};
    acs->app.failed |= !note;
    return note;
}

static void send(struct acs_hw *acs, struct unit *u, const struct gsim_op *op)
{
    struct gsim_driver *driver = acs->app.run->driver;
    uint64_t size = (uint64_t)acs->params->list, from = u->next > size ? u->next - size : 0;
    gsim_host_work(driver, acs->params->push_us, "launch into the queue");
    struct note *note = new_note(acs, u);
    if (!note) return;
    if (from < u->first) from = u->first; /* what is older has ended: the front end sees to it */
    double before = gsim_now_us(driver);
    gsim_host_work(driver, gsim_acs_check_us(&acs->params->check, (double)(u->next - from), gsim_op_segments(op)),
                   "dependence check");
    acs->spent_us[SPENT_CHECK] += gsim_now_us(driver) - before;
    struct gsim_acs_test test = gsim_acs_test_begin(&acs->app, op);
    for (uint64_t number = from; number < u->next; number++)
        if (gsim_acs_test_follows(&test, &u->list[number % size])) note->upstream[note->count++] = number;
    gsim_acs_keep(&acs->app, &u->list[u->next++ % size], op);
    before = gsim_now_us(driver);
    gsim_launch_noted(driver, op, acs->app.units[u - acs->units].stream, note);
    acs->spent_us[SPENT_LAUNCH] += gsim_now_us(driver) - before;
}

static void launch(struct gsim_acs *app, const struct gsim_op *op, uint32_t node)
{
    struct acs_hw *acs = (struct acs_hw *)app;
    struct unit *u = &acs->units[op->device];
    (void)node;
    if (op->kind == GSIM_OP_KERNEL) {
        send(acs, u, op);
    } else {
        gsim_op_issue(app->run->driver, op, app->units[op->device].stream);
        u->first = u->next; /* a barrier in the stream */
    }
}

static void wait_for(struct gsim_acs *app, uint32_t unit)
{
    struct unit *u = &((struct acs_hw *)app)->units[unit];
    if (!app->units[unit].is_any && app->unit_count > 1) return;
    gsim_stream_synchronize(app->run->driver, app->units[unit].stream);
    u->first = u->next;
}

static bool begin(struct gsim_acs *app)
{
    struct acs_hw *acs = (struct acs_hw *)app;
    struct gsim_arena *arena = app->run->arena;
    acs->units = GSIM_ARENA_ARRAY(arena, struct unit, app->unit_count);
    for (uint32_t d = 0; acs->units && d < app->unit_count; d++) {
        struct unit *u = &acs->units[d];
        u->acs = acs;
        u->list = GSIM_ARENA_ARRAY(arena, struct gsim_acs_kept, (size_t)acs->params->list);
        if (!gsim_window_init(&u->window, (uint32_t)acs->params->window, arena) || arena->failed) return false;
        if (app->unit_count > 1) gsim_device_set(app->run->driver, d);
        app->units[d].stream = gsim_stream_create(app->run->driver, 0);
        gsim_frontend_set(app->run->driver, &frontend, u);
    }
    return !arena->failed;
}

/* Times are per kernel on average. */
static void finish(struct gsim_acs *app)
{
    static const char *const names[SPENT_COUNT] = {NULL, "dependence check", "launch", "wait for the window",
                                                   "wait for the list", "wait for dependences"};
    struct acs_hw *acs = (struct acs_hw *)app;
    struct gsim_driver *driver = app->run->driver;
    struct gsim_window all = {0};
    double kernels = acs->inserted ? (double)acs->inserted : 1;
    for (uint32_t d = 0; d < app->unit_count; d++) {
        all.fill_us += acs->units[d].window.fill_us;
        all.used_us += acs->units[d].window.used_us;
        if (app->unit_count > 1) gsim_device_set(driver, d);
        gsim_frontend_set(driver, NULL, NULL);
    }
    gsim_figure(driver, "window fill", "kernels", gsim_window_fill(&all));
    for (int i = SPENT_CHECK; i < SPENT_COUNT; i++) gsim_figure(driver, names[i], "us", acs->spent_us[i] / kernels);
    gsim_figure(driver, "ended before insertion", "upstream kernels", (double)acs->dropped / kernels);
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    static const struct gsim_acs_ops ops = {begin, launch, wait_for, finish};
    if (!GSIM_DRIVER_HAS(run->driver, frontend_set))
        return gsim_error_set(error, GSIM_INPUT,
                              "acs-hw is a part of the GPU's front end, which only simulated GPUs have");
    struct acs_hw *acs =
        GSIM_ARENA_NEW(run->arena, struct acs_hw); /* the front end has it until the run is over, which may fail */
    if (!acs) return gsim_no_memory(error);
    acs->app = (struct gsim_acs){.run = run, .ops = &ops, .unit_count = gsim_device_count(run->driver)};
    acs->params = run->params;
    return gsim_acs_run(&acs->app, error);
}

const struct gsim_scheduler_ops gsim_scheduler_acs_hw = {
    GSIM_HEAD(scheduler),
    .name = "acs-hw",
    .summary = "a window of kernels in the GPU's front end; the host sends each with those it may have to wait for",
    .source = "ACS, arXiv 2401.12377; ACE, PACT 2024",
    .shape = GSIM_SHAPE_CONCURRENT,
    .has_frontend = true,
    .uses_devices = true,
    .takes_source = true,
    GSIM_PARAMS(struct acs_hw_params,
        GSIM_INT(struct acs_hw_params, window, 32, 1, GSIM_WINDOW_MAX, "",
                 "kernels in the front end's window (published: 32)"),
        GSIM_INT(struct acs_hw_params, list, 32, 1, GSIM_WINDOW_MAX, "",
                 "kernels in the host's list of those scheduled last (assumed: as many as fit the published 4 KB)"),
        GSIM_REAL(struct acs_hw_params, push_us, 0.2, 0, 1000, "us", "the application's part per kernel (assumed)"),
        GSIM_ACS_CHECK_PARAMS(struct acs_hw_params),
        GSIM_REAL(struct acs_hw_params, insert_cycles, 1, 0, 1e6, "cycles",
                  "insertion per entry of the window (published: as many cycles as entries)"),
        GSIM_REAL(struct acs_hw_params, update_cycles, 1, 0, 1e6, "cycles",
                  "when a kernel ends, per other entry (published: one less than entries)"),
        GSIM_REAL(struct acs_hw_params, start_cycles, 70, 0, 1e6, "cycles",
                  "from ready to the first block (assumed: 50 ns)")),
    .prepare = gsim_feed_prepare_default,
    .execute = execute,
};
