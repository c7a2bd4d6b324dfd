/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/platform/command.h. */
#include "sim/platform/machine.h"

#include <string.h>

struct gsim_command *gsim_command_new(struct gsim_machine *m, enum gsim_command_kind kind, struct gsim_device *device,
                                      uint32_t stream, uint32_t iteration)
{
    bool is_brief = gsim_command_is_brief(kind);
    size_t size = is_brief ? GSIM_BRIEF_COMMAND : sizeof(struct gsim_command);
    struct gsim_command *command = m->free_commands[is_brief];
    if (command)
        m->free_commands[is_brief] = command->next;
    else if (!(command = gsim_arena_alloc(&m->arena, size))) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        return NULL;
    }
    memset(command, 0, size);
    command->kind = kind;
    command->device = device;
    command->stream = stream;
    command->iteration = iteration;
    return command;
}

void gsim_command_free(struct gsim_machine *m, struct gsim_command *command)
{
    bool is_brief = gsim_command_is_brief(command->kind);
    command->next = m->free_commands[is_brief];
    m->free_commands[is_brief] = command;
}
