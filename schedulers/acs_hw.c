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

enum block { BLOCK_FULL, BLOCK_LIST, BLOCK_COUNT };

/* The front end. */
struct hardware {
    const struct acs_hw_params *params;
    struct gsim_window window;
    struct gsim_frontend_launch **launches; /* by entry */
    double *inserted_us;                    /* by entry */
    struct note *idle;                      /* read and free again */
    double held_us[BLOCK_COUNT], held_since_us, dependence_us;
    enum block held_by;
    bool is_held;
    uint64_t dropped, inserted;
};

/* One GPU: its front end, and what the host knows of it. */
struct unit {
    struct hardware hw;
    struct gsim_acs_kept *list;  /* the last M, by number modulo M */
    uint64_t next, first;        /* the next kernel's number; all before FIRST have ended */
    gsim_stream stream;
    gsim_event sent;             /* behind all that was sent; of several GPUs, made at first use */
};

struct acs_hw {
    struct gsim_acs app;         /* first; a unit for each GPU */
    const struct acs_hw_params *params;
    struct unit *units;          /* by GPU, as the application's */
    double check_us, launch_us;
};

/* --- the front end --- */
static uint64_t oldest(const struct gsim_window *w)
{
    uint64_t least = NONE;
    for (uint32_t i = 0; i < w->size; i++)
        if (w->entries[i].is_taken && w->entries[i].id < least) least = w->entries[i].id;
    return least;
}

static enum gsim_frontend_answer hold(struct hardware *hw, struct gsim_frontend *f, enum block by)
{
    double now = gsim_frontend_now_us(f);
    if (hw->is_held) hw->held_us[hw->held_by] += now - hw->held_since_us;
    hw->is_held = true;
    hw->held_by = by;
    hw->held_since_us = now;
    return GSIM_FRONTEND_HOLD;
}

static enum gsim_frontend_answer on_submit(void *policy, struct gsim_frontend *f, struct gsim_frontend_launch *launch)
{
    struct hardware *hw = policy;
    struct note *note = (struct note *)launch->note;
    if (hw->window.used == hw->window.size) return hold(hw, f, BLOCK_FULL);
    if (hw->window.used && note->number - oldest(&hw->window) > (uint64_t)hw->params->list)
        return hold(hw, f, BLOCK_LIST);
    if (hw->is_held) hw->held_us[hw->held_by] += gsim_frontend_now_us(f) - hw->held_since_us;
    hw->is_held = false;
    gsim_frontend_spend(f, hw->params->insert_cycles * hw->window.size);
    double now = gsim_frontend_now_us(f);
    uint32_t entry = gsim_window_insert(&hw->window, note->number, now);
    for (uint32_t i = 0; i < note->count; i++) {
        uint32_t upstream = gsim_window_find(&hw->window, note->upstream[i]);
        if (upstream == GSIM_WINDOW_NONE) hw->dropped++;
        else gsim_window_wait_for(&hw->window, entry, upstream);
    }
    hw->inserted++;
    hw->launches[entry] = launch;
    hw->inserted_us[entry] = now;
    launch->state = &hw->window.entries[entry];
    note->next = hw->idle;
    hw->idle = note;
    if (gsim_window_is_ready(&hw->window, entry)) gsim_frontend_release(f, launch, hw->params->start_cycles);
    return GSIM_FRONTEND_TAKE;
}

