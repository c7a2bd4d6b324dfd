/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sweep/merge.h. Everything happens in one transaction. */
#include "sweep/merge.h"

#include <unistd.h>

#include "sim/base/jobs/run.h"

struct merging {
    struct gsim_store *out;
    const char *input;
    const char *model; /* "VERSION MODEL" of the first file */
    int64_t *sweeps;   /* id in the input, id in the output, ... */
    size_t sweep_count, sweep_capacity;
    struct gsim_merge_outcome *outcome;
    const struct gsim_stop *stop;
    struct gsim_arena arena;
};

static enum gsim_status copy_sweep(void *data, const struct gsim_sweep_record *record, struct gsim_error *error)
{
    struct merging *merging = data;
    struct gsim_sweep_record copy = *record;
    copy.shard = NULL; /* together they are the whole */
    enum gsim_status status = gsim_store_add_sweep(merging->out, &copy, error);
    for (int i = 0; i < 2 && status == GSIM_OK; i++) {
        (void)GSIM_APPEND(merging->sweeps, merging->sweep_count, merging->sweep_capacity, i ? copy.id : record->id);
    }
    return status;
}

static bool same_outcome(const struct gsim_row *left, const struct gsim_row *right)
{
    for (int i = 0; i < GSIM_COLUMN_COUNT; i++)
        if (i != GSIM_COLUMN_sweep && i != GSIM_COLUMN_position && i != GSIM_COLUMN_axes &&
            !gsim_cell_is_same(&left->cells[i], &right->cells[i]))
            return false;
    return true;
}

struct comparison {
    const struct gsim_row *row;
    bool is_same, was_ok;
};

static enum gsim_status compare(void *data, const struct gsim_row *present, struct gsim_error *error)
{
    struct comparison *comparison = data;
    (void)error;
    comparison->was_ok = strcmp(present->cells[GSIM_COLUMN_status].text, "ok") == 0;
    comparison->is_same = same_outcome(present, comparison->row);
    return GSIM_OK;
}

static enum gsim_status copy_row(void *data, const struct gsim_row *row, struct gsim_error *error)
{
    struct merging *merging = data;
    struct gsim_row copy = *row;
    struct comparison comparison = {.row = row};
    bool is_stored;
    merging->outcome->stopped_by = gsim_stop_asked(merging->stop);
    if (merging->outcome->stopped_by) return gsim_error_set(error, GSIM_IO, "stopped by a signal");
    for (size_t i = 0; i + 1 < merging->sweep_count; i += 2)
        if (merging->sweeps[i] == row->cells[GSIM_COLUMN_sweep].integer)
            copy.cells[GSIM_COLUMN_sweep] = gsim_cell_integer(merging->sweeps[i + 1]);
    if (row->cells[GSIM_COLUMN_key].type != GSIM_CELL_TEXT || row->cells[GSIM_COLUMN_status].type != GSIM_CELL_TEXT)
        return gsim_error_set(error, GSIM_INPUT, "cannot merge '%s': row %lld has no key or status", merging->input,
                              (long long)row->id);
    enum gsim_status status = gsim_store_insert(merging->out, &copy, &is_stored, error);
    if (status != GSIM_OK) return status;
    if (is_stored) {
        merging->outcome->added++;
        return GSIM_OK;
    }
    merging->outcome->present++;
    status = gsim_store_find(merging->out, row->cells[GSIM_COLUMN_key].text, compare, &comparison, error);
    bool is_ok = strcmp(row->cells[GSIM_COLUMN_status].text, "ok") == 0;
    if (status == GSIM_OK && comparison.was_ok && is_ok && !comparison.is_same)
        return gsim_error_set(error, GSIM_INPUT,
                              "cannot merge '%s': it has other figures for a point than the files before "
                              "it (key %s, axes %.200s)",
                              merging->input, row->cells[GSIM_COLUMN_key].text, row->cells[GSIM_COLUMN_axes].text);
    return status;
}

static enum gsim_status check_models(struct merging *merging, struct gsim_store *store, const char *path,
                                     struct gsim_error *error)
{
    const char **models;
    size_t count;
    enum gsim_status status = gsim_store_models(store, &merging->arena, &models, &count, error);
    for (size_t i = 0; i < count && status == GSIM_OK; i++) {
        if (!merging->model) merging->model = models[i];
        if (strcmp(models[i], merging->model) != 0)
            status = gsim_error_set(error, GSIM_INPUT,
                                    "cannot merge '%s': it holds results of another model (%s, others %s); "
                                    "--allow-mixed joins them",
                                    path, models[i], merging->model);
    }
    return status;
}

static enum gsim_status copy_file(struct merging *merging, const char *path, bool allow_mixed, struct gsim_error *error)
{
    struct gsim_store *store;
    merging->input = path;
    merging->sweep_count = 0;
    enum gsim_status status = gsim_store_open(path, GSIM_STORE_READ, &store, error);
    if (status != GSIM_OK) return status;
    if (!allow_mixed) status = check_models(merging, store, path, error);
    if (status == GSIM_OK) status = gsim_store_each_sweep(store, copy_sweep, merging, error);
    if (status == GSIM_OK) status = gsim_store_each(store, copy_row, merging, error);
    gsim_store_close(store);
    return status;
}

enum gsim_status gsim_merge(const char *out, const char *const *inputs, size_t count, bool may_exist, bool allow_mixed,
                            struct gsim_merge_outcome *outcome, struct gsim_error *error)
{
    struct gsim_stop stop;
    struct merging merging = {.outcome = outcome, .stop = &stop};
    bool was_there = access(out, F_OK) == 0;
    for (size_t i = 0; i < count; i++) {
        if (access(inputs[i], R_OK) != 0)
            return gsim_error_set(error, GSIM_INPUT, "cannot read '%s': no such file", inputs[i]);
        if (strcmp(inputs[i], out) == 0) return gsim_error_set(error, GSIM_USAGE, "'%s' is both input and output", out);
    }
    gsim_stop_begin(&stop);
    enum gsim_status status =
        gsim_store_open(out, may_exist ? GSIM_STORE_WRITE : GSIM_STORE_CREATE, &merging.out, error);
    if (status == GSIM_OK && was_there && !allow_mixed) status = check_models(&merging, merging.out, out, error);
    if (status == GSIM_OK) status = gsim_store_begin(merging.out, error);
    for (size_t i = 0; i < count && status == GSIM_OK; i++) status = copy_file(&merging, inputs[i], allow_mixed, error);
    if (status == GSIM_OK) status = gsim_store_count_points(merging.out, error);
    if (status == GSIM_OK) status = gsim_store_commit(merging.out, error);
    gsim_store_close(merging.out);
    if (status != GSIM_OK && merging.out && !was_there) unlink(out);
    gsim_stop_end(&stop);
    gsim_free(merging.sweeps);
    gsim_arena_release(&merging.arena);
    return status;
}
