/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim trace": runs a CUDA program with the tracer (traces/tracer) in it, and again without
 * recording or under ncu where that is asked. It links no CUDA, so it is a command of gpusim and not of gpusim-runner.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "gpusim/order.h"
#include "sim/base/gz.h"
#include "traces/import/importers.h"

#define PATH_ROOM 4096
#define COST_ROOM 512
#define PROFILED  6   /* kernels */
#define LAUNCHES  "60" /* of them all that ncu measures */
#define NOT_RUN   127

/* Beside the program, as it is built, or where it is installed. */
static enum gsim_status find_tracer(char path[PATH_ROOM], struct gsim_error *error)
{
    static const char *const places[] = {"libgpusim-trace.so", GPUSIM_PROGRAM_TRACER};
    char self[PATH_ROOM] = "";
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = length > 0 ? strrchr(self, '/') : NULL;
    if (slash) slash[1] = '\0';
    for (size_t i = 0; i < 2 && slash; i++) {
        int wrote = snprintf(path, PATH_ROOM, "%s%s", self, places[i]);
        if (wrote < PATH_ROOM && access(path, R_OK) == 0) return GSIM_OK;
    }
    return gsim_error_set(error, GSIM_IO, "cannot find libgpusim-trace.so beside the program '%.3000s'", self);
}

/* Returns waitpid()'s status; keys on the terminal are the program's. */
static int wait_for(pid_t pid)
{
    int status = -1;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before[2];
    sigaction(SIGINT, &ignore, &before[0]);
    sigaction(SIGQUIT, &ignore, &before[1]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGQUIT, &before[1], NULL);
    return status;
}

/* What a record costs, as members of JSON; "" where it cannot be measured. In a process of its own: CUDA stays out of
 * this one. */
static void calibrate(const char *tracer, char cost[COST_ROOM])
{
    int ends[2];
    size_t length = 0;
    *cost = '\0';
    if (pipe2(ends, O_CLOEXEC)) return;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        char text[COST_ROOM] = "";
        int (*measure)(char *, size_t) = NULL;
        void *library = dlopen(tracer, RTLD_NOW);
        if (library) *(void **)&measure = dlsym(library, "gpusim_trace_calibrate");
        if (!measure || measure(text, sizeof text)) _exit(1);
        _exit(write(ends[1], text, strlen(text)) < 0);
    }
    close(ends[1]);
    for (ssize_t got = 1; pid > 0 && got > 0 && length + 1 < COST_ROOM; length += got > 0 ? (size_t)got : 0)
        got = read(ends[0], cost + length, COST_ROOM - 1 - length);
    cost[length] = '\0';
    close(ends[0]);
    if (pid > 0 && wait_for(pid) != 0) *cost = '\0';
    if (!*cost) fprintf(stderr, "gpusim: note: what recording costs could not be measured: it is estimated\n");
}

/* TRACER NULL: nothing is loaded. Returns waitpid()'s status. */
static int run(const char *tracer, const char *out, const char *mode, const char *range, const char *cost,
               bool arguments, char *const words[])
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) return NOT_RUN << 8;
    if (pid > 0) return wait_for(pid);
    if (tracer) {
        setenv("CUDA_INJECTION64_PATH", tracer, 1);
        setenv("NVTX_INJECTION64_PATH", tracer, 1);
        /* Of a library that programs load, too: ours behind what is there. */
        const char *name = "LD_PRELOAD";
        char all[2 * PATH_ROOM];
        const char *before = getenv(name);
        snprintf(all, sizeof all, "%s%s%s", before ? before : "", before && *before ? ":" : "", tracer);
        setenv(name, all, 1);
        setenv("GPUSIM_TRACE_OUT", out, 1);
        if (mode) setenv("GPUSIM_TRACE_MODE", mode, 1);
        if (range) setenv("GPUSIM_TRACE_RANGE", range, 1);
        if (cost) setenv("GPUSIM_TRACE_COST", cost, 1);
        if (arguments) setenv("GPUSIM_TRACE_ARGUMENTS", "1", 1);
    }
    execvp(words[0], words);
    fprintf(stderr, "gpusim: cannot run '%s': %s\n", words[0], strerror(errno));
    _exit(errno == ENOENT ? NOT_RUN : NOT_RUN - 1);
}

