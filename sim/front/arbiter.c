/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between an arbiter (sim/front/front.h) and the SMs. */
#include "sim/front/front.h"

void gsim_front_submit(struct gsim_command *command)
{
    struct gsim_device *d = command->device;
    if (d->space->mode == GSIM_MEMORY_MANAGED && !gsim_managed_prepare_kernel(d, command)) return;
    gsim_managed_submit(d, command);
}

void gsim_front_kernel_drained(void *data, void *tag, gsim_time now)
{
    struct gsim_command *command = tag;
    (void)data;
    (void)now;
    if (command->front->arbiter && command->front->arbiter->drained) command->front->arbiter->drained(command->front->arbiter, command);
}

void gsim_front_kill(struct gsim_command *command)
{
    struct gsim_machine *m = command->device->machine;
    gsim_reuse_kernel_ended(command->device, command);
    gsim_gpu_kill(command->part->sm, m->now, command->run);
    command->run = NULL;
    gsim_part_changed(command->part);
}
