/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The runner's side of a policy without a GPU: this test writes in the ledger what clients and a GPU would, and kernels
 * start when the simulator, with the same policy's source, starts them. What policies ask for that no driver does is
 * refused.
 */
#include "traces/runner/share/policy.h"

#include <pthread.h>

#include "tests/sim/task_fixture.h"

#define STEP_US 0.25
#define END_US  2000.0
#define MAX_STARTS 64

/* A task as a client and the GPU see it: one stream. */
struct world_task {
    uint32_t op, issued, start_count;
    double host_free_us, running_until_us; /* running: 0: nothing */
    double starts_us[MAX_STARTS];
    bool has_request, is_done;
};

struct world {
    struct task_fixture *f;
    struct gsim_ledger *ledger;
    struct gsim_ledger_policy *policy;
    struct world_task tasks[MAX_TASKS];
    double now_us;
};

static double world_now(void *clock) { return ((struct world *)clock)->now_us; }

static void client(struct world *w, uint32_t i)
{
    struct world_task *t = &w->tasks[i];
    struct gsim_ledger_task *own = &w->ledger->tasks[i];
    const struct gsim_program *p = &w->f->programs[i];
    while (!t->is_done && w->now_us >= w->f->tasks[i].start_us && w->now_us >= t->host_free_us) {
        if (!t->has_request) {
            own->began++;
            own->stream_count = 1;
            t->has_request = true;
        }
        bool is_idle = own->streams[0].done == t->issued;
        if (t->op == p->op_count) {
            if (!is_idle) return;
            own->ended++;
            own->state = GSIM_LEDGER_DONE;
            t->is_done = true;
            return;
        }
        const struct gsim_op *op = &p->ops[t->op];
        if (op->kind == GSIM_OP_KERNEL) {
            *gsim_ledger_slot_at(&own->streams[0], ++t->issued) =
                (struct gsim_ledger_slot){.op = op->index, .kernel = op->kernel_index};
            own->streams[0].issued = t->issued;
        } else {
            if (op->after_count && !is_idle) return;
            t->host_free_us = w->now_us + op->host_us;
        }
        t->op++;
    }
}

static void gpu(struct world *w, uint32_t i)
{
    struct world_task *t = &w->tasks[i];
    struct gsim_ledger_stream *s = &w->ledger->tasks[i].streams[0];
    if (t->running_until_us > 0 && w->now_us >= t->running_until_us) {
        s->done++;
        t->running_until_us = 0;
    }
    if (t->running_until_us > 0 || s->issued == s->done || s->open <= s->done) return;
    const struct gsim_kernel *k = &w->f->programs[i].kernels[gsim_ledger_slot_at(s, s->done + 1)->kernel];
    t->starts_us[t->start_count++] = w->now_us;
    t->running_until_us = w->now_us + k->thread_cycles * 1e-3; /* as fixture_kernel() says it */
}

/* The fixture's tasks under the way, with the fixture's parameters. */
static void run(struct world *w, struct task_fixture *f, const char *way)
{
    struct gsim_error error = {0};
    const struct gsim_sharing_ops *ops = gsim_sharing_find(way);
    struct gsim_task_set set;
    *w = (struct world){.f = f};
    point_to_programs(f);
    CHECK_OK(gsim_task_set_init(&set, "tasks", f->tasks, f->count, &error), error);
    void *params = gsim_arena_alloc(&set.arena, ops->params_size + 1);
    gsim_params_set_defaults(ops->params, params);
    for (size_t i = 0; i < sizeof f->opts / sizeof f->opts[0] && f->opts[i]; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", f->opts[i]);
        char *equals = strchr(text, '=');
        *equals = '\0';
        CHECK_OK(gsim_params_set(ops->params, params, text, equals + 1, &error), error);
    }
    w->ledger = gsim_ledger_create(f->count, true, false, &error);
    struct gsim_ledger_policy_setup setup = {.ledger = w->ledger,
                                             .ops = ops,
                                             .params = params,
                                             .set = &set,
                                             .device = gsim_device_facts(&f->device),
                                             .profile = f->profiles.count ? &f->profiles : NULL,
                                             .now_us = world_now,
                                             .clock = w};
    CHECK_OK(gsim_ledger_policy_open(&setup, &w->policy, &error), error);
    for (; w->now_us < END_US; w->now_us += STEP_US) {
        for (int round = 0; round < 3; round++) { /* what follows at once */
            for (uint32_t i = 0; i < f->count; i++) gpu(w, i);
            for (uint32_t i = 0; i < f->count; i++) client(w, i);
            CHECK_MSG(gsim_ledger_policy_look(w->policy, &error), "%s", error.message);
        }
    }
    for (uint32_t i = 0; i < f->count; i++) CHECK(w->tasks[i].is_done);
    gsim_ledger_policy_close(w->policy);
    gsim_ledger_destroy(w->ledger);
    gsim_task_set_release(&set);
}

