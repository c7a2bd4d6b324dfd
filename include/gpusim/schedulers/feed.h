/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). The op lists of a run with their moves, of known programs and of sources alike. A known
 * program has a list for the first iteration and one for all later ones. A source gives a list up to its next host op,
 * or up to a number of ops; one op a list suits schedulers that handle ops one after another.
 *
 * prepare() calls gsim_feed_prepare(), execute() calls gsim_feed_run(), which runs the iterations. The host op of a
 * list must be done before list() returns, since a source's next ops may depend on it.
 */
#pragma once

#include "gpusim/schedulers/dag.h"

GSIM_DECLARATIONS_BEGIN

#define GSIM_FEED_MAX 4096

enum gsim_feed_kind { GSIM_FEED_FIRST, GSIM_FEED_STEADY, GSIM_FEED_DRAWN };

struct gsim_pull;

struct gsim_feed {
    struct gsim_run *run;
    struct gsim_oplist list;  /* the current list; of a source valid until the next call */
    struct gsim_dag dag;      /* its graph, if has_dag */
    enum gsim_feed_kind kind; /* of the current list; FIRST if both known lists are the same */
    bool waits;               /* all earlier ops must end before this list begins */
    /* The feed's own. */
    struct gsim_pull *pull;
    const struct gsim_op **ops;
    size_t op_room;
    uint32_t iteration, most;
    struct gsim_oplist drawn; /* not in a list yet */
    bool has_dag, is_given, is_over, has_gap;
    struct gsim_error error;
};

/* Lowers a known program to run->state. DROPS_OVERHEAD: leaves out framework time between calls. */
enum gsim_status gsim_feed_prepare(struct gsim_run *run, enum gsim_moves_place place, bool drops_overhead,
                                   struct gsim_error *error) GSIM_NODISCARD;
/* gsim_feed_prepare() with gsim_moves_place_default(). */
enum gsim_status gsim_feed_prepare_default(struct gsim_run *run, struct gsim_error *error) GSIM_NODISCARD;
/* Returns both lists of a known program, for plans made beforehand. NULL: the run has a source. */
const struct gsim_lowering *gsim_feed_known(const struct gsim_run *run);
/* Returns the length of the longest known list; GSIM_FEED_MAX: the run has a source. */
uint32_t gsim_feed_most(const struct gsim_run *run);

struct gsim_feed_user {
    /* Issues every op of feed->list in an order of its graph. If feed->waits, it waits first as wait() does. A failure
     * ends the run. */
    enum gsim_status (*list)(void *data, const struct gsim_feed *feed, struct gsim_error *error);
    void (*wait)(void *data); /* waits for all pending work */
    bool has_dag;             /* build the graph of each list */
};
/* execute() of a scheduler: enables peer copies and passes every list to USER. MOST: most program ops in a source's
 * list. */
enum gsim_status gsim_feed_run(struct gsim_run *run, uint32_t most, const struct gsim_feed_user *user, void *data,
                               struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
