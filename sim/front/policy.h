/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (internal). The policy in a front end (include/gpusim/frontend.h), as the front end calls it.
 */
#pragma once

#include "gpusim/frontend.h"
#include "gpusim/units.h"

struct gsim_front;
struct gsim_caller;
struct gsim_command;
struct gsim_front_policy_launch;

struct gsim_front_policy {
    struct gsim_frontend frontend; /* first: the policy's calls get its address */
    struct gsim_front *front;
    const struct gsim_caller *client;    /* the task whose launches it sees */
    struct gsim_front_policy *next;
    const struct gsim_frontend_ops *ops; /* NULL: no policy */
    void *own;
    gsim_time free;                /* end of its current decision */
    uint64_t held;                 /* a bit for each hardware queue whose head it holds */
    struct gsim_front_policy_launch *idle;
};

enum gsim_front_policy_step {
    GSIM_POLICY_GOES_ON, /* no policy, or it lets the command pass */
    GSIM_POLICY_STAYS,   /* asked again after the next event */
    GSIM_POLICY_TAKEN,   /* the command has left its queue */
};

/* Sets the policy of CLIENT's launches; OPS NULL: none. Call it before the first launch. */
void gsim_front_policy_set(struct gsim_front *f, const struct gsim_caller *client, const struct gsim_frontend_ops *ops,
                           void *own);
/* Asks on_submit about the head of a hardware queue. Its stream is idle but for launches that the policy took. */
enum gsim_front_policy_step gsim_front_policy_submit(struct gsim_front *f, uint32_t hw_queue,
                                                     struct gsim_command *command);
/* Asks on_ready about a launch that could start now. */
enum gsim_front_policy_step gsim_front_policy_ready(struct gsim_front *f, uint32_t hw_queue,
                                                    struct gsim_command *command);
void gsim_front_policy_started(struct gsim_front *f, struct gsim_command *command);
/* Tells the policy that the kernel has ended, and frees its launch. */
void gsim_front_policy_ended(struct gsim_front *f, struct gsim_command *command);
