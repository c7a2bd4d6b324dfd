/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim reproduce fikit" and "tally": what is run is trust/published/sharing.c's. */
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trust/reproduce_sharing.h"
#include "plots/gnuplot.h"
#include "trust/published/sharing.h"
#include "trust/published/tally.h"

#define KERNELS "trust/published/orion_v100_kernels.csv"

bool gsim_cli_is_sharing_paper(const char *name)
{
    return name && (strcmp(name, "fikit") == 0 || strcmp(name, "tally") == 0);
}

static void put_pairs(const struct gsim_fikit_table *table, bool is_csv, struct gsim_output *output)
{
    gsim_output_text(output,
                     is_csv ? "urgent,other,gap_us,other_gaps,closed,speed_up,other_ratio,over_exclusive\n" : "");
    for (size_t i = 0; i < table->count; i++) {
        const struct gsim_fikit_row *r = &table->rows[i];
        gsim_output_printf(
            output, is_csv ? "%s,%s,%.0f,%d,%d,%.4f,%.4f,%.4f\n" : "  %-14s %-14s %4.0f us  %d %d %8.2fx %8.2f %8.3f\n",
            r->urgent, r->other, r->gap_us, r->has_other_gaps, r->is_closed, r->speed_up, r->other_ratio,
            r->over_exclusive);
    }
}

/* Quantiles of the pairs' VALUE, those that have one. */
static void put_range(const struct gsim_fikit_table *table, const char *what, const char *published, size_t offset,
                      struct gsim_output *output)
{
    double values[256];
    size_t count = 0;
    for (size_t i = 0; i < table->count && count < 256; i++) {
        double value = *(const double *)((const char *)&table->rows[i] + offset);
        if (isfinite(value)) values[count++] = value;
    }
    if (!count) return;
    gsl_sort(values, 1, count);
    gsim_output_printf(output, "  %-40s %6.2f %6.2f %6.2f %6.2f %6.2f   %s\n", what, values[0], values[count / 4],
                       values[count / 2], values[3 * count / 4], values[count - 1], published);
}

#define SMALL_GAP_US 100.0 /* fikit's default */

static void put_summary(const struct gsim_fikit_table *table, struct gsim_output *output)
{
    size_t above = 0, within = 0, others = 0, others_within = 0, slower = 0, small = 0;
    for (size_t i = 0; i < table->count; i++) {
        double other = table->rows[i].other_ratio;
        others += isfinite(other);
        others_within += isfinite(other) && other >= 0.86 && other <= 1;
        slower += table->rows[i].over_exclusive > 1.05;
        small += table->rows[i].gap_us < SMALL_GAP_US;
        above += table->rows[i].speed_up > 3.4;
        within += table->rows[i].speed_up >= 1.32 && table->rows[i].speed_up <= 16.41;
    }
    gsim_output_printf(
        output, "FIKIT (arXiv 2311.10359): %zu pairs of services made of Orion's V100 kernels, over time slices\n",
        table->count);
    gsim_output_printf(output, "  %-40s %6s %6s %6s %6s %6s   %s\n", "", "least", "1/4", "median", "3/4", "most",
                       "published");
    put_range(table, "urgent task's speed-up", "1.32 to 16.41, over half above 3.4",
              offsetof(struct gsim_fikit_row, speed_up), output);
    put_range(table, "other task's time sliced over FIKIT", "0.86 to 1", offsetof(struct gsim_fikit_row, other_ratio),
              output);
    put_range(table, "urgent task's time over alone", "overhead below 5 %",
              offsetof(struct gsim_fikit_row, over_exclusive), output);
    gsim_output_printf(output, "  speed-ups above 3.4: %zu of %zu; within the published range: %zu\n", above,
                       table->count, within);
    gsim_output_printf(output,
                       "  other task's 0.86 to 1: not met: %zu of %zu within; overhead below 5 %%: all but %zu\n",
                       others_within, others, slower);
    gsim_output_printf(
        output,
        "  The gaps of 20 to 200 us were chosen so that the published speed-ups come out: plausible, no prediction. "
        "With %zu of\n"
        "  the pairs they are below small_gap_us (%.0f): nothing is filled there, and priority alone acts.\n",
        small, SMALL_GAP_US);
}

