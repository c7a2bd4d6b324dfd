/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joining results files: the sum of their rows, once each; what contradicts itself, or mixes models, is refused. */
#include "sweep/merge.h"
#include "tests/sweep/rows.h"

static const struct row_text first[] = {{"a", "{}", "vec", "serial", "ok", 1},
                                        {"b", "{}", "vec", "kesco", "crashed", 0}};
static const struct row_text second[] = {
    {"a", "{}", "vec", "serial", "ok", 1}, {"b", "{}", "vec", "kesco", "ok", 2}, {"c", "{}", "img", "kesco", "ok", 3}};
static const struct row_text other[] = {{"a", "{}", "vec", "serial", "ok", 1.5}};

static enum gsim_status count(void *data, const struct gsim_row *row, struct gsim_error *error)
{
    (void)error;
    ((double *)data)[0] += 1;
    ((double *)data)[1] += row->cells[GSIM_COLUMN_iteration_us].real;
    return GSIM_OK;
}

static void files_are_joined_or_refused(void)
{
    char one[64], two[64], three[64], four[64], out[64];
    struct gsim_merge_outcome outcome = {0};
    struct gsim_error error = {0};
    struct gsim_store *store;
    double sums[2] = {0};
    rows_write(rows_path(one, ".1"), "m", first, 2);
    rows_write(rows_path(two, ".2"), "m", second, 3);
    rows_write(rows_path(three, ".3"), "m", other, 1);
    rows_write(rows_path(four, ".4"), "another", other, 1);
    const char *const fine[] = {one, two}, *const contradicting[] = {one, three}, *const mixed[] = {one, four};
    rows_path(out, ".out");
    CHECK_OK(gsim_merge(out, fine, 2, false, false, &outcome, &error), error);
    CHECK_INT(outcome.added, 4); /* a, b as it crashed, then b and c */
    CHECK_INT(outcome.present, 1);
    CHECK_OK(gsim_store_open(out, GSIM_STORE_READ, &store, &error), error);
    CHECK_OK(gsim_store_each(store, count, sums, &error), error);
    gsim_store_close(store);
    CHECK_NEAR(sums[0], 3, 0);
    CHECK_NEAR(sums[1], 6, 0);
    CHECK_INT(gsim_merge(out, fine, 2, false, false, &outcome, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "is there already");
    unlink(out);
    CHECK_INT(gsim_merge(out, contradicting, 2, false, false, &outcome, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "other figures for a point");
    CHECK(access(out, F_OK) != 0);
    CHECK_INT(gsim_merge(out, mixed, 2, false, false, &outcome, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "another model");
    CHECK_INT(gsim_merge(one, mixed, 2, true, false, &outcome, &error), GSIM_USAGE);
    CHECK_HAS(error.message, "both input and output");
    unlink(one), unlink(two), unlink(three), unlink(four);
}

static const struct test_case cases[] = {{"files are joined or refused", files_are_joined_or_refused}};
TEST_MAIN("sweep/merge", cases)
