/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory that the processes of a shared GPU have in common (traces/runner/share/board.h). */
#include "traces/runner/share/board.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define PAGE 4096

static size_t pages(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

struct gsim_board *gsim_board_create(uint32_t count, bool has_streams, bool has_kernels, struct gsim_error *error)
{
    size_t head = pages(sizeof(struct gsim_board) + sizeof(struct gsim_board_task) * count);
    size_t streams = has_streams ? pages(sizeof(struct gsim_board_stream) * GSIM_BOARD_STREAMS * count) : 0;
    size_t requests = pages(sizeof(struct gsim_board_request) * GSIM_BOARD_REQUESTS);
    size_t kernels = has_kernels ? pages(sizeof(struct gsim_board_kernel) * GSIM_BOARD_KERNELS) : 0;
    size_t bytes = head + streams + (requests + kernels) * count;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attributes;
    if (memory == MAP_FAILED) {
        gsim_error_set(error, GSIM_NOMEM, "out of memory");
        return NULL;
    }
    struct gsim_board *board = (struct gsim_board *)memory;
    board->tasks = (struct gsim_board_task *)(memory + sizeof *board);
    board->count = count;
    board->bytes = bytes;
    board->streams = has_streams ? memory + head : NULL;
    board->stream_bytes = streams;
    atomic_init(&board->owner, -1);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&board->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    char *at = memory + head + streams;
    for (uint32_t i = 0; i < count; i++, at += requests + kernels) {
        struct gsim_board_task *t = &board->tasks[i];
        if (has_streams) t->streams = (struct gsim_board_stream *)board->streams + (size_t)i * GSIM_BOARD_STREAMS;
        t->requests = (struct gsim_board_request *)at;
        t->kernels = has_kernels ? (struct gsim_board_kernel *)(at + requests) : NULL;
    }
    return board;
}

void gsim_board_destroy(struct gsim_board *board)
{
    if (!board) return;
    pthread_mutex_destroy(&board->mutex);
    munmap(board, board->bytes);
}

void gsim_board_take(struct gsim_board *board, uint32_t task)
{
    struct timespec pause = {0, 2000};
    pthread_mutex_lock(&board->mutex);
    if (board->owner < 0) board->owner = (int32_t)task;
    board->tasks[task].is_waiting = board->owner != (int32_t)task;
    pthread_mutex_unlock(&board->mutex);
    while (board->owner != (int32_t)task && !board->is_stopped) nanosleep(&pause, NULL);
}

void gsim_board_leave(struct gsim_board *board, const struct gsim_task *tasks)
{
    int32_t best = -1;
    pthread_mutex_lock(&board->mutex);
    for (uint32_t i = 0; i < board->count; i++) {
        const struct gsim_board_task *t = &board->tasks[i];
        if (!t->is_waiting) continue;
        bool is_before = best < 0 || tasks[i].priority < tasks[best].priority ||
                         (tasks[i].priority == tasks[best].priority && t->arrival_ns < board->tasks[best].arrival_ns);
        if (is_before) best = (int32_t)i;
    }
    if (best >= 0) board->tasks[best].is_waiting = false;
    board->owner = best;
    pthread_mutex_unlock(&board->mutex);
}
