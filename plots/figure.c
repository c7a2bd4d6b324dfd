/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/figure.h.
 */
#include "plots/figure.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/device/search.h"
#include "sim/base/part.h"
#include "sim/base/scratch.h"
#include "sim/base/gz.h"

#define POINTS_PER_CM (72 / 2.54)

/* --- the folder ---------------------------------------------------------------------------------------------- */
static enum gsim_status make_folder(struct gsim_figure *figure, struct gsim_error *error)
{
    if (figure->keep) {
        figure->own.folder = figure->keep;
        if (gsim_part_is_foreign(figure->keep))
            return gsim_error_set(error, GSIM_IO, "--keep: '%s' is a link that another user made", figure->keep);
        if (mkdir(figure->keep, 0777) == 0 || errno == EEXIST) return GSIM_OK;
        return gsim_error_set(error, GSIM_IO, "--keep: cannot make the folder '%s': %s", figure->keep, strerror(errno));
    }
    return gsim_scratch_folder(&figure->own.arena, &figure->own.folder, error);
}

/* Names that anyone can guess: a link that stands there is replaced, not followed. */
static void remove_link(const char *path)
{
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) unlink(path);
}

enum gsim_status gsim_figure_open(struct gsim_figure *figure, struct gsim_error *error)
{
    enum gsim_status status = gsim_figure_check(figure->path, error);
    if (status == GSIM_OK) status = make_folder(figure, error);
    if (status != GSIM_OK) return status;
    figure->own.opened = true;
    figure->own.data = gsim_arena_printf(&figure->own.arena, "%s/%s.dat", figure->own.folder, figure->name);
    figure->own.script = gsim_arena_printf(&figure->own.arena, "%s/%s.gp", figure->own.folder, figure->name);
    remove_link(figure->own.data);
    remove_link(figure->own.script);
    return gsim_output_open(&figure->data, figure->own.data, error);
}

void gsim_figure_release(struct gsim_figure *figure)
{
    if (figure->own.opened) {
        gsim_output_release(&figure->data);
        if (!figure->keep) gsim_scratch_remove(figure->own.folder);
    }
    gsim_free(figure->own.settings);
    gsim_arena_release(&figure->own.arena);
    memset(&figure->own, 0, sizeof figure->own);
}

/* --- settings and fields --------------------------------------------------------------------------------------- */
static void append(struct gsim_figure *figure, char letter)
{
    gsim_array_grow(&figure->own.settings, 1, figure->own.length, &figure->own.capacity);
    figure->own.settings[figure->own.length++] = letter;
}

static void append_text(struct gsim_figure *figure, const char *text)
{
    for (; *text; text++) append(figure, *text);
}

/* LETTER as it stands in a text of gnuplot's between double quotes. There \OOO is a character and nothing else: no
 * quote ends the text, no `command` and no @macro in it is taken. */
static void quote(char letter, char quoted[5])
{
    bool is_odd = letter && strchr("\"'`\\@$", letter);
    snprintf(quoted, 5, is_odd ? "\\%03o" : "%c", is_odd || (unsigned char)letter >= 0x20 ? letter & 0xff : ' ');
}

void gsim_figure_text(struct gsim_figure *figure, const char *name, const char *text)
{
    append_text(figure, name);
    append_text(figure, " = \"");
    for (; *text; text++) {
        char quoted[5];
        quote(*text, quoted);
        append_text(figure, quoted);
    }
    append_text(figure, "\"\n");
}

void gsim_figure_number(struct gsim_figure *figure, const char *name, double value)
{
    char text[64];
    snprintf(text, sizeof text, " = %.12g\n", value);
    append_text(figure, name);
    append_text(figure, isfinite(value) ? text : " = NaN\n");
}

const char *gsim_figure_settings(struct gsim_figure *figure)
{
    append(figure, '\0');
    return figure->own.settings;
}

void gsim_figure_field(struct gsim_figure *figure, const char *text)
{
    for (; *text; text++) {
        char letter = *text;
        if ((unsigned char)letter < 0x20) letter = ' ';
        if (letter == '"') letter = '\'';
        if (letter == '\\') letter = '/';
        gsim_output_bytes(&figure->data, &letter, 1);
    }
}

/* --- sizes and the legend --- */
double gsim_figure_line_cm(const struct gsim_figure *figure) { return figure->size.font_pt * 1.35 / POINTS_PER_CM; }

/* Helvetica's letters are half as wide as high, in words on average. */
double gsim_figure_letter_cm(const struct gsim_figure *figure) { return figure->size.font_pt * 0.52 / POINTS_PER_CM; }

