/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sweep. What a sweep asks for: fixed settings, axes, how they combine, conditions, repetitions. From the
 * command line, a file (schema gpusim-sweep/1) or both. The points are the product of the groups: each axis is a group,
 * axes given as paired are one together, and all sampled axes are one; the first group varies slowest, repetitions
 * fastest.
 *
 *   {"schema": "gpusim-sweep/1", "name": "sizes", "options": {"device": "h200"},
 *    "vary": {"workload": "all", "sched": ["serial", "kesco"], "device.h2d_gbps": "16:64:x2"},
 *    "paired": [{"size": [1e6, 1e7], "blocks": [32, 64]}], "where": ["size >= 1e6"], "repeat": 5,
 *    "samples": 100, "sample_seed": 1}
 */
#pragma once

#include "sweep/axis.h"
#include "sweep/query/where.h"

#define GSIM_SPEC_SCHEMA     "gpusim-sweep/1"
#define GSIM_SPEC_POINTS_MAX 1000000000.0

/* What the caller knows about names. */
struct gsim_spec_host {
    void *data;
    /* The name that NAME stands for, and whether its values are whole numbers; GSIM_USAGE for an unknown one. */
    enum gsim_status (*resolve)(void *data, const char *name, const char **canonical, bool *is_integer,
                                struct gsim_error *error);
    /* Items that TEXT stands for as a value of NAME ("all"), in memory of ARENA; COUNT 0: it stands for itself. */
    enum gsim_status (*expand)(void *data, const char *name, const char *text, struct gsim_arena *arena,
                               const char *const **items, size_t *count, struct gsim_error *error);
};

struct gsim_setting {
    const char *name;
    struct gsim_axis_value value;
    bool is_from_file; /* said by the spec file, not by the command line */
};

/* Axes that advance together. */
struct gsim_spec_group {
    size_t count;    /* steps */
    uint64_t stride; /* points from one step to the next */
};

struct gsim_spec {
    const struct gsim_spec_host *host;
    const char *name; /* NULL: none */
    struct gsim_setting *fixed;
    struct gsim_axis *axes;
    struct gsim_spec_group *groups;
    const char **conditions;
    struct gsim_where **where;
    size_t fixed_count, axis_count, group_count, condition_count;
    size_t fixed_capacity, axis_capacity, group_capacity, condition_capacity;
    uint32_t repeat; /* 0: not given, as 1 */
    bool is_reading;    /* what comes now is the file's */
    size_t value_count; /* of all axes, replaced ones too: at most GSIM_AXIS_VALUES_MAX */
    size_t samples;
    uint64_t sample_seed;
    uint64_t total; /* points before conditions, after finish */
    struct gsim_arena arena;
};

void gsim_spec_init(struct gsim_spec *spec, const struct gsim_spec_host *host);
void gsim_spec_release(struct gsim_spec *spec); /* accepts a zeroed one */

/* All copy what they are given. A later setting or axis of the same name replaces an earlier one: the command line
 * comes after the file. */
enum gsim_status gsim_spec_fix(struct gsim_spec *spec, const char *name, const char *text,
                               struct gsim_error *error) GSIM_NODISCARD;
/* "NAME=VALUES". */
enum gsim_status gsim_spec_vary(struct gsim_spec *spec, const char *text, struct gsim_error *error) GSIM_NODISCARD;
/* "NAME=VALUES NAME=VALUES ...": lists of one length. */
enum gsim_status gsim_spec_pair(struct gsim_spec *spec, const char *text, struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_spec_add_where(struct gsim_spec *spec, const char *text, struct gsim_error *error) GSIM_NODISCARD;
/* sweep/spec_read.c. Errors name file and place. */
enum gsim_status gsim_spec_read(struct gsim_spec *spec, const char *path, struct gsim_error *error) GSIM_NODISCARD;

/* Draws the samples, compiles the conditions, counts. Call it once, last. */
enum gsim_status gsim_spec_finish(struct gsim_spec *spec, struct gsim_error *error) GSIM_NODISCARD;

/* Point INDEX < total: the axes' values, axis_count of them; *REPEAT is the repetition. */
void gsim_spec_point(const struct gsim_spec *spec, uint64_t index, struct gsim_setting *settings, uint32_t *repeat);
/* Whether the conditions let a point in. */
bool gsim_spec_holds(const struct gsim_spec *spec, const struct gsim_setting *settings, uint32_t repeat);

/* Setting INDEX, of one value, or behind them all an axis; false behind the last of these. */
bool gsim_spec_at(const struct gsim_spec *spec, size_t index, struct gsim_axis *axis);

/* The resolved spec as JSON, all values written out, for the record; freed by gsim_free. */
char *gsim_spec_json(const struct gsim_spec *spec);
