/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See sim/base/ends.h. Signals belong to the process, so the list of files to remove is the only global state. Handlers
 * call only async-signal-safe functions, and getdents64(), a bare system call.
 */
#include "sim/base/ends.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpusim/memory.h"

#define PATHS_MAX   64
#define ENTRY_BYTES 4096
#define MIN_BYTES (1 << 20) /* SimGrid allocates less than this at once, but through operator new */

static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
#define STOPPING_COUNT (sizeof(stopping) / sizeof(stopping[0]))

static struct {
    _Atomic(char *) paths[PATHS_MAX];
    atomic_uint files; /* complete */
    atomic_int child;
    pid_t owner; /* a worker has inherited all this and must not act on it */
    bool is_short;
} state;

/* --- removing --- */
static void empty_folder(int folder)
{
    char entries[ENTRY_BYTES];
    ssize_t length;
    while ((length = getdents64(folder, entries, sizeof(entries))) > 0) {
        for (ssize_t at = 0; at < length;) {
            const struct dirent64 *entry = (const void *)(entries + at);
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) unlinkat(folder, entry->d_name, 0);
            at += entry->d_reclen;
        }
    }
}

void gsim_ends_remove(const char *path)
{
    if (unlink(path) == 0 || errno == ENOENT) return;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return;
    empty_folder(folder);
    close(folder);
    rmdir(path);
}

static void clean_up(void)
{
    pid_t child = atomic_load(&state.child);
    if (child > 0 && kill(child, SIGKILL) == 0)
        waitpid(child, NULL, 0); /* or it might write once more what is removed here */
    for (size_t i = 0; i < PATHS_MAX; i++) {
        const char *path = atomic_load(&state.paths[i]);
        if (path) gsim_ends_remove(path);
    }
}

/* --- the list --- */
bool gsim_ends_add(const char *path)
{
    char *copy = gsim_alloc(strlen(path) + 1), *none;
    if (!copy) return false;
    memcpy(copy, path, strlen(path) + 1);
    for (size_t i = 0; i < PATHS_MAX; i++) {
        none = NULL;
        if (atomic_compare_exchange_strong(&state.paths[i], &none, copy)) return true;
    }
    gsim_free(copy);
    return false;
}

void gsim_ends_forget(const char *path)
{
    for (size_t i = 0; i < PATHS_MAX; i++) {
        char *held = atomic_load(&state.paths[i]);
        if (!held || strcmp(held, path) != 0) continue;
        atomic_store(&state.paths[i], NULL);
        gsim_free(held);
        return;
    }
}

void gsim_ends_keep(const char *path)
{
    for (size_t i = 0; i < PATHS_MAX; i++) {
        const char *held = atomic_load(&state.paths[i]);
        size_t length = held ? strlen(held) : 0;
        if (held && strncmp(path, held, length) == 0 && (!path[length] || path[length] == '/')) return;
    }
    atomic_fetch_add(&state.files, 1);
}

void gsim_ends_set_child(pid_t child) { atomic_store(&state.child, child); }

/* --- the end --- */
/* Appends to the line; what does not fit is left out. */
static void append(char *line, size_t size, const char *text)
{
    size_t used = strlen(line), length = strlen(text);
    if (used + length < size) memcpy(line + used, text, length + 1);
}

static void put_count(char *line, size_t size, unsigned count)
{
    char digits[12], *at = digits + sizeof(digits) - 1;
    *at = '\0';
    do *--at = (char)('0' + count % 10);
    while (count /= 10);
    append(line, size, at);
}

static const char *name_of(int signal_number)
{
    return signal_number == SIGINT    ? "Ctrl-C (SIGINT)"
           : signal_number == SIGTERM ? "SIGTERM"
           : signal_number == SIGHUP  ? "SIGHUP"
                                      : "SIGPIPE: nobody reads its output";
}

static void tell(const char *line)
{
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written; /* nobody is left to be told */
}

