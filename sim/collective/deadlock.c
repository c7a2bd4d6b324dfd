/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a run with collectives hangs: who waits for whom, as a chain that ends where it began, or where nothing waits. */
#include <stdarg.h>
#include <stdio.h>

#include "sim/collective/state.h"

static const char *name_of(const struct gsim_collectives *c, const struct gsim_collective_run *run)
{
    return c->machine->timeline->program->kernels[run->plan - c->plans].name;
}

/* A member whose blocks are not resident; the count of members: all are. */
static uint32_t missing(const struct gsim_collectives *c, const struct gsim_collective_run *run)
{
    uint32_t count = c->communicators[run->communicator].task_count, i = 0;
    while (i < count && run->members[i].is_resident) i++;
    return i;
}

/* Another collective that waits, and has blocks or a place in a queue on TASK: it is in the way there. One that holds
 * SMs first. */
static const struct gsim_collective_run *in_the_way(const struct gsim_collectives *c,
                                                    const struct gsim_collective_run *of, uint32_t task)
{
    for (int needs_blocks = 1; needs_blocks >= 0; needs_blocks--)
        for (const struct gsim_collective_run *run = c->runs; run; run = run->next) {
            const struct gsim_communicator *ranks = &c->communicators[run->communicator];
            if (run == of || run->has_begun) continue;
            for (uint32_t i = 0; i < ranks->task_count; i++)
                if (ranks->tasks[i] == task && (needs_blocks ? run->members[i].is_resident : run->members[i].has_come))
                    return run;
        }
    return NULL;
}

/* Adds to TEXT behind AT and moves AT; what has no room is cut. */
GSIM_PRINTF(4, 5)
static void add(char *text, size_t size, size_t *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (*at < size) *at += (size_t)vsnprintf(text + *at, size - *at, format, arguments);
    va_end(arguments);
}

bool gsim_collectives_explain(const struct gsim_machine *m, char *text, size_t size)
{
    const struct gsim_collectives *c = m->collectives;
    const struct gsim_collective_run *run = c ? c->runs : NULL, *first;
    size_t at = 0;
    while (run && run->has_begun) run = run->next;
    if (!run) return false;
    first = run;
    for (int steps = 0; steps < 6; steps++) {
        const struct gsim_communicator *of = &c->communicators[run->communicator];
        uint32_t i = missing(c, run), here = 0;
        while (here < of->task_count && !run->members[here].is_resident) here++;
        if (i == of->task_count) break;
        uint32_t task = of->tasks[i], rank = gsim_collectives_rank(c, task);
        uint32_t waiting = gsim_collectives_rank(c, of->tasks[here < of->task_count ? here : 0]);
        bool has_come = run->members[i].has_come;
        const struct gsim_collective_run *next = in_the_way(c, run, task);
        if (!steps) add(text, size, &at, "rank %u's %s waits", waiting, name_of(c, run));
        if (!next && has_come) add(text, size, &at, " for rank %u's, which finds no room on its GPU", rank);
        else if (!next) add(text, size, &at, " for rank %u, which never comes to it", rank);
        if (!next) break;
        add(text, size, &at, " for rank %u's, which %s its %s", rank, has_come ? "has no room beside" : "comes behind",
            name_of(c, next));
        add(text, size, &at, next == first ? ", which waits for it: a cycle" : ", which waits");
        if (next == first) break;
        run = next;
    }
    return true;
}
