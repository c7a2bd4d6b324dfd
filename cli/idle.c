/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). Notes on options that do nothing: each --opt of the machine or of a scheduler is left out in
 * turn, and where every run takes exactly as long without it, that is said, with the reason where there is one to name.
 */
#include <string.h>

#include "cli/cli.h"
#include "sim/device/device.h"

/* Longer runs are not repeated for a note; and who gives more options describes a machine, and asks of none of them. */
#define MAX_KERNELS 20000
#define MAX_OPTS     4

static bool is_given_by_time(const struct gsim_kernel *kernel, const struct gsim_device_spec *device)
{
    return kernel->solo_us > 0 && (!kernel->solo_device || strcmp(kernel->solo_device, device->name) == 0);
}

bool gsim_cli_is_of_kernels(enum gsim_device_number number)
{
    static const char *const others[] = {"memory_gb",   "resident_grids", "hw_queues",       "launch_queue_depth",
                                         "copy_engines", "kernel_spread",  "priority_levels", "dram_peak_gbps",
                                         "spread_gaps",  "spread_least",   "spread_width"};
    const char *name = gsim_device_number_name(number);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(others[i], name) == 0) return false;
    return number < GSIM_DEV_launch_to_start_us;
}

bool gsim_cli_time_alone_text(const struct gsim_program *program, const struct gsim_device_spec *device, char text[160])
{
    size_t given = 0;
    for (uint32_t i = 0; i < program->kernel_count; i++) given += is_given_by_time(&program->kernels[i], device);
    text[0] = '\0';
    if (!given) return false;
    if (given == program->kernel_count)
        snprintf(text, 160, "all kernels are given by their time alone (solo_us), which stays");
    else
        snprintf(text, 160, "%zu of %u kernels are given by their time alone (solo_us), which stays", given,
                 program->kernel_count);
    return true;
}

/* The number that "gpu.NAME=..." or "device.NAME=..." sets; the count of numbers where it sets none. */
static enum gsim_device_number number_of(const char *opt)
{
    char name[64];
    const char *dot = strchr(opt, '.');
    if (!dot) return GSIM_DEVICE_NUMBER_COUNT;
    snprintf(name, sizeof name, "%.*s", (int)(strcspn(dot + 1, "=") < 60 ? strcspn(dot + 1, "=") : 60), dot + 1);
    return gsim_device_number_find(name);
}

/* Why it does nothing, as far as the run's settings tell. */
static void put_reason(const struct gsim_cli_setup *setup, const struct gsim_program *program,
                       enum gsim_device_number number)
{
    char text[160];
    const char *section = number < GSIM_DEVICE_NUMBER_COUNT ? gsim_device_number_section(number) : "";
    bool is_managed = setup->memory == GSIM_MEMORY_MANAGED;
    if (strcmp(section, "link") == 0 && is_managed)
        fprintf(stderr, ": managed memory moves by prefetch_gbps and fault_total_gbps; device." GSIM_DEVICE_PCIE
                        " sets all of the link");
    else if (strcmp(section, "managed") == 0 && !is_managed)
        fprintf(stderr, ": the run's memory is not managed");
    else if (number < GSIM_DEVICE_NUMBER_COUNT && gsim_cli_is_of_kernels(number) &&
             gsim_cli_time_alone_text(program, &setup->device, text))
        fprintf(stderr, ": %s", text);
    fprintf(stderr, "\n");
}

struct outcome {
    gsim_time makespan, iterations;
    bool failed;
};

static struct outcome run_without(const struct gsim_cli_arguments *arguments, size_t left_out,
                                  const struct gsim_cli_case *cell, bool until_steady)
{
    struct gsim_cli_arguments fewer = *arguments;
    struct gsim_cli_setup setup = {0};
    struct gsim_cli_point point = {0};
    struct gsim_timeline timeline = {0};
    struct gsim_metrics metrics = {0};
    struct gsim_error ignored = {0};
    struct outcome outcome = {.failed = true};
    fewer.opts = gsim_alloc(sizeof *fewer.opts * (arguments->opt_count + 1));
    fewer.opt_count = 0;
    for (size_t i = 0; i < arguments->opt_count; i++)
        if (i != left_out) fewer.opts[fewer.opt_count++] = arguments->opts[i];
    enum gsim_status status = gsim_cli_setup_init(&setup, &fewer, &ignored);
    setup.until_steady = until_steady;
    setup.is_quiet = true;
    if (status == GSIM_OK) status = gsim_cli_point_init(&point, &setup, cell->workload, cell->scheduler, &ignored);
    if (status == GSIM_OK) status = gsim_cli_point_run(&point, false, &timeline, &metrics, &ignored);
    if (status == GSIM_OK) outcome = (struct outcome){metrics.makespan, metrics.iteration_total, false};
    gsim_timeline_release(&timeline);
    gsim_cli_point_release(&point);
    gsim_cli_setup_release(&setup);
    gsim_free(fewer.opts);
    return outcome;
}

/* Of what perturbed copies draw: it is theirs. */
static bool is_of_copies(const struct gsim_cli_setup *setup, size_t opt)
{
    const char *name = gsim_device_number_name(number_of(setup->arguments->opts[opt]));
    return setup->arguments->value[GSIM_CLI_SPREAD_RUNS] && strstr(name, "spread");
}

static bool is_idle(const struct gsim_cli_setup *setup, size_t opt, const struct gsim_cli_case *cells, size_t count)
{
    if (number_of(setup->arguments->opts[opt]) < GSIM_DEVICE_NUMBER_COUNT && is_of_copies(setup, opt)) return false;
    for (size_t i = 0; i < count; i++) {
        struct outcome outcome = run_without(setup->arguments, opt, &cells[i], setup->until_steady);
        if (outcome.failed || outcome.makespan != cells[i].makespan || outcome.iterations != cells[i].iteration_total)
            return false;
    }
    return true;
}

void gsim_cli_note_idle_opts(const struct gsim_cli_setup *setup, const struct gsim_cli_case *cells, size_t count)
{
    struct gsim_cli_point point;
    struct gsim_error ignored = {0};
    struct gsim_cli_setup again = *setup;
    size_t kernels = 0;
    again.is_quiet = true;
    for (size_t i = 0; i < count; i++) {
        kernels += cells[i].kernels;
        if (strcmp(cells[i].workload, "-") == 0) return; /* standard input was read already */
    }
    if (!count || !setup->arguments->opt_count || setup->arguments->opt_count > MAX_OPTS) return;
    if (gsim_cli_point_init(&point, &again, cells[0].workload, cells[0].scheduler, &ignored) != GSIM_OK) return;
    for (size_t i = 0; i < setup->arguments->opt_count; i++) {
        bool idle = kernels <= MAX_KERNELS && is_idle(setup, i, cells, count);
        const char *text = setup->arguments->opts[i];
        enum gsim_device_number number = number_of(text);
        char given[160];
        if (idle) {
            fprintf(stderr, "gpusim: note: --opt %.100s changes nothing here", text);
            put_reason(setup, &point.program, number);
        } else if (number < GSIM_DEVICE_NUMBER_COUNT && gsim_cli_is_of_kernels(number) &&
                   gsim_cli_time_alone_text(&point.program, &setup->device, given)) {
            fprintf(stderr, "gpusim: note: --opt %.100s changes only how kernels share the device: %s\n", text, given);
        }
    }
    gsim_cli_point_release(&point);
}