/* Kernels start when the simulator starts them, to some steps of the test's clock. */
static void check_same(struct task_fixture *f, const char *way)
{
    struct world w;
    share(f, way);
    run(&w, f, way);
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t n = 0; n < w.tasks[i].start_count; n++)
            CHECK_MSG(fabs(w.tasks[i].starts_us[n] - gsim_time_us(kernel_of(f, i, n)->start)) <= 8 * STEP_US,
                      "%s: task %u, kernel %u: %.2f us, simulated %.2f", way, i, n, w.tasks[i].starts_us[n],
                      gsim_time_us(kernel_of(f, i, n)->start));
}

/* FIKIT's figure 2: three urgent kernels of 20 us with gaps of 30, others of 10 and 20 in turn. */
static void fikit(void)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step urgent[3] = {{fixture_kernel("u1", 8, 1024, 20), 30, true},
                                   {fixture_kernel("u2", 8, 1024, 20), 30, true},
                                   {fixture_kernel("u3", 8, 1024, 20), 0, true}};
    const struct step other[4] = {{fixture_kernel("x", 8, 1024, 10), 0, false},
                                  {fixture_kernel("y", 8, 1024, 20), 0, false},
                                  {fixture_kernel("x", 8, 1024, 10), 0, false},
                                  {fixture_kernel("y", 8, 1024, 20), 0, false}};
    add_service(&f, "urgent", urgent, 3);
    struct gsim_task *o = add_service(&f, "other", other, 4);
    o->priority = 5;
    o->start_us = 1;
    profile(&f);
    f.opts[0] = "small_gap_us=3"; /* gaps that a step of the clock may shorten are still filled */
    f.opts[1] = "sched_us=0";
    f.profiles.tasks[0].entries[0].gap_us = f.profiles.tasks[0].entries[1].gap_us = 33;
    check_same(&f, "fikit");
    f.opts[0] = "small_gap_us=100"; /* no gap is filled: the other one runs behind the urgent task */
    check_same(&f, "fikit");
    task_fixture_release(&f);
}

/* Highest priority first, level 1: nothing of the other task while the urgent one has something. */
static void xsched(void)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step urgent[2] = {{fixture_kernel("u", 8, 1024, 20), 50, true},
                                   {fixture_kernel("u", 8, 1024, 20), 0, true}};
    const struct step other[1] = {{fixture_kernel("x", 8, 1024, 30), 0, true}};
    struct gsim_task *u = add_service(&f, "urgent", urgent, 2);
    u->start_us = 10;
    add_service(&f, "other", other, 1)->priority = 5;
    f.opts[0] = "level=1";
    f.opts[1] = "hop_us=0";
    struct world w;
    run(&w, &f, "xsched");
    CHECK_NEAR(w.tasks[1].starts_us[0], 0, 2 * STEP_US);
    CHECK_NEAR(w.tasks[0].starts_us[0], 10, 2 * STEP_US); /* the other one's launch runs on beside it */
    f.tasks[0].start_us = 0;
    f.tasks[1].start_us = 5;
    run(&w, &f, "xsched");
    CHECK_NEAR(w.tasks[1].starts_us[0], 20,
               8 * STEP_US); /* held until the urgent kernel has ended and none is behind it */
    CHECK_NEAR(w.tasks[0].starts_us[1], 70, 8 * STEP_US);
    task_fixture_release(&f);
}

/* A kernel of the others that needs more SMs than there are goes when the urgent task has no request. */
static void orion(void)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step urgent = {fixture_kernel("u", 4, 1024, 20), 0, true};
    const struct step small = {fixture_kernel("small", 2, 1024, 10), 0, true},
                      big = {fixture_kernel("big", 16, 1024, 10), 0, true};
    add_service(&f, "urgent", &urgent, 1);
    add_service(&f, "small", &small, 1)->priority = 1;
    add_service(&f, "big", &big, 1)->priority = 2;
    f.tasks[1].start_us = 2;
    f.tasks[2].start_us = 3;
    profile(&f);
    f.opts[0] = "decision_us=0";
    check_same(&f, "orion");
    task_fixture_release(&f);
}

