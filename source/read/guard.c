/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/read/guard.h. One source is read at a time. */
#include "source/read/guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpusim/memory.h"
#include "sim/base/ends.h"

#define STACK_BYTES  ((size_t)1 << 28) /* of address space: pages are taken as they are used */
#define SIGNAL_BYTES 65536             /* of the stack that its signals use */
#define MEMORY_BYTES ((rlim_t)1 << 32) /* beside what the program has already */
#define MAX_CPU_S    20
#define MAX_STILL_S 30 /* without using STILL_MS of the processor, however busy that is */
#define STILL_MS     20
#define LOOK_NS      20000000

static struct guard {
    void (*task)(void *context);
    void *context;
    const char *path;
    void *signal_stack;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool has_ended;
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};
#define DEADLY_COUNT (sizeof deadly / sizeof deadly[0])

static void end(const char *why)
{
    char line[512];
    snprintf(line, sizeof line, "gpusim: cannot read '%.300s': %s\n", guard.path, why);
    gsim_ends_with(line, gsim_status_exit(GSIM_INPUT));
}

static void handle_signal(int signal_number)
{
    struct rusage usage = {0};
    bool is_out = signal_number == SIGABRT && errno == ENOMEM;
    (void)getrusage(RUSAGE_SELF, &usage);
    if (is_out && usage.ru_maxrss < (long)(MEMORY_BYTES >> 11)) gsim_ends_out_of_memory(); /* not by our limit */
    end(signal_number == SIGABRT ? "libclang gave up on it, or its memory (4 GiB) is spent"
                                 : "it nests too deep, or libclang failed on it");
}

static void *work(void *nothing)
{
    const stack_t stack = {.ss_sp = guard.signal_stack, .ss_size = SIGNAL_BYTES};
    (void)nothing;
    (void)sigaltstack(&stack, NULL);
    guard.task(guard.context);
    (void)sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    pthread_mutex_lock(&guard.lock);
    guard.has_ended = true;
    pthread_cond_signal(&guard.ended);
    pthread_mutex_unlock(&guard.lock);
    return NULL;
}

/* Of the thread WORKER; a loop of libclang's, or a file without an end, is ended from here alone. */
static void watch(pthread_t worker)
{
    clockid_t cpu_clock;
    bool has_clock = pthread_getcpuclockid(worker, &cpu_clock) == 0;
    struct timespec until, cpu = {0}, now;
    clock_gettime(CLOCK_REALTIME, &now);
    time_t moved = now.tv_sec;
    long used_ms = 0;
    pthread_mutex_lock(&guard.lock);
    while (!guard.has_ended) {
        clock_gettime(CLOCK_REALTIME, &now);
        long ns = now.tv_nsec + LOOK_NS;
        until = (struct timespec){now.tv_sec + ns / 1000000000, ns % 1000000000};
        pthread_cond_timedwait(&guard.ended, &guard.lock, &until);
        if (guard.has_ended) break;
        if (has_clock) clock_gettime(cpu_clock, &cpu);
        if (cpu.tv_sec >= MAX_CPU_S) end("reading it takes more than 20 s of processor time");
        long cpu_ms = (long)cpu.tv_sec * 1000 + cpu.tv_nsec / 1000000;
        if (cpu_ms >= used_ms + STILL_MS) used_ms = cpu_ms, moved = now.tv_sec;
        else if (now.tv_sec > moved + MAX_STILL_S) end("reading it waits: does it include a pipe?");
    }
    pthread_mutex_unlock(&guard.lock);
}

/* Address space of this process, in bytes; 0: not told. */
static rlim_t address_space(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%llu", &pages) != 1) pages = 0;
    if (file) fclose(file);
    return (rlim_t)pages * 4096;
}

void gsim_cu_guard_init(void)
{
    setenv("LIBCLANG_NOTHREADS", "1", 1);
    setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 1);
}

