/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: ask. A question takes a scenario, whatever its clients are, and gives a table. Each is a file of
 * ask/questions/ and a line of questions.def.
 */
#pragma once

#include "ask/edits/changes.h"
#include "gpusim/answer.h"
#include "gpusim/metrics.h"

/* Columns of an answer: a text, a number and its unit, a count, a time; what stands in JSON alone. */
#define GSIM_COLUMN_TEXT(name)       {name, "", GSIM_VALUE_TEXT, false}
#define GSIM_COLUMN_REAL(name, unit) {name, unit, GSIM_VALUE_REAL, false}
#define GSIM_COLUMN_COUNT_OF(name)   {name, "", GSIM_VALUE_COUNT, false}

struct gsim_question_ops {
    uint32_t abi; /* GSIM_ABI */
    size_t size;  /* sizeof(struct gsim_question_ops) */
    const char *name, *summary;
    const char *words; /* what it takes beside the scenario; "": nothing */
    /* WORDS: NULL or as above. ANSWER comes zeroed, and the caller releases it, also on failure. */
    enum gsim_status (*answer)(const struct gsim_changeable *scenario, const char *words, struct gsim_answer *answer,
                               struct gsim_error *error);
};

const struct gsim_question_ops *gsim_question_find(const char *name); /* NULL: there is none */
const struct gsim_question_ops *gsim_question_at(uint32_t index);     /* NULL at the end */
/* Asks the question of that name. GSIM_USAGE: there is none, or it takes no such words. */
enum gsim_status gsim_ask(const char *question, const struct gsim_changeable *scenario, const char *words,
                          struct gsim_answer *answer, struct gsim_error *error) GSIM_NODISCARD;

/* GSIM_USAGE: QUESTION cannot be asked of such a scenario, and why. Part of gsim_ask(). */
enum gsim_status gsim_question_check(const char *question, const struct gsim_changeable *scenario,
                                     struct gsim_error *error) GSIM_NODISCARD;
/* For questions: an iteration of SCENARIO on DEVICE in place of its own; NULL: as it is. */
enum gsim_status gsim_question_time(const struct gsim_changeable *scenario, const struct gsim_device_spec *device,
                                    double *us, struct gsim_error *error) GSIM_NODISCARD;

/* Runs SIMULATION and measures it. */
enum gsim_status gsim_question_run(const struct gsim_simulation *simulation, struct gsim_metrics *metrics,
                                   struct gsim_error *error) GSIM_NODISCARD;
/* Tells who watches how many of these there will be. */
void gsim_question_times(const struct gsim_changeable *scenario, uint64_t count);

/* ask/questions/spread.c: how far off the makespan may be. */
enum gsim_status gsim_spread_of(const struct gsim_simulation *simulation, uint32_t runs, struct gsim_spread *spread,
                                struct gsim_error *error) GSIM_NODISCARD;