/* The production job ends at 20 us, with no message before 1 ms: what waited goes then. */
static void tgs(void)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step urgent = {fixture_kernel("u", 8, 1024, 20), 0, true},
                      other = {fixture_kernel("x", 8, 1024, 30), 0, true};
    add_service(&f, "production", &urgent, 1);
    add_service(&f, "other", &other, 1)->priority = 5;
    f.opts[0] = "message_us=1000";
    struct world w;
    run(&w, &f, "tgs");
    CHECK_NEAR(w.tasks[1].starts_us[0], 20, 8 * STEP_US);
    task_fixture_release(&f);
}

/* --- what is told, in which order ------------------------------------------------------------------------------- */

static char told[256];

static void tell(const char *what, uint32_t task)
{
    size_t used = strlen(told);
    snprintf(told + used, sizeof told - used, "%s%u ", what, task);
}
static void told_began(struct gsim_share *s, uint32_t task) { (void)s; tell("b", task); }
static void told_ended(struct gsim_share *s, uint32_t task) { (void)s; tell("e", task); }
static void told_kernel(struct gsim_share *s, struct gsim_share_kernel *k) { (void)s; tell("x", k->task); }
static void told_timer(struct gsim_share *s, void *argument) { (void)s; (void)argument; tell("t", 0); }
static void told_ready(struct gsim_share *s, struct gsim_share_kernel *k)
{
    tell(k->is_first ? "F" : "r", k->task);
    if (k->number == 1) gsim_share_timer(s, gsim_share_now(s) + 5, NULL);
    gsim_share_release(s, k, 0);
}
static void kill_ready(struct gsim_share *s, struct gsim_share_kernel *k)
{
    gsim_share_release(s, k, 0);
    gsim_share_kill(s, k);
}

static const struct gsim_sharing_ops listener = {
    GSIM_HEAD(sharing),   .name = "listener",   .request_began = told_began, .request_ended = told_ended,
    .ready = told_ready, .ended = told_kernel, .timer = told_timer};
static const struct gsim_sharing_ops killer = {GSIM_HEAD(sharing), .name = "killer", .ready = kill_ready};

struct quiet {
    struct task_fixture f;
    struct gsim_task_set set;
    struct world w;
    struct gsim_error error;
};

static void quiet_open(struct quiet *q, const struct gsim_sharing_ops *ops)
{
    *q = (struct quiet){.f = {.device = free_device(), .seed = 1}};
    told[0] = '\0';
    add_kernel_task(&q->f, "a", 1, 10);
    point_to_programs(&q->f);
    CHECK_OK(gsim_task_set_init(&q->set, "tasks", q->f.tasks, 1, &q->error), q->error);
    q->w.ledger = gsim_ledger_create(1, true, false, &q->error);
    struct gsim_ledger_policy_setup setup = {
        .ledger = q->w.ledger, .ops = ops, .set = &q->set, .now_us = world_now, .clock = &q->w};
    CHECK_OK(gsim_ledger_policy_open(&setup, &q->w.policy, &q->error), q->error);
}

static void quiet_close(struct quiet *q)
{
    gsim_ledger_policy_close(q->w.policy);
    gsim_ledger_destroy(q->w.ledger);
    gsim_task_set_release(&q->set);
    task_fixture_release(&q->f);
}

/* All that a request does is there at the first look: it is told in its order. A launch behind a copy waits for the
 * GPU's word. */
static void order(void)
{
    struct quiet q;
    quiet_open(&q, &listener);
    struct gsim_ledger_task *t = &q.w.ledger->tasks[0];
    t->stream_count = 1;
    t->began = 1;
    gsim_ledger_slot_at(&t->streams[0], 2)->is_marked = true;
    t->streams[0].issued = 2;
    CHECK(gsim_ledger_policy_look(q.w.policy, &q.error));
    CHECK_STR(told, "b0 F0 ");
    CHECK_INT(t->streams[0].open, 1);
    t->streams[0].done = 1;
    CHECK(gsim_ledger_policy_look(q.w.policy, &q.error));
    CHECK_STR(told, "b0 F0 x0 ");
    t->streams[0].reached = 2;
    CHECK(gsim_ledger_policy_look(q.w.policy, &q.error));
    CHECK_STR(told, "b0 F0 x0 r0 ");
    CHECK_INT(t->streams[0].open, 2);
    q.w.now_us = 6;
    t->streams[0].done = 2;
    t->ended = 1;
    t->began = 2;
    t->streams[0].issued = 3;
    CHECK(gsim_ledger_policy_look(q.w.policy, &q.error));
    CHECK_STR(told, "b0 F0 x0 r0 x0 e0 b0 F0 t0 ");
    quiet_close(&q);
}

