/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How each published number comes about: which runs, and what is made of them. Follows the papers' harnesses:
 * block sizes, blocks per card, serial without prefetch against parallel with it since Pascal.
 */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trust/published/reproduce.h"

#define KESCO_SIZES 5

const struct gsim_reproduce_figure gsim_reproduce_figures[] = {
    {"mean-speedup", "grcuda", "grcuda_figures.csv",
     "GrCUDA: speed-up over serial, geometric mean of sizes and block sizes", true, true},
    {"speedup", "grcuda", "grcuda_figures.csv", "GrCUDA: the same per size", false, true},
    {"time", "grcuda", "grcuda_figures.csv", "GrCUDA: median times over block sizes, ms", false, false},
    {"bound", "grcuda", "grcuda_figures.csv", "GrCUDA: contention-free bound over parallel time", false, true},
    {"overlap", "grcuda", "grcuda_figures.csv", "GrCUDA: overlaps at the largest size, best block size", false, true},
    {"versus-cuda", "grcuda", "grcuda_figures.csv", "GrCUDA's speed-up over the same in CUDA", false, true},
    {"trace", "grcuda", "grcuda_traces.csv", "GrCUDA's traces of a GTX 960 (July 2020)", true, false},
    {"single-gpu", "grcuda", "single_gpu.csv", "GrCUDA's successor on one GPU, no prefetch, ms", true, false},
    {"average", "kesco", "kesco.csv", "KeSCo: average speed-up without prefetch", true, true},
    {"average-prefetch", "kesco", "kesco.csv", "KeSCo: average speed-up with prefetch (serial without)", true, true},
    {"timeline", "kesco", "kesco.csv", "KeSCo's profiles of a V100, no prefetch unless said, ms", true, false},
    {"plan", "kesco", "kesco.csv", "KeSCo's plans: streams and events in the log of its compiler", true, true},
    {0},
};

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* --- runs ------------------------------------------------------------------------------------------------------- */
static const struct gsim_rerun_result *result_of(struct gsim_reproduction *r, struct gsim_rerun run)
{
    run.number = r->number;
    run.factor = r->factor;
    const struct gsim_rerun_result *result = gsim_reruns_get(&r->reruns, &run);
    return result && result->done ? result : NULL;
}

static double time_of(struct gsim_reproduction *r, struct gsim_rerun run)
{
    const struct gsim_rerun_result *result = result_of(r, run);
    return result ? result->iteration_ms : NAN;
}

/* Pages fault, so that there is something to prefetch; the one card older than Pascal has nothing of it. */
static bool can_prefetch(const char *device) { return !is(device, "gtx960"); }

static double geometric_mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += log(values[i]);
    return count ? exp(sum / (double)count) : NAN;
}

static double median(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(values[i])) return NAN;
    gsl_sort(values, 1, count);
    return count ? gsl_stats_median_from_sorted_data(values, 1, count) : NAN;
}

/* --- GrCUDA (IPDPS 2021) ------------------------------------------------------------------------------------------ */
enum variant { SERIAL, PARALLEL, SERIAL_PREFETCH, HAND_TUNED, GRAPH_CAPTURE, GRAPH_MANUAL };

static struct gsim_rerun grcuda_run(const struct gsim_published_row *row, const struct gsim_published_launch *launch,
                                    unsigned shape, enum variant variant)
{
    static const char *const schedulers[] = {"serial", "grsched", "serial", "async", "taskflow", "cudagraph"};
    bool prefetches = variant == PARALLEL || variant == SERIAL_PREFETCH || variant == HAND_TUNED;
    return (struct gsim_rerun){.device = row->device,
                               .workload = row->workload,
                               .scheduler = schedulers[variant],
                               .suite = GSIM_SUITE_GRCUDA,
                               .size = row->size,
                               .blocks = launch->blocks,
                               .block1d = launch->block1d[shape],
                               .cxx = variant >= HAND_TUNED,
                               .prefetch = prefetches && can_prefetch(row->device)};
}

static const struct gsim_published_launch *launch_of(const struct gsim_reproduction *r, const char *figure,
                                                     const struct gsim_published_row *row)
{
    return gsim_published_launch_find(&r->published, figure, row->device, row->workload);
}

/* Geometric mean over block sizes of time(BASE) / time(OTHER). */
static double grcuda_ratio(struct gsim_reproduction *r, const struct gsim_published_row *row, enum variant base,
                           enum variant other)
{
    const struct gsim_published_launch *launch = launch_of(r, "grcuda", row);
    double ratios[GSIM_LAUNCH_SHAPES];
    if (!launch) return NAN;
    for (unsigned i = 0; i < launch->block1d_count; i++)
        ratios[i] = time_of(r, grcuda_run(row, launch, i, base)) / time_of(r, grcuda_run(row, launch, i, other));
    return geometric_mean(ratios, launch->block1d_count);
}

static double speedup(struct gsim_reproduction *r, const struct gsim_published_row *row)
{
    return grcuda_ratio(r, row, SERIAL, PARALLEL);
}

