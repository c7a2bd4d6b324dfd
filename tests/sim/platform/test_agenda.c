/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The agenda alone: order at one time, sources that follow, timers, and the heap against a search on random times. */
#include "sim/platform/agenda.h"
#include "gpusim/memory.h"
#include "tests/test.h"

enum { SOURCE_COUNT = 24, TIMER_COUNT = 200 };

struct scene {
    struct gsim_agenda agenda;
    gsim_time now;
    char order[64];
    gsim_time fired[TIMER_COUNT];
    uint32_t fired_count;
};

struct part {
    struct gsim_agenda_source source;
    struct scene *scene;
    char letter;
    struct part *other; /* comes to be due when this one is handled */
};

static void handle(void *owner)
{
    struct part *part = owner;
    struct scene *s = part->scene;
    size_t length = strlen(s->order);
    s->order[length] = part->letter;
    s->order[length + 1] = '\0';
    if (!part->source.follows) gsim_agenda_set(&s->agenda, &part->source, GSIM_TIME_NEVER);
    if (part->other) gsim_agenda_set(&s->agenda, &part->other->source, s->now);
    part->other = NULL;
}

static struct part part(struct scene *s, char letter, enum gsim_agenda_class class, uint32_t index)
{
    return (struct part){
        .source = {.class = class, .handle_index = index, .handle = handle}, .scene = s, .letter = letter};
}

static void add(struct part *p, gsim_time next)
{
    p->source.owner = p;
    CHECK(gsim_agenda_add(&p->scene->agenda, &p->source));
    CHECK_INT(p->source.next, GSIM_TIME_NEVER);
    gsim_agenda_set(&p->scene->agenda, &p->source, next);
}

/* Added in another order than handled: classes first, then handles; C is due later, L follows and is not due at all. */
static void order_at_one_time(void)
{
    struct scene s = {0};
    CHECK(gsim_agenda_init(&s.agenda, &s.now));
    CHECK_INT(gsim_agenda_next(&s.agenda), GSIM_TIME_NEVER);
    struct part l = part(&s, 'L', GSIM_AGENDA_L2, 0), f1 = part(&s, 'f', GSIM_AGENDA_FRONT, 1),
                f0 = part(&s, 'F', GSIM_AGENDA_FRONT, 0), b = part(&s, 'B', GSIM_AGENDA_BLOCKS, 1),
                c = part(&s, 'C', GSIM_AGENDA_BLOCKS, 0);
    l.source.follows = true;
    l.source.owner = &l;
    CHECK(gsim_agenda_add_follower(&s.agenda, &l.source));
    add(&f1, 10);
    add(&f0, 10);
    add(&b, 10);
    add(&c, 20);
    CHECK_INT(gsim_agenda_next(&s.agenda), 10);
    s.now = 10;
    gsim_agenda_handle(&s.agenda);
    CHECK_STR(s.order, "BFfL");
    CHECK_INT(gsim_agenda_next(&s.agenda), 20);
    CHECK_INT(gsim_agenda_next_besides(&s.agenda, &c.source), GSIM_TIME_NEVER);
    CHECK_INT(gsim_agenda_next_besides(&s.agenda, &b.source), 20);
    gsim_agenda_follow(&s.agenda); /* after a transfer: nothing of the others though C is due */
    s.now = 20;
    gsim_agenda_follow(&s.agenda);
    CHECK_STR(s.order, "BFfLLL");
    gsim_agenda_release(&s.agenda);
}

/* The front end makes what comes behind it due in the same pass, and blocks, which come before it, in the next. */
static void due_while_handling(void)
{
    struct scene s = {0};
    CHECK(gsim_agenda_init(&s.agenda, &s.now));
    struct part b = part(&s, 'B', GSIM_AGENDA_BLOCKS, 0), f = part(&s, 'F', GSIM_AGENDA_FRONT, 0),
                p = part(&s, 'P', GSIM_AGENDA_FAULTS, 0);
    add(&b, GSIM_TIME_NEVER);
    add(&f, 5);
    add(&p, GSIM_TIME_NEVER);
    s.now = 5;
    f.other = &p;
    gsim_agenda_handle(&s.agenda);
    CHECK_STR(s.order, "FP");
    gsim_agenda_set(&s.agenda, &f.source, 5);
    f.other = &b;
    gsim_agenda_handle(&s.agenda);
    CHECK_STR(s.order, "FPF");
    CHECK_INT(gsim_agenda_next(&s.agenda), 5);
    gsim_agenda_handle(&s.agenda);
    CHECK_STR(s.order, "FPFB");
    gsim_agenda_release(&s.agenda);
}

static uint32_t next_number(uint32_t *state) { return *state = *state * 1664525u + 1013904223u, *state >> 8; }

