/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How fast is the simulator: gpusim-bench [--quick] [--json FILE] [--device NAME] [--binary FILE]
 * [--wrapper FILE]. A table of kernels/s beside the rate of a bare heap measured around each row, so that
 * rows compare across machines and busy ones. Each row runs in a process of its own (for its peak memory).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/device/device.h"
#include "gpusim/simulate.h"
#include "tests/bench/bench.h"

extern char **environ;

struct bench_options {
    bool quick;
    const char *json, *device, *binary, *wrapper;
};

struct bench_case {
    enum bench_shape shape;
    uint32_t count;
    const char *scheduler;
};

/* What a row's process sends back. */
struct bench_result {
    double seconds; /* median over RUNS */
    double best_seconds;
    double heap128_rate, heap4096_rate; /* mean of before and after */
    uint64_t kernels, block_events, gpu_events, engine_calls;
    uint64_t rss_bytes;
    uint32_t runs;
    int failed;
    char message[256];
};

enum { BENCH_RUNS = 64 };

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, uint32_t count)
{
    qsort(values, count, sizeof(*values), compare_doubles);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static void add_heap_rates(struct bench_result *result, double seconds)
{
    result->heap128_rate += 0.5 * bench_heap_rate(128, seconds);
    result->heap4096_rate += 0.5 * bench_heap_rate(4096, seconds);
}

/* Simulates PROGRAM again and again for about half a second, at least once. */
static enum gsim_status time_runs(const struct gsim_simulation *simulation, struct bench_result *result,
                                  struct gsim_error *error)
{
    double times[BENCH_RUNS], spent = 0;
    while (result->runs == 0 || (spent < 0.5 && result->runs < BENCH_RUNS)) {
        struct gsim_timeline timeline;
        *simulation->statistics = (struct gsim_statistics){0};
        double began = bench_seconds();
        enum gsim_status status = gsim_simulate(simulation, &timeline, error);
        double took = bench_seconds() - began;
        result->kernels = timeline.kernel_count;
        gsim_timeline_release(&timeline);
        if (status != GSIM_OK) return status;
        times[result->runs++] = took;
        spent += took;
    }
    result->seconds = median(times, result->runs);
    result->best_seconds = times[0];
    return GSIM_OK;
}

/* What a run frees is the next run's, and not given back to the system: faults of new pages are the system's time. */
static void keep_memory(void)
{
#ifdef M_TRIM_THRESHOLD
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_MMAP_THRESHOLD, INT_MAX);
#endif
}

static void run_case(const struct bench_case *row, const struct bench_options *options, struct bench_result *result)
{
    struct gsim_error error = {0};
    struct gsim_device_spec device = {0};
    struct gsim_program program = {0};
    struct gsim_statistics statistics = {0};
    struct gsim_simulation simulation = {.program = &program,
                                         .device = &device,
                                         .scheduler = gsim_scheduler_find(row->scheduler),
                                         .memory = GSIM_MEMORY_PINNED,
                                         .seed = 1,
                                         .statistics = &statistics};
    double heap_seconds = options->quick ? 0.02 : 0.05;
    enum gsim_status status = GSIM_OK;
    keep_memory();
    if (!simulation.scheduler) status = gsim_error_set(&error, GSIM_INPUT, "no scheduler '%s'", row->scheduler);
    if (status == GSIM_OK) status = gsim_device_load(options->device, &device, &error);
    if (status == GSIM_OK) status = bench_program(row->shape, row->count, &program, &error);
    add_heap_rates(result, heap_seconds);
    if (status == GSIM_OK) status = time_runs(&simulation, result, &error);
    add_heap_rates(result, heap_seconds);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    result->rss_bytes = (uint64_t)usage.ru_maxrss * 1024; /* Linux counts KiB */
    result->block_events = statistics.block_events;
    result->gpu_events = statistics.gpu_events;
    result->engine_calls = statistics.engine_calls;
    uint64_t expected = row->shape == BENCH_BLOCKS ? 1 : row->count;
    if (status == GSIM_OK && result->kernels != expected)
        status =
            gsim_error_set(&error, GSIM_SIM, "%" PRIu64 " kernels ran, expected %" PRIu64, result->kernels, expected);
    result->failed = status != GSIM_OK;
    snprintf(result->message, sizeof(result->message), "%.250s", error.message);
    gsim_program_release(&program);
    gsim_device_release(&device);
}

/* In a child, whose peak memory is the row's alone. */
static struct bench_result run_case_apart(const struct bench_case *row, const struct bench_options *options)
{
    struct bench_result result = {.failed = 1, .message = "the row's process died"};
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0) return result;
    pid_t child = fork();
    if (child == 0) {
        struct bench_result own = {0};
        close(ends[0]);
        run_case(row, options, &own);
        _exit(write(ends[1], &own, sizeof(own)) == (ssize_t)sizeof(own) ? 0 : 1);
    }
    close(ends[1]);
    struct bench_result received;
    if (child > 0 && read(ends[0], &received, sizeof(received)) == (ssize_t)sizeof(received)) result = received;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return result;
}

