/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets that read one file: programs, devices, traces, recordings, cases, probes, what is plotted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plots/frame.h"
#include "plots/timeline/track.h"
#include "sim/device/device.h"
#include "gpusim/program.h"
#include "tests/fuzz/targets.h"
#include "traces/cases.h"
#include "traces/import/importers.h"
#include "traces/import/pytorch/graph_dot.h"
#include "traces/import/pytorch/operators.h"
#include "traces/runs.h"
#include "trust/calibrate/probe.h"
#include "sim/base/tables/tables.h"
#include "trust/published/cells.h"

#define MAX_FILES 10

static struct {
    char path[96];
    const char *ending;
} files[MAX_FILES];

static const char *path_of(const char *ending)
{
    size_t i = 0;
    while (i < MAX_FILES - 1 && files[i].ending && strcmp(files[i].ending, ending) != 0) i++;
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    files[i].ending = ending;
    snprintf(files[i].path, sizeof files[i].path, "%s/gpusim-fuzz-%ld%s", folder, (long)getpid(), ending);
    return files[i].path;
}

const char *gsim_fuzz_file(const uint8_t *data, size_t size, const char *ending)
{
    const char *path = path_of(ending);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(2); /* no fault of what is tested */
    }
    return path;
}

void gsim_fuzz_end(void)
{
    for (size_t i = 0; i < MAX_FILES && files[i].ending; i++) remove(files[i].path);
}

/* A program that was read can be written, and is read again. */
static void write_again(const struct gsim_program *program)
{
    struct gsim_program again = {0};
    struct gsim_error error = {0};
    const char *path = path_of("-again.json");
    if (gsim_program_write(program, path, &error) != GSIM_OK) {
        fprintf(stderr, "a program that was read is not written: %s\n", error.message);
        abort();
    }
    if (gsim_program_read(path, &again, &error) != GSIM_OK) {
        fprintf(stderr, "a program that was written is not read: %s\n", error.message);
        abort();
    }
    gsim_program_release(&again);
}

void gsim_fuzz_program(const uint8_t *data, size_t size)
{
    struct gsim_program program = {0};
    struct gsim_error error = {0};
    if (gsim_program_read(gsim_fuzz_file(data, size, ".json"), &program, &error) != GSIM_OK) return;
    write_again(&program);
    gsim_program_release(&program);
}

void gsim_fuzz_device(const uint8_t *data, size_t size)
{
    struct gsim_device_spec device = {0};
    struct gsim_error error = {0};
    if (gsim_device_load(gsim_fuzz_file(data, size, ".json"), &device, &error) == GSIM_OK) gsim_device_release(&device);
}

void gsim_fuzz_kineto(const uint8_t *data, size_t size)
{
    struct gsim_program program = {0};
    struct gsim_import_notes notes;
    struct gsim_import_times times = {0};
    struct gsim_error error = {0};
    struct gsim_import_options options = {.name = "fuzz", .gaps = true, .last = UINT32_MAX, .times = &times};
    const char *path = gsim_fuzz_file(data, size, ".json");
    if (gsim_import_kineto(path, &options, &program, &notes, &error) == GSIM_OK) {
        write_again(&program);
        gsim_program_release(&program);
    }
    gsim_import_times_release(&times);
}

/* By the importer that knows the file, and by this one, which may not. */
static void import_with(const char *name, const char *path)
{
    struct gsim_program program = {0};
    struct gsim_import_notes notes;
    struct gsim_import_times times = {0};
    struct gsim_trace_origin origin;
    struct gsim_error error = {0};
    struct gsim_import_options options = {.name = "fuzz", .gaps = true, .last = UINT32_MAX, .times = &times};
    (void)gsim_importer_of(path, &origin, &error);
    if (gsim_importer_find(name)->read(path, &options, &program, &notes, &error) == GSIM_OK) {
        write_again(&program);
        gsim_program_release(&program);
    }
    gsim_import_times_release(&times);
}

void gsim_fuzz_rocprof(const uint8_t *data, size_t size)
{
    import_with("rocprof", gsim_fuzz_file(data, size, size && *data == '{' ? ".json" : ".csv"));
}

