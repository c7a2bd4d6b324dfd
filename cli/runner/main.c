/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program gpusim-runner: "gpusim run" on a real GPU, with the same options, reports and traces, and three
 * commands of its own: record (many runs into one file), probe (a device file's numbers) and profile (what --kernels
 * reads).
 */
#include "cli/runner/main.h"

#include <ctype.h>
#include <unistd.h>

#include "cli/place/node.h"
#include "cli/runner/profile.h"
#include "cli/runner/share.h"
#include "sim/base/ends.h"
#include "sim/base/text.h"
#include "traces/runner/resident/programs.h"
#include "traces/runner/sorted.h"

static const char texts[] = {
#include "cli/runner/help.inc"
    0};

bool gsim_runner_help(const char *command, FILE *to)
{
    char head[32];
    int length = snprintf(head, sizeof head, "\n== %s\n", command);
    const char *text = strstr(texts, head) + length, *next = strstr(text, "\n== ");
    return fprintf(to, "%.*s", (int)(next ? next + 1 - text : (ptrdiff_t)strlen(text)), text) >= 0;
}

const char *gsim_runner_own_value(struct gsim_runner_words *words, const char *name, const char *initial)
{
    for (int i = 0; i < words->count; i++) {
        const char *text = words->items[i], *value;
        size_t length = strlen(name);
        int used = 1;
        if (strncmp(text, "--", 2) == 0 && strncmp(text + 2, name, length) == 0 && text[2 + length] == '=') {
            value = text + 3 + length;
        } else if ((strncmp(text, "--", 2) == 0 && strcmp(text + 2, name) == 0) ||
                   (strcmp(name, "output") == 0 && strcmp(text, "-o") == 0)) {
            if (i + 1 >= words->count) return "";
            value = words->items[i + 1];
            used = 2;
        } else {
            continue;
        }
        for (int j = i; j + used < words->count; j++) words->items[j] = words->items[j + used];
        words->count -= used;
        return value;
    }
    return initial;
}

uint32_t gsim_runner_own_count(struct gsim_runner_words *words, const char *name, uint32_t initial,
                               struct gsim_error *error)
{
    const char *text = gsim_runner_own_value(words, name, NULL);
    char *end;
    if (!text) return initial;
    unsigned long number = strtoul(text, &end, 10);
    if (!error->status && (!isdigit((unsigned char)text[0]) || *end || number > 1000000))
        gsim_refuse(error, "--%s: expected an integer from 0 to 1000000, found '%.60s'", name, text);
    return (uint32_t)number;
}

bool gsim_runner_own_switch(struct gsim_runner_words *words, const char *name, bool initial, struct gsim_error *error)
{
    const char *text = gsim_runner_own_value(words, name, initial ? "on" : "off");
    bool is_on = strcmp(text, "on") == 0;
    if (!error->status && !is_on && strcmp(text, "off") != 0)
        gsim_refuse(error, "--%s: expected on or off, found '%.60s'", name, text);
    return is_on;
}

/* The device file that belongs to this GPU: the one of its name's last word ("NVIDIA H200" is h200, "NVIDIA
 * A100-SXM4-40GB" a100-sxm4-40gb), or with its name as title. NULL: there is none. */
static const char *device_of(const struct gsim_runner_gpu *gpu, char name[64])
{
    struct gsim_device_entries list = {0};
    struct gsim_error ignored = {0};
    const char *word = strrchr(gpu->name, ' '), *found = NULL;
    char last[64];
    snprintf(last, sizeof last, "%.63s", word ? word + 1 : gpu->name);
    for (char *c = last; *c; c++) *c = (char)tolower((unsigned char)*c);
    if (gsim_device_list(&list, &ignored) != GSIM_OK) return NULL;
    for (size_t i = 0; i < list.count; i++) {
        const struct gsim_device_entry *e = &list.entries[i];
        bool is_named = strcmp(e->name, last) == 0;
        if (is_named || (!found && e->title && strcmp(e->title, gpu->name) == 0)) found = e->name;
        if (is_named) break;
    }
    if (found) snprintf(name, 64, "%.63s", found);
    gsim_device_list_release(&list);
    return found ? name : NULL;
}

