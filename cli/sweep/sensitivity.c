/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim sensitivity": which numbers of the device matter for a result. The runs: worker
 * processes (sim/base/jobs/pool.h); the designs and effects: sweep/sensitivity.h; table and picture:
 * cli/sweep/effects.c.
 */
#include "cli/sweep/sensitivity.h"

#include "plots/figure.h"
#include "cli/figures/plot.h"
#include "sim/base/text.h"
#include "sim/base/jobs/each.h"

#define SPREAD_DEFAULT 10.0 /* per cent */
#define MORRIS_DEFAULT 20   /* places: the literature's 10 to 50 */
#define SOBOL_DEFAULT  256

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
        return gsim_error_set(error, GSIM_USAGE, "--spread: expected per cent from 0.1 to 90, or kind, found '%s'",
                              spread_text);
    s->spread = spread;
    if (!list || strcmp(list, "all") == 0) {
        for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++)
            if (list || !gsim_number_is_certain((enum gsim_device_number)i))
                add_input(s, (enum gsim_device_number)i, spread);
        return GSIM_OK;
    }
    for (const char *word = list; word;) {
        char name[64], hint[96];
        size_t length = strcspn(word, ",");
        struct gsim_nearest nearest;
        snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), word);
        enum gsim_device_number number = gsim_device_number_find(strncmp(name, "device.", 7) == 0 ? name + 7 : name);
        gsim_nearest_init(&nearest, name);
        for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++)
            gsim_nearest_offer(&nearest, gsim_device_number_name((enum gsim_device_number)i));
        if (number == GSIM_DEVICE_NUMBER_COUNT)
            return gsim_error_set(error, GSIM_USAGE,
                                  "--numbers: unknown number '%s'%s (see gpusim list devices --long)", name,
                                  gsim_nearest_text(&nearest, hint, sizeof hint));
        for (size_t i = 0; i < s->input_count; i++)
            if (s->inputs[i].number == number)
                return gsim_error_set(error, GSIM_USAGE, "--numbers: '%s' is given twice", name);
        add_input(s, number, spread);
        word = word[length] ? word + length + 1 : NULL;
    }
    if (s->input_count) return GSIM_OK;
    return gsim_error_set(error, GSIM_USAGE, "--numbers: expected some that are not 0 on this device, found '%s'",
                          list);
}

static enum gsim_status choose_design(struct gsim_sensitivity *s, struct gsim_error *error)
{
    static const char *const names[] = {"oat", "morris", "sobol"};
    const char *method = s->arguments->value[GSIM_CLI_METHOD];
    uint32_t count, seed;
    s->design.method = GSIM_ONE_AT_A_TIME;
    if (method && strcmp(method, names[0]) != 0 && strcmp(method, names[1]) != 0 && strcmp(method, names[2]) != 0)
        return gsim_error_set(error, GSIM_USAGE, "--method: expected oat, morris or sobol, found '%s'", method);
    for (int i = 0; method && i < 3; i++)
        if (strcmp(method, names[i]) == 0) s->design.method = (enum gsim_sensitivity_method)i;
    bool is_sampled = s->arguments->value[GSIM_CLI_SAMPLES] != NULL;
    if (s->design.method == GSIM_ONE_AT_A_TIME && (is_sampled || s->arguments->value[GSIM_CLI_SAMPLE_SEED]))
        return gsim_error_set(error, GSIM_USAGE, "--sample%s: expected --method morris or sobol with it",
                              is_sampled ? "s" : "-seed");
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
static enum gsim_status take(void *data, uint64_t item, const void *result, const struct gsim_error *failure,
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
    struct gsim_each each = {.count = s->design.points, .size = sizeof *s->y, .run = run_point, .take = take, .data = s,
                             .progress = &progress, .heeds_signals = true};
    enum gsim_status status = gsim_cli_jobs(s->arguments, 0, &each.jobs, error);
    if (status != GSIM_OK) return status;
    s->y = gsim_alloc(sizeof *s->y * each.count);
    if (!s->y) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
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
    if (!arguments->value[GSIM_CLI_WORKLOAD])
        return gsim_error_set(error, GSIM_USAGE,
                              "no program: expected --workload NAME|FILE (see gpusim list workloads)");
    if (!arguments->value[GSIM_CLI_SCHED])
        return gsim_error_set(error, GSIM_USAGE, "no scheduler: expected --sched NAME (see gpusim list schedulers)");
    enum gsim_status status = gsim_cli_scheduler(arguments->value[GSIM_CLI_SCHED], &s->scheduler, error);
    if (status == GSIM_OK && base) status = gsim_cli_scheduler(base, &s->base, error);
    if (status != GSIM_OK) return status;
    if (picture && (status = gsim_figure_check(picture, error)) != GSIM_OK) return gsim_error_prefix(error, "--output");
    status = gsim_cli_figure_size(arguments, GSIM_FIGURE_COLUMN_CM, &size, error);
    if (status != GSIM_OK) return status;
    const struct gsim_scheduler_ops *schedulers[] = {s->scheduler, s->base};
    return gsim_cli_check_opts(arguments, schedulers, s->base ? 2 : 1, error);
}

/* Reads the program once before the workers do: what is wrong with it is told as gpusim run tells it. */
static enum gsim_status check_program(struct gsim_sensitivity *s, struct gsim_error *error)
{
    struct gsim_cli_point point;
    const char *workload = s->arguments->value[GSIM_CLI_WORKLOAD];
    if (strcmp(workload, "-") == 0)
        return gsim_error_set(error, GSIM_USAGE,
                              "--workload: the program is read many times, standard input cannot be: expected a file");
    enum gsim_status status = gsim_cli_point_init(&point, &s->setup, workload, s->scheduler, error);
    if (status != GSIM_OK) return status;
    gsim_cli_note_devices(&point.program, (const char *const[]){s->setup.device.name}, 1);
    gsim_cli_point_release(&point);
    return GSIM_OK;
}

int gsim_cli_sensitivity(const struct gsim_cli_arguments *arguments)
{
    struct gsim_error error = {0};
    struct gsim_sensitivity *s = gsim_alloc(sizeof *s);
    enum gsim_status status = s ? GSIM_OK : gsim_error_set(&error, GSIM_NOMEM, "out of memory");
    if (s) s->arguments = arguments;
    if (status == GSIM_OK) status = check(s, &error);
    if (status == GSIM_OK) status = gsim_cli_setup_init(&s->setup, arguments, &error);
    if (s) s->setup.until_steady = true; /* as gpusim compare */
    if (status == GSIM_OK) status = choose_inputs(s, &error);
    if (status == GSIM_OK) status = choose_design(s, &error);
    if (status == GSIM_OK) status = check_program(s, &error);
    if (status == GSIM_OK) status = run_all(s, &error);
    int stopped_by = s ? s->stopped_by : 0;
    if (status == GSIM_OK && !stopped_by) status = gsim_design_effects(&s->design, s->y, s->effects, &error);
    if (status == GSIM_OK && !stopped_by) status = gsim_effects_deliver(s, &error);
    if (s) {
        gsim_free(s->y);
        gsim_design_release(&s->design);
        gsim_cli_setup_release(&s->setup);
        gsim_arena_release(&s->arena);
    }
    gsim_free(s);
    if (status != GSIM_OK) return gsim_cli_fail(&error);
    if (!stopped_by) return 0;
    fprintf(stderr, "gpusim: no file was changed; the same command starts afresh\n");
    return 128 + stopped_by;
}
