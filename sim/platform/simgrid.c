/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SimGrid behind sim/platform/engine.c, loaded on demand: Debian's loads 25 libraries, which takes longer than a small
 * run. The C++ part is a module (sim/platform/wires.h). Limits of SimGrid 3.32: timed waits leak, so sleeping "timer"
 * actors wake a suspended one; a resume before the suspend is lost, so every wake-up also sets a flag; one engine a
 * process.
 */
#include "sim/platform/simgrid.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/ends.h"
#include "sim/platform/wires.h"

/* SimGrid ends the process when its own allocations fail: it is asked for these only while there is so much. */
#define LOAD_BYTES  (48 << 20) /* its libraries */
#define SETUP_BYTES (4 << 20)
#define ACTOR_BYTES (640 << 10) /* its stack of 512 KB, and what else it has */

#ifdef __SANITIZE_ADDRESS__
/* SimGrid keeps links and routes that are made on demand to the process's end, reachable only from itself. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_suppressions(void) { return "leak:libsimgrid\n"; }
const char *__lsan_default_options(void) { return "print_suppressions=0"; }
#endif

/* Its functions that are used, by their own names: sg.NAME(). */
#define FUNCTIONS(X)                                                                                                   \
    X(simgrid_init)                                                                                                    \
    X(simgrid_run) X(simgrid_get_clock) X(sg_actor_init) X(sg_actor_start_) X(sg_actor_set_data) X(sg_actor_self)      \
        X(sg_actor_self_get_data) X(sg_actor_suspend) X(sg_actor_resume) X(sg_actor_sleep_until) X(sg_host_sendto)     \
            X(sg_link_set_bandwidth)
#define MEMBER(name) __typeof__(name) *name;
static struct { FUNCTIONS(MEMBER) } sg; /* as SimGrid itself, one per process */
static const struct gsim_wires_ops *wires;

enum helper_kind { HELPER_TIMER, HELPER_TRANSFER };

/* An actor that sleeps until a time, or moves bytes along a route, then wakes the waiting thread. */
struct gsim_helper {
    struct gsim_simgrid *simgrid;
    sg_actor_t actor;
    enum helper_kind kind;
    bool busy;     /* from its assignment until its end was seen */
    bool assigned; /* has work that it did not start yet */
    gsim_time until;       /* timer: its end; transfer: its start */
    uint32_t endpoint;     /* transfer */
    double latency_us;
    uint64_t bytes;
    void *tag;
    gsim_time end;
    struct gsim_helper *next;       /* all helpers of this run */
    struct gsim_helper *next_ended; /* ended transfers, oldest first */
};

/* SimGrid's clock, for each run to begin at 0: a double that goes on over the runs of a process rounds the later ones
 * differently. NULL: a version that hides it. */
static double *own_clock;