enum gsim_status gsim_runner_setup(struct gsim_cli_setup *setup, struct gsim_cli_arguments *arguments,
                                   const struct gsim_runner_gpu *gpu, struct gsim_error *error)
{
    char name[64];
    bool is_named = arguments->value[GSIM_CLI_DEVICE] != NULL;
    const char *known = is_named ? NULL : device_of(gpu, name);
    if (!is_named) arguments->value[GSIM_CLI_DEVICE] = known;
    if (!arguments->value[GSIM_CLI_MEMORY]) arguments->value[GSIM_CLI_MEMORY] = "pinned";
    enum gsim_status status = gsim_cli_setup_init(setup, arguments, error);
    if (status != GSIM_OK) return status;
    if (!is_named && !known) {
        setup->device.name = setup->device.title = gpu->name;
        setup->device.memory_gb = gpu->memory_gb;
    }
    setup->device.compute_capability = gpu->compute_capability;
    setup->device.sm_count = gpu->sm_count;
    arguments->value[GSIM_CLI_DEVICE] = is_named ? arguments->value[GSIM_CLI_DEVICE] : NULL;
    return GSIM_OK;
}

enum gsim_status gsim_runner_parse(struct gsim_cli_arguments *arguments, struct gsim_runner_words *words,
                                   struct gsim_error *error)
{
    *arguments = (struct gsim_cli_arguments){.command = GSIM_CLI_RUN};
    size_t count = (size_t)words->count + 1;
    arguments->opts = gsim_alloc((2 * sizeof(*arguments->opts) + sizeof(*arguments->repeated)) * count);
    arguments->operands = arguments->opts + count;
    arguments->repeated = (struct gsim_cli_repeated *)(void *)(arguments->operands + count);
    return gsim_cli_parse(arguments, words->count, words->items, 0, error);
}

/* Iterations from FIRST on, in microseconds; sorted. */
static double *iteration_times(const struct gsim_timeline *timeline, uint32_t first, size_t *count)
{
    *count = timeline->iteration_count > first ? timeline->iteration_count - first : 0;
    double *times = gsim_alloc(sizeof *times * (*count + 1));
    for (size_t i = 0; i < *count; i++)
        times[i] = gsim_time_us(timeline->iterations[first + i].end - timeline->iterations[first + i].start);
    gsim_runner_sort(times, *count);
    return times;
}

/* Drops what belongs to the warm-up: the timeline then begins with the first iteration that counts. */
static void drop_warmup(struct gsim_timeline *t, uint32_t warmup)
{
    size_t kept = 0;
    if (t->iteration_count <= warmup) return;
    gsim_time origin = t->iterations[warmup].start;
#define KEEP(array, number, shift)                                                                                     \
    kept = 0;                                                                                                          \
    for (size_t i = 0; i < t->number; i++) {                                                                           \
        if (t->array[i].iteration < warmup) continue;                                                                  \
        t->array[kept] = t->array[i];                                                                                  \
        t->array[kept].iteration -= warmup;                                                                            \
        shift;                                                                                                         \
        kept++;                                                                                                        \
    }                                                                                                                  \
    t->number = kept;
    KEEP(kernels, kernel_count, t->kernels[kept].launch -= origin; t->kernels[kept].ready -= origin;
         t->kernels[kept].start -= origin; t->kernels[kept].end -= origin)
    KEEP(copies, copy_count, t->copies[kept].launch -= origin; t->copies[kept].start -= origin;
         t->copies[kept].end -= origin)
    KEEP(residents, resident_count, t->residents[kept].start -= origin; t->residents[kept].end -= origin)
    KEEP(apis, api_count, t->apis[kept].start -= origin; t->apis[kept].end -= origin)
#undef KEEP
    kept = 0;
    for (size_t i = 0; i < t->occupancy_count; i++) {
        if (t->occupancy[i].time < origin) continue;
        t->occupancy[kept] = t->occupancy[i];
        t->occupancy[kept++].time -= origin;
    }
    t->occupancy_count = kept;
    kept = 0;
    for (size_t i = warmup; i < t->iteration_count; i++, kept++) {
        t->iterations[kept] = t->iterations[i];
        t->iterations[kept].start -= origin;
        t->iterations[kept].end -= origin;
    }
    t->iteration_count = kept;
}

struct run_options {
    uint32_t warmup;
    bool traced, checked, stamped;
    const char *blocks; /* file; NULL: none */
};

static void print_timing(const struct gsim_runner_gpu *gpu, const double *times, size_t count, const char *how,
                         double traced)
{
    char text[4][GSIM_TEXT_SIZE];
    if (!count) return;
    printf("  On %s, driver %s: median %s of %zu iterations without the tracer (least %s, most %s)", gpu->name,
           gpu->driver, gsim_text_us(text[0], times[count / 2]), count,
           gsim_text_us(text[1], times[0]),
           gsim_text_us(text[2], times[count - 1]));
    if (traced > 0) printf("; %s %s", how, gsim_text_us(text[3], traced));
    printf("\n\n");
}