/* Wall seconds of one run of a command with its output thrown away; negative when it failed. */
static double time_command(const char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    double began = bench_seconds();
    if (posix_spawn(&child, arguments[0], &actions, NULL, (char *const *)(uintptr_t)arguments, environ) == 0)
        waitpid(child, &status, 0);
    double took = bench_seconds() - began;
    posix_spawn_file_actions_destroy(&actions);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? took : -1;
}

static double time_command_median(const char *const *arguments, uint32_t runs)
{
    double times[BENCH_RUNS];
    for (uint32_t i = 0; i < runs; i++)
        if ((times[i] = time_command(arguments)) < 0) return -1;
    return median(times, runs);
}

static int print_row(const struct bench_case *row, const struct bench_options *options, FILE *json, bool first)
{
    struct bench_result r = run_case_apart(row, options);
    const char *shape = bench_shape_name(row->shape);
    if (r.failed) {
        printf("%-15s %-10s %9" PRIu32 "  FAILED: %s\n", shape, row->scheduler, row->count, r.message);
        return 1;
    }
    double rate = (double)r.kernels / r.seconds;
    printf("%-15s %-10s %9" PRIu32 " %10.2f %12.0f %13.4g %9.3f %8.1f %8.1f %8.4f\n", shape, row->scheduler, row->count,
           r.seconds * 1e3, rate, (double)r.block_events / r.seconds, (double)r.gpu_events / (double)r.kernels,
           (double)r.rss_bytes / 1048576.0, r.heap128_rate * 1e-6, rate / r.heap128_rate);
    fflush(stdout);
    if (json)
        fprintf(json,
                "%s\n  {\"shape\": \"%s\", \"scheduler\": \"%s\", \"count\": %" PRIu32 ", \"runs\": %" PRIu32
                ", \"seconds\": %.9g, \"best_seconds\": %.9g, \"kernels_per_s\": %.9g, \"block_events\": %" PRIu64
                ", \"gpu_events\": %" PRIu64 ", \"engine_calls\": %" PRIu64 ", \"rss_bytes\": %" PRIu64
                ", \"heap_128_per_s\": %.9g, \"heap_4096_per_s\": %.9g}",
                first ? "" : ",", shape, row->scheduler, row->count, r.runs, r.seconds, r.best_seconds, rate,
                r.block_events, r.gpu_events, r.engine_calls, r.rss_bytes, r.heap128_rate, r.heap4096_rate);
    return 0;
}

static int run_table(const struct bench_options *options, FILE *json)
{
    static const char *const others[] = {"serial", "cudagraph", "kesco"};
    int failures = 0, rows = 0;
    printf("%-15s %-10s %9s %10s %12s %13s %9s %8s %8s %8s\n", "shape", "scheduler", "count", "ms", "kernels/s",
           "block ev./s", "events/k.", "MiB", "heap M/s", "ratio");
    if (json) fprintf(json, "{\"schema\": \"gpusim-bench/1\", \"device\": \"%s\", \"rows\": [", options->device);
    for (int shape = BENCH_CHAIN; shape <= BENCH_RANDOM; shape++)
        for (uint32_t count = 1000; count <= (options->quick ? 10000U : 1000000U); count *= 10)
            failures +=
                print_row(&(struct bench_case){(enum bench_shape)shape, count, "async"}, options, json, !rows++);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        failures += print_row(&(struct bench_case){BENCH_LAYERED, 10000, others[i]}, options, json, !rows++);
    failures += print_row(&(struct bench_case){BENCH_BLOCKS, 4 << 20, "async"}, options, json, !rows++);
    printf("(heap: a bare binary heap of 128 pending events beside the row; ratio: kernels/s over it; events/k.: GPU\n"
           " events per kernel; ms: median of repeated runs in one process, building the program not counted)\n");
    return failures;
}

/* The program as users start it: process start, reading a file, simulating, report. In seconds; negative when it
 * failed. */
static double time_file(const struct bench_options *options, enum bench_shape shape, uint32_t count)
{
    char path[] = "/tmp/gpusim-bench-XXXXXX";
    struct gsim_error error = {0};
    struct gsim_program program = {0};
    int file = mkstemp(path);
    if (file < 0) {
        printf("cannot write '%s': %s\n", path, strerror(errno));
        return -1;
    }
    close(file);
    double seconds = -1;
    if (bench_program(shape, count, &program, &error) == GSIM_OK && bench_program_write(&program, path) == 0) {
        const char *run[] = {options->binary, "--workload", path,        "--sched",  "async",         "--memory",
                             "pinned",        "--report",   "/dev/null", "--device", options->device, NULL};
        seconds = time_command_median(run, options->quick ? 1 : 3);
    }
    unlink(path);
    gsim_program_release(&program);
    return seconds;
}

