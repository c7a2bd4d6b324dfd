/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results files made by hand, for the tests of what reads them. */
#pragma once

#include <unistd.h>

#include "sweep/store.h"
#include "tests/test.h"

struct row_text {
    const char *key, *axes, *workload, *scheduler, *status;
    double iteration_us;
};

static inline const char *rows_path(char path[64], const char *ending)
{
    snprintf(path, 64, "/tmp/gpusim-rows-%ld%s", (long)getpid(), ending);
    unlink(path);
    return path;
}

static inline void rows_write(const char *path, const char *model, const struct row_text *rows, size_t count)
{
    struct gsim_store *store;
    struct gsim_error error = {0};
    struct gsim_sweep_record sweep = {
        .spec = "{}", .version = GPUSIM_VERSION, .model = model, .command = "c", .points = 1, .shard = path};
    CHECK_OK(gsim_store_open(path, GSIM_STORE_CREATE, &store, &error), error);
    CHECK_OK(gsim_store_begin(store, &error), error);
    CHECK_OK(gsim_store_add_sweep(store, &sweep, &error), error);
    for (size_t i = 0; i < count; i++) {
        struct gsim_row row = {0};
        row.cells[GSIM_COLUMN_key] = gsim_cell_text(rows[i].key);
        row.cells[GSIM_COLUMN_axes] = gsim_cell_text(rows[i].axes);
        row.cells[GSIM_COLUMN_options] = gsim_cell_text("{\"memory\":\"managed\"}");
        row.cells[GSIM_COLUMN_workload] = gsim_cell_text(rows[i].workload);
        row.cells[GSIM_COLUMN_scheduler] = gsim_cell_text(rows[i].scheduler);
        row.cells[GSIM_COLUMN_device] = gsim_cell_text("v100");
        row.cells[GSIM_COLUMN_repeat] = gsim_cell_integer(0);
        row.cells[GSIM_COLUMN_sweep] = gsim_cell_integer(sweep.id);
        row.cells[GSIM_COLUMN_position] = gsim_cell_integer((int64_t)i);
        row.cells[GSIM_COLUMN_status] = gsim_cell_text(rows[i].status);
        row.cells[GSIM_COLUMN_version] = gsim_cell_text(GPUSIM_VERSION);
        row.cells[GSIM_COLUMN_model] = gsim_cell_text(model);
        if (strcmp(rows[i].status, "ok") == 0)
            row.cells[GSIM_COLUMN_iteration_us] = gsim_cell_real(rows[i].iteration_us);
        CHECK_OK(gsim_store_insert(store, &row, NULL, &error), error);
    }
    CHECK_OK(gsim_store_commit(store, &error), error);
    gsim_store_close(store);
}