static enum gsim_status run_both(struct gsim_runner_job *job, struct gsim_simulation *simulation,
                                 const struct run_options *options, const struct gsim_runner_gpu *gpu,
                                 struct gsim_timeline *timeline, struct gsim_error *error)
{
    struct gsim_timeline clean = {0};
    size_t count = 0, traced_count = 0;
    double *times = NULL, *traced = NULL;
    enum gsim_status status = gsim_runner_run(job, &clean, error);
    if (status == GSIM_OK) {
        times = iteration_times(&clean, options->warmup, &count);
        simulation->detailed = true;
        job->traced = options->traced && !options->stamped;
        job->stamped = options->stamped;
        job->checked = options->checked;
        status = gsim_runner_run(job, timeline, error);
    }
    if (status == GSIM_OK) {
        traced = iteration_times(timeline, options->warmup, &traced_count);
        print_timing(gpu, times, count, options->stamped ? "with stamps" : "with it",
                     (options->traced || options->stamped) && traced_count ? traced[traced_count / 2] : 0);
        drop_warmup(timeline, options->warmup);
    }
    gsim_timeline_release(&clean);
    gsim_free(times);
    gsim_free(traced);
    return status;
}

/* As many GPUs as are asked for, if they are there and what is asked of them can be done. */
static enum gsim_status check_gpus(const struct gsim_cli_point *point, uint32_t count,
                                   const struct run_options *options, struct gsim_error *error)
{
    int there = 0;
    const struct gsim_scheduler_ops *scheduler = point->simulation.scheduler;
    cudaGetDeviceCount(&there);
    if (count > (uint32_t)there || count > GSIM_RUNNER_GPUS)
        return gsim_error_set(error, GSIM_INPUT, "--gpus: expected at most %d, found %u",
                              there < GSIM_RUNNER_GPUS ? there : GSIM_RUNNER_GPUS, count);
    if (count < 2) return GSIM_OK;
    if (point->simulation.memory == GSIM_MEMORY_MANAGED)
        return gsim_refuse(error, "--gpus: expected --memory pinned or pageable");
    if (options->stamped) return gsim_refuse(error, "--gpus: does not go with --stamps on");
    if (!gsim_scheduler_can_place(scheduler) || strcmp(scheduler->name, "cudagraph") == 0)
        return gsim_error_set(error, GSIM_INPUT, "scheduler '%s' runs on one GPU here", scheduler->name);
    return GSIM_OK;
}

static void write_block(void *output, const struct gsim_block_run *b)
{
    gsim_output_put(output, "%u,%c,%z,%u,%.3f,%.3f\n", b->op, b->kernel, b->index, b->sm, b->start_us, b->end_us);
}

static enum gsim_status run_point(struct gsim_cli_arguments *arguments, const struct gsim_cli_setup *setup,
                                  struct gsim_cli_point *point, const struct run_options *options,
                                  const struct gsim_runner_gpu *gpu, struct gsim_error *error)
{
    const struct gsim_bench_ops *built_in = gsim_bench_find(arguments->value[GSIM_CLI_WORKLOAD]),
                                *ops = built_in ? built_in : &gsim_bench_programs;
    uint32_t gpus = gsim_cli_gpu_count(setup);
    struct gsim_runner_memory memory = {.gpu_count = gpus};
    struct gsim_timeline timeline = {0};
    struct gsim_cli_links links = {0};
    struct gsim_metrics metrics;
    struct gsim_output blocks = {0};
    uint32_t iterations = point->simulation.iterations ? point->simulation.iterations : point->program.iterations;
    struct gsim_runner_job job = {.simulation = &point->simulation,
                                  .memory = &memory,
                                  .bench_ops = ops,
                                  .iterations = iterations + options->warmup,
                                  .platform = gpus > 1 ? &links.platform : NULL,
                                  .see_block = options->blocks ? write_block : NULL,
                                  .block_context = &blocks};
    enum gsim_status status = check_gpus(point, gpus, options, error);
    if (status == GSIM_OK && gpus > 1) gsim_cli_links_open(&links, setup, gpus);
    if (status == GSIM_OK)
        status = ops->create(&point->program, &point->workload, point->simulation.seed, &job.bench, error);
    if (status == GSIM_OK)
        status = gsim_runner_memory_bind(&memory, &point->program, point->simulation.memory, ops, job.bench, error);
    if (status == GSIM_OK && options->blocks) status = gsim_output_open(&blocks, options->blocks, error);
    if (status == GSIM_OK && options->blocks) gsim_output_text(&blocks, "op,kernel,block,sm,start_us,end_us\n");
    if (status == GSIM_OK) status = run_both(&job, &point->simulation, options, gpu, &timeline, error);
    if (status == GSIM_OK && options->blocks) status = gsim_output_commit(&blocks, error);
    if (status == GSIM_OK) status = gsim_metrics_compute(&timeline, point->simulation.device, NULL, &metrics, error);
    if (status == GSIM_OK) {
        struct gsim_result result = {.simulation = &point->simulation, .timeline = &timeline, .metrics = &metrics,
                                     .options = point->options, .option_count = point->option_count,
                                     .tracer = options->stamped ? "stamps" : options->traced ? "CUPTI" : "none"};
        fflush(stdout);
        status = gsim_cli_deliver(arguments, &result, error);
    }
    gsim_output_release(&blocks);
    gsim_timeline_release(&timeline);
    gsim_runner_memory_release(&memory);
    gsim_cli_links_close(&links);
    if (job.bench) ops->destroy(job.bench);
    return status;
}

