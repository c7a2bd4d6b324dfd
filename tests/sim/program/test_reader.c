/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Program files: every message, every field, round trips through the writer, plain and gzip, every allocation.
 */
#include <unistd.h>

#include "gpusim/workload.h"
#include "tests/test.h"
#include "gpusim/program.h"

static void temporary_path(char path[64], const char *suffix)
{
    snprintf(path, 64, "/tmp/gpusim-test-%ld%s", (long)getpid(), suffix);
}

static enum gsim_status read_text(const char *text, size_t length, struct gsim_program *program,
                                  struct gsim_error *error)
{
    char path[64];
    temporary_path(path, ".json");
    FILE *file = fopen(path, "wb");
    if (!file) return gsim_error_set(error, GSIM_IO, "no temporary file");
    fwrite(text, 1, length, file);
    fclose(file);
    enum gsim_status status = gsim_program_read(path, program, error);
    unlink(path);
    return status;
}

/* A file with two buffers and a kernel, whose ops are OPS. */
static enum gsim_status read_ops(const char *ops, struct gsim_program *program, struct gsim_error *error)
{
    static char text[8192];
    snprintf(
        text, sizeof(text),
        "{\"schema\": \"gpusim-program/1\", \"name\": \"t\",\n"
        " \"buffers\": [{\"name\": \"x\", \"bytes\": 4096, \"init\": \"host\"}, {\"name\": \"y\", \"bytes\": 4096}],\n"
        " \"kernels\": [{\"name\": \"k\", \"regs_per_thread\": 16, \"flops\": 1e6, \"solo_us\": 2.5}],\n"
        " \"ops\": [%s]}",
        ops);
    return read_text(text, strlen(text), program, error);
}

#define HEAD   "{\"schema\": \"gpusim-program/1\", \"name\": \"t\", "
#define OPS    "\"ops\": [{\"op\": \"host_compute\", \"us\": 1}]"
#define LAUNCH "{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [4], \"block\": [64], "

