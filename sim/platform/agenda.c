/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/platform/agenda.h. Sources are few (some per GPU), timers many: two heaps. */
#include "sim/platform/agenda.h"

#include "gpusim/memory.h"

/* --- sources ---------------------------------------------------------------------------------------------- */

static bool comes_first(const struct gsim_agenda_source *a, const struct gsim_agenda_source *b)
{
    return a->class != b->class ? a->class < b->class : a->handle_index < b->handle_index;
}

/* ENTRY, which was at PLACE, moves to where it belongs: nearer to the root, or further from it. */
static void rise(struct gsim_agenda_entry *heap, size_t place, struct gsim_agenda_entry entry)
{
    for (; place && entry.next < heap[(place - 1) / 2].next; place = (place - 1) / 2) {
        heap[place] = heap[(place - 1) / 2];
        heap[place].source->place = place;
    }
    heap[place] = entry;
    entry.source->place = place;
}

static void sink(struct gsim_agenda_entry *heap, size_t count, size_t place, struct gsim_agenda_entry entry)
{
    for (size_t child; (child = 2 * place + 1) < count; place = child) {
        child += child + 1 < count && heap[child + 1].next < heap[child].next;
        if (heap[child].next >= entry.next) break;
        heap[place] = heap[child];
        heap[place].source->place = place;
    }
    heap[place] = entry;
    entry.source->place = place;
}

static bool grow_words(struct gsim_agenda *agenda)
{
    size_t words = (agenda->count + 1) / 64;
    if (gsim_array_grow(&agenda->due, sizeof *agenda->due, words, &agenda->word_capacity)) return false;
    return !gsim_array_grow(&agenda->followers, sizeof *agenda->followers, words, &agenda->follower_capacity);
}

static void number_sources(struct gsim_agenda *agenda)
{
    for (size_t w = 0; w <= agenda->count / 64; w++) agenda->due[w] = agenda->followers[w] = 0;
    for (size_t i = 0; i < agenda->count; i++) {
        struct gsim_agenda_source *source = agenda->ordered[i];
        source->order = i;
        if (agenda->is_handling) agenda->due[i / 64] |= UINT64_C(1) << i % 64;
        if (source->follows) agenda->followers[i / 64] |= UINT64_C(1) << i % 64;
    }
}

static bool list(struct gsim_agenda *agenda, struct gsim_agenda_source *source, size_t place)
{
    size_t i = agenda->count;
    if (gsim_array_grow(&agenda->ordered, sizeof *agenda->ordered, i, &agenda->ordered_capacity) ||
        !grow_words(agenda))
        return false;
    source->next = GSIM_TIME_NEVER;
    source->place = place;
    for (; i && comes_first(source, agenda->ordered[i - 1]); i--) agenda->ordered[i] = agenda->ordered[i - 1];
    agenda->ordered[i] = source;
    agenda->count++;
    number_sources(agenda);
    return true;
}

bool gsim_agenda_add(struct gsim_agenda *agenda, struct gsim_agenda_source *source)
{
    if (gsim_array_grow(&agenda->heap, sizeof *agenda->heap, agenda->heap_count, &agenda->heap_capacity))
        return false;
    if (!list(agenda, source, agenda->heap_count)) return false;
    rise(agenda->heap, agenda->heap_count++, (struct gsim_agenda_entry){GSIM_TIME_NEVER, source});
    return true;
}

bool gsim_agenda_add_follower(struct gsim_agenda *agenda, struct gsim_agenda_source *source)
{
    return list(agenda, source, SIZE_MAX);
}

void gsim_agenda_move(struct gsim_agenda *agenda, struct gsim_agenda_source *source, gsim_time next)
{
    gsim_time before = source->next;
    source->next = next;
    if (agenda->is_handling) agenda->due[source->order / 64] |= UINT64_C(1) << source->order % 64;
    if (next < before)
        rise(agenda->heap, source->place, (struct gsim_agenda_entry){next, source});
    else
        sink(agenda->heap, agenda->heap_count, source->place, (struct gsim_agenda_entry){next, source});
}

gsim_time gsim_agenda_next_besides(const struct gsim_agenda *agenda, const struct gsim_agenda_source *besides)
{
    gsim_time next = GSIM_TIME_NEVER;
    if (agenda->heap[0].source != besides) return agenda->heap[0].next;
    for (size_t child = 1; child <= 2 && child < agenda->heap_count; child++)
        if (agenda->heap[child].next < next) next = agenda->heap[child].next;
    return next;
}

