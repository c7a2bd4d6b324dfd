/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sweep. A sweep over several processes on several machines: rank 0 hands out points, writes the results file
 * and computes itself; the others have workers of their own and send rows back. How bytes travel is a transport's
 * business: sweep/mpi/transport.c is MPI, part of the program gpusim-mpi only (MPI takes longer to start than a small
 * run).
 *
 *   0 -> r  START (who am I talking to), ITEMS, END        r -> 0  ROWS, BEAT (a second without rows), REFUSE
 */
#pragma once

#include "sweep/run.h"

/* What a transport does; the symbol gsim_transport_linked of a program that has one. */
struct gsim_transport {
    /* Returns 0, or what went wrong. */
    const char *(*start)(int *rank, int *size);
    /* Returns at once; the bytes are copied. */
    void (*send)(int to, int tag, const void *bytes, size_t length);
    /* Appends one message that has arrived; false when there is none. */
    bool (*receive)(int *from, int *tag, struct gsim_bytes *bytes);
    /* Ends properly, all ranks together; or, IN_HASTE, at once, whatever the others do: does not return then. */
    void (*end)(bool in_haste, int exit_status);
};

/* NULL, with no error: this process was not started as one of several. With an error: it was, but cannot take part.
 * Where it can, but is not the program to do so, that program takes its place, with the words of ARGV. */
const struct gsim_transport *gsim_transport_find(char **argv, struct gsim_error *error);

struct gsim_remote {
    const struct gsim_transport *transport;
    int rank, size;
    const char *identity; /* of spec, model and inputs: all ranks must agree */
    /* A point in words, for messages. */
    const char *(*describe)(void *data, uint64_t item, char *text, size_t size);
    void *data;
    bool has_lost; /* a rank fell silent */
    bool has_told; /* the others know that it is over */
};

/* After an error, whichever rank has it: tells rank 0, or ends the others. Not after lead or follow have done so. */
void gsim_remote_give_up(struct gsim_remote *remote, const struct gsim_error *error);

/* Rank 0's part; SWEEP_ID goes to the others. */
enum gsim_status gsim_remote_lead(struct gsim_remote *remote, struct gsim_sweep_job *job, int64_t sweep_id,
                                  struct gsim_error *error) GSIM_NODISCARD;
/* The other ranks': BEGIN is told the sweep's id before the workers start. */
enum gsim_status gsim_remote_follow(struct gsim_remote *remote, const struct gsim_pool_config *pool,
                                    void (*begin)(void *data, int64_t sweep_id),
                                    struct gsim_error *error) GSIM_NODISCARD;
