/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of questions, and that of what is not asked. */
#include "ask/questions/question.h"

#include <math.h>
#include <string.h>

#include "ask/whatif/rows.h"
#include "gpusim/scenario.h"
#include "sim/base/jobs/progress.h"

#define KIND      question
#define KIND_LIST "ask/questions/questions.def"
#include "sim/base/registry.def"

enum subject { DRAWN, PROFILED, CLIENTS, SERVER, UNLIKE, UNKNOWN };

static const struct refusal {
    const char *question; /* NULL: any */
    enum subject subject;
    const char *why;
} refusals[] = {
    {"schedule", DRAWN, "needs the whole program beforehand, and this one is drawn while it runs"},
    {"spread", DRAWN, "needs the whole program beforehand, and this one is drawn while it runs"},
    {NULL, PROFILED, "the way of sharing needs a profile of the tasks, which changes make stale"},
    {"schedule", CLIENTS, "is of one program: expected that of one of the clients"},
    {"schedule", SERVER, "is of one program: expected that of one of the steps"},
    {"schedule", UNKNOWN, "needs to know what its kernels read and write"},
    {"sensitivity", UNLIKE, "varies the numbers of one device, and the GPUs are unlike"},
    {"ablate", UNLIKE, "changes one device, and the GPUs are unlike"},
};

static bool is_drawn(const struct gsim_changeable *s)
{
    bool is_drawn = s->simulation->source;
    for (uint32_t i = 0; i < s->client_count; i++)
        is_drawn |= s->clients[i].task && s->clients[i].task->source;
    return is_drawn;
}

enum gsim_status gsim_question_check(const char *question, const struct gsim_changeable *s, struct gsim_error *error)
{
    const struct gsim_sharing_ops *way = s->clients ? s->simulation->sharing : NULL;
    const bool is[] = {[DRAWN] = is_drawn(s), [PROFILED] = way && way->needs_profile, [CLIENTS] = s->clients,
                       [SERVER] = s->library, [UNLIKE] = s->simulation->devices, [UNKNOWN] = !s->has_data};
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        if (is[refusals[i].subject] && (!refusals[i].question || strcmp(refusals[i].question, question) == 0))
            return gsim_refuse(error, "%s: %s", question, refusals[i].why);
    return GSIM_OK;
}

enum gsim_status gsim_ask(const char *question, const struct gsim_changeable *scenario, const char *words,
                          struct gsim_answer *answer, struct gsim_error *error)
{
    const struct gsim_question_ops *ops = gsim_question_find(question);
    if (!ops) return gsim_refuse(error, "unknown question '%.60s'", question);
    if (words && *words && !*ops->words)
        return gsim_refuse(error, "%s: takes no words, found '%.60s'", ops->name, words);
    enum gsim_status status = gsim_question_check(ops->name, scenario, error);
    if (!status) status = ops->answer(scenario, words && *words ? words : NULL, answer, error);
    return !status && answer->arena.failed ? gsim_error_set(error, GSIM_NOMEM, "out of memory") : status;
}

enum gsim_status gsim_question_run(const struct gsim_simulation *simulation, struct gsim_metrics *metrics,
                                   struct gsim_error *error)
{
    struct gsim_timeline timeline = {0};
    enum gsim_status status = gsim_run(&(struct gsim_scenario){.simulation = *simulation}, &timeline, error);
    if (!status) status = gsim_metrics_compute(&timeline, simulation->device, NULL, metrics, error);
    gsim_timeline_release(&timeline);
    return status;
}

void gsim_question_times(const struct gsim_changeable *scenario, uint64_t count)
{
    if (scenario->progress) scenario->progress->total = count;
}

enum gsim_status gsim_question_time(const struct gsim_changeable *scenario, const struct gsim_device_spec *device,
                                    double *us, struct gsim_error *error)
{
    struct gsim_whatif *w = gsim_alloc(sizeof *w);
    struct gsim_simulation simulation = *scenario->simulation;
    struct gsim_changeable own = *scenario;
    if (!w) return gsim_no_memory(error);
    if (own.progress) gsim_progress_show(own.progress);
    if (device) {
        simulation.device = device;
        simulation.demands = NULL;
    }
    own.simulation = &simulation;
    enum gsim_status status = gsim_whatif_of(w, &own, &simulation, "", error);
    *us = status ? NAN : w->rows[0].time_us;
    gsim_free(w);
    if (own.progress) own.progress->done++;
    return status;
}
