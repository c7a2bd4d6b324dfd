/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * embed DEVICE [PROGRAM.json]: simulates a program under the scheduler async, and prints when each kernel of its first
 * iteration ran. Without a file it builds a program of two independent kernels and one that reads what both wrote.
 */
#include <gpusim/gpusim.h>

/* Three kernels of 10 us on one block per SM of a quarter of a chip. */
static enum gsim_status build(struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_builder *b = gsim_builder_create("diamond");
    if (!b) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    const struct gsim_kernel kernel = {.name = "work", .grid = {27, 1, 1}, .block = {256, 1, 1}, .solo_us = 10};
    uint32_t work = gsim_builder_kernel(b, &kernel);
    uint32_t left = gsim_builder_buffer(b, "left", 1 << 20, GSIM_INIT_DEVICE);
    uint32_t right = gsim_builder_buffer(b, "right", 1 << 20, GSIM_INIT_DEVICE);
    const struct gsim_arg args[] = {{.buffer_index = left, .reads = true, .writes = true},
                                    {.buffer_index = right, .reads = true, .writes = true}};
    gsim_builder_op(
        b, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = work, .arg_count = 1, .args = args, .stream = 1});
    gsim_builder_op(
        b,
        &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = work, .arg_count = 1, .args = args + 1, .stream = 2});
    gsim_builder_op(
        b, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = work, .arg_count = 2, .args = args, .stream = 1});
    return gsim_builder_finish(b, 1, program, error);
}

int main(int argc, char **argv)
{
    struct gsim_error error = {0};
    struct gsim_device_spec device = {0};
    struct gsim_program program = {0};
    struct gsim_timeline timeline = {0};

    enum gsim_status status = gsim_device_load(argc > 1 ? argv[1] : GSIM_DEVICE_DEFAULT, &device, &error);
    if (!status) status = argc > 2 ? gsim_program_read(argv[2], &program, &error) : build(&program, &error);
    if (!status) {
        struct gsim_simulation run = {.program = &program,
                                      .device = &device,
                                      .scheduler = gsim_scheduler_find("async"),
                                      .memory = GSIM_MEMORY_PINNED,
                                      .seed = 1};
        gsim_params_set_defaults(gsim_gpu_params, &run.gpu);
        status = gsim_run(&(struct gsim_scenario){.simulation = run}, &timeline, &error);
    }
    for (size_t i = 0; !status && i < timeline.kernel_count && timeline.kernels[i].iteration == 0; i++) {
        const struct gsim_kernel_record *k = &timeline.kernels[i];
        printf("%s stream %u: %.3f to %.3f us\n", program.kernels[k->kernel_index].name, (unsigned)k->stream,
               gsim_time_us(k->start), gsim_time_us(k->end));
    }
    if (status) fprintf(stderr, "embed: %s\n", error.message);
    gsim_timeline_release(&timeline);
    gsim_program_release(&program);
    gsim_device_release(&device);
    return gsim_status_exit(status);
}
