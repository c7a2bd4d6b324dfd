/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/jobs/worker.h. An outcome is sent as soon as it is there, so that a crash of the next item does not take
 * it along; the pipe holds many, so that the parent need not wake up for each. */
#include "sim/base/jobs/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_ITEMS 64
#define PIPE_BYTES (1 << 20) /* what Linux allows any user */

struct gsim_worker_state {
    _Atomic uint64_t sequence; /* odd while an item is under way */
    _Atomic uint64_t item;
};

/* --- in the child ------------------------------------------------------------------------------------------------ */
static void send_all(int descriptor, struct gsim_bytes *bytes)
{
    size_t at = 0;
    while (at < bytes->length) {
        ssize_t sent = write(descriptor, bytes->data + at, bytes->length - at);
        if (sent < 0 && errno != EINTR) _exit(0); /* nobody is there to listen */
        if (sent > 0) at += (size_t)sent;
    }
    bytes->length = 0;
}

static void run_one(const struct gsim_pool_config *config, struct gsim_worker_state *state, uint64_t item,
                    struct gsim_bytes *output)
{
    struct gsim_worker_head head = {.item = item};
    size_t start = output->length;
    gsim_bytes_add(output, &head, sizeof(head));
    atomic_store(&state->item, item);
    atomic_fetch_add(&state->sequence, 1);
    config->run(config->data, item, output);
    atomic_fetch_add(&state->sequence, 1);
    if (output->failed) _exit(3); /* out of memory: counts as a crash at the next item */
    head.length = output->length - start - sizeof(head);
    memcpy(output->data + start, &head, sizeof(head));
}

__attribute__((noreturn)) static void work(const struct gsim_pool_config *config, struct gsim_worker_state *state,
                                           int in, int out)
{
    uint64_t items[READ_ITEMS];
    struct gsim_bytes output = {0};
    for (;;) {
        ssize_t got = read(in, items, sizeof(items));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break; /* the parent is gone, or has no more */
        for (size_t i = 0; i < (size_t)got / sizeof(items[0]); i++) {
            run_one(config, state, items[i], &output);
            send_all(out, &output);
        }
    }
    _exit(0);
}

__attribute__((noreturn)) static void child(const struct gsim_worker *worker, const struct gsim_pool_config *config,
                                            int in, int out, const int *others, int other_count, pid_t parent)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, initial = {.sa_handler = SIG_DFL};
    for (int i = 0; i < other_count; i++) close(others[i]);
    close(worker->to);
    close(worker->from);
    dup2(worker->messages, STDERR_FILENO);
    /* The parent decides when to stop; terminals and launchers signal the whole group. */
    sigaction(SIGINT, &ignore, NULL);
    sigaction(SIGTERM, &ignore, NULL);
    sigaction(SIGHUP, &ignore, NULL);
    sigaction(SIGPIPE, &initial, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0); /* it died before the line above */
    work(config, worker->state, in, out);
}

/* --- in the parent ------------------------------------------------------------------------------------------------ */
static enum gsim_status fail_start(struct gsim_worker *worker, const char *what, struct gsim_error *error)
{
    int code = errno;
    gsim_worker_end(worker);
    return gsim_error_set(error, GSIM_IO, "cannot start a worker: %s: %s", what, strerror(code));
}

static int open_messages(void)
{
    FILE *file = tmpfile();
    if (!file) return -1;
    int descriptor = dup(fileno(file));
    fclose(file);
    return descriptor;
}

enum gsim_status gsim_worker_start(struct gsim_worker *worker, const struct gsim_pool_config *config, const int *others,
                                   int other_count, struct gsim_error *error)
{
    int to[2], from[2];
    pid_t parent = getpid();
    *worker = (struct gsim_worker){.to = -1, .from = -1, .messages = -1};
    void *page = mmap(NULL, sizeof(*worker->state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return fail_start(worker, "mmap", error);
    worker->state = page;
    worker->messages = open_messages();
    if (worker->messages < 0) return fail_start(worker, "temporary file", error);
    if (pipe(to) != 0) return fail_start(worker, "pipe", error);
    worker->to = to[1];
    if (pipe(from) != 0) {
        close(to[0]);
        return fail_start(worker, "pipe", error);
    }
    worker->from = from[0];
    (void)fcntl(from[1], F_SETPIPE_SZ, PIPE_BYTES); /* where it is refused, the worker waits now and then */
    fflush(NULL);                                   /* or both would write what is in the buffers */
    worker->pid = fork();
    if (worker->pid == 0) child(worker, config, to[0], from[1], others, other_count, parent);
    close(to[0]);
    close(from[1]);
    if (worker->pid < 0) {
        worker->pid = 0;
        return fail_start(worker, "fork", error);
    }
    return GSIM_OK;
}

void gsim_worker_send(struct gsim_worker *worker, uint64_t item)
{
    ssize_t sent;
    do sent = write(worker->to, &item, sizeof(item));
    while (sent < 0 && errno == EINTR);
}

bool gsim_worker_item(const struct gsim_worker *worker, uint64_t *item)
{
    if (!(atomic_load(&worker->state->sequence) & 1)) return false;
    *item = atomic_load(&worker->state->item);
    return true;
}

uint64_t gsim_worker_sequence(const struct gsim_worker *worker) { return atomic_load(&worker->state->sequence); }

/* The last line that it wrote to stderr, if any. */
static void last_words(const struct gsim_worker *worker, char *text, size_t size)
{
    off_t end = lseek(worker->messages, 0, SEEK_END), start = end > (off_t)size - 1 ? end - (off_t)size + 1 : 0;
    ssize_t got = end > 0 ? pread(worker->messages, text, size - 1, start) : 0;
    if (got < 0) got = 0;
    while (got > 0 && (text[got - 1] == '\n' || text[got - 1] == ' ')) got--;
    text[got] = '\0';
    char *line = strrchr(text, '\n');
    if (line) memmove(text, line + 1, strlen(line + 1) + 1);
}

void gsim_worker_autopsy(struct gsim_worker *worker, char *message, size_t size)
{
    char words[300];
    int status = 0;
    while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR) continue;
    worker->pid = 0;
    last_words(worker, words, sizeof(words));
    int length = WIFSIGNALED(status) ? snprintf(message, size, "the worker was ended by signal %d (%s)",
                                                WTERMSIG(status), strsignal(WTERMSIG(status)))
                                     : snprintf(message, size, "the worker ended with status %d", WEXITSTATUS(status));
    if (words[0] && length > 0 && (size_t)length < size)
        snprintf(message + length, size - (size_t)length, ": %s", words);
    gsim_worker_end(worker);
}

void gsim_worker_end(struct gsim_worker *worker)
{
    if (worker->pid)
        while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR) continue;
    if (worker->state) {
        munmap(worker->state, sizeof(*worker->state));
        if (worker->to >= 0) close(worker->to);
        if (worker->from >= 0) close(worker->from);
        if (worker->messages >= 0) close(worker->messages);
    }
    *worker = (struct gsim_worker){0};
}
