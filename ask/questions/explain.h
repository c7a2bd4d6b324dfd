/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: ask. "Explain": a run of a scenario, changed or not, and where its time went. */
#pragma once

#include "ask/questions/question.h"
#include "ask/whatif/causes.h"
#include "ask/whatif/clients.h"

struct gsim_explained {
    struct gsim_variant variant; /* with the changes */
    struct gsim_timeline timeline;
    bool repeats;                /* one iteration, as it repeats, is explained */
    struct gsim_explanation explanation; /* of one program; */
    gsim_time (*gpus)[GSIM_GPU_STATE_COUNT][GSIM_CAUSE_COUNT]; /* of several GPUs: each one's; NULL: there is one */
    struct gsim_client_time *times;      /* of clients, in place of it: each one's step */
    uint32_t late;                       /* the client that waits least for the others */
    double late_by_us, step_us;          /* what another waits for it, exposed, at most; the slowest one's step */
    const char *late_why;
    struct gsim_serving_result served; /* of a server */
};

/* CHANGE: "graph+launch=2x", "now" or NULL. REPEATS: an iteration, as it repeats; else the whole run. Both the scenario
 * and the result stay where they are; the caller releases it in any case. */
enum gsim_status gsim_explained_run(struct gsim_explained *explained, const struct gsim_changeable *scenario,
                                    const char *change, bool repeats, struct gsim_error *error) GSIM_NODISCARD;
/* Begins and fills ANSWER: time by state and cause, or each client's step. */
void gsim_explained_answer(const struct gsim_explained *explained, const struct gsim_changeable *scenario,
                           struct gsim_answer *answer);
void gsim_explained_release(struct gsim_explained *explained); /* accepts zeroed */
