/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a policy among tasks can do to kernels (sim/task/share.c), by scripts of orders and the times that follow by
 * hand. Calls take no time. */
#include "tests/sim/task_fixture.h"

enum { MAX_ORDERS = 6, MAX_KERNELS = 4 };
enum what { NOTHING, RELEASE, KILL, PAUSE, GO_ON };

/* At AT_US the kernel NUMBER (in the order in which they came), which is there by then. */
struct order {
    enum what what;
    double at_us;
    uint32_t number;
    double delay_us;
};

struct script {
    const char *name;
    struct step steps[3]; /* of the one task, in one stream */
    struct order orders[MAX_ORDERS];
    double start_us[3], end_us[3];
    double ready_us[3]; /* when the policy hears of them */
    double paused_us;   /* when the last block of a paused one ended; 0: never */
};

/* What the policy of a test has seen. */
static const struct script *script;
static struct gsim_share_kernel *kernels[MAX_KERNELS];
static double ready_us[MAX_KERNELS], paused_us;
static uint32_t behind[MAX_KERNELS], started, ended, firsts;

static void obey(struct gsim_share *share, void *argument)
{
    const struct order *o = argument;
    struct gsim_share_kernel *k = kernels[o->number];
    CHECK_MSG(k != NULL, "%s: kernel %u is not there at %.1f us", script->name, o->number, o->at_us);
    if (!k) return;
    CHECK_NEAR(gsim_share_now(share), o->at_us, 1e-6);
    if (o->what == RELEASE) gsim_share_release(share, k, o->delay_us);
    if (o->what == KILL) gsim_share_kill(share, k);
    if (o->what == PAUSE) gsim_share_pause(share, k);
    if (o->what == GO_ON) gsim_share_go_on(share, k);
}

static enum gsim_status start(struct gsim_share *share, struct gsim_error *error)
{
    (void)error;
    memset(kernels, 0, sizeof kernels);
    paused_us = started = ended = firsts = 0;
    for (const struct order *o = script->orders; o < script->orders + MAX_ORDERS && o->what; o++)
        gsim_share_timer(share, o->at_us, (void *)o);
    return GSIM_OK;
}

static void on_ready(struct gsim_share *share, struct gsim_share_kernel *k)
{
    CHECK(k->number < MAX_KERNELS && k->state == GSIM_SHARE_HELD && k->stream == 0);
    kernels[k->number] = k;
    ready_us[k->number] = gsim_share_now(share);
    CHECK_NEAR(k->ready_us, ready_us[k->number], 1e-6);
    behind[k->number] = gsim_share_behind(share, k);
    firsts += k->is_first;
}

static void on_started(struct gsim_share *share, struct gsim_share_kernel *k)
{
    started++;
    CHECK(k->state == GSIM_SHARE_RUNNING);
    CHECK_NEAR(k->start_us, gsim_share_now(share), 1e-6);
}

static void on_ended(struct gsim_share *share, struct gsim_share_kernel *k)
{
    (void)share;
    ended++;
    kernels[k->number] = NULL;
}

static void on_paused(struct gsim_share *share, struct gsim_share_kernel *k)
{
    (void)k;
    paused_us = gsim_share_now(share);
}

static const struct gsim_sharing_ops scripted = {
    GSIM_HEAD(sharing),    .name = "scripted",  .summary = "",     .source = "",
    .base.mechanism = GSIM_MECHANISM_STREAMS, .start = start,      .ready = on_ready, .started = on_started,
    .ended = on_ended,    .paused = on_paused, .timer = obey,
};

/* Blocks of US, of which the SMs have room for eight; the host waits for it. */
#define BLOCKS(NAME, COUNT, US, WAITS)                                                                                 \
    {                                                                                                                  \
        {.name = (NAME),                                                                                               \
         .grid = {(COUNT), 1, 1},                                                                                      \
         .block = {1024, 1, 1},                                                                                        \
         .regs_per_thread = 32,                                                                                        \
         .thread_cycles = (US)*1000},                                                                                  \
            0, (WAITS)                                                                                                 \
    }
#define X     BLOCKS("x", 8, 10, false)
#define Y     BLOCKS("y", 8, 20, false)
#define Z     BLOCKS("z", 8, 5, true)
#define WAVES BLOCKS("waves", 16, 10, true)

static const struct script scripts[] = {
    {"a release and its delay", {X, Z}, {{RELEASE, 2, 0, 3}, {RELEASE, 20, 1, 0}}, {5, 20}, {15, 25}, {0, 15}, 0},
    {"a second release is nothing",
     {X, Z},
     {{RELEASE, 2, 0, 3}, {RELEASE, 3, 0, 0}, {RELEASE, 15, 1, 0}},
     {5, 15},
     {15, 20},
     {0, 15},
     0},
    {"killed on its way", {Z}, {{RELEASE, 1, 0, 10}, {KILL, 4, 0, 0}, {RELEASE, 30, 0, 0}}, {30}, {35}, {0}, 0},
    {"released anew before the first time is over",
     {Z},
     {{RELEASE, 1, 0, 10}, {KILL, 4, 0, 0}, {RELEASE, 5, 0, 20}},
     {25},
     {30},
     {0},
     0},
    {"killed while it runs: from the beginning",
     {Y, Z},
     {{RELEASE, 1, 0, 0}, {KILL, 15, 0, 0}, {RELEASE, 17, 0, 1}, {RELEASE, 40, 1, 0}},
     {18, 40},
     {38, 45},
     {0, 38},
     0},
    {"a kill of one that is held is nothing", {Z}, {{KILL, 1, 0, 0}, {RELEASE, 2, 0, 0}}, {2}, {7}, {0}, 0},
    {"a killed kernel's timer does not start the next one",
     {X, Z},
     {{RELEASE, 1, 0, 999}, {KILL, 10, 0, 0}, {RELEASE, 20, 0, 0}, {RELEASE, 40, 1, 2000}},
     {20, 2040},
     {30, 2045},
     {0, 30},
     0},
    {"paused between waves", {WAVES}, {{RELEASE, 1, 0, 0}, {PAUSE, 5, 0, 0}, {GO_ON, 13, 0, 0}}, {1}, {23}, {0}, 11},
    {"goes on before its blocks have ended",
     {WAVES},
     {{RELEASE, 1, 0, 0}, {PAUSE, 5, 0, 0}, {GO_ON, 8, 0, 0}},
     {1},
     {21},
     {0},
     0},
    {"pause and go on of one that is held are nothing",
     {Z},
     {{PAUSE, 1, 0, 0}, {GO_ON, 2, 0, 0}, {RELEASE, 3, 0, 0}},
     {3},
     {8},
     {0},
     0},
};

