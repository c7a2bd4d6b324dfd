/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recorded graph of three nodes, launched twice: a copy (stream 13) and a memset (stream 15) before a kernel (13).
 * The kernel waits for both, and the second launch for all of the first. Stream 15's priority is the works'.
 */
#include <stdlib.h>
#include <unistd.h>

#include "tests/test.h"
#include "traces/import/importers.h"

#define WORK   "\"pid\":0,\"args\":{\"device\":0,\"context\":1,\"stream\":"
#define KERNEL "\"registers per thread\":16,\"shared memory\":0,\"grid\":[9,1,1],\"block\":[64,1,1]"
#define LAUNCH(correlation, ts)                                                                                        \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaGraphLaunch\",\"ts\":" #ts                                  \
    ",\"dur\":5,\"pid\":9,\"tid\":9,"                                                                                  \
    "\"args\":{\"correlation\":" #correlation "}},\n"
#define NODES(correlation, copy, memset, kernel)                                                                       \
    "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pinned -> Device)\",\"ts\":" #copy                   \
    ",\"dur\":40," WORK "13,\"correlation\":" #correlation ",\"graph node id\":21,\"bytes\":4096}},\n"                 \
    "{\"ph\":\"X\",\"cat\":\"gpu_memset\",\"name\":\"Memset (Device)\",\"ts\":" #memset ",\"dur\":2," WORK             \
    "15,\"correlation\":" #correlation ",\"graph node id\":22,\"bytes\":4096}},\n"                                     \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"sums\",\"ts\":" #kernel ",\"dur\":9," WORK                            \
    "13,\"correlation\":" #correlation ",\"graph node id\":23," KERNEL "}},\n"
#define EDGES                                                                                                          \
    "{\"ph\":\"M\",\"cat\":\"graph\",\"name\":\"node\",\"args\":{\"node\":21,\"of\":11}},\n"                           \
    "{\"ph\":\"M\",\"cat\":\"graph\",\"name\":\"node\",\"args\":{\"node\":22,\"of\":12}},\n"                           \
    "{\"ph\":\"M\",\"cat\":\"graph\",\"name\":\"node\",\"args\":{\"node\":23,\"of\":13}},\n"

static const char with_edges[] =
    "[\n" EDGES "{\"ph\":\"M\",\"cat\":\"graph\",\"name\":\"edge\",\"args\":{\"from\":11,\"to\":13}},\n"
    "{\"ph\":\"M\",\"cat\":\"graph\",\"name\":\"edge\",\"args\":{\"from\":12,\"to\":13}},\n"
    "{\"ph\":\"M\",\"cat\":\"stream\",\"name\":\"stream\",\"args\":{\"context\":1,\"stream\":15,\"priority\":-3}},"
    "\n" LAUNCH(71, 100) NODES(71, 120, 121, 170) LAUNCH(72, 200) NODES(72, 220, 221, 270) "]";
/* Here the memset runs beside the kernel, and no edge says that this waits for it. */
static const char without_edge[] =
    "[\n" EDGES "{\"ph\":\"M\",\"cat\":\"graph\",\"name\":\"edge\",\"args\":{\"from\":11,\"to\":13}},\n" LAUNCH(71, 100)
        NODES(71, 120, 121, 170) LAUNCH(72, 200) NODES(72, 220, 221, 270) "]";
/* Nodes of which nothing is known: what had ended is waited for. */
static const char unknown[] =
    "[\n" LAUNCH(71, 100) NODES(71, 120, 121, 170) LAUNCH(72, 200) NODES(72, 220, 221, 270) "]";

/* The works alone, numbered from 0; which of them each waits for, as bits. */
static uint32_t read_works(const char *text, uint32_t waits[8], int32_t priority[8])
{
    char path[] = "/tmp/gpusim-test-graphs.XXXXXX";
    const struct gsim_import_options options = {.name = "graphs", .last = UINT32_MAX};
    struct gsim_import_notes notes;
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    uint32_t numbers[64] = {0}, count = 0;
    int file = mkstemp(path);
    CHECK(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    CHECK_MSG(gsim_import_kineto(path, &options, &p, &notes, &error) == GSIM_OK, "%s", error.message);
    for (uint32_t i = 0; i < p.op_count && i < 64 && count < 8; i++) {
        if (p.ops[i].kind != GSIM_OP_KERNEL && p.ops[i].kind != GSIM_OP_COPY) continue;
        waits[count] = 0;
        for (uint32_t a = 0; a < p.ops[i].after_count; a++) waits[count] |= 1u << numbers[p.ops[i].after[a]];
        priority[count] = p.ops[i].priority;
        numbers[i] = count++;
    }
    gsim_program_release(&p);
    unlink(path);
    return count;
}

static void check(const char *text, const uint32_t wanted[6], int32_t wanted_priority)
{
    uint32_t waits[8];
    int32_t priority[8];
    CHECK_INT((long)read_works(text, waits, priority), 6);
    for (int i = 0; i < 6; i++) {
        CHECK_MSG(waits[i] == wanted[i], "work %d waits for %x, expected %x", i, waits[i], wanted[i]);
        CHECK_INT(priority[i], i % 3 == 1 ? wanted_priority : 0);
    }
}

static void edges_are_waits(void)
{
    check(with_edges, (const uint32_t[]){0, 0, 3, 6, 6, 8 | 16}, -3);
    check(without_edge, (const uint32_t[]){0, 0, 1, 6, 6, 8}, 0);
    check(unknown, (const uint32_t[]){0, 0, 3, 6, 6, 8 | 16}, 0);
}

static const struct test_case cases[] = {{"edges", edges_are_waits}};
TEST_MAIN("traces/import/recorded/graph", cases)
