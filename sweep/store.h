/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sweep. Results on disk: one SQLite file (write-ahead log, so that it can be read while a sweep writes).
 *
 *   meta    name, value: "schema" = "gpusim-results/1"
 *   sweeps  id, name, command (what was typed), spec (the resolved spec as JSON), version, model, points (how many it
 *           asks for), shard
 *   points  one row per simulated point; columns and their meaning: sweep/columns.def
 *
 * Axes and options are JSON objects in a column, so that SQL reads them: SELECT axes->>'size' FROM points. Rows carry
 * no wall-clock time: the same points give the same rows. Who asks what of it: sweep/query/query.h; who fills it:
 * sweep/run.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpusim/memory.h"

#define GSIM_STORE_SCHEMA  "gpusim-results/1"
#define GSIM_STORE_VERSION 2          /* PRAGMA user_version */
#define GSIM_STORE_ID      0x67707573 /* PRAGMA application_id: "gpus" */

enum gsim_column {
#define X(name, type, unit, help) GSIM_COLUMN_##name,
#include "sweep/columns.def"
#undef X
    GSIM_COLUMN_COUNT
};

enum gsim_cell_type { GSIM_CELL_NULL, GSIM_CELL_INTEGER, GSIM_CELL_REAL, GSIM_CELL_TEXT };

struct gsim_cell {
    enum gsim_cell_type type;
    int64_t integer;  /* INTEGER */
    double real;      /* REAL, and INTEGER as a double */
    const char *text; /* TEXT; whoever makes the cell owns it */
};

struct gsim_row {
    int64_t id; /* of the row; 0 before it is inserted */
    struct gsim_cell cells[GSIM_COLUMN_COUNT];
};

struct gsim_cell gsim_cell_integer(int64_t value);
struct gsim_cell gsim_cell_real(double value);     /* null for what is not finite */
struct gsim_cell gsim_cell_text(const char *text); /* null for NULL */

bool gsim_cell_is_same(const struct gsim_cell *left, const struct gsim_cell *right);

/* Name, unit ("" for none) and one line of help; "TEXT", "INTEGER" or "REAL". */
const char *gsim_column_name(enum gsim_column column);
const char *gsim_column_unit(enum gsim_column column);
const char *gsim_column_help(enum gsim_column column);
enum gsim_cell_type gsim_column_type(enum gsim_column column);
enum gsim_column gsim_column_find(const char *name); /* GSIM_COLUMN_COUNT: none */

struct gsim_store;
enum gsim_store_mode {
    GSIM_STORE_READ,   /* the file must be there */
    GSIM_STORE_WRITE,  /* one writer at a time: a second one is refused, naming the first */
    GSIM_STORE_CREATE, /* GSIM_STORE_WRITE, and the file must not be there yet */
};

/* Fails with GSIM_IO (cannot open, disk full, damaged) or GSIM_INPUT (no results file, a newer schema, not there, or
 * there already). */
enum gsim_status gsim_store_open(const char *path, enum gsim_store_mode mode, struct gsim_store **store,
                                 struct gsim_error *error) GSIM_NODISCARD;
void gsim_store_close(struct gsim_store *store); /* accepts NULL; what was not committed is dropped */

/* What a sweep asked for. ID is filled in by add. */
struct gsim_sweep_record {
    int64_t id;
    const char *name, *command, *spec, *version, *model, *shard; /* shard NULL: all of it */
    int64_t points;
};
/* Finds the sweep with the same spec, version, model and shard, or adds it. */
enum gsim_status gsim_store_add_sweep(struct gsim_store *store, struct gsim_sweep_record *record,
                                      struct gsim_error *error) GSIM_NODISCARD;
/* In order of id; strings are valid during the call. EACH ends the walk by returning other than GSIM_OK. */
enum gsim_status gsim_store_each_sweep(struct gsim_store *store,
                                       enum gsim_status (*each)(void *data, const struct gsim_sweep_record *record,
                                                                struct gsim_error *error),
                                       void *data, struct gsim_error *error) GSIM_NODISCARD;

/* Rows between begin and commit appear at once or not at all. A row replaces the one with its key unless that one's
 * status is ok; IS_STORED (NULL allowed) tells whether ROW is what the file now holds. */
enum gsim_status gsim_store_begin(struct gsim_store *store, struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_store_insert(struct gsim_store *store, const struct gsim_row *row, bool *is_stored,
                                   struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_store_commit(struct gsim_store *store, struct gsim_error *error) GSIM_NODISCARD;

/* Every row, ordered by sweep and position; the row and its strings are valid during the call. */
typedef enum gsim_status gsim_row_visit(void *data, const struct gsim_row *row, struct gsim_error *error);
enum gsim_status gsim_store_each(struct gsim_store *store, gsim_row_visit *visit, void *data,
                                 struct gsim_error *error) GSIM_NODISCARD;
/* Key and status alone: for what need not be computed again. */
enum gsim_status gsim_store_each_key(struct gsim_store *store,
                                     enum gsim_status (*visit)(void *data, const char *key, const char *status),
                                     void *data, struct gsim_error *error) GSIM_NODISCARD;
/* The row with KEY, if there is one. */
enum gsim_status gsim_store_find(struct gsim_store *store, const char *key, gsim_row_visit *visit, void *data,
                                 struct gsim_error *error) GSIM_NODISCARD;
/* Names of all axes in the file, then of all resolved options, in memory of ARENA. */
enum gsim_status gsim_store_names(struct gsim_store *store, struct gsim_arena *arena, const char ***names,
                                  size_t *axis_count, size_t *count, struct gsim_error *error) GSIM_NODISCARD;
/* Sets the sweeps' number of points to that of their rows. */
enum gsim_status gsim_store_count_points(struct gsim_store *store, struct gsim_error *error) GSIM_NODISCARD;
/* The models in the file, "VERSION MODEL" each, in memory of ARENA. */
enum gsim_status gsim_store_models(struct gsim_store *store, struct gsim_arena *arena, const char ***models,
                                   size_t *count, struct gsim_error *error) GSIM_NODISCARD;
