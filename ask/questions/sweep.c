/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every combination of some changes' values. */
#include <string.h>

#include "ask/questions/question.h"
#include "ask/whatif/rows.h"

#define POINTS  (GSIM_WHATIF_ROWS - GSIM_WHATIF_TOGETHER - 1)
#define DEFAULT "launch=1x|2x,kernels=1x|2x"

/* "a=1|2,b=3|4" as "a=1+b=3,a=1+b=4,a=2+b=3,a=2+b=4"; NULL: memory is out, or there are more than POINTS. */
static const char *expand(struct gsim_arena *arena, const char *words, uint32_t *count)
{
    const char *points[POINTS] = {""}, *more[POINTS], *all = NULL;
    *count = 1;
    for (const char *axis = words; axis; axis = strchr(axis, ',') ? strchr(axis, ',') + 1 : NULL) {
        int name = (int)strcspn(axis, "=,"), end = (int)strcspn(axis, ","), length;
        uint32_t made = 0;
        for (uint32_t i = 0; i < *count; i++)
            for (int at = name; at <= end; at += 1 + length) {
                length = at < end ? (int)strcspn(axis + at + 1, "|,") : 0;
                if (at == end && at > name) break;
                if (made == POINTS) return NULL;
                more[made++] = gsim_arena_printf(arena, "%s%s%.*s%.*s%.*s", points[i], *points[i] ? "+" : "", name,
                                                 axis, at < end, "=", length, axis + at + 1);
                if (arena->failed) return NULL;
            }
        memcpy(points, more, sizeof *more * made);
        *count = made;
    }
    for (uint32_t i = 0; i < *count && !arena->failed; i++)
        all = gsim_arena_printf(arena, "%s%s%s", all ? all : "", all ? "," : "", points[i]);
    return all;
}

static enum gsim_status answer(const struct gsim_changeable *scenario, const char *words, struct gsim_answer *a,
                               struct gsim_error *error)
{
    static const struct gsim_answer_column columns[] = {
        GSIM_COLUMN_TEXT("point"), GSIM_COLUMN_REAL("time_us", "us"), GSIM_COLUMN_REAL("speedup", ""),
        GSIM_COLUMN_TEXT("note"), {0}};
    struct gsim_arena arena = {0};
    uint32_t count = 0;
    const char *points = expand(&arena, words ? words : DEFAULT, &count);
    struct gsim_whatif *w = gsim_alloc(sizeof *w);
    struct gsim_simulation simulation = *scenario->simulation;
    enum gsim_status status = GSIM_OK;
    if (!w || arena.failed) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    else if (!points) status = gsim_refuse(error, "sweep: expected at most %d points", POINTS);
    else status = gsim_whatif_of(w, scenario, &simulation, points, error);
    gsim_answer_begin(a, columns);
    for (uint32_t i = 1; i <= count && !status; i++) {
        const struct gsim_whatif_row *row = &w->rows[i];
        char name[GSIM_WHATIF_NAME];
        double us = !row->failed && !row->has_effect ? w->rows[0].time_us : row->time_us; /* 1x */
        gsim_answer_add(a, gsim_whatif_name(row, name, sizeof name), us, w->rows[0].time_us / us, row->note);
    }
    gsim_free(w);
    gsim_arena_release(&arena);
    return status;
}

const struct gsim_question_ops gsim_question_sweep = {
    GSIM_HEAD(question),
    .name = "sweep",
    .summary = "the time at each combination of changes' values",
    .words = "values of changes: launch=1x|2x,hw_queues=8|32; without them launch calls and kernels",
    .answer = answer,
};
