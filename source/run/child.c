/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/run/run.h: a program's process, and what is told when it dies. */
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "source/run/program.h"
#include "source/run/queue.h"

struct gsim_run_shared *gsim_run_result(void)
{
    void *at = mmap(NULL, sizeof(struct gsim_run_shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

void gsim_run_result_release(struct gsim_run_shared *result)
{
    if (result) munmap(result, sizeof *result);
}

/* --- the process --- */
/* The variables of the object that holds WITHIN. */
static int find_variables(struct dl_phdr_info *info, size_t size, void *within)
{
    uintptr_t begin = 0, end = 0;
    bool is_it = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
        if (part->p_type != PT_LOAD) continue;
        is_it |= from <= (uintptr_t)within && (uintptr_t)within < to;
        if (!(part->p_flags & PF_W)) continue;
        if (!begin || from < begin) begin = from;
        if (to > end) end = to;
    }
    if (is_it) gsim_run_globals((char *)begin, end - begin);
    return is_it;
}

static void limit(const struct gsim_run_settings *settings)
{
    struct rlimit seconds = {gsim_whole_u64(settings->limit_s) + 1, gsim_whole_u64(settings->limit_s) + 2};
    struct rlimit none = {0, 0}, data = {4 * GSIM_RUN_ARENA + settings->limit_bytes, RLIM_INFINITY};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_DATA, &data); /* it counts what is reserved for the device, which has its own limit */
}

static void silence(void)
{
    int null = open("/dev/null", O_RDWR);
    if (null < 0) return;
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
}

/* Behind the program's own; nothing of gpusim's is undone here, as its files are the other process's. */
static void at_exit(int status, void *unused)
{
    (void)unused;
    gsim_run_engine_end();
    fflush(NULL);
    _exit(status);
}

static void forget_signals(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGXCPU, SIGPIPE, SIGSEGV, SIGBUS, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) signal(signals[i], SIG_DFL);
}

static void be_child(const char *object, const struct gsim_run_settings *settings, struct gsim_run_shared *shared)
{
    char text[32];
    int count = 0;
    int (*entry)(int, const char *const *, char **);
    extern char **environ;
    if (!gsim_run_engine_init(settings, shared)) gsim_run_fail("no memory for the device");
    limit(settings);
    forget_signals();
    mallopt(M_PERTURB, 85); /* what the program does not set is the same in each run */
    if (settings->is_quiet) silence();
    else dup2(STDERR_FILENO, STDOUT_FILENO);
    snprintf(text, sizeof text, "%" PRIuPTR, (uintptr_t)&gsim_run_engine()->run);
    setenv("GPUSIM_RUN", text, 1);
    void *program = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (!program) gsim_run_fail(dlerror());
    void *address = dlsym(program, "main");
    if (!address) gsim_run_fail("it has no main");
    memcpy(&entry, &address, sizeof entry);
    dl_iterate_phdr(find_variables, address);
    on_exit(at_exit, NULL);
    while (settings->words[count]) count++;
    shared->is_started = true;
    int status = entry(count, settings->words, environ);
    shared->exit_status = status & 255;
    exit(status);
}

/* --- the other one --- */
static enum gsim_status judge(const struct gsim_run_program *p, const struct gsim_run_settings *settings, int result,
                              bool is_late, struct gsim_run_shared *shared, struct gsim_error *error)
{
    if (shared->failure[0]) return gsim_error_set(error, GSIM_INPUT, "%s, run: %s", p->name, shared->failure);
    if (is_late || (WIFSIGNALED(result) && WTERMSIG(result) == SIGXCPU))
        return gsim_error_set(error, GSIM_INPUT, "%s, run: it takes more than %.0f s (--run-limit)", p->name,
                              settings->limit_s);
    if (WIFSIGNALED(result))
        return gsim_error_set(error, GSIM_INPUT, "%s, run: ended by signal %d (%s), %s%s", p->name, WTERMSIG(result),
                              strsignal(WTERMSIG(result)),
                              shared->kernels ? "in or behind a kernel" : "before its first kernel",
                              settings->words[1] ? "" : " (--run ARGS gives its main arguments)");
    if (!shared->has_ended)
        return gsim_error_set(error, GSIM_INPUT, "%s, run: it ended without an exit (status %d)", p->name,
                              WEXITSTATUS(result));
    shared->exit_status = WEXITSTATUS(result);
    return GSIM_OK;
}

enum gsim_status gsim_run_execute(const struct gsim_run_program *p, const struct gsim_run_settings *settings,
                                  struct gsim_run_shared *shared, struct gsim_error *error)
{
    int result = 0;
    bool is_late = false;
    memset(shared, 0, offsetof(struct gsim_run_shared, facts));
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) return gsim_error_set(error, GSIM_IO, "cannot start a process for %s", p->name);
    if (pid == 0) {
        be_child(p->object, settings, shared);
        _exit(1);
    }
    for (double waited_s = 0; waitpid(pid, &result, WNOHANG) == 0; waited_s += 0.002) {
        struct timespec pause = {0, 2000000};
        nanosleep(&pause, NULL);
        if (waited_s < 4 * settings->limit_s + 2) continue; /* CPU time is what is limited; this one hangs */
        is_late = true;
        kill(pid, SIGKILL);
        waitpid(pid, &result, 0);
        break;
    }
    return judge(p, settings, result, is_late, shared, error);
}
