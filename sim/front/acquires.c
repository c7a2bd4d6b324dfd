/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work that a stream's next kernel waits for, and when its queue sees the end of it (sim/front/process.h). */
#include "sim/front/front.h"

gsim_time gsim_front_seen(const struct gsim_front *f, uint32_t unit, gsim_time first, gsim_time end)
{
    /* Work that ends so close to a look is seen by it in some runs, in others by the next; the model takes the mean. */
    gsim_time blur = f->device->gaps.engine_poll < 2 * f->device->gaps.engine_poll_blur
                         ? 0
                         : f->device->gaps.engine_poll_blur,
              resume = unit == GSIM_UNIT_SMS ? f->device->gaps.copy_to_kernel : 0;
    if (end <= first - blur) return first;
    if (unit != GSIM_UNIT_SMS) first += f->device->gaps.kernel_to_copy;
    gsim_time behind = end - first + blur;
    if (behind <= 0) return first;
    gsim_time looks = (behind - 1) / f->device->gaps.engine_poll,
              after = behind - looks * f->device->gaps.engine_poll; /* looks that surely failed; 0 < after */
    double missed = blur > 0 && after < 2 * blur ? (double)after / (2.0 * (double)blur) : 1;
    return first + looks * f->device->gaps.engine_poll +
           gsim_whole(missed * (double)f->device->gaps.engine_poll + (looks ? 1 : missed) * (double)resume);
}

/* See sim/front/process.h. READY 0: the work was not on the SMs. */
void gsim_acquires_add(struct gsim_process *p, struct gsim_stream_state *stream, const struct gsim_marker *marker,
                       gsim_time ready)
{
    struct gsim_acquire **a = &stream->acquires;
    while (*a && (*a)->stream < marker->recorded_stream) a = &(*a)->next;
    if (!*a || (*a)->stream != marker->recorded_stream) {
        struct gsim_acquire *acquire = p->free_acquires;
        if (acquire)
            p->free_acquires = acquire->next;
        else if (!(acquire = GSIM_ARENA_NEW(&p->machine->arena, struct gsim_acquire))) {
            gsim_machine_fail(p->machine, GSIM_NOMEM, "out of memory");
            return;
        }
        *acquire = (struct gsim_acquire){.next = *a, .stream = marker->recorded_stream};
        *a = acquire;
    }
    if ((*a)->ready < ready) (*a)->ready = ready;
    /* What another GPU wrote never was in this one's L2. */
    bool is_here = p->streams[marker->recorded_stream].front == stream->front;
    double ended_bytes = is_here ? marker->ended_bytes : stream->front->device->ended_bytes;
    if ((*a)->ended_bytes < ended_bytes) (*a)->ended_bytes = ended_bytes;
}

static gsim_time acquire(const struct gsim_device *d, gsim_time from, const struct gsim_acquire *a)
{
    from += d->gaps.acquire + (gsim_device_displaced_l2(d, a->ended_bytes) ? d->gaps.acquire_cold : 0);
    return from > a->ready ? from : a->ready;
}

/* Returns when the stream's queue has seen the end of all that its next kernel waits for. It polls the streams one
 * after another in order of creation, its own included, however long ago they ended. A poll takes longer if kernels
 * have displaced its data from L2 (H200, H100: traces/h200/vm/acquires.txt, traces/h100/acquires.txt). */
gsim_time gsim_acquires_seen(const struct gsim_device *d, const struct gsim_process *p, uint32_t index)
{
    const struct gsim_stream_state *stream = &p->streams[index];
    const struct gsim_acquire *own = stream->has_worked && stream->acquires ? &stream->own : NULL;
    gsim_time seen = 0;
    for (const struct gsim_acquire *a = stream->acquires; a; a = a->next) {
        if (own && index < a->stream) {
            seen = acquire(d, seen, own);
            own = NULL;
        }
        seen = acquire(d, seen, a);
    }
    return own ? acquire(d, seen, own) : seen;
}

void gsim_acquires_forget(struct gsim_process *p, struct gsim_stream_state *stream)
{
    for (struct gsim_acquire *a; (a = stream->acquires) != NULL; p->free_acquires = a) {
        stream->acquires = a->next;
        a->next = p->free_acquires;
    }
}
