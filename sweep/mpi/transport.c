/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MPI as a transport of sweep/remote.h, in the program gpusim-mpi alone, which gpusim becomes when a launcher has
 * started it. Processes started by fork never call it.
 */
#include <mpi.h>
#include <unistd.h>

#include "sim/base/ends.h"
#include "sweep/remote.h"

/* A message on its way out: its bytes stay until MPI is done with them. */
struct sending {
    MPI_Request request;
    struct sending *next;
    char bytes[];
};

/* State outside any object: MPI itself is global to a process. */
static struct sending *sendings;

static const char *start(int *rank, int *size)
{
    int provided;
    sigset_t before;
    /* MPI's own threads inherit that these are blocked; else they would take, and end us by, the signal that the sweep
     * looks for (sim/base/jobs/run.h). */
    gsim_ends_hold(&before);
    /* Workers are started by fork: InfiniBand's registered memory must survive that. */
    setenv("IBV_FORK_SAFE", "1", 0);
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return "MPI_Init failed";
    /* A message to a rank that is gone must not end this one: the results file is here. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    return NULL;
}

static void forget_sent(void)
{
    for (struct sending **at = &sendings; *at;) {
        struct sending *sent = *at;
        int is_done = 0;
        if (MPI_Test(&sent->request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS) is_done = 1;
        if (is_done) {
            *at = sent->next;
            free(sent);
        } else {
            at = &sent->next;
        }
    }
}

static void send(int to, int tag, const void *bytes, size_t length)
{
    struct sending *made = malloc(sizeof(*made) + length);
    forget_sent();
    if (!made) {
        fprintf(stderr, "gpusim: out of memory for a message\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
    }
    memcpy(made->bytes, bytes, length);
    if (MPI_Isend(made->bytes, (int)length, MPI_BYTE, to, tag, MPI_COMM_WORLD, &made->request) != MPI_SUCCESS) {
        free(made);
        return;
    }
    made->next = sendings;
    sendings = made;
}

static bool receive(int *from, int *tag, struct gsim_bytes *bytes)
{
    MPI_Status status;
    int is_there = 0, length = 0;
    forget_sent();
    if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status) != MPI_SUCCESS || !is_there)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &length);
    char *room = malloc(length ? (size_t)length : 1);
    if (!room) return false;
    *from = status.MPI_SOURCE;
    *tag = status.MPI_TAG;
    int code = MPI_Recv(room, length, MPI_BYTE, *from, *tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS) gsim_bytes_add(bytes, room, (size_t)length);
    free(room);
    return code == MPI_SUCCESS;
}

static void end(bool in_haste, int exit_status)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    if (in_haste) {
        MPI_Abort(MPI_COMM_WORLD, exit_status);
        _exit(exit_status);
    }
    /* Messages that nobody waits for any more (beats) are left where they are. */
    for (int i = 0; sendings && i < 2000; i++) {
        forget_sent();
        nanosleep(&pause, NULL);
    }
    MPI_Finalize();
}

/* Found by dlsym(). */
extern const struct gsim_transport gsim_transport_linked __attribute__((visibility("default")));
const struct gsim_transport gsim_transport_linked = {.start = start, .send = send, .receive = receive, .end = end};
