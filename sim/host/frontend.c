/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of the simulated driver that reach the policy in a GPU's front end (include/gpusim/frontend.h). */
#include "sim/host/api.h"

void gsim_api_frontend_set(struct gsim_driver *driver, const struct gsim_frontend_ops *ops, void *policy)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (gsim_driver_failed(driver)) return;
    if (ops && (ops->abi != GSIM_ABI || ops->size != sizeof *ops)) {
        gsim_machine_fail(p->machine, GSIM_INPUT,
                          "the front end's policy '%s': abi, size: expected %u and %zu, found %u and %zu", ops->name,
                          GSIM_ABI, sizeof *ops, ops->abi, ops->size);
        return;
    }
    gsim_machine_meet(p->machine);
    gsim_front_policy_set(p->fronts[gsim_process_device(p)->index], p->machine->running->client, ops, policy);
}

void gsim_api_launch_noted(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream, const void *note)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (gsim_driver_failed(driver)) return;
    struct gsim_host_thread *thread = p->machine->running; /* others may launch while it waits for room in the queue */
    thread->note = note;
    driver->ops->launch(driver, op, stream);
    thread->note = NULL;
}
