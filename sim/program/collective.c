/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (data). Collectives among a program's kernels: their words, their names, their place
 * (sim/program/collective.h). */
#include "sim/program/collective.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_OF(id, name) name,
const char *const gsim_collective_names[GSIM_COLLECTIVE_COUNT + 1] = {GSIM_COLLECTIVE_KINDS(NAME_OF) NULL};
const char *const gsim_algorithm_names[] = {"auto", "ring", "tree", "nvls", "copy_engine", "custom", "one_shot",
                                          "two_shot", NULL};
const char *const gsim_protocol_names[] = {"auto", "ll", "ll128", "simple", NULL};

/* Of a group too long to be named: FNV-1a. */
static uint32_t hash_group(const struct gsim_collective *c)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < c->group_count; i++) hash = (hash ^ c->group[i]) * 16777619u;
    return hash;
}

struct gsim_kernel gsim_collective_kernel(const struct gsim_collective *c, char name[GSIM_COLLECTIVE_NAME])
{
    int length = snprintf(name, GSIM_COLLECTIVE_NAME, "%s %" PRIu64, gsim_collective_names[c->kind], c->bytes);
    const size_t room = GSIM_COLLECTIVE_NAME;
    if (c->group_count && c->group_count <= 8) {
        for (uint32_t i = 0; i < c->group_count; i++)
            length += snprintf(name + length, room - (size_t)length, i ? ",%u" : " of %u", c->group[i]);
    } else if (c->group_count) {
        length += snprintf(name + length, room - (size_t)length, " of %u ranks %08x", c->group_count, hash_group(c));
    }
    if (c->channels) length += snprintf(name + length, room - (size_t)length, " x%u", c->channels);
    if (c->algorithm)
        length += snprintf(name + length, room - (size_t)length, " %s", gsim_algorithm_names[c->algorithm]);
    if (c->protocol) length += snprintf(name + length, room - (size_t)length, " %s", gsim_protocol_names[c->protocol]);
    if (c->communicator) snprintf(name + length, room - (size_t)length, " #%u", c->communicator);
    return (struct gsim_kernel){.name = name,
                                .grid = {1, 1, 1},
                                .block = {32, 1, 1},
                                .demand_given = true,
                                .collective = c,
                                .prologue = GSIM_COLLECTIVE_MARK,
                                .trigger = GSIM_COLLECTIVE_MARK};
}

const struct gsim_collective *gsim_collective_copy(const struct gsim_collective *c, struct gsim_arena *arena)
{
    struct gsim_collective *copy = GSIM_ARENA_NEW(arena, struct gsim_collective);
    uint32_t *group = GSIM_ARENA_ARRAY(arena, uint32_t, c->group_count + 1);
    if (!copy || !group) return NULL;
    if (c->group_count) memcpy(group, c->group, sizeof *group * c->group_count);
    *copy = *c;
    copy->group = group;
    return copy;
}
