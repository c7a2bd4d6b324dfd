/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Idle time of the GPU before a kernel: which of it nothing explains, by hand. Two kernels of 100 us, launched by calls
 * of 2 us. */
#include "tests/traces/import/import_fixture.h"
#include "traces/import/importers.h"

static void idle_time_is_explained_or_kept(void)
{
    static const struct {
        const char *what;
        double first;                   /* start of the first kernel, launched at 0 */
        double launched, second;        /* the second's launch and start */
        bool is_graph;                  /* both are nodes of one graph */
        double before_first, before_second; /* delays in the program, us; 0: none */
    } rows[] = {
        {"at once", 5, 10, 106, false, 0, 0},
        {"the launch explains it", 5, 300, 310, false, 0, 0},
        {"90 us behind its launch on an idle GPU: within what profilers add", 92, 93, 193, false, 0, 0},
        {"50 ms behind its launch, the first one, too", 50002, 50003, 50103, false, 50000, 0},
        {"2 ms behind its launch on an idle GPU", 5, 300, 2302, false, 0, 2000},
        {"launched long ago, yet 30 us behind the one before", 5000, 10, 5130, false, 4998, 30},
        {"launched long ago, 5 us behind the one before: a gap as others are", 5000, 10, 5105, false, 4998, 0},
        {"a node 26 us behind the one before it", 5, 0, 131, true, 0, 26},
        {"a node 2 us behind the one before it", 5, 0, 107, true, 0, 0},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct trace t;
        struct imported i = {0};
        char path[64];
        double found[2] = {0, 0}, *at = found;
        begin(&t);
        call(&t, rows[r].is_graph ? "cudaGraphLaunch" : "cudaLaunchKernel", 1, 1000, 2, 1);
        kernel(&t, "a", 7, 1000 + rows[r].first, 100, 1);
        if (!rows[r].is_graph) call(&t, "cudaLaunchKernel", 1, 1000 + rows[r].launched, 2, 2);
        kernel(&t, "b", 7, 1000 + rows[r].second, 100, rows[r].is_graph ? 1 : 2);
        put(&t, "\n]}\n");
        scratch(path);
        write_bytes(path, t.text, t.length);
        CHECK_OK(gsim_import_kineto(path, &plain, &i.program, &i.notes, &i.error), i.error);
        for (uint32_t o = 0; o < i.program.op_count; o++) {
            const struct gsim_op *op = &i.program.ops[o];
            if (op->kind != GSIM_OP_KERNEL) continue;
            const struct gsim_kernel *k = &i.program.kernels[op->kernel_index];
            if (strcmp(k->name, "a") == 0) at = &found[1];
            if (strcmp(k->name, "a") != 0 && strcmp(k->name, "b") != 0) *at += k->solo_us;
        }
        CHECK_MSG(fabs(found[0] - rows[r].before_first) < 0.1 && fabs(found[1] - rows[r].before_second) < 0.1,
                  "%s: %.3f and %.3f us, expected %.3f and %.3f", rows[r].what, found[0], found[1],
                  rows[r].before_first, rows[r].before_second);
        gsim_program_release(&i.program);
        remove(path);
    }
}

static const struct test_case cases[] = {{"idle time is explained or kept", idle_time_is_explained_or_kept}};
TEST_MAIN("traces/import/records/idle", cases)
