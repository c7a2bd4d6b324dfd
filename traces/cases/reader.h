/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (internal to traces/cases*). One reader with a sticky error, which knows the place it is at: values,
 * kernels, dependences. Each kind of case is a function of a file beside this one. Times are microseconds.
 */
#pragma once

#include <cjson/cJSON.h>

#include "traces/cases.h"
#include "traces/position.h"

#define GSIM_CASES_MAX_STREAMS 1024

struct gsim_cases_reader {
    struct gsim_case_set *set;
    const char *file;
    const cJSON **solo; /* the file's list of kernels, which cases may point to */
    uint32_t solo_count;
    const cJSON *profiles; /* the file's kernels by op; NULL: it has none */
    const cJSON *host;     /* the host's times of its ATen ops; NULL: none given */
    struct gsim_position at;
};

/* --- values: the first failure stays; what they return then has no meaning --- */
void gsim_cases_fail(struct gsim_cases_reader *r, const char *field, const char *expected, const cJSON *found);
const cJSON *gsim_cases_member(const cJSON *object, const char *key);
/* A number from 0 to MOST; OTHERWISE where the field is missing (NAN: it must be there). */
double gsim_cases_number_or(struct gsim_cases_reader *r, const cJSON *object, const char *key, double most,
                            double otherwise);
double gsim_cases_number(struct gsim_cases_reader *r, const cJSON *object, const char *key);
uint32_t gsim_cases_count_or(struct gsim_cases_reader *r, const cJSON *object, const char *key, double most,
                             double otherwise);
/* Measured time in nanoseconds, as microseconds. */
double gsim_cases_time_us(struct gsim_cases_reader *r, const cJSON *object, const char *key);
const cJSON *gsim_cases_list(struct gsim_cases_reader *r, const cJSON *object, const char *key);

/* --- kernels and what they wait for --- */
void gsim_cases_kernel(struct gsim_cases_reader *r, const cJSON *object, struct gsim_kernel *kernel);
/* Its name, grid, block, registers and shared memory alone. */
void gsim_cases_shape(struct gsim_cases_reader *r, const cJSON *object, const char *name, struct gsim_kernel *kernel);
/* NODE comes after the entries before INDEX that DEPS lists; LAST: of each, its last node; NULL: entries are nodes. */
void gsim_cases_deps(struct gsim_cases_reader *r, const cJSON *deps, const char *field, uint32_t index,
                     const uint32_t *last, struct gsim_case_node *node);

/* Room for the nodes of a DAG, at least one. */
bool gsim_cases_room(struct gsim_cases_reader *r, const cJSON *nodes, struct gsim_case *c);
/* The next node from [kernel, stream, [earlier nodes]]: the index of its kernel, or NULL. */
const cJSON *gsim_cases_triple(struct gsim_cases_reader *r, const cJSON *entry, struct gsim_case *c);

/* --- kinds of cases: the object that a list of the file holds --- */
typedef void gsim_cases_read(struct gsim_cases_reader *r, const cJSON *object, struct gsim_case *c);
gsim_cases_read gsim_cases_two, gsim_cases_dag, gsim_cases_branches, gsim_cases_irregular, gsim_cases_unlike;
/* All kernels of a file of unlike ones, each a case of one node. */
void gsim_cases_timed(struct gsim_cases_reader *r, const cJSON *root);
