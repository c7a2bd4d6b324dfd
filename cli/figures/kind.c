/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See cli/figures/plot.h. */
#include "cli/figures/plot.h"

#include <string.h>

#include "sim/base/gz.h"
#include "traces/import/importers.h"

#define HEAD_BYTES 4096

static const struct {
    const char *schema; /* what stands early in the file */
    unsigned readers;
    const char *what;
} kinds[] = {
    {"\"gpusim-report/", GSIM_KIND_TRACK | GSIM_KIND_FRAME | GSIM_KIND_SHARES,
     "the report of a run: gpusim plot timeline, gpusim report"},
    {"\"gpusim-compare/", GSIM_KIND_FRAME, "what compare --report writes: gpusim plot speedup, gpusim report"},
    {"\"gpusim-share-comparison/", GSIM_KIND_SHARES | GSIM_KIND_FRAME,
     "a comparison of ways of sharing: gpusim plot jct, gpusim report"},
    {"\"gpusim-tasks/", 0, "a file of tasks: gpusim compare --task FILE --share all"},
    {"\"gpusim-runs/", GSIM_KIND_TRACK | GSIM_KIND_FRAME, "recorded runs: gpusim validate, gpusim plot timeline"},
    {"\"gpusim-sweep/", GSIM_KIND_FRAME, "the description of a sweep: gpusim sweep FILE -o RESULTS.db"},
    {"\"gpusim-whatif/", 0, "an answer of whatif: gpusim report"},
    {"\"gpusim-explain/", 0, "an answer of explain: gpusim report"},
    {"\"gpusim-program/", 0, "a program: gpusim run --workload FILE"},
    {"\"gpusim-device/", 0, "a device: gpusim run --device FILE"},
    {"\"gpusim-node/", 0, "a node: gpusim run --node FILE"},
    {"\"gpusim-validation/", 0, "what validate --report writes, which no figure shows"},
};

static const char *wanted_by(unsigned reader)
{
    if (reader == GSIM_KIND_TRACK) return "a report of a run, recorded runs or a trace";
    return reader == GSIM_KIND_SHARES ? "a comparison of ways of sharing"
                                      : "results of a sweep, a report or a comparison";
}

static enum gsim_status refuse(const char *path, unsigned reader, const char *what, struct gsim_error *error)
{
    return gsim_error_set(error, GSIM_INPUT, "cannot read '%s': expected %s, found %s", path, wanted_by(reader), what);
}

/* Results of a sweep, by their first page: SQLite itself would leave files beside a database that another process may
 * write. */
static bool is_results(const char *path)
{
    char page[HEAD_BYTES + 1];
    size_t length = gsim_gz_head(path, page, sizeof page);
    if (strcmp(page, "SQLite format 3") != 0) return false;
    for (size_t i = 0; i < length; i++)
        if (!page[i]) page[i] = ' ';
    return strstr(page, "CREATE TABLE sweeps") != NULL;
}

/* A trace is read by timelines; a file that no importer and no line above knows keeps the message of its reader. */
enum gsim_status gsim_cli_name_kind(enum gsim_status status, const char *path, unsigned reader,
                                    struct gsim_error *error)
{
    char head[HEAD_BYTES + 1] = "", what[GSIM_IMPORTER_TEXT];
    bool is_trace;
    if (status != GSIM_INPUT) return status;
    if (is_results(path))
        return reader == GSIM_KIND_FRAME
                   ? status
                   : refuse(path, reader, "results of a sweep: gpusim plot speedup, gpusim results", error);
    if (gsim_importer_what(path, what, &is_trace)[0]) {
        bool is_text = strstr(what, "(CSV)") || strstr(what, "unknown kind"); /* the reader says better what it lacks */
        if (is_text || (is_trace && reader == GSIM_KIND_TRACK)) return status;
        return gsim_error_set(error, GSIM_INPUT, "cannot read '%s': expected %s, found %s%s", path, wanted_by(reader),
                              what, is_trace ? ": gpusim plot timeline, or gpusim import FILE -o program.json" : "");
    }
    (void)gsim_gz_head(path, head, sizeof head);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strstr(head, kinds[i].schema))
            return kinds[i].readers & reader ? status : refuse(path, reader, kinds[i].what, error);
    return status;
}

/* --- figures of commands that write a CSV file of their own --- */
enum gsim_status gsim_figure_draw(const char *script, const char *csv, const char *path, struct gsim_error *error)
{
    static const struct gsim_figure_size size = {.width_cm = 12.8, .height_cm = 9.1, .font_pt = 9, .enhanced = true};
    struct gsim_arena arena = {0};
    enum gsim_status status;
    const char *name = gsim_arena_printf(&arena, "plots/%s", script);
    const char *found = gsim_data_path(&arena, name);
    const char *terminal = gsim_gnuplot_terminal(&arena, path, &size);
    if (!found)
        status = gsim_error_set(error, GSIM_IO, "cannot draw: plots/%s is not installed", script);
    else
        status = gsim_gnuplot_draw(found, csv, path, terminal, error);
    gsim_arena_release(&arena);
    return status;
}
