/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finding schedulers by name and number, the messages for those that cannot be found or loaded, and that what
 * is listed is described: name, summary, source, options with help and a default within range.
 */
#include "gpusim/scheduler.h"
#include "tests/test.h"

extern const struct gsim_scheduler_ops gsim_scheduler_skeleton;

static void test_find(void)
{
    static const char *const names[] = {"serial", "async", "grsched", "taskflow", "cudagraph", "kesco", "heft"};
    for (uint32_t i = 0; i < 6; i++) {
        const struct gsim_scheduler_ops *found = gsim_scheduler_find(names[i]), *loaded = NULL;
        struct gsim_error error = {0};
        CHECK(found != NULL);
        if (!found) continue;
        CHECK_STR(found->name, names[i]);
        CHECK(found == gsim_scheduler_at(i));
        CHECK_OK(gsim_scheduler_load(names[i], &loaded, &error), error);
        CHECK(loaded == found);
    }
    CHECK(gsim_scheduler_find("Serial") == NULL);
    CHECK(gsim_scheduler_find("skeleton") == NULL); /* built, not listed */
    CHECK(gsim_scheduler_at(1000) == NULL);
}

static void test_described(void)
{
    for (uint32_t i = 0;; i++) {
        const struct gsim_scheduler_ops *ops = gsim_scheduler_at(i);
        if (!ops) break;
        CHECK(ops->summary && ops->summary[0] && strlen(ops->summary) <= 100);
        CHECK(ops->source && ops->source[0]);
        CHECK(ops->execute != NULL);
        CHECK_MSG(!ops->params || ops->params_size > 0, "%s", ops->name);
        for (const struct gsim_param *row = ops->params; row && row->name; row++) {
            CHECK_MSG(row->help && row->help[0], "%s.%s", ops->name, row->name);
            CHECK_MSG(row->minimum <= row->initial && row->initial <= row->maximum, "%s.%s", ops->name, row->name);
            CHECK_MSG(row->offset < ops->params_size, "%s.%s", ops->name, row->name);
        }
    }
    CHECK_STR(gsim_scheduler_skeleton.name, "skeleton");
}

static void test_errors(void)
{
    const struct gsim_scheduler_ops *ops = NULL;
    struct gsim_error error = {0};
    CHECK_INT(gsim_scheduler_load("keso", &ops, &error), GSIM_USAGE);
    /* The names in list order; a new one joins them without a change here. */
    CHECK_HAS(error.message,
              "unknown scheduler 'keso': expected one of serial, async, grsched, taskflow, cudagraph, kesco, heft, ");
    CHECK_HAS(error.message, "or the path of a .so file");
    CHECK_INT(gsim_scheduler_load("no/such/file.so", &ops, &error), GSIM_INPUT);
    CHECK_HAS(error.message,
              "cannot load scheduler 'no/such/file.so': no/such/file.so: cannot open shared object file");
    CHECK_INT(gsim_scheduler_load("nothing.so", &ops, &error), GSIM_USAGE); /* a name, which may be anybody's file */
    CHECK_HAS(error.message, "a shared object is loaded by a path with a slash: './nothing.so'");
    CHECK_HAS(error.message, "./nothing.so");
    CHECK(ops == NULL);
}

static const struct test_case cases[] = {
    {"find and list", test_find},
    {"everything is described", test_described},
    {"messages", test_errors},
};

TEST_MAIN("schedulers/registry", cases)
