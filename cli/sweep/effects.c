/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). See cli/sweep/sensitivity.h: effects as a table, as CSV and as a picture, the largest first.
 */
#include <string.h>

#include "plots/tornado.h"
#include "cli/sweep/sensitivity.h"
#include "gpusim/order.h"
#include "sim/base/text.h"

#define MOST_BARS 20
#define LEAST     5e-4 /* effects below this share of the largest are not listed, */
#define LEAST_BAR 1e-2 /* and below this one not drawn */

struct ranking {
    size_t input;
    double size;
};

/* What effects are given in: per cent of the result as it is; shares of the variance stay as they are. */
static double unit_of(const struct gsim_sensitivity *s)
{
    double middle = s->y[0];
    if (s->design.method == GSIM_SOBOL) return 1;
    if (s->design.method == GSIM_MORRIS) { /* no point is the device as it is: the mean of all */
        middle = 0;
        for (size_t i = 0; i < s->design.points; i++) middle += s->y[i] / (double)s->design.points;
    }
    return middle / 100;
}

static double size_of(const struct gsim_sensitivity *s, size_t i)
{
    const struct gsim_effect *effect = &s->effects[i];
    switch (s->design.method) {
    case GSIM_ONE_AT_A_TIME:
        return fmax(fabs(effect->low), fabs(effect->high));
    case GSIM_MORRIS:
        return effect->size;
    case GSIM_SOBOL:
        return effect->total;
    }
    GSIM_BUG("method %d", (int)s->design.method);
}

GSIM_ORDER(by_size, struct ranking, GSIM_DOWN(size) GSIM_UP(input))

/* --- the table --- */
static void put_head(const struct gsim_sensitivity *s, struct gsim_output *output)
{
    static const char *const methods[] = {"each number alone", "Morris' elementary effects", "Sobol indices"};
    char time[GSIM_TEXT_SIZE], count[GSIM_TEXT_SIZE];
    gsim_output_printf(output, "Sensitivity of %s of %s with %s on %s",
                       s->base ? "the speed-up" : "the time of an iteration", s->arguments->value[GSIM_CLI_WORKLOAD],
                       s->scheduler->name, s->setup.device.name);
    if (s->base) gsim_output_printf(output, " over %s", s->base->name);
    gsim_output_printf(output, "\nto %zu numbers of the device, ", s->input_count);
    if (s->spread > 0) gsim_output_printf(output, "each +- %g %%", s->spread);
    else gsim_output_text(output, "each as far as its kind suggests");
    gsim_output_printf(output, ": %s, %s runs", methods[s->design.method], gsim_text_count(count, s->design.points));
    if (s->design.method == GSIM_ONE_AT_A_TIME && !s->base)
        gsim_output_printf(output, ", %s as it is", gsim_text_us(time, s->y[0]));
    if (s->design.method == GSIM_ONE_AT_A_TIME && s->base) gsim_output_printf(output, ", %.3f as it is", s->y[0]);
    gsim_output_text(output, "\n\n");
    gsim_output_printf(output, "%-32s %10s %-6s %-10s %9s", "number", "value", "unit", "kind", "varied by");
    switch (s->design.method) {
    case GSIM_ONE_AT_A_TIME:
        gsim_output_printf(output, " %11s %11s\n", "lower", "higher");
        return;
    case GSIM_MORRIS:
        gsim_output_printf(output, " %9s %9s %9s\n", "size", "mean", "st. dev.");
        return;
    case GSIM_SOBOL:
        gsim_output_printf(output, " %15s %15s\n", "alone", "in all");
        return;
    }
}

