/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Execution traces into reads and writes: what is updated in place stays one buffer, memory that the allocator hands
 * out again is another, and an output belongs to the innermost operator that allocated it.
 */
#include <stdlib.h>
#include <unistd.h>

#include "tests/test.h"
#include "traces/import/records/dataflow.h"

#define T(tensor, storage) "[" #tensor ", " #storage ", 0, 256, 4, \"cuda:0\"]"
#define NODE(id, parent, rf, inputs, outputs)                                                                          \
    "{\"id\": " #id ", \"name\": \"op\", \"ctrl_deps\": " #parent ", \"inputs\": {\"values\": [" inputs                \
    "]}, \"outputs\": {\"values\": [" outputs                                                                          \
    "]}, \"attrs\": [{\"name\": \"rf_id\", \"type\": \"uint64\", \"value\": " #rf "}]}"

static enum gsim_status read_text(const char *text, struct gsim_dataflow *flow, struct gsim_error *error)
{
    char path[] = "/tmp/gpusim-dataflow-XXXXXX";
    int file = mkstemp(path);
    ssize_t written = file >= 0 ? write(file, text, strlen(text)) : -1;
    if (file >= 0) close(file);
    enum gsim_status status = written == (ssize_t)strlen(text) ? gsim_dataflow_read(path, flow, error) : GSIM_IO;
    unlink(path);
    return status;
}

static void buffers_follow_storages(void)
{
    /* 100: b = f(a), of which 101 allocates b; 110 updates b in place; 120: c = g(b); 130: d = h(c), where d has a's
     * memory. */
    static const char text[] = "{\"schema\": \"1.1.1-chakra.0.0.4\", \"nodes\": [" NODE(101, 100, 2, "", T(2, 20)) ", "
        NODE(100, 1, 1, T(1, 10), T(2, 20)) ", " NODE(110, 1, 3, T(2, 20), T(2, 20)) ", "
        NODE(120, 1, 4, "[" T(2, 20) "], 1", T(3, 30)) ", " NODE(130, 1, 5, T(3, 30), T(4, 10)) "]}";
    struct gsim_dataflow flow = {0};
    struct gsim_error error = {0};
    CHECK_OK(read_text(text, &flow, &error), error);
    const struct gsim_dataflow_op *f = gsim_dataflow_find(&flow, 1), *update = gsim_dataflow_find(&flow, 3),
                                  *g = gsim_dataflow_find(&flow, 4), *h = gsim_dataflow_find(&flow, 5);
    CHECK(f && update && g && h && !gsim_dataflow_find(&flow, 6));
    const struct gsim_dataflow_op *inner = gsim_dataflow_find(&flow, 2);
    if (f && update && g && h && inner) {
        CHECK_INT(inner->writes[0], f->writes[0]); /* what an operator within f allocated f does not allocate again */
        CHECK_INT(f->read_count, 1);
        CHECK_INT(f->write_count, 1);
        CHECK(!flow.buffers[f->reads[0]].is_made && flow.buffers[f->writes[0]].is_made);
        CHECK_INT(flow.buffers[f->writes[0]].bytes, 1024);
        CHECK_INT(update->reads[0], f->writes[0]);
        CHECK_INT(update->writes[0], f->writes[0]);
        CHECK_INT(g->reads[0], f->writes[0]);
        CHECK_INT(h->reads[0], g->writes[0]);
        CHECK(h->writes[0] != f->reads[0]); /* the same memory, not the same data */
    }
    gsim_dataflow_release(&flow);
}

/* Ten updates in place, each with a tensor of its own: one buffer, the order of a chain. */
static void chains_in_place_are_one_buffer(void)
{
    char text[8192] = "{\"schema\": \"1.1.1-chakra.0.0.4\", \"nodes\": [";
    struct gsim_dataflow flow = {0};
    struct gsim_error error = {0};
    for (int i = 1; i <= 10; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length,
                 "%s{\"id\": %d, \"name\": \"op\", \"ctrl_deps\": 1, \"inputs\": {\"values\": [[%d, 50, 0, 64, 4, "
                 "\"cuda:0\"], [%d, 60, 0, 8, 4, \"cuda:0\"]]}, "
                 "\"outputs\": {\"values\": [[%d, 50, 0, 64, 4, \"cuda:0\"]]}, \"attrs\": [{\"name\": \"rf_id\", "
                 "\"type\": \"uint64\", \"value\": %d}]}",
                 i > 1 ? ", " : "", 100 + i, i, 1000 + i, i + 1, i);
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), "]}");
    CHECK_OK(read_text(text, &flow, &error), error);
    CHECK_INT(flow.buffer_count, 2);
    const struct gsim_dataflow_op *first = gsim_dataflow_find(&flow, 1);
    for (uint64_t i = 1; i <= 10 && first; i++) {
        const struct gsim_dataflow_op *op = gsim_dataflow_find(&flow, i);
        CHECK(op && op->read_count == 2 && op->write_count == 1);
        if (op) CHECK_INT(op->writes[0], first->reads[0]);
    }
    gsim_dataflow_release(&flow);
}

static void other_files_are_refused(void)
{
    static const char *const texts[] = {"", "[]", "{}", "{\"nodes\": 3}", "{\"nodes\": [", "{\"traceEvents\": []}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct gsim_dataflow flow = {0};
        struct gsim_error error = {0};
        CHECK_INT(read_text(texts[i], &flow, &error), GSIM_INPUT);
        CHECK(strstr(error.message, "expected an execution trace") != NULL || !texts[i][0]);
        gsim_dataflow_release(&flow);
    }
    struct gsim_dataflow flow = {0};
    struct gsim_error error = {0};
    CHECK_OK(read_text("{\"nodes\": [1, {}, {\"id\": 3}, {\"id\": 4, \"inputs\": {\"values\": [[[[[[[]]]]]]]}}]}",
                       &flow, &error),
             error);
    CHECK_INT(flow.op_count, 0);
    gsim_dataflow_release(&flow);
}

/* Beyond 2^53 doubles tell neighbours apart no more, and beyond 2^63 they fit no integer: such ids are none. */
static void ids_out_of_range_are_none(void)
{
    static const char text[] = "{\"nodes\": [" NODE(1, 0, 1, T(1, 9223372036854775808), T(2, 1e300)) ", " NODE(
        2, 0, 1e300, T(1, -5), T(2, 20)) ", " NODE(3, 0, -3, T(1, 9007199254740992),
                                                   T(2, 30)) ", " NODE(4, 0, 4, T(1, 40), T(2, 9007199254740991)) "]}";
    struct gsim_dataflow flow = {0};
    struct gsim_error error = {0};
    CHECK_OK(read_text(text, &flow, &error), error);
    const struct gsim_dataflow_op *first = gsim_dataflow_find(&flow, 1), *last = gsim_dataflow_find(&flow, 4);
    CHECK(!first || (first->read_count == 0 && first->write_count == 0));
    CHECK(last && last->read_count == 1 && last->write_count == 1);
    gsim_dataflow_release(&flow);
}

static const struct test_case cases[] = {
    {"buffers follow storages", buffers_follow_storages},
    {"chains in place are one buffer", chains_in_place_are_one_buffer},
    {"other files are refused", other_files_are_refused},
    {"ids out of range are none", ids_out_of_range_are_none},
};

TEST_MAIN("traces/import_dataflow", cases)
