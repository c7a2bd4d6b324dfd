/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). See cli/compare/compare.h: a comparison as the table in the terminal, as CSV and as JSON.
 */
#include "cli/compare/compare.h"
#include "cli/place/node.h"

#include <string.h>

#include "plots/names.h"
#include "sim/base/text.h"

#define COMPARE_SCHEMA "gpusim-compare/1"
#define CELL_WIDTH     15
#define CELL_INTERVALS 32   /* with intervals beside time and speed-up */
#define FIRST_SHOWN    0.05 /* a first iteration this far off is shown */

/* Over different programs: a mean of ratios, with no interval, for they are no repetitions. */
static double geometric_mean(const struct gsim_comparison *comparison, size_t scheduler)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < comparison->workload_count; i++) {
        double ratio = gsim_compare_cell(comparison, i, scheduler)->speedup;
        if (isnan(ratio) || ratio <= 0) continue;
        sum += log(ratio);
        count++;
    }
    return count ? exp(sum / (double)count) : NAN;
}

/* --- the table ----------------------------------------------------------------------------------------------- */
static gsim_time time_of(const struct gsim_comparison *comparison, const struct gsim_compare_cell *cell)
{
    return comparison->repeat > 1 ? gsim_time_from_us(cell->us) : cell->metrics.iteration_median;
}

/* As a row's name. */
static const char *name_of(const struct gsim_comparison *comparison, size_t workload, char text[64])
{
    int length;
    const char *name = gsim_file_label(comparison->workloads[workload], &length);
    snprintf(text, 64, "%.*s", length, name);
    return text;
}

static int width_of(const struct gsim_comparison *comparison)
{
    return comparison->repeat > 1 ? CELL_INTERVALS : CELL_WIDTH;
}

static void put_cell(const struct gsim_comparison *comparison, size_t workload, size_t scheduler,
                     struct gsim_output *output)
{
    const struct gsim_compare_cell *cell = gsim_compare_cell(comparison, workload, scheduler);
    bool with_intervals = comparison->repeat > 1;
    char time[GSIM_TEXT_SIZE];
    if (!cell->done) {
        gsim_output_printf(output, "%*s", width_of(comparison), "failed");
        return;
    }
    gsim_output_printf(output, " %8s", gsim_text_time(time, time_of(comparison, cell)));
    if (with_intervals) gsim_output_printf(output, " +-%5.2f %%", 100 * cell->us_ci / cell->us);
    if (isnan(cell->speedup)) gsim_output_printf(output, " %5s%s", "-", with_intervals ? "       " : "");
    else gsim_output_printf(output, " %5.2f", cell->speedup);
    if (with_intervals && !isnan(cell->speedup)) gsim_output_printf(output, " +-%4.2f", cell->speedup_ci);
}

/* On how many GPUs kernels ran, of all there are. */
static void put_gpus(const struct gsim_comparison *comparison, size_t first, size_t last, unsigned name_width,
                     struct gsim_output *output)
{
    int width = width_of(comparison);
    gsim_output_printf(output, "%-*s", (int)name_width, "GPUs");
    for (size_t j = first; j < last; j++) {
        uint32_t least = UINT32_MAX, most = 0;
        char text[32] = "-";
        for (size_t i = 0; i < comparison->workload_count; i++) {
            const struct gsim_compare_cell *cell = gsim_compare_cell(comparison, i, j);
            if (!cell->done) continue;
            if (cell->gpus < least) least = cell->gpus;
            if (cell->gpus > most) most = cell->gpus;
        }
        if (most && least == most) snprintf(text, sizeof text, "%u", most);
        else if (most) snprintf(text, sizeof text, "%u to %u", least, most);
        gsim_output_printf(output, "%*s", width, text);
    }
    gsim_output_text(output, "\n");
}