static void told_started(struct gsim_share *s, struct gsim_share_kernel *k)
{
    (void)s;
    CHECK_INT(k->state, GSIM_SHARE_RUNNING);
    tell("s", k->task);
}
static const struct gsim_sharing_ops starts = {GSIM_HEAD(sharing), .name = "starts", .ready = told_ready,
                                               .started = told_started, .ended = told_kernel};

/* A kernel that begins and ends between two looks has begun for the policy, too; one that was seen begins once. */
static void short_kernel(void)
{
    struct quiet q;
    quiet_open(&q, &starts);
    struct gsim_ledger_task *t = &q.w.ledger->tasks[0];
    t->stream_count = 1;
    t->began = 1;
    t->streams[0].issued = 2;
    CHECK(gsim_ledger_policy_look(q.w.policy, &q.error));
    CHECK_STR(told, "F0 ");
    t->streams[0].done = 1;
    CHECK(gsim_ledger_policy_look(q.w.policy, &q.error));
    CHECK_STR(told, "F0 s0 x0 r0 ");
    for (int i = 0; i < 2; i++) CHECK(gsim_ledger_policy_look(q.w.policy, &q.error));
    CHECK_STR(told, "F0 s0 x0 r0 s0 ");
    t->streams[0].done = 2;
    CHECK(gsim_ledger_policy_look(q.w.policy, &q.error));
    CHECK_STR(told, "F0 s0 x0 r0 s0 x0 ");
    quiet_close(&q);
}

static void refused(void)
{
    struct quiet q;
    quiet_open(&q, &killer);
    q.w.ledger->tasks[0].stream_count = 1;
    q.w.ledger->tasks[0].streams[0].issued = 1;
    CHECK(!gsim_ledger_policy_look(q.w.policy, &q.error));
    CHECK_HAS(q.error.message, "takes back a kernel");
    quiet_close(&q);
    static const char *const ways[] = {"reef", "tally", "partition", "xsched"}, *const words[] = {
                                                                                    "stops kernels", "stops kernels",
                                                                                    "SMs of its own", "xsched.level=1"};
    for (int i = 0; i < 4; i++) {
        const struct gsim_sharing_ops *ops = gsim_sharing_find(ways[i]);
        char params[256] = {0};
        struct gsim_error error = {0};
        CHECK(ops->params_size <= sizeof params);
        gsim_params_set_defaults(ops->params, params);
        struct gsim_share_settings settings = gsim_share_settings_of(ops, params);
        CHECK_INT(gsim_ledger_policy_check(ops, params, &settings, &error), GSIM_USAGE);
        CHECK_HAS(error.message, words[i]);
    }
}

/* --- one request at a time --------------------------------------------------------------------------------------- */

struct waiter {
    pthread_t thread;
    struct gsim_ledger *ledger;
    uint32_t task;
};

static void *wait_for_gpu(void *argument)
{
    struct waiter *w = argument;
    gsim_ledger_take(w->ledger, w->task);
    return NULL;
}

/* Next is the most urgent that waits, then who arrived first. */
static void exclusive(void)
{
    struct gsim_error error = {0};
    const struct gsim_task tasks[4] = {{.priority = 3}, {.priority = 3}, {.priority = 1}, {.priority = 3}};
    struct gsim_ledger *ledger = gsim_ledger_create(4, false, false, &error);
    struct waiter waiters[4];
    static const uint32_t expected[] = {2, 3, 1};
    gsim_ledger_take(ledger, 0);
    CHECK_INT(ledger->owner, 0);
    for (uint32_t i = 1; i < 4; i++) {
        ledger->tasks[i].arrival_ns = 100 - i;
        waiters[i] = (struct waiter){.ledger = ledger, .task = i};
        CHECK_INT(pthread_create(&waiters[i].thread, NULL, wait_for_gpu, &waiters[i]), 0);
        while (!ledger->tasks[i].is_waiting) sched_yield();
    }
    for (int i = 0; i < 3; i++) {
        gsim_ledger_leave(ledger, tasks);
        CHECK_INT(ledger->owner, expected[i]);
        pthread_join(waiters[expected[i]].thread, NULL);
    }
    gsim_ledger_leave(ledger, tasks);
    CHECK_INT(ledger->owner, -1);
    gsim_ledger_destroy(ledger);
}

static const struct test_case cases[] = {{"FIKIT as simulated", fikit},
                                         {"XSched level 1", xsched},
                                         {"Orion as simulated", orion},
                                         {"tgs", tgs},
                                         {"what is told, in its order", order},
                                         {"a kernel between two looks", short_kernel},
                                         {"what no driver does is refused", refused},
                                         {"one request at a time", exclusive}};
TEST_MAIN("traces/runner/share/policy", cases)
