/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SimGrid behind sim/clock/engine.h. Leaves all GPU behaviour to sim/clock/machine.c. Traps of SimGrid 3.32 that shape
 * this file: its timed waits leak (so sleeping "timer" actors wake a suspended one instead), a resume that
 * comes before the suspend is lost (so every wake-up is a flag as well), one engine per process.
 */
#include "sim/clock/engine.h"

#include <errno.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "gpusim/memory.h"
#include "sim/base/ends.h"

/* SimGrid ends the process when its own allocations fail: it is asked for these only while there is so much. */
#define SETUP_BYTES (4 << 20)
#define ACTOR_BYTES (640 << 10) /* its stack of 512 KB, and what else it has */

/* SimGrid's clock is a double in seconds, off by a few of its last digits: a picosecond an hour into a simulation. */
#define CLOCK_SLACK 10
#define CLOCK_DIGITS 1e-3 /* picoseconds per second: four times a double's resolution */
/* Ends of transfers lie on a grid of 1 ns, so that a run comes out the same wherever in the process' simulated time
 * it began (the clock's last digits do not). Rounded down, with the slack that keeps whole nanoseconds whole. */
#define END_GRID 1000

struct gsim_actor {
    struct gsim_engine *engine;
    sg_actor_t actor;
    void (*body)(void *);
    void *argument;
    bool may_run;
};

enum helper_kind { HELPER_TIMER, HELPER_TRANSFER };

/* An actor that sleeps until a time, or moves bytes along a route, then wakes the waiting thread. */
struct helper {
    struct gsim_engine *engine;
    sg_actor_t actor;
    enum helper_kind kind;
    bool busy;     /* from its assignment until its end was seen */
    bool assigned; /* has work that it did not start yet */
    gsim_time until;       /* timer: its end; transfer: its start */
    struct gsim_leg leg;   /* transfer */
    uint64_t bytes;
    void *tag;
    gsim_time end;
    struct helper *next;       /* all helpers of this run */
    struct helper *next_ended; /* ended transfers, oldest first */
};

struct gsim_engine {
    double start_seconds;
    struct gsim_arena arena;
    const struct gsim_platform *platform;
    double reserved_gbps[GSIM_MAX_GPUS][2]; /* of each link, to the device and to the host: not the transfers' */
    struct gsim_actor *self;  /* the thread that runs now */
    sg_actor_t waiting;       /* blocked in gsim_engine_wait */
    bool woken;
    bool is_over; /* the helpers end (3.32 crashes on daemons that it must kill itself) */
    struct helper *helpers;
    struct helper *ended_first, **ended_last;
    uint32_t in_flight;
    uint64_t calls;
    uint32_t gpus_set;        /* bit by GPU: its links have this run's numbers */
};

/* Endpoints are SimGrid hosts; a source per kind of transfer so that each kind has its own cap. */
static const struct {
    const char *from, *to; /* NULL: the GPU */
    enum gsim_link links[2];
} routes[GSIM_ROUTE_COUNT] = {
    [GSIM_ROUTE_H2D] = {"host", NULL, {GSIM_LINK_H2D, GSIM_LINK_BUS}},
    [GSIM_ROUTE_D2H] = {NULL, "host", {GSIM_LINK_D2H, GSIM_LINK_BUS}},
    [GSIM_ROUTE_PAGEABLE_H2D] = {"staging", NULL, {GSIM_LINK_STAGE_H2D, GSIM_LINK_BUS}},
    [GSIM_ROUTE_PAGEABLE_D2H] = {NULL, "staging", {GSIM_LINK_STAGE_D2H, GSIM_LINK_BUS}},
    [GSIM_ROUTE_PREFETCH] = {"bulk", NULL, {GSIM_LINK_BULK_H2D, GSIM_LINK_BUS}},
    [GSIM_ROUTE_FAULT_D2H] = {NULL, "faults", {GSIM_LINK_FAULT_D2H, GSIM_LINK_BUS}},
    [GSIM_ROUTE_PEER] = {NULL, NULL, {GSIM_LINK_D2H, GSIM_LINK_H2D}},
    [GSIM_ROUTE_PORT] = {NULL, NULL, {GSIM_LINK_PORT_OUT, GSIM_LINK_PORT_IN}},
};