void gsim_fuzz_xla(const uint8_t *data, size_t size) { import_with("xla", gsim_fuzz_file(data, size, ".json")); }

void gsim_fuzz_wfcommons(const uint8_t *data, size_t size)
{
    import_with("wfcommons", gsim_fuzz_file(data, size, ".json"));
}

/* Beside a trace of two kernels whose operators it may know. */
void gsim_fuzz_execution(const uint8_t *data, size_t size)
{
    static const char trace[] = "{\"schemaVersion\": 1, \"traceEvents\": ["
                                "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\", \"pid\": 1, \"tid\": 1, \"ts\": "
                                "1, \"dur\": 9, \"args\": {\"External id\": 1, \"Record function id\": 1}},"
                                "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": "
                                "1, \"tid\": 1, \"ts\": 2, \"dur\": 3,"
                                " \"args\": {\"correlation\": 7, \"External id\": 1}},"
                                "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": 7, \"ts\": "
                                "6, \"dur\": 5, \"args\": {\"correlation\": 7, \"device\": 0, \"stream\": 7,"
                                " \"External id\": 1, \"grid\": [1, 1, 1], \"block\": [32, 1, 1], \"registers per "
                                "thread\": 16, \"shared memory\": 0}},"
                                "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"b\", \"pid\": 1, \"tid\": 1, \"ts\": "
                                "11, \"dur\": 9, \"args\": {\"External id\": 2, \"Record function id\": 3}},"
                                "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": "
                                "1, \"tid\": 1, \"ts\": 12, \"dur\": 3,"
                                " \"args\": {\"correlation\": 8, \"External id\": 2}},"
                                "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": 8, \"ts\": "
                                "16, \"dur\": 5, \"args\": {\"correlation\": 8, \"device\": 0, \"stream\": 8,"
                                " \"External id\": 2, \"grid\": [1, 1, 1], \"block\": [32, 1, 1], \"registers per "
                                "thread\": 16, \"shared memory\": 0}}]}";
    struct gsim_program program = {0};
    struct gsim_import_notes notes;
    struct gsim_error error = {0};
    struct gsim_import_options options = {.name = "fuzz", .gaps = true, .last = UINT32_MAX};
    options.execution_trace = gsim_fuzz_file(data, size, "-execution.json");
    if (gsim_import_kineto(gsim_fuzz_file((const uint8_t *)trace, sizeof trace - 1, ".json"), &options, &program,
                           &notes, &error) == GSIM_OK) {
        write_again(&program);
        gsim_program_release(&program);
    }
}

/* As the architecture of a device that has nothing by itself but what every device says. */
void gsim_fuzz_arch(const uint8_t *data, size_t size)
{
    static const char device[] = "{\"schema\": \"gpusim-device/1\", \"name\": \"fuzzed\", \"title\": \"T\", "
                                 "\"compute_capability\": \"9.0\", \"arch\": \"sm_90\"}";
    static char folder[128], file[192];
    struct gsim_device_spec spec = {0};
    struct gsim_error error = {0};
    const char *path = gsim_fuzz_file((const uint8_t *)device, sizeof device - 1, ".json"),
               *before = getenv("GPUSIM_DATA");
    char *kept = before ? strdup(before) : NULL;
    snprintf(folder, sizeof folder, "%s.d", path);
    (void)mkdir(folder, 0700);
    for (size_t i = 0; i < 2; i++) {
        snprintf(file, sizeof file, "%s%s", folder, i ? "/models/arch" : "/models");
        (void)mkdir(file, 0700);
    }
    snprintf(file, sizeof file, "%s/models/arch/sm_90.json", folder);
    FILE *out = fopen(file, "wb");
    if (!out || fwrite(data, 1, size, out) != size || fclose(out) != 0) exit(2);
    setenv("GPUSIM_DATA", folder, 1);
    if (gsim_device_load(path, &spec, &error) == GSIM_OK) gsim_device_release(&spec);
    if (kept) setenv("GPUSIM_DATA", kept, 1);
    else unsetenv("GPUSIM_DATA");
    free(kept);
    remove(file);
    for (char *slash; (slash = strrchr(file, '/')) != NULL && strlen(file) > strlen(folder);) {
        *slash = '\0';
        (void)rmdir(file);
    }
}

