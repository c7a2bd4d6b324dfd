/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A paper's spec: which points its axes make, what becomes of their figures, and that errors say where. The runs are
 * made up here: a run's figure is the sum of its settings' values.
 */
#include "trust/published/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/test.h"

#define TEXT 4000

struct seen {
    size_t points;
    char last[400]; /* the last point's settings */
};

static enum gsim_status run(void *data, struct gsim_paper_batch *batch, struct gsim_error *error)
{
    struct seen *seen = data;
    (void)error;
    for (size_t i = 0; i < batch->count; i++) {
        struct gsim_paper_point *point = &batch->points[i];
        size_t length = 0;
        point->values[0] = 0;
        for (size_t s = 0; s < point->count; s++) {
            point->values[0] += atof(point->settings[s].value);
            length += (size_t)snprintf(seen->last + length, sizeof seen->last - length, "%s=%s ",
                                       point->settings[s].name, point->settings[s].value);
            if (strcmp(point->settings[s].value, "bad") == 0) point->error = "no such thing";
        }
        seen->points++;
    }
    return GSIM_OK;
}

static enum gsim_status keep(void *data, const char *text, const char **path, struct gsim_error *error)
{
    struct seen *seen = data;
    (void)error;
    snprintf(seen->last, sizeof seen->last, "%s", text);
    *path = "kept.json";
    return GSIM_OK;
}

static void put(void *data, const char *text)
{
    size_t length = strlen(data);
    snprintf((char *)data + length, TEXT - length, "%s", text);
}

/* What the spec gives in FORM, into TEXT; CSV: of table "expected". */
static enum gsim_status reproduce(const char *spec, const char *csv, enum gsim_paper_form form, char *text,
                                  struct seen *seen, struct gsim_error *error)
{
    char folder[] = "/tmp/gpusim-paper-XXXXXX", path[64];
    struct gsim_paper *paper = NULL;
    const struct gsim_paper_asked asked = {.name = "test", .only = "a,b", .factor = 1};
    cJSON *json = cJSON_Parse(spec);
    CHECK_MSG(json, "no JSON: %s", spec);
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/expected.csv", folder);
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(csv, file) >= 0);
    if (file) fclose(file);
    *seen = (struct seen){0};
    *error = (struct gsim_error){0};
    *text = '\0';
    enum gsim_status status = gsim_paper_open(&paper, json, folder, &asked, error);
    if (status == GSIM_OK) status = gsim_paper_run(paper, &(struct gsim_paper_host){seen, run, keep}, error);
    if (status == GSIM_OK) status = gsim_paper_write(paper, form, put, text, error);
    gsim_paper_close(paper);
    cJSON_Delete(json);
    remove(path);
    rmdir(folder);
    return status;
}

#define HEAD "{\"schema\": \"gpusim-paper/1\", \"name\": \"test\", \"title\": \"A test\", "
#define CSV  "cell,unit,low,high,slack,source\none,us,10,10,0.1,\"a, b\"\ntwo,us,3,,0,c\nthree,us,5,7,0,c\n"

/* 1 + 10 * 100 sums: 1+10, 1+20, 2+10, 2+20, of which two are cells: 11 is within 10 % of 10, 22 above 3. */
static void cells_come_of_runs(void)
{
    static const char *const spec =
        HEAD "\"tables\": {\"expected\": \"expected.csv\"}, \"steps\": [{\"runs\": \"r\", \"figures\": [\"sum\"], "
             "\"vary\": {\"x\": [1, 2], \"y\": {\"low\": {\"z\": 10}, \"high\": {\"z\": 20, \"w\": \"off\"}}}}, "
             "{\"table\": \"cells\", \"sql\": [\"SELECT 'one' AS cell, min(sum) AS simulated FROM r UNION ALL\", "
             "\"SELECT 'two', max(sum) FROM r WHERE y = 'high' UNION ALL SELECT 'three', 10.5\"]}]}";
    char text[TEXT];
    struct seen seen;
    struct gsim_error error;
    CHECK_OK(reproduce(spec, CSV, GSIM_PAPER_CSV, text, &seen, &error), error);
    CHECK_INT(seen.points, 4);
    CHECK_STR(text, "cell,unit,low,high,slack,source,simulated,off\none,us,10,10,0.1,\"a, b\",11.0,0\n"
                    "two,us,3,,0,c,22.0,0\nthree,us,5,7,0,c,10.5,0.5\n");
    CHECK_OK(reproduce(spec, CSV, GSIM_PAPER_TEXT, text, &seen, &error), error);
    CHECK_HAS(text, "A test\n");
    CHECK_HAS(text, "3 or more         22 us     within");
    CHECK_HAS(text, "5 to 7       10.5 us     missed");
    CHECK_OK(reproduce(spec, CSV, GSIM_PAPER_JSON, text, &seen, &error), error);
    CHECK_HAS(text, "{\"cell\": \"two\", \"unit\": \"us\", \"low\": 3, \"high\": null,");
}

/* Columns of rows are options but those with _; NULL takes an option away; a step sees the figures of those before. */
static void rows_come_of_figures(void)
{
    static const char *const spec =
        HEAD "\"steps\": [{\"runs\": \"first\", \"figures\": [\"sum\"], \"options\": {\"x\": 4}}, "
             "{\"runs\": \"second\", \"figures\": [\"sum\"], \"options\": {\"a\": 1, \"b\": 2, \"f\": \"{folder}/1\"}, "
             "\"rows\": \"SELECT 100 AS _key, sum * 2 AS x, NULL AS a FROM first\"}], "
             "\"text\": [\"before\", {\"sql\": \"SELECT printf('%d %g', _key, sum) FROM second\"}, "
             "{\"sql\": \"SELECT word FROM words\"}, {\"sql\": \"SELECT name FROM asked\"}]}";
    char text[TEXT];
    struct seen seen;
    struct gsim_error error;
    CHECK_OK(reproduce(spec, CSV, GSIM_PAPER_TEXT, text, &seen, &error), error);
    CHECK_STR(text, "before\n100 10\na\nb\ntest\n");
    CHECK_HAS(seen.last, "b=2 ");
    CHECK_HAS(seen.last, "f=/tmp/gpusim-paper-");
    CHECK_HAS(seen.last, "x=8");
    CHECK(!strstr(seen.last, "a="));
}