static const char *gpu_name(char *text, size_t size, uint32_t gpu)
{
    snprintf(text, size, "gpu%u", gpu);
    return text;
}

static bool is_between_gpus(enum gsim_route route) { return route == GSIM_ROUTE_PEER || route == GSIM_ROUTE_PORT; }

static sg_link_t link_of(uint32_t gpu, enum gsim_link link)
{
    char name[24];
    snprintf(name, sizeof name, "gpu%u_link%d", gpu, (int)link);
    return sg_link_by_name(name);
}

static void describe_gpu(FILE *file, uint32_t gpu)
{
    char name[16];
    gpu_name(name, sizeof name, gpu);
    fprintf(file, "<host id=\"%s\" speed=\"1Gf\"/><host id=\"port_%s\" speed=\"1Gf\"/>\n", name, name);
    for (int l = 0; l < GSIM_LINK_COUNT; l++)
        fprintf(file, "<link id=\"%s_link%d\" bandwidth=\"1GBps\" latency=\"0us\"/>\n", name, l);
}

static void describe_routes(FILE *file, uint32_t gpu)
{
    char name[16];
    gpu_name(name, sizeof name, gpu);
    for (int r = 0; r < GSIM_ROUTE_COUNT; r++)
        if (!is_between_gpus((enum gsim_route)r))
            fprintf(file, "<route src=\"%s\" dst=\"%s\" symmetrical=\"NO\"><link_ctn id=\"%s_link%d\"/><link_ctn id=\"%s_link%d\"/></route>\n",
                    routes[r].from ? routes[r].from : name, routes[r].to ? routes[r].to : name, name,
                    (int)routes[r].links[0], name, (int)routes[r].links[1]);
}

/* From GPU to GPU through the host both have their links and direction; by the links between them, their ports. */
static void describe_peers(FILE *file, uint32_t from, uint32_t to)
{
    fprintf(file, "<route src=\"gpu%u\" dst=\"gpu%u\" symmetrical=\"NO\"><link_ctn id=\"gpu%u_link%d\"/>"
            "<link_ctn id=\"gpu%u_link%d\"/></route>\n", from, to, from, GSIM_LINK_D2H, to, GSIM_LINK_H2D);
    fprintf(file, "<route src=\"port_gpu%u\" dst=\"port_gpu%u\" symmetrical=\"NO\"><link_ctn id=\"gpu%u_link%d\"/>"
            "<link_ctn id=\"gpu%u_link%d\"/></route>\n", from, to, from, GSIM_LINK_PORT_OUT, to, GSIM_LINK_PORT_IN);
}

static void describe_platform(FILE *file)
{
    fputs("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\"><zone id=\"machine\" routing=\"Full\">\n"
          "<host id=\"host\" speed=\"1Gf\"/><host id=\"staging\" speed=\"1Gf\"/><host id=\"bulk\" speed=\"1Gf\"/>"
          "<host id=\"faults\" speed=\"1Gf\"/>\n", file);
    for (uint32_t gpu = 0; gpu < GSIM_MAX_GPUS; gpu++) describe_gpu(file, gpu);
    for (uint32_t gpu = 0; gpu < GSIM_MAX_GPUS; gpu++) describe_routes(file, gpu);
    for (uint32_t from = 0; from < GSIM_MAX_GPUS; from++)
        for (uint32_t to = 0; to < GSIM_MAX_GPUS; to++)
            if (from != to) describe_peers(file, from, to);
    fputs("</zone></platform>\n", file);
}

static enum gsim_status load_platform(struct gsim_error *error)
{
    FILE *file = tmpfile();
    char path[64];
    int spare = file ? dup(fileno(file)) : -1; /* what SimGrid opens: it ends the process when it cannot */
    if (file) describe_platform(file);
    bool is_open = spare >= 0;
    if (is_open) close(spare);
    if (!is_open || ferror(file) || fflush(file) != 0) {
        int reason = errno;
        if (file) fclose(file);
        return gsim_error_set(error, GSIM_IO, "cannot write the platform description to a temporary file: %s", strerror(reason));
    }
    rewind(file);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    simgrid_load_platform(path);
    fclose(file);
    return GSIM_OK;
}

