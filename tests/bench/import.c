/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What "gpusim import" takes of time and memory: gpusim-bench-import --binary FILE [MEGABYTES...]. A recorded trace is
 * repeated to each size, plain, as gzip and as tables of Nsight Systems; files lie in TMPDIR and are removed.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/bench.h"
#include "tests/traces/retell.h"

#define SOURCE     GPUSIM_SOURCE_DIR "/traces/h200/kineto/kineto_resnet18.json.gz"
#define WORKS_EACH 218 /* kernels and memsets in it */

extern char **environ;

struct taken {
    double seconds, mib;
};

/* gpusim ARGUMENTS, what it prints thrown away. */
static bool run(const char *binary, const char *const *arguments, struct taken *taken)
{
    posix_spawn_file_actions_t actions;
    struct rusage usage = {0};
    int status = -1;
    pid_t child = 0;
    double began = bench_seconds();
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    bool is_made = posix_spawn(&child, binary, &actions, NULL, (char *const *)arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    if (!is_made || wait4(child, &status, 0, &usage) != child || status != 0) return false;
    *taken = (struct taken){bench_seconds() - began, (double)usage.ru_maxrss / 1024};
    return true;
}

static double megabytes(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (double)info.st_size / 1e6 : 0;
}

static bool measure(const char *binary, const char *format, const char *path, const char *program, const char *range,
                    uint64_t works, double start_mib)
{
    struct taken taken;
    const char *words[] = {binary, "import", format, path, "-o", program, range ? "--range" : NULL, range, NULL};
    if (!run(binary, words, &taken)) {
        fprintf(stderr, "gpusim-bench-import: import %s %s failed\n", format, path);
        return false;
    }
    const char *suffix = strcmp(format, "nsys") == 0 ? "sqlite" : strstr(path, ".gz") ? "json.gz" : "json";
    printf("%-8s%-8s%10.0f%10.0f%10llu  %-14s%8.1f%10.1f%10.1f%12.0f\n", format, suffix, megabytes(path),
           megabytes(program), (unsigned long long)works, range ? range : "all", taken.seconds, taken.mib,
           taken.mib - start_mib, (taken.mib - start_mib) * 1048576 / (double)works);
    fflush(stdout);
    return true;
}

static bool size(const char *binary, double wanted_mb, double start_mib)
{
    static const char *const endings[] = {"json", "json.gz", "sqlite", "program.json"};
    const char *folder = getenv("TMPDIR");
    char paths[4][256], range[48];
    struct gsim_error error = {0};
    uint64_t times = 0;
    for (int i = 0; i < 4; i++)
        snprintf(paths[i], sizeof paths[i], "%s/gpusim-bench-%ld.%s", folder ? folder : "/tmp", (long)getpid(),
                 endings[i]);
    bool ok = retell_longer(SOURCE, paths[0], (uint64_t)(wanted_mb * 1e6), &times, &error) == GSIM_OK &&
              retell_longer(SOURCE, paths[1], (uint64_t)(wanted_mb * 1e6), &times, &error) == GSIM_OK &&
              retell_nsys(paths[0], paths[2], &error) == GSIM_OK;
    if (!ok) fprintf(stderr, "gpusim-bench-import: %s\n", error.message);
    uint64_t works = times * WORKS_EACH;
    snprintf(range, sizeof range, "%llu:%llu", (unsigned long long)works / 2, (unsigned long long)works / 2 + 999);
    ok = ok && measure(binary, "kineto", paths[0], paths[3], NULL, works, start_mib) &&
         measure(binary, "kineto", paths[0], paths[3], range, works, start_mib) &&
         measure(binary, "kineto", paths[1], paths[3], NULL, works, start_mib) &&
         measure(binary, "nsys", paths[2], paths[3], NULL, works, start_mib);
    for (int i = 0; i < 4; i++) remove(paths[i]);
    return ok;
}

int main(int count, char **words)
{
    static const char *const version[] = {"gpusim", "--version", NULL};
    const char *binary = count > 2 && strcmp(words[1], "--binary") == 0 ? words[2] : NULL;
    struct taken start;
    if (!binary) {
        fputs("usage: gpusim-bench-import --binary FILE [MEGABYTES...]\n", stderr);
        return 2;
    }
    fflush(stdout);
    if (!run(binary, version, &start)) return 1;
    printf("%-8s%-8s%10s%10s%10s  %-14s%8s%10s%10s%12s\n", "format", "file", "MB", "program", "works", "range", "s",
           "MiB", "beside", "bytes/work");
    for (int i = 3; i < count; i++)
        if (!size(binary, strtod(words[i], NULL), start.mib)) return 1;
    static const double usual_mb[] = {100, 500, 1500};
    for (size_t i = 0; count == 3 && i < sizeof usual_mb / sizeof usual_mb[0]; i++)
        if (!size(binary, usual_mb[i], start.mib)) return 1;
    printf(
        "(MB: as it lies on the disk; MiB: greatest resident set; more: than the %.1f MiB of \"gpusim --version\")\n",
        start.mib);
    return 0;
}
