/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal). The policy in a front end (include/gpusim/frontend.h): who asks it, and what it has done to
 * launches.
 */
#pragma once

#include "gpusim/frontend.h"
#include "gpusim/units.h"

struct gsim_front;
struct gsim_client;
struct gsim_command;
struct gsim_front_policy_launch;

struct gsim_front_policy {
    struct gsim_frontend frontend; /* first: the policy's calls get a pointer to it */
    struct gsim_front *front;
    const struct gsim_client *client;    /* whose launches it is asked about */
    struct gsim_front_policy *next;
    const struct gsim_frontend_ops *ops; /* NULL: there is none */
    void *own;
    gsim_time free;                /* when it can decide again */
    uint64_t held;                 /* bit by hardware queue: its head is */
    struct gsim_front_policy_launch *idle;
};

enum gsim_front_policy_step {
    GSIM_POLICY_GOES_ON, /* no policy, or it lets the command pass */
    GSIM_POLICY_STAYS,   /* looked at again when there is something new */
    GSIM_POLICY_TAKEN,   /* the command has left its queue */
};

/* From now on, for the launches of CLIENT. OPS NULL: no policy. Launches that one was asked about are told to it no
 * more: to be set before there are any. */
void gsim_front_policy_set(struct gsim_front *f, const struct gsim_client *client, const struct gsim_frontend_ops *ops,
                           void *own);
/* The head of a hardware queue, whose stream is idle but for launches that were taken. */
enum gsim_front_policy_step gsim_front_policy_submit(struct gsim_front *f, uint32_t hw_queue,
                                                     struct gsim_command *command);
/* It could start now. */
enum gsim_front_policy_step gsim_front_policy_ready(struct gsim_front *f, uint32_t hw_queue,
                                                    struct gsim_command *command);
void gsim_front_policy_started(struct gsim_front *f, struct gsim_command *command);
/* Its kernel ended; nothing of it is in the policy's hands any more. */
void gsim_front_policy_ended(struct gsim_front *f, struct gsim_command *command);