/* SimGrid itself is the process-wide state here: it is set up at the first run and stays. */
static enum gsim_status engine_setup(struct gsim_error *error)
{
    static bool is_set_up, has_platform;
    if (has_platform) return GSIM_OK;
    if (is_set_up) { /* it was not written then; now it may be */
        enum gsim_status again = load_platform(error);
        has_platform = again == GSIM_OK;
        return again;
    }
    char arguments[][64] = {
        "gpusim", "--log=root.thres:critical", "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0",
        "--cfg=network/TCP-gamma:0", "--cfg=surf/precision:1e-12", "--cfg=contexts/stack-size:512",
        /* Streams that meet on a link share it alike: none has a latency or another weight there (set_links). */
        "--cfg=network/weight-S:0",
        "--cfg=debug/clean-atexit:no",
#if defined(__SANITIZE_ADDRESS__) || defined(GPUSIM_THREAD_CONTEXTS)
        "--cfg=contexts/factory:thread", /* the sanitizers do not follow hand-made stacks */
#endif
    };
    int count = (int)(sizeof arguments / sizeof arguments[0]);
    char *list[16] = {NULL};
    for (int i = 0; i < count; i++) list[i] = arguments[i];
    if (!gsim_ends_has_memory(SETUP_BYTES)) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    struct sigaction interrupt;
    sigaction(SIGINT, NULL, &interrupt); /* SimGrid takes it, to exit with 1 */
    simgrid_init(&count, list);
    sigaction(SIGINT, &interrupt, NULL);
    is_set_up = true;
    return engine_setup(error);
}

static void set_link(uint32_t gpu, enum gsim_link link, double gbps) { sg_link_set_bandwidth(link_of(gpu, link), gbps * 1e9); }

/* The links of a GPU, at its first use in a run. Latencies are the helpers' own: 3.32 loses a transfer whose link changes while
 * the transfer is in its latency. */
static void set_links(struct gsim_engine *e, uint32_t gpu)
{
    if (e->gpus_set >> gpu & 1) return;
    e->gpus_set |= UINT32_C(1) << gpu;
    for (int l = 0; l < GSIM_LINK_COUNT; l++) set_link(gpu, (enum gsim_link)l, e->platform->link_gbps[l]);
}

static void actor_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    struct gsim_actor *self = sg_actor_self_get_data();
    while (!self->may_run) sg_actor_suspend(sg_actor_self());
    self->engine->self = self;
    self->body(self->argument);
}

static struct gsim_actor *new_actor(struct gsim_engine *e, void (*body)(void *), void *argument, bool may_run)
{
    struct gsim_actor *actor = gsim_ends_has_memory(ACTOR_BYTES) ? GSIM_ARENA_NEW(&e->arena, struct gsim_actor) : NULL;
    if (!actor) return NULL;
    *actor = (struct gsim_actor){.engine = e, .body = body, .argument = argument, .may_run = may_run};
    actor->actor = sg_actor_init("thread", sg_host_by_name("host"));
    sg_actor_set_data(actor->actor, actor);
    sg_actor_start_(actor->actor, actor_main, 0, NULL);
    e->calls++;
    return actor;
}

enum gsim_status gsim_engine_run(const struct gsim_platform *platform, void (*main_thread)(void *), void *argument,
                                 struct gsim_engine **running, struct gsim_error *error)
{
    enum gsim_status status = engine_setup(error);
    if (status) return status;
    struct gsim_engine engine = {.start_seconds = simgrid_get_clock(), .platform = platform};
    engine.ended_last = &engine.ended_first;
    set_links(&engine, 0);
    *running = &engine;
    if (new_actor(&engine, main_thread, argument, true))
        simgrid_run(); /* returns as well when nothing can go on */
    else
        status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (!status && !engine.is_over) status = gsim_error_set(error, GSIM_SIM, "a transfer was lost: please report this as a fault of gpusim");
    *running = NULL;
    gsim_arena_release(&engine.arena);
    return status;
}