/* The part of PATH before .json.gz. */
static int stem_length(const char *path)
{
    size_t length = strlen(path);
    if (length > 3 && strcmp(path + length - 3, ".gz") == 0) length -= 3;
    if (length > 5 && strncmp(path + length - 5, ".json", 5) == 0) length -= 5;
    return (int)length;
}

static bool append(const char *from, const char *to)
{
    char bytes[65536];
    size_t got;
    FILE *in = fopen(from, "rb"), *out = fopen(to, "ab");
    bool is_whole = in && out;
    while (is_whole && (got = fread(bytes, 1, sizeof bytes, in)) > 0) is_whole = fwrite(bytes, 1, got, out) == got;
    if (in) fclose(in);
    return out && fclose(out) == 0 && is_whole;
}

/* PATH and the files of its stem and a number, which other processes wrote: told, but for empty ones; or the latter
 * removed. Returns how many were told. */
static uint32_t visit_beside(const char *path, bool removes)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char folder[PATH_ROOM], full[PATH_ROOM + 260];
    size_t stem = (size_t)stem_length(name);
    uint32_t count = 0;
    struct stat info;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 2, slash ? path : "./");
    DIR *files = opendir(folder);
    for (struct dirent *file; files && (file = readdir(files)) != NULL;) {
        bool is_beside = strncmp(file->d_name, name, stem) == 0 && file->d_name[stem] == '.' &&
                         strspn(file->d_name + stem + 1, "0123456789-") > 0;
        if (!is_beside && (removes || strcmp(file->d_name, name) != 0)) continue;
        snprintf(full, sizeof full, "%s%s", folder, file->d_name);
        if (stat(full, &info) == 0 && (removes || !info.st_size)) unlink(full);
        else fprintf(stderr, "gpusim: recorded '%s', %.1f KB\n", full, (double)info.st_size / 1e3), count++;
    }
    if (files) closedir(files);
    return count;
}

/* --- once more without recording, once more under ncu --- */
static void time_steps(const char *tracer, const char *path, char *const words[])
{
    char waits[PATH_ROOM];
    snprintf(waits, sizeof waits, "%.*s-untraced.json.gz", stem_length(path), path);
    unlink(waits);
    int status = run(tracer, waits, "steps", NULL, NULL, false, words);
    if (status || !append(waits, path))
        fprintf(stderr, "gpusim: note: the run without recording %s: the steps' time is not known\n",
                status ? "failed" : "waited for nothing");
    unlink(waits);
    (void)visit_beside(waits, true);
}

struct heavy {
    const char *name;
    double us;
};

GSIM_ORDER(compare_heavy, struct heavy, GSIM_DOWN(us))

/* As ncu names a function: without what it returns, namespaces, parameters. */
static void add_name(char *regex, size_t size, const char *name)
{
    size_t length = strlen(regex), end = strcspn(name, "<("), start = end;
    while (start && name[start - 1] != ' ' && name[start - 1] != ':') start--;
    snprintf(regex + length, size - length, "%s%.*s", length > 7 ? "|" : "", (int)(end - start), name + start);
}

static enum gsim_status name_heaviest(const char *path, char *regex, size_t size, struct gsim_error *error)
{
    const struct gsim_import_options options = {.name = "profiled", .last = UINT32_MAX};
    struct gsim_program p = {0};
    struct gsim_import_notes notes;
    const struct gsim_importer *importer = gsim_importer_of(path, NULL, error);
    enum gsim_status status = importer ? importer->read(path, &options, &p, &notes, error) : error->status;
    struct heavy *all = status == GSIM_OK ? gsim_alloc(sizeof *all * ((size_t)p.kernel_count + 1)) : NULL;
    for (uint32_t k = 0; all && k < p.kernel_count; k++) all[k] = (struct heavy){.name = p.kernels[k].name};
    for (uint32_t i = 0; all && i < p.op_count; i++)
        if (p.ops[i].kind == GSIM_OP_KERNEL)
            all[p.ops[i].kernel_index].us += p.kernels[p.ops[i].kernel_index].solo_us;
    if (all) qsort(all, p.kernel_count, sizeof *all, compare_heavy);
    snprintf(regex, size, "regex:^(");
    for (uint32_t k = 0; all && k < p.kernel_count && k < PROFILED; k++) add_name(regex, size - 3, all[k].name);
    snprintf(regex + strlen(regex), 3, ")$");
    gsim_free(all);
    gsim_program_release(&p);
    return status;
}

