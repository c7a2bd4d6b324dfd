/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/import/pytorch/operators.h. */
#include "sim/base/first.h"
#include "traces/import/pytorch/operators.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/order.h"
#include "sim/base/slots.h"
#include "sim/base/gz.h"

#define MAX_BYTES     (size_t)268435456 /* of text: a larger one takes more memory than its names are worth */
#define MAX_EXTERNAL 9007199254740992.0 /* 2^53: above, doubles tell neighbours apart no more */

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static double number(const cJSON *item)
{
    return cJSON_IsNumber(item) ? item->valuedouble : cJSON_IsString(item) ? strtod(item->valuestring, NULL) : 0;
}

static uint64_t thread_of(const cJSON *event)
{
    const cJSON *tid = member(event, "tid");
    if (!cJSON_IsString(tid)) return (uint64_t)gsim_whole(number(tid));
    return gsim_hash_bytes(GSIM_HASH_START, tid->valuestring, strlen(tid->valuestring));
}

static bool is_operator(const cJSON *event)
{
    const cJSON *category = member(event, "cat"), *name = member(event, "name");
    return cJSON_IsString(category) && cJSON_IsString(name) &&
           (strcmp(category->valuestring, "cpu_op") == 0 || strcmp(category->valuestring, "operator") == 0);
}

/* The outer one is numbered first. */
GSIM_ORDER(compare_starts, struct gsim_traced_operator,
           GSIM_UP(thread) GSIM_UP(start_us) GSIM_DOWN(end_us) GSIM_UP(external))

struct numbered {
    uint64_t external;
    uint32_t at;
};

GSIM_ORDER(compare_numbers, struct numbered, GSIM_UP(external) GSIM_UP(at))

/* Parents by a stack of those that have begun and not ended. */
static void nest(struct gsim_traced_operators *o)
{
    uint32_t open = GSIM_NO_OPERATOR;
    for (uint32_t i = 0; i < o->count; i++) {
        struct gsim_traced_operator *item = &o->items[i];
        while (open != GSIM_NO_OPERATOR &&
               (o->items[open].thread != item->thread || o->items[open].end_us < item->end_us))
            open = o->items[open].parent;
        item->parent = open;
        for (uint32_t p = open; p != GSIM_NO_OPERATOR; p = o->items[p].parent) o->items[p].inner = i - p;
        open = i;
    }
}

static bool number_all(struct gsim_traced_operators *o)
{
    struct numbered *list = GSIM_ARENA_ARRAY(&o->arena, struct numbered, (size_t)o->count + 1);
    o->by_external = GSIM_ARENA_ARRAY(&o->arena, uint32_t, (size_t)o->count + 1);
    if (o->arena.failed) return false;
    for (uint32_t i = 0; i < o->count; i++) list[i] = (struct numbered){o->items[i].external, i};
    if (o->count) qsort(list, o->count, sizeof *list, compare_numbers);
    for (uint32_t i = 0; i < o->count; i++) o->by_external[i] = list[i].at;
    return true;
}

static enum gsim_status read_operators(struct gsim_traced_operators *o, const cJSON *events, struct gsim_error *error)
{
    const cJSON *event;
    size_t room = 1;
    cJSON_ArrayForEach(event, events) room += is_operator(event);
    o->items = room < UINT32_MAX ? GSIM_ARENA_ARRAY(&o->arena, struct gsim_traced_operator, room) : NULL;
    if (!o->items) return gsim_no_memory(error);
    cJSON_ArrayForEach(event, events)
    {
        const cJSON *external = member(member(event, "args"), "External id");
        double start_us = number(member(event, "ts")), id = number(external);
        if (!is_operator(event) || !(id >= 0) || id >= MAX_EXTERNAL) continue;
        char *name = gsim_arena_strdup(&o->arena, member(event, "name")->valuestring);
        if (!name) return gsim_no_memory(error);
        o->items[o->count++] = (struct gsim_traced_operator){.name = name,
                                                             .start_us = start_us,
                                                             .end_us = start_us + number(member(event, "dur")),
                                                             .thread = thread_of(event),
                                                             .external = gsim_whole_u64(id)};
    }
    if (o->count) qsort(o->items, o->count, sizeof *o->items, compare_starts);
    nest(o);
    return number_all(o) ? GSIM_OK : gsim_no_memory(error);
}

enum gsim_status gsim_traced_operators_read(const char *path, struct gsim_traced_operators *o, struct gsim_error *error)
{
    size_t length = 0;
    *o = (struct gsim_traced_operators){0};
    char *text = gsim_file_read(path, &length, error);
    if (!text) return gsim_error_prefix(error, "cannot read '%s'", path);
    cJSON *root = length <= MAX_BYTES ? cJSON_ParseWithLength(text, length) : NULL;
    enum gsim_status status = root ? read_operators(o, cJSON_IsArray(root) ? root : member(root, "traceEvents"), error)
                                   : gsim_error_set(error, GSIM_INPUT, "cannot read '%s': %s", path,
                                                    length <= MAX_BYTES ? "no JSON" : "too large");
    cJSON_Delete(root);
    gsim_free(text);
    return status;
}

uint32_t gsim_traced_operators_find(const struct gsim_traced_operators *o, uint64_t external)
{
    GSIM_FIRST (low, o->count, middle, o->items[o->by_external[middle]].external < external)
    return external && low < o->count && o->items[o->by_external[low]].external == external ? o->by_external[low]
                                                                                            : GSIM_NO_OPERATOR;
}

uint32_t gsim_traced_operators_root(const struct gsim_traced_operators *o, uint32_t at)
{
    uint32_t root = GSIM_NO_OPERATOR;
    for (; at != GSIM_NO_OPERATOR; at = o->items[at].parent)
        if (strstr(o->items[at].name, "::") && strncmp(o->items[at].name, "autograd::", 10) != 0) root = at;
    return root;
}

void gsim_traced_operators_release(struct gsim_traced_operators *o)
{
    gsim_arena_release(&o->arena);
    *o = (struct gsim_traced_operators){0};
}
