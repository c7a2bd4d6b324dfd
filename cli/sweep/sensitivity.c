/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim sensitivity": which numbers of the device matter for a result. The runs: worker
 * processes (sim/base/jobs/pool.h); the designs and effects: sweep/sensitivity.h.
 */

#include "plots/figure.h"
#include "cli/figures/plot.h"
#include "sim/base/text.h"
#include "sim/base/jobs/each.h"
#include <string.h>
#include "plots/tornado.h"
#include "gpusim/order.h"
#include "ask/questions/sensitivity.h"
#include "sweep/sensitivity.h"

#define SPREAD_DEFAULT 10.0 /* per cent */
#define MORRIS_DEFAULT 20   /* places: the literature's 10 to 50 */
#define SOBOL_DEFAULT  256

struct gsim_sensitivity {
    const struct gsim_cli_arguments *arguments;
    struct gsim_cli_setup setup;
    const struct gsim_scheduler_ops *scheduler, *base; /* base NULL: the result is a time, else a speed-up */
    struct gsim_input inputs[GSIM_DEVICE_NUMBER_COUNT];
    struct gsim_effect effects[GSIM_DEVICE_NUMBER_COUNT];
    size_t input_count;
    double spread; /* per cent; 0: by the kind of each number */
    struct gsim_design design;
    double *y; /* by point */
    int stopped_by; /* a signal; 0: none */
    struct gsim_arena arena;
};

/* What is told of each method. */
static const struct method {
    const char *title, *head, *explanation, *csv, *legend[2], *label;
} methods[] = {
    [GSIM_ONE_AT_A_TIME] = {"each number alone", "       lower      higher\n",
                            "\n  lower, higher  change of the result when this number alone is at that end of its "
                            "range\n",
                            "result,result_low,result_high\n", {"number lower", "number higher"},
                            "change of the time (%)"},
    [GSIM_MORRIS] = {"Morris' elementary effects", "      size      mean  st. dev.\n",
                     "\n  size    mean size of the change from one end of the range to the other, of the mean result\n"
                     "  mean    the same with its sign\n"
                     "  spread  how much it depends on where the others are: interactions, steps\n",
                     "effect_size,effect_mean,effect_spread\n", {"size of the effect", "spread of the effect"},
                     "effect of the whole range (%)"},
    [GSIM_SOBOL] = {"Sobol indices", "           alone          in all\n",
                    "\n  alone   share of the result's variance due to this number alone\n"
                    "  in all  with its interactions; both with 95 % intervals (bootstrap)\n",
                    "first,first_half,total,total_half\n", {"with interactions", "alone"}, "share of the variance"},
};

/* --- effects as a table, as CSV and as a picture, the largest first --- */
#define MAX_BARS 20
#define LEAST     5e-4 /* effects below this share of the largest are not listed, */
#define MIN_BAR 1e-2 /* and below this one not drawn */

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
    if (s->design.method == GSIM_ONE_AT_A_TIME) return fmax(fabs(effect->low), fabs(effect->high));
    return s->design.method == GSIM_MORRIS ? effect->size : effect->total;
}

GSIM_ORDER(by_size, struct ranking, GSIM_DOWN(size) GSIM_UP(input))

/* --- the table --- */
static void put_head(const struct gsim_sensitivity *s, struct gsim_output *output)
{
    char time[GSIM_TEXT_SIZE], count[GSIM_TEXT_SIZE];
    gsim_output_printf(output, "Sensitivity of %s of %s with %s on %s",
                       s->base ? "the speed-up" : "the time of an iteration", s->arguments->value[GSIM_CLI_WORKLOAD],
                       s->scheduler->name, s->setup.device.name);
    if (s->base) gsim_output_printf(output, " over %s", s->base->name);
    gsim_output_printf(output, "\nto %zu numbers of the device, ", s->input_count);
    if (s->spread > 0) gsim_output_printf(output, "each +- %g %%", s->spread);
    else gsim_output_text(output, "each as far as its kind suggests");
    gsim_output_printf(output, ": %s, %s runs", methods[s->design.method].title,
                       gsim_text_count(count, s->design.points));
    if (s->design.method == GSIM_ONE_AT_A_TIME && !s->base)
        gsim_output_printf(output, ", %s as it is", gsim_text_us(time, s->y[0]));
    if (s->design.method == GSIM_ONE_AT_A_TIME && s->base) gsim_output_printf(output, ", %.3f as it is", s->y[0]);
    gsim_output_text(output, "\n\n");
    gsim_output_printf(output, "%-32s %10s %-6s %-10s %9s%s", "number", "value", "unit", "kind", "varied by",
                       methods[s->design.method].head);
}

