/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading recordings of the runner: what is in a good file, and which place a bad one is refused at.
 */
#include "traces/runs.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/test.h"

#define PROFILE                                                                                                        \
    "{\"workload\":\"img\",\"suite\":\"kesco\",\"shape\":\"serial\",\"size\":4800,\"block1d\":512,\"blocks\":32,"      \
    "\"slice_sms\":17,\"ops\":[{\"op\":3,\"kernel\":\"blur\",\"grid\":[16,16,1],\"block\":[8,8,1],\"regs_per_"         \
    "thread\":40,"                                                                                                     \
    "\"smem_bytes\":64,\"solo_us\":812.1,\"min_us\":811.0,\"max_us\":815.2,\"slice_us\":5000}]}"
#define RUN_HEAD                                                                                                       \
    "{\"workload\":\"img\",\"suite\":\"kesco\",\"shape\":\"serial\",\"scheduler\":\"kesco\",\"size\":4800,"            \
    "\"block1d\":512,\"blocks\":32,\"memory\":\"pageable\",\"prefetch\":true,\"split\":\"fit\",\"checked\":true,"
#define OPS                                                                                                            \
    "{\"op\":3,\"kind\":\"kernel\",\"name\":\"blur\",\"stream\":2,\"launch_us\":10.1,\"start_us\":15.2,\"end_us\":"    \
    "820.0},"                                                                                                          \
    "{\"op\":0,\"kind\":\"h2d\",\"bytes\":92160000,\"stream\":1,\"launch_us\":2.0,\"start_us\":4.0,\"end_us\":1700.0}"
#define RUN                                                                                                            \
    RUN_HEAD "\"iteration_us\":[3.5,1,2],\"unknown\":{\"a\":[1]},\"traced\":{\"iteration_us\":4.5,\"ops\":[" OPS "]}," \
             "\"calls\":[{\"call\":\"cudaGraphLaunch\",\"count\":11,\"total_us\":44.0}]}"
#define FILE_OF(profiles, runs)                                                                                        \
    "{\"schema\":\"gpusim-runs/1\",\"name\":\"two\",\"gpu\":\"NVIDIA "                                                 \
    "H200\",\"device\":\"h200\",\"compute_capability\":90,"                                                            \
    "\"sm_clock_mhz\":1980,\"profiles\":[" profiles "],\"runs\":[" runs "],\"host_costs\":[{\"call\":\"x\"}]}"

struct seen {
    size_t runs;
    struct gsim_recording last;
    struct gsim_recorded_op ops[2];
    char scheduler[16];
    double call_us;
};

static enum gsim_status see(void *context, const struct gsim_recordings *recordings, const struct gsim_recording *run,
                            struct gsim_error *error)
{
    struct seen *seen = context;
    CHECK_INT(recordings->profile_count, 1);
    (void)error;
    seen->runs++;
    seen->last = *run;
    for (uint32_t i = 0; i < 2 && i < run->op_count; i++) seen->ops[i] = run->ops[i];
    if (run->call_count) seen->call_us = run->calls[0].total_us;
    snprintf(seen->scheduler, sizeof seen->scheduler, "%s", run->scheduler);
    CHECK_NEAR(run->iteration_us[0], 3.5, 0);
    return GSIM_OK;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

static enum gsim_status pass_over(void *context, const struct gsim_recordings *recordings,
                                  const struct gsim_recording *run, struct gsim_error *error)
{
    (void)recordings;
    (void)error;
    ((struct seen *)context)->runs += run->iteration_count > 0;
    return GSIM_OK;
}

static enum gsim_status read_with(const struct gsim_runs_handler *handler, const char *text,
                                  struct gsim_recordings *recordings, struct gsim_error *error)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/gpusim-runs-%ld.json", (long)getpid());
    write_text(path, text);
    memset(recordings, 0, sizeof *recordings);
    *error = (struct gsim_error){0};
    enum gsim_status status = gsim_runs_read(path, handler, recordings, error);
    remove(path);
    return status;
}

static enum gsim_status read_text(const char *text, struct gsim_recordings *recordings, struct seen *seen,
                                  struct gsim_error *error)
{
    memset(seen, 0, sizeof *seen);
    return read_with(&(struct gsim_runs_handler){see, seen}, text, recordings, error);
}

static enum gsim_status read_quietly(const char *text, struct gsim_recordings *recordings, struct seen *seen,
                                     struct gsim_error *error)
{
    memset(seen, 0, sizeof *seen);
    return read_with(&(struct gsim_runs_handler){pass_over, seen}, text, recordings, error);
}

