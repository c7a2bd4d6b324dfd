/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a Chrome trace says of each kernel and copy. */
#include "plots/timeline/track.h"

#include <unistd.h>

#include "tests/test.h"

/* PyTorch's own: from the first kernel on, at 1000.5. The window of an iteration is from its first start to its last
 * end. */
static const char trace[] =
    "{\"deviceProperties\": [{\"name\": \"A\", \"numSms\": 4, \"maxThreadsPerMultiprocessor\": 2048}], "
    "\"traceEvents\": [\n"
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"ts\": 1000.5, \"dur\": 2, \"args\": {\"stream\": 7, "
    "\"device\": 1}},\n"
    "{\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"Memcpy HtoD (Pageable -> Device)\", \"ts\": 1003, \"dur\": "
    "1, "
    "\"args\": {\"bytes\": 64, \"reason\": \"fault\", \"iteration\": 1}},\n"
    "{\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"Memcpy DtoH (Device -> Pinned)\", \"ts\": 1006, \"dur\": 3, "
    "\"args\": {\"bytes\": 32, \"iteration\": 1}},\n"
    "{\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"Memcpy PtoP\", \"ts\": 1007, \"dur\": 1},\n"
    "{\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"Memcpy DtoD\", \"ts\": 1008, \"dur\": 1},\n"
    "{\"ph\": \"X\", \"cat\": \"gpu_memset\", \"name\": \"Memset (HtoD)\", \"ts\": 1009, \"dur\": 1},\n"
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"op\", \"ts\": 1, \"dur\": 5000},\n"
    "{\"ph\": \"i\", \"cat\": \"kernel\", \"name\": \"k\", \"ts\": 2, \"dur\": 1},\n"
    "{\"ph\": \"C\", \"name\": \"occupancy\", \"ts\": 1001, \"args\": {\"busy SMs\": 3}},\n"
    "{\"ph\": \"C\", \"name\": \"resident warps\", \"ts\": 1001, \"args\": {\"warps\": 48}},\n"
    "{\"ph\": \"C\", \"name\": \"resident warps\", \"ts\": 1002, \"args\": {\"warps\": 16}}\n"
    "]}\n";

static void chrome_trace(void)
{
    static const struct gsim_span spans[] = {
        {GSIM_SPAN_KERNEL, 7, 1, 0, 0, "k", 0, 2, 0},          {GSIM_SPAN_H2D, 0, 0, 1, 0, "fault", 2.5, 3.5, 64},
        {GSIM_SPAN_D2H, 0, 0, 1, 0, "explicit", 5.5, 8.5, 32}, {GSIM_SPAN_P2P, 0, 0, 0, 0, "explicit", 6.5, 7.5, 0},
        {GSIM_SPAN_D2D, 0, 0, 0, 0, "explicit", 7.5, 8.5, 0},  {GSIM_SPAN_MEMSET, 0, 0, 0, 0, "explicit", 8.5, 9.5, 0}};
    static const double loads[][3] = {{0.5, 3, 48}, {1.5, 3, 16}};
    char path[] = "/tmp/gpusim-test-track-XXXXXX";
    struct gsim_track track;
    struct gsim_error error = {0};
    int file = mkstemp(path);
    CHECK(file >= 0 && write(file, trace, sizeof trace - 1) == (ssize_t)sizeof trace - 1);
    close(file);
    CHECK_OK(gsim_track_read(path, &track, &error), error);
    unlink(path);
    CHECK_INT(track.span_count, 6);
    for (size_t i = 0; i < 6 && i < track.span_count; i++) {
        const struct gsim_span *found = &track.spans[i], *right = &spans[i];
        CHECK_MSG(found->kind == right->kind && found->stream == right->stream && found->device == right->device &&
                      found->iteration == right->iteration && found->bytes == right->bytes,
                  "span %zu: kind %d", i, (int)found->kind);
        CHECK_STR(found->name, right->name);
        CHECK_NEAR(found->start_us, right->start_us, 1e-9);
        CHECK_NEAR(found->end_us, right->end_us, 1e-9);
    }
    CHECK_INT(track.load_count, 2);
    for (size_t i = 0; i < 2 && i < track.load_count; i++) {
        CHECK_NEAR(track.loads[i].start_us, loads[i][0], 1e-9);
        CHECK(track.loads[i].busy_sms == loads[i][1] && track.loads[i].warps == loads[i][2]);
    }
    CHECK_INT(track.iteration_count, 2);
    if (track.iteration_count == 2) {
        CHECK(track.iterations[0].start_us == 0 && track.iterations[0].end_us == 9.5);
        CHECK(track.iterations[1].start_us == 2.5 && track.iterations[1].end_us == 8.5);
    }
    CHECK(track.end_us == 9.5 && track.sm_count == 4 && track.warps_per_sm == 64 && !track.task_count);
    CHECK_STR(track.device, "A");
    CHECK_STR(track.scheduler, "");
    gsim_track_release(&track);
}

static const struct test_case cases[] = {{"a Chrome trace", chrome_trace}};
TEST_MAIN("plots/timeline/track", cases)
