/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces of rocprofv3's JSON, as rocprofiler-sdk 0.5 to 1.0 write them: names by number, grids of threads, streams or
 * queues, copies by operation, several processes; and broken ones.
 */
#include "tests/traces/import/import_fixture.h"
#include "traces/import/importers.h"

static const char head[] = "{\"rocprofiler-sdk-tool\": [{\"metadata\": {\"pid\": 9, \"init_time\": 1}, \"agents\": ["
                           "{\"id\": {\"handle\": 70}, \"type\": 1, \"name\": \"AMD EPYC 9654\", \"product_name\": "
                           "\"AMD EPYC 9654\", \"gfx_target_version\": 0},"
                           "{\"id\": {\"handle\": 18446744073709551600}, \"type\": 2, \"name\": \"gfx942\", "
                           "\"product_name\": \"AMD Instinct MI300X\", "
                           "\"cu_count\": 304, \"gfx_target_version\": 90402}],"
                           "\"strings\": {\"buffer_records\": [{\"kind\": \"NONE\", \"operations\": []}, {\"kind\": "
                           "\"HIP_RUNTIME_API\", \"operations\": "
                           "[\"NONE\", \"hipLaunchKernel\", \"hipMemcpyAsync\", \"hipStreamSynchronize\"]}, {\"kind\": "
                           "\"KERNEL_DISPATCH\", \"operations\": []},"
                           "{\"kind\": \"MEMORY_COPY\", \"operations\": [\"MEMORY_COPY_NONE\", "
                           "\"MEMORY_COPY_HOST_TO_HOST\", \"MEMORY_COPY_HOST_TO_DEVICE\", "
                           "\"MEMORY_COPY_DEVICE_TO_HOST\", \"MEMORY_COPY_DEVICE_TO_DEVICE\"]}]},"
                           "\"kernel_symbols\": [{\"kernel_id\": 0}, {\"kernel_id\": 1, \"kernel_name\": \"_Z1av.kd\", "
                           "\"formatted_kernel_name\": \"a(int)\", "
                           "\"arch_vgpr_count\": 48}],\n\"buffer_records\": {";

static void put_call(struct trace *t, int operation, int thread, int start, int end, int correlation)
{
    put(t, "%s{\"size\": 72, \"kind\": 1, \"operation\": %d, \"correlation_id\": {\"internal\": %d, \"external\": 0}, "
           "\"start_timestamp\": 900000000%d, \"end_timestamp\": 900000000%d, \"thread_id\": %d}",
        correlation == 1 ? "" : ",\n", operation, correlation, start, end, thread);
}

static void put_dispatch(struct trace *t, int start, int end, int correlation, const char *stream)
{
    put(t,
        "%s{\"size\": 160, \"kind\": 2, \"operation\": 3, \"thread_id\": 5, \"correlation_id\": {\"internal\": %d, "
        "\"external\": 0}, "
        "\"start_timestamp\": 900000000%d, \"end_timestamp\": 900000000%d, %s\"dispatch_info\": {\"size\": 80, "
        "\"agent_id\": "
        "{\"handle\": 18446744073709551600}, \"queue_id\": {\"handle\": 2}, \"kernel_id\": 1, \"dispatch_id\": 1, "
        "\"group_segment_size\": 512, \"workgroup_size\": {\"x\": 256, \"y\": 1, \"z\": 1}, \"grid_size\": {\"x\": "
        "1000, \"y\": 2, "
        "\"z\": 1}}}",
        correlation == 1 ? "" : ",\n", correlation, start, end, stream);
}

