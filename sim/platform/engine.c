/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See sim/platform/engine.h. One host thread and one transfer at a time need no SimGrid: a transfer takes its latency,
 * then its bytes over its narrowest link. A second thread, a second transfer in flight, or a link that changes during a
 * transfer needs it: from then on SimGrid does everything until the end of the run (sim/platform/simgrid.c).
 *
 *   the caller's stack       enter --> first thread (a coroutine) --leave: SimGrid is needed--> loads it, runs its loop
 *   actor of the first thread    <-- enters the coroutine in its stead; serves what that asks of SimGrid
 */
#include "sim/platform/engine.h"

#include <math.h>

#include "sim/base/ends.h"
#include "sim/platform/coroutine.h"
#include "sim/platform/simgrid.h"


/* A transfer that is alone. More than one are in flight only where SimGrid could not be loaded. */
struct flight {
    struct gsim_leg leg;
    uint64_t bytes;
    void *tag;
    gsim_time at;
    double began, end; /* seconds since the run began, as the clock */
    bool is_over;      /* waits to be told */
    struct flight *next;
};

/* What the first thread asks of SimGrid. */
struct request {
    enum { RELEASE, SWITCH, SPAWN, FINISH, TRANSFER, SET_LINKS, WAIT } kind;
    struct gsim_actor *actor; /* RELEASE, SWITCH; what SPAWN made */
    void (*body)(void *);     /* SPAWN */
    void *argument;
    gsim_time at;             /* TRANSFER, WAIT */
    const struct gsim_leg *leg;
    uint64_t bytes;
    void *tag;
    uint32_t device;          /* SET_LINKS */
};

struct gsim_engine {
    struct gsim_simgrid simgrid;
    bool is_shared;        /* SimGrid has taken over */
    const struct gsim_platform *platform;
    struct gsim_coroutine *coroutine; /* the first thread's */
    struct gsim_actor first;
    void (*main_thread)(void *);
    void *argument;
    struct request *request;
    struct gsim_error failure; /* SimGrid could not be loaded: the run goes on without, and fails */
    double clock;          /* seconds, until SimGrid has taken over */
    struct flight *flights, *idle; /* in order of their starts */
    uint32_t flight_count;
};

static struct flight *new_flight(struct gsim_engine *e)
{
    struct flight *f = e->idle ? e->idle : GSIM_ARENA_NEW(&e->simgrid.arena, struct flight), **last = &e->flights;
    if (!f) gsim_ends_out_of_memory();
    if (e->idle) e->idle = f->next;
    while (*last) last = &(*last)->next;
    *last = f;
    e->flight_count++;
    return f;
}

static void drop_flight(struct gsim_engine *e, struct flight **place)
{
    struct flight *f = *place;
    *place = f->next;
    f->next = e->idle;
    e->idle = f;
    e->flight_count--;
}

/* --- the first thread and SimGrid ------------------------------------------------------------------------- */

static void serve(struct gsim_engine *e, struct request *r)
{
    struct gsim_simgrid *s = &e->simgrid;
    switch (r->kind) {
    case RELEASE: gsim_simgrid_release(s, r->actor); break;
    case SWITCH: gsim_simgrid_switch(s, r->actor); break;
    case SPAWN: r->actor = gsim_simgrid_spawn(s, r->body, r->argument); break;
    case FINISH: gsim_simgrid_finish(s); break;
    case TRANSFER: gsim_simgrid_transfer(s, r->at, r->leg, r->bytes, r->tag); break;
    case SET_LINKS: gsim_simgrid_set_links(s, r->device); break;
    case WAIT: gsim_simgrid_wait(s, r->at); break;
    }
}

/* By any thread, once SimGrid has taken over: by the first, which is no actor, through the one that stands in for
 * it. */
static void ask(struct gsim_engine *e, struct request request)
{
    if (e->simgrid.self != &e->first) {
        serve(e, &request);
        return;
    }
    e->request = &request;
    gsim_coroutine_leave(e->coroutine);
}

static void first_main(void *argument)
{
    struct gsim_engine *e = argument;
    e->main_thread(e->argument);
}

