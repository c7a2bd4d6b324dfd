/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Before a run: which ranks do which collectives together, in which order, and how NCCL runs each
 * (sim/collective/state.h). The n-th collective of a communicator on one rank is the n-th on the others.
 */
#include <math.h>
#include <string.h>

#include "sim/collective/state.h"

static bool has_any(const struct gsim_program *p)
{
    for (uint32_t i = 0; i < p->kernel_count; i++)
        if (p->kernels[i].collective) return true;
    return false;
}

/* --- communicators ------------------------------------------------------------------------------------------------ */

static bool is_same_group(const struct gsim_collective *a, const struct gsim_collective *b)
{
    if (a->communicator != b->communicator || a->group_count != b->group_count) return false;
    if (gsim_collective_is_pair(a->kind) != gsim_collective_is_pair(b->kind))
        return false; /* pairs match by direction alone */
    return !a->group_count || memcmp(a->group, b->group, sizeof *a->group * a->group_count) == 0;
}

static uint32_t task_of_rank(const struct gsim_collectives *c, uint32_t rank)
{
    for (uint32_t t = 0; t < c->task_count; t++)
        if (gsim_collectives_rank(c, t) == rank) return t;
    return UINT32_MAX;
}

static enum gsim_status add_communicator(struct gsim_collectives *c, const struct gsim_collective *like,
                                         const char *program, struct gsim_error *error)
{
    struct gsim_arena *arena = &c->machine->arena;
    uint32_t count = like->group_count ? like->group_count : c->task_count, world = c->ranks ? c->ranks->count : 1;
    uint32_t *tasks = GSIM_ARENA_ARRAY(arena, uint32_t, count);
    if (!tasks || gsim_array_grow(&c->communicators, sizeof *c->communicators, c->communicator_count,
                                  &c->communicator_room))
        return gsim_no_memory(error);
    for (uint32_t i = 0; i < count; i++) {
        tasks[i] = like->group_count ? task_of_rank(c, like->group[i]) : i;
        if (tasks[i] == UINT32_MAX && like->group[i] >= world)
            return gsim_error_set(error, GSIM_INPUT,
                                  "%s: a collective is of rank %u, and there %s %u (gpusim --ranks FILE)", program,
                                  like->group[i], world == 1 ? "is" : "are", world);
        bool is_several = c->ranks && (tasks[i] == UINT32_MAX || c->ranks->copies[tasks[i]] > 1);
        if (like->group_count && is_several)
            return gsim_error_set(
                error, GSIM_INPUT,
                "%s: a collective names rank %u, which is simulated with others as one: expected \"fold\": false "
                "in the file of ranks, or no group",
                program, like->group[i]);
    }
    c->communicators[c->communicator_count++] = (struct gsim_communicator){
        .like = like, .tasks = tasks, .task_count = count, .ranks = like->group_count ? like->group_count : world};
    return GSIM_OK;
}

static enum gsim_status find_communicator(struct gsim_collectives *c, const struct gsim_collective *of,
                                          const char *program, uint32_t *index, struct gsim_error *error)
{
    for (*index = 0; *index < c->communicator_count; ++*index)
        if (is_same_group(c->communicators[*index].like, of)) return GSIM_OK;
    return add_communicator(c, of, program, error);
}

static bool takes_part(const struct gsim_communicator *of, uint32_t task)
{
    for (uint32_t i = 0; i < of->task_count; i++)
        if (of->tasks[i] == task) return true;
    return false;
}

/* The ops of one task, which begin at FIRST in the timeline's program. */
static enum gsim_status number_ops(struct gsim_collectives *c, const struct gsim_program *own, uint32_t task,
                                   uint32_t first, struct gsim_error *error)
{
    struct gsim_arena scratch = {0};
    size_t room = 16;
    uint32_t *counts = GSIM_ARENA_ARRAY(&scratch, uint32_t, room);
    enum gsim_status status = counts ? GSIM_OK : gsim_no_memory(error);
    for (uint32_t i = 0; i < own->op_count && !status; i++) {
        const struct gsim_op *op = &own->ops[i];
        const struct gsim_collective *of =
            op->kind == GSIM_OP_KERNEL ? own->kernels[op->kernel_index].collective : NULL;
        uint32_t index = 0;
        if (!of) continue;
        status = find_communicator(c, of, own->name, &index, error);
        if (!status && !takes_part(&c->communicators[index], task))
            status = gsim_error_set(error, GSIM_INPUT,
                                    "%s: ops[%u] is a collective of a group without rank %u, which has it", own->name,
                                    i, gsim_collectives_rank(c, task));
        while (!status && index >= room) {
            uint32_t *more = GSIM_ARENA_ARRAY(&scratch, uint32_t, 2 * room);
            if (!more) status = gsim_no_memory(error);
            else memcpy(more, counts, sizeof *counts * room);
            counts = more;
            room *= 2;
        }
        if (status) break;
        c->communicator_of[first + i] = index;
        c->ordinal_of[first + i] = counts[index]++;
    }
    gsim_arena_release(&scratch);
    return status;
}

/* --- plans --- */

