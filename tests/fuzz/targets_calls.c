/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets that call what a program of another's calls: plans, sessions, and CUDA sources in a child. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpusim/opplan.h"
#include "gpusim/program.h"
#include "gpusim/session.h"
#include "sim/base/ends.h"
#include "source/read/options.h"
#include "tests/fuzz/targets.h"
#include "traces/import/importers.h"

void gsim_fuzz_plan(const uint8_t *data, size_t size)
{
    struct gsim_op_plan plan = {0};
    struct gsim_error error = {0};
    (void)!gsim_op_plan_read(&plan, gsim_fuzz_file(data, size, size && *data == '{' ? ".json" : ".csv"), &error);
    gsim_op_plan_release(&plan);
}

/* --- sessions: a call on each line; a run only of what is short --- */
#define MAX_TEXT 4096
#define MAX_SIZE 1e5

static int64_t pushed[64], pushed_count;

static void push(void *data, int64_t op, const char *name, double us, double now_us, int64_t home)
{
    (void)data, (void)name, (void)us, (void)now_us, (void)home;
    if (pushed_count < 64) pushed[pushed_count++] = op;
}

/* What it answers, now and then wrongly, is in the text. */
static int64_t pop(void *data, int64_t device, double now_us)
{
    const char **at = data;
    (void)device, (void)now_us;
    if (**at && *(*at)++ % 5 == 4) return -1;
    if (**at == '!') return *(*at)++;
    return pushed_count ? pushed[--pushed_count] : -1;
}

static void call(struct gsim_session *s, char *line, const char **rest, bool *is_short)
{
    char *value = strchr(line + 1, '=');
    double size = value ? strtod(value + 1, NULL) : 0;
    if (value) *value++ = '\0';
    if (strchr(line, '/')) return; /* no file of this machine */
    switch (*line) {
    case 'd':
        (void)gsim_session_set(s, "device", line + 1);
        break;
    case 's':
        (void)gsim_session_set(s, "scheduler", line + 1);
        break;
    case 'w':
        if (!(size > 0 && size <= MAX_SIZE) || gsim_session_set(s, "size", value)) break;
        *is_short = gsim_session_set(s, "workload", line + 1) == 0 || *is_short;
        break;
    case 'o':
        if (strcmp(line + 1, "size") == 0 || strcmp(line + 1, "workload") == 0) break; /* above, and small */
        if (value && (strcmp(line + 1, "iterations") != 0 || size < 4) && (strcmp(line + 1, "gpus") != 0 || size < 4))
            (void)gsim_session_set(s, line + 1, value);
        break;
    case 'p':
        pushed_count = 0;
        (void)gsim_session_policy(s, line[1] - '0', push, pop, NULL, rest);
        break;
    case 'r':
        if (*is_short && gsim_session_run(s) == 0 && !gsim_session_report(s)) abort();
        break;
    default:
        break;
    }
    if (!gsim_session_error(s)) abort();
}

void gsim_fuzz_session(const uint8_t *data, size_t size)
{
    char text[MAX_TEXT] = "", *line = text, *end;
    const char *rest;
    bool is_short = false;
    struct gsim_session *s = gsim_session_create();
    if (size) memcpy(text, data, size < MAX_TEXT ? size : MAX_TEXT - 1);
    rest = text;
    for (unsigned runs = 0; s && runs < 32 && (end = strchr(line, '\n')); line = end + 1, runs++) {
        *end = '\0';
        call(s, line, &rest, &is_short);
    }
    gsim_session_destroy(s);
}

/* --- CUDA sources: what they do to libclang ends a child --- */
static enum gsim_status import_cuda(const char *path)
{
    struct gsim_program program = {0};
    struct gsim_import_notes notes;
    struct gsim_error error = {0};
    /* The headers of C, not those of C++ in their place, which take three times as long. */
    struct gsim_cuda_word define = {.kind = GSIM_CUDA_DEFINE, .text = "_GLIBCXX_INCLUDE_NEXT_C_HEADERS"};
    struct gsim_cuda_options cuda = {.words = &define, .count = 1};
    struct gsim_import_options options = {.name = "fuzz", .last = UINT32_MAX, .cuda = &cuda};
    enum gsim_status status = gsim_importer_find("cuda")->read(path, &options, &program, &notes, &error);
    if (status == GSIM_OK) gsim_program_release(&program);
    return status;
}

void gsim_fuzz_cuda(const uint8_t *data, size_t size)
{
    static bool is_loaded;
    const char *path = gsim_fuzz_file(data, size, ".cu");
    int status = 0;
    if (!is_loaded) (void)import_cuda("/nowhere.cu"); /* libclang is loaded here, not by each child */
    is_loaded = true;
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout)) _exit(2);
        gsim_ends_install(true);
        (void)import_cuda(path);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) return;
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 2)) {
        fprintf(stderr, "the child ended with %d\n", status);
        abort();
    }
}