/* Two kernels, a copy to the device and one within the host's memory, a wait. */
static void make_trace(struct trace *t, const char *stream)
{
    t->length = 0;
    put(t, "%s\"hip_api\": [", head);
    put_call(t, 1, 5, 100000, 105000, 1);
    put_call(t, 1, 5, 110000, 115000, 2);
    put_call(t, 2, 5, 120000, 125000, 3);
    put_call(t, 3, 5, 130000, 190000, 4);
    put(t, "],\n\"kernel_dispatch\": [");
    put_dispatch(t, 108000, 128000, 1, stream);
    put_dispatch(t, 129000, 149000, 2, stream);
    put(t,
        "],\n\"memory_copy\": [{\"kind\": 3, \"operation\": 2, \"correlation_id\": {\"internal\": 3}, "
        "\"start_timestamp\": 900000000150000, "
        "\"end_timestamp\": 900000000160000, \"src_agent_id\": {\"handle\": 70}, \"dst_agent_id\": {\"handle\": "
        "18446744073709551600}, "
        "%s\"bytes\": 4096}, {\"kind\": 3, \"operation\": 1, \"start_timestamp\": 900000000150000, \"end_timestamp\": "
        "900000000160000}]}}]}\n",
        stream);
}

static void import(const struct trace *t, struct imported *i)
{
    char path[64];
    scratch(path);
    write_bytes(path, t->text, t->length);
    const struct gsim_importer *importer = gsim_importer_of(path, NULL, &i->error);
    CHECK_STR(importer ? importer->name : "none", "rocprof");
    if (importer) CHECK_OK(importer->read(path, &plain, &i->program, &i->notes, &i->error), i->error);
    remove(path);
}

static void records_become_ops(void)
{
    struct trace t;
    struct imported i = {0};
    make_trace(&t, "\"stream_id\": {\"handle\": 6}, ");
    import(&t, &i);
    CHECK_INT(i.notes.kernels, 2);
    CHECK_INT(i.notes.copies, 1);
    CHECK_INT(i.notes.host_copies, 1);
    CHECK_INT(i.notes.streams, 1);
    CHECK_INT(i.notes.lost_calls + gsim_import_repairs(&i.notes), 0);
    CHECK_STR(i.notes.gpu, "AMD Instinct MI300X");
    CHECK_INT(i.notes.compute_capability, 94);
    CHECK_NEAR(i.notes.sm_count, 304, 0);
    CHECK_NEAR(i.notes.span_us, 60, 1e-9);
    uint32_t kernels = 0, copies = 0;
    for (uint32_t op = 0; op < i.program.op_count; op++) {
        const struct gsim_op *o = &i.program.ops[op];
        if (o->kind == GSIM_OP_COPY) {
            copies++;
            CHECK_INT(o->bytes, 4096);
            CHECK_INT(o->copy_kind, GSIM_COPY_H2D);
            CHECK_INT(o->stream, 6);
        }
        if (o->kind != GSIM_OP_KERNEL) continue;
        const struct gsim_kernel *k = &i.program.kernels[o->kernel_index];
        kernels++;
        CHECK_STR(k->name, "a(int)");
        CHECK_INT(k->grid.x, 4); /* 1,000 threads in blocks of 256 */
        CHECK_INT(k->grid.y, 2);
        CHECK_INT(k->block.x, 256);
        CHECK_INT(k->regs_per_thread, 48);
        CHECK_INT(k->smem_bytes, 512);
        CHECK_NEAR(k->solo_us, 20, 1e-9);
    }
    CHECK_INT(kernels * 10 + copies, 21);
    gsim_program_release(&i.program);
}

/* Versions that record no streams: kernels by their queue. */
static void queues_stand_for_streams(void)
{
    struct trace t;
    struct imported i = {0};
    make_trace(&t, "");
    import(&t, &i);
    CHECK_INT(i.notes.kernels, 2);
    for (uint32_t op = 0; op < i.program.op_count; op++)
        if (i.program.ops[op].kind == GSIM_OP_KERNEL) CHECK_INT(i.program.ops[op].stream, 2);
    gsim_program_release(&i.program);
}

/* The file's text with the first FIND replaced. */
static void change(struct trace *t, const char *find, const char *replacement)
{
    static char rest[sizeof t->text];
    char *at = strstr(t->text, find);
    CHECK_MSG(at != NULL, "'%s' is not in the trace", find);
    if (!at) return;
    snprintf(rest, sizeof rest, "%s", at + strlen(find));
    t->length = (size_t)(at - t->text);
    put(t, "%s%s", replacement, rest);
}

