/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "What if": see ask/whatif/rows.h. */
#include <math.h>
#include <stdlib.h>

#include "ask/questions/question.h"
#include "gpusim/order.h"
#include "ask/whatif/rows.h"

GSIM_ORDER(compare_rows, struct gsim_whatif_row, GSIM_UP(time_us) GSIM_UP(place))

void gsim_whatif_sort(struct gsim_whatif *w)
{
    for (uint32_t i = 0; i < w->row_count; i++) w->rows[i].place = i;
    if (w->row_count) qsort(w->rows + 1, w->row_count - 1, sizeof *w->rows, compare_rows);
}

void gsim_whatif_answer(const struct gsim_whatif *w, struct gsim_answer *a)
{
    static const struct gsim_answer_column columns[] = {
        GSIM_COLUMN_TEXT("change"), GSIM_COLUMN_REAL("time_us", "us"), GSIM_COLUMN_REAL("saved_us", "us"),
        GSIM_COLUMN_REAL("saved_percent", "%"), GSIM_COLUMN_REAL("error_us", "us"), GSIM_COLUMN_TEXT("note"),
        GSIM_COLUMN_TEXT("command"), {"together", "", GSIM_VALUE_BOOL, true}, {"has_effect", "", GSIM_VALUE_BOOL, true},
        {0}};
    double now_us = w->rows[0].time_us;
    gsim_answer_begin(a, columns);
    for (uint32_t i = 0; i < w->row_count; i++) {
        const struct gsim_whatif_row *row = &w->rows[i];
        char name[GSIM_WHATIF_NAME];
        gsim_answer_add(a, gsim_whatif_name(row, name, sizeof name), row->time_us, now_us - row->time_us,
                        100 * (1 - row->time_us / now_us), isfinite(row->time_us) ? row->error_us : NAN, row->note,
                        row->command ? row->command : "", row->is_together, row->has_effect || !i);
    }
}

static enum gsim_status answer(const struct gsim_changeable *scenario, const char *words, struct gsim_answer *a,
                               struct gsim_error *error)
{
    struct gsim_whatif *w = gsim_alloc(sizeof *w);
    struct gsim_simulation simulation = *scenario->simulation;
    if (!w) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    enum gsim_status status = gsim_whatif_of(w, scenario, &simulation, words, error);
    if (!status) {
        gsim_whatif_sort(w);
        gsim_whatif_answer(w, a);
    }
    gsim_free(w);
    return status;
}

const struct gsim_question_ops gsim_question_whatif = {
    GSIM_HEAD(question),
    .name = "whatif",
    .summary = "what changes to the program, its host or its GPU would be worth",
    .words = "changes: graph,launch=2x; without them all that may matter",
    .answer = answer,
};