struct gsim_collective_links gsim_collective_links_of(const struct gsim_device_spec *d, const struct gsim_ranks *ranks)
{
    bool has_own = d->peer_gbps > 0;
    double via_host = fmin(fmin(d->d2h_gbps, d->h2d_gbps), d->bidirectional_gbps / 2);
    struct gsim_collective_links links = {.gpu_gbps = has_own ? d->peer_gbps : via_host, .has_nvlink = has_own};
    if (!ranks) return links;
    links.per_node = ranks->per_node;
    links.world = ranks->count;
    links.net_gbps = ranks->net_gbps > 0 ? ranks->net_gbps : via_host;
    links.has_multicast = ranks->has_multicast;
    links.is_custom = ranks->is_custom;
    if (ranks->gpu_gbps > 0) {
        links.gpu_gbps = ranks->gpu_gbps;
        links.has_nvlink = !ranks->is_over_host;
    } else if (has_own && d->compute_capability >= 90 && d->compute_capability < 1000) {
        links.has_multicast = true; /* its links end at a switch */
    }
    return links;
}

static enum gsim_status make_plans(struct gsim_collectives *c, const struct gsim_program *p, struct gsim_error *error)
{
    struct gsim_arena *arena = &c->machine->arena;
    struct gsim_kernel *resolved = GSIM_ARENA_ARRAY(arena, struct gsim_kernel, p->kernel_count);
    c->plans = GSIM_ARENA_ARRAY(arena, struct gsim_collective_plan, p->kernel_count);
    if (!resolved || !c->plans) return gsim_no_memory(error);
    memcpy(resolved, p->kernels, sizeof *resolved * p->kernel_count);
    for (uint32_t i = 0; i < p->kernel_count; i++) {
        const struct gsim_collective *of = p->kernels[i].collective;
        if (!of) continue;
        uint32_t ranks = of->group_count ? of->group_count : c->ranks ? c->ranks->count : 1;
        if (gsim_collective_is_pair(of->kind) && ranks != 2)
            return gsim_error_set(error, GSIM_INPUT, "%s: '%s': expected a group of two ranks", p->name,
                                  p->kernels[i].name);
        if (of->algorithm >= GSIM_ALGORITHM_CUSTOM && of->kind != GSIM_COLLECTIVE_ALL_REDUCE)
            return gsim_error_set(error, GSIM_INPUT, "%s: '%s': engines have all-reduces alone", p->name,
                                  p->kernels[i].name);
        c->plans[i] = gsim_collective_plan(&c->nccl, of, ranks, &c->links);
        if (of->algorithm > GSIM_ALGORITHM_CUSTOM && c->plans[i].nodes > 1)
            return gsim_error_set(error, GSIM_INPUT, "%s: '%s': engines' all-reduces are of one host", p->name,
                                  p->kernels[i].name);
        gsim_collective_shape(&c->nccl, &c->plans[i], &resolved[i]);
    }
    c->machine->kernels = resolved;
    return GSIM_OK;
}

void gsim_collectives_time(const struct gsim_collectives *c, struct gsim_demand *demands)
{
    const struct gsim_program *p = c->machine->timeline->program;
    for (uint32_t i = 0; i < p->kernel_count; i++)
        if (p->kernels[i].collective)
            demands[i].solo_ps = 1e6 * gsim_collective_alone_us(&c->nccl, &c->plans[i], &c->links);
}

enum gsim_status gsim_collectives_open(struct gsim_machine *m, uint32_t device_count, struct gsim_error *error)
{
    const struct gsim_simulation *s = m->simulation;
    const struct gsim_program *all = s->program;
    if (!all || !has_any(all)) return GSIM_OK;
    struct gsim_collectives *c = GSIM_ARENA_NEW(&m->arena, struct gsim_collectives);
    if (!c) return gsim_no_memory(error);
    c->machine = m;
    c->ranks = s->ranks;
    c->task_count = s->tasks ? s->tasks->count : 1;
    if (s->tasks && !s->ranks)
        return gsim_error_set(
            error, GSIM_INPUT,
            "%s: collectives are between ranks, and tasks that share a GPU are none (gpusim --ranks FILE)", all->name);
    c->communicator_of = GSIM_ARENA_ARRAY(&m->arena, uint32_t, all->op_count + 1);
    c->ordinal_of = GSIM_ARENA_ARRAY(&m->arena, uint32_t, all->op_count + 1);
    c->moving = GSIM_ARENA_ARRAY(&m->arena, uint32_t, device_count);
    if (m->arena.failed) return gsim_no_memory(error);
    enum gsim_status status = gsim_nccl_load(&c->nccl, s->device, error);
    c->links = gsim_collective_links_of(s->device, c->ranks);
    for (uint32_t t = 0; t < c->task_count && !status; t++)
        status = number_ops(c, s->tasks ? &s->tasks->programs[t] : all, t, s->tasks ? s->tasks->first_op[t] : 0, error);
    if (!status) status = make_plans(c, all, error);
    m->collectives = c;
    m->explains = gsim_collectives_explain;
    if (!status && !gsim_collectives_attend(c)) status = gsim_no_memory(error);
    return status;
}

void gsim_collectives_close(struct gsim_machine *m)
{
    if (m->collectives) gsim_free(m->collectives->communicators);
}
