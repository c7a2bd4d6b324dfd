/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The committed recordings of a real H200 (traces/h200/): predictions stay as close as they are, on the same side. The
 * bounds are what the model reached when they were written plus 15 % of it; to loosen them needs a reason in the
 * commit.
 */
#include <math.h>

#include "tests/golden/validated.h"

static const struct {
    enum gsim_case_kind kind;
    enum gsim_quantity quantity;
    size_t count;
    double mean, median, worst, bias;
} bounds[] = {
    {GSIM_CASE_PAIR, GSIM_QUANTITY_SPAN, 90, 0.0434, 0.0088, 0.8638, -0.0018},
    {GSIM_CASE_PAIR, GSIM_QUANTITY_ORDERED, 90, 0.0251, 0.0072, 0.5550, -0.0083},
    {GSIM_CASE_PAIR, GSIM_QUANTITY_OWN, 180, 0.1196, 0.0160, 3.5958, 0.0393},
    {GSIM_CASE_PAIR, GSIM_QUANTITY_PLACEMENT, 58, 0.0909, 0.0001, 1.0000, 0.0839},
    {GSIM_CASE_ARRIVAL, GSIM_QUANTITY_SPAN, 40, 0.0247, 0.0081, 0.2900, -0.0055},
    {GSIM_CASE_ARRIVAL, GSIM_QUANTITY_OWN, 80, 0.0490, 0.0152, 0.6780, -0.0015},
    {GSIM_CASE_ARRIVAL, GSIM_QUANTITY_LATE_END, 40, 0.0410, 0.0143, 0.4140, -0.0111},
    {GSIM_CASE_ARRIVAL, GSIM_QUANTITY_PLACEMENT, 16, 0.0424, 0.0001, 0.6630, 0.0398},
    {GSIM_CASE_PRIORITY, GSIM_QUANTITY_START, 4, 0.0289, 0.0243, 0.0504, -0.0251},
    {GSIM_CASE_PRIORITY, GSIM_QUANTITY_END, 4, 0.0079, 0.0071, 0.0168, -0.0054},
    {GSIM_CASE_DAG, GSIM_QUANTITY_LIVE, 35, 0.0400, 0.0225, 0.2510, 0.0157},
    {GSIM_CASE_DAG, GSIM_QUANTITY_SERIAL, 35, 0.0029, 0.0014, 0.0258, 0.0013},
    {GSIM_CASE_DAG, GSIM_QUANTITY_SYNC, 15, 0.0042, 0.0019, 0.0224, 0.0027},
    {GSIM_CASE_DAG, GSIM_QUANTITY_GRAPH, 35, 0.0297, 0.0149, 0.2500, 0.0088},
    {GSIM_CASE_DAG, GSIM_QUANTITY_KERNELS, 35, 0.0491, 0.0384, 0.3318, 0.0404},
    {GSIM_CASE_LAUNCH, GSIM_QUANTITY_LIVE, 9, 0.0233, 0.0114, 0.0892, -0.0113},
    {GSIM_CASE_LAUNCH, GSIM_QUANTITY_SERIAL, 9, 0.0042, 0.0046, 0.0079, -0.0036},
    {GSIM_CASE_LAUNCH, GSIM_QUANTITY_SYNC, 9, 0.0151, 0.0159, 0.0262, 0.0086},
    {GSIM_CASE_LAUNCH, GSIM_QUANTITY_GRAPH, 9, 0.0324, 0.0255, 0.0640, -0.0104},
    {GSIM_CASE_LAUNCH, GSIM_QUANTITY_KERNELS, 9, 0.0194, 0.0181, 0.0388, 0.0168},
    {GSIM_CASE_ATEN, GSIM_QUANTITY_LIVE, 12, 0.0254, 0.0132, 0.0822, 0.0115},
    {GSIM_CASE_ATEN, GSIM_QUANTITY_SERIAL, 12, 0.0137, 0.0126, 0.0204, -0.0031},
    {GSIM_CASE_ATEN, GSIM_QUANTITY_GRAPH, 72, 0.0503, 0.0240, 0.3500, 0.0123},
    {GSIM_CASE_ATEN, GSIM_QUANTITY_CHAIN, 12, 0.0087, 0.0060, 0.0265, -0.0076},
    {GSIM_CASE_MICRO, GSIM_QUANTITY_SPAN, 500, 0.0655, 0.0198, 3.5639, -0.0054},
    {GSIM_CASE_MICRO, GSIM_QUANTITY_ORDERED, 175, 0.0331, 0.0120, 0.6381, 0.0049},
    {GSIM_CASE_MICRO, GSIM_QUANTITY_OWN, 953, 0.0709, 0.0221, 3.7722, 0.0036},
    {GSIM_CASE_MICRO, GSIM_QUANTITY_PLACEMENT, 22, 0.0730, 0.0001, 0.7319, 0.0620},
};

