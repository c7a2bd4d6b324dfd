/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SimGrid behind sim/platform/engine.c, loaded when it is needed: Debian's brings 25 libraries along, which take longer than a
 * small run. Traps of SimGrid 3.32 that shape this file: its timed waits leak (so sleeping "timer" actors wake a suspended
 * one instead), a resume that comes before the suspend is lost (so every wake-up is a flag as well), one engine per process.
 */
#include "sim/platform/simgrid.h"

#include <dlfcn.h>
#include <errno.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/base/ends.h"

/* SimGrid ends the process when its own allocations fail: it is asked for these only while there is so much. */
#define LOAD_BYTES  (48 << 20) /* its libraries */
#define SETUP_BYTES (4 << 20)
#define ACTOR_BYTES (640 << 10) /* its stack of 512 KB, and what else it has */

/* Its functions that are used, by their own names: sg.NAME(). */
#define FUNCTIONS(X)                                                                                                       \
    X(simgrid_init) X(simgrid_load_platform) X(simgrid_run) X(simgrid_get_clock)                                           \
    X(sg_actor_init) X(sg_actor_start_) X(sg_actor_set_data) X(sg_actor_self) X(sg_actor_self_get_data)                    \
    X(sg_actor_suspend) X(sg_actor_resume) X(sg_actor_sleep_until)                                                         \
    X(sg_host_by_name) X(sg_host_sendto) X(sg_link_by_name) X(sg_link_set_bandwidth)
#define MEMBER(name) __typeof__(name) *name;
static struct { FUNCTIONS(MEMBER) } sg; /* as SimGrid itself, one per process */

enum helper_kind { HELPER_TIMER, HELPER_TRANSFER };

/* An actor that sleeps until a time, or moves bytes along a route, then wakes the waiting thread. */
struct gsim_helper {
    struct gsim_simgrid *simgrid;
    sg_actor_t actor;
    enum helper_kind kind;
    bool busy;     /* from its assignment until its end was seen */
    bool assigned; /* has work that it did not start yet */
    gsim_time until;       /* timer: its end; transfer: its start */
    struct gsim_leg leg;   /* transfer */
    uint64_t bytes;
    void *tag;
    gsim_time end;
    struct gsim_helper *next;       /* all helpers of this run */
    struct gsim_helper *next_ended; /* ended transfers, oldest first */
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

void gsim_simgrid_hops(const struct gsim_leg *leg, struct gsim_hop hops[2])
{
    for (int i = 0; i < 2; i++) hops[i] = (struct gsim_hop){i && is_between_gpus(leg->route) ? leg->peer : leg->gpu, routes[leg->route].links[i]};
}

static sg_link_t link_of(uint32_t gpu, enum gsim_link link)
{
    char name[24];
    snprintf(name, sizeof name, "gpu%u_link%d", gpu, (int)link);
    return sg.sg_link_by_name(name);
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
    sg.simgrid_load_platform(path);
    fclose(file);
    return GSIM_OK;
}

/* By the name that it was built with, or where it was then. */
static enum gsim_status load_library(struct gsim_error *error)
{
    if (!gsim_ends_has_memory(LOAD_BYTES)) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    void *library = dlopen(GPUSIM_SIMGRID_NAME, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) library = dlopen(GPUSIM_SIMGRID_FILE, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) return gsim_error_set(error, GSIM_IO, "cannot load SimGrid: %s", dlerror());
#define TAKE(name)                                                                                                         \
    *(void **)&sg.name = dlsym(library, #name);                                                                            \
    if (!sg.name) return gsim_error_set(error, GSIM_IO, "cannot load SimGrid: %s", dlerror());
    FUNCTIONS(TAKE)
    gsim_ends_loaded(library);
    return GSIM_OK;
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
    static bool is_loaded, is_set_up, has_platform; /* what failed is tried again by the next run */
    enum gsim_status status = GSIM_OK;
    if (!is_loaded) {
        status = load_library(error);
        is_loaded = !status;
    }
    if (!status && !gsim_ends_has_memory(SETUP_BYTES)) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (!status && !is_set_up) {
        set_up();
        is_set_up = true;
    }
    if (!status && !has_platform) {
        status = load_platform(error);
        has_platform = !status;
    }
    return status;
}

void gsim_simgrid_run(void) { sg.simgrid_run(); }
double gsim_simgrid_clock(void) { return sg.simgrid_get_clock(); }
void gsim_simgrid_sleep_until(double seconds) { sg.sg_actor_sleep_until(seconds); }

/* Latencies are the helpers' own: 3.32 loses a transfer whose link changes while the transfer is in its latency. */
void gsim_simgrid_set_links(struct gsim_simgrid *s, uint32_t gpu)
{
    for (int l = 0; l < GSIM_LINK_COUNT; l++) {
        if (s->told_gbps[gpu][l] == s->gbps[gpu][l]) continue;
        s->told_gbps[gpu][l] = s->gbps[gpu][l];
        sg.sg_link_set_bandwidth(link_of(gpu, (enum gsim_link)l), s->gbps[gpu][l] * 1e9);
    }
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
    sg_actor_t handle = sg.sg_actor_init("thread", sg.sg_host_by_name("host"));
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

/* The host at one end of a transfer. */
static sg_host_t end_of(const struct gsim_leg *leg, bool is_start)
{
    char name[24];
    const char *fixed = is_start ? routes[leg->route].from : routes[leg->route].to;
    uint32_t gpu = is_between_gpus(leg->route) && !is_start ? leg->peer : leg->gpu;
    snprintf(name, sizeof name, "%sgpu%u", leg->route == GSIM_ROUTE_PORT ? "port_" : "", gpu);
    return sg.sg_host_by_name(fixed ? fixed : name);
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
            double latency = s->latency_us[self->leg.route];
            if (latency > 0) sg.sg_actor_sleep_until(s->start_seconds + gsim_time_seconds(self->until) + latency * 1e-6);
            sg.sg_host_sendto(end_of(&self->leg, true), end_of(&self->leg, false), (double)self->bytes);
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
    s->helpers = h;
    h->actor = sg.sg_actor_init(kind == HELPER_TIMER ? "timer" : "transfer", sg.sg_host_by_name("host"));
    sg.sg_actor_set_data(h->actor, h);
    sg.sg_actor_start_(h->actor, helper_main, 0, NULL);
    return h;
}

void gsim_simgrid_transfer(struct gsim_simgrid *s, gsim_time at, const struct gsim_leg *leg, uint64_t bytes, void *tag)
{
    gsim_simgrid_set_links(s, leg->gpu);
    gsim_simgrid_set_links(s, leg->peer);
    if (gsim_simgrid_time(s) + slack() < at) {
        GSIM_INVARIANT(s->in_flight == 0);
        sg.sg_actor_sleep_until(s->start_seconds + gsim_time_seconds(at));
    }
    struct gsim_helper *h = idle_helper(s, HELPER_TRANSFER);
    h->leg = *leg;
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