static enum gsim_status pass_over(void *context, const struct gsim_recordings *recordings,
                                  const struct gsim_recording *run, struct gsim_error *error)
{
    (void)context, (void)recordings, (void)run, (void)error;
    return GSIM_OK;
}

void gsim_fuzz_runs(const uint8_t *data, size_t size)
{
    const struct gsim_runs_handler handler = {pass_over, NULL};
    struct gsim_recordings recordings = {0};
    struct gsim_error error = {0};
    char device[GSIM_RUNS_DEVICE];
    const char *path = gsim_fuzz_file(data, size, ".json");
    (void)gsim_runs_is(path, device);
    (void)!gsim_runs_read(path, &handler, &recordings, &error);
    gsim_recordings_release(&recordings);
}

void gsim_fuzz_cases(const uint8_t *data, size_t size)
{
    struct gsim_case_set set = {0};
    struct gsim_error error = {0};
    char *text = malloc(size + 1);
    if (!text) return;
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    (void)!gsim_cases_parse(&set, "fuzz.json", text, size, &error);
    gsim_case_set_release(&set);
    free(text);
}

void gsim_fuzz_probe(const uint8_t *data, size_t size)
{
    struct gsim_probe probe;
    struct gsim_error error = {0};
    gsim_probe_init(&probe);
    (void)!gsim_probe_read(gsim_fuzz_file(data, size, ".json"), &probe, &error);
    gsim_probe_release(&probe);
}

void gsim_fuzz_published(const uint8_t *data, size_t size)
{
    sqlite3 *db = gsim_tables_open(NULL);
    struct gsim_error error = {0};
    (void)!gsim_cells_read(db, "t", gsim_fuzz_file(data, size, ".csv"), NULL, 0, &error);
    gsim_tables_close(db);
}

void gsim_fuzz_frame(const uint8_t *data, size_t size)
{
    struct gsim_frame frame = {0};
    struct gsim_error error = {0};
    (void)!gsim_frame_read(&frame, gsim_fuzz_file(data, size, ".csv"), &error);
    gsim_frame_release(&frame);
}

void gsim_fuzz_track(const uint8_t *data, size_t size)
{
    struct gsim_track track;
    struct gsim_error error = {0};
    const char *path = gsim_fuzz_file(data, size, ".json");
    if (gsim_track_holds_runs(path)) (void)!gsim_track_read_run(path, 0, &track, &error);
    else (void)!gsim_track_read(path, &track, &error);
    gsim_track_release(&track);
}

/* Operators stand in each other as their numbers say. */
void gsim_fuzz_operators(const uint8_t *data, size_t size)
{
    struct gsim_traced_operators o;
    struct gsim_error error = {0};
    if (gsim_traced_operators_read(gsim_fuzz_file(data, size, "-operators.json"), &o, &error) == GSIM_OK)
        for (uint32_t i = 0; i < o.count; i++)
            if (o.items[i].inner > o.count - 1 - i ||
                (o.items[i].parent != GSIM_NO_OPERATOR && o.items[i].parent >= i) ||
                gsim_traced_operators_find(&o, o.items[i].external) == (o.items[i].external ? GSIM_NO_OPERATOR : 0))
                abort();
    gsim_traced_operators_release(&o);
}

/* The edges of a graph on three kernels. */
void gsim_fuzz_dot(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a(float*)", "void ns::b<int>(int)", "memset"};
    struct gsim_program program = {0}, result = {0};
    struct gsim_error error = {0};
    struct gsim_builder *b = gsim_builder_create("fuzz");
    for (uint32_t i = 0; i < 3; i++) {
        struct gsim_kernel kernel = {.name = names[i], .grid = {i + 1, 1, 1}, .block = {32, 1, 1}, .solo_us = 1};
        gsim_builder_op(
            b, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &kernel), .stream = 0});
    }
    if (gsim_builder_finish(b, 1, &program, &error) != GSIM_OK) abort();
    if (gsim_graph_dot_apply(gsim_fuzz_file(data, size, ".dot"), &program, &result, &error) == GSIM_OK)
        write_again(&result);
    gsim_program_release(&result);
    gsim_program_release(&program);
}