/* Over the rows of figure "speedup" with the same device and workload; "all": over the means. */
static double mean_speedup(struct gsim_reproduction *r, const struct gsim_published_row *row)
{
    double values[256];
    size_t count = 0;
    bool of_means = is(row->workload, "all");
    for (size_t i = 0; i < r->published.row_count && count < 256; i++) {
        const struct gsim_published_row *other = &r->published.rows[i];
        bool same_device = is(other->device, row->device) || (is(row->device, "all") && of_means);
        if (of_means && same_device && is(other->figure, "mean-speedup") && !is(other->workload, "all"))
            values[count++] = mean_speedup(r, other);
        if (!of_means && same_device && is(other->figure, "speedup") && is(other->workload, row->workload))
            values[count++] = speedup(r, other);
    }
    return geometric_mean(values, count);
}

static double grcuda_time(struct gsim_reproduction *r, const struct gsim_published_row *row)
{
    const struct gsim_published_launch *launch = launch_of(r, "grcuda", row);
    double times[GSIM_LAUNCH_SHAPES];
    if (!launch) return NAN;
    bool is_bound = is(row->quantity, "bound_ms");
    enum variant variant = is_bound ? SERIAL_PREFETCH : is(row->quantity, "serial_ms") ? SERIAL : PARALLEL;
    for (unsigned i = 0; i < launch->block1d_count; i++) {
        const struct gsim_rerun_result *result = result_of(r, grcuda_run(row, launch, i, variant));
        times[i] = !result ? NAN : is_bound ? result->serial_path_ms : result->iteration_ms;
    }
    return median(times, launch->block1d_count);
}

static double bound(struct gsim_reproduction *r, const struct gsim_published_row *row)
{
    const struct gsim_published_launch *launch = launch_of(r, "grcuda", row);
    double ratios[GSIM_LAUNCH_SHAPES];
    if (!launch) return NAN;
    for (unsigned i = 0; i < launch->block1d_count; i++) {
        const struct gsim_rerun_result *serial = result_of(r, grcuda_run(row, launch, i, SERIAL_PREFETCH));
        ratios[i] = (serial ? serial->serial_path_ms : NAN) / time_of(r, grcuda_run(row, launch, i, PARALLEL));
    }
    return geometric_mean(ratios, launch->block1d_count);
}

static double pick_overlap(const struct gsim_rerun_result *result, const char *quantity)
{
    if (is(quantity, "CT")) return result->overlap.compute_transfer;
    if (is(quantity, "TC")) return result->overlap.transfer_compute;
    if (is(quantity, "CC")) return result->overlap.compute_compute;
    return result->overlap.total;
}

/* The best block size: the largest speed-up. */
static double overlap(struct gsim_reproduction *r, const struct gsim_published_row *row)
{
    const struct gsim_published_launch *launch = launch_of(r, "grcuda", row);
    const struct gsim_rerun_result *best = NULL;
    double best_ratio = 0;
    bool missing = false;
    for (unsigned i = 0; launch && i < launch->block1d_count; i++) {
        const struct gsim_rerun_result *parallel = result_of(r, grcuda_run(row, launch, i, PARALLEL));
        double ratio = time_of(r, grcuda_run(row, launch, i, SERIAL)) / (parallel ? parallel->iteration_ms : NAN);
        missing = missing || isnan(ratio);
        if (!(ratio > best_ratio)) continue;
        best_ratio = ratio;
        best = parallel;
    }
    if (!best || missing) return NAN;
    return is(row->quantity, "speedup") ? best_ratio : pick_overlap(best, row->quantity);
}

static double versus_cuda(struct gsim_reproduction *r, const struct gsim_published_row *row)
{
    enum variant variant = is(row->quantity, "hand-tuned")      ? HAND_TUNED
                           : is(row->quantity, "graph-capture") ? GRAPH_CAPTURE
                                                                : GRAPH_MANUAL;
    return grcuda_ratio(r, row, variant, PARALLEL);
}

static double trace(struct gsim_reproduction *r, const struct gsim_published_row *row)
{
    const struct gsim_published_launch *launch = launch_of(r, "trace", row);
    const struct gsim_rerun_result *result = launch ? result_of(r, grcuda_run(row, launch, 0, PARALLEL)) : NULL;
    if (!result) return NAN;
    if (is(row->quantity, "span_ms")) return result->iteration_ms;
    if (is(row->quantity, "kernels_ms")) return result->kernels_ms;
    for (int i = 0; i < GSIM_RERUN_KERNELS && result->kernels[i].count; i++)
        if (is(result->kernels[i].name, row->quantity)) return result->kernels[i].total_ms / result->kernels[i].count;
    return pick_overlap(result, row->quantity);
}

/* CUDA: serial and the authors' streams; GrCUDA: serial and its scheduler. */
static double single_gpu(struct gsim_reproduction *r, const struct gsim_published_row *row)
{
    bool is_sync = strstr(row->quantity, "_sync") != NULL, is_cuda = strncmp(row->quantity, "cuda", 4) == 0;
    struct gsim_rerun run = {.device = row->device,
                             .workload = row->workload,
                             .scheduler = is_sync   ? "serial"
                                          : is_cuda ? "async"
                                                    : "grsched",
                             .size = row->size};
    return time_of(r, run);
}

