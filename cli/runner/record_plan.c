/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which runs a recording makes. A size is found from the bytes that a program's buffers shall take. What is kept
 * aside from fitting is decided here, before anything is measured: every second case, counted over workload, size and
 * shape, so that both halves hold every workload.
 */
#include "cli/runner/record_plan.h"

#include <cuda_runtime_api.h>

#include "sim/base/text.h"

struct lists {
    const char *workloads[GSIM_RECORD_LIST + 1], *schedulers[GSIM_RECORD_LIST + 1], *bytes[GSIM_RECORD_LIST + 1],
        *shapes[GSIM_RECORD_LIST + 1], *prefetch[GSIM_RECORD_LIST + 1];
};

/* Cuts TEXT at commas; ends with NULL. */
static void cut(struct gsim_record *record, const char *name, const char *text, const char **list,
                struct gsim_error *error)
{
    char *copy = gsim_arena_strdup(&record->arena, text), *item;
    uint32_t count = 0;
    while (count < GSIM_RECORD_LIST && (item = gsim_text_cut(&copy))) {
        if (!*item && !error->status) gsim_refuse(error, "--%s: expected a list, found '%s'", name, text);
        list[count++] = item;
    }
    list[count] = NULL;
}

static void cut_own(struct gsim_record *record, struct gsim_runner_words *words, const char *name, const char *initial,
                    const char **list, struct gsim_error *error)
{
    cut(record, name, gsim_runner_own_value(words, name, initial), list, error);
}

static double program_bytes(const struct gsim_workload_ops *workload, struct gsim_workload_options *options,
                            double size)
{
    struct gsim_program program = {0};
    struct gsim_error ignored = {0};
    double bytes = 0;
    options->size = floor(size);
    if (workload->build(options, &program, &ignored) != GSIM_OK) return 0;
    for (uint32_t i = 0; i < program.buffer_count; i++) bytes += (double)program.buffers[i].bytes;
    gsim_program_release(&program);
    return bytes;
}

/* The size whose buffers take BYTES in all: bisection on a logarithmic scale, since bytes grow with the size. What the
 * workload refuses is too large above its default size, too small below. */
static enum gsim_status find_size(const struct gsim_workload_ops *workload, struct gsim_workload_options *options,
                                  double bytes, struct gsim_error *error)
{
    double low = 1, high = 1e11;
    while (high / low > 1.0001 && high - low >= 1) {
        double middle = sqrt(low * high), found = program_bytes(workload, options, middle);
        bool is_too_large = found > 0 ? found > bytes : middle > workload->size_default[options->suite];
        *(is_too_large ? &high : &low) = middle;
    }
    double size = floor(low), unit = pow(10, fmax(0, floor(log10(size)) - 2));
    size = floor(size / unit) * unit; /* three digits are enough */
    if (program_bytes(workload, options, size) > 0) return GSIM_OK;
    return gsim_refuse(error, "--bytes: %s has no size of %.0f bytes", workload->name, bytes);
}

static enum gsim_status add_runs(struct gsim_record *record, struct gsim_record_case *c, const struct lists *lists,
                                 struct gsim_error *error)
{
    c->runs = GSIM_ARENA_ARRAY(&record->arena, struct gsim_record_run, GSIM_RECORD_LIST * 2);
    for (const char *const *sched = lists->schedulers; *sched; sched++)
        for (const char *const *prefetch = lists->prefetch; *prefetch; prefetch++) {
            struct gsim_record_run *run = &c->runs[c->run_count];
            enum gsim_status status = gsim_cli_scheduler(*sched, &run->scheduler, error);
            if (status != GSIM_OK) return status;
            run->prefetch = strcmp(*prefetch, "on") == 0;
            if (!run->prefetch && strcmp(*prefetch, "off") != 0)
                return gsim_refuse(error, "--prefetch: expected on, off or both, found '%s'", *prefetch);
            c->run_count++;
            record->run_count++;
        }
    return GSIM_OK;
}

