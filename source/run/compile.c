/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/run/run.h: preprocessed by clang++, rewritten, compiled with calls for each load and store. */
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpusim/memory.h"
#include "sim/base/output.h"
#include "sim/base/scratch.h"
#include "sim/base/gz.h"
#include "source/read/options.h"
#include "source/run/program.h"
#include "source/run/rewrite.h"

#define OWN_WORDS 24 /* of a command, at most, beside those of options */

static const unsigned char stub[] = {
#include "source/read/stub.inc"
};
static const unsigned char helper[] = {
#include "source/read/helper.inc"
};
static const unsigned char table[] = {
#include "source/run/table.inc"
};
static const unsigned char device[] = {
#include "source/run/device.inc"
};

/* Runs WORDS; what it says on stderr goes to FILE. -1: it cannot be started. */
static int run(const char *const *words, const char *file)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int result = 0;
    if (posix_spawn_file_actions_init(&actions)) return -1;
    bool failed = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, file, O_WRONLY | O_CREAT | O_TRUNC, 0600) ||
                  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) ||
                  posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)words, environ) ||
                  waitpid(pid, &result, 0) != pid;
    posix_spawn_file_actions_destroy(&actions);
    return failed ? -1 : result;
}

const char *gsim_run_missing(void)
{
    static const char *const words[] = {"clang++", "--version", NULL};
    return run(words, "/dev/null") == 0 ? NULL : "clang++ is not in PATH (Debian: clang)";
}

static void write_text(const void *what, struct gsim_output *output)
{
    const struct gsim_run_text *text = what;
    gsim_output_bytes(output, text->at, text->length);
}

static enum gsim_status write_file(struct gsim_run_program *p, const char *name, const void *bytes, size_t length,
                                   struct gsim_error *error)
{
    const struct gsim_run_text text = {bytes, length};
    const char *path = gsim_arena_printf(&p->arena, "%s/%s", p->folder, name);
    return path ? gsim_output_write(path, write_text, &text, error) : gsim_no_memory(error);
}

static enum gsim_status write_headers(struct gsim_run_program *p, struct gsim_error *error)
{
    static const char *const empty[] = {GSIM_CUDA_HEADERS("")}, *const helpers[] = {GSIM_CUDA_HELPERS("")};
    enum gsim_status status = write_file(p, "gpusim_stub.h", stub, sizeof stub, error);
    if (status == GSIM_OK) status = write_file(p, "gpusim_table.h", table, sizeof table, error);
    if (status == GSIM_OK) status = write_file(p, "gpusim_device.h", device, sizeof device, error);
    for (size_t i = 0; i < sizeof empty / sizeof empty[0] && status == GSIM_OK; i++)
        status = write_file(p, empty[i], GSIM_CUDA_HALF, strstr(empty[i], "fp16") ? strlen(GSIM_CUDA_HALF) : 0, error);
    for (size_t i = 0; i < sizeof helpers / sizeof helpers[0] && status == GSIM_OK; i++)
        status = write_file(p, helpers[i], helper, sizeof helper, error);
    return status;
}

/* The first line of a compiler's messages that has an error. */
static enum gsim_status refuse(struct gsim_run_program *p, const char *messages, int result, struct gsim_error *error)
{
    size_t length = 0;
    struct gsim_error ignored = {0};
    char *text = result >= 0 ? gsim_file_read(messages, &length, &ignored) : NULL;
    const char *at = text ? strstr(text, "undefined reference") : NULL;
    if (!at && text && (at = strstr(text, "error: ")))
        while (at > text && at[-1] != '\n') at--;
    if (at && strncmp(at, p->folder, strlen(p->folder)) == 0) at += strlen(p->folder) + 1;
    if (result < 0) gsim_error_set(error, GSIM_INPUT, "%s cannot be run: %s", p->name, gsim_run_missing());
    else
        gsim_error_set(error, GSIM_INPUT, "%s cannot be run: clang++ says: %.*s", p->name,
                       at ? (int)strcspn(at, "\n") : 20, at ? at : "nothing of an error");
    gsim_free(text);
    return error->status;
}

/* A file of the program: its text, in the folder the first's, elsewhere the others' own. */
struct unit {
    const char *path, *text, *made; /* PATH: whose folder's headers it names */
    unsigned number;
    bool is_c;
};

/* Room for a command's words, as many as the options have and more; COUNT are in FIRST, all else is NULL. */
static const char **words_for(struct gsim_run_program *p, const struct gsim_cuda_options *options,
                              const char *const *first, size_t count, struct gsim_error *error)
{
    const char **words = gsim_arena_alloc(&p->arena, (OWN_WORDS + 2 * options->count) * sizeof *first);
    if (words) memcpy(words, first, count * sizeof *first);
    else gsim_error_set(error, GSIM_NOMEM, "out of memory");
    return words;
}

