/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory that the processes of a shared GPU have in common (traces/runner/share/ledger.h). */
#include "traces/runner/share/ledger.h"

#include <sched.h>
#include <sys/mman.h>

#define PAGE 4096

static size_t pages(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

struct gsim_ledger *gsim_ledger_create(uint32_t count, bool has_streams, bool has_kernels, struct gsim_error *error)
{
    size_t head = pages(sizeof(struct gsim_ledger) + sizeof(struct gsim_ledger_task) * count);
    size_t streams = has_streams ? pages(sizeof(struct gsim_ledger_stream) * GSIM_LEDGER_STREAMS * count) : 0;
    size_t requests = pages(sizeof(struct gsim_ledger_request) * GSIM_LEDGER_REQUESTS);
    size_t kernels = has_kernels ? pages(sizeof(struct gsim_ledger_kernel) * GSIM_LEDGER_KERNELS) : 0;
    size_t bytes = head + streams + (requests + kernels) * count;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attributes;
    if (memory == MAP_FAILED) {
        gsim_no_memory(error);
        return NULL;
    }
    struct gsim_ledger *ledger = (struct gsim_ledger *)memory;
    ledger->tasks = (struct gsim_ledger_task *)(memory + sizeof *ledger);
    ledger->count = count;
    ledger->bytes = bytes;
    ledger->streams = has_streams ? memory + head : NULL;
    ledger->stream_bytes = streams;
    atomic_init(&ledger->owner, -1);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&ledger->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    char *at = memory + head + streams;
    for (uint32_t i = 0; i < count; i++, at += requests + kernels) {
        struct gsim_ledger_task *t = &ledger->tasks[i];
        if (has_streams) t->streams = (struct gsim_ledger_stream *)ledger->streams + (size_t)i * GSIM_LEDGER_STREAMS;
        t->requests = (struct gsim_ledger_request *)at;
        t->kernels = has_kernels ? (struct gsim_ledger_kernel *)(at + requests) : NULL;
    }
    return ledger;
}

void gsim_ledger_destroy(struct gsim_ledger *ledger)
{
    if (!ledger) return;
    pthread_mutex_destroy(&ledger->mutex);
    munmap(ledger, ledger->bytes);
}

void gsim_ledger_take(struct gsim_ledger *ledger, uint32_t task)
{
    pthread_mutex_lock(&ledger->mutex);
    if (ledger->owner < 0) ledger->owner = (int32_t)task;
    ledger->tasks[task].is_waiting = ledger->owner != (int32_t)task;
    pthread_mutex_unlock(&ledger->mutex);
    while (ledger->owner != (int32_t)task && !ledger->is_stopped) sched_yield();
}

void gsim_ledger_leave(struct gsim_ledger *ledger, const struct gsim_task *tasks)
{
    int32_t best = -1;
    pthread_mutex_lock(&ledger->mutex);
    for (uint32_t i = 0; i < ledger->count; i++) {
        const struct gsim_ledger_task *t = &ledger->tasks[i];
        if (!t->is_waiting) continue;
        bool is_before = best < 0 || tasks[i].priority < tasks[best].priority ||
                         (tasks[i].priority == tasks[best].priority && t->arrival_ns < ledger->tasks[best].arrival_ns);
        if (is_before) best = (int32_t)i;
    }
    if (best >= 0) ledger->tasks[best].is_waiting = false;
    ledger->owner = best;
    pthread_mutex_unlock(&ledger->mutex);
}
