/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the queries of trust/validate/report.sql give, as numbers. NAN: there is none. */
#pragma once

#include <math.h>

#include "trust/validate/report.h"

static inline void validation_numbers(const struct gsim_validation *v, double *numbers, int count, const char *format,
                                      ...) GSIM_PRINTF(4, 5);
static inline void validation_numbers(const struct gsim_validation *v, double *numbers, int count, const char *format,
                                      ...)
{
    char sql[400];
    sqlite3 *tables = gsim_validation_tables(v);
    va_list list;
    va_start(list, format);
    vsnprintf(sql, sizeof sql, format, list);
    va_end(list);
    gsim_tables_numbers(tables, sql, numbers, count);
    gsim_tables_close(tables);
}

/* A line of the table: a quantity over the cases of a kind. */
struct row {
    double mean, median, worst, bias, even, odd, spread, intervals, held, unstable, off, off_unstable, width;
    double model_mean[GSIM_MODEL_MAX];
    size_t count;
};
static inline struct row row_of(const struct gsim_validation *v, enum gsim_case_kind kind, enum gsim_quantity quantity)
{
    struct row row;
    double count;
    validation_numbers(v, &row.mean, 13,
                       "SELECT mean, median, worst, bias, mean_even, mean_odd, spread, intervals, held, unstable, off, "
                       "off_unstable, width FROM summary WHERE kind_id = %d AND quantity_id = %d",
                       (int)kind, (int)quantity);
    validation_numbers(v, &count, 1, "SELECT count(*) FROM sample WHERE kind_id = %d AND quantity_id = %d", (int)kind,
                       (int)quantity);
    row.count = (size_t)count;
    for (int m = 0; m < GSIM_MODEL_MAX; m++)
        validation_numbers(v, &row.model_mean[m], 1,
                           "SELECT mean FROM model_mean WHERE kind_id = %d AND quantity_id = %d AND model = %d",
                           (int)kind, (int)quantity, m);
    return row;
}

/* How well a kind's schedules serial, live and graph are ranked. */
struct ranking {
    double tau_mean, regret_mean, regret_worst;
    size_t count;
};
static inline struct ranking ranking_of(const struct gsim_validation *v, enum gsim_case_kind kind)
{
    struct ranking ranking;
    double count;
    validation_numbers(v, &ranking.tau_mean, 3, "SELECT tau, regret, regret_worst FROM ranking WHERE kind_id = %d",
                       (int)kind);
    validation_numbers(v, &count, 1, "SELECT coalesce(max(count), 0) FROM ranking WHERE kind_id = %d", (int)kind);
    ranking.count = (size_t)count;
    return ranking;
}