/* The columns FIRST to LAST - 1, as many as fit on 100 columns. */
static void put_block(const struct gsim_comparison *comparison, size_t first, size_t last, unsigned name_width,
                      struct gsim_output *output)
{
    int width = width_of(comparison);
    /* Under the speed-ups. */
    int behind = comparison->repeat > 1 ? 7 : 0;
    char name[32], whole[64];
    gsim_output_printf(output, "\n%-*s", (int)name_width, "");
    for (size_t j = first; j < last; j++)
        gsim_output_printf(output, "%*s", width,
                           gsim_text_fit(name, sizeof(name), comparison->names[j], (size_t)width - 1));
    gsim_output_text(output, "\n");
    for (size_t i = 0; i < comparison->workload_count; i++) {
        gsim_output_printf(output, "%-*s", (int)name_width,
                           gsim_text_fit(name, sizeof(name), name_of(comparison, i, whole), name_width - 1));
        for (size_t j = first; j < last; j++) put_cell(comparison, i, j, output);
        gsim_output_text(output, "\n");
    }
    gsim_output_printf(output, "%-*s", (int)name_width, "geomean");
    for (size_t j = first; j < last; j++) {
        double mean = geometric_mean(comparison, j);
        bool is_last = j + 1 == last;
        if (isnan(mean)) gsim_output_printf(output, "%*s%*s", width - behind, "-", is_last ? 0 : behind, "");
        else gsim_output_printf(output, "%*.2f%*s", width - behind, mean, is_last ? 0 : behind, "");
    }
    gsim_output_text(output, "\n");
    if (gsim_cli_gpu_count(&comparison->setup) > 1) put_gpus(comparison, first, last, name_width, output);
}

static void put_over(const struct gsim_comparison *comparison, struct gsim_output *output)
{
    for (size_t i = 0; i < comparison->workload_count; i++)
        for (size_t j = 0; j < comparison->shown_count; j++) {
            const struct gsim_compare_cell *cell = gsim_compare_cell(comparison, i, j);
            char name[64], text[GSIM_ENERGY_NOTE + 160];
            if (!cell->done || !cell->over[0]) continue;
            snprintf(text, sizeof text, "%.60s with %.60s: %s", name_of(comparison, i, name), comparison->names[j],
                     cell->over);
            gsim_output_text(output, "note:");
            gsim_cli_wrap(output, text, 5, 2);
        }
}

/* What a program that runs once would see. */
static void put_first_iterations(const struct gsim_comparison *comparison, struct gsim_output *output)
{
    char name[64];
    bool any = false;
    for (size_t i = 0; i < comparison->workload_count; i++)
        for (size_t j = 0; j < comparison->shown_count; j++) {
            const struct gsim_compare_cell *cell = gsim_compare_cell(comparison, i, j);
            gsim_time first = cell->first.end - cell->first.start, steady = cell->metrics.iteration_median;
            char time[GSIM_TEXT_SIZE];
            if (!cell->done || cell->iterations < 2 || fabs((double)first / (double)steady - 1) <= FIRST_SHOWN)
                continue;
            gsim_output_text(
                output,
                any ? "" : "\nFirst iterations that differ by more than 5 %, with the time over the steady one:\n");
            any = true;
            gsim_output_printf(output, "  %-20.20s %-15.15s %9s  %.2f\n", name_of(comparison, i, name),
                               comparison->names[j], gsim_text_time(time, first),
                               (double)first / (double)steady);
        }
}

