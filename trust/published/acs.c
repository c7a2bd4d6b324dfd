/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trust/published/acs.h. The settings, and why: trust/published/README.md. */
#include "trust/published/acs.h"

#include <math.h>
#include <string.h>

#include "gpusim/generator.h"
#include "gpusim/metrics.h"
#include "gpusim/simulate.h"

#define SEEDS      3
#define INPUTS     3
#define STEPS      60

struct work {
    const char *name, *generator, *choice, *value;
    enum gsim_acs_class class;
};
static const struct work works[] = {
    {"ant", "brax", "env", "ant", GSIM_ACS_DEEP_RL},
    {"grasp", "brax", "env", "grasp", GSIM_ACS_DEEP_RL},
    {"humanoid", "brax", "env", "humanoid", GSIM_ACS_DEEP_RL},
    {"cheetah", "brax", "env", "cheetah", GSIM_ACS_DEEP_RL},
    {"walker2d", "brax", "env", "walker2d", GSIM_ACS_DEEP_RL},
    {"instanas", "dyn-dnn", "net", "instanas", GSIM_ACS_DYN_DNN},
    {"routing", "dyn-dnn", "net", "routing", GSIM_ACS_DYN_DNN},
    {"condconv", "dyn-dnn", "net", "condconv", GSIM_ACS_DYN_DNN},
    {"nasnet", "static-dnn", "net", "nasnet", GSIM_ACS_STATIC_DNN},
    {"amoebanet", "static-dnn", "net", "amoebanet", GSIM_ACS_STATIC_DNN},
    {"squeezenet", "static-dnn", "net", "squeezenet", GSIM_ACS_STATIC_DNN},
    {"randomwire", "static-dnn", "net", "randomwire", GSIM_ACS_STATIC_DNN},
};
#define WORKS (sizeof(works) / sizeof(works[0]))

/* Numbers of the device that are not the model file's: the paper's simulator, or its PC. */
struct number {
    const char *name, *value;
};
static const struct number numbers[] = {
    {"clock_mhz", "1400"},         /* published: 1.4 GHz */
    {"stream_gap_us", "1.3"},      /* from kernel to kernel in a stream (megakernel notes: 2.1 stream, 1.3 graph) */
    {"driver_lock_us", "0"},       /* an H100 host's: the paper's simulator has no driver */
    {"driver_sync_lock_us", "0"},
    {"driver_event_lock_us", "0"},
    {"driver_switch_us", "0"},
    {"graph_add_node_us", "8"},    /* fitted: construction takes 47 % of Brax' time */
};

/* How a program is run. LAUNCH_SYNC_US: from the call to the kernel's start, and from its end to the host, together. */
struct setting {
    const char *device, *scheduler;
    double launch_sync_us;
    int window;
};

/* What came of it, over the seeds. */
struct outcome {
    double us, occupancy, second_us; /* second_us: of the same input again, where graphs are kept */
};

const char *gsim_acs_class_name(enum gsim_acs_class class)
{
    static const char *const names[GSIM_ACS_CLASS_COUNT] = {"deep-rl", "dyn-dnn", "static-dnn"};
    return names[class];
}

/* --- one run --- */
static enum gsim_status set_device(const struct setting *setting, struct gsim_device_spec *device,
                                   struct gsim_error *error)
{
    char text[32];
    enum gsim_status status = gsim_device_load(setting->device, device, error);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && status == GSIM_OK; i++)
        status = gsim_device_set_number(device, numbers[i].name, numbers[i].value, error);
    /* Of 4 us: 1.5 for the call, 0.5 to the GPU, 2 until the host knows (assumed; other sums in proportion). */
    static const struct {
        const char *name;
        double share;
    } parts[] = {{"launch_us", 0.375}, {"launch_to_start_us", 0.125}, {"sync_return_us", 0.5}};
    for (size_t i = 0; i < 3 && status == GSIM_OK; i++) {
        snprintf(text, sizeof text, "%.9g", setting->launch_sync_us * parts[i].share);
        status = gsim_device_set_number(device, parts[i].name, text, error);
    }
    return status;
}

