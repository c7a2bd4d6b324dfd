/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Workflows of WfCommons: a fork and join by hand, tasks out of order, relatives told on one side only, what is
 * refused, and files broken at random.
 */
#include "tests/traces/import/import_fixture.h"
#include "traces/import/importers.h"

#define HEAD(version)                                                                                                  \
    "{\"name\": \"w\", \"schemaVersion\": \"" version "\", \"workflow\": {\"specification\": {\"files\": ["
#define FILES                                                                                                          \
    "{\"id\": \"in\", \"sizeInBytes\": 1000}, {\"id\": \"a\", \"sizeInBytes\": 20}, {\"id\": \"b\", \"sizeInBytes\": " \
    "0}, {\"id\": \"out\"}"

/* Join first, then the fork; "left" names its child, "join" its other parent. */
static const char forked[] =
    HEAD("1.5") FILES "], \"tasks\": ["
                      "{\"id\": \"t3\", \"name\": \"join\", \"parents\": [\"t2\"], \"inputFiles\": [\"a\", \"b\"], "
                      "\"outputFiles\": [\"out\"]},"
                      "{\"id\": \"t1\", \"name\": \"side\", \"children\": [\"t3\"], \"parents\": [\"t0\"], "
                      "\"inputFiles\": [\"in\"], \"outputFiles\": [\"a\"]},"
                      "{\"id\": \"t2\", \"name\": \"side\", \"children\": [\"t3\"], \"parents\": [\"t0\"], "
                      "\"inputFiles\": [\"in\", \"b\"], \"outputFiles\": [\"b\"]},"
                      "{\"id\": \"t0\", \"children\": [\"t1\"]}]},"
                      "\"execution\": {\"makespanInSeconds\": 9, \"tasks\": [{\"id\": \"t1\", \"runtimeInSeconds\": "
                      "2.5, \"coreCount\": 4, \"command\": {\"program\": \"x\"}},"
                      "{\"id\": \"t2\", \"runtimeInSeconds\": 0.25}, {\"id\": \"t3\", \"runtimeInSeconds\": 0}]}}}";

static enum gsim_status import(const char *text, size_t length, struct imported *i)
{
    char path[64];
    scratch(path);
    write_bytes(path, text, length);
    *i = (struct imported){0};
    const struct gsim_importer *importer = gsim_importer_of(path, NULL, &i->error);
    enum gsim_status status =
        importer ? importer->read(path, &plain, &i->program, &i->notes, &i->error) : i->error.status;
    unlink(path);
    return status;
}

