/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How kernels are packed behind others, and DAGs measured a second time (traces/h200/vm): the rules of sim/sm/ends.c
 * and sim/front/front.c against what one H200 did in 40 and 30 repetitions. The rules were found with all of these
 * cases in view; what speaks for them beside is that the older pairs, arrivals and kernel times came closer. Bounds are
 * what the model reached plus 15 %.
 */
#include "tests/golden/validated.h"

static const struct {
    enum gsim_case_kind kind;
    enum gsim_quantity quantity;
    size_t count;
    double even, odd; /* greatest mean error of each half of the cases */
} bounds[] = {
    {GSIM_CASE_ARRIVAL, GSIM_QUANTITY_PLACEMENT, 182, 0.0649, 0.0567},
    {GSIM_CASE_ARRIVAL, GSIM_QUANTITY_LATE_END, 91, 0.0560, 0.0475},
    /* The 37 DAGs of packs.json.gz (two kernels released together: chance) and the 35 of dags.json.gz. */
    {GSIM_CASE_DAG, GSIM_QUANTITY_GRAPH, 72, 0.0370, 0.0401},
    {GSIM_CASE_DAG, GSIM_QUANTITY_KERNELS, 72, 0.0653, 0.0630},
};

static struct validated all;

static void recordings_are_simulated(void)
{
    validated_run(&all, "h200-vm",
                  (const char *const[]){GPUSIM_SOURCE_DIR "/traces/h200/vm/packs.json.gz",
                                        GPUSIM_SOURCE_DIR "/traces/h200/vm/dags.json.gz", NULL});
}

static void errors_stay_within_bounds(void)
{
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        const char *kind = gsim_case_kind_word(bounds[i].kind), *quantity = gsim_quantity_word(bounds[i].quantity);
        struct row row = row_of(&all.validation, bounds[i].kind, bounds[i].quantity);
        CHECK_INT(row.count, bounds[i].count);
        CHECK_WITHIN(row.even, bounds[i].even, "%s %s: even half", kind, quantity);
        CHECK_WITHIN(row.odd, bounds[i].odd, "%s %s: odd half", kind, quantity);
    }
}

static void unload(void) { validated_release(&all); }

static const struct test_case cases[] = {
    {"recordings are simulated", recordings_are_simulated},
    {"errors stay within bounds", errors_stay_within_bounds},
    {"everything is released", unload},
};
TEST_MAIN("golden/packs", cases)
