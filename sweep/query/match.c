/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sweep/query/match.h. An identity is a text of lines "name=value", in the order of names. */
#include "sweep/query/match.h"

#include <math.h>

#include "sim/base/text.h"

#define PIECES_MAX 64

struct base {
    const char *identity;
    double value;
};

struct gsim_base_group {
    const char *identity; /* of its first row: the names that count */
    struct base *bases;
    size_t count, capacity;
    struct gsim_base_group *next;
};

struct pieces {
    const struct gsim_matches *matches;
    struct {
        const char *name;
        char value[160];
    } items[PIECES_MAX];
    size_t count;
};

static void cell_text(const struct gsim_cell *cell, char *text, size_t size)
{
    if (cell->type == GSIM_CELL_TEXT)
        snprintf(text, size, "%s", cell->text);
    else
        snprintf(text, size, "%.15g", cell->type == GSIM_CELL_NULL ? 0.0 : cell->real);
}

static bool is_base_name(const struct gsim_matches *matches, const char *name)
{
    enum gsim_column column = gsim_view_column(matches->base_name);
    return strcmp(name, matches->base_name) == 0 ||
           (column < GSIM_COLUMN_COUNT && strcmp(name, gsim_column_name(column)) == 0);
}

static void add_piece(void *data, const char *name, const struct gsim_cell *value)
{
    struct pieces *pieces = data;
    if (strcmp(name, "sched") == 0) name = "scheduler";
    if (is_base_name(pieces->matches, name) || pieces->count == PIECES_MAX) return;
    for (size_t i = 0; i < pieces->count; i++)
        if (strcmp(pieces->items[i].name, name) == 0) return;
    pieces->items[pieces->count].name = name;
    cell_text(value, pieces->items[pieces->count].value, sizeof(pieces->items[0].value));
    pieces->count++;
}

/* The identity of a row, in the arena. */
static const char *identify(const struct gsim_matches *matches, struct gsim_view *view)
{
    static const enum gsim_column always[] = {GSIM_COLUMN_workload, GSIM_COLUMN_scheduler, GSIM_COLUMN_device,
                                              GSIM_COLUMN_repeat};
    struct pieces pieces = {.matches = matches};
    char text[4096];
    size_t length = 0, done = 0;
    const char *last = "";
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
        add_piece(&pieces, gsim_column_name(always[i]), &view->row->cells[always[i]]);
    gsim_view_axes(view, add_piece, &pieces);
    for (; done < pieces.count && length < sizeof(text); done++) {
        size_t best = pieces.count;
        for (size_t i = 0; i < pieces.count; i++)
            if (strcmp(pieces.items[i].name, last) > 0 &&
                (best == pieces.count || strcmp(pieces.items[i].name, pieces.items[best].name) < 0))
                best = i;
        last = pieces.items[best].name;
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s=%s\n", last, pieces.items[best].value);
    }
    return gsim_arena_strdup(matches->arena, text);
}

/* Whether NAMES, an identity, has the name that starts at LINE. */
static bool has_name(const char *names, const char *line)
{
    size_t length = strcspn(line, "=") + 1;
    for (const char *at = names; *at; at += strcspn(at, "\n") + 1)
        if (strncmp(at, line, length) == 0) return true;
    return false;
}

/* The lines of IDENTITY whose names are in NAMES. False when a name of NAMES is missing. */
static bool restrict_to(const char *identity, const char *names, char *text, size_t size)
{
    size_t length = 0;
    for (const char *at = names; *at; at += strcspn(at, "\n") + 1)
        if (!has_name(identity, at)) return false;
    text[0] = '\0';
    for (const char *at = identity; *at && length < size; at += strcspn(at, "\n") + 1)
        if (has_name(names, at))
            length += (size_t)snprintf(text + length, size - length, "%.*s\n", (int)strcspn(at, "\n"), at);
    return true;
}

void gsim_matches_init(struct gsim_matches *matches, const char *base_name, const char *base_value,
                       struct gsim_arena *arena)
{
    *matches = (struct gsim_matches){.base_name = base_name, .base_value = base_value, .arena = arena};
}

void gsim_matches_release(struct gsim_matches *matches)
{
    gsim_free(matches->rows);
    for (struct gsim_base_group *group = matches->groups; group; group = group->next) gsim_free(group->bases);
    *matches = (struct gsim_matches){0};
}

bool gsim_matches_is_base(const struct gsim_matches *matches, struct gsim_view *view)
{
    struct gsim_cell cell = gsim_view_value(view, matches->base_name);
    double wanted;
    if (cell.type == GSIM_CELL_NULL) return false;
    if (cell.type == GSIM_CELL_TEXT) return strcmp(cell.text, matches->base_value) == 0;
    return gsim_text_quantity(matches->base_value, &wanted) && cell.real == wanted;
}

static bool same_names(const char *left, const char *right)
{
    for (const char *at = left; *at; at += strcspn(at, "\n") + 1)
        if (!has_name(right, at)) return false;
    for (const char *at = right; *at; at += strcspn(at, "\n") + 1)
        if (!has_name(left, at)) return false;
    return true;
}

static enum gsim_status add_base(struct gsim_matches *matches, const char *identity, double value,
                                 struct gsim_error *error)
{
    struct gsim_base_group *group = matches->groups;
    while (group && !same_names(group->identity, identity)) group = group->next;
    if (!group) {
        group = GSIM_ARENA_NEW(matches->arena, struct gsim_base_group);
        if (!group) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
        *group = (struct gsim_base_group){.identity = identity, .next = matches->groups};
        matches->groups = group;
    }
    void *array = group->bases;
    if (gsim_array_grow(&array, sizeof(*group->bases), group->count, &group->capacity))
        return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    group->bases = array;
    group->bases[group->count++] = (struct base){identity, value};
    matches->base_count++;
    return GSIM_OK;
}

enum gsim_status gsim_matches_add_base(struct gsim_matches *matches, struct gsim_view *view, double value,
                                       struct gsim_error *error)
{
    const char *identity = identify(matches, view);
    return identity ? add_base(matches, identity, value, error) : gsim_error_set(error, GSIM_NOMEM, "out of memory");
}

enum gsim_status gsim_matches_add(struct gsim_matches *matches, struct gsim_view *view, double value,
                                  struct gsim_error *error)
{
    const char *identity = identify(matches, view);
    void *array = matches->rows;
    if (!identity || gsim_array_grow(&array, sizeof(*matches->rows), matches->row_count, &matches->row_capacity))
        return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    matches->rows = array;
    matches->rows[matches->row_count++] = identity;
    return gsim_matches_is_base(matches, view) && !isnan(value) ? add_base(matches, identity, value, error) : GSIM_OK;
}

static int by_identity(const void *left, const void *right)
{
    return strcmp(((const struct base *)left)->identity, ((const struct base *)right)->identity);
}

void gsim_matches_prepare(struct gsim_matches *matches)
{
    for (struct gsim_base_group *group = matches->groups; group; group = group->next)
        qsort(group->bases, group->count, sizeof(*group->bases), by_identity);
}

double gsim_matches_find(const struct gsim_matches *matches, size_t index)
{
    char text[4096];
    for (const struct gsim_base_group *group = matches->groups; group; group = group->next) {
        struct base wanted = {.identity = text};
        if (!restrict_to(matches->rows[index], group->identity, text, sizeof(text))) continue;
        const struct base *found = bsearch(&wanted, group->bases, group->count, sizeof(wanted), by_identity);
        if (found) return found->value;
    }
    return NAN;
}