static void test_whole_file_errors(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "line 1, column 1: expected a value, found the end of the file"},
        {"{\n  \"schema\" \"x\"}", "line 2, column 12: expected ':', found '\"'"},
        {"{\"a\": 1,}", "line 1, column 9: expected a field name in quotes, found '}'"},
        {"{\"a\": [1 2]}", "line 1, column 10: expected ',' or ']', found '2'"},
        {"{\"a\": 1] ", "line 1, column 8: expected ',' or '}', found ']'"},
        {"{\"a\": 01}", "line 1, column 8: expected ',' or '}', found '1'"},
        {"{\"a\": -}", "line 1, column 8: expected a digit, found '}'"},
        {"{\"a\": 1.}", "line 1, column 9: expected a digit"},
        {"{\"a\": 1e}", "line 1, column 9: expected a digit"},
        {"{\"a\": .5}", "line 1, column 7: expected a value, found '.'"},
        {"{\"a\": NaN}", "expected a value, found 'N'"},
        {"{\"a\": \"\\x\"}", "line 1, column 9: expected an escape character, found 'x'"},
        {"{\"a\": \"\\u12g4\"}", "expected a hexadecimal digit, found 'g'"},
        {"{\"a\": \"b\nc\"}", "line 1, column 9: expected the end of the string, found the byte 0x0a"},
        {"{\"a\": \"\xff\"}", "line 1, column 8: expected UTF-8 text, found the byte 0xff"},
        {"{\"a\": \"\xc0\xaf\"}", "expected UTF-8 text"},
        {"{\"a\": \"\xed\xa0\x80\"}", "expected UTF-8 text"},
        {"{} x", "line 1, column 4: expected the end of the file, found 'x'"},
        {"[]", "the file: expected an object, found a list"},
        {"{}", "the file: the field \"schema\" is missing"},
        {"{\"schema\": \"gpusim-report/1\"}", "schema: expected \"gpusim-program/1\", found \"gpusim-report/1\""},
        {"{\"schema\": 1}", "schema: expected \"gpusim-program/1\", found 1"},
        {"{\"schema\": \"gpusim-program/1\"}", "the file: the field \"name\" is missing"},
        {"{\"schema\": \"gpusim-program/1\", \"name\": \"\"}", "name: expected text of 1 to 255 bytes"},
        {"{\"schema\": \"gpusim-program/1\", \"name\": \"a\\nb\"}", "found \"a\\nb\""},
        {HEAD "\"x\": 1}", "the file: unknown field \"x\""},
        {HEAD "\"name\": \"u\"}", "name: the field is given twice"},
        {HEAD "\"op\": []}", "unknown field \"op\", did you mean 'ops'?"},
        {"{\"schema\": \"gpusim-program/1\", \"name\": \"t\"}", "the file: the field \"ops\" is missing"},
        {HEAD "\"ops\": {}}", "ops: expected a list, found an object"},
        {HEAD "\"ops\": []}", "ops: expected at least one op, found none"},
        {HEAD OPS ", \"iterations\": 0}", "iterations: expected a positive integer, found 0"},
        {HEAD OPS ", \"iterations\": 1.5}", "iterations: expected an integer from 1 to 1000000, found 1.5"},
        {HEAD OPS ", \"iterations\": 1e9}", "iterations: expected an integer from 1 to 1000000, found 1e9"},
        {HEAD OPS ", \"buffers\": 3}", "buffers: expected a list, found 3"},
        {HEAD OPS ", \"buffers\": [1]}", "buffers[0]: expected an object, found 1"},
        {HEAD OPS ", \"buffers\": [{\"bytes\": 1}]}", "buffers[0]: the field \"name\" is missing"},
        {HEAD OPS ", \"buffers\": [{\"name\": \"x\"}]}", "buffers[0]: the field \"bytes\" is missing"},
        {HEAD OPS ", \"buffers\": [{\"name\": \"x\", \"bytes\": -4}]}",
         "buffers[0].bytes: expected a positive integer, found -4"},
        {HEAD OPS ", \"buffers\": [{\"name\": \"x\", \"bytes\": 4.5}]}",
         "buffers[0].bytes: expected an integer from 1 to 1125899906842624, found 4.5"},
        {HEAD OPS ", \"buffers\": [{\"name\": \"x\", \"bytes\": 1e300}]}", "found 1e300"},
        {HEAD OPS ", \"buffers\": [{\"name\": \"x\", \"bytes\": \"8\"}]}",
         "buffers[0].bytes: expected a positive integer, found \"8\""},
        {HEAD OPS ", \"buffers\": [{\"name\": \"x\", \"bytes\": 1e15}, {\"name\": \"y\", \"bytes\": 1e15}]}",
         "buffers[1].bytes: all buffers together have 2000000000000000 bytes, expected at most 1125899906842624"},
        {HEAD OPS ", \"buffers\": [{\"name\": \"x\", \"bytes\": 4, \"init\": \"gpu\"}]}",
         "buffers[0].init: expected \"none\", \"host\" or \"device\", found \"gpu\""},
        {HEAD OPS ", \"buffers\": [{\"name\": \"x\", \"bytes\": 4}, {\"name\": \"\\u0078\", \"bytes\": 4}]}",
         "buffers[1].name: the name \"x\" is given twice"},
        {HEAD OPS ", \"kernels\": [{\"name\": \"k\"}, {\"name\": \"k\"}]}",
         "kernels[1].name: the name \"k\" is given twice"},
        {HEAD OPS ", \"kernels\": [{\"name\": \"k\", \"flop\": 1}]}",
         "kernels[0]: unknown field \"flop\", did you mean 'flops'?"},
        {HEAD OPS ", \"kernels\": [{\"name\": \"k\", \"flops\": -1}]}",
         "kernels[0].flops: expected a number from 0 to 1e+21, found -1"},
        {HEAD OPS ", \"kernels\": [{\"name\": \"k\", \"flops\": null}]}",
         "kernels[0].flops: expected a number from 0 to 1e+21, found null"},
        {HEAD OPS ", \"kernels\": [{\"name\": \"k\", \"solo_us\": 1e999}]}",
         "kernels[0].solo_us: expected a number from 0 to 1e+10, found 1e999"},
        {HEAD OPS ", \"kernels\": [{\"name\": \"k\", \"regs_per_thread\": 256}]}",
         "kernels[0].regs_per_thread: expected an integer from 0 to 255, found 256"},
        {HEAD OPS ", \"kernels\": [{\"name\": \"k\", \"smem_bytes\": 1e9}]}",
         "kernels[0].smem_bytes: expected an integer from 0 to 1048576"},
        {HEAD OPS ", \"kernels\": [{\"name\": \"k\", \"fp64\": 1}]}",
         "kernels[0].fp64: expected true or false, found 1"},
        {HEAD OPS ", \"kernels\": [{\"name\": \"k\", \"solo_device\": 5}]}", "kernels[0].solo_device: expected text"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct gsim_program p = {0};
        struct gsim_error error = {0};
        CHECK_INT(read_text(cases[i].text, strlen(cases[i].text), &p, &error), GSIM_INPUT);
        CHECK_HAS(error.message, "cannot read '/tmp/gpusim-test-");
        CHECK_HAS(error.message, cases[i].message);
        CHECK(p.name == NULL);
    }
}

