/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/gnuplot.h.
 */
#include "plots/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/ends.h"
#include "sim/base/output.h"
#include "sim/base/part.h"
#include "sim/base/scratch.h"
#include "sim/base/text.h"

#define CM_PER_INCH 2.54
#define PNG_DPI     300.0
#define SVG_DPI     96.0 /* the pixel of CSS */
#define POINT_DPI   72.0

extern char **environ;

const char *gsim_gnuplot_terminal(struct gsim_arena *arena, const char *path, const struct gsim_figure_size *size)
{
    double width = size->width_cm / CM_PER_INCH, height = size->height_cm / CM_PER_INCH;
    const char *markup = size->enhanced ? "" : "no";
    if (gsim_text_ends_with(path, ".svg"))
        return gsim_arena_printf(arena,
                                 "svg size %.0f,%.0f fixed %senhanced font 'Helvetica,%.4g' background rgb 'white'",
                                 width * SVG_DPI, height * SVG_DPI, markup, size->font_pt * SVG_DPI / POINT_DPI);
    if (gsim_text_ends_with(path, ".pdf")) /* its points are CSS' pixels */
        return gsim_arena_printf(arena, "pdfcairo size %.4gcm,%.4gcm %senhanced font 'Helvetica,%.4g' fontscale 0.75",
                                 size->width_cm, size->height_cm, markup, size->font_pt);
    if (gsim_text_ends_with(path, ".png"))
        /* pngcairo takes a point for a pixel: all that is not text scales with the dots. */
        return gsim_arena_printf(
            arena,
            "pngcairo size %.0f,%.0f %senhanced font 'Helvetica,%.4g' fontscale %.4g linewidth %.4g pointscale %.4g",
            width * PNG_DPI, height * PNG_DPI, markup, size->font_pt, PNG_DPI / SVG_DPI, PNG_DPI / SVG_DPI,
            PNG_DPI / SVG_DPI);
    return NULL;
}

enum gsim_status gsim_figure_check(const char *path, struct gsim_error *error)
{
    if (!gsim_text_ends_with(path, ".svg") && !gsim_text_ends_with(path, ".pdf") && !gsim_text_ends_with(path, ".png"))
        return gsim_error_set(error, GSIM_USAGE, "expected a file name ending in .svg, .pdf or .png, found '%s'", path);
    return gsim_output_check(path, error);
}

/* Figures do not depend on the user: not on ~/.gnuplot (-d), nor on the locale, but for its letters. */
static char **environment(struct gsim_arena *arena)
{
    size_t count = 0, used = 0;
    while (environ[count]) count++;
    char **list = GSIM_ARENA_ARRAY(arena, char *, count + 2);
    for (size_t i = 0; list && i < count; i++)
        if (strncmp(environ[i], "LC_", 3) != 0 && strncmp(environ[i], "LANG", 4) != 0) list[used++] = environ[i];
    if (list) list[used] = gsim_arena_strdup(arena, "LC_ALL=C.UTF-8");
    return list && list[used] ? list : environ;
}

/* Signals are held back until the child is in the list of what an early end kills; the child holds back none. */
static int spawn(char **arguments, pid_t *child)
{
    posix_spawnattr_t attributes;
    struct gsim_arena arena = {0};
    sigset_t old, ends;
    int code = posix_spawnattr_init(&attributes);
    if (code) return code;
    gsim_ends_signals(&ends);
    sigaddset(&ends, SIGPIPE);
    gsim_ends_hold(&old);
    posix_spawnattr_setsigmask(&attributes, &old);
    posix_spawnattr_setsigdefault(&attributes, &ends);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    code = posix_spawnp(child, "gnuplot", NULL, &attributes, arguments, environment(&arena));
    if (!code) gsim_ends_set_child(*child);
    gsim_ends_restore(&old);
    posix_spawnattr_destroy(&attributes);
    gsim_arena_release(&arena);
    return code;
}