static void what_is_missing_is_noted(void)
{
    static const struct {
        const char *find, *replacement;
        uint64_t kernels, unknown_shapes, unknown_sizes, lost_calls;
    } changes[] = {
        {"\"grid_size\": {\"x\": 1000,", "\"other\": {\"x\": 1000,", 2, 1, 0, 0},
        {"\"bytes\": 4096", "\"flags\": 0", 2, 0, 1, 0},
        {"\"hip_api\"", "\"hsa_api\"", 2, 0, 0, 3},
        {"\"kernel_symbols\"", "\"symbols\"", 2, 0, 0, 0},
        {"\"strings\"", "\"texts\"", 2, 0, 0, 0},
        {"[{\"metadata\"", "{\"metadata\"", 2, 0, 0, 0}, /* one process, not in a list */
    };
    for (size_t c = 0; c < sizeof changes / sizeof changes[0]; c++) {
        struct trace t;
        struct imported i = {0};
        make_trace(&t, "\"stream_id\": {\"handle\": 6}, ");
        change(&t, changes[c].find, changes[c].replacement);
        if (changes[c].find[0] == '[') change(&t, "]}}]}", "]}}}");
        import(&t, &i);
        CHECK_MSG(i.notes.kernels == changes[c].kernels && i.notes.unknown_shapes == changes[c].unknown_shapes &&
                      i.notes.unknown_sizes == changes[c].unknown_sizes && i.notes.lost_calls == changes[c].lost_calls,
                  "%zu: %d kernels, %d without a shape, %d without a size, %d without a call", c, (int)i.notes.kernels,
                  (int)i.notes.unknown_shapes, (int)i.notes.unknown_sizes, (int)i.notes.lost_calls);
        gsim_program_release(&i.program);
    }
}

static void wrong_values_are_refused(void)
{
    static const struct {
        const char *find, *replacement, *message;
    } wrong[] = {
        {"\"workgroup_size\": {\"x\": 256", "\"workgroup_size\": {\"x\": 4096",
         "kernel_dispatch[0]: expected a workgroup_size"},
        {"\"x\": 1000, \"y\": 2", "\"x\": 1000, \"y\": 99999999", "kernel_dispatch[0]: expected a grid_size"},
        {"\"group_segment_size\": 512", "\"group_segment_size\": 99999999999",
         "kernel_dispatch[0]: expected a group_segment_size"},
        {"900000000128000", "99900000000128000", "kernel_dispatch[0]: expected times of nanoseconds"},
        {"\"bytes\": 4096", "\"bytes\": 18446744073709551615", "memory_copy[0]: expected bytes"},
        {"\"hip_api\": [", "\"hip_api\": [[", "line 6, column 18: expected ',' or ']', found ':'"},
    };
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        char path[64];
        struct trace t;
        struct imported i = {0};
        make_trace(&t, "");
        change(&t, wrong[w].find, wrong[w].replacement);
        scratch(path);
        write_bytes(path, t.text, t.length);
        CHECK_INT(gsim_import_rocprof(path, &plain, &i.program, &i.notes, &i.error), GSIM_INPUT);
        CHECK_HAS(i.error.message, wrong[w].message);
        CHECK_HAS(i.error.message, path);
        remove(path);
    }
}

static void origin_is_found(void)
{
    char path[64];
    struct trace t;
    struct gsim_trace_origin origin;
    scratch(path);
    make_trace(&t, "");
    write_bytes(path, t.text, t.length);
    CHECK(gsim_importer_of(path, &origin, NULL) != NULL);
    CHECK_STR(origin.gpu, "AMD Instinct MI300X");
    CHECK_INT(origin.compute_capability, 94);
    remove(path);
}

