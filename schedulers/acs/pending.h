/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). What was launched since the host last waited for all of it, and whether a host op must
 * wait: for run times that launch an op list in its order and keep no graph of it.
 */
#pragma once

#include "schedulers/shared/hazards.h"

#define GSIM_PENDING_NONE UINT32_MAX

/* What is done to a buffer, by what was launched since the wait of that number. */
struct gsim_pending_buffer {
    uint32_t stretch;
    struct gsim_op_access access;
};

struct gsim_pending {
    const struct gsim_run *run;
    const struct gsim_oplist *list;
    uint32_t *node_of; /* by op of a known program: its node in the list; GSIM_PENDING_NONE: it is left out */
    uint32_t first_op; /* of a program that is drawn: the first that is pending */
    struct gsim_pending_buffer *buffers;
    struct gsim_afters afters;
    uint32_t stretch, first_node;
    bool is_any, is_unknown, failed;
};

/* Memory is the run's arena's but for what release frees. False: out of memory. */
bool gsim_pending_init(struct gsim_pending *pending, const struct gsim_run *run);
void gsim_pending_release(struct gsim_pending *pending); /* accepts zeroed */
/* From here LIST is launched. Nothing is pending; of a program that is drawn, what was before. */
void gsim_pending_begin(struct gsim_pending *pending, const struct gsim_oplist *list);
/* All before NODE has ended. */
void gsim_pending_clear(struct gsim_pending *pending, uint32_t node);
/* OP, not a host op, is launched. */
void gsim_pending_add(struct gsim_pending *pending, const struct gsim_op *op);
/* OP, a host op, must wait for something that is pending. */
bool gsim_pending_holds(struct gsim_pending *pending, const struct gsim_op *op);
