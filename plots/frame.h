/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. Results as one table, wherever they come from: a database of gpusim sweep, CSV (compare --csv, results,
 * any with a head line), JSON of compare, reports of runs,
 * what gpusim-runner recorded on a GPU. Columns are named as in the database (iteration_us,
 * scheduler, workload, ...) and made when first needed; a cell that a source does not have is empty.
 */
#pragma once

#include <stdbool.h>

#include "gpusim/memory.h"

struct gsim_frame_column {
    const char *name;
    const char **texts; /* by row; NULL: empty */
    double *numbers;    /* NAN where the text is not a number */
    size_t capacity, number_capacity, length;
};

struct gsim_frame {
    struct gsim_frame_column *columns;
    size_t column_count, column_capacity, row_count;
    struct gsim_frame *failures; /* points that failed: a row each, with settings and no figures; NULL: none did */
    struct gsim_arena arena;
    bool is_too_wide; /* it has more columns than anybody needs; what is in them is lost */
};

/* Adds the rows of a file, recognised by content. GSIM_INPUT with the file's name and place for what is none of
 * these. */
enum gsim_status gsim_frame_read(struct gsim_frame *frame, const char *path, struct gsim_error *error) GSIM_NODISCARD;
void gsim_frame_release(struct gsim_frame *frame);

void gsim_frame_begin_row(struct gsim_frame *frame);
/* In the last row; TEXT is copied, NULL or "" leave the cell empty. "sched" is another name of "scheduler". */
void gsim_frame_set(struct gsim_frame *frame, const char *column, const char *text);
void gsim_frame_set_number(struct gsim_frame *frame, const char *column, double value);

/* NULL: there is no such column. */
const struct gsim_frame_column *gsim_frame_find(const struct gsim_frame *frame, const char *name);
const char *gsim_frame_text(const struct gsim_frame_column *column, size_t row); /* "" for empty */
double gsim_frame_number(const struct gsim_frame_column *column, size_t row);

/* A column that says all of NAMES, separated by commas, of a row: "kesco, h200, size=1e6"; *NAME is its own. Of one
 * name, that; where only some rows have it, a column that says "without NAME" of the others. GSIM_USAGE where a column
 * is missing; OPTION is what asked for it. */
enum gsim_status gsim_frame_join(struct gsim_frame *frame, const char *option, const char *names, const char **name,
                                 struct gsim_error *error) GSIM_NODISCARD;

/* Whether the column says what was simulated (workload, size, kesco.streams), not what came out or where it is from. */
bool gsim_frame_is_setting(const char *column);
/* How many different texts it has; 0 for NULL and for columns without any. */
size_t gsim_frame_distinct(const struct gsim_frame *frame, const struct gsim_frame_column *column);

/* "9 of 27 points failed: nothing is left of workload ml"; NULL: none did. From ARENA. */
const char *gsim_frame_losses(const struct gsim_frame *frame, struct gsim_arena *arena);

/* --- readers of one kind (plots/frame_json.c, plots/frame_db.c) --------------------------------------------------- */
/* Tells of one that is too wide. */
enum gsim_status gsim_frame_check(const struct gsim_frame *frame, struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_frame_read_json(struct gsim_frame *frame, const char *text,
                                      struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_frame_read_db(struct gsim_frame *frame, const char *path,
                                    struct gsim_error *error) GSIM_NODISCARD;
