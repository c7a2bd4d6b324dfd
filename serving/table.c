/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A server's GPU from a table (serving/machine.h). A round is a list of steps, one after the other, alone or beside a
 * prefill on its own stream. It is simulated the first time, and looked up from then on. Its key is the steps and the
 * prefill. While a prefill runs, each round's time is that of the same place in the simulation of this prefill with
 * rounds of the same steps until it ends; where rounds change meanwhile, the prefill's progress carries over in time.
 */
#include <math.h>
#include <string.h>

#include "serving/library.h"
#include "sim/base/slots.h"

#define ROUNDS_BESIDE 16 /* kept of a prefill's time; later ones are as the last */
#define ROUNDS_MAX    4096 /* simulated */
#define WARM_ROUNDS    2  /* the first ones of a process, which are not counted */
#define ROUNDS_ALONE   5  /* of decoding without a prefill, with these: the mean of the others counts */
#define NONE           UINT32_MAX

struct row {
    uint32_t steps[GSIM_LAUNCH_MAX];
    uint32_t count, prefill; /* PREFILL: NONE alone; COUNT 0: nothing beside it */
    double begin_us;         /* host time until the prefill is launched */
    double prefill_us;       /* from its launch to its end */
    double round_us[ROUNDS_BESIDE];
    uint32_t rounds;
};

/* A GPU of those that share the table. */
struct clocked {
    struct gsim_serving_machine machine;
    struct gsim_serving_table *table;
    double now;
    /* The prefill that runs: its launch, since when, how many rounds have run beside it. */
    struct gsim_serving_launch flight;
    bool is_flying;
    double flight_began, flight_us;
    uint32_t flight_rounds;
};

struct gsim_serving_table {
    const struct gsim_library *library;
    struct row **rows;
    size_t room;
    struct gsim_slots slots; /* of the rows */
    uint64_t simulations, lookups;
    struct gsim_error error;
    struct clocked *machines;
    struct gsim_serving_machine **list; /* of them */
};

/* --- simulating a row --- */

static void run_steps(struct gsim_serving_machine *m, const struct row *row)
{
    struct gsim_serving_launch launches[GSIM_LAUNCH_MAX];
    for (uint32_t i = 0; i < row->count; i++) launches[i] = (struct gsim_serving_launch){.index = row->steps[i]};
    m->ops->run(m, launches, row->count);
}

static void measure(void *context, struct gsim_serving_machine *m)
{
    struct row *row = context;
    struct gsim_serving_launch prefill = {.index = row->prefill};
    if (row->prefill == NONE) {
        double began = 0;
        for (uint32_t i = 0; i < ROUNDS_ALONE && !m->ops->has_failed(m); i++) {
            if (i == WARM_ROUNDS) began = m->ops->now_us(m);
            run_steps(m, row);
        }
        row->round_us[0] = (m->ops->now_us(m) - began) / (ROUNDS_ALONE - WARM_ROUNDS);
        row->rounds = 1;
        return;
    }
    for (uint32_t i = 0; i < WARM_ROUNDS && row->count; i++) run_steps(m, row);
    m->ops->begin(m, prefill); /* once warm */
    m->ops->wait(m);
    double began = m->ops->now_us(m);
    m->ops->begin(m, prefill);
    row->begin_us = m->ops->now_us(m) - began;
    row->prefill_us = row->begin_us;
    bool has_ended = false;
    for (uint32_t i = 0; row->count && i < ROUNDS_MAX && !m->ops->has_failed(m); i++) {
        if ((has_ended = m->ops->has_ended(m))) break;
        double start = m->ops->now_us(m);
        run_steps(m, row);
        double took = m->ops->now_us(m) - start;
        row->prefill_us += took;
        if (row->rounds < ROUNDS_BESIDE) row->round_us[row->rounds++] = took;
    }
    m->ops->wait(m);
    /* One that ended within a round is seen behind that, by a poll. */
    if (has_ended && row->rounds) row->prefill_us -= row->round_us[row->rounds - 1] / 2;
    if (!has_ended) row->prefill_us = m->ops->now_us(m) - began;
}

