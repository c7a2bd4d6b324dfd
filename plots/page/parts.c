/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/page/parts.h.
 */
#include "plots/page/parts.h"

#include <string.h>

#define MOST_SPLIT 8 /* settings that parts differ in */

struct split {
    const struct gsim_frame *frame;
    const struct gsim_frame_column *columns[MOST_SPLIT];
    const char **values[MOST_SPLIT];
    size_t value_counts[MOST_SPLIT], count;
};

bool gsim_page_follows_workload(const struct gsim_frame *frame, const struct gsim_frame_column *column)
{
    const struct gsim_frame_column *workload = gsim_frame_find(frame, "workload");
    if (!workload || column == workload || gsim_frame_distinct(frame, workload) < 2) return false;
    for (size_t row = 1; row < frame->row_count; row++) {
        size_t other = 0; /* the first row of the same workload */
        while (strcmp(gsim_frame_text(workload, row), gsim_frame_text(workload, other)) != 0) other++;
        if (strcmp(gsim_frame_text(column, row), gsim_frame_text(column, other)) != 0) return false;
    }
    return true;
}

static bool is_shown(const char *name, const char *const *shown)
{
    for (; *shown; shown++)
        if (strcmp(name, *shown) == 0 || (strcmp(*shown, "sched") == 0 && strcmp(name, "scheduler") == 0)) return true;
    return false;
}

static void find_values(struct split *split, const struct gsim_frame_column *column, struct gsim_arena *arena)
{
    const char **values = gsim_arena_alloc(arena, sizeof *values * (split->frame->row_count + 1));
    size_t count = 0;
    for (size_t row = 0; row < split->frame->row_count; row++) {
        const char *text = gsim_frame_text(column, row);
        bool is_known = !*text;
        for (size_t i = 0; i < count && !is_known; i++) is_known = strcmp(values[i], text) == 0;
        if (!is_known) values[count++] = text;
    }
    if (count < 2) return;
    split->columns[split->count] = column;
    split->values[split->count] = values;
    split->value_counts[split->count++] = count;
}

/* The rows of the combination, which PART names; its frame has no rows where the combination did not run. */
static void make_part(const struct split *split, size_t combination, struct gsim_page_part *part,
                      struct gsim_arena *arena)
{
    const struct gsim_frame *frame = split->frame;
    bool *keep = gsim_arena_alloc(arena, frame->row_count + 1);
    const char *values[MOST_SPLIT];
    part->name = part->where = "";
    for (size_t i = 0; i < split->count; i++) {
        values[i] = split->values[i][combination % split->value_counts[i]];
        combination /= split->value_counts[i];
    }
    bool has_own = false; /* rows that have all settings: others are in every part */
    for (size_t row = 0; keep && row < frame->row_count; row++) {
        bool is_own = keep[row] = true;
        for (size_t i = 0; i < split->count; i++) {
            const char *text = gsim_frame_text(split->columns[i], row);
            keep[row] &= !*text || strcmp(text, values[i]) == 0;
            is_own &= *text != '\0';
        }
        has_own |= keep[row] && is_own;
    }
    for (size_t i = 0; i < split->count && part->name && part->where; i++) {
        const char *name = split->columns[i]->name;
        char *end;
        (void)strtod(values[i], &end);
        bool is_number = !*end, is_device = strcmp(name, "device") == 0 || strcmp(name, "workload") == 0;
        part->name = gsim_arena_printf(arena, "%s%s%s%s%s", part->name, i ? ", " : "", is_device ? "" : name,
                                       is_device ? "" : " = ", values[i]);
        part->where = gsim_arena_printf(arena, is_number ? "%s%s%s = %s" : "%s%s%s = '%s'", part->where,
                                        i ? " && " : "", name, values[i]);
    }
    part->frame = (struct gsim_frame){0};
    if (!has_own && split->count) return;
    part->frame.columns = gsim_arena_alloc(arena, sizeof *part->frame.columns * (frame->column_count + 1));
    part->frame.column_count = frame->column_count;
    for (size_t row = 0; row < frame->row_count; row++) part->frame.row_count += keep[row];
    for (size_t c = 0; c < frame->column_count; c++) {
        const struct gsim_frame_column *from = &frame->columns[c];
        struct gsim_frame_column *to = &part->frame.columns[c];
        size_t rows = part->frame.row_count + 1, at = 0;
        *to = (struct gsim_frame_column){
            .name = from->name, .capacity = rows, .number_capacity = rows, .length = rows - 1};
        to->texts = gsim_arena_alloc(arena, sizeof *to->texts * rows);
        to->numbers = gsim_arena_alloc(arena, sizeof *to->numbers * rows);
        for (size_t row = 0; row < frame->row_count; row++) {
            if (!keep[row]) continue;
            to->texts[at] = gsim_frame_text(from, row);
            to->numbers[at++] = gsim_frame_number(from, row);
        }
    }
}

#define MOST_PARTS 24 /* of a table or a figure */

void gsim_page_parts_init(struct gsim_page_parts *parts, const struct gsim_frame *frame, const char *const *shown)
{
    struct split split = {.frame = frame};
    size_t combinations = 1;
    *parts = (struct gsim_page_parts){0};
    for (size_t i = 0; i < frame->column_count && split.count < MOST_SPLIT; i++) {
        const struct gsim_frame_column *column = &frame->columns[i];
        if (!gsim_frame_is_setting(column->name) || is_shown(column->name, shown)) continue;
        if (gsim_frame_distinct(frame, column) < 2 || gsim_page_follows_workload(frame, column)) continue;
        find_values(&split, column, &parts->arena);
    }
    for (size_t i = 0; i < split.count; i++) combinations *= split.value_counts[i];
    parts->parts = gsim_arena_alloc(&parts->arena, sizeof *parts->parts * (MOST_PARTS + 1));
    for (size_t i = 0; i < combinations && parts->count < MOST_PARTS; i++) {
        make_part(&split, i, &parts->parts[parts->count], &parts->arena);
        parts->count += parts->parts[parts->count].frame.row_count > 0;
        parts->left_out = combinations - i - 1;
    }
}

void gsim_page_parts_release(struct gsim_page_parts *parts)
{
    gsim_arena_release(&parts->arena);
    *parts = (struct gsim_page_parts){0};
}
