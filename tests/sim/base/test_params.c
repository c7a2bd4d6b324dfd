/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parameter tables: defaults, parsing, exact errors, formatting that reads back, help.
 */
#include "tests/test.h"

#include "gpusim/params.h"

struct options {
    bool reuse;
    int64_t streams;
    double cost_us;
    int order;
    char after; /* nothing may be written behind a field */
};

static const struct gsim_param table[] = {
    {"reuse", GSIM_PARAM_BOOL, offsetof(struct options, reuse), 1, 0, 1, "", NULL, "keep streams"},
    {"streams", GSIM_PARAM_INT, offsetof(struct options, streams), 10, 1, 128, "", NULL, "streams to create"},
    {"cost", GSIM_PARAM_REAL, offsetof(struct options, cost_us), 2.5, 0, 1e6, "us", NULL, "host time per kernel"},
    {"order", GSIM_PARAM_CHOICE, offsetof(struct options, order), 1, 0, 0, "", "program|level|random", "issue order"},
    {NULL, 0, 0, 0, 0, 0, NULL, NULL, NULL},
};

static void test_defaults(void)
{
    struct options o;
    memset(&o, 0x55, sizeof(o));
    gsim_params_set_defaults(table, &o);
    CHECK(o.reuse);
    CHECK_INT(o.streams, 10);
    CHECK_NEAR(o.cost_us, 2.5, 0);
    CHECK_INT(o.order, 1);
    CHECK_INT(o.after, 0x55);
    gsim_params_set_defaults(NULL, &o);
    CHECK_INT(o.streams, 10);
}

static void test_set(void)
{
    static const struct {
        const char *name, *value;
        double expected;
    } good[] = {
        {"reuse", "0", 0},      {"reuse", "on", 1},      {"reuse", "FALSE", 0},    {"reuse", "yes", 1},
        {"streams", "1", 1},    {"streams", "128", 128}, {"streams", "+7", 7},     {"cost", "0", 0},
        {"cost", "1e3", 1000},  {"cost", ".25", 0.25},   {"cost", "1000000", 1e6}, {"order", "program", 0},
        {"order", "random", 2}, {"order", "level", 1},
    };
    struct options o;
    gsim_params_set_defaults(table, &o);
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct gsim_error error = {0};
        CHECK_OK(gsim_params_set(table, &o, good[i].name, good[i].value, &error), error);
        CHECK_NEAR(gsim_params_get(gsim_params_find(table, good[i].name), &o), good[i].expected, 0);
    }
}

static void test_errors(void)
{
    static const struct {
        const char *name, *value, *message;
    } bad[] = {
        {"reuse", "2", "option 'reuse': expected on or off, found \"2\""},
        {"reuse", "", "option 'reuse': expected on or off, found \"\""},
        {"streams", "0", "option 'streams': expected an integer from 1 to 128, found \"0\""},
        {"streams", "129", "option 'streams': expected an integer from 1 to 128, found \"129\""},
        {"streams", "4.0", "option 'streams': expected an integer from 1 to 128, found \"4.0\""},
        {"streams", " 4", "option 'streams': expected an integer from 1 to 128, found \" 4\""},
        {"streams", "99999999999999999999",
         "option 'streams': expected an integer from 1 to 128, found \"99999999999999999999\""},
        {"streams", "", "option 'streams': expected an integer from 1 to 128, found \"\""},
        {"streams", "-", "option 'streams': expected an integer from 1 to 128, found \"-\""},
        {"cost", "-1", "option 'cost': expected a number from 0 to 1000000 us, found \"-1\""},
        {"cost", "nan", "option 'cost': expected a number from 0 to 1000000 us, found \"nan\""},
        {"cost", "1e999", "option 'cost': expected a number from 0 to 1000000 us, found \"1e999\""},
        {"cost", "3us", "option 'cost': expected a number from 0 to 1000000 us, found \"3us\""},
        {"cost", "0x10", "option 'cost': expected a number from 0 to 1000000 us, found \"0x10\""},
        {"order", "lev", "option 'order': expected one of program|level|random, found \"lev\""},
        {"order", "level|random", "option 'order': expected one of program|level|random, found \"level|random\""},
        {"order", "", "option 'order': expected one of program|level|random, found \"\""},
        {"strems", "4", "unknown option 'strems': expected one of reuse, streams, cost, order"},
    };
    struct options o;
    gsim_params_set_defaults(table, &o);
    const struct options before = o;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct gsim_error error = {0};
        CHECK_INT(gsim_params_set(table, &o, bad[i].name, bad[i].value, &error), GSIM_USAGE);
        CHECK_STR(error.message, bad[i].message);
        CHECK(o.reuse == before.reuse && o.streams == before.streams && o.cost_us == before.cost_us &&
              o.order == before.order);
    }
    struct gsim_error error = {0};
    CHECK_INT(gsim_params_set(NULL, &o, "x", "1", &error), GSIM_USAGE);
    CHECK_STR(error.message, "unknown option 'x': there are no options here");
}

/* What format writes, set reads back as the same value. */
static void test_format(void)
{
    static const double costs[] = {0, 2.5, 0.1, 1.0 / 3, 123456.789012345678, 1e-7};
    struct options o, again;
    char text[64];
    gsim_params_set_defaults(table, &o);
    const struct gsim_param *cost = gsim_params_find(table, "cost");
    for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
        struct gsim_error error = {0};
        o.cost_us = costs[i];
        gsim_params_format(cost, &o, text, sizeof(text));
        CHECK_OK(gsim_params_set(table, &again, "cost", text, &error), error);
        CHECK_MSG(again.cost_us == costs[i], "%.17g became %s", costs[i], text);
    }
    static const struct {
        const char *name, *text;
    } expected[] = {{"reuse", "on"}, {"streams", "10"}, {"order", "level"}};
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        gsim_params_format(gsim_params_find(table, expected[i].name), &o, text, sizeof(text));
        CHECK_STR(text, expected[i].text);
    }
    o.order = 2;
    gsim_params_format(gsim_params_find(table, "order"), &o, text, sizeof(text));
    CHECK_STR(text, "random");
    o.reuse = false;
    gsim_params_format(gsim_params_find(table, "reuse"), &o, text, sizeof(text));
    CHECK_STR(text, "off");
}

static void test_help(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    gsim_params_help(table, out);
    gsim_params_help(NULL, out);
    fclose(out);
    CHECK_HAS(text, "  reuse=on ");
    CHECK_HAS(text, "keep streams (on or off)\n");
    CHECK_HAS(text, "  streams=10 ");
    CHECK_HAS(text, "streams to create (an integer from 1 to 128)\n");
    CHECK_HAS(text, "host time per kernel (a number from 0 to 1000000 us)\n");
    CHECK_HAS(text, "  order=level ");
    free(text);
}

static const struct test_case cases[] = {
    {"defaults", test_defaults},        {"good values", test_set}, {"bad values and names", test_errors},
    {"format reads back", test_format}, {"help", test_help},
};
TEST_MAIN("sim/params", cases)
