/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PyTorch's own kernels, of which only shape, registers, shared memory and time alone are known, in streams and graphs
 * (traces/h200/vm/aten*.json.gz). PyTorch's host time is in the files; nothing was fitted to any but the first, and the
 * second was recorded while the host was busy. Bounds are what the model reached plus 15 %.
 */
#include "tests/golden/validated.h"

static const struct {
    const char *path;
    size_t dags, graphs;
    double live, serial, graph, chain; /* greatest mean errors */
    double tau;                        /* least, over serial, live and graph */
} bounds[] = {
    {GPUSIM_SOURCE_DIR "/traces/h200/vm/aten.json.gz", 12, 72, 0.0304, 0.0125, 0.0407, 0.0103, 0.85},
    {GPUSIM_SOURCE_DIR "/traces/h200/vm/aten-busy.json.gz", 12, 72, 0.0928, 0.0581, 0.0388, 0.0387, 0.85},
    {GPUSIM_SOURCE_DIR "/traces/h200/vm/aten-later.json.gz", 36, 156, 0.0365, 0.0097, 0.0403, 0.0087, 0.7},
    {GPUSIM_SOURCE_DIR "/traces/h200/vm/aten-shapes.json.gz", 36, 156, 0.0166, 0.0135, 0.0339, 0.012, 0.73},
};

static double mean(const struct gsim_validation *v, enum gsim_quantity quantity, size_t count)
{
    struct row row = row_of(v, GSIM_CASE_ATEN, quantity);
    CHECK_INT(row.count, count);
    return row.mean;
}

static void errors_stay_within_bounds(void)
{
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        struct validated all = {0};
        validated_run(&all, "h200-vm", (const char *const[]){bounds[i].path, NULL});
        double live = mean(&all.validation, GSIM_QUANTITY_LIVE, bounds[i].dags),
               serial = mean(&all.validation, GSIM_QUANTITY_SERIAL, bounds[i].dags);
        double graph = mean(&all.validation, GSIM_QUANTITY_GRAPH, bounds[i].graphs),
               chain = mean(&all.validation, GSIM_QUANTITY_CHAIN, bounds[i].dags);
        CHECK_WITHIN(live, bounds[i].live, "%s: live", bounds[i].path);
        CHECK_WITHIN(serial, bounds[i].serial, "%s: serial", bounds[i].path);
        CHECK_WITHIN(graph, bounds[i].graph, "%s: graph", bounds[i].path);
        CHECK_WITHIN(chain, bounds[i].chain, "%s: chain", bounds[i].path);
        struct ranking ranking = ranking_of(&all.validation, GSIM_CASE_ATEN);
        CHECK_MSG(ranking.tau_mean >= bounds[i].tau, "%s: tau %.3f, at least %.3f", bounds[i].path, ranking.tau_mean,
                  bounds[i].tau);
        validated_release(&all);
    }
}

static const struct test_case cases[] = {
    {"errors stay within bounds", errors_stay_within_bounds},
};
TEST_MAIN("golden/aten", cases)