static void put_row(const struct gsim_sensitivity *s, size_t i, double unit, struct gsim_output *output)
{
    const struct gsim_input *input = &s->inputs[i];
    const struct gsim_effect *effect = &s->effects[i];
    gsim_output_printf(output, "%-32s %10.6g %-6s %-10s %7.3g %%", gsim_device_number_name(input->number), input->value,
                       gsim_device_number_unit(input->number),
                       gsim_number_kind_name(s->setup.device.kind[input->number]), input->spread);
    switch (s->design.method) {
    case GSIM_ONE_AT_A_TIME:
        gsim_output_printf(output, " %+9.2f %% %+9.2f %%\n", effect->low / unit, effect->high / unit);
        return;
    case GSIM_MORRIS:
        gsim_output_printf(output, " %7.2f %% %+7.2f %% %7.2f %%\n", effect->size / unit, effect->mean / unit,
                           effect->spread / unit);
        return;
    case GSIM_SOBOL:
        gsim_output_printf(output, "   %5.3f +- %5.3f  %5.3f +- %5.3f\n", effect->first, effect->first_half,
                           effect->total, effect->total_half);
        return;
    }
}

static void put_explanation(const struct gsim_sensitivity *s, struct gsim_output *output)
{
    switch (s->design.method) {
    case GSIM_ONE_AT_A_TIME:
        gsim_output_text(
            output, "\n  lower, higher  change of the result when this number alone is at that end of its range\n");
        return;
    case GSIM_MORRIS:
        gsim_output_text(
            output, "\n  size    mean size of the change from one end of the range to the other, of the mean result\n"
                    "  mean    the same with its sign\n"
                    "  spread  how much it depends on where the others are: interactions, steps\n");
        return;
    case GSIM_SOBOL:
        gsim_output_text(output, "\n  alone   share of the result's variance due to this number alone\n"
                                 "  in all  with its interactions; both with 95 % intervals (bootstrap)\n");
        return;
    }
}

#define MOST_NAMED 12 /* of the numbers without an effect */

static void put_others(const struct gsim_sensitivity *s, const struct ranking *ranks, size_t shown,
                       struct gsim_output *output)
{
    size_t count = s->input_count - shown, column = 0;
    gsim_output_printf(output, "(%zu other%s no effect to speak of", count, count == 1 ? " has" : "s have");
    for (size_t i = shown; i < s->input_count && count <= MOST_NAMED; i++) {
        const char *name = gsim_device_number_name(s->inputs[ranks[i].input].number);
        gsim_output_printf(output, "%s%s", i == shown ? ": " : column > 90 ? ",\n " : ", ", name);
        column = i == shown ? 40 + strlen(name) : column > 90 ? strlen(name) : column + 2 + strlen(name);
    }
    gsim_output_text(output, ")\n");
}

/* Which kernels cannot answer to the numbers that say how fast kernels run. */
static void put_time_alone(const struct gsim_sensitivity *s, struct gsim_output *output)
{
    struct gsim_cli_point point;
    struct gsim_error ignored = {0};
    char text[160];
    bool varies_kernels = false;
    for (size_t i = 0; i < s->input_count && !varies_kernels; i++)
        varies_kernels = gsim_cli_is_of_kernels(s->inputs[i].number);
    const char *workload = s->arguments->value[GSIM_CLI_WORKLOAD];
    if (!varies_kernels || gsim_cli_point_init(&point, &s->setup, workload, s->scheduler, &ignored) != GSIM_OK) return;
    if (gsim_cli_time_alone_text(&point.program, &s->setup.device, text))
        gsim_output_printf(
            output,
            "\n  Note: %s;\n  sm_count, clock_mhz, dram_gbps and their like change only how these share the device.\n",
            text);
    gsim_cli_point_release(&point);
}

/* What is told, the SHOWN largest effects first. */
struct answer {
    const struct gsim_sensitivity *s;
    struct ranking ranks[GSIM_DEVICE_NUMBER_COUNT];
    size_t shown;
};

static void put_table(const void *what, struct gsim_output *output)
{
    const struct answer *answer = what;
    const struct gsim_sensitivity *s = answer->s;
    double unit = unit_of(s);
    put_head(s, output);
    for (size_t i = 0; i < answer->shown; i++) put_row(s, answer->ranks[i].input, unit, output);
    if (answer->shown < s->input_count) put_others(s, answer->ranks, answer->shown, output);
    put_explanation(s, output);
    put_time_alone(s, output);
}