static void orders(void)
{
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        struct task_fixture f = {.device = free_device(), .seed = 1};
        uint32_t count = 0, restarts = 0;
        script = &scripts[i];
        while (count < 3 && script->steps[count].kernel.name) count++;
        add_service(&f, "task", script->steps, count);
        CHECK_OK(try_share(&f, &scripted), f.error);
        for (uint32_t k = 0; k < count; k++) {
            const struct gsim_kernel_record *r = kernel_of(&f, 0, k);
            CHECK_MSG(fabs(gsim_time_us(r->start) - script->start_us[k]) < 1e-3 &&
                          fabs(gsim_time_us(r->end) - script->end_us[k]) < 1e-3,
                      "%s: kernel %u: %.3f to %.3f, expected %.3f to %.3f", script->name, k, gsim_time_us(r->start),
                      gsim_time_us(r->end), script->start_us[k], script->end_us[k]);
            CHECK_MSG(fabs(ready_us[k] - script->ready_us[k]) < 1e-3, "%s: kernel %u ready at %.3f", script->name, k,
                      ready_us[k]);
            CHECK_MSG(behind[k] == count - 1 - k, "%s: %u behind kernel %u", script->name, behind[k], k);
        }
        for (uint32_t o = 0; o < MAX_ORDERS; o++)
            restarts += script->orders[o].what == KILL && script->orders[o].at_us == 15;
        CHECK_MSG(started == count + restarts && ended == count && firsts == 1,
                  "%s: %u started, %u ended, %u are first", script->name, started, ended, firsts);
        CHECK_MSG(fabs(paused_us - script->paused_us) < 1e-3, "%s: paused at %.3f", script->name, paused_us);
        task_fixture_release(&f);
    }
}

/* --- what a policy sees of several tasks -------------------------------------------------------------------------- */

static int priorities[MAX_TASKS];
static uint32_t identities[MAX_TASKS][8], seen[MAX_TASKS], began, over, left;

static enum gsim_status start_seeing(struct gsim_share *share, struct gsim_error *error)
{
    (void)share;
    (void)error;
    memset(seen, 0, sizeof seen);
    began = over = left = firsts = 0;
    return GSIM_OK;
}

/* Urgent ones of task 1 at once, the others 5 us later. */
static void see(struct gsim_share *share, struct gsim_share_kernel *k)
{
    identities[k->task][seen[k->task]++] = k->identity;
    firsts += k->is_first;
    priorities[k->task] = k->priority;
    k->priority = k->task == 1 ? -2 : 0;
    gsim_share_release(share, k, k->task == 1 ? 0 : 5);
}

static void request_began(struct gsim_share *share, uint32_t task)
{
    (void)share;
    (void)task;
    began++;
}

static void request_ended(struct gsim_share *share, uint32_t task)
{
    (void)share;
    (void)task;
    over++;
}

static void task_ended(struct gsim_share *share, uint32_t task)
{
    (void)share;
    CHECK_INT(over, task == 1 ? 1 : 3);
    left++;
}

static const struct gsim_sharing_ops seeing = {
    GSIM_HEAD(sharing),
    .name = "seeing",
    .summary = "",
    .source = "",
    .base.mechanism = GSIM_MECHANISM_STREAMS,
    .start = start_seeing,
    .ready = see,
    .request_began = request_began,
    .request_ended = request_ended,
    .task_ended = task_ended,
};

/* a twice: w (two waves) 5 to 25, then x, the same kernel as x2 but for its name; b's z comes at 6 and goes before a's
 * second wave, at 15. */
static void sees(void)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step a[3] = {WAVES, X, X}, b[1] = {filling("z", 5, 0)};
    add_service(&f, "a", a, 3)->requests = 2;
    add_service(&f, "b", b, 1)->start_us = 6;
    CHECK_OK(try_share(&f, &seeing), f.error);
    CHECK_TASK_KERNEL(&f, 1, 0, 15, 20);
    CHECK_TASK_KERNEL(&f, 0, 0, 5, 30);
    CHECK_TASK_KERNEL(&f, 0, 1, 35, 45);
    CHECK_TASK_KERNEL(&f, 0, 2, 50, 60);
    CHECK_TASK_KERNEL(&f, 0, 3, 65, 85);
    CHECK(identities[0][0] == 0 && identities[0][1] == 1 && identities[0][2] == 1 && identities[0][3] == 0 &&
          identities[1][0] == 0);
    CHECK(priorities[0] == 0 && priorities[1] == 0);
    CHECK(firsts == 3 && began == 3 && over == 3 && left == 2);
    task_fixture_release(&f);
}

static const struct test_case cases[] = {
    {"orders", orders},
    {"what it sees", sees},
};
TEST_MAIN("sim/task/share", cases)
