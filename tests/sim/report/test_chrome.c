/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Chrome trace of a run made by hand: JSON that parses, Kineto's fields, tracks without overlapping
 * slices, flows that link calls and device work, and gzip by the name of the file.
 */
#include <cjson/cJSON.h>
#include <zlib.h>

#include "tests/sim/result_fixture.h"
#include "sim/report/chrome.h"
#include "sim/report/chrome_links.h"

static char *write_trace(const struct gsim_result *result, const char *path)
{
    struct gsim_output output;
    struct gsim_error error = {0};
    CHECK_OK(gsim_output_open(&output, path, &error), error);
    CHECK_OK(gsim_chrome_write(result, &output, &error), error);
    CHECK_OK(gsim_output_commit(&output, &error), error);
    char *text = read_file(path);
    CHECK(text);
    return text;
}

static cJSON *trace_of(const struct gsim_result *result)
{
    char path[64];
    char *text = write_trace(result, scratch_path(path, ".trace.json"));
    cJSON *trace = cJSON_Parse(text);
    CHECK_MSG(trace, "not JSON near: %.200s", cJSON_GetErrorPtr() ? cJSON_GetErrorPtr() : text);
    remove(path);
    gsim_free(text);
    return trace;
}

static const cJSON *at(const cJSON *object, const char *name) { return cJSON_GetObjectItemCaseSensitive(object, name); }

static double number_at(const cJSON *object, const char *name)
{
    const cJSON *item = at(object, name);
    CHECK_MSG(cJSON_IsNumber(item), "no number '%s'", name);
    return item ? item->valuedouble : NAN;
}

static bool text_is(const cJSON *object, const char *name, const char *text)
{
    const cJSON *item = at(object, name);
    return cJSON_IsString(item) && strcmp(item->valuestring, text) == 0;
}

/* The INDEXth event with this phase and (unless NULL) category and name; *COUNT: how many there are. */
static const cJSON *find(const cJSON *trace, const char *phase, const char *category, const char *name, int index,
                         int *count)
{
    const cJSON *event, *found = NULL;
    int seen = 0;
    cJSON_ArrayForEach(event, at(trace, "traceEvents"))
    {
        if (!text_is(event, "ph", phase) || (category && !text_is(event, "cat", category)) ||
            (name && !text_is(event, "name", name)))
            continue;
        if (seen++ == index) found = event;
    }
    if (count) *count = seen;
    return found;
}

static void kernels_have_kinetos_fields(void)
{
    struct fixture f;
    int count;
    fixture_init(&f);
    cJSON *trace = trace_of(&f.result);
    const cJSON *kernel = find(trace, "X", "kernel", "alpha", 0, &count), *args = at(kernel, "args");
    CHECK_INT(count, 1);
    CHECK_NEAR(number_at(kernel, "ts"), 10, 1e-9);
    CHECK_NEAR(number_at(kernel, "dur"), 20, 1e-9);
    CHECK_NEAR(number_at(kernel, "pid"), 0, 0);
    CHECK_NEAR(number_at(kernel, "tid"), 1, 0);
    CHECK_NEAR(number_at(args, "stream"), 1, 0);
    CHECK_NEAR(number_at(args, "device"), 0, 0);
    CHECK_NEAR(number_at(args, "correlation"), 1, 0);
    CHECK_NEAR(number_at(args, "registers per thread"), 40, 0);
    CHECK_NEAR(number_at(args, "shared memory"), 512, 0);
    CHECK_NEAR(number_at(args, "blocks per SM"), 1.6, 1e-6);
    CHECK_NEAR(number_at(args, "warps per SM"), 6.4, 1e-6);
    CHECK_INT(cJSON_GetArraySize(at(args, "grid")), 3);
    CHECK_NEAR(cJSON_GetArrayItem(at(args, "grid"), 1)->valuedouble, 2, 0);
    CHECK_NEAR(cJSON_GetArrayItem(at(args, "block"), 0)->valuedouble, 32, 0);
    (void)find(trace, "X", "kernel", NULL, 0, &count);
    CHECK_INT(count, 3);
    cJSON_Delete(trace);
    fixture_release(&f);
}

