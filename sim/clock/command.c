/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/clock/command.h. */
#include "sim/clock/machine.h"

struct gsim_command *gsim_command_new(struct gsim_machine *m, enum gsim_command_kind kind, struct gsim_device *device,
                                      uint32_t stream, uint32_t iteration)
{
    struct gsim_command *command = m->free_commands;
    if (command)
        m->free_commands = command->next;
    else if (!(command = GSIM_ARENA_NEW(&m->arena, struct gsim_command))) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        return NULL;
    }
    *command = (struct gsim_command){.kind = kind, .device = device, .stream = stream, .iteration = iteration};
    return command;
}

void gsim_command_free(struct gsim_machine *m, struct gsim_command *command)
{
    command->next = m->free_commands;
    m->free_commands = command;
}
