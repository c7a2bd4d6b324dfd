/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Unlike kernels on an H100 (traces/h100/unlike): made ones live, a library's as graphs, two on two streams and DAGs;
 * from times alone, and with what ncu measured of each kernel. Bounds are what the model reached plus 15 %.
 * $GPUSIM_FULL: with what ncu measured, which takes half a minute.
 */
#include "tests/golden/validated.h"

#define FOLDER GPUSIM_SOURCE_DIR "/traces/h100/unlike/"

enum knowledge { TIMES_ALONE, FROM_NCU, KNOWLEDGE_COUNT };
static const char *const knowledge_words[KNOWLEDGE_COUNT] = {"times alone", "from ncu"};

static const struct set {
    const char *recorded, *ncu;
    enum gsim_quantity together, in_one_stream;
    size_t count[2]; /* pairs, DAGs */
    struct {
        double together, in_one_stream; /* greatest mean errors */
    } most[KNOWLEDGE_COUNT][2];
} sets[] = {
    {FOLDER "made.json.gz", FOLDER "made_ncu.csv.gz", GSIM_QUANTITY_LIVE, GSIM_QUANTITY_SERIAL, {75, 60},
     {{{0.158, 0.0465}, {0.0818, 0.0235}}, {{0.128, 0.0213}, {0.0625, 0.0125}}}},
    {FOLDER "library.json.gz", FOLDER "library_ncu.csv.gz", GSIM_QUANTITY_GRAPH, GSIM_QUANTITY_CHAIN, {30, 25},
     {{{0.1538, 0.0775}, {0.093, 0.0815}}, {{0.0868, 0.027}, {0.0557, 0.0357}}}},
};

/* The cases of SET with what is known of their kernels. */
static void prepare(struct validated *v, const struct set *set, enum knowledge knowledge)
{
    struct gsim_profiles profiles = {0};
    struct gsim_error error = {0};
    gsim_params_set_defaults(gsim_gpu_params, &v->options);
    CHECK_OK(gsim_device_load("h100-vm", &v->device, &error), error);
    validated_read(v, set->recorded);
    if (knowledge == TIMES_ALONE) return;
    CHECK_OK(gsim_profiles_read(&profiles, set->ncu, &error), error);
    gsim_cases_apply(&v->set, &profiles);
    CHECK_MSG(profiles.asked > 0 && profiles.matched == profiles.asked, "%s: %d of %d kernels matched", set->ncu,
              (int)profiles.matched, (int)profiles.asked);
    gsim_profiles_release(&profiles);
}

static void check_row(const struct validated *v, enum gsim_case_kind kind, enum gsim_quantity quantity, size_t count,
                      double most, const char *what)
{
    struct row row = row_of(&v->validation, kind, quantity);
    CHECK_INT(row.count, count);
    CHECK_WITHIN(row.mean, most, "%s, %s %s", what, gsim_case_kind_word(kind), gsim_quantity_word(quantity));
}

static void check(enum knowledge knowledge)
{
    static const enum gsim_case_kind kinds[2] = {GSIM_CASE_BESIDE, GSIM_CASE_UNLIKE};
    struct gsim_error error = {0};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        const struct set *set = &sets[s];
        struct validated v = {0};
        char what[128];
        snprintf(what, sizeof what, "%s %s", set->recorded + sizeof FOLDER - 1, knowledge_words[knowledge]);
        prepare(&v, set, knowledge);
        v.validation.device = &v.device;
        v.validation.gpu = &v.options;
        for (size_t i = 0; i < v.set.count; i++)
            CHECK_OK(gsim_validation_run(&v.validation, &v.set.cases[i], &error), error);
        for (int k = 0; k < 2; k++) {
            check_row(&v, kinds[k], set->together, set->count[k], set->most[knowledge][k].together, what);
            check_row(&v, kinds[k], set->in_one_stream, set->count[k], set->most[knowledge][k].in_one_stream, what);
        }
        validated_release(&v);
    }
}

static void times_alone(void) { check(TIMES_ALONE); }
static void from_ncu(void) { if (test_is_full()) check(FROM_NCU); }

static const struct test_case cases[] = {
    {"times alone", times_alone}, {"what ncu measured", from_ncu},
};
TEST_MAIN("golden/unlike", cases)