static void profile(const char *path, size_t count, char *const words[])
{
    char log[PATH_ROOM], regex[PATH_ROOM];
    struct gsim_error error = {0};
    const char *const options[] = {"ncu",   "--set",  "full", "--clock-control", "none",      "--csv",    "--page",
                                   "raw",   "--launch-count", LAUNCHES, "--kernel-name", regex, "--log-file", log};
    enum { OPTIONS = sizeof options / sizeof *options };
    snprintf(log, sizeof log, "%.*s-ncu.csv", stem_length(path), path);
    char **all = gsim_alloc(sizeof *all * (OPTIONS + count + 1));
    if (!all || name_heaviest(path, regex, sizeof regex, &error) != GSIM_OK) {
        fprintf(stderr, "gpusim: note: nothing is profiled: %s\n", all ? error.message : "out of memory");
        gsim_free(all);
        return;
    }
    for (size_t i = 0; i < OPTIONS; i++) all[i] = (char *)(uintptr_t)options[i];
    for (size_t i = 0; i <= count; i++) all[OPTIONS + i] = i < count ? words[i] : NULL;
    int status = run(NULL, NULL, NULL, NULL, NULL, false, all);
    if (status) fprintf(stderr, "gpusim: note: ncu failed: see '%s'\n", log);
    else fprintf(stderr, "gpusim: '%s' has the heaviest kernels: --kernels takes it\n", log);
    gsim_free(all);
}

static bool is_range(const char *text)
{
    char *end, *last;
    double from = strtod(text, &end), to = *end == ':' ? strtod(end + 1, &last) : 0;
    return strcmp(text, "profiler") == 0 ||
           (end != text && *end == ':' && from >= 0 && (!end[1] || (!*last && to > from)));
}

int gsim_cli_record(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    char tracer[PATH_ROOM], cost[COST_ROOM], path[PATH_ROOM], here[PATH_ROOM] = "";
    const char *given = arguments->value[GSIM_CLI_OUTPUT], *range = arguments->value[GSIM_CLI_RECORD_RANGE];
    size_t count = arguments->operand_count;
    if (!given) given = "trace.json.gz";
    if (!count) gsim_refuse(error, "expected -- PROGRAM, found nothing (see gpusim trace --help)");
    else if (strcmp(given, "-") == 0) gsim_refuse(error, "-o: expected a file, found standard output");
    else if (range && !is_range(range))
        gsim_refuse(error, "--range: expected FROM:TO in seconds or profiler, found '%.60s'", range);
    else if (arguments->value[GSIM_CLI_RECORD_PROFILE] && system("command -v ncu >/dev/null 2>&1") != 0)
        gsim_refuse(error, "--profile: cannot find ncu (Nsight Compute) on the path");
    if (error->status || find_tracer(tracer, error)) return error->status;
    if (*given != '/' && !getcwd(here, sizeof here)) *here = '\0'; /* the program may go elsewhere */
    snprintf(path, sizeof path, "%.3000s%s%.1000s", here, *here ? "/" : "", given);
    unlink(path);
    (void)visit_beside(path, true); /* of an earlier recording */
    char **words = gsim_alloc(sizeof *words * (count + 1));
    for (size_t i = 0; i <= count; i++) words[i] = i < count ? (char *)(uintptr_t)arguments->operands[i] : NULL;
    calibrate(tracer, cost);
    int status = run(tracer, path, NULL, range, cost, arguments->value[GSIM_CLI_RECORD_ARGUMENTS] != NULL, words);
    bool is_there = access(path, R_OK) == 0;
    if (is_there && status == 0 && arguments->value[GSIM_CLI_RECORD_STEPS]) time_steps(tracer, path, words);
    if (is_there && status == 0 && arguments->value[GSIM_CLI_RECORD_PROFILE]) profile(path, count, words);
    gsim_free(words);
    if (!visit_beside(path, false)) fprintf(stderr, "gpusim: no recording: the program used no CUDA, or see above\n");
    /* The program's, also where a signal ended it. */
    if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
    fflush(NULL);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}