/* Starts the transfer in flight again in SimGrid, from its original start. */
static void restart_flight(struct gsim_engine *e)
{
    struct flight **place = &e->flights;
    double origin = e->clock;
    while (*place && (*place)->is_over) place = &(*place)->next;
    struct flight *f = *place;
    if (f) origin = f->began;
    e->simgrid.start_seconds = gsim_simgrid_clock() - origin;
    if (f) {
        gsim_simgrid_transfer(&e->simgrid, f->at, &f->leg, f->bytes, f->tag);
        drop_flight(e, place);
    }
    if (e->clock > origin) gsim_simgrid_sleep_until(e->simgrid.start_seconds + e->clock);
    e->is_shared = true;
}

static void stand_in(void *argument)
{
    struct gsim_engine *e = argument;
    restart_flight(e);
    while (gsim_coroutine_enter(e->coroutine)) serve(e, e->request);
}

/* Loads SimGrid. False: it cannot be loaded, and the run will fail. */
static bool needs_simgrid(struct gsim_engine *e)
{
    if (!e->is_shared && !e->failure.status) gsim_coroutine_leave(e->coroutine);
    return e->is_shared;
}

enum gsim_status gsim_engine_run(const struct gsim_platform *platform, void (*main_thread)(void *), void *argument,
                                 struct gsim_engine **running, struct gsim_error *error)
{
    struct gsim_engine engine = {.platform = platform, .main_thread = main_thread, .argument = argument};
    engine.first = (struct gsim_actor){.body = stand_in, .argument = &engine, .may_run = true};
    engine.simgrid.self = &engine.first;
    engine.simgrid.platform = platform;
    engine.simgrid.ended_last = &engine.simgrid.ended_first;
    engine.simgrid.reserved = GSIM_ARENA_ARRAY(&engine.simgrid.arena, struct gsim_reserved, platform->device_count);
    engine.idle = GSIM_ARENA_NEW(&engine.simgrid.arena, struct flight); /* and room for what cannot fail later */
    engine.coroutine = engine.idle && engine.simgrid.reserved ? gsim_coroutine_create(first_main, &engine) : NULL;
    if (!engine.coroutine) {
        gsim_arena_release(&engine.simgrid.arena);
        return gsim_no_memory(error);
    }
    *running = &engine; // cppcheck-suppress autoVariables ; until it has run, below
    while (gsim_coroutine_enter(engine.coroutine)) { /* it left: SimGrid is needed */
        if (gsim_simgrid_load(&engine.failure)) continue;
        gsim_simgrid_start(&engine.simgrid, &engine.first);
        gsim_simgrid_run(); /* returns as well when nothing can go on */
        break;
    }
    *running = NULL;
    enum gsim_status status = engine.failure.status;
    if (status) gsim_error_set(error, status, "%s", engine.failure.message);
    else if (!engine.simgrid.is_over)
        status = gsim_error_set(error, GSIM_SIM, "a transfer was lost: please report this as a fault of gpusim");
    gsim_coroutine_release(engine.coroutine);
    gsim_arena_release(&engine.simgrid.arena);
    return status;
}

uint64_t gsim_engine_calls(const struct gsim_engine *engine) { return engine->simgrid.calls; }
struct gsim_actor *gsim_engine_self(struct gsim_engine *engine) { return engine->simgrid.self; }

struct gsim_actor *gsim_engine_spawn(struct gsim_engine *engine, void (*body)(void *), void *argument)
{
    struct request request = {.kind = SPAWN, .body = body, .argument = argument};
    if (!needs_simgrid(engine)) return NULL;
    if (engine->simgrid.self != &engine->first) return gsim_simgrid_spawn(&engine->simgrid, body, argument);
    engine->request = &request; // cppcheck-suppress autoVariables ; answered before this returns
    gsim_coroutine_leave(engine->coroutine);
    return request.actor;
}

void gsim_engine_release(struct gsim_engine *engine, struct gsim_actor *to)
{
    ask(engine, (struct request){.kind = RELEASE, .actor = to});
}

void gsim_engine_switch(struct gsim_engine *engine, struct gsim_actor *to)
{
    if (to != engine->simgrid.self) ask(engine, (struct request){.kind = SWITCH, .actor = to});
}

void gsim_engine_finish(struct gsim_engine *engine)
{
    if (engine->is_shared) ask(engine, (struct request){.kind = FINISH});
    engine->simgrid.is_over = true;
}

/* --- time and transfers ------------------------------------------------------------------------------------ */

gsim_time gsim_engine_clock(const struct gsim_engine *engine)
{
    return engine->is_shared ? gsim_simgrid_time(&engine->simgrid) : gsim_time_from_seconds(engine->clock);
}

