/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a run with collectives hangs: who waits for whom, as a chain that ends where it began, or where nothing waits. */
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

static int put(char *text, size_t size, int at, const char *format, uint32_t rank, const char *name)
{
    if (at < 0 || (size_t)at >= size) return at;
    return at + snprintf(text + at, size - (size_t)at, format, rank, name);
}

bool gsim_collectives_explain(const struct gsim_machine *m, char *text, size_t size)
{
    const struct gsim_collectives *c = m->collectives;
    const struct gsim_collective_run *run = c ? c->runs : NULL, *first;
    int at = 0, steps = 0;
    while (run && run->has_begun) run = run->next;
    if (!run) return false;
    for (first = run; steps < 6; steps++) {
        const struct gsim_communicator *of = &c->communicators[run->communicator];
        uint32_t i = missing(c, run), here = 0;
        while (here < of->task_count && !run->members[here].is_resident) here++;
        if (i == of->task_count) break;
        uint32_t task = of->tasks[i], rank = gsim_collectives_rank(c, task);
        if (!steps)
            at = put(text, size, at, "rank %u's %s waits",
                     gsim_collectives_rank(c, of->tasks[here < of->task_count ? here : 0]), name_of(c, run));
        const struct gsim_collective_run *next = in_the_way(c, run, task);
        at = put(text, size, at,
                 next                       ? " for rank %u's%.0s"
                 : run->members[i].has_come ? " for rank %u's, which finds no room on its GPU%.0s"
                                            : " for rank %u, which never comes to it%.0s",
                 rank, "");
        if (!next) break;
        at = put(text, size, at,
                 run->members[i].has_come ? ", which has no room beside its %.0u%s" : ", which comes behind its %.0u%s",
                 0, name_of(c, next));
        if (next == first) {
            put(text, size, at, ", which waits for it: a cycle%.0u%.0s", 0, "");
            break;
        }
        at = put(text, size, at, ", which waits%.0u%.0s", 0, "");
        run = next;
    }
    return true;
}
