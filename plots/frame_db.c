/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/frame.h: the table "points" of a database of gpusim sweep (columns: sweep/columns.def).
 * Points that failed have no rows, and are told apart; what varied ("axes", a JSON object) becomes columns.
 */
#include "plots/frame.h"
#include "sim/base/scan.h"
#include "sweep/store.h"

/* {"size": 1e6, "device.h2d_gbps": 16}: columns of these names, where the table does not have them. */
static void set_axes(struct gsim_frame *frame, const char *json)
{
    struct gsim_scan_text key;
    const char *rest;
    char name[96];
    size_t length = json ? strlen(json) : 0;
    if (!length || gsim_scan_check(json, length, NULL) != GSIM_OK || *gsim_scan_start(json) != '{') return;
    for (const char *value = gsim_scan_next(gsim_scan_start(json), &key, &rest); value;) {
        const char *behind = gsim_scan_skip(value);
        gsim_scan_key(&key, name, sizeof name);
        const struct gsim_frame_column *known = gsim_frame_find(frame, name);
        if (!*gsim_frame_text(known, frame->row_count - 1)) {
            bool is_string = *value == '"';
            const char *text = is_string ? gsim_scan_copy(value, &frame->arena)
                                         : gsim_arena_printf(&frame->arena, "%.*s", (int)(behind - value), value);
            if (text || is_string) gsim_frame_set(frame, name, text);
        }
        value = gsim_scan_next(behind, &key, &rest);
    }
}

/* {"a": {"mean_us": 1}}: columns TASK.mean_us. */
static void set_tasks(struct gsim_frame *frame, const char *json)
{
    struct gsim_scan_text key;
    char task[96], figure[32], name[140];
    size_t length = json ? strlen(json) : 0;
    if (!length || gsim_scan_check(json, length, NULL) != GSIM_OK || *gsim_scan_start(json) != '{') return;
    GSIM_SCAN_EACH(value, gsim_scan_start(json), &key) {
        gsim_scan_key(&key, task, sizeof task);
        if (*value != '{') continue;
        GSIM_SCAN_EACH(number, value, &key) {
            gsim_scan_key(&key, figure, sizeof figure);
            snprintf(name, sizeof name, "%s.%s", task, figure);
            gsim_frame_set_number(frame, name, gsim_scan_number(number));
        }
    }
}

static enum gsim_status read_row(void *data, const struct gsim_row *row, struct gsim_error *error)
{
    struct gsim_frame *frame = data;
    const char *status = row->cells[GSIM_COLUMN_status].text;
    if (!status || strcmp(status, "ok") != 0) {
        /* What was simulated, which tells what there are no figures of. */
        static const enum gsim_column columns[] = {GSIM_COLUMN_workload, GSIM_COLUMN_scheduler, GSIM_COLUMN_device};
        if (!frame->failures) {
            frame->failures = gsim_alloc(sizeof *frame->failures);
            *frame->failures = (struct gsim_frame){0};
        }
        gsim_frame_begin_row(frame->failures);
        for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
            gsim_frame_set(frame->failures, gsim_column_name(columns[i]), row->cells[columns[i]].text);
        set_axes(frame->failures, row->cells[GSIM_COLUMN_axes].text);
        return gsim_frame_check(frame->failures, error);
    }
    gsim_frame_begin_row(frame);
    for (int i = 0; i < GSIM_COLUMN_COUNT; i++) {
        const struct gsim_cell *cell = &row->cells[i];
        const char *name = gsim_column_name((enum gsim_column)i);
        /* Long texts that no figure shows; axes follow. */
        if (i == GSIM_COLUMN_key || i == GSIM_COLUMN_options || i == GSIM_COLUMN_axes || i == GSIM_COLUMN_tasks)
            continue;
        if (cell->type == GSIM_CELL_TEXT) gsim_frame_set(frame, name, cell->text);
        else if (cell->type != GSIM_CELL_NULL) gsim_frame_set_number(frame, name, cell->real);
    }
    set_axes(frame, row->cells[GSIM_COLUMN_axes].text);
    set_tasks(frame, row->cells[GSIM_COLUMN_tasks].text);
    return gsim_frame_check(frame, error);
}

enum gsim_status gsim_frame_read_db(struct gsim_frame *frame, const char *path, struct gsim_error *error)
{
    struct gsim_store *store = NULL;
    enum gsim_status status = gsim_store_open(path, GSIM_STORE_READ, &store, error);
    if (status == GSIM_OK) status = gsim_store_each(store, read_row, frame, error);
    gsim_store_close(store);
    return status;
}