static void good_files_are_read(void)
{
    struct gsim_recordings recordings;
    struct seen seen;
    struct gsim_error error;
    CHECK_OK(read_text(FILE_OF(PROFILE, RUN "," RUN), &recordings, &seen, &error), error);
    CHECK_STR(recordings.gpu, "NVIDIA H200");
    CHECK_STR(recordings.device, "h200");
    CHECK_STR(recordings.driver, "");
    CHECK_INT(recordings.compute_capability, 90);
    CHECK_NEAR(recordings.sm_clock_mhz, 1980, 0);
    const struct gsim_profile *profile = recordings.profiles;
    CHECK_STR(profile->key.workload, "img");
    CHECK_INT(profile->key.shape, GSIM_SHAPE_SERIAL);
    CHECK_INT(profile->ops[0].grid.y, 16);
    CHECK_INT(profile->ops[0].smem_bytes, 64);
    CHECK_NEAR(profile->ops[0].max_us, 815.2, 0);
    CHECK_INT(profile->slice_sms, 17);
    CHECK_NEAR(profile->ops[0].slice_us, 5000, 0);
    CHECK_INT(seen.runs, 2);
    CHECK_STR(seen.scheduler, "kesco");
    CHECK_INT(seen.last.memory, GSIM_MEMORY_PAGEABLE);
    CHECK_INT(seen.last.split, GSIM_SPLIT_FIT);
    CHECK(seen.last.prefetch && seen.last.checked && seen.last.has_graph && !seen.last.has_sync);
    CHECK_INT(seen.last.call_count, 1);
    CHECK_NEAR(seen.call_us, 44, 0);
    CHECK_INT(seen.last.iteration_count, 3);
    CHECK_NEAR(seen.last.traced_us, 4.5, 0);
    CHECK_INT(seen.ops[0].bytes, 92160000); /* by launch */
    CHECK(seen.ops[1].is_kernel && seen.ops[1].stream == 2);
    gsim_recordings_release(&recordings);
}

static void files_are_recognised(void)
{
    char path[64], device[GSIM_RUNS_DEVICE];
    snprintf(path, sizeof path, "/tmp/gpusim-runs-%ld.json", (long)getpid());
    write_text(path, FILE_OF("", ""));
    CHECK(gsim_runs_is(path, device));
    CHECK_STR(device, "h200");
    write_text(path, "{\"pairs\": []}");
    CHECK(!gsim_runs_is(path, device));
    remove(path);
    CHECK(!gsim_runs_is(path, NULL));
}

static void bad_files_are_refused(void)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"[]", "the file: expected an object ('{'), found '['"},
        {"{}", "schema: expected \"gpusim-runs/1\", found nothing"},
        {"{\"runs\":[" RUN "]}", "runs[0]: expected the schema \"gpusim-runs/1\" before, found none"},
        {"{\"schema\":\"gpusim-runs/2\"}", "schema: expected one of \"gpusim-runs/1\", found \"gpusim-runs/2\""},
        {FILE_OF("3", ""), "profiles[0]: expected an object, found 3"},
        {FILE_OF("{\"size\":1}", ""), "profiles[0]: ops: expected a list, found nothing"},
        {FILE_OF(PROFILE "," PROFILE, ""), "profiles[1]: workload: expected options that no earlier profile has"},
        {FILE_OF(
             "{\"workload\":\"img\",\"size\":1,\"ops\":[{\"op\":0,\"grid\":[0,1,1],\"block\":[1,1,1],\"solo_us\":1}]}",
             ""),
         "profiles[0]: ops[0].grid: expected positive numbers, found 0"},
        {FILE_OF(
             "{\"workload\":\"img\",\"size\":1,\"ops\":[{\"op\":0,\"grid\":[1,1],\"block\":[1,1,1],\"solo_us\":1}]}",
             ""),
         "profiles[0]: ops[0].grid: expected three numbers, found a list"},
        {FILE_OF(
             "{\"workload\":\"img\",\"size\":1,\"ops\":[{\"op\":0,\"grid\":[1,1,1],\"block\":[1,1,1],\"solo_us\":0}]}",
             ""),
         "profiles[0]: ops[0].solo_us: expected a positive number, found 0"},
        {FILE_OF("", "{\"scheduler\":\"kesco\"}"), "runs[0]: iteration_us: expected a list, found nothing"},
        {FILE_OF("", "{\"split\":\"both\"}"), "runs[0]: split: expected one of \"fit\" \"test\", found \"both\""},
        {FILE_OF("", RUN_HEAD "\"checked\":1,\"iteration_us\":[1]}"),
         "runs[0]: checked: expected one member of that name"},
        {FILE_OF("", RUN_HEAD "\"iteration_us\":[1,-2]}"),
         "runs[0]: iteration_us: expected a number that is not negative, found -2"},
        {FILE_OF("", RUN_HEAD "\"iteration_us\":[]}"),
         "runs[0]: iteration_us: expected at least one time, found a list"},
        {FILE_OF("", RUN_HEAD
                 "\"iteration_us\":[1],\"traced\":{\"iteration_us\":1,\"ops\":[{\"op\":1,\"kind\":\"memset\"}]}}"),
         "runs[0]: traced.ops[0].kind: expected one of \"h2d\" \"d2h\" \"d2d\" \"kernel\", found \"memset\""},
        {FILE_OF("",
                 RUN_HEAD "\"iteration_us\":[1],\"traced\":{\"iteration_us\":1,\"ops\":[{\"op\":1,\"kind\":\"kernel\","
                          "\"stream\":0,\"launch_us\":1,\"start_us\":3,\"end_us\":2}]}}"),
         "runs[0]: traced.ops[0].end_us: expected a time not before start_us, found 2"},
        {FILE_OF("", RUN_HEAD "\"iteration_us\":[1],\"calls\":[{\"call\":\"x\",\"count\":-1}]}"),
         "runs[0]: calls[0].count: expected a number that is not negative, found -1"},
        {FILE_OF("", "{\"workload\":\"i"), "runs[0]"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct gsim_recordings recordings;
        struct seen seen;
        struct gsim_error error;
        CHECK_INT(read_text(bad[i].text, &recordings, &seen, &error), GSIM_INPUT);
        CHECK_HAS(error.message, bad[i].message);
        gsim_recordings_release(&recordings);
    }
}