/* 48 clients of a service of 200 kernels side by side, REQUESTS of each; SAMPLE: --opt gpu.sample. In seconds; negative
 * when it failed. */
static double time_clients(const struct bench_options *options, uint32_t requests, const char *sample)
{
    enum { CLIENTS = 48, KERNELS = 200 };
    char path[] = "/tmp/gpusim-bench-XXXXXX", task[96], option[32];
    const char *run[2 * CLIENTS + 12];
    struct gsim_error error = {0};
    struct gsim_program program = {0};
    double seconds = -1;
    int file = mkstemp(path), count = 0;
    if (file < 0) return -1;
    close(file);
    snprintf(task, sizeof task, "%s,requests=%" PRIu32, path, requests);
    snprintf(option, sizeof option, "gpu.sample=%s", sample);
    run[count++] = options->binary;
    for (int i = 0; i < CLIENTS; i++) {
        run[count++] = "--task";
        run[count++] = task;
    }
    const char *rest[] = {"--share", "mps", "--memory", "pinned", "--device", options->device, "--opt", option, NULL};
    memcpy(&run[count], rest, sizeof rest);
    if (bench_program(BENCH_SERVICE, KERNELS, &program, &error) == GSIM_OK && bench_program_write(&program, path) == 0)
        seconds = time_command(run);
    if (seconds > 0)
        printf("\n48 clients x %" PRIu32
               " requests x 200 kernels under --share mps, gpu.sample=%s: %.2f s, %.1f us a kernel\n",
               requests, sample, seconds, seconds * 1e6 / CLIENTS / KERNELS / requests);
    unlink(path);
    gsim_program_release(&program);
    return seconds;
}

static int run_commands(const struct bench_options *options, FILE *json)
{
    static const enum bench_shape shapes[2] = {BENCH_LAYERED, BENCH_RANDOM};
    uint32_t count = options->quick ? 10000 : 100000;
    double seconds[2];
    int failures = 0;
    for (int i = 0; i < 2; i++) {
        double heap = 0.5 * bench_heap_rate(1024, 0.1);
        seconds[i] = time_file(options, shapes[i], count);
        heap += 0.5 * bench_heap_rate(1024, 0.1);
        failures += seconds[i] < 0;
        printf("\nfile of %" PRIu32
               " kernels, %s, start to report: %.1f ms, %.0f kernels/s, heap of 1024: %.1f M/s, ratio %.4f\n",
               count, bench_shape_name(shapes[i]), seconds[i] * 1e3, count / seconds[i], heap * 1e-6,
               count / seconds[i] / heap);
    }

    failures += time_clients(options, options->quick ? 1 : 10, "1") < 0;
    failures += time_clients(options, options->quick ? 10 : 100, "27") < 0;
    const char *first[] = {options->wrapper, "--workload", "img", "--sched", "kesco", NULL};
    uint32_t runs = options->quick ? 5 : 20;
    bool ran = time_command(first) >= 0; /* builds when something is stale; not counted */
    double wall = ran ? time_command_median(first, runs) : -1;
    failures += wall < 0;
    printf("./gpusim --workload img --sched kesco: %.1f ms (median of %" PRIu32 ")\n", wall * 1e3, runs);
    if (json)
        fprintf(json,
                "],\n \"file\": {\"kernels\": %" PRIu32
                ", \"seconds\": %.9g, \"random_seconds\": %.9g},\n \"img_kesco_seconds\": %.9g}\n",
                count, seconds[0], seconds[1], wall);
    return failures;
}

static int usage(const char *found)
{
    fprintf(stderr,
            "unknown argument \"%s\"\nusage: gpusim-bench [--quick] [--json FILE] [--device NAME] [--binary FILE] "
            "[--wrapper FILE]\n",
            found);
    return 2;
}

int main(int argc, char **argv)
{
    struct bench_options options = {.device = GSIM_DEVICE_DEFAULT, .binary = "build/gpusim", .wrapper = "./gpusim"};
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], **value = NULL;
        if (strcmp(name, "--quick") == 0) {
            options.quick = true;
            continue;
        }
        if (strcmp(name, "--json") == 0) value = &options.json;
        if (strcmp(name, "--device") == 0) value = &options.device;
        if (strcmp(name, "--binary") == 0) value = &options.binary;
        if (strcmp(name, "--wrapper") == 0) value = &options.wrapper;
        if (!value || i + 1 == argc) return usage(name);
        *value = argv[++i];
    }
    FILE *json = options.json ? fopen(options.json, "w") : NULL;
    if (options.json && !json) {
        fprintf(stderr, "cannot write '%s': %s\n", options.json, strerror(errno));
        return 1;
    }
    int failures = run_table(&options, json);
    failures += run_commands(&options, json);
    if (json && fclose(json) != 0) failures++;
    return failures ? 1 : 0;
}