/* A row is an op, NULL no field, the text true a value; a pipe is a member; a kernel's name is listed once. */
static void programs_come_of_rows(void)
{
    static const char *const spec =
        HEAD "\"steps\": [{\"programs\": \"p\", \"sql\": \"SELECT 'two' AS program, 'kernel' AS op, 'k' AS kernel, "
             "8 AS grid, 0.5 AS solo_us, NULL AS us, 0.25 AS 'pipes.fma', 0.125 AS 'pipes.l1', NULL AS waits "
             "UNION ALL SELECT 'two', 'kernel', 'k', 9, 2, NULL, NULL, NULL, 'true' UNION ALL "
             "SELECT 'two', 'host_compute', NULL, NULL, NULL, 3, NULL, NULL, NULL\"}], "
             "\"text\": [{\"sql\": \"SELECT name || ' ' || file FROM p\"}]}";
    char text[TEXT];
    struct seen seen;
    struct gsim_error error;
    CHECK_OK(reproduce(spec, CSV, GSIM_PAPER_TEXT, text, &seen, &error), error);
    CHECK_STR(text, "two kept.json\n");
    CHECK_STR(seen.last, "{\"schema\":\"gpusim-program/1\",\"name\":\"two\",\"kernels\":[{\"name\":\"k\"}],\"ops\":["
                         "{\"op\":\"kernel\",\"kernel\":\"k\",\"grid\":[8],\"solo_us\":0.5,"
                         "\"pipes\":{\"fma\":0.25,\"l1\":0.125}},"
                         "{\"op\":\"kernel\",\"kernel\":\"k\",\"grid\":[9],\"solo_us\":2,\"waits\":true},"
                         "{\"op\":\"host_compute\",\"us\":3}]}");
}

static void failed_runs_have_no_figures(void)
{
    static const char *const spec =
        HEAD "\"steps\": [{\"runs\": \"r\", \"figures\": [\"sum\"], \"vary\": {\"x\": [1, \"bad\", 3, 9]}}], "
             "\"text\": [{\"sql\": \"SELECT median(sum), count(sum) FROM r\"}, "
             "{\"sql\": \"SELECT error FROM r WHERE sum IS NULL\"}]}";
    char text[TEXT];
    struct seen seen;
    struct gsim_error error;
    CHECK_OK(reproduce(spec, CSV, GSIM_PAPER_TEXT, text, &seen, &error), error);
    CHECK_STR(text, "3.0\nno such thing\n");
}

static void errors_name_the_place(void)
{
    static const struct {
        const char *spec, *csv, *part;
    } wrong[] = {
        {"{\"schema\": \"gpusim-paper/2\"}", CSV, "schema: expected \"gpusim-paper/1\""},
        {HEAD "\"step\": []}", CSV, "unknown key \"step\""},
        {HEAD "\"steps\": [{\"runs\": \"r\", \"figure\": []}]}", CSV, "unknown key \"figure\""},
        {HEAD "\"steps\": [{\"figures\": [\"x\"]}]}", CSV, "steps: expected runs, programs or a table"},
        {HEAD "\"steps\": [{\"runs\": \"r\"}]}", CSV, "r: figures: expected a list of names"},
        {HEAD "\"steps\": [{\"runs\": \"r\", \"figures\": [\"x\"], \"vary\": {\"a\": []}}]}", CSV,
         "r: vary.a: expected a list of values"},
        {HEAD "\"steps\": [{\"table\": \"t\", \"sql\": \"SELECT x FROM nowhere\"}]}", CSV, "t: no such table: nowhere"},
        {HEAD "\"steps\": [], \"text\": [{\"sql\": \"SELECT 1; SELECT 2\"}]}", CSV, "text: expected one query"},
        {HEAD "\"tables\": {\"expected\": \"expected.csv\"}, \"steps\": []}", "a,b\n1\n",
         "line 2: expected 2 fields, found 1"},
        {HEAD "\"tables\": {\"expected\": \"expected.csv\"}, \"steps\": []}", "a,b\n\"1,2\n",
         "line 2: expected 2 fields"},
        {HEAD "\"tables\": {\"expected\": \"expected.csv\"}, \"steps\": []}", "# nothing\n", "expected a header"},
        {HEAD "\"tables\": {\"expected\": \"other.csv\"}, \"steps\": []}", CSV, "cannot read '"},
    };
    char text[TEXT];
    struct seen seen;
    struct gsim_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(reproduce(wrong[i].spec, wrong[i].csv, GSIM_PAPER_TEXT, text, &seen, &error) != GSIM_OK);
        CHECK_HAS(error.message, wrong[i].part);
    }
}

static const struct test_case cases[] = {
    {"cells come of runs", cells_come_of_runs},
    {"rows come of figures", rows_come_of_figures},
    {"programs come of rows", programs_come_of_rows},
    {"failed runs have no figures", failed_runs_have_no_figures},
    {"errors name the place", errors_name_the_place},
};
TEST_MAIN("trust/published/paper", cases)
