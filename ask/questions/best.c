/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ask/questions/best.h. Which scheduler is best, from the answer to "compare". */
#include "ask/questions/best.h"

#include <math.h>

#include "ask/questions/question.h"

#define DEVIATION (0.026 * 1.2533) /* of a normal distribution whose mean absolute deviation is 2.6 % */

void gsim_ranking_add(struct gsim_ranking *r, const char *name, double us)
{
    const struct gsim_found found = {name, us};
    r->sum_us += us;
    if (!r->count++ || us < r->best.us) {
        r->second = r->best;
        r->best = found;
    } else if (r->count == 2 || us < r->second.us) {
        r->second = found;
    }
}

double gsim_ranking_sure(double a_us, double b_us)
{
    return 0.5 * erfc(-(b_us / a_us - 1) / DEVIATION / 2); /* of the difference of two */
}

static enum gsim_status answer(const struct gsim_changeable *scenario, const char *words, struct gsim_answer *a,
                               struct gsim_error *error)
{
    static const struct gsim_answer_column columns[] = {
        GSIM_COLUMN_TEXT("scheduler"), GSIM_COLUMN_REAL("iteration_us", "us"), GSIM_COLUMN_TEXT("before"),
        GSIM_COLUMN_REAL("gain_percent", "%"), GSIM_COLUMN_REAL("sure_percent", "%"), GSIM_COLUMN_TEXT("note"), {0}};
    struct gsim_answer all = {0};
    const char *note = "";
    struct gsim_ranking r = {0};
    enum gsim_status status = gsim_ask("compare", scenario, words, &all, error);
    for (size_t i = 0; i < all.row_count && !status; i++) {
        const union gsim_value *row = &all.values[i * all.column_count];
        if (isfinite(row[1].real)) gsim_ranking_add(&r, row[0].text, row[1].real);
        if (r.best.name == row[0].text) note = row[3].text; /* two GPUs, and such */
    }
    gsim_answer_begin(a, columns);
    double gain = r.count > 1 ? 100 * (r.second.us / r.best.us - 1) : NAN;
    if (!status && r.count)
        gsim_answer_add(a, r.best.name, r.best.us, r.count > 1 ? r.second.name : "", gain,
                        r.count > 1 ? 100 * gsim_ranking_sure(r.best.us, r.second.us) : NAN, note);
    gsim_answer_release(&all);
    return status;
}

const struct gsim_question_ops gsim_question_best = {
    GSIM_HEAD(question),
    .name = "best",
    .summary = "the best scheduler, by how much, and how sure that is",
    .words = "schedulers, separated by commas; without them all",
    .answer = answer,
};
