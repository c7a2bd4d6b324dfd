/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Schedulers beside each other. */
#include <math.h>
#include <string.h>

#include "ask/questions/question.h"
#include "ask/whatif/rows.h"
#include "sim/base/text.h"

/* An iteration of SCENARIO, all clients of which OPS issues. */
static enum gsim_status time_of(double *us, const struct gsim_changeable *scenario,
                                const struct gsim_scheduler_ops *ops, const void *params, struct gsim_error *error)
{
    struct gsim_simulation simulation = *scenario->simulation;
    struct gsim_changeable own = *scenario;
    struct gsim_client *clients = gsim_alloc(sizeof *clients * ((size_t)scenario->client_count + 1));
    *us = NAN;
    if (!clients) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (uint32_t i = 0; i < scenario->client_count; i++) {
        clients[i] = scenario->clients[i];
        clients[i].scheduler = ops;
        clients[i].scheduler_params = params;
    }
    simulation.scheduler = ops;
    simulation.scheduler_params = params;
    own.simulation = &simulation;
    own.clients = scenario->clients ? clients : NULL;
    enum gsim_status status = gsim_question_time(&own, NULL, us, error);
    gsim_free(clients);
    return status;
}

static bool is_named(const char *words, const char *name)
{
    char item[64];
    for (const char *at = words; gsim_text_item(&at, item, sizeof item);)
        if (strcmp(item, name) == 0) return true;
    return !words;
}

/* Each name of WORDS is a built-in scheduler's, or OWN. */
static enum gsim_status check(const char *words, const char *own, struct gsim_error *error)
{
    char name[64];
    const struct gsim_scheduler_ops *ops;
    for (const char *at = words; gsim_text_item(&at, name, sizeof name);) {
        if (strcmp(name, own) == 0 || gsim_scheduler_find(name)) continue;
        if (gsim_scheduler_load(name, &ops, error)) return error->status;
        return gsim_refuse(error, "compare: '%.60s' is neither built in nor the scenario's own", name);
    }
    return GSIM_OK;
}

/* A server's batching policies; of speed-ups its own one's time is the base. */
static enum gsim_status answer_server(const struct gsim_changeable *scenario, const char *words, struct gsim_answer *a,
                                      struct gsim_error *error)
{
    const char *own = scenario->server->policy->name, *changes = NULL;
    struct gsim_simulation simulation = *scenario->simulation;
    struct gsim_arena arena = {0};
    char name[64];
    struct gsim_whatif *w = gsim_alloc(sizeof *w);
    for (uint32_t i = 0; !words && gsim_batching_at(i); i++)
        if (!gsim_batching_at(i)->tokens || gsim_batching_at(i) == scenario->server->policy)
            changes = gsim_arena_printf(&arena, "%s%sbatching=%s", changes ? changes : "", changes ? "," : "",
                                        gsim_batching_at(i)->name);
    for (const char *at = words; !arena.failed && gsim_text_item(&at, name, sizeof name);)
        changes = gsim_arena_printf(&arena, "%s%sbatching=%s", changes ? changes : "", changes ? "," : "", name);
    enum gsim_status status =
        w && !arena.failed ? gsim_whatif_of(w, scenario, &simulation, changes, error) : gsim_no_memory(error);
    for (uint32_t i = 1; !status && i < w->row_count; i++) {
        const struct gsim_whatif_row *row = &w->rows[i];
        bool is_own = strcmp(row->changes[0].argument, own) == 0;
        if (row->is_together) continue;
        double us = is_own ? w->rows[0].time_us : row->time_us;
        gsim_answer_add(a, row->changes[0].argument, us, w->rows[0].time_us / us,
                        is_own ? w->rows[0].note : row->note);
    }
    gsim_free(w);
    gsim_arena_release(&arena);
    return status;
}

static enum gsim_status answer(const struct gsim_changeable *scenario, const char *words, struct gsim_answer *a,
                               struct gsim_error *error)
{
    static const struct gsim_answer_column columns[] = {
        GSIM_COLUMN_TEXT("scheduler"), GSIM_COLUMN_REAL("iteration_us", "us"), GSIM_COLUMN_REAL("speedup", ""),
        GSIM_COLUMN_TEXT("note"), {0}};
    double serial_us = NAN, us;
    const struct gsim_scheduler_ops *own = scenario->simulation->scheduler, *ops;
    gsim_answer_begin(a, columns);
    if (scenario->library) return answer_server(scenario, words, a, error);
    enum gsim_status status = check(words, own->name, error);
    struct gsim_error unable = {0};
    if (!status) (void)time_of(&serial_us, scenario, gsim_scheduler_find("serial"), NULL, &unable);
    if (unable.status == GSIM_NOMEM) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    bool is_other = gsim_scheduler_find(own->name) != own; /* of a plug-in, or of who embeds the library */
    for (uint32_t i = 0; !status && ((ops = gsim_scheduler_at(i)) || is_other); i++) {
        struct gsim_error failure = {0};
        const void *params = ops ? NULL : scenario->simulation->scheduler_params;
        if (!ops) is_other = false;
        if (!ops) ops = own;
        if (!is_named(words, ops->name)) continue;
        (void)time_of(&us, scenario, ops, params, &failure);
        if (failure.status == GSIM_NOMEM) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
        gsim_answer_add(a, ops->name, us, serial_us / us, failure.message);
    }
    return status;
}

const struct gsim_question_ops gsim_question_compare = {
    GSIM_HEAD(question),
    .name = "compare",
    .summary = "each scheduler's iteration, or each batching policy's request, and the speed-up",
    .words = "schedulers, separated by commas; without them all",
    .answer = answer,
};