/* In processes or parts of their own: the host of one does not wait for the other's launches. */
static enum gsim_status measure_apart(const struct gsim_library *library, struct row *row, struct gsim_error *error)
{
    uint32_t last = row->count ? row->steps[row->count - 1] : row->prefill;
    row->begin_us = 0;
    return gsim_library_apart(library, row->prefill, last, &row->prefill_us, row->round_us, ROUNDS_BESIDE, &row->rounds,
                              error);
}

/* --- the table --- */

/* Rows are the same whose prefill and steps are. */
static bool is_row(const void *rows, uint32_t index, const void *key)
{
    const struct row *a = ((struct row *const *)rows)[index], *b = key;
    return a->prefill == b->prefill && a->count == b->count &&
           memcmp(a->steps, b->steps, sizeof *a->steps * a->count) == 0;
}

static uint64_t hash_row(const struct row *row)
{
    uint64_t hash = 1469598103934665603ull ^ row->prefill;
    for (uint32_t i = 0; i < row->count; i++) hash = (hash * 1099511628211ull) ^ row->steps[i];
    return hash * 1099511628211ull;
}

static const struct row *find(struct gsim_serving_table *t, uint32_t prefill, const uint32_t *steps, uint32_t count)
{
    static const struct row nothing = {.rounds = 1};
    struct row key = {.prefill = prefill, .count = count};
    if (count) memcpy(key.steps, steps, sizeof *steps * count);
    uint64_t hash = hash_row(&key);
    uint32_t at = gsim_slots_find(&t->slots, hash, is_row, t->rows, &key), row_count = t->slots.count;
    t->lookups++;
    if (at != GSIM_SLOT_NONE) return t->rows[at];
    struct row *row = gsim_alloc(sizeof *row);
    if (!row || gsim_array_grow(&t->rows, sizeof row, row_count, &t->room) ||
        !gsim_slots_add(&t->slots, hash, row_count)) {
        gsim_free(row);
        gsim_no_memory(&t->error);
        return &nothing;
    }
    *row = key;
    t->rows[row_count] = row;
    if (!t->error.status) {
        bool is_apart = t->library->spec->beside >= GSIM_BESIDE_PARTITION && row->prefill != NONE && row->count;
        t->simulations++;
        if (is_apart) (void)!measure_apart(t->library, row, &t->error);
        else (void)!gsim_library_simulate(t->library, measure, row, &t->error);
    }
    return row;
}

/* --- the machine --- */

static struct clocked *self(struct gsim_serving_machine *m) { return (struct clocked *)m; }

static double between(double low, double high, double weight) { return low + (high - low) * weight; }

/* The time of round NUMBER beside PREFILL (NONE: alone). */
static double round_of(struct gsim_serving_table *t, uint32_t prefill, const uint32_t *steps, uint32_t count,
                       uint32_t number)
{
    const struct row *row = find(t, prefill, steps, count);
    if (!row->rounds) return prefill == NONE ? 0 : round_of(t, NONE, steps, count, 0);
    return row->round_us[number < row->rounds ? number : row->rounds - 1];
}

/* A round of LAUNCHES, those between two buckets as their weights say. */
static double time_of(struct gsim_serving_table *t, uint32_t prefill, const struct gsim_serving_launch *launches,
                      uint32_t count, uint32_t number)
{
    uint32_t low[GSIM_LAUNCH_MAX] = {0}, high[GSIM_LAUNCH_MAX] = {0};
    double weight = 0;
    if (launches[0].us > 0) return launches[0].us;
    for (uint32_t i = 0; i < count; i++) {
        low[i] = launches[i].index;
        high[i] = launches[i].weight > 0 ? launches[i].upper : launches[i].index;
        if (launches[i].weight > 0) weight = (double)launches[i].weight;
    }
    double time = round_of(t, prefill, low, count, number);
    return weight > 0 ? between(time, round_of(t, prefill, high, count, number), weight) : time;
}

static double now_us(struct gsim_serving_machine *m) { return self(m)->now; }
static void idle_until(struct gsim_serving_machine *m, double us) { self(m)->now = fmax(self(m)->now, us); }
static void work(struct gsim_serving_machine *m, double us) { self(m)->now += us; }

