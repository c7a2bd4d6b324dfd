/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sweep/query/match.h. An identity is a text of lines "name=value", in the order of names. */
#include "sweep/query/match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/order.h"

struct base {
    const char *identity;
    double sum, squares, count;
};

struct gsim_base_group {
    const char *identity; /* of its first row: the names that count */
    const char *common;   /* of its lines those that all its rows have */
    struct base *bases;
    size_t count, capacity;
    struct gsim_base_group *next;
};

/* The line of IDENTITY with the name of LINE; NULL: it has none. */
static const char *line_of(const char *identity, const char *line)
{
    size_t length = strcspn(line, "=") + 1;
    for (const char *at = identity; *at; at += strcspn(at, "\n") + 1)
        if (strncmp(at, line, length) == 0) return at;
    return NULL;
}

static bool has_names(const char *identity, const char *wanted)
{
    for (const char *at = wanted; *at; at += strcspn(at, "\n") + 1)
        if (!line_of(identity, at)) return false;
    return true;
}

static char *put_line(char *text, const char *line)
{
    size_t length = strcspn(line, "\n") + 1;
    memcpy(text, line, length);
    return text + length;
}

/* The lines of IDENTITY whose names the group's rows have; what all of these agree in IDENTITY need not have. False
 * when another name is missing. */
static bool restrict_to(const char *identity, const struct gsim_base_group *group, char *text)
{
    for (const char *at = group->identity; *at; at += strcspn(at, "\n") + 1) {
        const char *line = line_of(identity, at);
        if (!line) line = line_of(group->common, at);
        if (!line) return false;
        text = put_line(text, line);
    }
    *text = '\0';
    return true;
}

void gsim_matches_init(struct gsim_matches *matches, struct gsim_arena *arena)
{
    *matches = (struct gsim_matches){.arena = arena};
}

void gsim_matches_release(struct gsim_matches *matches)
{
    gsim_free(matches->rows);
    for (struct gsim_base_group *group = matches->groups; group; group = group->next) gsim_free(group->bases);
    *matches = (struct gsim_matches){0};
}

void gsim_matches_add(struct gsim_matches *matches, struct gsim_match_setting *settings, size_t count, int roles,
                      double value)
{
    /* The identity of a row, in the arena. */
    size_t room = 1, length = 0;
    /* A stable order: of two of one name the first stays first. */
    for (size_t i = 1; i < count; i++) {
        struct gsim_match_setting now = settings[i];
        size_t at = i;
        for (; at && strcmp(settings[at - 1].name, now.name) > 0; at--) settings[at] = settings[at - 1];
        settings[at] = now;
    }
    for (size_t i = 0; i < count; i++) room += strlen(settings[i].name) + strlen(settings[i].value) + 2;
    char *identity = gsim_arena_alloc(matches->arena, room);
    for (size_t i = 0; identity && i < count; i++)
        if (!i || strcmp(settings[i].name, settings[i - 1].name) != 0)
            length +=
                (size_t)snprintf(identity + length, room - length, "%s=%s\n", settings[i].name, settings[i].value);
    if (length > matches->longest) matches->longest = length;
    if (roles & GSIM_MATCH_ROW) {
        (void)GSIM_APPEND(matches->rows, matches->row_count, matches->row_capacity, identity);
    }
    if (roles & GSIM_MATCH_BASE && !isnan(value)) {
        struct gsim_base_group *group = matches->groups;
        while (group && !(has_names(group->identity, identity) && has_names(identity, group->identity)))
            group = group->next;
        if (!group) {
            group = GSIM_ARENA_NEW(matches->arena, struct gsim_base_group);
            *group = (struct gsim_base_group){.identity = identity, .next = matches->groups};
            matches->groups = group;
        }
        (void)GSIM_APPEND(group->bases, group->count, group->capacity,
                          (struct base){identity, value, value * value, 1});
        matches->base_count++;
    }
}

GSIM_ORDER(by_identity, struct base, GSIM_TEXT(identity))

void gsim_matches_prepare(struct gsim_matches *matches)
{
    for (struct gsim_base_group *group = matches->groups; group; group = group->next) {
        size_t kept = 0;
        qsort(group->bases, group->count, sizeof(*group->bases), by_identity);
        for (size_t i = 0; i < group->count; i++) {
            struct base *last = kept ? &group->bases[kept - 1] : NULL;
            if (last && by_identity(last, &group->bases[i]) == 0) {
                last->sum += group->bases[i].sum;
                last->squares += group->bases[i].squares;
                last->count++;
            } else {
                group->bases[kept++] = group->bases[i];
            }
        }
        group->count = kept;
        /* In the arena. */
        char *text = gsim_arena_alloc(matches->arena, strlen(group->identity) + 1), *end = text;
        for (const char *at = group->identity; text && *at; at += strcspn(at, "\n") + 1) {
            size_t length = strcspn(at, "\n"), same = 1;
            for (; same < group->count; same++)
                if (strncmp(line_of(group->bases[same].identity, at), at, length + 1) != 0) break;
            if (same == group->count) end = put_line(end, at);
        }
        if (text) *end = '\0';
        group->common = text;
    }
    matches->scratch = gsim_arena_alloc(matches->arena, 2 * matches->longest + 1);
}

struct gsim_match gsim_matches_find(const struct gsim_matches *matches, size_t index)
{
    for (const struct gsim_base_group *group = matches->groups; group; group = group->next) {
        struct base wanted = {.identity = matches->scratch};
        if (!restrict_to(matches->rows[index], group, matches->scratch)) continue;
        const struct base *found = bsearch(&wanted, group->bases, group->count, sizeof(wanted), by_identity);
        if (!found) continue;
        double n = found->count, mean = found->sum / n;
        double variance = n > 1 ? fmax(0, (found->squares - n * mean * mean) / (n - 1)) / n / (mean * mean) : 0;
        return (struct gsim_match){mean, variance};
    }
    return (struct gsim_match){NAN, NAN};
}
