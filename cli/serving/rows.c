/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli. The table of "gpusim serve" and its CSV: cli/serving/rows.h. */
#include "cli/serving/rows.h"

#include <math.h>

#include "sim/base/text.h"

static const struct {
    const char *name;
    int figure; /* -1: a rate */
    double fraction;
} columns[GSIM_SERVE_COLUMNS] = {
    {"requests_per_s", -1, 0},
    {"tokens_per_s", -1, 1},
    {"goodput_per_s", -1, 2},
    {"ttft_p50_us", GSIM_SERVED_TTFT, 0.5},
    {"ttft_p90_us", GSIM_SERVED_TTFT, 0.9},
    {"ttft_p99_us", GSIM_SERVED_TTFT, 0.99},
    {"tpot_p50_us", GSIM_SERVED_TPOT, 0.5},
    {"tpot_p90_us", GSIM_SERVED_TPOT, 0.9},
    {"tpot_p99_us", GSIM_SERVED_TPOT, 0.99},
    {"itl_p99_us", GSIM_SERVED_ITL, 0.99},
    {"e2e_p50_us", GSIM_SERVED_E2E, 0.5},
    {"e2e_p99_us", GSIM_SERVED_E2E, 0.99},
};

const char *gsim_serve_name(size_t column) { return columns[column].name; }

double gsim_serve_value(struct gsim_serving_result *r, size_t column)
{
    if (columns[column].figure >= 0)
        return gsim_quantile(&r->figures[columns[column].figure], columns[column].fraction);
    double count = columns[column].fraction < 0.5   ? (double)r->requests
                   : columns[column].fraction < 1.5 ? (double)r->tokens
                                                    : (double)r->good;
    return gsim_serving_rate(r, count);
}

static const char *time_text(char text[GSIM_TEXT_SIZE], double us)
{
    if (!isfinite(us)) return "-";
    return gsim_text_us(text, us);
}

/* A column's mean over the draws, or half of its 95 % interval. */
static double figure_of(const struct gsim_stats stats[GSIM_SERVE_COLUMNS], size_t column, bool is_half)
{
    return is_half ? gsim_stats_ci95(&stats[column]) : gsim_stats_mean(&stats[column]);
}

static void put_figures(struct gsim_output *out, const struct gsim_stats stats[GSIM_SERVE_COLUMNS], uint32_t gpus,
                        bool is_half)
{
    char text[GSIM_TEXT_SIZE];
    double goodput = figure_of(stats, 2, is_half);
    gsim_output_printf(out, " %8.5g %8.5g %8.5g", figure_of(stats, 1, is_half), goodput, goodput / gpus);
    for (size_t c = 3; c < 9; c++)
        if (c % 3 != 1) gsim_output_printf(out, " %8s", time_text(text, figure_of(stats, c, is_half)));
    gsim_output_text(out, "\n");
}

void gsim_serve_put_row(struct gsim_output *out, const struct gsim_serve_cell *cell, uint32_t gpus,
                        const struct gsim_stats stats[GSIM_SERVE_COLUMNS])
{
    char rate[32];
    snprintf(rate, sizeof rate, "%.5g", cell->rate);
    gsim_output_printf(out, "%7s %-13s %-9s %4u", cell->rate > 0 ? rate : "file", cell->policy->name,
                       gsim_beside_text(cell->beside), gpus);
    put_figures(out, stats, gpus, false);
    if (stats->count < 2) return;
    gsim_output_printf(out, "%36s", "+-");
    put_figures(out, stats, gpus, true);
}

void gsim_serve_put_csv_row(struct gsim_output *out, const struct gsim_serving_spec *spec,
                            const struct gsim_serve_cell *cell, uint64_t requests,
                            const struct gsim_stats stats[GSIM_SERVE_COLUMNS], uint32_t draws)
{
    gsim_output_put(out, "%c,%c,%s,%.9g,%z", spec->name, cell->policy->name, gsim_beside_text(cell->beside), cell->rate,
                    (unsigned long long)requests);
    for (size_t c = 0; c < GSIM_SERVE_COLUMNS * (draws > 1 ? 2 : 1); c++) {
        double value = figure_of(stats, c % GSIM_SERVE_COLUMNS, c >= GSIM_SERVE_COLUMNS);
        if (c == GSIM_SERVE_COLUMNS) gsim_output_printf(out, ",%u", gsim_serving_gpus(spec, cell->policy));
        gsim_output_text(out, ",");
        if (isfinite(value)) gsim_output_real(out, value);
    }
    if (draws < 2) gsim_output_printf(out, ",%u", gsim_serving_gpus(spec, cell->policy));
    gsim_output_text(out, "\n");
}

void gsim_serve_put_heads(struct gsim_output *table, struct gsim_output *csv, struct gsim_cli_server *server,
                          uint32_t draws)
{
    char seeds[64];
    unsigned long long seed = (unsigned long long)gsim_cli_server_seed(server);
    if (draws > 1) snprintf(seeds, sizeof seeds, "means of seeds %llu to %llu", seed, seed + draws - 1);
    else snprintf(seeds, sizeof seeds, "seed %llu", seed);
    gsim_output_printf(table, "%s on %s, %s: rate and goodput in requests per s, of it a GPU's; tokens per s%s\n\n",
                       gsim_cli_server_spec(server)->name, gsim_cli_server_library(server)->device->name, seeds,
                       draws > 1 ? ";\n+-: half of a mean's 95 % interval" : "");
    gsim_output_printf(table, "%7s %-13s %-9s %4s %8s %8s %8s %8s %8s %8s %8s\n", "rate", "batching",
                       "prefill", "GPUs", "tokens", "goodput", "per GPU", "TTFT p50", "p99", "TPOT p50", "p99");
    if (!csv) return;
    gsim_output_text(csv, "name,batching,prefill_beside,rate_per_s,requests");
    for (size_t c = 0; c < GSIM_SERVE_COLUMNS; c++) gsim_output_printf(csv, ",%s", columns[c].name);
    gsim_output_text(csv, ",gpus");
    for (size_t c = 0; c < GSIM_SERVE_COLUMNS && draws > 1; c++) gsim_output_printf(csv, ",%s_ci95", columns[c].name);
    gsim_output_text(csv, "\n");
}
