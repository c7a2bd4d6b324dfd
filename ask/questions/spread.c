/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a time may be off (sim/spread.h). */
#include "ask/questions/question.h"
#include "sim/base/text.h"
#include "sim/spread.h"

#define COPIES 200

static enum gsim_status makespan(const struct gsim_spread_copy *copy, const struct gsim_timeline *timeline,
                                 double *time_us, struct gsim_error *error)
{
    struct gsim_metrics metrics;
    enum gsim_status status = gsim_metrics_compute(timeline, &copy->device, NULL, &metrics, error);
    if (status == GSIM_OK) *time_us = gsim_time_us(metrics.makespan);
    return status;
}

enum gsim_status gsim_spread_of(const struct gsim_simulation *simulation, uint32_t runs, struct gsim_spread *spread,
                                struct gsim_error *error)
{
    for (uint32_t i = 0; simulation->tasks && i < simulation->tasks->count; i++)
        if (simulation->tasks->tasks[i].source)
            return gsim_refuse(error,
                               "--spread needs the whole program beforehand, and task '%s' is drawn while it runs",
                               simulation->tasks->tasks[i].name);
    return gsim_spread_run(simulation, runs, makespan, spread, error);
}

/* Of a server: requests, and its host's noise, drawn anew. */
static enum gsim_status spread_server(const struct gsim_variant *v, uint32_t runs, struct gsim_spread *spread,
                                      struct gsim_error *error)
{
    double *times_us = gsim_alloc(sizeof *times_us * runs);
    struct gsim_serving_table *table = gsim_serving_table_create(&v->library);
    enum gsim_status status = times_us && table ? GSIM_OK : gsim_no_memory(error);
    for (uint32_t i = 0; i < runs && !status; i++) {
        struct gsim_serving_result r = {0};
        status = gsim_serve_drawn(&v->server, v->simulation.seed + i, &v->library, table, &r, error);
        times_us[i] = gsim_quantiles_mean(&r.figures[GSIM_SERVED_E2E]);
        gsim_serving_result_release(&r);
    }
    if (!status) gsim_spread_summarize(times_us, runs, &v->device, spread);
    gsim_serving_table_destroy(table);
    gsim_free(times_us);
    return status;
}

static enum gsim_status answer(const struct gsim_changeable *scenario, const char *words, struct gsim_answer *a,
                               struct gsim_error *error)
{
    static const struct gsim_answer_column columns[] = {
        GSIM_COLUMN_COUNT_OF("copies"), GSIM_COLUMN_REAL("median_us", "us"), GSIM_COLUMN_REAL("low_us", "us"),
        GSIM_COLUMN_REAL("high_us", "us"), {"unstable", "", GSIM_VALUE_BOOL, false}, {0}};
    double copies = COPIES;
    struct gsim_variant v;
    struct gsim_spread spread;
    if (words && !(gsim_text_quantity(words, &copies) && copies >= 1 && copies <= GSIM_LIMIT_SPREAD))
        return gsim_refuse(error, "spread: expected 1 to %d copies, found '%.60s'", GSIM_LIMIT_SPREAD, words);
    enum gsim_status status = gsim_variant_of(&v, scenario, NULL, 0, error);
    if (!status)
        status = scenario->library ? spread_server(&v, gsim_whole_u32(copies), &spread, error)
                                   : gsim_spread_of(&v.simulation, gsim_whole_u32(copies), &spread, error);
    gsim_answer_begin(a, columns);
    if (!status)
        gsim_answer_add(a, (uint64_t)spread.runs, spread.median_us, spread.low_us, spread.high_us, spread.unstable);
    gsim_variant_release(&v);
    return status;
}

const struct gsim_question_ops gsim_question_spread = {
    GSIM_HEAD(question),
    .name = "spread",
    .summary = "the interval of the makespan over perturbed copies; of a server, of a request",
    .words = "how many copies (200)",
    .answer = answer,
};
