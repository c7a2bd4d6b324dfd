/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See serving/server.h. Servers behind a router: the one whose clock is the least has its turn, after the router has
 * given out what has come until then. What ends with a server's round counts as its load until then.
 */
#include "serving/server.h"

#include <math.h>

#include "serving/replica.h"

struct fleet {
    const struct gsim_server *given;
    struct gsim_replica *replicas;
    bool *is_done;
    uint32_t count;
    struct gsim_coming feed;
};

static bool init(struct gsim_replica *s)
{
    const struct gsim_serving_spec *spec = s->spec;
    s->slots = gsim_alloc(sizeof *s->slots * spec->slots);
    s->pieces = gsim_alloc(sizeof *s->pieces * (spec->slots + 1));
    s->chunks = gsim_alloc(sizeof *s->chunks * (spec->slots + 1));
    s->state = gsim_alloc(s->given->policy->state_size + 1);
    if (spec->arrivals.blocks && !spec->cache.forgets && !(s->prefix = gsim_prefix_create())) return false;
    if (!s->slots || !s->state || !s->pieces || !s->chunks) return false;
    for (uint32_t i = 0; i < spec->slots; i++) s->slots[i] = GSIM_NO_REQUEST;
    gsim_blocks_init(&s->cache, spec->cache.tokens, spec->cache.block);
    if (s->given->policy->open) s->given->policy->open(s->state, s->given->params);
    return true;
}

/* --- the router --- */

/* Tokens of prompts that REPLICA would have to compute with ARRIVAL: of all its requests, and what its cache lacks. */
static double tokens_of(const struct gsim_replica *s, const struct gsim_served_arrival *a)
{
    double todo = s->todo + (s->late_us > a->arrival_us ? s->late_tokens : 0);
    if (!a->block_count || !s->prefix) return todo + a->prompt;
    const uint64_t *names = s->spec->arrivals.blocks + a->first_block;
    double kept = (double)gsim_prefix_find(s->prefix, names, a->block_count, false) * GSIM_PREFIX_BLOCK;
    return todo + fmax(a->prompt - kept, 1);
}

/* Who gets the next request: in turn; who has the fewest; who has the least to compute, then the fewest. */
static struct gsim_replica *choose(const struct fleet *f)
{
    enum gsim_router router = f->given->spec->router;
    struct gsim_replica *best = f->replicas;
    if (router == GSIM_ROUTER_ROUND_ROBIN) return &f->replicas[f->feed.taken % f->count];
    double least = INFINITY, fewest = INFINITY;
    for (uint32_t i = 0; i < f->count; i++) {
        struct gsim_replica *s = &f->replicas[i];
        double requests = (double)(s->requests + (s->late_us > f->feed.next.arrival_us ? s->late_requests : 0));
        double cost = router == GSIM_ROUTER_LEAST_LOADED ? requests : tokens_of(s, &f->feed.next);
        if (cost < least || (cost <= least && requests < fewest)) least = cost, fewest = requests, best = s;
    }
    return best;
}

static void give_out(struct fleet *f, double until_us)
{
    struct gsim_coming *feed = &f->feed;
    while (feed->has_next && feed->next.arrival_us <= until_us) {
        struct gsim_replica *s = choose(f);
        if (!feed->taken) s->result->first_arrival_us = feed->next.arrival_us;
        gsim_replica_take(s, &feed->next, feed->taken++);
        feed->has_next = gsim_arrivals_next(&feed->walk, &feed->next);
    }
}

/* --- all of them --- */

static bool has_failed(const struct fleet *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->replicas[i].failed || f->replicas[i].machine->ops->has_failed(f->replicas[i].machine)) return true;
    return false;
}

/* The turn of who is the furthest behind. False: nobody has one any more. */
static bool advance_last(struct fleet *f)
{
    uint32_t next = f->count;
    double soonest = INFINITY;
    for (uint32_t i = 0; i < f->count; i++) {
        struct gsim_serving_machine *m = f->replicas[i].machine;
        double now = f->is_done[i] ? INFINITY : m->ops->now_us(m);
        if (now < soonest) soonest = now, next = i;
    }
    if (next == f->count) return false;
    struct gsim_replica *s = &f->replicas[next];
    gsim_replica_poll(s);
    give_out(f, s->machine->ops->now_us(s->machine));
    f->is_done[next] = !gsim_replica_turn(s);
    return true;
}

static enum gsim_status end(struct gsim_replica *s)
{
    s->result->cache_most += s->cache.most * s->cache.size;
    s->result->cache_time += s->cache.time * s->cache.size;
    if (!s->requests) return GSIM_OK;
    const struct gsim_entry *e = s->waiting.count ? &s->pool[*gsim_waiting_at(&s->waiting, 0)] : NULL;
    return gsim_error_set(s->error, GSIM_INPUT,
                          "request %llu can never run: its %u tokens do not fit the cache of %.0f",
                          e ? (unsigned long long)e->number : 0ull, e ? e->s.prompt : 0, s->spec->cache.tokens);
}

static enum gsim_status run(struct fleet *f, struct gsim_serving_result *result, struct gsim_error *error)
{
    while (!has_failed(f))
        if (!advance_last(f)) break;
    for (uint32_t i = 0; i < f->count; i++)
        if (f->replicas[i].failed) return error->status;
    for (uint32_t i = 0; i < f->count && !has_failed(f); i++)
        if (end(&f->replicas[i])) return error->status;
    for (int i = 0; i < GSIM_SERVED_COUNT; i++)
        if (result->figures[i].failed) return gsim_no_memory(error);
    return GSIM_OK;
}

enum gsim_status gsim_serve(const struct gsim_server *server, struct gsim_serving_machine *const *machines,
                            uint32_t count, struct gsim_serving_result *result, struct gsim_error *error)
{
    const struct gsim_arrivals *arrivals = &server->spec->arrivals;
    struct fleet f = {.given = server, .count = count};
    *result = (struct gsim_serving_result){0};
    f.replicas = gsim_alloc(sizeof *f.replicas * count);
    f.is_done = gsim_alloc(sizeof *f.is_done * count);
    if (server->keeps) result->ends = gsim_alloc(sizeof *result->ends * ((size_t)arrivals->count + 1));
    bool ok = f.replicas && f.is_done && (!server->keeps || result->ends);
    for (uint32_t i = 0; i < count && f.replicas; i++) {
        f.replicas[i] = (struct gsim_replica){.given = server,
                                              .spec = server->spec,
                                              .machine = machines[i],
                                              .feed = &f.feed,
                                              .result = result,
                                              .error = error,
                                              .flight = GSIM_NO_REQUEST};
        ok = ok && init(&f.replicas[i]);
    }
    f.feed.walk = (struct gsim_arrival_walk){.arrivals = arrivals, .numbers = server->arrivals};
    if (ok) f.feed.has_next = gsim_arrivals_next(&f.feed.walk, &f.feed.next);
    enum gsim_status status = ok ? run(&f, result, error) : gsim_no_memory(error);
    for (uint32_t i = 0; i < count && f.replicas; i++) {
        struct gsim_replica *s = &f.replicas[i];
        gsim_blocks_release(&s->cache);
        gsim_prefix_destroy(s->prefix);
        gsim_free(s->pool);
        gsim_free(s->seen);
        gsim_free(s->unused.list);
        gsim_free(s->waiting.list);
        gsim_free(s->slots);
        gsim_free(s->pieces);
        gsim_free(s->chunks);
        gsim_free(s->state);
    }
    gsim_free(f.replicas);
    gsim_free(f.is_done);
    return status;
}