static enum gsim_status run(void (*task)(void *context), void *context, const char *path, struct gsim_error *error)
{
    struct sigaction action = {.sa_handler = handle_signal, .sa_flags = SA_ONSTACK | SA_NODEFER}, before[DEADLY_COUNT];
    struct rlimit limit = {0}, narrow;
    pthread_attr_t attributes;
    pthread_t worker;
    rlim_t space = address_space();
    guard.task = task;
    guard.context = context;
    guard.path = path;
    guard.has_ended = false;
    guard.signal_stack = gsim_alloc(SIGNAL_BYTES);
    if (!guard.signal_stack) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    bool is_limited = space && getrlimit(RLIMIT_AS, &limit) == 0;
    narrow = limit;
    if (is_limited && narrow.rlim_cur > space + STACK_BYTES + MEMORY_BYTES)
        narrow.rlim_cur = space + STACK_BYTES + MEMORY_BYTES;
    if (is_limited) (void)setrlimit(RLIMIT_AS, &narrow);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < DEADLY_COUNT; i++) sigaction(deadly[i], &action, &before[i]);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    bool has_begun = pthread_create(&worker, &attributes, work, NULL) == 0;
    pthread_attr_destroy(&attributes);
    if (has_begun) {
        watch(worker);
        pthread_join(worker, NULL);
    }
    for (size_t i = 0; i < DEADLY_COUNT; i++) sigaction(deadly[i], &before[i], NULL);
    if (is_limited) (void)setrlimit(RLIMIT_AS, &limit);
    gsim_free(guard.signal_stack);
    return has_begun ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory");
}

/* In a process that is not gpusim's, whose death nobody but it decides on, a child reads first: what ends the child is
 * an error. What the child says is the message. */
static enum gsim_status try(void (*task)(void *context), void *context, const char *path, struct gsim_error *error)
{
    char said[400] = "";
    int ends[2], status = 0;
    if (pipe(ends) != 0) return gsim_error_set(error, GSIM_IO, "cannot read '%.300s': no pipe", path);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        gsim_ends_install(true);
        _exit(run(task, context, path, error) ? 1 : 0);
    }
    close(ends[1]);
    FILE *words = child > 0 ? fdopen(ends[0], "r") : NULL;
    for (char line[sizeof said]; words && fgets(line, sizeof line, words);) memcpy(said, line, sizeof said);
    if (words) fclose(words);
    else close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child)
        return gsim_error_set(error, GSIM_IO, "cannot read '%.300s': no process for it", path);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return GSIM_OK;
    said[strcspn(said, "\n")] = '\0';
    const char *text = strncmp(said, "gpusim: ", 8) == 0 ? said + 8 : "libclang failed on it";
    bool is_out = WIFEXITED(status) && WEXITSTATUS(status) == gsim_status_exit(GSIM_NOMEM);
    return gsim_error_set(error, is_out ? GSIM_NOMEM : GSIM_INPUT, "%s", text);
}

bool gsim_cu_is_other(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

enum gsim_status gsim_cu_guard(void (*task)(void *context), void *context, const char *path, struct gsim_error *error)
{
    if (gsim_cu_is_other(path)) return gsim_error_set(error, GSIM_INPUT, "%.300s: expected a regular file", path);
    enum gsim_status status = gsim_ends_are_installed() ? GSIM_OK : try(task, context, path, error);
    return status ? status : run(task, context, path, error);
}

/* --- what is included --- */

enum gsim_status gsim_cu_check_includes(const char *path, const char *text, struct gsim_error *error)
{
    const char *slash = strrchr(path, '/');
    unsigned line = 1;
    for (const char *at = text, *next; at; at = next, line++) {
        char name[1024], full[2048];
        next = strchr(at, '\n');
        if (next) next++;
        at += strspn(at, " \t");
        if (*at != '#') continue;
        at += 1 + strspn(at + 1, " \t");
        if (strncmp(at, "include", 7) != 0) continue;
        at += strcspn(at, "\"<\n");
        if (sscanf(at, "\"%1023[^\"\n]", name) != 1 && sscanf(at, "<%1023[^>\n]", name) != 1) continue;
        snprintf(full, sizeof full, "%.*s%s", name[0] == '/' || !slash ? 0 : (int)(slash - path + 1), path, name);
        if (gsim_cu_is_other(full))
            return gsim_error_set(error, GSIM_INPUT, "%s:%u: expected a regular file, found '%.200s'", path, line,
                                  name);
    }
    return GSIM_OK;
}
