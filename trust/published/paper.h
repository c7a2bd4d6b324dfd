/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/published. A paper as data: which runs it needs, what is made of them, and the numbers that it published
 * (schema gpusim-paper/1, trust/published/README.md). Its tables, and those of the runs' figures, are in a database in
 * memory, whose queries say the rest. Making the runs is the caller's.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "gpusim/memory.h"

#define GSIM_PAPER_SCHEMA "gpusim-paper/1"

struct gsim_paper_setting {
    const char *name, *value; /* an option of gpusim run, or what --opt takes */
};

struct gsim_paper_point {
    struct gsim_paper_setting *settings;
    size_t count;
    const char *error; /* of a run that failed; NULL: it was made */
    double *values;    /* of each figure; NAN: there is none */
};

/* Points that are asked for the same figures. */
struct gsim_paper_batch {
    struct gsim_paper_point *points;
    size_t count;
    const char **figures;
    size_t figure_count;
    struct gsim_arena *arena; /* for errors */
};
struct gsim_paper_host {
    void *data;
    /* Fills the values of each point, or sets its error. */
    enum gsim_status (*run)(void *data, struct gsim_paper_batch *batch, struct gsim_error *error);
    /* Keeps TEXT in a file until the paper is closed; *PATH: its name, of memory that lasts as long. */
    enum gsim_status (*keep)(void *data, const char *text, const char **path, struct gsim_error *error);
};

/* What the user asked for, which queries see as the tables asked (name, per_case, scale, factor) and words (word). */
struct gsim_paper_asked {
    const char *name;
    const char *only;  /* words, separated by commas; NULL: all of it */
    const char *scale; /* a device's number that is FACTOR times what it is; NULL: none */
    double factor;
    bool per_case;
};

struct gsim_paper;

/* SPEC and FOLDER, where its tables are, outlive the paper. */
enum gsim_status gsim_paper_open(struct gsim_paper **paper, const cJSON *spec, const char *folder,
                                 const struct gsim_paper_asked *asked, struct gsim_error *error) GSIM_NODISCARD;
/* Makes all tables and runs. */
enum gsim_status gsim_paper_run(struct gsim_paper *paper, const struct gsim_paper_host *host,
                                struct gsim_error *error) GSIM_NODISCARD;
enum gsim_paper_form { GSIM_PAPER_TEXT, GSIM_PAPER_CSV, GSIM_PAPER_JSON };
/* PUT gets the text, piece by piece. */
enum gsim_status gsim_paper_write(struct gsim_paper *paper, enum gsim_paper_form form,
                                  void (*put)(void *data, const char *text), void *data,
                                  struct gsim_error *error) GSIM_NODISCARD;
/* The first column, and the second or "", of each row of the spec's query KEY, from the paper's memory; none without
 * the query. */
enum gsim_status gsim_paper_list(struct gsim_paper *paper, const char *key, const char *(**rows)[2], size_t *count,
                                 struct gsim_error *error) GSIM_NODISCARD;
void gsim_paper_close(struct gsim_paper *paper); /* accepts NULL */
