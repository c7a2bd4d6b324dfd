/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/front/process.h: markers of events, and the end of a process. */
#include "sim/front/process.h"

struct gsim_marker *gsim_process_marker(struct gsim_process *p)
{
    struct gsim_marker *marker = p->free_markers;
    if (marker)
        p->free_markers = marker->next_free;
    else if (!(marker = GSIM_ARENA_NEW(&p->machine->arena, struct gsim_marker))) {
        gsim_machine_fail(p->machine, GSIM_NOMEM, "out of memory");
        return NULL;
    }
    *marker = (struct gsim_marker){.references = 1};
    return marker;
}

void gsim_process_wait_for(struct gsim_process *p, struct gsim_marker *marker, struct gsim_front *front,
                           uint32_t hw_queue)
{
    struct gsim_marker_wait *wait = &marker->waiting;
    while (wait->front && wait->front != front && wait->next) wait = wait->next;
    if (wait->front && wait->front != front) {
        struct gsim_marker_wait *more = p->free_waits;
        if (more) p->free_waits = more->next;
        else if (!(more = GSIM_ARENA_NEW(&p->machine->arena, struct gsim_marker_wait))) {
            gsim_machine_fail(p->machine, GSIM_NOMEM, "out of memory");
            return;
        }
        *more = (struct gsim_marker_wait){0};
        wait = wait->next = more;
    }
    wait->front = front;
    wait->hw_queues |= UINT32_C(1) << hw_queue;
}

void gsim_process_unref(struct gsim_process *p, struct gsim_marker *marker)
{
    if (!marker || --marker->references) return;
    marker->next_free = p->free_markers;
    p->free_markers = marker;
}

void gsim_process_release(struct gsim_process *p)
{
    for (size_t i = 0; i < p->stream_count; i++) gsim_free(p->streams[i].tail);
    for (size_t i = 0; i < p->graph_count; i++) gsim_free(p->graphs[i].nodes);
    void *arrays[] = {p->streams, p->events, p->free_events, p->graphs, p->execs};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) gsim_free(arrays[i]);
}