static void copies_calls_and_waits(void)
{
    struct fixture f;
    int count;
    fixture_init(&f);
    cJSON *trace = trace_of(&f.result);
    const cJSON *copy = find(trace, "X", "gpu_memcpy", "Memcpy HtoD (Managed -> Device)", 0, &count);
    CHECK_INT(count, 1);
    CHECK_NEAR(number_at(at(copy, "args"), "bytes"), 4096, 0);
    CHECK_NEAR(number_at(at(copy, "args"), "memory bandwidth (GB/s)"), 4096 / 4.000001e3, 1e-6);
    CHECK(find(trace, "X", "gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 0, NULL));
    const cJSON *call = find(trace, "X", "cuda_runtime", "cudaLaunchKernel", 1, &count);
    CHECK_INT(count, 2);
    CHECK_NEAR(number_at(call, "pid"), GSIM_TRACE_HOST_PID, 0);
    CHECK_NEAR(number_at(call, "ts"), 3, 1e-9);
    const cJSON *wait = find(trace, "X", "cuda_sync", "Stream Wait Event", 0, &count), *args = at(wait, "args");
    CHECK_INT(count, 1);
    CHECK_NEAR(number_at(args, "stream"), 2, 0);
    CHECK_NEAR(number_at(args, "wait_on_stream"), 1, 0);
    CHECK_NEAR(number_at(args, "wait_on_cuda_event_id"), 7, 0);
    CHECK(find(trace, "X", "cuda_sync", "Context Synchronize", 0, NULL));
    CHECK_NEAR(number_at(at(find(trace, "C", NULL, "occupancy", 0, &count), "args"), "busy SMs"), 5, 0);
    CHECK_INT(count, 2);
    cJSON_Delete(trace);
    fixture_release(&f);
}

static void flows_link_calls_to_work(void)
{
    struct fixture f;
    int starts, ends;
    fixture_init(&f);
    cJSON *trace = trace_of(&f.result);
    const cJSON *start = find(trace, "s", "ac2g", NULL, 0, &starts), *end = find(trace, "f", "ac2g", NULL, 0, &ends);
    CHECK_INT(starts, 2); /* two launches; the synchronise call has no work */
    CHECK_INT(ends, 3);   /* the first launch made two kernels */
    CHECK_NEAR(number_at(start, "id"), 1, 0);
    CHECK_NEAR(number_at(start, "ts"), 0, 0);
    CHECK(text_is(end, "bp", "e"));
    cJSON_Delete(trace);
    fixture_release(&f);
}

static void no_overlap_on_any_track(void)
{
    struct fixture f;
    fixture_init(&f);
    /* A crowd on three streams: 60 kernels and copies of many lengths at once. */
    for (int64_t i = 0; i < 60; i++) {
        int64_t start = (i * 37) % 50, length = 1 + (i * 13) % 29;
        gsim_timeline_add_kernel(&f.timeline, &(struct gsim_kernel_record){.stream = (uint32_t)(i % 3),
                                                                           .start = start * US,
                                                                           .end = (start + length) * US});
        gsim_timeline_add_copy(
            &f.timeline, &(struct gsim_copy_record){
                             .stream = (uint32_t)(i % 3), .bytes = 1, .start = start * US, .end = (start + 3) * US});
    }
    cJSON *trace = trace_of(&f.result);
    const cJSON *events = at(trace, "traceEvents"), *a, *b;
    int slices = 0, overlaps = 0;
    cJSON_ArrayForEach(a, events)
    {
        if (!text_is(a, "ph", "X")) continue;
        slices++;
        for (b = a->next; b; b = b->next) {
            if (!text_is(b, "ph", "X") || number_at(a, "pid") != number_at(b, "pid") ||
                number_at(a, "tid") != number_at(b, "tid"))
                continue;
            double a_end = number_at(a, "ts") + number_at(a, "dur"), b_end = number_at(b, "ts") + number_at(b, "dur");
            overlaps += fmin(a_end, b_end) - fmax(number_at(a, "ts"), number_at(b, "ts")) > 1e-9;
        }
    }
    CHECK_INT(slices, 3 + 2 + 3 + 1 + 1 + 1 + 120); /* kernels, copies, calls, synchronise, wait, iteration, crowd */
    CHECK_INT(overlaps, 0);
    cJSON_Delete(trace);
    fixture_release(&f);
}

static void tracks_have_names(void)
{
    struct fixture f;
    bool stream = false, lane = false, host = false, process = false;
    fixture_init(&f);
    cJSON *trace = trace_of(&f.result);
    const cJSON *event;
    cJSON_ArrayForEach(event, at(trace, "traceEvents"))
    {
        if (!text_is(event, "ph", "M")) continue;
        const cJSON *args = at(event, "args");
        stream = stream || (text_is(args, "name", "stream 1") && number_at(event, "tid") == 1);
        lane = lane || (text_is(args, "name", "stream 1, lane 2") && number_at(event, "tid") >= 1000);
        host = host || (text_is(args, "name", "host thread 0") && number_at(event, "pid") == GSIM_TRACE_HOST_PID);
        process = process || (text_is(event, "name", "process_name") && text_is(args, "name", "GPU 0"));
    }
    CHECK(stream);
    CHECK(lane);
    CHECK(host);
    CHECK(process);
    cJSON_Delete(trace);
    fixture_release(&f);
}

static void device_properties(void)
{
    struct fixture f;
    fixture_init(&f);
    cJSON *trace = trace_of(&f.result);
    const cJSON *device = cJSON_GetArrayItem(at(trace, "deviceProperties"), 0);
    CHECK_NEAR(number_at(trace, "schemaVersion"), 1, 0);
    CHECK(text_is(device, "name", "A Device"));
    CHECK_NEAR(number_at(device, "numSms"), 10, 0);
    CHECK_NEAR(number_at(device, "computeMajor"), 8, 0);
    CHECK_NEAR(number_at(device, "computeMinor"), 0, 0);
    CHECK_NEAR(number_at(device, "totalGlobalMem"), 40e9, 0);
    CHECK_NEAR(number_at(device, "maxThreadsPerMultiprocessor"), 2048, 0);
    cJSON_Delete(trace);
    fixture_release(&f);
}

static void iterations_are_marked(void)
{
    struct fixture f;
    int count;
    fixture_init(&f);
    gsim_timeline_add_iteration(&f.timeline, &(struct gsim_iteration_record){.start = 52 * US, .end = 60 * US});
    f.timeline.warm_up_count = 1;
    cJSON *trace = trace_of(&f.result);
    const cJSON *first = find(trace, "X", "iteration", "iteration 0 (warm-up)", 0, &count);
    CHECK_INT(count, 1);
    CHECK_NEAR(number_at(first, "ts"), 0, 0);
    CHECK_NEAR(number_at(first, "dur"), 52, 1e-9);
    CHECK_NEAR(number_at(first, "pid"), GSIM_TRACE_ITERATIONS_PID, 0);
    CHECK_NEAR(number_at(at(first, "args"), "stream waits"), 1, 0);
    CHECK_NEAR(number_at(find(trace, "X", "iteration", "iteration 1", 0, &count), "ts"), 52, 1e-9);
    CHECK_INT(count, 1);
    cJSON_Delete(trace);
    fixture_release(&f);
}

/* Stream 2's kernel waits for an event recorded behind both of stream 1's, of which the second, on a lane, ends
 * last. */
static void arrows_of_waits(void)
{
    struct fixture f;
    int starts, ends;
    fixture_init(&f);
    f.timeline.waits[0].record_correlation = 2;
    f.timeline.waits[0].correlation = 4;
    gsim_timeline_add_kernel(
        &f.timeline, &(struct gsim_kernel_record){.stream = 2, .correlation = 5, .start = 51 * US, .end = 52 * US});
    gsim_timeline_add_kernel(
        &f.timeline, &(struct gsim_kernel_record){.stream = 2, .correlation = 6, .start = 52 * US, .end = 53 * US});
    gsim_timeline_add_wait(
        &f.timeline,
        &(struct gsim_wait_record){.waiting_stream = 2, .recorded_stream = 3, .correlation = 4}); /* had no work */
    cJSON *trace = trace_of(&f.result);
    const cJSON *start = find(trace, "s", "event_wait", NULL, 0, &starts),
                *end = find(trace, "f", "event_wait", NULL, 0, &ends);
    CHECK_INT(starts, 1);
    CHECK_INT(ends, 1);
    CHECK(number_at(start, "ts") > 39.99 &&
          number_at(start, "ts") < 40);     /* inside its slice: readers look for one there */
    CHECK(number_at(start, "tid") >= 1000); /* the lane */
    CHECK_NEAR(number_at(end, "ts"), 51, 1e-9);
    CHECK_NEAR(number_at(end, "tid"), 2, 0);
    CHECK_NEAR(number_at(start, "id"), number_at(end, "id"), 0);
    CHECK(text_is(end, "bp", "e"));
    cJSON_Delete(trace);
    fixture_release(&f);
}

static void a_window_keeps_what_overlaps(void)
{
    struct fixture f;
    int count;
    fixture_init(&f);
    f.result.window_from = 35 * US;
    f.result.window_until = 45 * US;
    cJSON *trace = trace_of(&f.result);
    (void)find(trace, "X", "kernel", "alpha", 0, &count); /* ended at 30 */
    CHECK_INT(count, 0);
    const cJSON *cut = find(trace, "X", "kernel", NULL, 0, &count);
    CHECK_INT(count, 2);
    CHECK_NEAR(number_at(cut, "dur"), 20, 1e-9); /* whole, though it began before */
    (void)find(trace, "X", "gpu_memcpy", NULL, 0, &count); /* one ended at 5, one begins at 45 */
    CHECK_INT(count, 0);
    (void)find(trace, "X", "cuda_runtime", NULL, 0, &count); /* the synchronise call alone */
    CHECK_INT(count, 1);
    (void)find(trace, "s", "ac2g", NULL, 0, &count); /* without their calls the kernels have no arrows */
    CHECK_INT(count, 0);
    (void)find(trace, "f", "ac2g", NULL, 0, &count);
    CHECK_INT(count, 0);
    (void)find(trace, "X", "cuda_sync", "Stream Wait Event", 0, &count);
    CHECK_INT(count, 0);
    (void)find(trace, "X", "iteration", NULL, 0, &count);
    CHECK_INT(count, 1);
    const cJSON *load = find(trace, "C", NULL, "occupancy", 0, &count); /* what held when the window began */
    CHECK_INT(count, 1);
    CHECK_NEAR(number_at(load, "ts"), 35, 1e-9);
    CHECK_NEAR(number_at(at(load, "args"), "busy SMs"), 5, 0);
    cJSON_Delete(trace);
    fixture_release(&f);
}

static void gzip_by_name(void)
{
    struct fixture f;
    char plain_path[64], gz_path[64], *plain, *gz, *unpacked = gsim_alloc(1 << 20);
    fixture_init(&f);
    plain = write_trace(&f.result, scratch_path(plain_path, ".trace.json"));
    gz = write_trace(&f.result, scratch_path(gz_path, ".trace.json.gz"));
    CHECK_INT((unsigned char)gz[0], 0x1f);
    CHECK_INT((unsigned char)gz[1], 0x8b);
    gzFile file = gzopen(gz_path, "rb");
    CHECK(file && unpacked);
    int length = gzread(file, unpacked, (1 << 20) - 1);
    gzclose(file);
    CHECK_INT(length, strlen(plain));
    CHECK(memcmp(plain, unpacked, strlen(plain)) == 0);
    remove(plain_path);
    remove(gz_path);
    gsim_free(plain);
    gsim_free(gz);
    gsim_free(unpacked);
    fixture_release(&f);
}

static const struct test_case cases[] = {
    {"kernels have Kineto's fields", kernels_have_kinetos_fields},
    {"copies, calls and waits", copies_calls_and_waits},
    {"flows link calls to work", flows_link_calls_to_work},
    {"no overlap on any track", no_overlap_on_any_track},
    {"tracks have names", tracks_have_names},
    {"device properties", device_properties},
    {"iterations are marked", iterations_are_marked},
    {"arrows of waits", arrows_of_waits},
    {"a window keeps what overlaps", a_window_keeps_what_overlaps},
    {"gzip by name", gzip_by_name},
};
TEST_MAIN("sim/report/chrome", cases)
