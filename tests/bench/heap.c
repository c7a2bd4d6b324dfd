/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The yardstick: a bare binary heap of (time, sequence) under the hold model, the least that any
 * discrete-event simulator does per event. The program's own queue is elsewhere and not used here.
 */
#include "gpusim/units.h"
#include "tests/bench/bench.h"

struct heap_event {
    gsim_time time;
    uint64_t sequence;
};

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool comes_before(const struct heap_event *a, const struct heap_event *b)
{
    return a->time != b->time ? a->time < b->time : a->sequence < b->sequence;
}

static struct heap_event heap_pop(struct heap_event *heap, uint32_t *count)
{
    struct heap_event top = heap[0], last = heap[--*count];
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < *count; at = child) {
        if (child + 1 < *count && comes_before(&heap[child + 1], &heap[child])) child++;
        if (!comes_before(&heap[child], &last)) break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return top;
}

static void heap_push(struct heap_event *heap, uint32_t *count, struct heap_event event)
{
    uint32_t at = (*count)++;
    for (; at > 0 && comes_before(&event, &heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = event;
}

double bench_heap_rate(uint32_t pending, double seconds)
{
    struct heap_event *heap = gsim_alloc(sizeof(*heap) * pending);
    if (!heap || !pending) return 0;
    uint64_t sequence = 0, state = 88172645463325252ULL, events = 0;
    uint32_t count = 0;
    for (; sequence < pending; sequence++) heap_push(heap, &count, (struct heap_event){(gsim_time)sequence, sequence});
    double began = bench_seconds(), ended = began;
    while (ended - began < seconds) {
        for (int i = 0; i < 20000; i++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17; /* xorshift64: cheap increments */
            struct heap_event event = heap_pop(heap, &count);
            event.time += (gsim_time)(state >> 44);
            event.sequence = sequence++;
            heap_push(heap, &count, event);
        }
        events += 20000;
        ended = bench_seconds();
    }
    gsim_free(heap);
    return (double)events / (ended - began);
}