static enum gsim_status run_gnuplot(const char *script, const char *data, const char *out, const char *terminal,
                                    struct gsim_error *error)
{
    const char *const words[] = {"gnuplot", "-d", "-c", script, data, out, terminal, NULL};
    char *arguments[sizeof words / sizeof words[0]]; /* the interface is older than const */
    pid_t child;
    int status;
    fflush(stdout);
    memcpy(arguments, words, sizeof words);
    int code = spawn(arguments, &child);
    if (code == ENOENT)
        return gsim_error_set(error, GSIM_IO, "cannot draw: gnuplot is not installed (Debian: gnuplot-nox)");
    if (code) return gsim_error_set(error, GSIM_IO, "cannot start gnuplot: %s", strerror(code));
    while (waitpid(child, &status, 0) < 0) {
        if (errno == EINTR) continue;
        gsim_ends_set_child(0);
        return gsim_error_set(error, GSIM_IO, "cannot wait for gnuplot: %s", strerror(errno));
    }
    gsim_ends_set_child(0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return gsim_error_set(error, GSIM_IO, "cannot draw: gnuplot is not installed (Debian: gnuplot-nox)");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return gsim_error_set(error, GSIM_IO, "gnuplot failed on '%s' (its message is above)", script);
    return GSIM_OK;
}

/* gnuplot succeeds on a full disk as well: what it wrote must have the end that its kind of PATH has. */
static bool is_whole(const char *part, const char *path)
{
    const char *end = gsim_text_ends_with(path, ".svg")   ? "</svg>"
                      : gsim_text_ends_with(path, ".pdf") ? "%%EOF"
                                                          : "IEND";
    char tail[16];
    size_t length, size = strlen(end);
    FILE *file = fopen(part, "rb");
    if (!file) return false;
    length = fseek(file, -(long)sizeof(tail), SEEK_END) == 0 ? fread(tail, 1, sizeof(tail), file) : 0;
    fclose(file);
    for (size_t i = 0; i + size <= length; i++)
        if (memcmp(tail + i, end, size) == 0) return true;
    return false;
}

/* gnuplot takes a name that begins with "|" or "<" as a command of the shell, one with "-" as an option: no name does
 * here. */
static const char *as_file(struct gsim_arena *arena, const char *name)
{
    return gsim_arena_printf(arena, "%s%s", *name == '/' ? "" : "./", name);
}

/* To a pipe or a device, which are not replaced. */
static bool copy(const char *from, int to)
{
    char chunk[4096];
    ssize_t length;
    int file = open(from, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    while ((length = read(file, chunk, sizeof chunk)) > 0)
        for (ssize_t at = 0, written; at < length; at += written)
            if ((written = write(to, chunk + at, (size_t)(length - at))) < 0) {
                int reason = errno;
                close(file);
                errno = reason;
                return false;
            }
    close(file);
    return length == 0;
}

/* gnuplot writes into the part that PATH is replaced by, or into a scratch file where PATH is written in place. */
static enum gsim_status draw(struct gsim_arena *arena, const char *script, const char *data, struct gsim_part *part,
                             const char *path, const char *terminal, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    const char *scratch = NULL;
    if (!part->name) status = gsim_scratch_file(arena, &scratch, error);
    const char *out = status ? NULL : as_file(arena, scratch ? scratch : *part->held ? part->held : part->name);
    script = as_file(arena, script);
    data = as_file(arena, data);
    if (!status) status = run_gnuplot(script, data, out, terminal, error);
    if (!status && !is_whole(out, path))
        status =
            gsim_error_set(error, GSIM_IO, "cannot write '%s': gnuplot's picture is cut short (a full disk?)", path);
    if (!status && scratch && !copy(scratch, part->descriptor))
        status = gsim_error_set(error, GSIM_IO, "cannot write '%s': %s", path, strerror(errno));
    gsim_scratch_remove(scratch);
    return status;
}

enum gsim_status gsim_gnuplot_draw(const char *script, const char *data, const char *path, const char *terminal,
                                   struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_part part;
    enum gsim_status status = gsim_part_open(&part, path, error);
    if (!status) status = draw(&arena, script, data, &part, path, terminal, error);
    if (!status && !gsim_part_commit(&part))
        status = gsim_error_set(error, GSIM_IO, "cannot write '%s': %s", path, strerror(errno));
    gsim_part_release(&part);
    gsim_arena_release(&arena);
    return status;
}