static void heap_against_search(void)
{
    struct scene s = {0};
    struct part parts[SOURCE_COUNT];
    uint32_t state = 7;
    CHECK(gsim_agenda_init(&s.agenda, &s.now));
    for (uint32_t i = 0; i < SOURCE_COUNT; i++) {
        parts[i] = part(&s, 'x', GSIM_AGENDA_BLOCKS, i);
        add(&parts[i], GSIM_TIME_NEVER);
    }
    for (int round = 0; round < 5000; round++) {
        uint32_t which = next_number(&state) % SOURCE_COUNT, besides = next_number(&state) % SOURCE_COUNT,
                 time = next_number(&state) % 50;
        gsim_time least = GSIM_TIME_NEVER, others = GSIM_TIME_NEVER;
        gsim_agenda_set(&s.agenda, &parts[which].source, time ? time : GSIM_TIME_NEVER);
        for (uint32_t i = 0; i < SOURCE_COUNT; i++) {
            gsim_time next = parts[i].source.next;
            if (next < least) least = next;
            if (i != besides && next < others) others = next;
        }
        CHECK_INT(gsim_agenda_next(&s.agenda), least);
        CHECK_INT(gsim_agenda_next_besides(&s.agenda, &parts[besides].source), others);
    }
    gsim_agenda_release(&s.agenda);
}

static struct scene *timed;

static void fire(void *argument)
{
    uint32_t index = (uint32_t)(uintptr_t)argument;
    timed->fired[timed->fired_count++] = index;
    if (index == 0)
        CHECK(gsim_agenda_at(&timed->agenda, timed->now, fire,
                             (void *)(uintptr_t)(TIMER_COUNT - 1))); /* still in this pass */
}

/* 199 timers at 40 times: by time, then as they came; the first one adds one more at its own time. */
static void timers_in_order(void)
{
    struct scene s = {0};
    uint32_t state = 3;
    gsim_time at[TIMER_COUNT] = {0};
    timed = &s;
    CHECK(gsim_agenda_init(&s.agenda, &s.now));
    for (uint32_t i = 0; i + 1 < TIMER_COUNT; i++) {
        at[i] = 1 + next_number(&state) % 40;
        CHECK(gsim_agenda_at(&s.agenda, at[i], fire, (void *)(uintptr_t)i));
    }
    at[TIMER_COUNT - 1] = at[0];
    while (gsim_agenda_next(&s.agenda) < GSIM_TIME_NEVER) {
        s.now = gsim_agenda_next(&s.agenda);
        uint32_t before = s.fired_count;
        gsim_agenda_handle(&s.agenda);
        for (uint32_t i = before; i < s.fired_count; i++) {
            CHECK_INT(at[s.fired[i]], s.now);
            if (i > before) CHECK(s.fired[i - 1] < s.fired[i]);
        }
    }
    CHECK_INT(s.fired_count, TIMER_COUNT);
    gsim_agenda_release(&s.agenda);
}

static void memory_runs_out(void)
{
    struct scene s = {0};
    gsim_alloc_fail_nth(1);
    CHECK(!gsim_agenda_init(&s.agenda, &s.now));
    gsim_alloc_fail_nth(0);
    gsim_agenda_release(&s.agenda);
    CHECK(gsim_agenda_init(&s.agenda, &s.now));
    gsim_alloc_fail_nth(1);
    CHECK(!gsim_agenda_at(&s.agenda, 1, fire, NULL));
    gsim_alloc_fail_nth(0);
    CHECK_INT(gsim_agenda_next(&s.agenda), GSIM_TIME_NEVER);
    gsim_agenda_release(&s.agenda);
}

/* Many sources, of which a handler makes two more due: one ahead of it, and one behind it, which has to wait. */
static void many_sources(void)
{
    enum { MANY = 150 };
    struct scene s = {0};
    struct part parts[MANY];
    CHECK(gsim_agenda_init(&s.agenda, &s.now));
    for (int i = 0; i < MANY; i++) parts[i] = part(&s, (char)('A' + i % 26), GSIM_AGENDA_FRONT, (uint32_t)i);
    for (int i = MANY - 1; i >= 0; i--) add(&parts[i], i == 3 || i == 70 || i == 149 ? 10 : 20);
    s.now = 10;
    parts[70].other = &parts[130];
    parts[149].other = &parts[2];
    gsim_agenda_handle(&s.agenda);
    const char first[] = {'A' + 3, 'A' + 70 % 26, 'A' + 130 % 26, 'A' + 149 % 26, '\0'};
    CHECK_STR(s.order, first);
    CHECK_INT(gsim_agenda_next(&s.agenda), 10);
    gsim_agenda_handle(&s.agenda);
    CHECK_INT(s.order[4], 'A' + 2);
    CHECK_INT(gsim_agenda_next(&s.agenda), 20);
    gsim_agenda_release(&s.agenda);
}

static const struct test_case cases[] = {
    {"order at one time", order_at_one_time},
    {"due while others are handled", due_while_handling},
    {"many sources", many_sources},
    {"the heap against a search", heap_against_search},
    {"timers in order", timers_in_order},
    {"memory runs out", memory_runs_out},
};
TEST_MAIN("sim/agenda", cases)
