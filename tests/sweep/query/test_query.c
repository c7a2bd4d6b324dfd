/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries: which rows, which base row belongs to a row, what is said of groups. */
#include "sweep/query/query.h"
#include "tests/sweep/rows.h"

/* serial knows no kesco.streams: it is the base of every value of it. img at size 2 has no base. */
static const struct row_text rows[] = {
    {"1", "{\"workload\":\"vec\",\"sched\":\"serial\",\"size\":1}", "vec", "serial", "ok", 100},
    {"2", "{\"workload\":\"vec\",\"sched\":\"kesco\",\"size\":1,\"kesco.streams\":2}", "vec", "kesco", "ok", 50},
    {"3", "{\"workload\":\"vec\",\"sched\":\"kesco\",\"size\":1,\"kesco.streams\":4}", "vec", "kesco", "ok", 25},
    {"4", "{\"workload\":\"img\",\"sched\":\"serial\",\"size\":1}", "img", "serial", "ok", 30},
    {"5", "{\"workload\":\"img\",\"sched\":\"kesco\",\"size\":1,\"kesco.streams\":2}", "img", "kesco", "ok", 30},
    {"6", "{\"workload\":\"img\",\"sched\":\"kesco\",\"size\":2,\"kesco.streams\":2}", "img", "kesco", "ok", 90},
    {"7", "{\"workload\":\"img\",\"sched\":\"kesco\",\"size\":3,\"kesco.streams\":2}", "img", "kesco", "crashed", 0},
};

static char path[64];

static void ask(const struct gsim_query *query, struct gsim_selected *answer)
{
    struct gsim_store *store;
    struct gsim_error error = {0};
    CHECK_OK(gsim_store_open(path, GSIM_STORE_READ, &store, &error), error);
    CHECK_OK(gsim_query_run(store, query, answer, &error), error);
    gsim_store_close(store);
}

static void rows_are_listed(void)
{
    struct gsim_selected answer;
    static const char *const where[] = {"workload = img and size >= 2"};
    rows_write(rows_path(path, ".db"), "m", rows, sizeof(rows) / sizeof(rows[0]));
    ask(&(struct gsim_query){.with_failed = true}, &answer);
    CHECK_INT(answer.row_count, 7);
    CHECK_INT(answer.name_count, 4); /* the axes, in the order of the first row that has them */
    CHECK_STR(answer.names[0], "workload");
    CHECK_STR(answer.names[3], "kesco.streams");
    CHECK_INT(answer.rows[0].cells[3].type, GSIM_CELL_NULL);
    CHECK_STR(answer.rows[6].status, "crashed");
    CHECK(isnan(answer.rows[6].value));
    gsim_selected_release(&answer);
    ask(&(struct gsim_query){.conditions = where, .condition_count = 1}, &answer);
    CHECK_INT(answer.row_count, 1);
    CHECK_NEAR(answer.rows[0].value, 90, 0);
    CHECK_INT(answer.failed_count, 1);
    gsim_selected_release(&answer);
}

static void base_rows_are_found(void)
{
    struct gsim_selected answer;
    static const char *const columns[] = {"sched"}, *const where[] = {"sched = kesco"};
    struct gsim_query query = {.columns = columns, .column_count = 1, .base_name = "sched", .base_value = "serial"};
    static const double expected[] = {1, 2, 4, 1, 1};
    ask(&query, &answer);
    CHECK_STR(answer.value_name, "speedup");
    CHECK_INT(answer.row_count, 6);
    for (size_t i = 0; i < 5; i++) CHECK_NEAR(answer.rows[i].value, expected[i], 1e-12);
    CHECK(isnan(answer.rows[5].value));
    CHECK_INT(answer.no_base_count, 1);
    gsim_selected_release(&answer);
    /* Grouped, and with the base rows themselves left out by the condition. */
    query.is_grouped = true;
    query.conditions = where;
    query.condition_count = 1;
    ask(&query, &answer);
    CHECK_INT(answer.row_count, 1);
    CHECK_INT(answer.stats[0].count, 3);
    CHECK_NEAR(gsim_stats_geomean(&answer.stats[0]), 2, 1e-12); /* of 2, 4 and 1 */
    gsim_selected_release(&answer);
    /* Any name can tell bases from others. */
    query = (struct gsim_query){.columns = columns, .column_count = 1, .base_name = "kesco.streams", .base_value = "2"};
    ask(&query, &answer);
    CHECK_NEAR(answer.rows[2].value, 2, 1e-12);
    gsim_selected_release(&answer);
}

static void unknown_names_are_refused(void)
{
    static const char *const columns[] = {"schd"}, *const where[] = {"sise > 1"};
    static const struct {
        struct gsim_query query;
        const char *part;
    } wrong[] = {
        {{.columns = columns, .column_count = 1}, "'schd' in this file, did you mean 'sched'?"},
        {{.conditions = where, .condition_count = 1}, "'sise' is no name"},
        {{.value = "iteration"}, "'iteration' in this file"},
        {{.value = "speedup"}, "expected --base"},
        {{.base_name = "sched", .base_value = "async"}, "no row of the file has that"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct gsim_store *store;
        struct gsim_error error = {0};
        struct gsim_selected answer;
        CHECK_OK(gsim_store_open(path, GSIM_STORE_READ, &store, &error), error);
        CHECK_INT(gsim_query_run(store, &wrong[i].query, &answer, &error), GSIM_USAGE);
        CHECK_HAS(error.message, wrong[i].part);
        gsim_store_close(store);
    }
    unlink(path);
}

static const struct test_case cases[] = {
    {"rows are listed", rows_are_listed},
    {"base rows are found", base_rows_are_found},
    {"unknown names are refused", unknown_names_are_refused},
};
TEST_MAIN("sweep/query", cases)