static const struct {
    enum gsim_case_kind kind;
    size_t count;
    double tau_least, regret_most;
} rankings[] = {
    {GSIM_CASE_DAG, 35, 0.70, 0.0125},
    {GSIM_CASE_LAUNCH, 9, 0.95, 0.001},
};

static struct validated all;

static void recordings_are_read_and_simulated(void)
{
    all.validation.compares_models = true;
    validated_run(&all, "h200",
                  (const char *const[]){GPUSIM_SOURCE_DIR "/traces/h200/concurrency.json.gz",
                                        GPUSIM_SOURCE_DIR "/traces/h200/research1.json.gz", NULL});
    CHECK_INT(all.validation.skipped, 8); /* the older priority records, without the arrival's time */
}

static void errors_stay_within_bounds(void)
{
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        const char *kind = gsim_case_kind_word(bounds[i].kind), *quantity = gsim_quantity_word(bounds[i].quantity);
        struct row row = row_of(&all.validation, bounds[i].kind, bounds[i].quantity);
        CHECK_MSG(row.count == bounds[i].count, "%s %s: %zu, expected %zu", kind, quantity, row.count,
                  bounds[i].count);
        CHECK_WITHIN(row.mean, bounds[i].mean, "%s %s: mean", kind, quantity);
        CHECK_WITHIN(row.median, bounds[i].median, "%s %s: median", kind, quantity);
        CHECK_WITHIN(row.worst, bounds[i].worst, "%s %s: worst", kind, quantity);
        CHECK_MSG(fabs(row.bias - bounds[i].bias) <= 0.2 * bounds[i].mean,
                  "%s %s: bias %+.4f, expected %+.4f +- %.4f", kind, quantity, row.bias, bounds[i].bias,
                  0.2 * bounds[i].mean);
    }
}

/* Whatever the bounds: a block-accurate model that a simpler one beats has no reason to be. */
static void simpler_models_are_worse(void)
{
    static const enum gsim_quantity quantities[] = {GSIM_QUANTITY_SPAN, GSIM_QUANTITY_LIVE, GSIM_QUANTITY_GRAPH};
    size_t compared = 0;
    for (int kind = 0; kind < GSIM_CASE_KIND_COUNT; kind++) {
        for (size_t q = 0; q < sizeof quantities / sizeof quantities[0]; q++) {
            struct row row = row_of(&all.validation, (enum gsim_case_kind)kind, quantities[q]);
            if (!row.count) continue;
            for (uint32_t m = 1; gsim_model_name(m); m++)
                CHECK_MSG(row.mean < row.model_mean[m], "%s %s: %.4f, %s %.4f",
                          gsim_case_kind_word((enum gsim_case_kind)kind), gsim_quantity_word(quantities[q]), row.mean,
                          gsim_model_name(m), row.model_mean[m]);
            compared++;
        }
    }
    CHECK_INT(compared, 9);
}

static void schedules_are_ranked(void)
{
    for (size_t i = 0; i < sizeof rankings / sizeof rankings[0]; i++) {
        struct ranking ranking = ranking_of(&all.validation, rankings[i].kind);
        const char *kind = gsim_case_kind_word(rankings[i].kind);
        CHECK_INT(ranking.count, rankings[i].count);
        CHECK_MSG(ranking.tau_mean >= rankings[i].tau_least, "%s: tau %.3f, at least %.3f", kind, ranking.tau_mean,
                  rankings[i].tau_least);
        CHECK_MSG(ranking.regret_mean <= rankings[i].regret_most, "%s: regret %.4f, at most %.4f", kind,
                  ranking.regret_mean, rankings[i].regret_most);
    }
}

static void everything_is_released(void)
{
    validated_release(&all);
    CHECK_INT(all.set.count, 0);
}

static const struct test_case cases[] = {
    {"recordings are read and simulated", recordings_are_read_and_simulated},
    {"errors stay within bounds", errors_stay_within_bounds},
    {"simpler models are worse", simpler_models_are_worse},
    {"schedules are ranked", schedules_are_ranked},
    {"everything is released", everything_is_released},
};
TEST_MAIN("golden/validate_h200", cases)