static void put_row(const struct gsim_sensitivity *s, size_t i, double unit, struct gsim_output *output)
{
    const struct gsim_input *input = &s->inputs[i];
    const struct gsim_effect *effect = &s->effects[i];
    gsim_output_printf(output, "%-32s %10.6g %-6s %-10s %7.3g %%", gsim_device_number_name(input->number), input->value,
                       gsim_device_number_unit(input->number),
                       gsim_number_kind_name(s->setup.device.kind[input->number]), input->spread);
    if (s->design.method == GSIM_ONE_AT_A_TIME)
        gsim_output_printf(output, " %+9.2f %% %+9.2f %%\n", effect->low / unit, effect->high / unit);
    else if (s->design.method == GSIM_MORRIS)
        gsim_output_printf(output, " %7.2f %% %+7.2f %% %7.2f %%\n", effect->size / unit, effect->mean / unit,
                           effect->spread / unit);
    else
        gsim_output_printf(output, "   %5.3f +- %5.3f  %5.3f +- %5.3f\n", effect->first, effect->first_half,
                           effect->total, effect->total_half);
}

#define MAX_NAMED 12 /* of the numbers without an effect */

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
    if (answer->shown < s->input_count) {
        size_t shown = answer->shown;
        size_t count = s->input_count - shown, column = 0;
        gsim_output_printf(output, "(%zu other%s no effect to speak of", count, count == 1 ? " has" : "s have");
        for (size_t i = shown; i < s->input_count && count <= MAX_NAMED; i++) {
            const char *name = gsim_device_number_name(s->inputs[answer->ranks[i].input].number);
            gsim_output_printf(output, "%s%s", i == shown ? ": " : column > 90 ? ",\n " : ", ", name);
            column = i == shown ? 40 + strlen(name) : column > 90 ? strlen(name) : column + 2 + strlen(name);
        }
        gsim_output_text(output, ")\n");
    }
    gsim_output_text(output, methods[s->design.method].explanation);
    /* Which kernels cannot answer to the numbers that say how fast kernels run. */
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

/* --- CSV --- */
static void put_csv(const void *what, struct gsim_output *output)
{
    const struct gsim_sensitivity *s = ((const struct answer *)what)->s;
    gsim_output_text(output, "number,value,unit,kind,low,high,");
    gsim_output_text(output, methods[s->design.method].csv);
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
static enum gsim_status draw(struct gsim_sensitivity *s, const struct ranking *ranks, size_t shown,
                             struct gsim_error *error)
{
    while (shown > 1 && ranks[shown - 1].size < MIN_BAR * ranks[0].size) shown--;
    struct gsim_tornado_row rows[MAX_BARS];
    const struct method *method = &methods[s->design.method];
    bool alone = s->design.method == GSIM_ONE_AT_A_TIME, morris = s->design.method == GSIM_MORRIS;
    struct gsim_tornado tornado = {.rows = rows,
                                   .row_count = shown < MAX_BARS ? shown : MAX_BARS,
                                   .legend = {method->legend[0], method->legend[1]},
                                   .label = alone && s->base ? "change of the speed-up (%)" : method->label,
                                   .side_by_side = alone};
    double unit = unit_of(s);
    for (size_t i = 0; i < tornado.row_count; i++) {
        const struct gsim_effect *e = &s->effects[ranks[i].input];
        rows[i].name = gsim_device_number_name(s->inputs[ranks[i].input].number);
        rows[i].bars[0] = (alone ? e->low : morris ? e->size : e->total) / unit;
        rows[i].bars[1] = (alone ? e->high : morris ? e->spread : fmax(0, e->first)) / unit;
    }
    return gsim_cli_draw_tornado(s->arguments, &tornado, error);
}

/* The table to standard output, --csv and the picture. */
static enum gsim_status deliver(struct gsim_sensitivity *s, struct gsim_error *error)
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

/* --- which numbers --- */
static void add_input(struct gsim_sensitivity *s, enum gsim_device_number number, double spread)
{
    s->input_count += gsim_input_of(&s->inputs[s->input_count], &s->setup.device, number, spread);
}

static enum gsim_status choose_inputs(struct gsim_sensitivity *s, struct gsim_error *error)
{
    const char *spread_text = s->arguments->value[GSIM_CLI_SPREAD], *list = s->arguments->value[GSIM_CLI_NUMBERS];
    double spread = SPREAD_DEFAULT;
    if (spread_text && strcmp(spread_text, "kind") == 0)
        spread = 0;
    else if (spread_text && (!gsim_text_quantity(spread_text, &spread) || spread < 0.1 || spread > 90))
        return gsim_refuse(error, "--spread: expected per cent from 0.1 to 90, or kind, found '%s'", spread_text);
    s->spread = spread;
    if (!list || strcmp(list, "all") == 0) {
        for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++)
            if (list || !gsim_number_is_certain((enum gsim_device_number)i))
                add_input(s, (enum gsim_device_number)i, spread);
        return GSIM_OK;
    }
    char name[61];
    for (const char *at = list; gsim_text_item(&at, name, sizeof name);) {
        enum gsim_device_number number;
        const char *own = strncmp(name, "device.", 7) == 0 ? name + 7 : name;
        if (gsim_cli_device_number(GSIM_CLI_NUMBERS, own, &number, error)) return error->status;
        for (size_t i = 0; i < s->input_count; i++)
            if (s->inputs[i].number == number) return gsim_refuse(error, "--numbers: '%s' is given twice", name);
        add_input(s, number, spread);
    }
    if (s->input_count) return GSIM_OK;
    return gsim_refuse(error, "--numbers: expected some that are not 0 on this device, found '%s'", list);
}

