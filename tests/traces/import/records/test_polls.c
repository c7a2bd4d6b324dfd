/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits that are none by their names: a kernel from 10 to 110, calls behind its launch, and another launch at 200.
 * Whether the host then waits for the kernel, and how long it works until that launch, is known by hand.
 */
#include "tests/traces/import/import_fixture.h"
#include "traces/import/importers.h"

static void calls_wait_or_take_time(void)
{
    static const struct {
        const char *name;
        double start, length;
        int count;      /* so often, PERIOD apart */
        double period;
        bool waits;
        const char *what; /* whose the host's time is, in part; NULL: the program's own */
    } rows[] = {
        {"cudaFree", 20, 92, 1, 0, true, NULL},
        {"hipFree", 20, 92, 1, 0, true, NULL},
        {"cudaFree", 20, 120, 1, 0, true, "in wait cudaFree"},
        {"cudaFree", 20, 60, 1, 0, false, "in call cudaFree"},      /* returns while the kernel runs */
        {"cudaFree", 120, 60, 1, 0, false, "in call cudaFree"},     /* nothing ran */
        {"cudaMalloc", 100, 80, 1, 0, false, "in call cudaMalloc"}, /* ends long behind the kernel: its own time */
        {"cudaMalloc", 20, 91, 1, 0, true, NULL},
        {"cudaEventQuery", 20, 2, 14, 7, true, NULL},
        {"cudaStreamQuery", 20, 2, 13, 7, true, NULL}, /* the last one before the end, none behind it */
        {"hipEventQuery", 20, 2, 14, 7, true, NULL},
        {"cudaEventQuery", 20, 2, 1, 7, false, NULL}, /* asked once */
        {"cudaEventQuery", 20, 2, 5, 7, false, NULL}, /* gave up long before */
        {"hipEventSynchronize", 20, 91, 1, 0, true, NULL},
        {"hipEventSynchronize", 20, 82, 1, 0, true, NULL}, /* clocks that differ by 8 us */
        {"cudaModuleLoad", 20, 60, 1, 0, false, "in call cudaModuleLoad"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct trace t;
        struct imported i = {0};
        char path[64];
        bool waits = false, is_named = !rows[r].what;
        double host_us = 0;
        begin(&t);
        launch(&t, "a", 7, 8, 10, 100, 1);
        for (int k = 0; k < rows[r].count; k++)
            call(&t, rows[r].name, 1, rows[r].start + k * rows[r].period, rows[r].length, 10 + k);
        launch(&t, "a", 7, 200, 202, 100, 2);
        put(&t, "\n]}\n");
        scratch(path);
        write_bytes(path, t.text, t.length);
        CHECK_OK(gsim_import_kineto(path, &plain, &i.program, &i.notes, &i.error), i.error);
        for (uint32_t o = 0; o < i.program.op_count; o++) {
            const struct gsim_op *op = &i.program.ops[o];
            if (op->kind != GSIM_OP_HOST_COMPUTE) continue;
            waits |= op->after_count > 0;
            is_named |= op->what && rows[r].what && strcmp(op->what, rows[r].what) == 0;
            host_us += op->host_us;
        }
        CHECK_MSG(waits == rows[r].waits, "row %zu, %s: waits: %d", r, rows[r].name, waits);
        CHECK_MSG(is_named, "row %zu: no time is '%s'", r, rows[r].what);
        /* From the kernel's launch at 8 to the next, which is issued as its call ends at 202, less what the host waits
         * for until 110. */
        CHECK_MSG(fabs(host_us - (waits ? 202 - 110 + (rows[r].start - 10) : 192)) < 12,
                  "row %zu, %s: %.3f us of the host's", r, rows[r].name, host_us);
        gsim_program_release(&i.program);
        remove(path);
    }
}

static const struct test_case cases[] = {{"calls wait or take time", calls_wait_or_take_time}};
TEST_MAIN("traces/import/records/polls", cases)