static void put_table(const void *what, struct gsim_output *output)
{
    const struct gsim_comparison *comparison = what;
    char name[64];
    size_t longest = strlen("geomean");
    for (size_t i = 0; i < comparison->workload_count; i++)
        if (strlen(name_of(comparison, i, name)) > longest) longest = strlen(name);
    /* Long paths are cut; the names of built-in workloads leave room for six schedulers. */
    unsigned name_width = (longest > 20 ? 20 : (unsigned)longest) + 1;
    size_t per_block = (100 - name_width) / (size_t)width_of(comparison);
    unsigned long long seed = comparison->setup.seed;
    char machine[GSIM_CLI_MACHINE];
    const char *device = gsim_cli_machine(&comparison->setup, machine);
    const char *base = comparison->names[comparison->base_index];
    const char *noise = comparison->setup.noise ? ", with noise" : "";
    if (comparison->repeat > 1)
        gsim_output_printf(
            output,
            "Median time of an iteration on %s and speed-up over %s: mean of %zu repetitions and its 95 %% confidence\n"
            "interval, seeds %llu to %llu%s\n",
            device, base, comparison->repeat, seed, seed + comparison->repeat - 1, noise);
    else
        gsim_output_printf(output, "Median time of an iteration on %s and speed-up over %s, seed %llu%s\n", device,
                           base, seed, noise);
    for (size_t first = 0; first < comparison->shown_count; first += per_block) {
        size_t last = first + per_block < comparison->shown_count ? first + per_block : comparison->shown_count;
        put_block(comparison, first, last, name_width, output);
    }
    put_first_iterations(comparison, output);
    /* Schedulers whose graphs have no prefetches. */
    char names[160] = "";
    for (size_t j = 0; j < comparison->shown_count; j++) {
        const struct gsim_param *table = comparison->schedulers[j]->params;
        size_t at = strlen(names);
        if (table && gsim_params_find(table, "prefetch_nodes"))
            snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "", comparison->names[j]);
    }
    if (names[0] && comparison->setup.memory == GSIM_MEMORY_MANAGED && comparison->setup.prefetch)
        gsim_output_printf(output, "\n%s: prefetches go ahead of a graph, which has no nodes for them\n", names);
    put_over(comparison, output);
    gsim_cli_put_guesses(output, comparison->said.guesses, "");
}

/* --- files --------------------------------------------------------------------------------------------------- */
static void put_csv(const void *what, struct gsim_output *output)
{
    const struct gsim_comparison *comparison = what;
    gsim_output_text(output,
                     "workload,scheduler,device,seed,iterations,kernels,iteration_us,makespan_us,speedup,"
                     "streams_used,events_recorded,stream_waits,overlap_total,critical_path_us,lower_bound_us");
    for (size_t s = 0; s < GSIM_COMPARE_SETTINGS; s++) gsim_output_printf(output, ",%s", gsim_compare_settings[s]);
    gsim_output_text(output, ",iterations_run,first_us,gpus_used");
    if (comparison->repeat > 1) gsim_output_text(output, ",repetitions,iteration_ci95_us,speedup_ci95");
    gsim_output_text(output, "\n");
    for (size_t i = 0; i < comparison->workload_count; i++) {
        for (size_t j = 0; j < comparison->shown_count; j++) {
            const struct gsim_compare_cell *cell = gsim_compare_cell(comparison, i, j);
            double ratio = cell->speedup;
            if (!cell->done) continue;
            gsim_output_put(output, "%c,%c,%c,%z,", comparison->workloads[i], comparison->names[j],
                            comparison->setup.device.name, (unsigned long long)comparison->setup.seed);
            if (comparison->setup.iterations)
                gsim_output_printf(output, "%u", comparison->setup.iterations);
            else
                gsim_output_text(output, "steady"); /* or a program's own; how many that were: iterations_run */
            gsim_output_put(output, ",%z,%t,%t,", cell->kernels, time_of(comparison, cell), cell->metrics.makespan);
            if (!isnan(ratio)) gsim_output_real(output, ratio);
            if (comparison->asked) /* counts and bounds are of one program */
                gsim_output_put(output, ",,,,%f,,", cell->metrics.overlap.total);
            else
                gsim_output_put(output, ",%u,%u,%u,%f,%t,%t", cell->first.streams_used, cell->first.events_recorded,
                                cell->first.stream_waits, cell->metrics.overlap.total, cell->critical_path,
                                cell->lower_bound);
            for (size_t s = 0; s < GSIM_COMPARE_SETTINGS; s++)
                gsim_output_put(output, ",%c", cell->settings[s]);
            gsim_output_put(output, ",%z,%t,%u", cell->iterations, cell->first.end - cell->first.start, cell->gpus);
            if (comparison->repeat > 1) {
                gsim_output_put(output, ",%z,%t,", comparison->repeat, gsim_time_from_us(cell->us_ci));
                if (!isnan(cell->speedup_ci)) gsim_output_real(output, cell->speedup_ci);
            }
            gsim_output_text(output, "\n");
        }
    }
}