/* Cut anywhere: an error, never a crash, and never taken for a whole file. */
static void cut_files_are_refused(void)
{
    static const char whole[] = FILE_OF(PROFILE, RUN);
    char text[sizeof whole];
    for (size_t length = 0; length + 1 < sizeof whole; length += 7) {
        struct gsim_recordings recordings;
        struct seen seen;
        struct gsim_error error;
        snprintf(text, sizeof text, "%.*s", (int)length, whole);
        CHECK_INT(read_text(text, &recordings, &seen, &error), GSIM_INPUT);
        gsim_recordings_release(&recordings);
    }
}

/* Damaged anywhere: read or refused with a message, never a crash; the same damage in every run of the test. */
static void damaged_files_are_survived(void)
{
    static const char whole[] = FILE_OF(PROFILE, RUN);
    static const char bytes[] = "{}[]\",:0-9eE.tfn\\ \x01\xff";
    uint64_t state = 1;
    size_t refused = 0;
    for (int round = 0; round < 1500; round++) {
        char text[sizeof whole];
        struct gsim_recordings recordings;
        struct seen seen;
        struct gsim_error error;
        memcpy(text, whole, sizeof whole);
        for (int change = 0; change <= round % 3; change++) {
            state = state * 6364136223846793005u + 1442695040888963407u; /* Knuth's linear congruential generator */
            text[(state >> 33) % (sizeof whole - 1)] = bytes[(state >> 20) % (sizeof bytes - 1)];
        }
        enum gsim_status status = read_quietly(text, &recordings, &seen, &error);
        CHECK_MSG(status == GSIM_OK || (status == GSIM_INPUT && error.message[0]), "status %d for %s", status, text);
        refused += status != GSIM_OK;
        gsim_recordings_release(&recordings);
    }
    CHECK_MSG(refused > 500, "only %zu of 1,500 refused", refused);
}

static void memory_may_run_out(void)
{
    struct gsim_recordings recordings;
    struct seen seen;
    struct gsim_error error;
    enum gsim_status status = GSIM_NOMEM;
    for (uint64_t nth = 1; nth < 100 && status != GSIM_OK; nth++) {
        gsim_alloc_fail_nth(nth);
        status = read_text(FILE_OF(PROFILE, RUN), &recordings, &seen, &error);
        CHECK(status == GSIM_OK || status == GSIM_NOMEM);
        gsim_recordings_release(&recordings);
    }
    gsim_alloc_fail_nth(0);
    CHECK_INT(status, GSIM_OK);
}

static const struct test_case cases[] = {
    {"good files", good_files_are_read},           {"recognition", files_are_recognised},
    {"bad files", bad_files_are_refused},          {"cut files", cut_files_are_refused},
    {"damaged files", damaged_files_are_survived}, {"out of memory", memory_may_run_out},
};
TEST_MAIN("traces/runs", cases)