/* The prefill alone: rows without steps. */
static double prefill_of(struct gsim_serving_table *t, struct gsim_serving_launch l, const uint32_t *steps,
                         uint32_t count, bool of_host)
{
    if (l.us > 0) return of_host ? 0 : l.us;
    const struct row *low = find(t, l.index, steps, count);
    double time = of_host ? low->begin_us : low->prefill_us;
    if (!(l.weight > 0)) return time;
    const struct row *high = find(t, l.upper, steps, count);
    return between(time, of_host ? high->begin_us : high->prefill_us, (double)l.weight);
}

static void begin(struct gsim_serving_machine *m, struct gsim_serving_launch l)
{
    struct clocked *t = self(m);
    t->flight = l;
    t->is_flying = true;
    t->flight_rounds = 0;
    t->flight_began = t->now;
    t->flight_us = prefill_of(t->table, l, NULL, 0, false);
    if (!t->table->library->is_separate) t->now += prefill_of(t->table, l, NULL, 0, true);
}

static bool has_ended(struct gsim_serving_machine *m)
{
    struct clocked *t = self(m);
    return !t->is_flying || t->flight_began + t->flight_us <= t->now;
}

static void wait(struct gsim_serving_machine *m)
{
    struct clocked *t = self(m);
    t->now = fmax(t->now, t->flight_began + t->flight_us);
    t->is_flying = false;
}

static void run(struct gsim_serving_machine *m, const struct gsim_serving_launch *launches, uint32_t count)
{
    struct clocked *t = self(m);
    if (has_ended(m) || t->table->library->is_separate) {
        t->now += time_of(t->table, NONE, launches, count, 0);
        return;
    }
    uint32_t steps[GSIM_LAUNCH_MAX];
    for (uint32_t i = 0; i < count; i++) steps[i] = launches[i].index;
    double done = (t->now - t->flight_began) / t->flight_us;
    double beside = prefill_of(t->table, t->flight, steps, count, false);
    /* At its launch the prefill's time is that beside these rounds; later what is left of it is. */
    t->flight_us = t->flight_rounds ? t->now - t->flight_began + (1 - done) * beside : beside;
    t->now += time_of(t->table, t->flight.index, launches, count, t->flight_rounds++);
}

static bool has_failed(const struct gsim_serving_machine *m)
{
    return ((const struct clocked *)m)->table->error.status != GSIM_OK;
}

static double weight_us(struct gsim_serving_machine *m, uint32_t step)
{
    return round_of(self(m)->table, NONE, &step, 1, 0);
}

static const struct gsim_serving_machine_ops ops = {now_us, idle_until, work, begin, has_ended, wait,
                                                    run,    weight_us,  has_failed};

struct gsim_serving_table *gsim_serving_table_create(const struct gsim_library *library)
{
    struct gsim_serving_table *t = gsim_alloc(sizeof *t);
    if (t) *t = (struct gsim_serving_table){.library = library};
    return t;
}

struct gsim_serving_machine *const *gsim_serving_table_machines(struct gsim_serving_table *t, uint32_t count)
{
    gsim_free(t->machines);
    gsim_free(t->list);
    t->machines = gsim_alloc(sizeof *t->machines * count);
    t->list = gsim_alloc(sizeof *t->list * count);
    if (!t->machines || !t->list) return NULL;
    for (uint32_t i = 0; i < count; i++) {
        t->machines[i] = (struct clocked){.machine.ops = &ops, .table = t};
        t->list[i] = &t->machines[i].machine;
    }
    return t->list;
}

double gsim_serving_table_alone_us(struct gsim_serving_table *t, uint32_t step)
{
    double us = round_of(t, NONE, &step, 1, 0);
    return t->error.status ? NAN : us;
}

void gsim_serving_table_count(const struct gsim_serving_table *t, uint64_t *simulations, uint64_t *lookups)
{
    *simulations = t->simulations;
    *lookups = t->lookups;
}

enum gsim_status gsim_serving_table_status(const struct gsim_serving_table *t, struct gsim_error *error)
{
    return t->error.status ? gsim_error_set(error, t->error.status, "%s", t->error.message) : GSIM_OK;
}

void gsim_serving_table_destroy(struct gsim_serving_table *t)
{
    if (!t) return;
    for (uint32_t i = 0; i < t->slots.count; i++) gsim_free(t->rows[i]);
    gsim_free(t->rows);
    gsim_free(t->machines);
    gsim_free(t->list);
    gsim_slots_release(&t->slots);
    gsim_free(t);
}
