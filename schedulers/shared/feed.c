/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See include/gpusim/schedulers/feed.h. */
#include "gpusim/schedulers/feed.h"

#include "gpusim/schedulers/pull.h"

enum gsim_status gsim_feed_prepare(struct gsim_run *run, enum gsim_moves_place place, bool drops_overhead,
                                   struct gsim_error *error)
{
    if (run->draw) return GSIM_OK;
    struct gsim_lowering *lowering = run->state = GSIM_ARENA_NEW(run->arena, struct gsim_lowering);
    if (!lowering) return gsim_no_memory(error);
    enum gsim_status status = gsim_moves_lower(run, place, lowering, error);
    if (status == GSIM_OK && drops_overhead) gsim_lowering_drop_overhead(lowering);
    return status;
}

enum gsim_status gsim_feed_prepare_default(struct gsim_run *run, struct gsim_error *error)
{
    return gsim_feed_prepare(run, gsim_moves_place_default(run), false, error);
}

const struct gsim_lowering *gsim_feed_known(const struct gsim_run *run) { return run->draw ? NULL : run->state; }

uint32_t gsim_feed_most(const struct gsim_run *run)
{
    const struct gsim_lowering *known = gsim_feed_known(run);
    if (!known) return GSIM_FEED_MAX;
    return known->first.op_count > known->steady.op_count ? known->first.op_count : known->steady.op_count;
}

static void no_memory(struct gsim_feed *feed)
{
    if (!feed->error.status) gsim_error_set(&feed->error, GSIM_NOMEM, "out of memory while scheduling");
}

static bool give_known(struct gsim_feed *feed)
{
    const struct gsim_lowering *known = feed->run->state;
    bool is_first = !feed->iteration || known->first.ops == known->steady.ops;
    if (feed->is_given) return false;
    feed->is_given = true;
    feed->kind = is_first ? GSIM_FEED_FIRST : GSIM_FEED_STEADY;
    bool is_same = feed->list.ops && feed->list.ops == (is_first ? known->first : known->steady).ops;
    feed->list = is_first ? known->first : known->steady;
    if (is_same) return true;
    gsim_dag_release(&feed->dag);
    return !feed->has_dag || !gsim_dag_build(feed->run, &feed->list, &feed->dag, &feed->error);
}

static bool append(struct gsim_feed *feed, const struct gsim_oplist *drawn)
{
    struct gsim_oplist *list = &feed->list;
    for (uint32_t i = 0; i < drawn->op_count; i++) {
        if (!GSIM_APPEND(feed->ops, list->op_count, feed->op_room, drawn->ops[i])) return false;
    }
    list->ops = feed->ops;
    list->move_count += drawn->move_count;
    return true;
}

/* What the source draws next is in feed->drawn. An op that is left out must be followed nevertheless: by waiting for
 * all before it. False: nothing. */
static bool draw(struct gsim_feed *feed)
{
    feed->is_over = !gsim_pull_next(feed->pull, &feed->drawn, &feed->has_gap);
    return !feed->is_over;
}

static bool give_drawn(struct gsim_feed *feed)
{
    gsim_dag_release(&feed->dag);
    feed->list = (struct gsim_oplist){0};
    feed->waits = false;
    if (feed->is_over || (!feed->drawn.op_count && !draw(feed))) return false;
    feed->waits = feed->has_gap;
    for (bool ends = false; !ends;) {
        if (!append(feed, &feed->drawn)) no_memory(feed);
        ends = feed->error.status || feed->list.op_count - feed->list.move_count >= feed->most ||
               gsim_op_is_host(feed->drawn.ops[feed->drawn.op_count - 1]);
        feed->drawn.op_count = 0;
        if (!ends) ends = !draw(feed) || feed->has_gap;
    }
    return !feed->error.status && (!feed->has_dag || !gsim_dag_build(feed->run, &feed->list, &feed->dag, &feed->error));
}

static bool is_over(const struct gsim_feed *feed)
{
    return feed->error.status || gsim_driver_failed(feed->run->driver);
}

enum gsim_status gsim_feed_run(struct gsim_run *run, uint32_t most, const struct gsim_feed_user *user, void *data,
                               struct gsim_error *error)
{
    struct gsim_feed feed = {
        .run = run, .most = most, .has_dag = user->has_dag, .kind = run->draw ? GSIM_FEED_DRAWN : GSIM_FEED_FIRST};
    if (run->draw && !(feed.pull = gsim_pull_create(run))) return gsim_no_memory(error);
    gsim_peers_enable(run->driver);
    /* run->iterations becomes smaller where a run ends once an iteration is as the one before. */
    for (; feed.iteration < (run->draw ? 1 : run->iterations) && !is_over(&feed); feed.iteration++) {
        feed.is_given = false;
        gsim_iteration_begin(run->driver, feed.iteration);
        while (!is_over(&feed) && (run->draw ? give_drawn(&feed) : give_known(&feed)) &&
               user->list(data, &feed, &feed.error) == GSIM_OK) {}
        user->wait(data);
        gsim_iteration_end(run->driver, feed.iteration);
    }
    enum gsim_status status =
        feed.error.status ? gsim_error_set(error, feed.error.status, "%s", feed.error.message)
        : run->draw       ? gsim_pull_status(feed.pull, error)
                          : gsim_run_status(run, error);
    gsim_pull_destroy(feed.pull);
    gsim_dag_release(&feed.dag);
    gsim_free(feed.ops);
    return status;
}