/* The one at PLACE of the heap, and those below it. */
static void mark_due(struct gsim_agenda *agenda, size_t place, gsim_time now)
{
    size_t order = agenda->heap[place].source->order;
    agenda->due[order / 64] |= UINT64_C(1) << order % 64;
    for (size_t child = 2 * place + 1; child <= 2 * place + 2 && child < agenda->heap_count; child++)
        if (agenda->heap[child].next <= now) mark_due(agenda, child, now);
}

/* Those of word W that follow or are marked as due and are so AT its time; more of them may become so meanwhile. */
static void handle_word(const struct gsim_agenda *agenda, size_t w, const gsim_time *at)
{
    uint64_t ahead = ~UINT64_C(0), bits;
    while ((bits = (agenda->due[w] | agenda->followers[w]) & ahead) != 0) {
        struct gsim_agenda_source *source = agenda->ordered[64 * w + (size_t)__builtin_ctzll(bits)];
        ahead &= ~(bits ^ (bits - 1));
        if (source->follows || source->next <= *at) source->handle(source->owner);
    }
}

void gsim_agenda_handle(struct gsim_agenda *agenda)
{
    if (agenda->heap[0].next <= *agenda->now) mark_due(agenda, 0, *agenda->now);
    agenda->is_handling = true;
    for (size_t w = 0; w <= agenda->count / 64; w++) {
        handle_word(agenda, w, agenda->now);
        agenda->due[w] = 0;
    }
    agenda->is_handling = false;
}

void gsim_agenda_follow(struct gsim_agenda *agenda)
{
    static const gsim_time before_all = -1;
    for (size_t w = 0; w <= agenda->count / 64; w++) handle_word(agenda, w, &before_all);
}

/* --- timers ----------------------------------------------------------------------------------------------- */

static bool timer_before(const struct gsim_timer *a, const struct gsim_timer *b)
{
    return a->time != b->time ? a->time < b->time : a->sequence < b->sequence;
}

bool gsim_agenda_at(struct gsim_agenda *agenda, gsim_time time, void (*fire)(void *), void *argument)
{
    if (gsim_array_grow(&agenda->timers, sizeof *agenda->timers, agenda->timer_count, &agenda->timer_capacity))
        return false;
    struct gsim_timer timer = {time, agenda->timer_sequence++, fire, argument};
    size_t i = agenda->timer_count++;
    for (; i && timer_before(&timer, &agenda->timers[(i - 1) / 2]); i = (i - 1) / 2)
        agenda->timers[i] = agenda->timers[(i - 1) / 2];
    agenda->timers[i] = timer;
    if (time < agenda->due_timers.next) gsim_agenda_set(agenda, &agenda->due_timers, time);
    return true;
}

static struct gsim_timer pop_timer(struct gsim_agenda *agenda)
{
    struct gsim_timer first = agenda->timers[0], last = agenda->timers[--agenda->timer_count];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= agenda->timer_count) break;
        if (child + 1 < agenda->timer_count && timer_before(&agenda->timers[child + 1], &agenda->timers[child]))
            child++;
        if (!timer_before(&agenda->timers[child], &last)) break;
        agenda->timers[i] = agenda->timers[child];
        i = child;
    }
    if (agenda->timer_count) agenda->timers[i] = last;
    return first;
}

static void fire_timers(void *owner)
{
    struct gsim_agenda *agenda = owner;
    while (agenda->timer_count && agenda->timers[0].time <= *agenda->now) {
        struct gsim_timer timer = pop_timer(agenda);
        timer.fire(timer.argument);
    }
    gsim_agenda_set(agenda, &agenda->due_timers, agenda->timer_count ? agenda->timers[0].time : GSIM_TIME_NEVER);
}

/* --- life ------------------------------------------------------------------------------------------------- */

bool gsim_agenda_init(struct gsim_agenda *agenda, const gsim_time *now)
{
    *agenda = (struct gsim_agenda){.now = now};
    agenda->due_timers =
        (struct gsim_agenda_source){.class = GSIM_AGENDA_TIMERS, .handle = fire_timers, .owner = agenda};
    return gsim_agenda_add(agenda, &agenda->due_timers);
}

void gsim_agenda_release(struct gsim_agenda *agenda)
{
    gsim_free(agenda->heap);
    gsim_free(agenda->ordered);
    gsim_free(agenda->timers);
    gsim_free(agenda->due);
    gsim_free(agenda->followers);
    *agenda = (struct gsim_agenda){0};
}