gsim_time gsim_engine_clock(const struct gsim_engine *engine)
{
    return gsim_time_from_seconds(simgrid_get_clock() - engine->start_seconds);
}

static gsim_time slack(void) { return CLOCK_SLACK + (gsim_time)(simgrid_get_clock() * CLOCK_DIGITS); }

uint64_t gsim_engine_calls(const struct gsim_engine *engine) { return engine->calls; }
struct gsim_actor *gsim_engine_self(struct gsim_engine *engine) { return engine->self; }

struct gsim_actor *gsim_engine_spawn(struct gsim_engine *engine, void (*body)(void *), void *argument)
{
    return new_actor(engine, body, argument, false);
}

void gsim_engine_release(struct gsim_engine *engine, struct gsim_actor *to)
{
    to->may_run = true;
    engine->calls++;
    sg_actor_resume(to->actor);
}

void gsim_engine_switch(struct gsim_engine *engine, struct gsim_actor *to)
{
    struct gsim_actor *self = engine->self;
    if (to == self) return;
    self->may_run = false;
    gsim_engine_release(engine, to);
    while (!self->may_run) sg_actor_suspend(self->actor);
    engine->self = self;
}

void gsim_engine_finish(struct gsim_engine *engine)
{
    engine->is_over = true;
    for (struct helper *h = engine->helpers; h; h = h->next)
        if (!h->busy) sg_actor_resume(h->actor);
}

static void wake_waiting(struct gsim_engine *e)
{
    e->woken = true;
    if (!e->waiting) return;
    sg_actor_t actor = e->waiting;
    e->waiting = NULL;
    sg_actor_resume(actor);
}

/* The host at one end of a transfer. */
static sg_host_t end_of(const struct gsim_leg *leg, bool is_start)
{
    char name[24];
    const char *fixed = is_start ? routes[leg->route].from : routes[leg->route].to;
    uint32_t gpu = is_between_gpus(leg->route) && !is_start ? leg->peer : leg->gpu;
    snprintf(name, sizeof name, "%sgpu%u", leg->route == GSIM_ROUTE_PORT ? "port_" : "", gpu);
    return sg_host_by_name(fixed ? fixed : name);
}

static void helper_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    struct helper *self = sg_actor_self_get_data();
    struct gsim_engine *e = self->engine;
    for (;;) {
        while (!self->assigned && !e->is_over) sg_actor_suspend(sg_actor_self());
        if (!self->assigned) return;
        self->assigned = false;
        if (self->kind == HELPER_TIMER) {
            sg_actor_sleep_until(e->start_seconds + gsim_time_seconds(self->until));
            self->busy = false;
        } else {
            double latency = e->platform->latency_us[self->leg.route];
            if (latency > 0) sg_actor_sleep_until(e->start_seconds + gsim_time_seconds(self->until) + latency * 1e-6);
            sg_host_sendto(end_of(&self->leg, true), end_of(&self->leg, false), (double)self->bytes);
            self->end = (gsim_engine_clock(e) + slack()) / END_GRID * END_GRID;
            self->next_ended = NULL;
            *e->ended_last = self;
            e->ended_last = &self->next_ended;
        }
        wake_waiting(e);
    }
}

static struct helper *idle_helper(struct gsim_engine *e, enum helper_kind kind)
{
    for (struct helper *h = e->helpers; h; h = h->next)
        if (h->kind == kind && !h->busy) return h;
    struct helper *h = gsim_ends_has_memory(ACTOR_BYTES) ? GSIM_ARENA_NEW(&e->arena, struct helper) : NULL;
    if (!h) gsim_ends_out_of_memory();
    *h = (struct helper){.engine = e, .kind = kind, .next = e->helpers};
    e->helpers = h;
    h->actor = sg_actor_init(kind == HELPER_TIMER ? "timer" : "transfer", sg_host_by_name("host"));
    sg_actor_set_data(h->actor, h);
    sg_actor_start_(h->actor, helper_main, 0, NULL);
    return h;
}