static enum gsim_status generate(const struct work *work, uint64_t seed, struct gsim_program *program,
                                 struct gsim_error *error)
{
    const struct gsim_generator_ops *generator = gsim_generator_find(work->generator);
    void *params = gsim_alloc(generator->params_size);
    char text[16];
    if (!params) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    gsim_params_set_defaults(generator->params, params);
    bool has_steps = gsim_params_find(generator->params, "steps") != NULL;
    snprintf(text, sizeof text, "%d", has_steps ? STEPS : INPUTS);
    enum gsim_status status = gsim_params_set(generator->params, params, work->choice, work->value, error);
    if (status == GSIM_OK)
        status = gsim_params_set(generator->params, params, has_steps ? "steps" : "inputs", text, error);
    if (status == GSIM_OK) status = generator->build(params, seed, program, error);
    gsim_free(params);
    return status;
}

static enum gsim_status set_scheduler(const struct setting *setting, const struct gsim_scheduler_ops *ops, void *params,
                                      struct gsim_error *error)
{
    char window[16];
    gsim_params_set_defaults(ops->params, params);
    if (!gsim_params_find(ops->params, "window")) return GSIM_OK;
    snprintf(window, sizeof window, "%d", setting->window);
    enum gsim_status status = gsim_params_set(ops->params, params, "window", window, error);
    if (status != GSIM_OK || !gsim_params_find(ops->params, "threads")) return status;
    status = gsim_params_set(ops->params, params, "threads", "8", error); /* not published; assumed */
    if (status == GSIM_OK)
        status = gsim_params_set(ops->params, params, "poll_entry_us", "0", error); /* an H100 host's */
    return status == GSIM_OK ? gsim_params_set(ops->params, params, "update_us", "0.2", error)
                             : status; /* assumed: so is its default */
}

static enum gsim_status simulate(const struct setting *setting, const struct gsim_device_spec *device,
                                 const struct gsim_program *program, struct outcome *outcome, struct gsim_error *error)
{
    const struct gsim_scheduler_ops *ops = gsim_scheduler_find(setting->scheduler);
    bool is_graph = strcmp(setting->scheduler, "cudagraph") == 0, is_base = strcmp(setting->scheduler, "async") == 0;
    struct gsim_simulation s = {.program = program, .device = device, .scheduler = ops, .memory = GSIM_MEMORY_PINNED,
                                .iterations = is_graph ? 2 : 1, .seed = 1, .detailed = is_base};
    struct gsim_timeline timeline = {0};
    struct gsim_metrics metrics = {0};
    void *params = gsim_alloc(ops->params_size + 1);
    if (!params) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    enum gsim_status status = set_scheduler(setting, ops, params, error);
    s.scheduler_params = params;
    if (status == GSIM_OK) status = gsim_simulate(&s, &timeline, error);
    if (status == GSIM_OK && is_base) status = gsim_metrics_compute(&timeline, device, NULL, &metrics, error);
    if (status == GSIM_OK) {
        outcome->us += gsim_time_us(timeline.iterations[0].end - timeline.iterations[0].start);
        if (is_graph) outcome->second_us += gsim_time_us(timeline.iterations[1].end - timeline.iterations[1].start);
        if (is_base) outcome->occupancy += metrics.sm_busy_ratio * metrics.achieved_occupancy / SEEDS;
    }
    gsim_timeline_release(&timeline);
    gsim_free(params);
    return status;
}

static enum gsim_status run(const struct work *work, const struct setting *setting, struct outcome *outcome,
                            struct gsim_acs *acs, struct gsim_error *error)
{
    struct gsim_device_spec device = {0};
    enum gsim_status status = set_device(setting, &device, error);
    *outcome = (struct outcome){0};
    for (uint64_t seed = 1; seed <= SEEDS && status == GSIM_OK; seed++) {
        struct gsim_program program = {0};
        status = generate(work, seed, &program, error);
        if (status == GSIM_OK) status = simulate(setting, &device, &program, outcome, error);
        if (status == GSIM_OK) acs->run_count++;
        gsim_program_release(&program);
    }
    gsim_device_release(&device);
    return status;
}

/* --- all of a setting --- */
enum { BASE, SW, HW, GRAPH, RUNS };
static const char *const schedulers[RUNS] = {"async", "acs-sw", "acs-hw", "cudagraph"};