static enum gsim_status preprocess(struct gsim_run_program *p, const struct unit *unit,
                                   const struct gsim_cuda_options *options, const char *to, struct gsim_error *error)
{
    static const char *const first[] = {"clang++", "-x", "c++", "-std=gnu++17", "-w", "-E", "-DGPUSIM_RUN"};
    size_t count = sizeof first / sizeof *first;
    const char **words = words_for(p, options, first, count, error);
    if (!words) return error->status;
    const char *slash = strrchr(unit->path, '/');
    if (unit->is_c) words[2] = "c", words[3] = "-std=gnu17";
    if (unit->number) words[count++] = "-DGPUSIM_OTHER_FILE";
    words[count++] = "-iquote";
    words[count++] = slash ? gsim_arena_printf(&p->arena, "%.*s", (int)(slash - unit->path), unit->path) : ".";
    if (!unit->is_c) words[count++] = gsim_arena_printf(&p->arena, "-I%s", p->folder);
    for (size_t i = 0; i < options->count; i++) {
        if (options->words[i].kind != GSIM_CUDA_DEFINE && options->words[i].kind != GSIM_CUDA_INCLUDE) continue;
        words[count++] = options->words[i].kind == GSIM_CUDA_DEFINE ? "-D" : "-I";
        words[count++] = options->words[i].text;
    }
    const char *headers[] = {"gpusim_stub.h", "gpusim_table.h", "gpusim_device.h"};
    for (size_t i = 0; i < 3 && !unit->is_c; i++) {
        words[count++] = "-include";
        words[count++] = headers[i];
    }
    words[count++] = "-o";
    words[count++] = to;
    words[count++] = unit->text;
    const char *messages = gsim_arena_printf(&p->arena, "%s/messages", p->folder);
    if (p->arena.failed) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    int result = run(words, messages);
    return result ? refuse(p, messages, result, error) : GSIM_OK;
}

static enum gsim_status rewrite(struct gsim_run_program *p, const char *path, const char *name,
                                struct gsim_error *error)
{
    size_t length = 0, rewritten_length = 0;
    char *text = gsim_file_read(path, &length, error);
    if (!text) return error->status;
    char *rewritten = gsim_run_rewrite(text, length, &rewritten_length);
    enum gsim_status status =
        rewritten ? write_file(p, name, rewritten, rewritten_length, error) : gsim_no_memory(error);
    gsim_free(text);
    gsim_free(rewritten);
    return status;
}

static enum gsim_status make(struct gsim_run_program *p, struct unit *unit, const struct gsim_cuda_options *options,
                             struct gsim_error *error)
{
    const char *name = gsim_arena_printf(&p->arena, "text%u.cpp", unit->number);
    const char *whole = gsim_arena_printf(&p->arena, "%s/text%u.ii", p->folder, unit->number);
    const char *from = gsim_arena_printf(&p->arena, "%s/text%u.cpp", p->folder, unit->number);
    const char *messages = gsim_arena_printf(&p->arena, "%s/messages", p->folder);
    unit->made = gsim_arena_printf(&p->arena, "%s/text%u.o", p->folder, unit->number);
    if (p->arena.failed) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    const char *const words[] = {
        "clang++", "-x", unit->is_c ? "cpp-output" : "c++-cpp-output", unit->is_c ? "-std=gnu17" : "-std=gnu++17", "-w",
        "-O1", "-fPIC", "-ffp-contract=off", "-fno-builtin-printf", "-fsanitize=thread", "-mllvm",
        "-tsan-instrument-func-entry-exit=0", "-mllvm", "-tsan-instrument-atomics=0", "-mllvm",
        "-tsan-instrument-read-before-write=1", "-c", "-o", unit->made, unit->is_c ? whole : from, NULL};
    enum gsim_status status = preprocess(p, unit, options, whole, error);
    if (status == GSIM_OK && !unit->is_c) status = rewrite(p, whole, name, error);
    int result = status == GSIM_OK ? run(words, messages) : 0;
    return result ? refuse(p, messages, result, error) : status;
}

static enum gsim_status build(struct gsim_run_program *p, const char *path, const struct gsim_cuda_options *options,
                              struct gsim_error *error)
{
    static const char *const first[] = {"clang++", "-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-o"};
    size_t count = sizeof first / sizeof *first;
    const char **words = words_for(p, options, first, count, error);
    if (!words) return error->status;
    const char *messages = gsim_arena_printf(&p->arena, "%s/messages", p->folder);
    struct unit unit = {.path = path, .text = gsim_arena_printf(&p->arena, "%s/%s", p->folder, p->name)};
    words[count++] = p->object = gsim_arena_printf(&p->arena, "%s/program.so", p->folder);
    if (p->arena.failed) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    enum gsim_status status = make(p, &unit, options, error);
    words[count++] = unit.made;
    for (size_t i = 0; i < options->count && status == GSIM_OK; i++) {
        const char *other = options->words[i].text, *end = strrchr(other, '.');
        if (options->words[i].kind != GSIM_CUDA_FILE) continue;
        unit = (struct unit){.path = other, .text = other, .number = unit.number + 1,
                             .is_c = end && strcmp(end, ".c") == 0};
        status = make(p, &unit, options, error);
        words[count++] = unit.made;
    }
    words[count] = "-lm";
    int result = status == GSIM_OK ? run(words, messages) : 0;
    return result ? refuse(p, messages, result, error) : status;
}

enum gsim_status gsim_run_compile(const char *path, const char *text, size_t length,
                                  const struct gsim_cuda_options *options, struct gsim_run_program **program,
                                  struct gsim_error *error)
{
    struct gsim_run_program *p = gsim_alloc(sizeof *p);
    const char *slash = strrchr(path, '/');
    *program = NULL;
    if (!p) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    enum gsim_status status = gsim_scratch_folder(&p->arena, &p->folder, error);
    if (status == GSIM_OK && !(p->name = gsim_arena_strdup(&p->arena, slash ? slash + 1 : path)))
        status = gsim_no_memory(error);
    if (status == GSIM_OK) status = write_headers(p, error);
    if (status == GSIM_OK) status = write_file(p, p->name, text, length, error);
    if (status == GSIM_OK) status = build(p, path, options, error);
    if (status == GSIM_OK) *program = p;
    else gsim_run_program_destroy(p);
    return status;
}

void gsim_run_program_destroy(struct gsim_run_program *p)
{
    if (!p) return;
    gsim_scratch_remove(p->folder);
    gsim_arena_release(&p->arena);
    gsim_free(p);
}