static void stop(int signal_number)
{
    char line[200] = "";
    if (getpid() != state.owner) _exit(128 + signal_number);
    unsigned files = atomic_load(&state.files);
    clean_up();
    if (signal_number == SIGPIPE && state.is_short) _exit(128 + signal_number);
    if (isatty(STDERR_FILENO)) append(line, sizeof(line), "\r\033[K");
    append(line, sizeof(line), "gpusim: stopped by ");
    append(line, sizeof(line), name_of(signal_number));
    append(line, sizeof(line), "; ");
    if (files) put_count(line, sizeof(line), files);
    append(line, sizeof(line),
           files == 1 ? " file is complete, no other was changed"
           : files    ? " files are complete, no other was changed"
                   : "no file was changed");
    append(line, sizeof(line), "; the same command starts afresh\n");
    tell(line);
    _exit(128 + signal_number);
}

void gsim_ends_with(const char *line, int status)
{
    if (getpid() == state.owner) clean_up();
    tell(line);
    _exit(status);
}

void gsim_ends_out_of_memory(void) { gsim_ends_with("gpusim: out of memory\n", gsim_status_exit(GSIM_NOMEM)); }

bool gsim_ends_has_memory(size_t size)
{
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return false;
    munmap(page, size);
    return true;
}

/* SimGrid aborts when C's allocator fails, which leaves its errno. A fault of ours aborts as well: then the files go,
 * and the abort goes on. */
static void handle_abort(int signal_number)
{
    if (errno == ENOMEM || !gsim_ends_has_memory(MIN_BYTES)) gsim_ends_out_of_memory();
    if (getpid() == state.owner) clean_up();
    signal(signal_number, SIG_DFL);
}

/* std::set_new_handler(), by its name in the ABI of C++. The library stays: those that are loaded later use the
 * same. One that ran out of memory half-way stays, too, and aborts at its first exception. */
void gsim_ends_guard_cpp(void)
{
    void *library = state.owner ? dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE) : NULL;
    const char *why = state.owner && !library ? dlerror() : NULL;
    if (why && strstr(why, "memory")) gsim_ends_out_of_memory();
    void *found = library ? dlsym(library, "_ZSt15set_new_handlerPFvvE") : NULL;
    void (*(*set)(void (*)(void)))(void);
    memcpy(&set, &found, sizeof set);
    if (found) set(gsim_ends_out_of_memory);
}

/* GSL goes on after this, and takes the memory that it did not get for granted. */
void gsim_ends_take_gsl(const char *reason, const char *file, int line, int code)
{
    (void)reason;
    (void)file;
    (void)line;
    if (code == GSL_ENOMEM) gsim_ends_out_of_memory();
}

/* --- signals --- */
static bool is_ignored(int signal_number)
{
    struct sigaction action;
    return sigaction(signal_number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void gsim_ends_signals(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < STOPPING_COUNT; i++)
        if (!is_ignored(stopping[i])) sigaddset(set, stopping[i]);
}

void gsim_ends_hold(sigset_t *old)
{
    sigset_t set;
    gsim_ends_signals(&set);
    sigprocmask(SIG_BLOCK, &set, old);
}

void gsim_ends_restore(const sigset_t *old) { sigprocmask(SIG_SETMASK, old, NULL); }

bool gsim_ends_are_installed(void) { return state.owner != 0; }

void gsim_ends_install(bool is_short)
{
    struct sigaction action = {.sa_handler = stop}, abortion = {.sa_handler = handle_abort},
                     ignore = {.sa_handler = SIG_IGN};
    sigset_t set, old;
    gsim_ends_signals(&set);
    gsim_ends_hold(&old); /* who sees one handler may send any of the signals */
    state.owner = getpid();
    state.is_short = is_short;
    action.sa_mask = set;
    for (size_t i = 0; i < STOPPING_COUNT; i++)
        if (sigismember(&set, stopping[i]) == 1) sigaction(stopping[i], &action, NULL);
    if (!is_ignored(SIGPIPE)) sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGABRT, &abortion, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
    gsim_ends_restore(&old);
    gsim_alloc_when_out(gsim_ends_out_of_memory);
}