/* WHICH: bits of the schedulers; the others' outcomes stay. */
static enum gsim_status run_all(const char *device, double launch_sync_us, int window, unsigned which,
                                struct outcome outcomes[WORKS][RUNS], struct gsim_acs *acs, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    for (size_t w = 0; w < WORKS; w++)
        for (int s = 0; s < RUNS && status == GSIM_OK; s++)
            if (which >> s & 1)
                status = run(&works[w], &(struct setting){device, schedulers[s], launch_sync_us, window},
                             &outcomes[w][s], acs, error);
    return status;
}

/* Over the works of a class, or of all (GSIM_ACS_CLASS_COUNT), or over the one of that name: mean and greatest
 * speed-up. */
static double speedup(const struct outcome outcomes[WORKS][RUNS], const char *name, int scheduler, bool greatest)
{
    double sum = 0, most = 0;
    int count = 0;
    for (size_t w = 0; w < WORKS; w++) {
        bool counts = strcmp(name, "all") == 0 || strcmp(name, works[w].name) == 0 ||
                      strcmp(name, gsim_acs_class_name(works[w].class)) == 0;
        double value = counts ? outcomes[w][BASE].us / outcomes[w][scheduler].us : 0;
        sum += value;
        count += counts;
        most = fmax(most, value);
    }
    return greatest ? most : count ? sum / count : NAN;
}

static double mean_of(const struct outcome outcomes[WORKS][RUNS], const char *name,
                      double (*value)(const struct outcome *))
{
    double sum = 0;
    int count = 0;
    for (size_t w = 0; w < WORKS; w++) {
        if (strcmp(name, works[w].name) != 0 && strcmp(name, gsim_acs_class_name(works[w].class)) != 0) continue;
        sum += value(outcomes[w]);
        count++;
    }
    return count ? sum / count : NAN;
}

static double occupancy_of(const struct outcome *o) { return o[BASE].occupancy; }
static double construction_of(const struct outcome *o) { return 1 - o[GRAPH].second_us / o[GRAPH].us; }

static void note_point(struct gsim_acs *acs, const char *figure, double x, const struct outcome outcomes[WORKS][RUNS])
{
    struct gsim_acs_point *p = &acs->points[acs->point_count++];
    *p = (struct gsim_acs_point){.figure = figure, .x = x};
    for (int c = 0; c < GSIM_ACS_CLASS_COUNT; c++) {
        const char *name = gsim_acs_class_name((enum gsim_acs_class)c);
        p->sw[c] = speedup(outcomes, name, SW, false);
        p->hw[c] = speedup(outcomes, name, HW, false);
        p->graph[c] = speedup(outcomes, name, GRAPH, false);
    }
}

/* --- rows --- */
static double simulated(const struct gsim_published_row *row, const struct outcome here[WORKS][RUNS],
                        const struct outcome narrow[WORKS][RUNS])
{
    const char *q = row->quantity;
    int scheduler = strncmp(q, "acs-sw", 6) == 0 ? SW : HW;
    if (strncmp(q, "occupancy", 9) == 0) return mean_of(here, row->workload, occupancy_of);
    if (strncmp(q, "graph", 5) == 0) return mean_of(here, row->workload, construction_of);
    if (strstr(q, "window")) return speedup(here, row->workload, HW, false) / speedup(narrow, row->workload, HW, false);
    return speedup(here, row->workload, scheduler, strstr(q, "greatest") != NULL);
}

