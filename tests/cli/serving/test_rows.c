/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row of the table of "gpusim serve", and what its columns are. */
#include "cli/serving/rows.h"

#include <unistd.h>

#include "gpusim/batching.h"
#include "tests/sim/result_fixture.h"

/* Two draws each: column C is 100 C - 1 and 100 C + 1, in mean 100 C; half of the 95 % interval is Student's 12.7062
 * times the deviation, the root of 2, over the root of 2. TTFT is columns 3 to 5, TPOT 6 to 8: the middle ones are
 * P90. */
static void columns(void)
{
    static const char expected[] =
        "    2.5 continuous    same         2      100      200      100 300.0 us 500.0 us 600.0 us 800.0 us\n"
        "                                  +-   12.706   12.706   6.3531 12.71 us 12.71 us 12.71 us 12.71 us\n";
    struct gsim_stats stats[GSIM_SERVE_COLUMNS];
    struct gsim_output out = {0};
    struct gsim_error error = {0};
    const struct gsim_serve_cell cell = {2.5, gsim_batching_find("continuous"), NULL, 0};
    char path[64];
    for (int c = 0; c < GSIM_SERVE_COLUMNS; c++) {
        gsim_stats_init(&stats[c]);
        gsim_stats_add(&stats[c], 100 * c - 1);
        gsim_stats_add(&stats[c], 100 * c + 1);
    }
    CHECK_OK(gsim_output_open(&out, scratch_path(path, ".txt"), &error), error);
    gsim_serve_put_row(&out, &cell, 2, stats);
    CHECK_OK(gsim_output_commit(&out, &error), error);
    char *text = read_file(path);
    CHECK_STR(text, expected);
    gsim_free(text);
    unlink(path);
}

static const struct test_case cases[] = {{"columns", columns}};
TEST_MAIN("cli/serving/rows", cases)