static void put_json_run(const struct gsim_comparison *comparison, size_t workload, size_t scheduler,
                         struct gsim_output *output)
{
    const struct gsim_compare_cell *cell = gsim_compare_cell(comparison, workload, scheduler);
    gsim_output_put(output, "{'workload': %q, 'scheduler': %q, 'done': %b", comparison->workloads[workload],
                    comparison->names[scheduler], cell->done);
    if (cell->done) {
        gsim_output_put(output, ", 'iterations_run': %z, 'kernels': %z, 'gpus_used': %u, 'iteration_us': %t",
                        cell->iterations, cell->kernels, cell->gpus, time_of(comparison, cell));
        if (comparison->repeat > 1) {
            gsim_output_put(output, ", 'repetitions': %z, 'iteration_ci95_us': %t, 'speedup_ci95': %r",
                            comparison->repeat, gsim_time_from_us(cell->us_ci), cell->speedup_ci);
        }
        gsim_output_put(output, ", 'first_us': %t, 'makespan_us': %t, 'speedup': %r",
                        cell->first.end - cell->first.start, cell->metrics.makespan, cell->speedup);
        if (!comparison->asked)
            gsim_output_put(output, ", 'streams_used': %u, 'events_recorded': %u, 'stream_waits': %u, "
                                    "'critical_path_us': %t, 'lower_bound_us': %t", cell->first.streams_used,
                            cell->first.events_recorded, cell->first.stream_waits, cell->critical_path,
                            cell->lower_bound);
        if (cell->over[0]) gsim_output_put(output, ", 'note': %q", cell->over);
        for (size_t s = 0; s < GSIM_COMPARE_SETTINGS; s++) {
            if (!*cell->settings[s]) continue;
            gsim_output_put(output, ", '%s': %q", gsim_compare_settings[s], cell->settings[s]);
        }
    }
    gsim_output_text(output, "}");
}

static void put_json(const void *what, struct gsim_output *output)
{
    const struct gsim_comparison *comparison = what;
    gsim_output_put(output, "{'schema': '%s', 'version': '%s', 'device': %q, 'seed': %z, 'base': %q,\n 'runs': [",
                    COMPARE_SCHEMA, GPUSIM_VERSION, comparison->setup.device.name,
                    (unsigned long long)comparison->setup.seed, comparison->names[comparison->base_index]);
    for (size_t i = 0; i < comparison->workload_count; i++) {
        for (size_t j = 0; j < comparison->shown_count; j++) {
            gsim_output_text(output, i || j ? ",\n  " : "\n  ");
            put_json_run(comparison, i, j, output);
        }
    }
    gsim_output_text(output, "],\n \"geometric_mean\": {");
    for (size_t j = 0; j < comparison->shown_count; j++) {
        if (j) gsim_output_text(output, ", ");
        gsim_output_put(output, "%q: %r", comparison->names[j], geometric_mean(comparison, j));
    }
    gsim_output_text(output, "}");
    if (comparison->said.guesses) gsim_cli_put_guesses_json(output, comparison->said.guesses, "");
    gsim_output_text(output, "}\n");
}

enum gsim_status gsim_compare_deliver(struct gsim_comparison *comparison, struct gsim_error *error)
{
    static const struct gsim_cli_forms forms = {put_csv, put_json, put_table};
    const char *const *value = comparison->arguments->value;
    return gsim_cli_write(value[GSIM_CLI_CSV], value[GSIM_CLI_REPORT], &forms, comparison, error);
}