static void on_kernel_end(void *policy, struct gsim_frontend *f, struct gsim_frontend_launch *launch)
{
    struct hardware *hw = policy;
    uint32_t entry = (uint32_t)((struct gsim_window_entry *)launch->state - hw->window.entries);
    gsim_frontend_spend(f, hw->params->update_cycles * (hw->window.size - 1));
    double now = gsim_frontend_now_us(f);
    for (uint32_t i = 0, count = gsim_window_end(&hw->window, entry, now); i < count; i++) {
        uint32_t next = hw->window.freed[i];
        hw->dependence_us += now - hw->inserted_us[next];
        gsim_frontend_release(f, hw->launches[next], hw->params->start_cycles);
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
    struct note *note = u->hw.idle;
    if (note) u->hw.idle = note->next;
    else
        note = gsim_arena_alloc(acs->app.run->arena,
                                sizeof *note + sizeof note->upstream[0] * (size_t)acs->params->list);
    if (note) *note = (struct note){.number = u->next};
    return note;
}

/* Those of the list that OP has a hazard with, or must follow as the author says. What is older has ended: the front
 * end sees to it. */
static void find_upstream(struct acs_hw *acs, const struct unit *u, const struct gsim_op *op, struct note *note)
{
    uint64_t size = (uint64_t)acs->params->list, from = u->next > size ? u->next - size : 0;
    bool is_managed = acs->app.run->memory == GSIM_MEMORY_MANAGED;
    struct gsim_pending *pending = &acs->app.pending[op->device];
    const uint32_t *after;
    uint32_t after_count;
    if (from < u->first) from = u->first;
    if (!gsim_afters_find(&pending->afters, op, pending->node_of, &after, &after_count)) acs->app.failed = true;
    double before = gsim_now_us(acs->app.run->driver);
    gsim_host_work(acs->app.run->driver,
                   gsim_acs_check_us(&acs->params->check, (double)(u->next - from), gsim_op_segments(op)),
                   "dependence check");
    acs->check_us += gsim_now_us(acs->app.run->driver) - before;
    for (uint64_t number = from; number < u->next; number++) {
        bool follows = gsim_op_conflicts(&u->list[number % size].op, op, is_managed);
        for (uint32_t i = 0; i < after_count && !follows; i++) follows = u->list[number % size].op.index == after[i];
        if (follows) note->upstream[note->count++] = number;
    }
}

static void send(struct acs_hw *acs, struct unit *u, const struct gsim_op *op)
{
    struct gsim_driver *driver = acs->app.run->driver;
    gsim_host_work(driver, acs->params->push_us, "launch into the queue");
    struct note *note = new_note(acs, u);
    acs->app.failed |= !note;
    if (!note) return;
    find_upstream(acs, u, op, note);
    gsim_acs_keep(&acs->app, &u->list[u->next++ % (uint64_t)acs->params->list], op);
    double before = gsim_now_us(driver);
    gsim_launch_noted(driver, op, u->stream, note);
    acs->launch_us += gsim_now_us(driver) - before;
}

static void wait_for_unit(struct gsim_acs *app, uint32_t unit)
{
    struct unit *u = &((struct acs_hw *)app)->units[unit];
    if (!app->pending[unit].is_any && app->unit_count > 1) return;
    gsim_stream_synchronize(app->run->driver, u->stream);
    u->first = u->next;
}

/* U's stream waits for what OP follows on other GPUs. */
static void wait_for_others(struct acs_hw *acs, const struct unit *u, const struct gsim_op *op)
{
    struct gsim_driver *driver = acs->app.run->driver;
    for (uint32_t d = 0; d < acs->app.unit_count; d++) {
        struct unit *other = &acs->units[d];
        if (other == u || !gsim_pending_holds(&acs->app.pending[d], op)) continue;
        if (!other->sent) other->sent = gsim_event_create(driver, GSIM_EVENT_NO_TIMING);
        gsim_event_record(driver, other->sent, other->stream);
        gsim_stream_wait_event(driver, u->stream, other->sent);
    }
}

static void launch(struct gsim_acs *app, const struct gsim_op *op, uint32_t node)
{
    struct acs_hw *acs = (struct acs_hw *)app;
    struct unit *u = &acs->units[op->device];
    (void)node;
    wait_for_others(acs, u, op);
    gsim_pending_add(&app->pending[op->device], op);
    if (op->kind == GSIM_OP_KERNEL) {
        send(acs, u, op);
    } else {
        gsim_op_issue(app->run->driver, op, u->stream);
        u->first = u->next; /* a barrier in the stream */
    }
}

static bool init(struct acs_hw *acs)
{
    struct gsim_arena *arena = acs->app.run->arena;
    uint32_t window = (uint32_t)acs->params->window;
    acs->units = GSIM_ARENA_ARRAY(arena, struct unit, acs->app.unit_count);
    for (uint32_t d = 0; acs->units && d < acs->app.unit_count; d++) {
        struct unit *u = &acs->units[d];
        u->hw.params = acs->params;
        u->hw.launches = GSIM_ARENA_ARRAY(arena, struct gsim_frontend_launch *, window);
        u->hw.inserted_us = GSIM_ARENA_ARRAY(arena, double, window);
        u->list = GSIM_ARENA_ARRAY(arena, struct gsim_acs_kept, (size_t)acs->params->list);
        if (!gsim_window_init(&u->hw.window, window, arena)) return false;
    }
    return !arena->failed;
}

/* Times per kernel on average. */
static void tell(const struct acs_hw *acs)
{
    struct gsim_driver *driver = acs->app.run->driver;
    struct hardware sum = {0};
    for (const struct unit *u = acs->units; u < acs->units + acs->app.unit_count; u++) {
        sum.inserted += u->hw.inserted;
        sum.dropped += u->hw.dropped;
        sum.dependence_us += u->hw.dependence_us;
        sum.window.fill_us += u->hw.window.fill_us;
        sum.window.used_us += u->hw.window.used_us;
        for (int b = 0; b < BLOCK_COUNT; b++) sum.held_us[b] += u->hw.held_us[b];
    }
    double kernels = sum.inserted ? (double)sum.inserted : 1;
    gsim_figure(driver, "window fill", "kernels", gsim_window_fill(&sum.window));
    gsim_figure(driver, "dependence check", "us", acs->check_us / kernels);
    gsim_figure(driver, "launch", "us", acs->launch_us / kernels);
    gsim_figure(driver, "wait for the window", "us", sum.held_us[BLOCK_FULL] / kernels);
    gsim_figure(driver, "wait for the list", "us", sum.held_us[BLOCK_LIST] / kernels);
    gsim_figure(driver, "wait for dependences", "us", sum.dependence_us / kernels);
    gsim_figure(driver, "ended before insertion", "upstream kernels", (double)sum.dropped / kernels);
}

/* The front ends decide, or no more. */
static void set_frontends(struct acs_hw *acs, bool decide)
{
    struct gsim_driver *driver = acs->app.run->driver;
    for (uint32_t d = 0; d < acs->app.unit_count; d++) {
        if (acs->app.unit_count > 1) gsim_device_set(driver, d);
        if (decide) acs->units[d].stream = gsim_stream_create(driver, 0);
        gsim_frontend_set(driver, decide ? &frontend : NULL, decide ? &acs->units[d].hw : NULL);
    }
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    static const struct gsim_acs_ops ops = {launch, wait_for_unit};
    if (!GSIM_DRIVER_HAS(run->driver, frontend_set))
        return gsim_error_set(error, GSIM_INPUT,
                              "acs-hw is a part of the GPU's front end, which only simulated GPUs have");
    struct acs_hw *acs =
        GSIM_ARENA_NEW(run->arena, struct acs_hw); /* the front end has it until the run is over, which may fail */
    if (!acs) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    acs->app = (struct gsim_acs){.run = run, .ops = &ops, .unit_count = gsim_device_count(run->driver)};
    acs->params = run->params;
    if (!init(acs)) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    set_frontends(acs, true);
    enum gsim_status status = gsim_acs_run(&acs->app, error);
    tell(acs);
    set_frontends(acs, false);
    for (uint32_t d = 0; d < acs->app.unit_count; d++)
        for (int64_t i = 0; i < acs->params->list; i++) gsim_acs_forget(&acs->units[d].list[i]);
    return status;
}

static const struct gsim_param params_table[] = {
    GSIM_INT(struct acs_hw_params, window, 32, 1, GSIM_WINDOW_MOST, "",
             "kernels in the front end's window (published: 32)"),
    GSIM_INT(struct acs_hw_params, list, 32, 1, GSIM_WINDOW_MOST, "",
             "kernels in the host's list of those scheduled last (assumed: as many as fit the published 4 KB)"),
    GSIM_REAL(struct acs_hw_params, push_us, 0.2, 0, 1000, "us", "the application's part per kernel (assumed)"),
    GSIM_ACS_CHECK_PARAMS(struct acs_hw_params),
    GSIM_REAL(struct acs_hw_params, insert_cycles, 1, 0, 1e6, "cycles",
              "insertion per entry of the window (published: as many cycles as entries)"),
    GSIM_REAL(struct acs_hw_params, update_cycles, 1, 0, 1e6, "cycles",
              "when a kernel ends, per other entry (published: one less than entries)"),
    GSIM_REAL(struct acs_hw_params, start_cycles, 70, 0, 1e6, "cycles",
              "from ready to the first block (assumed: 50 ns)"),
    {.name = NULL},
};

const struct gsim_scheduler_ops gsim_scheduler_acs_hw = {
    GSIM_HEAD(scheduler),
    .name = "acs-hw",
    .summary = "a window of kernels in the GPU's front end; the host sends each with those it may have to wait for",
    .source = "ACS, arXiv 2401.12377; ACE, PACT 2024",
    .shape = GSIM_SHAPE_CONCURRENT,
    .has_frontend = true,
    .uses_devices = true,
    .takes_source = true,
    .params_size = sizeof(struct acs_hw_params),
    .params = params_table,
    .prepare = gsim_feed_prepare_default,
    .execute = execute,
};