static void test_op_errors(void)
{
    static const struct {
        const char *ops, *message;
    } cases[] = {
        {"7", "ops[0]: expected an object, found 7"},
        {"{}", "ops[0]: the field \"op\" is missing"},
        {"{\"op\": \"launch\"}",
         "ops[0].op: expected \"kernel\", \"copy\", \"prefetch\", \"host_write\", "
         "\"host_read\", \"host_compute\", \"synchronize\" or \"collective\", found \"launch\""},
        {"{\"op\": \"kernel\"}", "ops[0]: the field \"kernel\" is missing"},
        {"{\"op\": \"kernel\", \"kernel\": \"q\", \"grid\": [1], \"block\": [1]}",
         "ops[0].kernel: expected the name of a kernel, found \"q\""},
        {"{\"op\": \"kernel\", \"kernel\": \"k\", \"block\": [1]}", "ops[0]: the field \"grid\" is missing"},
        {"{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [1]}", "ops[0]: the field \"block\" is missing"},
        {"{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [\"8\"], \"block\": [1]}",
         "ops[0].grid[0]: expected a positive integer, found \"8\""},
        {"{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [1, 0], \"block\": [1]}",
         "ops[0].grid[1]: expected a positive integer, found 0"},
        {"{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [], \"block\": [1]}",
         "ops[0].grid: expected 1 to 3 integers, found none"},
        {"{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [1, 1, 1, 1], \"block\": [1]}",
         "ops[0].grid: expected 1 to 3 integers, found more"},
        {"{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": 4, \"block\": [1]}",
         "ops[0].grid: expected a list, found 4"},
        {"{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [2147483648], \"block\": [1]}",
         "ops[0].grid[0]: expected an integer from 1 to 2147483647, found 2147483648"},
        {"{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [1, 65536], \"block\": [1]}",
         "ops[0].grid[1]: expected an integer from 1 to 65535, found 65536"},
        {"{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [1], \"block\": [1025]}",
         "ops[0].block[0]: expected an integer from 1 to 1024, found 1025"},
        {"{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [1], \"block\": [1, 1, 65]}",
         "ops[0].block[2]: expected an integer from 1 to 64, found 65"},
        {"{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [1], \"block\": [32, 33]}",
         "ops[0].block: expected at most 1024 threads in a block, found 1056"},
        {LAUNCH "\"reads\": [\"z\"]}", "ops[0].reads[0]: expected the name of a buffer, found \"z\""},
        {LAUNCH "\"reads\": [\"x\", 5]}",
         "ops[0].reads[1]: expected text of 1 to 255 bytes without control characters, found 5"},
        {LAUNCH "\"reads\": \"x\"}", "ops[0].reads: expected a list, found \"x\""},
        {LAUNCH "\"reads\": [\"x\", \"x\"]}", "ops[0].reads[1]: the buffer \"x\" is listed twice"},
        {LAUNCH "\"writes\": [\"x\", \"x\"]}", "ops[0].writes[1]: the buffer \"x\" is listed twice"},
        {LAUNCH "\"reads\": [\"x\"], \"args\": [\"y\"]}",
         "ops[0].args[0]: expected a buffer of reads or writes, found \"y\""},
        {LAUNCH "\"reads\": [\"x\", \"y\"], \"args\": [\"y\"]}",
         "ops[0].args: expected all 2 buffers of reads and writes, found 1"},
        {LAUNCH "\"reads\": [\"x\", \"y\"], \"args\": [\"y\", \"y\"]}",
         "ops[0].args[1]: the buffer \"y\" is listed twice"},
        {LAUNCH "\"writes\": [\"y\"], \"non_const\": [\"y\"]}",
         "ops[0].non_const[0]: expected a buffer that the op only reads, once, found \"y\""},
        {LAUNCH "\"reads\": [\"y\"], \"non_const\": [\"y\", \"y\"]}",
         "ops[0].non_const[1]: expected a buffer that the op only reads"},
        {LAUNCH "\"flops\": -5}", "ops[0].flops: expected a number from 0 to 1e+21, found -5"},
        {LAUNCH "\"stream\": -1}", "ops[0].stream: expected an integer from 0 to 65535, found -1"},
        {LAUNCH "\"priority\": 1.5}", "ops[0].priority: expected an integer from -100 to 100, found 1.5"},
        {LAUNCH "\"devices\": 0}", "ops[0]: unknown field \"devices\""},
        {LAUNCH "\"device\": 16384}", "ops[0].device: expected an integer from 0 to 16383, found 16384"},
        {LAUNCH "\"to\": 1}", "ops[0].to: a \"kernel\" has no such field"},
        {"{\"op\": \"copy\", \"kind\": \"p2p\", \"buffer\": \"x\"}", "ops[0]: the field \"to\" is missing"},
        {"{\"op\": \"copy\", \"kind\": \"p2p\", \"buffer\": \"x\", \"to\": 0}",
         "ops[0].to: expected another GPU than 0, where the data is"},
        {"{\"op\": \"copy\", \"kind\": \"h2d\", \"buffer\": \"x\", \"to\": 1}",
         "ops[0].to: a copy \"h2d\" has no such field"},
        {LAUNCH "\"us\": 3}", "ops[0].us: a \"kernel\" has no such field"},
        {LAUNCH "\"after\": [0]}", "ops[0].after[0]: expected nothing, as there is no earlier op, found 0"},
        {LAUNCH "\"stream\": 0}, " LAUNCH "\"after\": [1]}",
         "ops[1].after[0]: expected the index of an earlier op (0 to 0), found 1"},
        {LAUNCH "\"stream\": 0}, " LAUNCH "\"after\": [0, 7]}",
         "ops[1].after[1]: expected the index of an earlier op (0 to 0), found 7"},
        {LAUNCH "\"stream\": 0}, " LAUNCH "\"after\": [-1]}",
         "ops[1].after[0]: expected an integer from 0 to 4294967295, found -1"},
        {"{\"op\": \"copy\", \"buffer\": \"x\"}", "ops[0]: the field \"kind\" is missing"},
        {"{\"op\": \"copy\", \"kind\": \"h2h\", \"buffer\": \"x\"}",
         "ops[0].kind: expected \"h2d\", \"d2h\", \"d2d\" or \"p2p\", found \"h2h\""},
        {"{\"op\": \"copy\", \"kind\": \"h2d\"}", "ops[0]: the field \"buffer\" is missing"},
        {"{\"op\": \"copy\", \"kind\": \"h2d\", \"buffer\": \"q\"}",
         "ops[0].buffer: expected the name of a buffer, found \"q\""},
        {"{\"op\": \"copy\", \"kind\": \"h2d\", \"buffer\": \"x\", \"bytes\": 4097}",
         "ops[0].bytes: expected an integer from 1 to 4096, found 4097"},
        {"{\"op\": \"copy\", \"kind\": \"h2d\", \"buffer\": \"x\", \"grid\": [1]}",
         "ops[0].grid: a \"copy\" has no such field"},
        {"{\"op\": \"host_read\", \"buffer\": \"x\", \"bytes\": 0}",
         "ops[0].bytes: expected a positive integer, found 0"},
        {"{\"op\": \"host_read\", \"buffer\": \"x\", \"untimed\": true}",
         "ops[0].untimed: a \"host_read\" has no such field"},
        {"{\"op\": \"host_write\", \"buffer\": \"x\", \"untimed\": 1}",
         "ops[0].untimed: expected true or false, found 1"},
        {"{\"op\": \"host_compute\"}", "ops[0]: the field \"us\" is missing"},
        {"{\"op\": \"host_compute\", \"us\": -1}", "ops[0].us: expected a number from 0 to 1e+10, found -1"},
        {"{\"op\": \"host_compute\", \"us\": 1, \"flops\": 1}", "ops[0].flops: a \"host_compute\" has no such field"},
        {"{\"op\": \"host_compute\", \"us\": 1, \"after\": 1}", "ops[0].after: expected a list, found 1"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct gsim_program p = {0};
        struct gsim_error error = {0};
        CHECK_INT(read_ops(cases[i].ops, &p, &error), GSIM_INPUT);
        CHECK_HAS(error.message, cases[i].message);
        CHECK(p.name == NULL);
    }
}

static void test_files(void)
{
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    CHECK_INT(gsim_program_read("/no/such/file.json", &p, &error), GSIM_INPUT);
    CHECK_STR(error.message, "cannot read '/no/such/file.json': No such file or directory");
    CHECK_INT(gsim_program_read("/tmp", &p, &error), GSIM_INPUT);
    CHECK_STR(error.message, "cannot read '/tmp': expected a file, found a directory");
    static const char damaged[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\x56";
    CHECK_INT(read_text(damaged, sizeof(damaged) - 1, &p, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "damaged gzip data");
    static const char nul[] = "{\"a\": \0}";
    CHECK_INT(read_text(nul, sizeof(nul) - 1, &p, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "line 1, column 7: expected a value, found the byte 0x00");
    char deep[400];
    memset(deep, '[', sizeof(deep));
    CHECK_INT(read_text(deep, sizeof(deep), &p, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "line 1, column 65: expected at most 64 lists and objects inside each other, found '['");
}

static void test_every_field(void)
{
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    CHECK_OK(
        read_ops(
            "{\"op\": \"host_write\", \"buffer\": \"x\", \"untimed\": true},"
            "{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [4, 3, 2], \"block\": [8, 4], \"reads\": [\"x\"],"
            " \"writes\": [\"y\"], \"args\": [\"y\", \"x\"], \"non_const\": [\"x\"], \"stream\": 2, \"priority\": -3,"
            " \"after\": [0], \"regs_per_thread\": 40, \"smem_bytes\": 1024, \"fp64\": true, \"dram_bytes\": 5e5,"
            " \"thread_cycles\": 100, \"sm_cycles\": 7, \"rows\": 5, \"loop_x\": 70, \"loop_y\": 50, \"loop_z\": 30, "
            "\"slice_sms\": 9, \"slice_us\": 0.5, \"solo_us\": 0.125, \"solo_device\": \"h200\"},"
            "{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [4], \"block\": [32], \"reads\": [\"x\", \"y\"], "
            "\"writes\": [\"y\"]},"
            "{\"op\": \"copy\", \"kind\": \"d2d\", \"buffer\": \"y\", \"bytes\": 16, \"stream\": 1, \"after\": [1, 2]},"
            "{\"op\": \"prefetch\", \"buffer\": \"x\"}, {\"op\": \"host_compute\", \"us\": 3.5},"
            "{\"op\": \"host_read\", \"buffer\": \"y\", \"bytes\": 4},"
            "{\"op\": \"copy\", \"kind\": \"p2p\", \"buffer\": \"y\", \"device\": 2, \"to\": 7, \"stream\": 3}",
            &p, &error),
        error);
    CHECK_INT(p.op_count, 8);
    CHECK_INT(p.iterations, 1);
    CHECK(p.ops[0].untimed && p.ops[0].args[0].writes && p.ops[0].bytes == 4096);
    const struct gsim_op *op = &p.ops[1];
    const struct gsim_kernel *k = &p.kernels[op->kernel_index];
    CHECK(k->grid.x == 4 && k->grid.y == 3 && k->grid.z == 2 && k->block.x == 8 && k->block.y == 4 && k->block.z == 1);
    CHECK(k->regs_per_thread == 40 && k->smem_bytes == 1024 && k->fp64);
    CHECK(k->flops == 1e6 && k->dram_bytes == 5e5 && k->thread_cycles == 100 && k->sm_cycles == 7 && k->rows == 5 &&
          k->loop_x == 70 && k->loop_y == 50 && k->loop_z == 30 && k->slice_sms == 9 && k->slice_us == 0.5 &&
          k->solo_us == 0.125);
    CHECK_STR(k->solo_device, "h200");
    CHECK(op->arg_count == 2 && op->args[0].buffer_index == 1 && op->args[0].writes && !op->args[0].declared_const);
    CHECK(op->args[1].buffer_index == 0 && op->args[1].reads && !op->args[1].writes && !op->args[1].declared_const);
    CHECK(op->stream == 2 && op->priority == -3 && op->after_count == 1 && op->after[0] == 0);
    op = &p.ops[2];
    k = &p.kernels[op->kernel_index];
    CHECK(k->regs_per_thread == 16 && k->solo_us == 2.5 && !k->fp64 && k->solo_device == NULL);
    CHECK(op->arg_count == 2 && op->args[0].declared_const && op->args[1].reads && op->args[1].writes);
    CHECK(op->stream == -1 && op->priority == 0);
    op = &p.ops[3];
    CHECK(op->copy_kind == GSIM_COPY_D2D && op->args[0].reads && op->args[0].writes && op->bytes == 16);
    CHECK(op->after_count == 2 && op->after[1] == 2);
    CHECK(p.ops[4].kind == GSIM_OP_PREFETCH && p.ops[4].args[0].writes && !p.ops[4].args[0].reads &&
          p.ops[4].bytes == 4096);
    CHECK_NEAR(p.ops[5].host_us, 3.5, 0);
    CHECK(p.ops[6].args[0].reads && !p.ops[6].args[0].writes && p.ops[6].bytes == 4);
    op = &p.ops[7];
    CHECK(op->copy_kind == GSIM_COPY_P2P && op->device == 2 && op->to_device == 7 && op->args[0].reads &&
          op->args[0].writes);
    gsim_program_release(&p);
}

static void test_standard_input(void)
{
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    CHECK(freopen("workloads/examples/axpy-chain.json", "rb", stdin) != NULL);
    CHECK_OK(gsim_program_read("-", &p, &error), error);
    CHECK_STR(p.name, "axpy-chain");
    gsim_program_release(&p);
}

/* Every order of the top-level fields is one, and text may be escaped. */
static void test_any_order_and_escapes(void)
{
    static const char text[] =
        "{\"ops\": [{\"buffer\": \"\\u00e9\\ud83d\\ude00\", \"op\": \"host_read\"}], \"iterations\": 2e0,\r\n"
        "\t\"buffers\": [{\"bytes\": 8, \"n\\u0061me\": \"\xc3\xa9\xf0\x9f\x98\x80\"}], \"name\": \"a\\/b\\\\\\\"\","
        " \"schema\": \"gpusim-program/1\"}\n";
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    CHECK_OK(read_text(text, sizeof(text) - 1, &p, &error), error);
    CHECK_STR(p.name, "a/b\\\"");
    CHECK_STR(p.buffers[0].name, "\xc3\xa9\xf0\x9f\x98\x80");
    CHECK_INT(p.iterations, 2);
    gsim_program_release(&p);
}

static bool is_equal_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static void check_equal_kernel(const struct gsim_kernel *k, const struct gsim_kernel *l)
{
    CHECK_STR(k->name, l->name);
    CHECK(memcmp(&k->grid, &l->grid, sizeof(k->grid)) == 0 && memcmp(&k->block, &l->block, sizeof(k->block)) == 0);
    CHECK(k->regs_per_thread == l->regs_per_thread && k->smem_bytes == l->smem_bytes && k->fp64 == l->fp64);
    CHECK(k->flops == l->flops && k->dram_bytes == l->dram_bytes && k->thread_cycles == l->thread_cycles);
    CHECK(k->demand_given == l->demand_given);
    CHECK(k->loop_x == l->loop_x && k->loop_y == l->loop_y && k->loop_z == l->loop_z);
    CHECK(k->sm_cycles == l->sm_cycles && k->rows == l->rows && k->slice_us == l->slice_us &&
          k->slice_sms == l->slice_sms && k->solo_us == l->solo_us && is_equal_text(k->solo_device, l->solo_device));
}

static void check_equal(const struct gsim_program *a, const struct gsim_program *b)
{
    CHECK_STR(b->name, a->name);
    CHECK_INT(b->iterations, a->iterations);
    CHECK_INT(b->buffer_count, a->buffer_count);
    CHECK_INT(b->kernel_count, a->kernel_count);
    CHECK_INT(b->op_count, a->op_count);
    if (a->buffer_count != b->buffer_count || a->op_count != b->op_count) return;
    for (uint32_t i = 0; i < a->buffer_count; i++) {
        CHECK_STR(b->buffers[i].name, a->buffers[i].name);
        CHECK(b->buffers[i].bytes == a->buffers[i].bytes && b->buffers[i].init == a->buffers[i].init);
    }
    for (uint32_t i = 0; i < a->op_count; i++) {
        const struct gsim_op *o = &a->ops[i], *q = &b->ops[i];
        CHECK(o->kind == q->kind && o->copy_kind == q->copy_kind && o->bytes == q->bytes && o->host_us == q->host_us);
        CHECK(o->stream == q->stream && o->priority == q->priority && o->untimed == q->untimed);
        CHECK(o->device == q->device && o->to_device == q->to_device);
        CHECK(o->arg_count == q->arg_count && o->after_count == q->after_count);
        if (o->kind == GSIM_OP_KERNEL) check_equal_kernel(&a->kernels[o->kernel_index], &b->kernels[q->kernel_index]);
        for (uint32_t j = 0; j < o->arg_count; j++) {
            CHECK_INT(q->args[j].buffer_index, o->args[j].buffer_index);
            CHECK(o->args[j].reads == q->args[j].reads && o->args[j].writes == q->args[j].writes);
            CHECK(o->args[j].declared_const == q->args[j].declared_const);
        }
        for (uint32_t j = 0; j < o->after_count; j++) CHECK_INT(q->after[j], o->after[j]);
    }
}

static void round_trip(const struct gsim_program *program, const char *suffix)
{
    char path[64];
    temporary_path(path, suffix);
    struct gsim_program back = {0};
    struct gsim_error error = {0};
    CHECK_OK(gsim_program_write(program, path, &error), error);
    CHECK_OK(gsim_program_read(path, &back, &error), error);
    check_equal(program, &back);
    gsim_program_release(&back);
    unlink(path);
}

/* A time on a slice belongs to the time alone beside it. */
static void test_slice_goes_with_solo(void)
{
    static const char text[] =
        "{\"schema\": \"gpusim-program/1\", \"name\": \"p\", \"buffers\": [{\"name\": \"x\", \"bytes\": 8}],"
        "\"kernels\": [{\"name\": \"k\", \"solo_us\": 5, \"slice_sms\": 16, \"slice_us\": 20}], \"ops\": ["
        "{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [4], \"block\": [32], \"reads\": [\"x\"]},"
        "{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [8], \"block\": [32], \"reads\": [\"x\"], \"solo_us\": 9},"
        "{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [8], \"block\": [32], \"reads\": [\"x\"], \"solo_us\": 9, "
        "\"slice_us\": 20}]}";
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    CHECK_OK(read_text(text, sizeof(text) - 1, &p, &error), error);
    CHECK_NEAR(p.kernels[p.ops[0].kernel_index].slice_us, 20, 0);
    CHECK_NEAR(p.kernels[p.ops[1].kernel_index].slice_us, 0, 0);
    CHECK_NEAR(p.kernels[p.ops[2].kernel_index].slice_us, 20, 0);
    round_trip(&p, ".json");
    gsim_program_release(&p);
}

static void test_round_trips(void)
{
    struct gsim_error error = {0};
    static const char two_gpus[] =
        "{\"schema\": \"gpusim-program/1\", \"name\": \"p\", \"buffers\": [{\"name\": \"x\", \"bytes\": 8}], "
        "\"kernels\": [{\"name\": \"k\"}], \"ops\": ["
        "{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [4], \"block\": [32], \"writes\": [\"x\"], \"device\": 1},"
        "{\"op\": \"copy\", \"kind\": \"p2p\", \"buffer\": \"x\", \"device\": 1, \"to\": 0}]}";
    struct gsim_program read = {0};
    CHECK_OK(read_text(two_gpus, sizeof(two_gpus) - 1, &read, &error), error);
    round_trip(&read, ".json");
    gsim_program_release(&read);
    const struct gsim_workload_ops *workload;
    for (uint32_t i = 0; (workload = gsim_workload_at(i)) != NULL; i++)
        for (int suite = 0; suite < 2; suite++) {
            struct gsim_workload_options options = {.suite = (enum gsim_suite)suite, .iterations = 3};
            struct gsim_program p = {0};
            CHECK_OK(workload->build(&options, &p, &error), error);
            round_trip(&p, ".json");
            if (suite == 0) round_trip(&p, ".json.gz");
            gsim_program_release(&p);
        }
    static const char *const examples[] = {"workloads/examples/axpy-chain.json",
                                           "workloads/examples/random-dag-24.json"};
    for (size_t i = 0; i < 2; i++) {
        struct gsim_program p = {0};
        CHECK_OK(gsim_program_read(examples[i], &p, &error), error);
        round_trip(&p, ".json");
        gsim_program_release(&p);
    }
}

/* Absent flops and dram_bytes are unknown, one of them given (even as 0) makes both known; through a file and back,
 * also where kernels of one name differ in it, the first having what a later one has not. */
static void test_demand_given(void)
{
#define OF(name, rest) "{\"op\": \"kernel\", \"kernel\": \"" name "\", \"grid\": [4], \"block\": [64]" rest "}"
    static const char text[] =
        HEAD "\"kernels\": [{\"name\": \"unknown\", \"solo_us\": 3},"
        " {\"name\": \"none\", \"solo_us\": 3, \"flops\": 0, \"dram_bytes\": 0},"
        " {\"name\": \"no flops\", \"solo_us\": 3, \"flops\": 0}, {\"name\": \"bytes\", \"dram_bytes\": 8}],"
        " \"ops\": [" OF("unknown", ", \"dram_bytes\": 0, \"solo_device\": \"h200\"") "," OF("unknown", "") ","
        OF("none", "") "," OF("no flops", "") "," OF("bytes", "") "," OF("unknown", ", \"flops\": 5") "]}";
    static const bool expected[] = {true, false, true, true, true, true};
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    CHECK_OK(read_text(text, sizeof(text) - 1, &p, &error), error);
    CHECK_INT(p.op_count, 6);
    CHECK_INT(p.kernel_count, 6);
    for (uint32_t i = 0; i < p.op_count; i++)
        CHECK_MSG(p.kernels[p.ops[i].kernel_index].demand_given == expected[i], "ops[%d]", (int)i);
    round_trip(&p, ".json");
    gsim_program_release(&p);
#undef OF
}

static void test_write_errors(void)
{
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    CHECK_OK(read_ops(LAUNCH "\"stream\": 1}", &p, &error), error);
    CHECK_INT(gsim_program_write(&p, "/no/such/folder/p.json", &error), GSIM_IO);
    CHECK_STR(error.message, "cannot write '/no/such/folder/p.json': No such file or directory");
    gsim_program_release(&p);
}

static void test_numbers_are_exact(void)
{
    static const char *const numbers[] = {"0.1",
                                          "3.3333333333333335",
                                          "123456789.125",
                                          "1e-7",
                                          "6.02214076e20",
                                          "0.3e1",
                                          "1e22",
                                          "0.000000000000000000000000000001",
                                          "4503599627370497.5"};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        char ops[200];
        snprintf(ops, sizeof(ops), LAUNCH "\"flops\": %s}", numbers[i]);
        struct gsim_program p = {0};
        struct gsim_error error = {0};
        enum gsim_status status = read_ops(ops, &p, &error);
        if (strtod(numbers[i], NULL) > 1e21) {
            CHECK_INT(status, GSIM_INPUT);
            continue;
        }
        CHECK_OK(status, error);
        CHECK_NEAR(p.kernels[0].flops, strtod(numbers[i], NULL), 0);
        round_trip(&p, ".json");
        gsim_program_release(&p);
    }
}

static void test_every_allocation_fails(void)
{
    struct gsim_error error = {0};
    uint64_t n = 1;
    for (;; n++) {
        struct gsim_program p = {0};
        gsim_alloc_fail_nth(n);
        enum gsim_status status = gsim_program_read("workloads/examples/random-dag-24.json", &p, &error);
        uint64_t made = gsim_alloc_fail_nth(0);
        gsim_program_release(&p);
        if (made < n) {
            CHECK_INT(status, GSIM_OK);
            break;
        }
        CHECK_INT(status, GSIM_NOMEM);
        CHECK_HAS(error.message, "out of memory");
        CHECK(p.name == NULL);
    }
    CHECK_MSG(n > 15, "%d allocations, expected more than 15", (int)n);
}

/* A synchronize becomes a host_compute behind all that was issued since the last one, to its stream or to all. */
static void test_synchronize(void)
{
    struct gsim_program program;
    struct gsim_error error = {0};
    CHECK_OK(read_ops(LAUNCH "\"stream\": 0}, " LAUNCH
                             "\"stream\": 1}, {\"op\": \"synchronize\", \"stream\": 1}, " LAUNCH "\"stream\": 1}, "
                             "{\"op\": \"synchronize\", \"us\": 2.5}, {\"op\": \"synchronize\"}",
                      &program, &error),
             error);
    CHECK_INT(program.op_count, 6);
    CHECK(program.ops[2].kind == GSIM_OP_HOST_COMPUTE && program.ops[4].kind == GSIM_OP_HOST_COMPUTE &&
          program.ops[2].stream == -1);
    CHECK_INT(program.ops[2].after_count, 1);
    CHECK_INT(program.ops[2].after[0], 1);
    CHECK_INT(program.ops[4].after_count, 2);
    CHECK_INT(program.ops[4].after[0], 0);
    CHECK_INT(program.ops[4].after[1], 3);
    CHECK_NEAR(program.ops[4].host_us, 2.5, 1e-9);
    CHECK_INT(program.ops[5].after_count, 0);
    gsim_program_release(&program);
    /* for moves as for kernels; what the host does is done */
    CHECK_OK(read_ops("{\"op\": \"prefetch\", \"buffer\": \"x\"}, {\"op\": \"copy\", \"kind\": \"h2d\", "
                      "\"buffer\": \"x\"}, {\"op\": \"host_read\", \"buffer\": \"x\"}, {\"op\": \"synchronize\"}",
                      &program, &error),
             error);
    CHECK(program.ops[3].after_count == 2 && program.ops[3].after[0] == 0 && program.ops[3].after[1] == 1);
    gsim_program_release(&program);
    CHECK_INT(read_ops("{\"op\": \"synchronize\", \"buffer\": \"x\"}", &program, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "a \"synchronize\" has no such field");
}

/* Launches written alike are one kernel; what differs in a number, in the work or in the name is another. */
static void test_launches_alike(void)
{
    static const char ops[] =
        LAUNCH "\"reads\": [\"x\"]}, " LAUNCH "\"writes\": [\"y\"]}, "
               "{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [ 4 ], \"block\": [64]}, {\"op\": \"kernel\", "
               "\"kernel\": \"k\", \"grid\": [4], \"block\": [64, 2]}, " LAUNCH "\"solo_us\": 3}, " LAUNCH
               "\"solo_us\": 2.5}, {\"op\": \"kernel\", \"kernel\": \"\\u006b\", \"grid\": [4], \"block\": [64]}, "
               "{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [4,1], \"block\": [64]}, {\"op\": \"kernel\", "
               "\"kernel\": \"k\", \"grid\": [5], \"block\": [64]}, " LAUNCH "\"reads\": [\"y\"]}";
    static const uint32_t expected[] = {0, 0, 0, 1, 2, 0, 0, 0, 3, 0};
    struct gsim_program program = {0};
    struct gsim_error error = {0};
    CHECK_OK(read_ops(ops, &program, &error), error);
    CHECK_INT(program.op_count, 10);
    for (uint32_t i = 0; i < program.op_count && i < 10; i++)
        CHECK_MSG(program.ops[i].kernel_index == expected[i], "op %u: kernel %u, expected %u", i,
                  program.ops[i].kernel_index, expected[i]);
    gsim_program_release(&program);
    CHECK_INT(read_ops(LAUNCH
                       "\"reads\": [\"x\"]}, {\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": \"4\", \"block\": [64]}",
                       &program, &error),
              GSIM_INPUT);
    CHECK_MSG(strstr(error.message, "ops[1].grid: expected a list, found \"4\"") != NULL, "%s", error.message);
}

static const struct test_case cases[] = {
    {"launches alike", test_launches_alike},
    {"synchronize", test_synchronize},
    {"errors of the whole file", test_whole_file_errors},
    {"errors of ops", test_op_errors},
    {"errors of files", test_files},
    {"every field", test_every_field},
    {"standard input", test_standard_input},
    {"any order, escapes", test_any_order_and_escapes},
    {"round trips", test_round_trips},
    {"a slice goes with its solo", test_slice_goes_with_solo},
    {"demand given as 0, or not given", test_demand_given},
    {"errors of the writer", test_write_errors},
    {"numbers are exact", test_numbers_are_exact},
    {"every allocation fails", test_every_allocation_fails},
};
TEST_MAIN("workloads/reader", cases)