static enum gsim_status add_case(struct gsim_record *record, const struct gsim_cli_setup *setup,
                                 const struct lists *lists, const struct gsim_workload_ops *workload, const char *bytes,
                                 const char *shape, struct gsim_error *error)
{
    struct gsim_record_case *c = &record->cases[record->case_count];
    double target;
    c->workload = workload;
    c->options = (struct gsim_workload_options){
        .suite = setup->suite, .block1d = setup->block1d, .blocks = setup->blocks, .iterations = 1};
    c->options.shape = strcmp(shape, "serial") == 0 ? GSIM_SHAPE_SERIAL : GSIM_SHAPE_CONCURRENT;
    if (c->options.shape == GSIM_SHAPE_CONCURRENT && strcmp(shape, "concurrent") != 0)
        return gsim_refuse(error, "--shapes: expected concurrent, serial or both, found '%s'", shape);
    char *end;
    target = strtod(bytes, &end);
    double factor = strcmp(end, "G") == 0   ? 1e9
                    : strcmp(end, "M") == 0 ? 1e6
                    : strcmp(end, "k") == 0 ? 1e3
                    : *end                  ? NAN
                                            : 1;
    target *= factor;
    enum gsim_status status = GSIM_OK;
    if (!(target >= 1 && target <= 1e12)) {
        status = gsim_refuse(error, "--bytes: expected numbers such as 64M or 1G, found '%s'", bytes);
    }
    if (status == GSIM_OK) status = find_size(workload, &c->options, target, error);
    if (status == GSIM_OK) status = add_runs(record, c, lists, error);
    record->case_count++;
    return status;
}

/* Sizes outermost: a recording that takes its largest memory first never enlarges it. */
static enum gsim_status add_cases(struct gsim_record *record, const struct gsim_cli_setup *setup,
                                  const struct lists *lists, struct gsim_error *error)
{
    uint32_t b = 0, w, s;
    record->cases = GSIM_ARENA_ARRAY(&record->arena, struct gsim_record_case, GSIM_RECORD_LIST * GSIM_RECORD_LIST * 2);
    for (b = 0; lists->bytes[b]; b++)
        for (w = 0; lists->workloads[w]; w++) {
            const struct gsim_workload_ops *workload = gsim_workload_find(lists->workloads[w]);
            if (!workload || !gsim_bench_find(lists->workloads[w]))
                return gsim_refuse(error, "--workload: '%s' is not a built-in workload with real kernels",
                                   lists->workloads[w]);
            for (s = 0; lists->shapes[s]; s++) {
                enum gsim_status status =
                    add_case(record, setup, lists, workload, lists->bytes[b], lists->shapes[s], error);
                if (status != GSIM_OK) return status;
                record->cases[record->case_count - 1].is_test = (b + w + s) % 2 == 1;
            }
        }
    return GSIM_OK;
}

static enum gsim_status read_words(struct gsim_record *record, struct gsim_runner_words *words, struct lists *lists,
                                   struct gsim_error *error)
{
    const char *all = "m1,m2,vec,bs,img,ml,hits,dl";
    cut_own(record, words, "bytes", "1M,64M,1G", lists->bytes, error);
    cut_own(record, words, "shapes", "concurrent,serial", lists->shapes, error);
    cut_own(record, words, "prefetch", "on,off", lists->prefetch, error);
    cut_own(record, words, "workload", all, lists->workloads, error);
    if (lists->workloads[0] && strcmp(lists->workloads[0], "all") == 0)
        cut(record, "workload", all, lists->workloads, error);
    cut_own(record, words, "sched", "serial,async,grsched,taskflow,cudagraph,kesco", lists->schedulers, error);
    record->iterations = gsim_runner_own_count(words, "iterations", 25, error);
    record->warmup = gsim_runner_own_count(words, "warmup", 3, error);
    record->traced_iterations = gsim_runner_own_count(words, "traced-iterations", 5, error);
    record->is_traced = gsim_runner_own_switch(words, "tracer", true, error);
    record->slice_sms = gsim_runner_own_switch(words, "slice", true, error); /* how many: when the GPU is known */
    if (error->status) return error->status;
    if (record->profiles_only && !record->is_traced)
        return gsim_refuse(error, "--profiles-only: expected --tracer on, which times the kernels");
    if (!record->iterations || !record->traced_iterations)
        return gsim_refuse(error, "--iterations, --traced-iterations: expected at least 1, found 0");
    return GSIM_OK;
}

