/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The line of progress of a single run: what it says, that the run's own observer is told all the same, and that
 * nothing of the run changes.
 */
#include "cli/run_progress.h"

#include <unistd.h>

#include "gpusim/workload.h"
#include "sim/device/device.h"
#include "tests/test.h"

struct tally {
    size_t kernels, copies;
};

static void count_kernel(void *data, const struct gsim_kernel_record *record)
{
    (void)record;
    ((struct tally *)data)->kernels++;
}

static void count_copy(void *data, const struct gsim_copy_record *record)
{
    (void)record;
    ((struct tally *)data)->copies++;
}

struct fixture {
    struct gsim_program program;
    struct gsim_device_spec device;
    struct gsim_simulation simulation;
};

static void set_up(struct fixture *f, uint32_t iterations)
{
    struct gsim_error error = {0};
    const struct gsim_workload_ops *img = gsim_workload_find("img");
    memset(f, 0, sizeof *f);
    const struct gsim_workload_options options = {.size = 200, .iterations = iterations};
    CHECK_OK(img->build(&options, &f->program, &error), error);
    CHECK_OK(gsim_device_load("h200", &f->device, &error), error);
    f->simulation = (struct gsim_simulation){.program = &f->program,
                                             .device = &f->device,
                                             .scheduler = gsim_scheduler_find("kesco"),
                                             .prefetch = true,
                                             .iterations = iterations,
                                             .seed = 1};
    gsim_params_set_defaults(gsim_gpu_params, &f->simulation.gpu);
}

static void release(struct fixture *f)
{
    gsim_program_release(&f->program);
    gsim_device_release(&f->device);
}

/* The lines, when time has passed since the last one at every look. */
static void a_line_says_how_far(void)
{
    struct fixture f;
    struct gsim_run_progress progress;
    struct gsim_timeline timeline = {0};
    struct gsim_error error = {0};
    char line[200];
    FILE *out = tmpfile();
    set_up(&f, 100);
    gsim_run_progress_start(&progress, &f.simulation, out);
    CHECK_INT(progress.progress.total, 1100);
    progress.progress.shown_s -= 1000;
    CHECK_OK(gsim_simulate(&f.simulation, &timeline, &error), error);
    gsim_run_progress_end(&progress);
    CHECK_INT(progress.progress.done, timeline.kernel_count);
    rewind(out);
    char *read = fgets(line, sizeof line, out);
    CHECK_MSG(read && strstr(line, " of 1,100 kernels ("), "found '%s'", read ? line : "nothing");
    CHECK_MSG(read && strcmp(line + strlen(line) - 6, " left\n") == 0, "found '%s'", line);
    CHECK(!fgets(line, sizeof line, out)); /* the next one when it is time */
    fclose(out);
    gsim_timeline_release(&timeline);
    release(&f);
}

static void nothing_of_the_run_changes(void)
{
    struct fixture f;
    struct gsim_run_progress progress;
    struct gsim_timeline plain = {0}, watched = {0};
    struct gsim_error error = {0};
    struct tally tally = {0};
    const struct gsim_observer own = {.data = &tally, .on_kernel = count_kernel, .on_copy = count_copy};
    set_up(&f, 3);
    CHECK_OK(gsim_simulate(&f.simulation, &plain, &error), error);
    f.simulation.observer = &own;
    gsim_run_progress_start(&progress, &f.simulation, NULL);
    CHECK(!f.simulation.observer->on_blocks &&
          !f.simulation.observer->on_block_change); /* what its own did not ask for */
    CHECK_OK(gsim_simulate(&f.simulation, &watched, &error), error);
    gsim_run_progress_end(&progress);
    CHECK_INT(watched.kernel_count, plain.kernel_count);
    CHECK_INT(tally.kernels, plain.kernel_count);
    CHECK_INT(tally.copies, plain.copy_count);
    for (size_t i = 0; i < plain.kernel_count && i < watched.kernel_count; i++)
        CHECK(watched.kernels[i].start == plain.kernels[i].start && watched.kernels[i].end == plain.kernels[i].end);
    gsim_timeline_release(&plain);
    gsim_timeline_release(&watched);
    release(&f);
}

/* A run that ends when it repeats does not know how long it is. */
static void without_a_total(void)
{
    struct fixture f;
    struct gsim_run_progress progress;
    set_up(&f, 0);
    f.simulation.until_steady = true;
    gsim_run_progress_start(&progress, &f.simulation, NULL);
    CHECK_INT(progress.progress.total, 0);
    release(&f);
}

static const struct test_case cases[] = {
    {"a line says how far", a_line_says_how_far},
    {"nothing of the run changes", nothing_of_the_run_changes},
    {"without a total", without_a_total},
};
TEST_MAIN("cli/run_progress", cases)
