/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What line() makes of each conversion, sections, rows with nothing in them, and statistics of columns. */
#include "sim/base/tables/tables.h"

#include <math.h>
#include <stdlib.h>

#include "tests/test.h"

static const char script[] = "-- @schema\n"
                             "CREATE TABLE t (name, count, number);\n"
                             "\n-- @list\n"
                             "SELECT '[';\n"
                             "SELECT line('%s %d', name, count), ', ' FROM t ORDER BY count; -- and nothing else\n"
                             "SELECT line(']\\n');\n"
                             "\n-- @numbers\n"
                             "SELECT line('%6.2f|%-6.1f|%g|%P|%+8P|%r|%.9r|%R\\n', number, number, number, number, "
                             "number, number, number, number) FROM t ORDER BY count;\n"
                             "\n-- @texts\n"
                             "SELECT line('%q %c %-4s|%3d%%', name, name, name, count) FROM t WHERE count = 7;\n";

static sqlite3 *tables(void)
{
    sqlite3 *db = gsim_tables_open(NULL);
    gsim_tables_put(db, script, "schema", NULL);
    gsim_tables_row(db, "t", "suf", "b", 9u, 0.125);
    gsim_tables_row(db, "t", "suf", "a,\"", 7u, (double)NAN);
    gsim_tables_row(db, "t", "szf", "c", (size_t)5000000000, -1e-5);
    return db;
}

static void check(const char *section, const char *right)
{
    char *text = NULL;
    size_t length = 0;
    struct gsim_error error = {0};
    struct gsim_output output;
    sqlite3 *db = tables();
    CHECK_OK(gsim_output_open_memory(&output, &text, &length, &error), error);
    gsim_tables_put(db, script, section, &output);
    CHECK_OK(gsim_output_commit(&output, &error), error);
    CHECK_STR(text, right);
    free(text);
    gsim_tables_close(db);
}

/* Between rows stands the second column; a section ends where the next begins. */
static void sections_are_texts(void) { check("list", "[a,\" 7, b 9, c 5000000000]\n"); }

/* Of nothing, of 0.125 and of what is less than a ratio shows. */
static void numbers_are_written(void)
{
    check("numbers", "     -|-     |-|-|       -|null|null|\n"
                     "  0.12|0.1   |0.125|12.50|  +12.50|0.125000|0.125|0.125000\n"
                     " -0.00|-0.0  |-1e-05|0.00|   +0.00|-0.000010|-1e-05|-0.000010\n");
}

static void texts_are_quoted(void) { check("texts", "\"a,\\\"\" \"a,\"\"\" a,\" |  7%"); }

static double last(const double *x, const double *y, size_t count) { return x[0] + 10 * y[count - 1]; }

/* Rows that lack a number are left out: of 4, 1 and 2 the middle is 2; of pairs the first x and the last y. */
static void statistics_are_of_columns(void)
{
    static const struct gsim_statistic own[] = {{"last", 2, last}, {0}};
    sqlite3 *db = gsim_tables_open(own);
    double numbers[3];
    gsim_tables_put(db, "-- @s\nCREATE TABLE t (x, y); INSERT INTO t VALUES (4, 1), (NULL, 7), (1, 2), (2, NULL)", "s",
                    NULL);
    gsim_tables_numbers(db, "SELECT median(x), last(x, y), median(x) FILTER (WHERE x > 9) FROM t", numbers, 3);
    CHECK_NEAR(numbers[0], 2, 0);
    CHECK_NEAR(numbers[1], 24, 0);
    CHECK(isnan(numbers[2]));
    gsim_tables_close(db);
}

static const struct test_case cases[] = {
    {"sections", sections_are_texts},
    {"numbers", numbers_are_written},
    {"texts", texts_are_quoted},
    {"statistics", statistics_are_of_columns},
};
TEST_MAIN("sim/base/tables/tables", cases)