static enum gsim_status choose_design(struct gsim_sensitivity *s, struct gsim_error *error)
{
    uint32_t count, seed;
    int method;
    if (gsim_cli_choice(s->arguments, GSIM_CLI_METHOD, GSIM_ONE_AT_A_TIME, &method, error)) return error->status;
    s->design.method = (enum gsim_sensitivity_method)method;
    bool is_sampled = s->arguments->value[GSIM_CLI_SAMPLES] != NULL;
    if (s->design.method == GSIM_ONE_AT_A_TIME && (is_sampled || s->arguments->value[GSIM_CLI_SAMPLE_SEED]))
        return gsim_refuse(error, "--sample%s: expected --method morris or sobol with it", is_sampled ? "s" : "-seed");
    count = s->design.method == GSIM_MORRIS ? MORRIS_DEFAULT : SOBOL_DEFAULT;
    enum gsim_status status = gsim_cli_count(s->arguments, GSIM_CLI_SAMPLES, 2, 1e6, count, &count, error);
    if (status == GSIM_OK)
        status = gsim_cli_count(s->arguments, GSIM_CLI_SAMPLE_SEED, 0, UINT32_MAX, 1, &seed, error);
    if (status != GSIM_OK) return status;
    s->design.samples = count;
    s->design.seed = seed;
    s->design.inputs = s->input_count;
    return gsim_design_init(&s->design, error);
}

/* --- one run, in a worker --- */
static enum gsim_status time_of(const struct gsim_sensitivity *s, const struct gsim_scheduler_ops *scheduler,
                                double *us, struct gsim_error *error)
{
    struct gsim_cli_point point;
    struct gsim_timeline timeline = {0};
    struct gsim_metrics metrics;
    enum gsim_status status =
        gsim_cli_point_init(&point, &s->setup, s->arguments->value[GSIM_CLI_WORKLOAD], scheduler, error);
    if (status != GSIM_OK) return status;
    status = gsim_cli_point_run(&point, false, &timeline, &metrics, error);
    *us = gsim_time_us(metrics.iteration_median);
    gsim_timeline_release(&timeline);
    gsim_cli_point_release(&point);
    return status;
}

static enum gsim_status run_point(void *data, uint64_t item, void *result, struct gsim_error *error)
{
    struct gsim_sensitivity *s = data;
    double *y = result;
    enum gsim_status status = GSIM_OK;
    double us = NAN, base_us;
    for (size_t i = 0; i < s->input_count && status == GSIM_OK; i++) {
        const struct gsim_input *input = &s->inputs[i];
        double u = s->design.u[item * s->input_count + i];
        /* The middle of the cube is the device as it is, also where a range was cut off at one end. */
        double value = u < 0.5 ? input->low + (input->value - input->low) * 2 * u
                               : input->value + (input->high - input->value) * (2 * u - 1);
        char text[40];
        snprintf(text, sizeof text, "%.17g", input->is_count ? round(value) : value);
        status = gsim_device_set_number(&s->setup.device, gsim_device_number_name(input->number), text, error);
    }
    if (status == GSIM_OK) status = time_of(s, s->scheduler, &us, error);
    *y = us;
    if (status != GSIM_OK || !s->base) return status;
    status = time_of(s, s->base, &base_us, error);
    *y = base_us / us;
    return status;
}

