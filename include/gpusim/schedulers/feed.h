/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). The op lists that a scheduler goes through, with their moves, of known programs and of
 * those that are drawn while they run alike. A known program is one list an iteration: the first, and the steady one of
 * all later iterations. A drawn program is one list for each stretch: up to the next host op, which ends it, or so many
 * ops; a scheduler that looks at one op after another asks for one.
 *
 * prepare() calls gsim_feed_prepare(), and execute() gsim_feed_run(), which goes through the iterations. The next list
 * of a drawn program follows from what the host did before: the host op of a list is done before its function returns.
 */
#pragma once

#include "gpusim/schedulers/dag.h"

GSIM_DECLARATIONS_BEGIN

#define GSIM_FEED_MOST 4096

enum gsim_feed_kind { GSIM_FEED_FIRST, GSIM_FEED_STEADY, GSIM_FEED_DRAWN };

struct gsim_pull;

struct gsim_feed {
    struct gsim_run *run;
    struct gsim_oplist list;  /* the present one; a drawn one is valid until the next call */
    struct gsim_dag dag;      /* its graph, where it is asked for */
    enum gsim_feed_kind kind; /* of the present list. Both known lists may be the same: FIRST */
    bool waits;               /* all that was issued before must have ended before this list begins */
    /* The feed's own. */
    struct gsim_pull *pull;
    const struct gsim_op **ops;
    size_t op_room;
    uint32_t iteration, most;
    struct gsim_oplist drawn; /* that is not in a list yet */
    bool has_dag, is_given, is_over, has_gap;
    struct gsim_error error;
};

/* Lowers a known program, to run->state. DROPS_OVERHEAD: without what a framework does between its calls. */
enum gsim_status gsim_feed_prepare(struct gsim_run *run, enum gsim_moves_place place, bool drops_overhead,
                                   struct gsim_error *error) GSIM_NODISCARD;
/* Moves where most schedulers have them. */
enum gsim_status gsim_feed_prepare_default(struct gsim_run *run, struct gsim_error *error) GSIM_NODISCARD;
/* The two lists of a known program, for plans that are made beforehand. NULL: the program is drawn. */
const struct gsim_lowering *gsim_feed_known(const struct gsim_run *run);
/* The longest list of a known program, or GSIM_FEED_MOST. */
uint32_t gsim_feed_most(const struct gsim_run *run);

struct gsim_feed_user {
    /* Issues every op of feed->list, in an order that the graph allows, and before them, where feed->waits, does what
     * WAIT does. A failure ends the run. */
    enum gsim_status (*list)(void *data, const struct gsim_feed *feed, struct gsim_error *error);
    void (*wait)(void *data); /* for all that is pending */
    bool has_dag;             /* each list comes with its graph */
};
/* The execute(): enables peer copies, and gives USER every list. MOST: ops of the program in a drawn one. */
enum gsim_status gsim_feed_run(struct gsim_run *run, uint32_t most, const struct gsim_feed_user *user, void *data,
                               struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