static struct gsim_route route_of(const struct gsim_engine *e, const struct gsim_leg *leg)
{
    struct gsim_route route;
    bool exists = gsim_platform_route(e->platform, leg, &route);
    GSIM_INVARIANT(exists);
    return route;
}

/* Computes the end as SimGrid does, with operations in the same order. */
static void fly_alone(struct gsim_engine *e, gsim_time at, const struct gsim_leg *leg, uint64_t bytes, void *tag)
{
    struct flight *f = new_flight(e);
    const struct gsim_route route = route_of(e, leg);
    double latency = route.latency_us;
    if (gsim_engine_clock(e) + gsim_clock_slack(e->clock) < at) e->clock = gsim_time_seconds(at);
    double gbps = route.leaves[0] == GSIM_NO_LEAF ? INFINITY : gsim_platform_network_gbps(e->platform);
    for (uint32_t i = 0; i < route.count; i++) gbps = fmin(gbps, gsim_simgrid_gbps(&e->simgrid, route.links[i]));
    double start = latency > 0 ? fmax(e->clock, gsim_time_seconds(at) + latency * 1e-6) : e->clock;
    *f = (struct flight){.leg = *leg,
                         .bytes = bytes,
                         .tag = tag,
                         .at = at,
                         .began = e->clock,
                         .end = start + (double)bytes / (gbps * 1e9)};
}

void gsim_engine_transfer(struct gsim_engine *engine, gsim_time at, const struct gsim_leg *leg, uint64_t bytes,
                          void *tag)
{
    if (engine->is_shared || (engine->flight_count && needs_simgrid(engine)))
        ask(engine, (struct request){.kind = TRANSFER, .at = at, .leg = leg, .bytes = bytes, .tag = tag});
    else
        fly_alone(engine, at, leg, bytes, tag);
}

void gsim_engine_reserve(struct gsim_engine *engine, uint32_t device, double to_device_gbps, double to_host_gbps)
{
    struct gsim_reserved *reserved = &engine->simgrid.reserved[device];
    double change =
        fabs(to_device_gbps - reserved->gbps[GSIM_TO_DEVICE]) + fabs(to_host_gbps - reserved->gbps[GSIM_TO_HOST]);
    if (change <= 1e-3 * (reserved->gbps[GSIM_TO_DEVICE] + reserved->gbps[GSIM_TO_HOST])) return;
    if (engine->flight_count) needs_simgrid(engine);
    *reserved = (struct gsim_reserved){.gbps = {to_device_gbps, to_host_gbps}, .is_cut = true};
    if (engine->is_shared) ask(engine, (struct request){.kind = SET_LINKS, .device = device});
}

uint32_t gsim_engine_transfers_in_flight(const struct gsim_engine *engine)
{
    return engine->flight_count + engine->simgrid.in_flight;
}

void gsim_engine_wait(struct gsim_engine *engine, gsim_time until)
{
    struct flight *first = NULL;
    if (engine->is_shared) {
        ask(engine, (struct request){.kind = WAIT, .at = until});
        return;
    }
    for (struct flight *f = engine->flights; f; f = f->next)
        if (!first || f->end < first->end) first = f;
    if (!first || first->is_over || until - gsim_clock_slack(engine->clock) <= gsim_engine_clock(engine)) return;
    double limit = gsim_time_seconds(until);
    first->is_over = first->end < limit + GSIM_CLOCK_PRECISION; /* at one time, the end comes first */
    engine->clock = fmax(engine->clock, first->is_over ? first->end : limit);
}

/* The transfer that ended while it was alone. */
static void *ended_alone(struct gsim_engine *e, gsim_time *when)
{
    struct flight **place = &e->flights;
    while (*place && !(*place)->is_over) place = &(*place)->next;
    struct flight *f = *place;
    if (!f) return NULL;
    drop_flight(e, place);
    *when = (gsim_time_from_seconds(f->end) + gsim_clock_slack(f->end)) / GSIM_END_GRID * GSIM_END_GRID;
    return f->tag;
}

void *gsim_engine_ended(struct gsim_engine *engine, gsim_time *when)
{
    void *tag = engine->flights ? ended_alone(engine, when) : NULL;
    return tag || !engine->is_shared ? tag : gsim_simgrid_ended(&engine->simgrid, when);
}