double gsim_figure_legend(struct gsim_figure *figure, const char *const *names, const unsigned *places, size_t count)
{
    double line_cm = gsim_figure_line_cm(figure), letter_cm = gsim_figure_letter_cm(figure);
    size_t longest = 0;
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) > longest) longest = strlen(names[i]);
    double column_cm = 2.4 * line_cm + letter_cm * (double)longest, room_cm = figure->size.width_cm - 0.5;
    size_t columns = gsim_whole_u64(fmax(1, floor(room_cm / column_cm)));
    if (columns > count) columns = count;
    size_t lines = columns ? (count + columns - 1) / columns : 0;
    if (lines) columns = (count + lines - 1) / lines; /* no ragged last line */
    double left_cm = fmax(0.25, (figure->size.width_cm - column_cm * (double)columns + 0.5 * line_cm) / 2);
    gsim_output_text(&figure->data, "# legend: x_cm\ty_cm\tcolour\tname\n");
    for (size_t i = 0; i < count; i++) {
        gsim_output_printf(&figure->data, "%.3f\t%.3f\t%u\t", left_cm + column_cm * (double)(i % columns),
                           line_cm * ((double)(i / columns) + 0.75), places[i]);
        gsim_figure_field(figure, names[i]);
        gsim_output_text(&figure->data, "\n");
    }
    double key_cm = count ? line_cm * ((double)lines + 0.5) : 0.2;
    if (!count) gsim_output_text(&figure->data, "NaN\tNaN\t1\tnone\n");
    if (!count) gsim_output_text(&figure->data, "NaN\tNaN\t1\tnone\n"); /* so that blocks keep their numbers */
    gsim_figure_number(figure, "legend_count", (double)count);
    gsim_figure_number(figure, "key_cm", key_cm);
    return key_cm;
}

/* --- the script --------------------------------------------------------------------------------------------------- */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void put_quoted(struct gsim_output *output, const char *name, const char *before, const char *text)
{
    gsim_output_printf(output, "%s = \"%s", name, before);
    for (; *text; text++) {
        char quoted[5];
        quote(*text, quoted);
        gsim_output_text(output, quoted);
    }
    gsim_output_text(output, "\"\n");
}

/* plots/NAME.gp as it stands. */
static enum gsim_status put_source(struct gsim_figure *figure, const char *script, struct gsim_output *output,
                                   struct gsim_error *error)
{
    size_t length = 0;
    const char *name = gsim_arena_printf(&figure->own.arena, "plots/%s.gp", script);
    const char *source = name ? gsim_data_path(&figure->own.arena, name) : NULL;
    if (!source) return gsim_error_set(error, GSIM_IO, "cannot draw: %s is not installed", name);
    char *body = gsim_file_read(source, &length, error);
    if (!body) return gsim_error_prefix(error, "cannot read '%s'", source);
    gsim_output_text(output, "\n");
    gsim_output_bytes(output, body, length);
    gsim_free(body);
    return GSIM_OK;
}

static enum gsim_status write_script(struct gsim_figure *figure, struct gsim_error *error)
{
    struct gsim_output output;
    const char *terminal = gsim_gnuplot_terminal(&figure->own.arena, figure->path, &figure->size);
    const char *settings = gsim_figure_settings(figure);
    enum gsim_status status = gsim_output_open(&output, figure->own.script, error);
    if (status != GSIM_OK) return status;
    /* Comments end at the line's end: nothing typed may start a second one. */
    gsim_output_text(&output, "# gnuplot ");
    gsim_output_printf(&output, "%s.gp draws this figure again; written by gpusim " GPUSIM_VERSION, figure->name);
    if (figure->command) {
        gsim_output_text(&output, ":\n# ");
        for (const char *at = figure->command; *at; at++) {
            char letter = (unsigned char)*at < 0x20 ? ' ' : *at;
            gsim_output_bytes(&output, &letter, 1);
        }
    }
    gsim_output_text(&output, " \n"); /* a backslash at the end would go on with the next line */
    gsim_output_printf(&output, "data = '%s.dat'\n", figure->name);
    put_quoted(&output, "out", "./", base_name(figure->path)); /* a name that begins with "|" is a command to gnuplot */
    gsim_output_text(&output, "if (ARGC >= 2) { data = ARG1; out = ARG2 }\n");
    gsim_output_printf(&output, "set terminal %s\n", terminal);
    gsim_output_printf(&output, "width_cm = %.6g\nheight_cm = %.6g\nline_cm = %.6g\n", figure->size.width_cm,
                       figure->size.height_cm, gsim_figure_line_cm(figure));
    put_quoted(&output, "heading", "", figure->heading ? figure->heading : "");
    gsim_output_text(&output, settings);
    status = put_source(figure, "common", &output, error);
    if (status == GSIM_OK) status = put_source(figure, figure->name, &output, error);
    if (status == GSIM_OK) return gsim_output_commit(&output, error);
    gsim_output_release(&output);
    return status;
}

enum gsim_status gsim_figure_finish(struct gsim_figure *figure, struct gsim_error *error)
{
    enum gsim_status status = gsim_output_commit(&figure->data, error);
    if (status == GSIM_OK) status = write_script(figure, error);
    if (status == GSIM_OK) status = gsim_gnuplot_draw(figure->own.script, figure->own.data, figure->path, NULL, error);
    return status;
}