static bool remove_flag(struct gsim_runner_words *words, const char *flag)
{
    for (int i = 0; i < words->count; i++) {
        if (strcmp(words->items[i], flag) != 0) continue;
        for (int j = i; j + 1 < words->count; j++) words->items[j] = words->items[j + 1];
        words->count--;
        return true;
    }
    return false;
}

enum gsim_status gsim_record_plan(struct gsim_record *record, struct gsim_runner_words *words,
                                  struct gsim_cli_arguments *arguments, struct gsim_cli_setup *setup,
                                  struct gsim_error *error)
{
    struct lists lists;
    bool is_dry;
    if (remove_flag(words, "--help") || remove_flag(words, "-h"))
        return gsim_runner_help("record", stdout) ? GSIM_OK : GSIM_IO;
    is_dry = remove_flag(words, "--dry-run");
    record->profiles_only = remove_flag(words, "--profiles-only");
    const char *path = gsim_runner_own_value(words, "output", NULL), *name = gsim_runner_own_value(words, "name", NULL);
    if (!is_dry && (!path || !*path)) return gsim_refuse(error, "expected -o FILE (see gpusim-runner record --help)");
    enum gsim_status status = is_dry ? GSIM_OK : gsim_output_check(path, error);
    if (status == GSIM_OK) status = read_words(record, words, &lists, error);
    if (status == GSIM_OK) status = gsim_runner_parse(arguments, words, error);
    if (status == GSIM_OK) status = is_dry ? GSIM_OK : gsim_runner_gpu_find(&record->gpu, error);
    if (!record->is_traced || record->gpu.compute_capability < 80) record->slice_sms = 0;
    if (record->slice_sms) record->slice_sms = (uint32_t)(record->gpu.sm_count + 7) / 8;
    if (status == GSIM_OK) status = gsim_runner_setup(setup, arguments, &record->gpu, error);
    if (status == GSIM_OK) status = add_cases(record, setup, &lists, error);
    if (status != GSIM_OK) return status;
    record->device = &setup->device;
    record->memory = setup->memory;
    record->seed = setup->seed;
    record->name = name ? name : record->gpu.name;
    if (is_dry) {
        char text[GSIM_TEXT_SIZE];
        for (uint32_t i = 0; i < record->case_count; i++) {
            const struct gsim_record_case *c = &record->cases[i];
            struct gsim_workload_options options = c->options;
            printf("%-5s size %-12.15g %-10s %-10s %s, %u runs\n", c->workload->name, c->options.size,
                   gsim_text_bytes(text, program_bytes(c->workload, &options, c->options.size)),
                   c->options.shape == GSIM_SHAPE_SERIAL ? "serial" : "concurrent", c->is_test ? "test" : "fit",
                   c->run_count);
        }
        printf("%u runs\n", record->run_count);
    } else record->path = path;
    return GSIM_OK;
}

void gsim_runner_kernel_resources(const struct gsim_bench_ops *ops, const struct gsim_runner_bench *bench,
                                  const struct gsim_op *op, void *const *device, int *registers, int *smem_bytes)
{
    struct gsim_runner_launch launch;
    struct cudaFuncAttributes attributes;
    ops->launch(bench, op, device, &launch);
    *registers = *smem_bytes = 0;
    if (cudaFuncGetAttributes(&attributes, launch.function) != cudaSuccess) return;
    *registers = attributes.numRegs;
    *smem_bytes = (int)(attributes.sharedSizeBytes + launch.smem_bytes);
}
