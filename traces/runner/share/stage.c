/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts the processes of a shared GPU, decides for the policy while they run, and collects what they wrote
 * (traces/runner/share/stage.h). */
#include "traces/runner/share/stage.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gpusim/order.h"

#define START_S    60      /* for all tasks to have opened the GPU */
#define QUIET_S    60      /* without any request or kernel ending */
#define LOOKS      4096    /* of the policy, between two looks at the processes */
#define EPOCH_NS   2000000 /* from the last one's arrival to the common beginning */

static volatile sig_atomic_t interrupted;

static void on_signal(int number) { interrupted = number; }

void gsim_stage_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void *gsim_stage_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* In the child: it ends when its parent does. */
static void become_child(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

static void check_end(int status, const char *what, struct gsim_error *error)
{
    if (error->status) return;
    if (WIFSIGNALED(status))
        gsim_error_set(error, GSIM_SIM, "%s: its process ended by signal %d", what, WTERMSIG(status));
    else if (WIFEXITED(status) && WEXITSTATUS(status))
        gsim_error_set(error, GSIM_SIM, "%s: its process ended with status %d", what, WEXITSTATUS(status));
}

enum gsim_status gsim_stage_apart(enum gsim_status (*body)(void *, struct gsim_error *), void *data, const char *what,
                                  struct gsim_error *error)
{
    struct gsim_error *found = gsim_stage_memory(sizeof *found);
    struct timespec pause = {0, 1000000};
    int status = 0;
    pid_t ended = 0;
    if (!found) return gsim_no_memory(error);
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return gsim_error_set(error, GSIM_SIM, "cannot start a process: %s", strerror(errno));
    if (child == 0) {
        become_child();
        gsim_mps_avoid();
        (void)!body(data, found);
        _exit(0);
    }
    for (int i = 0; i < START_S * 1000 && !interrupted && !(ended = waitpid(child, &status, WNOHANG)); i++)
        nanosleep(&pause, NULL);
    if (!ended) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        gsim_error_set(error, GSIM_SIM, interrupted ? "interrupted" : "%s: took more than %d s", what, START_S);
    } else {
        if (found->status) *error = *found;
        check_end(status, what, error);
    }
    munmap(found, sizeof *found + 1);
    return error->status;
}

/* --- a run ------------------------------------------------------------------------------------------------------ */

struct run {
    struct gsim_stage *stage;
    struct gsim_ledger *ledger;
    struct gsim_ledger_policy *policy; /* NULL: the mechanism alone */
    uint32_t process_of[GSIM_LIMIT_TASKS], process_count, left;
    pid_t children[GSIM_LIMIT_TASKS];
    uint64_t progress;
    time_t quiet_since;
};

static double now_us(void *clock)
{
    const struct gsim_ledger *ledger = clock;
    int64_t epoch = ledger->epoch_ns;
    return epoch ? (double)(gsim_runner_now_ns() - epoch) * 1e-3 : 0;
}

static enum gsim_status open_policy(struct run *r, struct gsim_error *error)
{
    const struct gsim_stage *s = r->stage;
    struct gsim_ledger_policy_setup setup = {.ledger = r->ledger,
                                             .ops = s->ops,
                                             .params = s->params,
                                             .set = s->set,
                                             .profile = s->profile,
                                             .device = gsim_device_facts(s->device),
                                             .now_us = now_us,
                                             .clock = r->ledger};
    return s->ops->ready ? gsim_ledger_policy_open(&setup, &r->policy, error) : GSIM_OK;
}

static enum gsim_status start(struct run *r, struct gsim_error *error)
{
    fflush(NULL);
    for (uint32_t p = 0; p < r->process_count; p++) {
        pid_t child = fork();
        if (child < 0) return gsim_error_set(error, GSIM_SIM, "cannot start a process: %s", strerror(errno));
        if (child == 0) {
            become_child();
            gsim_client_main(r->stage, r->ledger, r->process_of, p);
            _exit(0);
        }
        r->children[p] = child;
        r->left++;
    }
    return GSIM_OK;
}

static void stop(struct run *r)
{
    r->ledger->is_stopped = true;
    for (uint32_t p = 0; p < r->process_count; p++) {
        if (r->children[p] <= 0) continue;
        kill(r->children[p], SIGKILL);
        waitpid(r->children[p], NULL, 0);
        r->children[p] = 0;
        r->left--;
    }
}

/* What the first task says that failed; its process may be waiting for the others. */
static void see_failures(const struct run *r, struct gsim_error *error)
{
    for (uint32_t i = 0; i < r->ledger->count && !error->status; i++)
        if (r->ledger->tasks[i].error.status) {
            *error = r->ledger->tasks[i].error;
            gsim_error_prefix(error, "task '%.60s'", r->stage->set->tasks[i].name);
        }
}

/* Which have ended, and how. */
static void see_processes(struct run *r, struct gsim_error *error)
{
    if (r->ledger->is_stopped) see_failures(r, error);
    for (uint32_t p = 0; p < r->process_count; p++) {
        int status;
        if (r->children[p] <= 0 || waitpid(r->children[p], &status, WNOHANG) != r->children[p]) continue;
        char what[32];
        snprintf(what, sizeof what, "process %u", p);
        r->children[p] = 0;
        r->left--;
        see_failures(r, error);
        check_end(status, what, error);
    }
}