/* --- CSV --- */
static void put_csv(const void *what, struct gsim_output *output)
{
    const struct gsim_sensitivity *s = ((const struct answer *)what)->s;
    gsim_output_text(output, "number,value,unit,kind,low,high,");
    gsim_output_text(output, s->design.method == GSIM_ONE_AT_A_TIME ? "result,result_low,result_high\n"
                              : s->design.method == GSIM_MORRIS      ? "effect_size,effect_mean,effect_spread\n"
                                                                     : "first,first_half,total,total_half\n");
    for (size_t i = 0; i < s->input_count; i++) {
        const struct gsim_input *input = &s->inputs[i];
        const struct gsim_effect *e = &s->effects[i];
        gsim_output_printf(output, "%s,%.12g,%s,%s,%.12g,%.12g,", gsim_device_number_name(input->number), input->value,
                           gsim_device_number_unit(input->number),
                           gsim_number_kind_name(s->setup.device.kind[input->number]), input->low, input->high);
        if (s->design.method == GSIM_ONE_AT_A_TIME)
            gsim_output_printf(output, "%.9g,%.9g,%.9g\n", s->y[0], s->y[0] + e->low, s->y[0] + e->high);
        else if (s->design.method == GSIM_MORRIS)
            gsim_output_printf(output, "%.9g,%.9g,%.9g\n", e->size, e->mean, e->spread);
        else
            gsim_output_printf(output, "%.9g,%.9g,%.9g,%.9g\n", e->first, e->first_half, e->total, e->total_half);
    }
}

/* --- the picture ------------------------------------------------------------------------------------------------- */
static void fill_tornado(const struct gsim_sensitivity *s, struct gsim_tornado *tornado)
{
    switch (s->design.method) {
    case GSIM_ONE_AT_A_TIME:
        tornado->legend[0] = "number lower";
        tornado->legend[1] = "number higher";
        tornado->label = s->base ? "change of the speed-up (%)" : "change of the time (%)";
        tornado->side_by_side = true;
        return;
    case GSIM_MORRIS:
        tornado->legend[0] = "size of the effect";
        tornado->legend[1] = "spread of the effect";
        tornado->label = "effect of the whole range (%)";
        return;
    case GSIM_SOBOL:
        tornado->legend[0] = "with interactions";
        tornado->legend[1] = "alone";
        tornado->label = "share of the variance";
        return;
    }
}

static enum gsim_status draw(struct gsim_sensitivity *s, const struct ranking *ranks, size_t shown,
                             struct gsim_error *error)
{
    while (shown > 1 && ranks[shown - 1].size < LEAST_BAR * ranks[0].size) shown--;
    struct gsim_tornado_row rows[MOST_BARS];
    struct gsim_tornado tornado = {.rows = rows, .row_count = shown < MOST_BARS ? shown : MOST_BARS};
    double unit = unit_of(s);
    fill_tornado(s, &tornado);
    for (size_t i = 0; i < tornado.row_count; i++) {
        const struct gsim_effect *e = &s->effects[ranks[i].input];
        bool alone = s->design.method == GSIM_ONE_AT_A_TIME, morris = s->design.method == GSIM_MORRIS;
        rows[i].name = gsim_device_number_name(s->inputs[ranks[i].input].number);
        rows[i].bars[0] = (alone ? e->low : morris ? e->size : e->total) / unit;
        rows[i].bars[1] = (alone ? e->high : morris ? e->spread : fmax(0, e->first)) / unit;
    }
    return gsim_cli_draw_tornado(s->arguments, &tornado, error);
}

enum gsim_status gsim_effects_deliver(struct gsim_sensitivity *s, struct gsim_error *error)
{
    struct answer a = {.s = s};
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < s->input_count; i++) a.ranks[i] = (struct ranking){i, size_of(s, i)};
    qsort(a.ranks, s->input_count, sizeof *a.ranks, by_size);
    while (a.shown < s->input_count && a.ranks[a.shown].size > LEAST * a.ranks[0].size) a.shown++;
    if (s->arguments->value[GSIM_CLI_OUTPUT]) status = draw(s, a.ranks, a.shown ? a.shown : 1, error);
    return status == GSIM_OK ? gsim_cli_write(s->arguments->value[GSIM_CLI_CSV], NULL,
                                              &(struct gsim_cli_forms){.csv = put_csv, .text = put_table}, &a, error)
                             : status;
}
