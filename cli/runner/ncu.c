/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program under NVIDIA's ncu. Its clocks are left alone: what is predicted runs at those, too. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/runner/profile.h"
#include "sim/base/scratch.h"
#include "sim/base/gz.h"

#define MAX_WORDS 64

/* The child's output is nobody's: ncu writes into a file of its own. */
static enum gsim_status spawn(char *const words[], struct gsim_error *error)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    int result = 0;
    pid_t pid;
    if (posix_spawn_file_actions_init(&actions)) return gsim_no_memory(error);
    int failed = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed) failed = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed == ENOENT) return gsim_error_set(error, GSIM_INPUT, "ncu (Nsight Compute) is not in PATH");
    if (failed) return gsim_error_set(error, GSIM_IO, "cannot run ncu: %s", strerror(failed));
    while (waitpid(pid, &result, 0) < 0 && errno == EINTR) {
    }
    if (result)
        return gsim_error_set(error, GSIM_SIM, "ncu ended with status %d",
                              WIFEXITED(result) ? WEXITSTATUS(result) : 128);
    return GSIM_OK;
}

/* The first line that says why: "==ERROR== ...". */
static void add_reason(const char *text, struct gsim_error *error)
{
    const char *line = text ? strstr(text, "==ERROR==") : NULL;
    char before[sizeof error->message];
    if (!line) return;
    snprintf(before, sizeof before, "%s", error->message);
    gsim_error_set(error, error->status, "%.80s: %.*s", before,
                   (int)(strcspn(line, "\r\n") < 160 ? strcspn(line, "\r\n") : 160), line);
}

enum gsim_status gsim_ncu_run(char *const words[], uint32_t launches, struct gsim_profiles *profiles,
                              struct gsim_error *error)
{
    static const char *const options[] = {"ncu", "--set",          "full", "--clock-control", "none", "--csv", "--page",
                                          "raw", "--launch-count", NULL,   "--log-file",      NULL};
    enum { OPTIONS = sizeof options / sizeof *options, COUNT_AT = 9, LOG_AT = 11 };
    char count[16], *all[OPTIONS + MAX_WORDS + 1];
    const char *log = NULL;
    size_t length = 0, used = 0;
    struct gsim_arena arena = {0};
    enum gsim_status status = gsim_scratch_file(&arena, &log, error);
    if (status != GSIM_OK) return status;
    snprintf(count, sizeof count, "%u", launches);
    for (; used < OPTIONS; used++)
        all[used] = (char *)(used == COUNT_AT ? count : used == LOG_AT ? log : options[used]);
    for (; *words && used < OPTIONS + MAX_WORDS; words++) all[used++] = *words;
    all[used] = NULL;
    status = *words ? gsim_refuse(error, "expected at most %d words", MAX_WORDS) : spawn(all, error);
    struct gsim_error unread = {0};
    char *text = status == GSIM_OK || status == GSIM_SIM ? gsim_file_read(log, &length, &unread) : NULL;
    if (status == GSIM_OK && !text) status = gsim_error_set(error, unread.status, "%s", unread.message);
    if (status == GSIM_OK) status = gsim_profiles_read_csv(profiles, text, error);
    if (status != GSIM_OK) add_reason(text, error);
    gsim_free(text);
    gsim_scratch_remove(log);
    gsim_arena_release(&arena);
    return status;
}