/* A kernel trace as CSV has no calls: kernels of 20 us on two queues in turn, 4 us apart, each after the other's. */
static void queues_in_turn_stay_in_turn(void)
{
    struct trace t = {.length = 0};
    struct imported i = {0};
    put(&t, "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\","
            "\"End_Timestamp\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\","
            "\"Grid_Size_Y\",\"Grid_Size_Z\"\n");
    for (int k = 0; k < 6; k++)
        put(&t, "\"KERNEL_DISPATCH\",\"Agent 4\",%d,\"a(int)\",%d,%d,%d,256,1,1,77824,1,1\n", 1 + k % 2, k + 1,
            1000000000 + 24000 * k, 1000020000 + 24000 * k);
    import(&t, &i);
    CHECK_INT(i.notes.lost_calls, 6);
    CHECK_INT(i.program.op_count, 6);
    for (uint32_t op = 0; op < i.program.op_count; op++) {
        const struct gsim_op *o = &i.program.ops[op];
        CHECK_INT(o->stream, 1 + op % 2);
        CHECK_INT(o->after_count, op < 2 ? op : 2); /* the other queue's and its own */
        if (o->after_count) CHECK_INT(o->after[o->after_count - 1], op - 1);
    }
    gsim_program_release(&i.program);
}

/* Three queues and copies, whose file lies beside. By hand: kernels of 20 us on queues 1, 2, 3 at 0, 24, 48 us, a copy
 * to the device of 10 us at 72; nothing overlaps, so it is 82 us from first to last, 4 us between two. */
static void three_queues_and_copies(void)
{
    char folder[] = "/tmp/gpusim-rocprof-XXXXXX", path[64], copies[64];
    struct trace t = {.length = 0};
    struct imported i = {0};
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/a_kernel_trace.csv", folder);
    snprintf(copies, sizeof copies, "%s/a_memory_copy_trace.csv", folder);
    put(&t, "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\","
            "\"End_Timestamp\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\","
            "\"Grid_Size_Y\",\"Grid_Size_Z\"\n");
    for (int k = 0; k < 3; k++)
        put(&t, "\"KERNEL_DISPATCH\",\"Agent 4\",%d,\"a(int)\",%d,%d,%d,256,1,1,77824,1,1\n", 1 + k, k + 1,
            1000000000 + 24000 * k, 1000020000 + 24000 * k);
    write_bytes(path, t.text, t.length);
    t.length = 0;
    put(&t, "\"Kind\",\"Direction\",\"Source_Agent_Id\",\"Destination_Agent_Id\",\"Correlation_Id\","
            "\"Start_Timestamp\",\"End_Timestamp\"\n\"MEMORY_COPY\",\"MEMORY_COPY_HOST_TO_DEVICE\",\"Agent 0\","
            "\"Agent 4\",4,1000072000,1000082000\n");
    write_bytes(copies, t.text, t.length);
    CHECK_OK(gsim_import_rocprof(path, &plain, &i.program, &i.notes, &i.error), i.error);
    CHECK_INT(i.notes.kernels, 3);
    CHECK_INT(i.notes.copies, 1);
    CHECK_NEAR(i.notes.span_us, 82, 1e-9);
    uint32_t seen = 0;
    for (uint32_t op = 0; op < i.program.op_count; op++) {
        const struct gsim_op *o = &i.program.ops[op];
        if (o->kind == GSIM_OP_KERNEL) CHECK_INT(o->stream, 1 + seen);
        if (o->kind != GSIM_OP_KERNEL && o->kind != GSIM_OP_COPY) continue;
        bool follows = false; /* each what ended last, on another queue */
        for (uint32_t a = 0; a < o->after_count; a++) follows |= o->after[a] == op - 1;
        CHECK_INT(follows, seen > 0);
        seen++;
    }
    CHECK_INT(seen, 4);
    gsim_program_release(&i.program);
    remove(path);
    remove(copies);
    remove(folder);
}

static void broken_files_never_crash(void)
{
    struct trace t;
    make_trace(&t, "");
    fuzz(t.text, t.length, 1000, gsim_import_rocprof);
}

static const struct test_case cases[] = {
    {"records become ops", records_become_ops},
    {"queues stand for streams", queues_stand_for_streams},
    {"what is missing is noted", what_is_missing_is_noted},
    {"wrong values are refused", wrong_values_are_refused},
    {"origin is found", origin_is_found},
    {"queues in turn stay in turn", queues_in_turn_stay_in_turn},
    {"three queues and copies", three_queues_and_copies},
    {"broken files never crash", broken_files_never_crash},
};

TEST_MAIN("traces/import_rocprof", cases)