/* By the name that it was built with, or where it was then. */
static enum gsim_status load_library(struct gsim_error *error)
{
    if (!gsim_ends_has_memory(LOAD_BYTES)) return gsim_no_memory(error);
    gsim_ends_guard_cpp();
    void *library = dlopen(GPUSIM_SIMGRID_NAME, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) library = dlopen(GPUSIM_SIMGRID_FILE, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) return gsim_error_set(error, GSIM_IO, "cannot load SimGrid: %s", dlerror());
#define TAKE(name)                                                                                                     \
    *(void **)&sg.name = dlsym(library, #name);                                                                        \
    if (!sg.name) return gsim_error_set(error, GSIM_IO, "cannot load SimGrid: %s", dlerror());
    FUNCTIONS(TAKE)
    own_clock = dlsym(library, "_ZN7simgrid6kernel10EngineImpl4now_E");
    return GSIM_OK;
}

/* Beside the program or the library, in an installation, or where it was built. */
static void *open_module(void)
{
    static const char marker = 0;
    static const char *const places[] = {"/" GPUSIM_WIRES_NAME, "/" GPUSIM_LIBRARY_WIRES, "/" GPUSIM_PROGRAM_WIRES};
    char file[2][PATH_MAX], path[PATH_MAX + 128];
    Dl_info info;
    ssize_t length = readlink("/proc/self/exe", file[0], sizeof file[0] - 1);
    file[0][length > 0 ? length : 0] = '\0';
    if (!dladdr(&marker, &info) || !info.dli_fname || !realpath(info.dli_fname, file[1])) file[1][0] = '\0';
    for (int f = 0; f < 2; f++) {
        char *slash = strrchr(file[f], '/');
        if (!slash) continue;
        *slash = '\0';
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            int size = snprintf(path, sizeof path, "%s%s", file[f], places[i]);
            void *module = size < 0 || (size_t)size >= sizeof path || access(path, R_OK)
                               ? NULL
                               : dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
            if (module) return module;
        }
    }
    void *module = dlopen(GPUSIM_BUILT_WIRES, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return module ? module : dlopen(GPUSIM_INSTALLED_WIRES, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static enum gsim_status load_module(struct gsim_error *error)
{
    void *module = open_module();
    wires = module ? dlsym(module, GSIM_WIRES_SYMBOL) : NULL;
    if (!wires)
        return gsim_error_set(error, GSIM_IO, "cannot load %s, which SimGrid's part is in: %s", GPUSIM_WIRES_NAME,
                              dlerror());
    return wires->abi == GSIM_WIRES_ABI ? GSIM_OK
                                        : gsim_error_set(error, GSIM_IO, "%s is of another version", GPUSIM_WIRES_NAME);
}

static void set_up(void)
{
    char arguments[][64] = {
        "gpusim", "--log=root.thres:critical", "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0",
        "--cfg=network/TCP-gamma:0", "--cfg=surf/precision:1e-12", "--cfg=contexts/stack-size:512",
        /* Streams that meet on a link share it alike: none has a latency or another weight there. */
        "--cfg=network/weight-S:0",
        "--cfg=debug/clean-atexit:no",
#if defined(__SANITIZE_ADDRESS__) || defined(GPUSIM_THREAD_CONTEXTS)
        "--cfg=contexts/factory:thread", /* the sanitizers do not follow hand-made stacks */
#endif
    };
    int count = (int)(sizeof arguments / sizeof arguments[0]);
    char *list[16] = {NULL};
    for (int i = 0; i < count; i++) list[i] = arguments[i];
    struct sigaction interrupt;
    sigset_t old;
    gsim_ends_hold(&old); /* SimGrid takes SIGINT, to exit with 1: none arrives before it is given back */
    sigaction(SIGINT, NULL, &interrupt);
    sg.simgrid_init(&count, list);
    sigaction(SIGINT, &interrupt, NULL);
    gsim_ends_restore(&old);
}

/* SimGrid itself is the process-wide state here: it is set up at its first use and stays. */
enum gsim_status gsim_simgrid_load(struct gsim_error *error)
{
    static bool is_loaded, is_set_up; /* what failed is tried again by the next run */
    enum gsim_status status = GSIM_OK;
    if (!is_loaded) {
        status = load_library(error);
        if (!status) status = load_module(error);
        is_loaded = !status;
    }
    if (!status && !gsim_ends_has_memory(SETUP_BYTES)) return gsim_no_memory(error);
    if (!status && !is_set_up) {
        set_up();
        is_set_up = true;
    }
    if (!status && own_clock) *own_clock = 0;
    return status;
}

void gsim_simgrid_run(void) { sg.simgrid_run(); }
double gsim_simgrid_clock(void) { return sg.simgrid_get_clock(); }
void gsim_simgrid_sleep_until(double seconds) { sg.sg_actor_sleep_until(seconds); }

double gsim_simgrid_gbps(const struct gsim_simgrid *s, uint32_t link)
{
    const struct gsim_platform *p = s->platform;
    double gbps = gsim_platform_link_gbps(p, link);
    enum gsim_move move;
    uint32_t device;
    int direction;
    if (!gsim_platform_owner(p, link, &device, &move, &direction) || device >= p->device_count ||
        !s->reserved[device].is_cut)
        return gbps;
    if (move == GSIM_MOVE_FAULT || (move == GSIM_MOVE_BULK && direction == GSIM_TO_HOST)) return gbps;
    /* What is left of the direction, at least a share of it. */
    double whole = p->access[device]->gbps[GSIM_MOVE_PINNED][direction];
    return fmin(gbps,
                fmax(whole - s->reserved[device].gbps[direction], p->access[device]->beside_faults_least * whole));
}

/* Latencies are the helpers' own: 3.32 loses a transfer whose link changes while the transfer is in its latency. */
static void tell(struct gsim_simgrid *s, uint32_t link)
{
    uint32_t wire = s->wires[link];
    double gbps = gsim_simgrid_gbps(s, link);
    if (s->told_gbps[wire] == gbps) return;
    s->told_gbps[wire] = gbps;
    sg.sg_link_set_bandwidth(wires->wire(wire - 1), gbps * 1e9);
}

void gsim_simgrid_set_links(struct gsim_simgrid *s, uint32_t device)
{
    for (int move = 0; s->wires && move < GSIM_OWN_MOVES; move++)
        for (int direction = 0; direction < 2; direction++) {
            uint32_t link = gsim_platform_own_link(s->platform, device, (enum gsim_move)move, direction);
            if (s->wires[link]) tell(s, link);
        }
}

/* A wire of the run's for LINK, with what it has now. */
static uint32_t wire_of(struct gsim_simgrid *s, uint32_t link)
{
    if (!s->wires) s->wires = GSIM_ARENA_ARRAY(&s->arena, uint32_t, s->platform->node->link_count);
    if (!s->wires) gsim_ends_out_of_memory();
    if (!s->wires[link]) {
        if (s->wire_count + 1 >= s->wire_room) {
            uint32_t room = s->wire_room ? 2 * s->wire_room : 64;
            double *told = GSIM_ARENA_ARRAY(&s->arena, double, room);
            if (!told || !gsim_ends_has_memory(SETUP_BYTES)) gsim_ends_out_of_memory();
            if (s->told_gbps) memcpy(told, s->told_gbps, s->wire_room * sizeof *told);
            s->told_gbps = told;
            s->wire_room = room;
        }
        s->wires[link] = ++s->wire_count;
    }
    tell(s, link);
    return s->wires[link] - 1;
}

/* Tells SimGrid the route of ENDPOINT's next transfer; returns its latency. */
static double set_route(struct gsim_simgrid *s, uint32_t endpoint, const struct gsim_leg *leg)
{
    struct gsim_route route;
    uint32_t ways[GSIM_ROUTE_LINKS];
    const struct gsim_network *network = &s->platform->node->network;
    bool exists = gsim_platform_route(s->platform, leg, &route);
    GSIM_INVARIANT(exists);
    for (uint32_t i = 0; i < route.count; i++) ways[i] = wire_of(s, route.links[i]);
    bool crosses = route.leaves[0] != GSIM_NO_LEAF && network->topology != GSIM_TOPOLOGY_CROSSBAR;
    wires->route(endpoint, ways, route.count, crosses ? network : NULL, s->platform->node->leaf_count, route.leaves);
    return route.latency_us;
}

static void *first_start(void)
{
    void *start, *end;
    wires->endpoint(0, &start, &end);
    return start;
}

static void actor_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    struct gsim_actor *self = sg.sg_actor_self_get_data();
    while (!self->may_run) sg.sg_actor_suspend(sg.sg_actor_self());
    self->simgrid->self = self;
    self->body(self->argument);
}

void gsim_simgrid_start(struct gsim_simgrid *s, struct gsim_actor *actor)
{
    actor->simgrid = s;
    sg_actor_t handle = sg.sg_actor_init("thread", first_start());
    actor->handle = handle;
    sg.sg_actor_set_data(handle, actor);
    sg.sg_actor_start_(handle, actor_main, 0, NULL);
    s->calls++;
}

struct gsim_actor *gsim_simgrid_spawn(struct gsim_simgrid *s, void (*body)(void *), void *argument)
{
    struct gsim_actor *actor = gsim_ends_has_memory(ACTOR_BYTES) ? GSIM_ARENA_NEW(&s->arena, struct gsim_actor) : NULL;
    if (!actor) return NULL;
    *actor = (struct gsim_actor){.body = body, .argument = argument};
    gsim_simgrid_start(s, actor);
    return actor;
}

gsim_time gsim_simgrid_time(const struct gsim_simgrid *s)
{
    return gsim_time_from_seconds(sg.simgrid_get_clock() - s->start_seconds);
}

static gsim_time slack(void) { return gsim_clock_slack(sg.simgrid_get_clock()); }

void gsim_simgrid_release(struct gsim_simgrid *s, struct gsim_actor *to)
{
    to->may_run = true;
    s->calls++;
    sg.sg_actor_resume(to->handle);
}

void gsim_simgrid_switch(struct gsim_simgrid *s, struct gsim_actor *to)
{
    struct gsim_actor *self = s->self;
    if (to == self) return;
    self->may_run = false;
    gsim_simgrid_release(s, to);
    while (!self->may_run) sg.sg_actor_suspend(self->handle);
    s->self = self;
}

void gsim_simgrid_finish(struct gsim_simgrid *s)
{
    s->is_over = true;
    for (struct gsim_helper *h = s->helpers; h; h = h->next)
        if (!h->busy) sg.sg_actor_resume(h->actor);
}

static void wake_waiting(struct gsim_simgrid *s)
{
    s->woken = true;
    if (!s->waiting) return;
    sg_actor_t actor = s->waiting;
    s->waiting = NULL;
    sg.sg_actor_resume(actor);
}

static void helper_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    struct gsim_helper *self = sg.sg_actor_self_get_data();
    struct gsim_simgrid *s = self->simgrid;
    for (;;) {
        while (!self->assigned && !s->is_over) sg.sg_actor_suspend(sg.sg_actor_self());
        if (!self->assigned) return;
        self->assigned = false;
        if (self->kind == HELPER_TIMER) {
            sg.sg_actor_sleep_until(s->start_seconds + gsim_time_seconds(self->until));
            self->busy = false;
        } else {
            void *start, *end;
            wires->endpoint(self->endpoint, &start, &end);
            if (self->latency_us > 0)
                sg.sg_actor_sleep_until(s->start_seconds + gsim_time_seconds(self->until) + self->latency_us * 1e-6);
            sg.sg_host_sendto(start, end, (double)self->bytes);
            self->end = (gsim_simgrid_time(s) + slack()) / GSIM_END_GRID * GSIM_END_GRID;
            self->next_ended = NULL;
            *s->ended_last = self;
            s->ended_last = &self->next_ended;
        }
        wake_waiting(s);
    }
}

static struct gsim_helper *idle_helper(struct gsim_simgrid *s, enum helper_kind kind)
{
    for (struct gsim_helper *h = s->helpers; h; h = h->next)
        if (h->kind == kind && !h->busy) return h;
    struct gsim_helper *h = gsim_ends_has_memory(ACTOR_BYTES) ? GSIM_ARENA_NEW(&s->arena, struct gsim_helper) : NULL;
    if (!h) gsim_ends_out_of_memory();
    *h = (struct gsim_helper){.simgrid = s, .kind = kind, .next = s->helpers};
    if (kind == HELPER_TRANSFER) {
        void *start, *end;
        h->endpoint = s->endpoint_count++;
        wires->endpoint(h->endpoint, &start, &end);
    }
    s->helpers = h;
    h->actor = sg.sg_actor_init(kind == HELPER_TIMER ? "timer" : "transfer", first_start());
    sg.sg_actor_set_data(h->actor, h);
    sg.sg_actor_start_(h->actor, helper_main, 0, NULL);
    return h;
}

void gsim_simgrid_transfer(struct gsim_simgrid *s, gsim_time at, const struct gsim_leg *leg, uint64_t bytes, void *tag)
{
    if (gsim_simgrid_time(s) + slack() < at) {
        GSIM_INVARIANT(s->in_flight == 0);
        sg.sg_actor_sleep_until(s->start_seconds + gsim_time_seconds(at));
    }
    struct gsim_helper *h = idle_helper(s, HELPER_TRANSFER);
    h->latency_us = set_route(s, h->endpoint, leg);
    h->until = at;
    h->bytes = bytes;
    h->tag = tag;
    h->busy = h->assigned = true;
    s->in_flight++;
    s->calls += 3;
    sg.sg_actor_resume(h->actor);
}

void gsim_simgrid_wait(struct gsim_simgrid *s, gsim_time until)
{
    if (s->ended_first || until - slack() <= gsim_simgrid_time(s)) return;
    bool is_armed = until == GSIM_TIME_NEVER;
    for (struct gsim_helper *h = s->helpers; h && !is_armed; h = h->next)
        is_armed = h->kind == HELPER_TIMER && h->busy && h->until <= until;
    if (!is_armed) {
        struct gsim_helper *h = idle_helper(s, HELPER_TIMER);
        h->until = until;
        h->busy = h->assigned = true;
        sg.sg_actor_resume(h->actor);
    }
    s->calls += 2;
    s->woken = false;
    s->waiting = sg.sg_actor_self();
    while (!s->woken) sg.sg_actor_suspend(sg.sg_actor_self());
    s->waiting = NULL;
}

void *gsim_simgrid_ended(struct gsim_simgrid *s, gsim_time *when)
{
    struct gsim_helper *h = s->ended_first;
    if (!h) return NULL;
    s->ended_first = h->next_ended;
    if (!s->ended_first) s->ended_last = &s->ended_first;
    s->in_flight--;
    *when = h->end;
    h->busy = false;
    return h->tag;
}
