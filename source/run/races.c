/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See source/run/engine.h: two commands race if they use the same byte, one writes it, and neither follows the other
 * by its stream, an event or a wait of the host. The program's own accesses between two calls are a command, too.
 */
#include <inttypes.h>
#include <string.h>

#include "gpusim/memory.h"
#include "source/run/engine.h"

#define MAX_TOLD     8
#define MAX_BETWEEN 6

static struct {
    struct gsim_run_command **live; /* that something to come may not follow */
    size_t count, room;
    uint64_t told[MAX_TOLD]; /* the two places of each */
} races;

static bool follows(const struct gsim_run_command *later, const struct gsim_run_command *earlier)
{
    return earlier->slot < later->clock_count && later->clock[earlier->slot] >= earlier->position;
}

static const struct gsim_run_span *first_overlap(const struct gsim_run_spans *a, const struct gsim_run_spans *b)
{
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
        if (a->at[i].end <= b->at[k].begin) i++;
        else if (b->at[k].end <= a->at[i].begin) k++;
        else return a->at[i].begin > b->at[k].begin ? &a->at[i] : &b->at[k];
    }
    return NULL;
}

static const char *name_of(const struct gsim_run_command *c)
{
    return c->kind == GSIM_RUN_HOST ? "the host" : c->work.name;
}

static void place(const struct gsim_run_command *c)
{
    const char *slash = c->work.file ? strrchr(c->work.file, '/') : NULL;
    if (c->kind == GSIM_RUN_HOST) gsim_run_say("the host, between the calls of line %d and the next", c->work.line);
    else
        gsim_run_say("%s:%d: %s in stream %" PRIu32,
                     slash          ? slash + 1
                     : c->work.file ? c->work.file
                                    : "?",
                     c->work.line, name_of(c), c->slot - 1);
}

/* What was called between the two, where that is short. */
static void tell_between(const struct gsim_run_command *a, const struct gsim_run_command *b)
{
    size_t count, told = 0;
    struct gsim_run_command *const *all = gsim_run_commands(&count);
    for (size_t i = 0; i < count && all[i]->number < b->number; i++) {
        if (all[i]->number <= a->number || all[i]->kind == GSIM_RUN_HOST) continue;
        if (told++ >= MAX_BETWEEN) continue;
        gsim_run_say(told == 1 ? "    between them: " : "                  ");
        place(all[i]);
        gsim_run_say("\n");
    }
    if (told > MAX_BETWEEN) gsim_run_say("                  and %zu more\n", told - MAX_BETWEEN);
    if (!told) gsim_run_say("    between them: no call that gives the GPU work\n");
}

static void tell(const struct gsim_run_command *a, const struct gsim_run_command *b, uint64_t at, const char *how)
{
    uint64_t key = (uint64_t)(uint32_t)a->work.line << 32 | (uint32_t)b->work.line;
    uint32_t *count = &gsim_run_shared()->races;
    for (uint32_t i = 0; i < *count && i < MAX_TOLD; i++)
        if (races.told[i] == key) return;
    if ((*count)++ >= MAX_TOLD) return;
    races.told[*count - 1] = key;
    const struct gsim_run_allocation *memory = at < GSIM_RUN_ARENA ? gsim_run_allocation_at(at) : NULL;
    gsim_run_say("race: ");
    place(a);
    gsim_run_say("\n      ");
    place(b);
    gsim_run_say("\n    %s, and nothing orders them: ", how);
    if (memory)
        gsim_run_say("byte %" PRIu64 " of the memory of %s:%d\n", at - (uint64_t)(memory->offset), memory->file,
                     memory->line);
    else gsim_run_say("a variable of the device\n");
    tell_between(a, b);
}

void gsim_run_races(struct gsim_run_command *c)
{
    if (!c->reads.count && !c->writes.count) return;
    for (size_t i = 0; i < races.count; i++) {
        const struct gsim_run_command *a = races.live[i], *first = a->number < c->number ? a : c,
                                      *last = first == a ? c : a;
        const struct gsim_run_span *at;
        if (follows(c, a) || follows(a, c)) continue;
        if ((at = first_overlap(&first->writes, &last->writes))) tell(first, last, at->begin, "both write");
        else if ((at = first_overlap(&first->writes, &last->reads)))
            tell(first, last, at->begin, "the second reads what the first writes");
        else if ((at = first_overlap(&first->reads, &last->writes)))
            tell(first, last, at->begin, "the second writes what the first reads");
    }
    if (!GSIM_APPEND(races.live, races.count, races.room, c)) gsim_run_fail("out of memory");
}

void gsim_run_races_prune(const uint32_t *clock, uint32_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < races.count; i++) {
        struct gsim_run_command *c = races.live[i];
        if (c->slot < count && clock[c->slot] >= c->position) {
            gsim_free(c->reads.at);
            gsim_free(c->writes.at);
            c->reads = c->writes = (struct gsim_run_spans){0};
        } else {
            races.live[kept++] = c;
        }
    }
    races.count = kept;
}