/* --- KeSCo (ICCD 2023) --- */
static struct gsim_rerun kesco_run(const char *device, const char *workload, double size, const char *scheduler,
                                   bool prefetch)
{
    return (struct gsim_rerun){.device = device,
                               .workload = workload,
                               .scheduler = scheduler,
                               .suite = GSIM_SUITE_KESCO,
                               .size = size,
                               .prefetch = prefetch};
}

/* Of the published sizes; where a workload has none (ours), of its default size. */
static double kesco_mean(struct gsim_reproduction *r, const struct gsim_published_row *row,
                         const struct gsim_workload_ops *workload, const char *base, bool base_prefetch, bool prefetch)
{
    double ratios[KESCO_SIZES], size;
    size_t count = 0;
    const struct gsim_workload_preset *preset = workload->presets;
    for (int i = 0; i < KESCO_SIZES; i++) {
        bool has_size = preset && preset->name && strncmp(preset->name, "kesco", 5) == 0;
        if (!has_size && i) break;
        size = has_size ? preset->size : 0;
        preset = has_size ? preset + 1 : NULL;
        double before = time_of(r, kesco_run(row->device, workload->name, size, base, base_prefetch));
        ratios[count++] = before / time_of(r, kesco_run(row->device, workload->name, size, "kesco", prefetch));
    }
    return geometric_mean(ratios, count);
}

/* KeSCo's speed-up over the scheduler behind the slash, of one workload. */
double gsim_reproduce_of_workload(struct gsim_reproduction *r, const struct gsim_published_row *row,
                                  const struct gsim_workload_ops *workload)
{
    bool prefetch = is(row->figure, "average-prefetch");
    const char *base = strchr(row->quantity, '/') + 1;
    return kesco_mean(r, row, workload, base, prefetch && !is(base, "serial"), prefetch);
}

static double kesco_average(struct gsim_reproduction *r, const struct gsim_published_row *row)
{
    double means[64];
    size_t count = 0;
    for (uint32_t i = 0; gsim_workload_at(i) && count < 64; i++)
        means[count++] = gsim_reproduce_of_workload(r, row, gsim_workload_at(i));
    return geometric_mean(means, count);
}

static double timeline(struct gsim_reproduction *r, const struct gsim_published_row *row)
{
    bool prefetch = strstr(row->quantity, "prefetch") != NULL;
    double serial = time_of(r, kesco_run(row->device, row->workload, row->size, "serial", prefetch));
    double kesco = time_of(r, kesco_run(row->device, row->workload, row->size, "kesco", prefetch));
    if (is(row->quantity, "speedup")) return serial / kesco;
    return strncmp(row->quantity, "serial", 6) == 0 ? serial : kesco;
}

static double plan(struct gsim_reproduction *r, const struct gsim_published_row *row)
{
    const struct gsim_rerun_result *result =
        result_of(r, kesco_run(row->device, row->workload, 0, "kesco", is(row->quantity, "events_prefetch")));
    if (!result) return NAN;
    return is(row->quantity, "streams") ? result->streams_used : result->events_recorded;
}

/* --- all --- */
double gsim_reproduce_row(struct gsim_reproduction *r, const struct gsim_published_row *row)
{
    static const struct {
        const char *figure;
        double (*rule)(struct gsim_reproduction *r, const struct gsim_published_row *row);
    } rules[] = {{"mean-speedup", mean_speedup},
                 {"speedup", speedup},
                 {"time", grcuda_time},
                 {"bound", bound},
                 {"overlap", overlap},
                 {"versus-cuda", versus_cuda},
                 {"trace", trace},
                 {"single-gpu", single_gpu},
                 {"average", kesco_average},
                 {"average-prefetch", kesco_average},
                 {"timeline", timeline},
                 {"plan", plan}};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (is(rules[i].figure, row->figure)) return rules[i].rule(r, row);
    return NAN;
}

enum gsim_status gsim_reproduce_all(struct gsim_reproduction *r, unsigned jobs, struct gsim_error *error)
{
    void *simulated = gsim_realloc(r->simulated, sizeof *r->simulated * (r->shown_count + 1));
    if (!simulated) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    r->simulated = simulated;
    for (int pass = 0; pass < 2; pass++) { /* the first notes the runs */
        for (size_t i = 0; i < r->shown_count; i++) r->simulated[i] = gsim_reproduce_row(r, &r->published.rows[i]);
        enum gsim_status status = gsim_reruns_make(&r->reruns, jobs, error);
        if (status != GSIM_OK) return status;
    }
    return GSIM_OK;
}

double gsim_reproduce_error(const struct gsim_reproduction *r, size_t row)
{
    double published = r->published.rows[row].value;
    if (published == 0) return r->simulated[row] == 0 ? 0 : NAN;
    return r->simulated[row] / published - 1;
}