static void check_op(const struct gsim_program *p, uint32_t op, const char *kernel, double us, uint32_t blocks,
                     const char *after, const char *args)
{
    char text[64] = "", named[64] = "";
    const struct gsim_op *o = &p->ops[op];
    const struct gsim_kernel *k = &p->kernels[o->kernel_index];
    for (uint32_t i = 0; i < o->after_count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", i ? " " : "", o->after[i]);
    for (uint32_t i = 0; i < o->arg_count; i++)
        snprintf(named + strlen(named), sizeof named - strlen(named), "%s%s:%s%s", i ? " " : "",
                 p->buffers[o->args[i].buffer_index].name, o->args[i].reads ? "r" : "", o->args[i].writes ? "w" : "");
    CHECK_STR(k->name, kernel);
    CHECK_NEAR(k->solo_us, us, 1e-9);
    CHECK_INT(k->grid.x, blocks);
    CHECK_STR(text, after);
    CHECK_STR(named, args);
}

static void fork_and_join(void)
{
    struct imported i;
    CHECK_OK(import(forked, strlen(forked), &i), i.error);
    CHECK_INT(i.program.op_count, 4);
    CHECK_INT(i.program.buffer_count, 4);
    CHECK_INT(i.notes.kernels, 4);
    if (i.program.op_count == 4) {
        check_op(&i.program, 0, "t0", 1, 1, "", "");
        check_op(&i.program, 1, "side", 250, 1, "0", "in:r b:rw");
        check_op(&i.program, 2, "side", 2500, 4, "0", "in:r a:w");
        check_op(&i.program, 3, "join", 1, 1, "1 2", "a:r b:r out:w");
    }
    CHECK_INT(i.program.buffers[0].bytes, 1000);
    CHECK_INT(i.program.buffers[2].bytes, 1); /* an empty file */
    gsim_program_release(&i.program);
}

static void refused(void)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {HEAD("1.4") "], \"tasks\": []}}}", "schemaVersion: expected \"1.5\" (WfFormat of WfCommons), found \"1.4\""},
        {HEAD("1.5") "]}}}", "expected workflow.specification.tasks, found none"},
        {HEAD("1.5") "], \"tasks\": []}}}", "ops: expected at least one op, found none"},
        {HEAD("1.5") "{\"id\": \"f\"}, {\"id\": \"f\"}], \"tasks\": [{\"id\": \"a\"}]}}}",
         "workflow.specification.files[1]: expected an id that no other file has"},
        {HEAD("1.5") "{\"id\": \"f\", \"sizeInBytes\": -1}], \"tasks\": [{\"id\": \"a\"}]}}}",
         "files[0]: expected sizeInBytes from 0 to"},
        {HEAD("1.5") "], \"tasks\": [{\"id\": \"a\"}, {\"name\": \"b\"}]}}}",
         "workflow.specification.tasks[1]: expected id of 1 to 255 bytes, found nothing"},
        {HEAD("1.5") "], \"tasks\": [{\"id\": \"a\", \"parents\": [\"x\"]}]}}}",
         "tasks[0]: expected ids of other tasks as parents, found \"x\""},
        {HEAD("1.5") "], \"tasks\": [{\"id\": \"a\", \"inputFiles\": [\"x\"]}]}}}",
         "tasks[0]: expected ids of workflow.specification.files, found \"x\""},
        {HEAD("1.5") "], \"tasks\": [{\"id\": \"z\"}, {\"id\": \"a\", \"parents\": [\"b\"]}, {\"id\": \"b\", "
                     "\"parents\": [\"a\"]}]}}}",
         "tasks[1]: expected no task to come after itself, found a circle of parents"},
        {HEAD("1.5") "], \"tasks\": [{\"id\": \"a\"}]}, \"execution\": {\"tasks\": [{\"id\": \"b\"}]}}}",
         "workflow.execution.tasks[0]: expected the id of a task"},
        {HEAD("1.5") "], \"tasks\": [{\"id\": \"a\"}]}, \"execution\": {\"tasks\": [{\"id\": \"a\", "
                     "\"runtimeInSeconds\": \"1\"}]}}}",
         "workflow.execution.tasks[0]: expected runtimeInSeconds from 0 to"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct imported i;
        CHECK_INT(import(rows[r].text, strlen(rows[r].text), &i), GSIM_INPUT);
        CHECK_HAS(i.error.message, rows[r].message);
    }
}

/* Bytes changed one at a time: a program, or a message; nothing is read beyond the text. */
static void broken(void)
{
    static const char bytes[] = "\"{[]}:,9-x";
    char text[sizeof forked];
    for (size_t at = 0; at < sizeof forked - 1; at += 3) {
        struct imported i;
        memcpy(text, forked, sizeof forked);
        text[at] = bytes[at % (sizeof bytes - 1)];
        enum gsim_status status = import(text, strlen(text), &i);
        CHECK_MSG(status == GSIM_OK || i.error.message[0], "byte %zu", at);
        if (status == GSIM_OK) gsim_program_release(&i.program);
    }
}

static void out_of_memory(void)
{
    bool is_done = false;
    for (uint64_t nth = 1; nth < 400 && !is_done; nth++) {
        char path[64];
        struct imported i = {0};
        scratch(path);
        write_bytes(path, forked, strlen(forked));
        gsim_alloc_fail_nth(nth);
        enum gsim_status status = gsim_import_wfcommons(path, &plain, &i.program, &i.notes, &i.error);
        is_done = gsim_alloc_fail_nth(0) < nth;
        CHECK_INT(status, is_done ? GSIM_OK : GSIM_NOMEM);
        if (status == GSIM_OK) gsim_program_release(&i.program);
        unlink(path);
    }
    CHECK(is_done);
}

static const struct test_case cases[] = {
    {"fork and join", fork_and_join},
    {"what is refused", refused},
    {"broken files", broken},
    {"every allocation may fail", out_of_memory},
};

TEST_MAIN("traces/import/wfcommons", cases)
