/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Specs: which points come out of settings, axes, pairs and conditions, in which order. */
#include <unistd.h>

#include "sweep/spec.h"
#include "tests/test.h"

static enum gsim_status resolve(void *data, const char *name, const char **canonical, bool *is_integer,
                                struct gsim_error *error)
{
    (void)data;
    *canonical = strcmp(name, "scheduler") == 0 ? "sched" : name;
    *is_integer = strcmp(name, "n") == 0;
    return strlen(name) > 12 ? gsim_error_set(error, GSIM_USAGE, "unknown name '%s'", name) : GSIM_OK;
}

static enum gsim_status expand(void *data, const char *name, const char *text, struct gsim_arena *arena,
                               const char *const **items, size_t *count, struct gsim_error *error)
{
    static const char *const all[] = {"x", "y", "z"};
    (void)data;
    (void)arena;
    (void)error;
    *count = strcmp(name, "sched") == 0 && strcmp(text, "all") == 0 ? 3 : 0;
    *items = all;
    return GSIM_OK;
}

static const struct gsim_spec_host host = {.resolve = resolve, .expand = expand};

/* All points that the conditions let in, "a=1 b=2;a=1 b=3;", with "/1" for the second repetition. */
static void list_points(const struct gsim_spec *spec, char *text, size_t size)
{
    struct gsim_setting settings[8];
    size_t length = 0;
    text[0] = '\0';
    for (uint64_t item = 0; item < spec->total; item++) {
        uint32_t repeat;
        gsim_spec_point(spec, item, settings, &repeat);
        if (!gsim_spec_holds(spec, settings, repeat)) continue;
        for (size_t i = 0; i < spec->axis_count; i++)
            length += (size_t)snprintf(text + length, size - length, "%s%s=%s", i ? " " : "", settings[i].name,
                                       settings[i].value.text);
        if (repeat) length += (size_t)snprintf(text + length, size - length, "/%u", repeat);
        length += (size_t)snprintf(text + length, size - length, ";");
    }
}

/* FILE is the text of a spec file. */
static enum gsim_status read_text(struct gsim_spec *spec, const char *file, struct gsim_error *error)
{
    char path[64];
    snprintf(path, sizeof(path), "/tmp/gpusim-spec-%ld.json", (long)getpid());
    FILE *out = fopen(path, "w");
    CHECK(out != NULL);
    if (!out) return GSIM_IO;
    fputs(file, out);
    fclose(out);
    gsim_spec_init(spec, &host);
    enum gsim_status status = gsim_spec_read(spec, path, error);
    if (status == GSIM_OK) status = gsim_spec_finish(spec, error);
    unlink(path);
    return status;
}

#define HEAD "{\"schema\": \"gpusim-sweep/1\", "
static const char *const specs[][2] = {
    {HEAD "\"vary\": {\"a\": [1, 2], \"b\": \"3:4\"}}", "a=1 b=3;a=1 b=4;a=2 b=3;a=2 b=4;"},
    {HEAD "\"vary\": {\"scheduler\": \"all\"}, \"repeat\": 2}",
     "sched=x;sched=x/1;sched=y;sched=y/1;sched=z;sched=z/1;"},
    {HEAD "\"vary\": {\"c\": 7}, \"paired\": [{\"a\": [1, 2], \"b\": [\"u\", \"v\"]}]}", "c=7 a=1 b=u;c=7 a=2 b=v;"},
    {HEAD "\"vary\": {\"a\": [1, 2, 3], \"b\": [1, 2, 3]}, \"where\": [\"a < b\", \"a + b != 4\"]}",
     "a=1 b=2;a=2 b=3;"},
    {HEAD "\"options\": {\"k\": 5}, \"vary\": {\"a\": [4, 5]}, \"where\": \"a = k and repeat = 1\", \"repeat\": 3}",
     "a=5/1;"},
    {HEAD "\"vary\": {\"n\": \"1:4:log3\"}}", "n=1;n=2;n=4;"},
    {HEAD "\"options\": {\"a\": 1}}", ";"},
};

static void points_come_in_order(void)
{
    for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
        struct gsim_spec spec;
        struct gsim_error error = {0};
        char text[1000];
        CHECK_OK(read_text(&spec, specs[i][0], &error), error);
        list_points(&spec, text, sizeof(text));
        CHECK_STR(text, specs[i][1]);
        gsim_spec_release(&spec);
    }
}

