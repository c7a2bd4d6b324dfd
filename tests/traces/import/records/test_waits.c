/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cudaStreamWaitEvent calls of which no record says for what, by times: a launch of stream 7 at 10, the record, the
 * wait at 60, and a launch of another stream behind it. What the launch comes to follow is known by hand.
 */
#include "tests/traces/import/import_fixture.h"
#include "traces/import/importers.h"

static enum gsim_status read_trace(struct trace *t, const struct gsim_import_options *options, struct imported *i)
{
    char path[64];
    scratch(path);
    put(t, "\n]}\n");
    write_bytes(path, t->text, t->length);
    enum gsim_status status = gsim_import_kineto(path, options, &i->program, &i->notes, &i->error);
    remove(path);
    return status;
}

static void waits_are_for_what_had_ended(void)
{
    static const struct {
        const char *what;
        double end;     /* of the kernel of stream 7 */
        double record;  /* when its event is recorded; it is launched at 10 */
        int stream;     /* of the launch behind the wait */
        double start;   /* of its kernel */
        bool follows;
    } rows[] = {
        {"ended when the waiter began", 100, 20, 8, 102, true},
        {"ended as it began", 100, 20, 8, 100, true},
        {"still ran when the waiter began", 100, 20, 8, 95, false},
        {"of the same stream: the stream's order is enough", 100, 20, 7, 102, false},
        {"launched behind the record", 100, 5, 8, 102, false},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct trace t;
        struct imported i = {0};
        begin(&t);
        call(&t, "cudaLaunchKernel", 1, 10, 1, 1);
        kernel(&t, "first", 7, 12, rows[r].end - 12, 1);
        call(&t, "cudaEventRecord", 1, rows[r].record, 0.2, 50);
        call(&t, "cudaStreamWaitEvent", 1, 60, 0.2, 51);
        call(&t, "cudaLaunchKernel", 1, 61, 1, 2);
        kernel(&t, "second", rows[r].stream, rows[r].start, 30, 2);
        CHECK_OK(read_trace(&t, &plain, &i), i.error);
        uint32_t first = UINT32_MAX, second = UINT32_MAX;
        for (uint32_t o = 0; o < i.program.op_count; o++) {
            const struct gsim_op *op = &i.program.ops[o];
            if (op->kind != GSIM_OP_KERNEL) continue;
            if (strcmp(i.program.kernels[op->kernel_index].name, "first") == 0) first = o;
            if (strcmp(i.program.kernels[op->kernel_index].name, "second") == 0) second = o;
        }
        bool follows = false;
        for (uint32_t a = 0; second != UINT32_MAX && a < i.program.ops[second].after_count; a++)
            follows |=
                i.program.ops[second].after[a] == first && i.program.ops[first].stream != i.program.ops[second].stream;
        CHECK_MSG(follows == rows[r].follows, "%s: follows: %d", rows[r].what, follows);
        gsim_program_release(&i.program);
    }
}

static const struct test_case cases[] = {{"waits are for what had ended", waits_are_for_what_had_ended}};
TEST_MAIN("traces/import/records/waits", cases)
