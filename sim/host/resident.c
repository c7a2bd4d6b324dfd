/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The call that launches a persistent kernel: a launch like any other for the host. The kernel:
 * sim/resident/resident.c. */
#include "gpusim/model.h"
#include "sim/host/api.h"
#include "sim/resident/resident.h"

static bool are_kernels(struct gsim_process *p, const struct gsim_persistent *plan)
{
    for (uint32_t i = 0; i < plan->op_count; i++) {
        if (plan->ops[i]->kind == GSIM_OP_KERNEL) continue;
        gsim_machine_fail(p->machine, GSIM_SIM, "persistent kernel: ops[%u] is no kernel", plan->ops[i]->index);
        return false;
    }
    return true;
}

void gsim_api_persistent_launch(struct gsim_driver *driver, const struct gsim_persistent *plan, gsim_stream stream)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_stream(p, stream) || !are_kernels(p, plan)) return;
    if (p->streams[stream].capture) {
        gsim_machine_fail(p->machine, GSIM_SIM,
                          "stream %u is being captured: resident kernels as nodes of a graph are not simulated",
                          stream);
        return;
    }
    if (p->machine->simulation->gpu.sample > 1) {
        gsim_machine_fail(p->machine, GSIM_INPUT,
                          "gpu.sample: resident kernels place their tasks on every SM: expected 1");
        return;
    }
    uint32_t model = p->streams[stream].front->device->spec->model;
    if (gsim_model_is_whole(model)) {
        gsim_machine_fail(p->machine, GSIM_INPUT,
                          "gpu.model: resident kernels place their tasks on SMs: expected blocks or waves, found %s",
                          gsim_model_name(model));
        return;
    }
    gsim_machine_order(p->machine);
    gsim_time start = gsim_api_begin(p), waited = gsim_api_wait_queue(p, stream), before = p->machine->running->local;
    struct gsim_front *front = p->streams[stream].front;
    gsim_managed_launch(front->device, plan->ops, plan->op_count, stream, gsim_process_client(p)->iteration);
    waited += p->machine->running->local - before;
    gsim_api_take_driver(p, p->spec->driver_lock_us, p->spec->driver_switch_us);
    gsim_api_spend(p, p->spec->launch_us);
    struct gsim_command *command = gsim_front_command(front, GSIM_COMMAND_OTHER, stream);
    if (!command) return;
    command->class = &gsim_resident_class;
    command->argument = (void *)plan;
    gsim_api_send(p, command, start, p->spec->launch_to_start_us);
    gsim_api_use_stream(p, stream);
    gsim_api_end(p, GSIM_API_RESIDENT, start, waited, stream, "persistent kernel");
}