/* Sampled axes are one group, whatever stands between them. */
static void samples_advance_together(void)
{
    struct gsim_spec spec;
    struct gsim_error error = {0};
    CHECK_OK(read_text(&spec,
                       HEAD
                       "\"vary\": {\"a\": \"0:1:sobol\", \"s\": [\"p\", \"q\"], \"b\": \"0:1:sobol\"}, \"samples\": 8}",
                       &error),
             error);
    CHECK_INT(spec.total, 16);
    gsim_spec_release(&spec);
}

static void later_words_win(void)
{
    struct gsim_spec spec;
    struct gsim_error error = {0};
    char text[200];
    gsim_spec_init(&spec, &host);
    CHECK_OK(gsim_spec_vary(&spec, "a=1,2", &error), error);
    CHECK_OK(gsim_spec_fix(&spec, "b", "3", &error), error);
    CHECK_OK(gsim_spec_vary(&spec, "b=4,5", &error), error); /* an axis takes a setting's place */
    CHECK_OK(gsim_spec_vary(&spec, "a=9", &error), error);   /* and an earlier axis', where that stood */
    CHECK_OK(gsim_spec_finish(&spec, &error), error);
    list_points(&spec, text, sizeof(text));
    CHECK_STR(text, "a=9 b=4;a=9 b=5;");
    gsim_spec_release(&spec);
}

static const char *const refusals[][2] = {
    {"{\"vary\": {}}", "schema: expected \"gpusim-sweep/1\""},
    {HEAD "\"vray\": {}}", "unknown field \"vray\", did you mean 'vary'?"},
    {HEAD "\"vary\": []}", "vary: expected an object"},
    {HEAD "\"vary\": {\"a\": {}}}", "vary: a: expected values"},
    {HEAD "\"vary\": {\"a\": [1, null]}}", "a: expected a number or a string"},
    {HEAD "\"vary\": {\"averyverylongname\": 1}}", "vary: unknown name"},
    {HEAD "\"paired\": [{\"a\": [1, 2], \"b\": [1]}]}", "a has 2 values, b has 1"},
    {HEAD "\"repeat\": 0}", "repeat: expected a whole number from 1"},
    {HEAD "\"where\": [3]}", "where: expected a condition"},
    {HEAD "\"vary\": {\"a\": [1]}, \"vary\": {}}", "\"vary\" stands there twice"},
    {HEAD "\"options\": {\"a\": [1]}}", "a: expected a number, a string"},
    {HEAD "\"vary\": ", "line 1"},
    {HEAD "\"vary\": {\"a\": \"8:9999999\"}}", "9999992 values or more, expected at most 1000000"},
    {HEAD "\"vary\": {\"a\": \"1:600000\", \"a\": \"1:600000\"}}", "all axes together have 1200000 values or more"},
};

/* Samples count once for each sampled axis; what is too much is told before any value is drawn. */
static void samples_are_bounded(void)
{
    struct gsim_spec spec;
    struct gsim_error error = {0};
    gsim_spec_init(&spec, &host);
    CHECK_OK(gsim_spec_vary(&spec, "a=0:1:random", &error), error);
    CHECK_OK(gsim_spec_vary(&spec, "b=0:1:random", &error), error);
    spec.samples = 1000000;
    CHECK_INT(gsim_spec_finish(&spec, &error), GSIM_USAGE);
    CHECK_HAS(error.message, "2000000 values or more: expected at most 1000000");
    CHECK_INT(spec.axes[0].values == NULL, 1);
    gsim_spec_release(&spec);
}

static void mistakes_are_refused(void)
{
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        struct gsim_spec spec;
        struct gsim_error error = {0};
        CHECK_MSG(read_text(&spec, refusals[i][0], &error) == GSIM_INPUT, "%s", refusals[i][0]);
        CHECK_HAS(error.message, refusals[i][1]);
        gsim_spec_release(&spec);
    }
}

static const struct test_case cases[] = {
    {"points come in order", points_come_in_order},
    {"samples advance together", samples_advance_together},
    {"later words win", later_words_win},
    {"samples are bounded", samples_are_bounded},
    {"mistakes are refused", mistakes_are_refused},
};
TEST_MAIN("sweep/spec", cases)