enum gsim_status gsim_acs_reproduce(struct gsim_reproduction *r, struct gsim_error *error)
{
    static const double costs[] = {10, 20};
    static const int windows[] = {8, 16, 64};
    struct gsim_acs *acs = r->acs;
    struct outcome main_runs[WORKS][RUNS], small[WORKS][RUNS] = {{{0}}}, others[WORKS][RUNS], narrow[WORKS][RUNS];
    r->simulated = gsim_alloc(sizeof *r->simulated * (r->published.row_count + 1));
    if (!r->simulated) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    enum gsim_status status = run_all("rtx3070", 4, 32, ~0u, main_runs, acs, error);
    if (status == GSIM_OK) status = run_all("rtx3060", 4, 32, 1u << BASE | 1u << SW, small, acs, error);
    if (status == GSIM_OK) note_point(acs, "acs-launch-sync", 4, main_runs);
    for (size_t i = 0; i < 2 && status == GSIM_OK; i++) {
        status = run_all("rtx3070", costs[i], 32, ~0u, others, acs, error);
        if (status == GSIM_OK) note_point(acs, "acs-launch-sync", costs[i], others);
    }
    for (size_t i = 0; i < 3 && status == GSIM_OK; i++) {
        struct outcome(*here)[RUNS] = windows[i] == 16 ? narrow : others;
        memcpy(here, main_runs, sizeof main_runs);
        status = run_all("rtx3070", 4, windows[i], 1u << SW | 1u << HW, here, acs, error);
        if (status == GSIM_OK && windows[i] == 64) note_point(acs, "acs-window", 32, main_runs);
        if (status == GSIM_OK) note_point(acs, "acs-window", windows[i], here);
    }
    for (size_t i = 0; i < r->published.row_count && status == GSIM_OK; i++)
        r->simulated[i] = simulated(&r->published.rows[i],
                                    strcmp(r->published.rows[i].device, "rtx3060") == 0 ? small : main_runs, narrow);
    return status;
}

/* --- output --- */
static void print_points(const struct gsim_acs *acs, const char *figure, const char *title, struct gsim_output *output)
{
    gsim_output_printf(output, "\n%s\n  %8s", title, "");
    for (int c = 0; c < GSIM_ACS_CLASS_COUNT; c++)
        gsim_output_printf(output, "%26s", gsim_acs_class_name((enum gsim_acs_class)c));
    gsim_output_printf(output, "\n  %8s", "");
    for (int c = 0; c < GSIM_ACS_CLASS_COUNT; c++)
        gsim_output_printf(output, "%10s%8s%8s", "acs-sw", "acs-hw", "graph");
    gsim_output_text(output, "\n");
    for (size_t i = 0; i < acs->point_count; i++) {
        const struct gsim_acs_point *p = &acs->points[i];
        if (strcmp(p->figure, figure) != 0) continue;
        gsim_output_printf(output, "  %8g", p->x);
        for (int c = 0; c < GSIM_ACS_CLASS_COUNT; c++)
            gsim_output_printf(output, "%10.2f%8.2f%8.2f", p->sw[c], p->hw[c], p->graph[c]);
        gsim_output_text(output, "\n");
    }
}

void gsim_acs_print(const struct gsim_reproduction *r, struct gsim_output *output)
{
    const struct gsim_acs *acs = r->acs;
    gsim_output_printf(output, "%zu published numbers, %zu runs\n\nACS: speed-up over one stream, kernels in order\n",
                       r->shown_count, acs->run_count);
    gsim_output_printf(output, "  %-8s %-11s %-30s%9s%11s%9s  %s\n", "device", "class", "quantity", "paper",
                       "simulated", "error", "use");
    for (size_t i = 0; i < r->shown_count; i++) {
        const struct gsim_published_row *row = &r->published.rows[i];
        gsim_output_printf(output, "  %-8s %-11s %-30s%9.3f%11.3f%+8.1f%%  %s\n", row->device, row->workload,
                           row->quantity, row->value, r->simulated[i], 100 * gsim_reproduce_error(r, i),
                           row->is_fit ? "fit" : "check");
    }
    print_points(acs, "acs-launch-sync", "Speed-up where launch and synchronise take so many us (rtx3070, window 32)",
                 output);
    print_points(acs, "acs-window",
                 "Speed-up where the window has so many entries (rtx3070, launch and synchronise 4 us)", output);
}

void gsim_acs_csv(const struct gsim_reproduction *r, struct gsim_output *output)
{
    const struct gsim_acs *acs = r->acs;
    gsim_reproduce_csv(r, output);
    for (size_t i = 0; i < acs->point_count; i++)
        for (int c = 0; c < GSIM_ACS_CLASS_COUNT; c++) {
            const struct gsim_acs_point *p = &acs->points[i];
            const double values[] = {p->sw[c], p->hw[c], p->graph[c]};
            for (int s = 0; s < 3; s++)
                gsim_output_printf(output, "%s,rtx3070,%s,%g,%s,,%.6f,,,\n", p->figure,
                                   gsim_acs_class_name((enum gsim_acs_class)c), p->x, schedulers[s + 1], values[s]);
        }
}
