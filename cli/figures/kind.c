/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See cli/figures/plot.h. */
#include "cli/figures/plot.h"

#include <string.h>

#include "ask/subject.h"
#include "traces/import/importers.h"
#include "sim/device/search.h"

/* Who reads a file of a kind. */
static const unsigned readers[GSIM_SUBJECT_KIND_COUNT] = {
    [GSIM_SUBJECT_REPORT] = GSIM_KIND_TRACK | GSIM_KIND_FRAME | GSIM_KIND_SHARES,
    [GSIM_SUBJECT_SHARES] = GSIM_KIND_SHARES | GSIM_KIND_FRAME,
    [GSIM_SUBJECT_RUNS] = GSIM_KIND_TRACK | GSIM_KIND_FRAME,
    [GSIM_SUBJECT_COMPARISON] = GSIM_KIND_FRAME,
    [GSIM_SUBJECT_RESULTS] = GSIM_KIND_FRAME,
    [GSIM_SUBJECT_SWEEP] = GSIM_KIND_FRAME,
};

static const char *wanted_by(unsigned reader)
{
    if (reader == GSIM_KIND_TRACK) return "a report of a run, recorded runs or a trace";
    return reader == GSIM_KIND_SHARES ? "a comparison of ways of sharing"
                                      : "results of a sweep, a report or a comparison";
}

/* A trace is read by timelines; a file that no importer and no line above knows keeps the message of its reader. */
enum gsim_status gsim_cli_name_kind(enum gsim_status status, const char *path, unsigned reader,
                                    struct gsim_error *error)
{
    char what[GSIM_IMPORTER_TEXT];
    bool is_trace;
    uint32_t kinds = 0;
    if (status != GSIM_INPUT) return status;
    if (gsim_subject_kind_of(path) != GSIM_SUBJECT_RESULTS && gsim_importer_what(path, what, &is_trace)[0]) {
        bool is_text = strstr(what, "(CSV)") || strstr(what, "unknown kind"); /* the reader says better what it lacks */
        if (is_text || (is_trace && reader == GSIM_KIND_TRACK)) return status;
        return gsim_error_set(error, GSIM_INPUT, "cannot read '%s': expected %s, found %s%s", path, wanted_by(reader),
                              what, is_trace ? ": gpusim plot timeline, or gpusim import FILE -o program.json" : "");
    }
    for (int k = 0; k < GSIM_SUBJECT_KIND_COUNT; k++) kinds |= readers[k] & reader ? UINT32_C(1) << k : 0;
    return gsim_subject_expect(path, kinds, wanted_by(reader), error) ? error->status : status;
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