void gsim_engine_transfer(struct gsim_engine *engine, gsim_time at, const struct gsim_leg *leg, uint64_t bytes, void *tag)
{
    GSIM_INVARIANT(leg->gpu < GSIM_MAX_GPUS && leg->peer < GSIM_MAX_GPUS);
    set_links(engine, leg->gpu);
    set_links(engine, leg->peer);
    if (gsim_engine_clock(engine) + slack() < at) {
        GSIM_INVARIANT(engine->in_flight == 0);
        sg_actor_sleep_until(engine->start_seconds + gsim_time_seconds(at));
    }
    struct helper *h = idle_helper(engine, HELPER_TRANSFER);
    h->leg = *leg;
    h->until = at;
    h->bytes = bytes;
    h->tag = tag;
    h->busy = h->assigned = true;
    engine->in_flight++;
    engine->calls += 3;
    sg_actor_resume(h->actor);
}

/* Of LINK, a cap in DIRECTION: what is left of that, at least a share of it. */
static void set_rest(const struct gsim_engine *e, uint32_t gpu, enum gsim_link link, enum gsim_link direction, double reserved_gbps)
{
    double whole = e->platform->link_gbps[direction], rest = fmax(whole - reserved_gbps, e->platform->beside_faults_least * whole);
    set_link(gpu, link, fmin(e->platform->link_gbps[link], rest));
}

void gsim_engine_reserve(struct gsim_engine *engine, uint32_t gpu, double to_device_gbps, double to_host_gbps)
{
    double *reserved = engine->reserved_gbps[gpu];
    double change = fabs(to_device_gbps - reserved[0]) + fabs(to_host_gbps - reserved[1]);
    if (change <= 1e-3 * (reserved[0] + reserved[1])) return;
    set_links(engine, gpu);
    reserved[0] = to_device_gbps;
    reserved[1] = to_host_gbps;
    set_rest(engine, gpu, GSIM_LINK_H2D, GSIM_LINK_H2D, to_device_gbps);
    set_rest(engine, gpu, GSIM_LINK_BULK_H2D, GSIM_LINK_H2D, to_device_gbps);
    set_rest(engine, gpu, GSIM_LINK_STAGE_H2D, GSIM_LINK_H2D, to_device_gbps);
    set_rest(engine, gpu, GSIM_LINK_D2H, GSIM_LINK_D2H, to_host_gbps);
    set_rest(engine, gpu, GSIM_LINK_STAGE_D2H, GSIM_LINK_D2H, to_host_gbps);
    engine->calls += 5;
}

uint32_t gsim_engine_transfers_in_flight(const struct gsim_engine *engine) { return engine->in_flight; }

void gsim_engine_wait(struct gsim_engine *engine, gsim_time until)
{
    if (engine->ended_first || until - slack() <= gsim_engine_clock(engine)) return;
    bool is_armed = until == GSIM_TIME_NEVER;
    for (struct helper *h = engine->helpers; h && !is_armed; h = h->next)
        is_armed = h->kind == HELPER_TIMER && h->busy && h->until <= until;
    if (!is_armed) {
        struct helper *h = idle_helper(engine, HELPER_TIMER);
        h->until = until;
        h->busy = h->assigned = true;
        sg_actor_resume(h->actor);
    }
    engine->calls += 2;
    engine->woken = false;
    engine->waiting = sg_actor_self();
    while (!engine->woken) sg_actor_suspend(sg_actor_self());
    engine->waiting = NULL;
}

void *gsim_engine_ended(struct gsim_engine *engine, gsim_time *when)
{
    struct helper *h = engine->ended_first;
    if (!h) return NULL;
    engine->ended_first = h->next_ended;
    if (!engine->ended_first) engine->ended_last = &engine->ended_first;
    engine->in_flight--;
    *when = h->end;
    h->busy = false;
    return h->tag;
}
