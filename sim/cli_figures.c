/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gnuplot as a child process, without a shell: file names reach the script as ARG1 and ARG2, so that nothing in
 * them is ever parsed.
 */
#include "sim/cli_figures.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/output.h"

extern char **environ;

/* gnuplot's terminal for the ending of PATH; NULL for others. */
static const char *terminal_for(const char *path)
{
    static const char *const terminals[][2] = {
        {".svg", "svg size 900,640 dynamic font 'Helvetica,14' background rgb 'white'"},
        {".pdf", "pdfcairo size 16cm,11.4cm font 'Helvetica,11'"},
        {".png", "pngcairo size 1200,854 font 'Helvetica,15'"},
    };
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof terminals / sizeof terminals[0]; i++)
        if (length > 4 && strcmp(path + length - 4, terminals[i][0]) == 0) return terminals[i][1];
    return NULL;
}

enum gsim_status gsim_figure_check(const char *path, struct gsim_error *error)
{
    if (!terminal_for(path))
        return gsim_error_set(error, GSIM_USAGE, "expected a file name ending in .svg, .pdf or .png, found '%s'", path);
    return gsim_output_check(path, error);
}

const char *gsim_data_path(struct gsim_arena *arena, const char *name)
{
    char executable[PATH_MAX];
    const char *data = getenv("GPUSIM_DATA"), *candidates[3] = {NULL, NULL, NULL};
    if (data && *data) candidates[0] = gsim_arena_printf(arena, "%s/%s", data, name);
    ssize_t length = readlink("/proc/self/exe", executable, sizeof executable - 1);
    if (length > 0) {
        executable[length] = '\0';
        char *slash = strrchr(executable, '/');
        if (slash) *slash = '\0';
        candidates[1] = gsim_arena_printf(arena, "%s/../share/gpusim/%s", executable, name);
    }
    candidates[2] = gsim_arena_printf(arena, "%s/%s", GPUSIM_SOURCE_DIR, name);
    for (int i = 0; i < 3; i++)
        if (candidates[i] && access(candidates[i], R_OK) == 0) return candidates[i];
    return NULL;
}

static enum gsim_status run_gnuplot(const char *script, const char *csv, const char *out, const char *terminal,
                                    struct gsim_error *error)
{
    const char *const words[] = {"gnuplot", "-c", script, csv, out, terminal, NULL};
    char *arguments[sizeof words / sizeof words[0]]; /* the interface is older than const */
    pid_t child;
    int status;
    fflush(stdout);
    memcpy(arguments, words, sizeof words);
    int code = posix_spawnp(&child, "gnuplot", NULL, NULL, arguments, environ);
    if (code == ENOENT)
        return gsim_error_set(error, GSIM_IO, "cannot draw: gnuplot is not installed (Debian: gnuplot-nox)");
    if (code) return gsim_error_set(error, GSIM_IO, "cannot start gnuplot: %s", strerror(code));
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return gsim_error_set(error, GSIM_IO, "cannot wait for gnuplot: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return gsim_error_set(error, GSIM_IO, "cannot draw: gnuplot is not installed (Debian: gnuplot-nox)");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return gsim_error_set(error, GSIM_IO, "gnuplot failed on '%s' (its message is above)", script);
    return GSIM_OK;
}

enum gsim_status gsim_figure_draw(const char *script, const char *csv, const char *path, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    enum gsim_status status = GSIM_OK;
    const char *name = gsim_arena_printf(&arena, "plots/%s", script);
    const char *found = name ? gsim_data_path(&arena, name) : NULL;
    const char *temporary = gsim_arena_printf(&arena, "%s.%ld.part", path, (long)getpid());
    if (!name || !temporary || arena.failed)
        status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    else if (!found)
        status = gsim_error_set(error, GSIM_IO, "cannot draw: plots/%s is not installed", script);
    if (!status) status = run_gnuplot(found, csv, temporary, terminal_for(path), error);
    if (!status && rename(temporary, path) != 0)
        status = gsim_error_set(error, GSIM_IO, "cannot write '%s': %s", path, strerror(errno));
    if (status && temporary) remove(temporary);
    gsim_arena_release(&arena);
    return status;
}
