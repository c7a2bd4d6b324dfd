/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CUDA's Multi-Process Service: the daemon that the caller has started, by CUDA_MPS_PIPE_DIRECTORY, or else one of our
 * own with a pipe directory of its own, which ends with the run.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "traces/runner/share/stage.h"

#define PROGRAM   "nvidia-cuda-mps-control"
#define NOWHERE   "/nonexistent-gpusim-runner" /* no daemon has its pipes there */
#define WAIT_MS   5000
#define MAX_CONNECTIONS   32
#define CLIENT_SHARE                                                                                                   \
    96 /* connections of all clients: 48 clients have the usual 2 each. Beyond it, contexts fail with "out of memory"  \
        */

static char own[64]; /* the directory of our daemon's pipes; "": there is none */

static bool has_control(const char *directory)
{
    char path[512];
    struct stat found;
    snprintf(path, sizeof path, "%.480s/control", directory);
    return stat(path, &found) == 0;
}

/* Runs PROGRAM with ARGUMENT, or with TEXT as its input. */
static int control(const char *argument, const char *text)
{
    int ends[2], status = -1;
    if (pipe(ends)) return -1;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[0], STDIN_FILENO);
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO); /* a daemon keeps it */
        close(ends[0]);
        close(ends[1]);
        unsetenv("CUDA_DEVICE_MAX_CONNECTIONS"); /* it is a client's, not the server's */
        execlp(PROGRAM, PROGRAM, argument, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* the daemon may have ended */
    if (text && write(ends[1], text, strlen(text)) < 0) status = -1;
    close(ends[1]);
    signal(SIGPIPE, before);
    if (child < 0) return -1;
    pid_t ended;
    do ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

enum gsim_status gsim_mps_start(struct gsim_error *error)
{
    const char *given = getenv("CUDA_MPS_PIPE_DIRECTORY");
    struct timespec pause = {0, 10000000};
    if (own[0] || (given && given[0] && has_control(given))) return GSIM_OK;
    if (given && given[0])
        return gsim_error_set(
            error, GSIM_USAGE,
            "no daemon has its pipes in CUDA_MPS_PIPE_DIRECTORY=%.200s: start %s -d with it, or unset it", given,
            PROGRAM);
    snprintf(own, sizeof own, "/tmp/gpusim-mps-XXXXXX");
    if (!mkdtemp(own)) return gsim_error_set(error, GSIM_SIM, "cannot make a directory in /tmp");
    setenv("CUDA_MPS_PIPE_DIRECTORY", own, 1);
    setenv("CUDA_MPS_LOG_DIRECTORY", own, 1);
    int status = control("-d", NULL);
    for (int i = 0; i < WAIT_MS / 10 && status == 0 && !has_control(own); i++) nanosleep(&pause, NULL);
    if (status == 0 && has_control(own)) return GSIM_OK;
    gsim_mps_stop();
    return gsim_error_set(error, GSIM_USAGE,
                          "%s -d %s: start the daemon yourself and set CUDA_MPS_PIPE_DIRECTORY to its directory",
                          PROGRAM, status == 127 ? "is not on the path" : "did not start");
}

static void remove_files(const char *directory)
{
    static const char *const names[] = {
        "control",   "control.log", "control_lock", "control_privileged", "log", "nvidia-cuda-mps-control.pid",
        "server.log"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        unlink(path);
    }
    rmdir(directory);
}

void gsim_mps_stop(void)
{
    if (!own[0]) return;
    if (has_control(own)) control(NULL, "quit\n");
    remove_files(own);
    unsetenv("CUDA_MPS_PIPE_DIRECTORY");
    unsetenv("CUDA_MPS_LOG_DIRECTORY");
    own[0] = '\0';
}

void gsim_mps_join(double percentage, bool is_behind)
{
    char text[32];
    snprintf(text, sizeof text, "%.10g", percentage);
    if (percentage > 0 && percentage < 100) setenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", text, 1);
    if (is_behind) setenv("CUDA_MPS_CLIENT_PRIORITY", "1", 1);
}

/* A client has its connections for itself, and the server so many for all. */
void gsim_mps_connect(uint32_t client_count, bool needs_queues)
{
    const char *given = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    long wanted = needs_queues ? MAX_CONNECTIONS
                  : given      ? strtol(given, NULL, 10)
                               : 0,
         most = CLIENT_SHARE / (client_count ? client_count : 1);
    char text[32];
    if (wanted <= 0) return;
    if (most < 2) most = 2;
    snprintf(text, sizeof text, "%ld", wanted < most ? wanted : most);
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", text, 1);
}

void gsim_mps_avoid(void) { setenv("CUDA_MPS_PIPE_DIRECTORY", NOWHERE, 1); }
