/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programmatic dependent launch in streams. Such a kernel may begin when all blocks of its stream's last kernel have
 * triggered. It waits for that kernel's end behind its prologue. One kernel a stream is ahead at a time. On the SMs:
 * sim/sm/known/marks.c; in graphs: graphs.c.
 */
#include "sim/front/front.h"

bool gsim_programmatic_may_begin(const struct gsim_front *f, const struct gsim_stream_state *stream,
                                 const struct gsim_command *command)
{
    bool is_programmatic = command->kind == GSIM_COMMAND_OP && command->op->programmatic;
    return is_programmatic && stream->is_triggered && !stream->early && f->device->space->mode != GSIM_MEMORY_MANAGED;
}

gsim_time gsim_programmatic_ready(const struct gsim_front *f, const struct gsim_stream_state *stream, gsim_time ready)
{
    gsim_time behind_trigger = stream->triggered + f->device->gaps.programmatic;
    if (stream->busy) return behind_trigger > ready || ready == stream->own_ready ? behind_trigger : ready;
    if (stream->ended_unit != GSIM_UNIT_SMS || ready != stream->own_ready) return ready;
    gsim_time sooner = stream->last_end + f->device->gaps.programmatic;
    return sooner < ready ? sooner : ready;
}

void gsim_programmatic_triggered(struct gsim_command *command, gsim_time now)
{
    struct gsim_front *f = command->front;
    command->has_triggered = true;
    if (command->graph_run) {
        gsim_graphs_triggered(command, now);
        return;
    }
    struct gsim_stream_state *stream = &f->process->streams[command->stream];
    if (command == stream->early) return; /* once what it follows has ended */
    if (command->is_taken) return;        /* it is no longer its stream's */
    stream->is_triggered = true;
    stream->triggered = now;
    gsim_front_poll(f, stream->hw_queue, now);
}

void gsim_front_let_go(void *argument)
{
    struct gsim_command *command = argument;
    command->is_held = false;
    if (!command->run) return; /* has not been submitted yet */
    gsim_gpu_release(command->part->sm, command->device->machine->now, command->run);
    gsim_partition_changed(command->part);
}

void gsim_programmatic_go_on(struct gsim_front *f, struct gsim_stream_state *stream)
{
    struct gsim_command *early = stream->early;
    stream->early = NULL;
    stream->busy = early != NULL;
    stream->is_triggered = early && early->has_triggered;
    stream->triggered = f->machine->now;
    if (early) gsim_machine_at(f->machine, f->machine->now + f->device->gaps.programmatic, gsim_front_let_go, early);
}
