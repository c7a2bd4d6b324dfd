/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: serving. What a server's host does to its GPU, as a table of functions with two implementations:
 * serving/driven.c makes the calls of a simulated driver, serving/table.c looks up what such a simulation of the same
 * few steps took. All times are microseconds of the simulated host.
 */
#pragma once

#include "serving/spec.h"

#define GSIM_LAUNCH_MAX 72 /* of one round: a prefill, drafts and a verify */

/* A step of the library: that at INDEX of spec->steps, or, between two buckets, WEIGHT of the way from there to
 * UPPER. */
struct gsim_serving_launch {
    uint32_t index, upper;
    float weight;
    double us; /* above 0: of a mixed step, which no program is of; LAUNCH's INDEX has no meaning then */
};

struct gsim_serving_machine;
struct gsim_serving_machine_ops {
    double (*now_us)(struct gsim_serving_machine *);
    void (*idle_until)(struct gsim_serving_machine *, double us);
    void (*work)(struct gsim_serving_machine *, double us);
    /* The prefill's own stream gets LAUNCH; returns when the host is free. One at a time. */
    void (*begin)(struct gsim_serving_machine *, struct gsim_serving_launch launch);
    bool (*has_ended)(struct gsim_serving_machine *); /* what began; a poll */
    void (*wait)(struct gsim_serving_machine *);      /* for what began */
    /* COUNT steps behind each other in the main stream; returns when the host has seen the last one's end. */
    void (*run)(struct gsim_serving_machine *, const struct gsim_serving_launch *launches, uint32_t count);
    double (*weight_us)(struct gsim_serving_machine *, uint32_t step); /* its part of rounds of several steps */
    bool (*has_failed)(const struct gsim_serving_machine *);
};
struct gsim_serving_machine {
    const struct gsim_serving_machine_ops *ops;
};

/* --- serving/driven.c --------------------------------------------------------------------------------------------- */

struct gsim_run;
struct gsim_library;
/* On RUN's driver, whose program is LIBRARY's. NULL: ERROR says why; freed with RUN's arena. */
struct gsim_serving_machine *gsim_serving_driven(struct gsim_run *run, const struct gsim_library *library,
                                                 struct gsim_error *error);

/* --- serving/table.c ---------------------------------------------------------------------------------------------- */

struct gsim_serving_table;
/* Looks steps up in simulations that it makes when they are first needed. NULL when memory is out. */
struct gsim_serving_table *gsim_serving_table_create(const struct gsim_library *library);
/* COUNT GPUs that share the table, at time 0, with nothing running; until the next call. NULL when memory is out. */
struct gsim_serving_machine *const *gsim_serving_table_machines(struct gsim_serving_table *table, uint32_t count);
/* Simulations made, and steps looked up. */
void gsim_serving_table_count(const struct gsim_serving_table *table, uint64_t *simulations, uint64_t *lookups);
/* The first failure of a simulation, as ERROR. */
enum gsim_status gsim_serving_table_status(const struct gsim_serving_table *table, struct gsim_error *error);
/* The time from the launch of STEP alone to its seen end. NAN where its simulation fails. */
double gsim_serving_table_alone_us(struct gsim_serving_table *table, uint32_t step);
void gsim_serving_table_destroy(struct gsim_serving_table *table); /* accepts NULL */
