/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sweep/query/view.h. */
#include "sweep/query/view.h"

#include <cjson/cJSON.h>

void gsim_view_init(struct gsim_view *view, const struct gsim_row *row)
{
    *view = (struct gsim_view){.row = row};
}

void gsim_view_release(struct gsim_view *view)
{
    cJSON_Delete(view->axes);
    cJSON_Delete(view->options);
    cJSON_Delete(view->tasks);
    *view = (struct gsim_view){0};
}

enum gsim_column gsim_view_column(const char *name)
{
    return gsim_column_find(strcmp(name, "sched") == 0 ? "scheduler" : name);
}

static const cJSON *parsed(const struct gsim_view *view, enum gsim_column column, void **json)
{
    const struct gsim_cell *cell = &view->row->cells[column];
    if (!*json && cell->type == GSIM_CELL_TEXT) *json = cJSON_Parse(cell->text);
    return *json;
}

static struct gsim_cell cell_of(const cJSON *item)
{
    if (cJSON_IsNumber(item)) return gsim_cell_real(item->valuedouble);
    return gsim_cell_text(cJSON_IsString(item) ? item->valuestring : NULL);
}

/* Of a task, whose name may have dots. */
static const cJSON *task_figure(const cJSON *tasks, const char *name)
{
    const char *dot = strrchr(name, '.');
    const cJSON *task;
    cJSON_ArrayForEach(task, tasks) if (dot && strlen(task->string) == (size_t)(dot - name) &&
                                        strncmp(task->string, name, (size_t)(dot - name)) ==
                                            0) return cJSON_GetObjectItemCaseSensitive(task, dot + 1);
    return NULL;
}

struct gsim_cell gsim_view_value(struct gsim_view *view, const char *name)
{
    enum gsim_column column = gsim_view_column(name);
    if (column < GSIM_COLUMN_COUNT && view->row->cells[column].type != GSIM_CELL_NULL) return view->row->cells[column];
    /* A point that failed early has no resolved size, but the one that was asked for. */
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(parsed(view, GSIM_COLUMN_axes, &view->axes), name);
    if (!item) item = cJSON_GetObjectItemCaseSensitive(parsed(view, GSIM_COLUMN_options, &view->options), name);
    if (!item) item = task_figure(parsed(view, GSIM_COLUMN_tasks, &view->tasks), name);
    return cell_of(item);
}

void gsim_view_axes(struct gsim_view *view, void (*each)(void *data, const char *name, const struct gsim_cell *value),
                    void *data)
{
    const cJSON *item, *axes = parsed(view, GSIM_COLUMN_axes, &view->axes);
    cJSON_ArrayForEach(item, axes)
    {
        struct gsim_cell cell = cell_of(item);
        each(data, item->string, &cell);
    }
}