/* How the median speed-up depends on the gap and on the kind of the other service. */
static void put_sensitivity(const struct gsim_fikit_table *table, struct gsim_output *output)
{
    static const char *const kinds[] = {"urgent at intervals, other saturating", "urgent at intervals, other with gaps",
                                        "urgent closed loop, other saturating", "urgent closed loop, other with gaps"};
    gsim_output_printf(output, "\n  median speed-up by gap %17s %8s %8s %8s\n", "20 us", "50 us", "100 us", "200 us");
    for (int kind = 0; kind < 4; kind++) {
        gsim_output_printf(output, "  %-38s", kinds[kind]);
        for (int g = 0; g < 4; g++) {
            static const double gaps[] = {20, 50, 100, 200};
            double values[64];
            size_t count = 0;
            for (size_t i = 0; i < table->count && count < 64; i++) {
                const struct gsim_fikit_row *r = &table->rows[i];
                if (r->gap_us == gaps[g] && r->has_other_gaps == (bool)(kind & 1) && r->is_closed == (bool)(kind & 2))
                    values[count++] = r->speed_up;
            }
            gsl_sort(values, 1, count);
            gsim_output_printf(output, g ? " %7.2fx" : " %1.2fx", count ? values[count / 2] : NAN);
        }
        gsim_output_text(output, "\n");
    }
}

static enum gsim_status print_fikit(const struct gsim_cli_arguments *arguments, const struct gsim_device_spec *device,
                                    bool is_csv, struct gsim_output *output, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_fikit_table table = {0};
    const char *path = gsim_data_path(&arena, KERNELS);
    enum gsim_status status = path ? gsim_reproduce_fikit(device, path, &table, error)
                                   : gsim_error_set(error, GSIM_IO, "cannot find " KERNELS);
    if (status == GSIM_OK && is_csv) put_pairs(&table, true, output);
    if (status == GSIM_OK && !is_csv) {
        if (arguments->value[GSIM_CLI_PER_CASE]) put_pairs(&table, false, output);
        put_summary(&table, output);
        put_sensitivity(&table, output);
    }
    gsim_fikit_table_release(&table);
    gsim_arena_release(&arena);
    return status;
}

static enum gsim_status print_tally(const struct gsim_device_spec *device, bool is_csv, struct gsim_output *output,
                                    struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_tally tally;
    const char *table = gsim_data_path(&arena, "trust/published/tally_a100.csv"),
               *kernels = gsim_data_path(&arena, "workloads/services/orion_v100_kernels.csv.gz");
    enum gsim_status status = GSIM_OK;
    if (!table || !kernels)
        status = gsim_error_set(error, GSIM_IO, "cannot find %s", table ? "Orion's kernels" : "tally_a100.csv");
    if (status == GSIM_OK) status = gsim_tally_run(device, table, kernels, GSIM_TALLY_PAIRS, &tally, error);
    if (status == GSIM_OK && is_csv) gsim_tally_csv(&tally, output);
    if (status == GSIM_OK && !is_csv) gsim_tally_print(&tally, output);
    gsim_arena_release(&arena);
    return status;
}

enum gsim_status gsim_cli_reproduce_sharing(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct gsim_device_spec device = {0};
    struct gsim_output output;
    const char *csv = arguments->value[GSIM_CLI_CSV];
    const char *paper = arguments->operands[0];
    bool is_tally = strcmp(paper, "tally") == 0, is_csv = csv != NULL;
    enum gsim_status status = gsim_device_load(is_tally ? "a100-sxm4-40gb" : "v100", &device, error);
    if (status != GSIM_OK) return status;
    status = gsim_output_open(&output, csv ? csv : "-", error);
    if (status == GSIM_OK) {
        status = is_tally ? print_tally(&device, is_csv, &output, error)
                          : print_fikit(arguments, &device, is_csv, &output, error);
        if (status == GSIM_OK) status = gsim_output_commit(&output, error);
        gsim_output_release(&output);
    }
    gsim_device_release(&device);
    return status;
}
