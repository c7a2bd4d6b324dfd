/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/page/page.h: what a database of gpusim sweep tells beside its points - the commands that
 * filled it, their specifications, versions of program and model, and the points that failed.
 */
#include "plots/page/page.h"
#include "sweep/store.h"

#define MAX_FAILURES 100

static enum gsim_status put_sweep(void *data, const struct gsim_sweep_record *record, struct gsim_error *error)
{
    struct gsim_page *page = data;
    (void)error;
    gsim_page_block(page, "pre", record->command);
    gsim_page_block(page, "p",
                    gsim_arena_printf(&page->arena, "gpusim %s, model %s, %lld points asked for%s%s.",
                                      record->version ? record->version : "", record->model ? record->model : "",
                                      (long long)record->points, record->shard ? ", shard " : "",
                                      record->shard ? record->shard : ""));
    gsim_page_block(page, "more", "The resolved specification");
    gsim_page_block(page, "pre", record->spec);
    gsim_page_block(page, "end", "");
    return GSIM_OK;
}

struct failures {
    struct gsim_page *page;
    size_t count;
};

static enum gsim_status put_failure(void *data, const struct gsim_row *row, struct gsim_error *error)
{
    static const char *const heads[] = {"Status", "Point", "Message"};
    static const enum gsim_column columns[] = {GSIM_COLUMN_status, GSIM_COLUMN_axes, GSIM_COLUMN_error};
    struct failures *failures = data;
    const char *status = row->cells[GSIM_COLUMN_status].text;
    (void)error;
    if ((status && strcmp(status, "ok") == 0) || failures->count++ >= MAX_FAILURES) return GSIM_OK;
    if (failures->count == 1) {
        gsim_page_block(failures->page, "h2", "Points without a result");
        gsim_page_table(failures->page, heads, 3);
    }
    for (size_t i = 0; i < 3; i++) {
        gsim_page_cell(failures->page, row->cells[columns[i]].text);
    }
    return GSIM_OK;
}

enum gsim_status gsim_page_database(struct gsim_page *page, const char *path, struct gsim_error *error)
{
    struct failures failures = {.page = page};
    struct gsim_store *store = NULL;
    enum gsim_status status = gsim_store_open(path, GSIM_STORE_READ, &store, error);
    if (status == GSIM_OK) status = gsim_store_each(store, put_failure, &failures, error);
    if (status == GSIM_OK && failures.count) gsim_page_table_end(page);
    if (failures.count > MAX_FAILURES)
        gsim_page_block(page, "p",
                        gsim_arena_printf(&page->arena, "%d of %zu; gpusim results gives all.", MAX_FAILURES,
                                          failures.count));
    if (status == GSIM_OK) {
        gsim_page_block(page, "h2", "Run it again");
        gsim_page_block(page, "p", "With the same version and model, the same results come out:");
        status = gsim_store_each_sweep(store, put_sweep, page, error);
    }
    gsim_store_close(store);
    return status;
}