static enum gsim_status run(struct gsim_runner_words *words, struct gsim_error *error)
{
    struct gsim_cli_arguments arguments = {0};
    struct gsim_cli_setup setup = {0};
    struct gsim_cli_point point = {0};
    struct gsim_runner_gpu gpu;
    const struct run_options options = {.warmup = gsim_runner_own_count(words, "warmup", 3, error),
                                        .traced = gsim_runner_own_switch(words, "tracer", true, error),
                                        .stamped = gsim_runner_own_switch(words, "stamps", false, error),
                                        .checked = gsim_runner_own_switch(words, "check", true, error),
                                        .blocks = gsim_runner_own_value(words, "blocks-file", NULL)};
    const struct gsim_scheduler_ops *scheduler = NULL;
    enum gsim_status status = error->status;
    if (status == GSIM_OK && options.blocks && !options.stamped)
        status = gsim_refuse(error, "--blocks-file: expected --stamps on too");
    if (status == GSIM_OK) status = gsim_runner_parse(&arguments, words, error);
    if (status == GSIM_OK && (!arguments.value[GSIM_CLI_WORKLOAD] || !arguments.value[GSIM_CLI_SCHED]))
        status = gsim_refuse(error, "expected --workload NAME and --sched NAME (see gpusim-runner --help)");
    if (status == GSIM_OK) status = gsim_cli_check_outputs(&arguments, error);
    if (status == GSIM_OK) status = gsim_cli_scheduler(arguments.value[GSIM_CLI_SCHED], &scheduler, error);
    if (status == GSIM_OK) status = gsim_cli_check_opts(&arguments, &scheduler, 1, error);
    if (status == GSIM_OK) status = gsim_runner_gpu_find(&gpu, error);
    if (status == GSIM_OK) status = gsim_runner_setup(&setup, &arguments, &gpu, error);
    if (status == GSIM_OK)
        status = gsim_cli_point_init(&point, &setup, arguments.value[GSIM_CLI_WORKLOAD], scheduler, error);
    if (status == GSIM_OK) status = run_point(&arguments, &setup, &point, &options, &gpu, error);
    gsim_cli_point_release(&point);
    gsim_cli_setup_release(&setup);
    gsim_free(arguments.opts);
    return status;
}

static pid_t owner; /* this process; a client's is another */

/* A process of its own stops the MPS daemon, which waits for its clients: they end with this one. */
static void end_without_memory(void)
{
    if (getpid() == owner && fork() == 0) {
        gsim_mps_stop();
        _exit(0);
    }
    gsim_ends_with("gpusim-runner: out of memory\n", gsim_status_exit(GSIM_NOMEM));
}

int main(int argc, char **argv)
{
    owner = getpid();
    gsim_ends_install(false);
    gsim_alloc_when_out(end_without_memory);
    struct gsim_error error = {0};
    struct gsim_runner_words words = {argv + 1, argc - 1};
    const char *command = argc > 1 ? argv[1] : "--help";
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0 || strcmp(command, "help") == 0)
        return gsim_runner_help("run", argc > 1 ? stdout : stderr) && argc > 1 ? 0 : 2;
    if (strcmp(command, "--version") == 0) return printf("gpusim-runner %s\n", GPUSIM_VERSION) < 0;
    if (strcmp(command, "probe") == 0) return gsim_probe_main(argc - 2, argv + 2);
    bool is_profile = strcmp(command, "profile") == 0;
    if (is_profile || strcmp(command, "record") == 0 || strcmp(command, "run") == 0)
        words = (struct gsim_runner_words){argv + 2, argc - 2};
    enum gsim_status status = is_profile                         ? gsim_runner_profile(&words, &error)
                              : strcmp(command, "record") == 0   ? gsim_runner_record(&words, &error)
                              : gsim_share_asked_for(&words)       ? gsim_share_run(&words, &error)
                                                                   : run(&words, &error);
    if (status == GSIM_OK) return 0;
    fflush(stdout);
    fprintf(stderr, "gpusim-runner: %s\n", error.message);
    return gsim_status_exit(status);
}