static bool is_ready(const struct gsim_ledger *ledger)
{
    for (uint32_t i = 0; i < ledger->count; i++)
        if (ledger->tasks[i].state == GSIM_LEDGER_STARTING) return false;
    return true;
}

static uint64_t progress_of(const struct gsim_ledger *ledger)
{
    uint64_t sum = ledger->epoch_ns != 0;
    for (uint32_t i = 0; i < ledger->count; i++) {
        const struct gsim_ledger_task *t = &ledger->tasks[i];
        sum += t->ended + (uint64_t)t->state;
        for (uint32_t s = 0; t->streams && s < t->stream_count; s++) sum += t->streams[s].done;
    }
    return sum;
}

static void see_progress(struct run *r, struct gsim_error *error)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t progress = progress_of(r->ledger);
    if (progress != r->progress || !r->quiet_since) {
        r->progress = progress;
        r->quiet_since = now.tv_sec;
    }
    int most = r->ledger->epoch_ns ? QUIET_S : START_S;
    if (now.tv_sec - r->quiet_since > most)
        gsim_error_set(error, GSIM_SIM, "nothing has ended on the GPU for %d s: a launch waits for what does not come",
                       most);
    if (interrupted) gsim_error_set(error, GSIM_SIM, "interrupted");
}

static enum gsim_status watch(struct run *r, struct gsim_error *error)
{
    struct timespec pause = {0, 500000};
    while (r->left && !error->status) {
        bool is_fine = true;
        for (int i = 0; i < LOOKS && r->policy && r->ledger->epoch_ns && is_fine; i++)
            is_fine = gsim_ledger_policy_look(r->policy, error);
        if (!r->policy || !r->ledger->epoch_ns) nanosleep(&pause, NULL);
        if (!r->ledger->epoch_ns && is_ready(r->ledger)) r->ledger->epoch_ns = gsim_runner_now_ns() + EPOCH_NS;
        see_processes(r, error);
        if (!error->status) see_progress(r, error);
    }
    return error->status;
}

GSIM_ORDER(compare_ends, struct gsim_ledger_kernel, GSIM_UP(request) GSIM_UP(end_us))

static void collect(const struct run *r, struct gsim_timeline *timeline)
{
    const struct gsim_task_set *set = r->stage->set;
    uint32_t first_kernel = 0;
    for (uint32_t i = 0; i < r->ledger->count; i++) {
        const struct gsim_ledger_task *t = &r->ledger->tasks[i];
        for (uint32_t n = 0; n < t->request_count; n++) {
            const struct gsim_ledger_request *q = &t->requests[n];
            struct gsim_request_record record = {i, n, q->arrival_ns * GSIM_PS_PER_NS, q->began_ns * GSIM_PS_PER_NS,
                                                 q->ended_ns * GSIM_PS_PER_NS};
            gsim_timeline_add_request(timeline, &record);
        }
        if (t->kernel_count) qsort(t->kernels, t->kernel_count, sizeof *t->kernels, compare_ends);
        for (uint32_t n = 0; n < t->kernel_count; n++) {
            const struct gsim_ledger_kernel *k = &t->kernels[n];
            int64_t began = t->requests[k->request].began_ns * GSIM_PS_PER_NS;
            struct gsim_kernel_record record = {.task = i,
                                                .iteration = k->request,
                                                .kernel_index = first_kernel + k->kernel,
                                                .launch = began + gsim_time_from_us(k->start_us),
                                                .ready = began + gsim_time_from_us(k->start_us),
                                                .start = began + gsim_time_from_us(k->start_us),
                                                .end = began + gsim_time_from_us(k->end_us)};
            gsim_timeline_add_kernel(timeline, &record);
        }
        first_kernel += set->tasks[i].program->kernel_count;
    }
}

enum gsim_status gsim_stage_run(struct gsim_stage *stage, struct gsim_timeline *timeline, struct gsim_error *error)
{
    struct run *r = gsim_alloc(sizeof *r);
    bool has_policy = stage->ops->ready != NULL;
    gsim_timeline_init(timeline, &stage->set->all, false);
    r->stage = stage;
    r->process_count = gsim_task_set_processes(stage->set, stage->settings.mechanism, r->process_of);
    r->ledger = gsim_ledger_create(stage->set->count, has_policy, stage->measures, error);
    if (r->ledger)
        for (uint32_t i = 0; i < stage->set->count; i++)
            r->ledger->finite_left += gsim_task_is_finite(&stage->set->tasks[i]);
    if (!error->status && stage->settings.mechanism == GSIM_MECHANISM_MPS) (void)!gsim_mps_start(error);
    if (!error->status) (void)!open_policy(r, error);
    if (!error->status) (void)!start(r, error);
    if (!error->status) (void)!watch(r, error);
    if (r->ledger) stop(r);
    if (!error->status) collect(r, timeline);
    if (!error->status && r->policy) stage->decisions = gsim_ledger_policy_decisions(r->policy);
    gsim_ledger_policy_close(r->policy);
    gsim_ledger_destroy(r->ledger);
    gsim_free(r);
    return error->status;
}
