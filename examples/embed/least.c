/* SPDX-License-Identifier: GPL-3.0-or-later */
/* least DEVICE PROGRAM.json: the least that it takes. Prints what gpusim --workload PROGRAM.json --sched kesco
 * predicts. */
#include <gpusim/gpusim.h>

int main(int argc, char **argv)
{
    struct gsim_device_spec device = {0};
    struct gsim_program program = {0};
    struct gsim_timeline timeline = {0};
    struct gsim_metrics metrics;
    struct gsim_error error = {0};
    struct gsim_scenario run = {
        .simulation = {.device = &device, .program = &program, .scheduler = gsim_scheduler_find("kesco"),
                       .prefetch = true, .seed = 1}};
    gsim_params_set_defaults(gsim_gpu_params, &run.simulation.gpu);
    if (argc != 3 || gsim_device_load(argv[1], &device, &error) || gsim_program_read(argv[2], &program, &error) ||
        gsim_run(&run, &timeline, &error) || gsim_metrics_compute(&timeline, &device, NULL, &metrics, &error))
        return fprintf(stderr, "least: %s\n", error.message), 1;
    return printf("%.6f us\n", gsim_time_us(metrics.makespan)) < 0;
}