/* --- all runs ---------------------------------------------------------------------------------------------------- */
/* An effect needs all its points: the first failure ends the analysis. */
static enum gsim_status keep_point(void *data, uint64_t item, const void *result, const struct gsim_error *failure,
                             struct gsim_error *error)
{
    struct gsim_sensitivity *s = data;
    s->y[item] = *(const double *)result;
    if (!failure->status && isfinite(s->y[item])) return GSIM_OK;
    return gsim_error_set(error, GSIM_SIM, "point %zu of %zu failed: %.400s", (size_t)item + 1, s->design.points,
                          failure->message);
}

static enum gsim_status run_all(struct gsim_sensitivity *s, struct gsim_error *error)
{
    struct gsim_progress progress;
    struct gsim_each each = {.count = s->design.points, .size = sizeof *s->y, .run = run_point, .data = s,
                             .deliver = keep_point, .progress = &progress, .heeds_signals = true};
    enum gsim_status status = gsim_cli_jobs(s->arguments, 0, &each.jobs, error);
    if (status != GSIM_OK) return status;
    s->y = gsim_alloc(sizeof *s->y * each.count);
    gsim_progress_start(&progress, each.count, stderr);
    status = gsim_each_run(&each, error);
    s->stopped_by = each.stopped_by;
    gsim_progress_end(&progress, s->stopped_by || status != GSIM_OK);
    return status;
}

/* --- the command ------------------------------------------------------------------------------------------------- */
static enum gsim_status check(struct gsim_sensitivity *s, struct gsim_error *error)
{
    const struct gsim_cli_arguments *arguments = s->arguments;
    const char *picture = arguments->value[GSIM_CLI_OUTPUT];
    const char *base = arguments->value[GSIM_CLI_BASE];
    struct gsim_figure_size size; /* told before the runs, used behind them */
    if (gsim_cli_need_program(arguments, error)) return error->status;
    enum gsim_status status = gsim_cli_scheduler(arguments->value[GSIM_CLI_SCHED], &s->scheduler, error);
    if (status == GSIM_OK && base) status = gsim_cli_scheduler(base, &s->base, error);
    if (status != GSIM_OK) return status;
    if (picture && (status = gsim_figure_check(picture, error)) != GSIM_OK) return gsim_error_prefix(error, "--output");
    status = gsim_cli_figure_size(arguments, GSIM_FIGURE_COLUMN_CM, &size, error);
    if (status != GSIM_OK) return status;
    const struct gsim_scheduler_ops *schedulers[] = {s->scheduler, s->base};
    return gsim_cli_check_opts(arguments, schedulers, s->base ? 2 : 1, error);
}

int gsim_cli_sensitivity(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct gsim_sensitivity *s = gsim_alloc(sizeof *s);
    s->arguments = arguments;
    enum gsim_status status = check(s, error);
    if (status == GSIM_OK) status = gsim_cli_setup_init(&s->setup, arguments, error);
    s->setup.until_steady = true; /* as gpusim compare */
    if (status == GSIM_OK) status = choose_inputs(s, error);
    if (status == GSIM_OK) status = choose_design(s, error);
    if (status == GSIM_OK) {
        /* Reads the program once before the workers do: what is wrong with it is told as gpusim run tells it. */
        struct gsim_cli_point point;
        const char *workload = s->arguments->value[GSIM_CLI_WORKLOAD];
        if (strcmp(workload, "-") == 0)
            status = gsim_refuse(
                error, "--workload: the program is read many times, standard input cannot be: expected a file");
        if (status == GSIM_OK) status = gsim_cli_point_init(&point, &s->setup, workload, s->scheduler, error);
        if (status == GSIM_OK) gsim_cli_note_devices(&point.program, (const char *const[]){s->setup.device.name}, 1);
        if (status == GSIM_OK) gsim_cli_point_release(&point);
    }
    if (status == GSIM_OK) status = run_all(s, error);
    int stopped_by = s->stopped_by;
    if (status == GSIM_OK && !stopped_by) gsim_design_effects(&s->design, s->y, s->effects);
    if (status == GSIM_OK && !stopped_by) status = deliver(s, error);
    gsim_free(s->y);
    gsim_design_release(&s->design);
    gsim_cli_setup_release(&s->setup);
    gsim_arena_release(&s->arena);
    gsim_free(s);
    if (status || !stopped_by) return status;
    fprintf(stderr, "gpusim: no file was changed; the same command starts afresh\n");
    return gsim_cli_exit(error, 128 + stopped_by);
}
