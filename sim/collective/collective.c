/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collectives over time (sim/collective/collective.h): their kernels meet, move data at the rate of the moment, and are
 * let go together. What a collective takes under which conditions is sim/collective/steps.c's and the algorithms'.
 */
#include <math.h>
#include <string.h>

#include "sim/collective/state.h"
#include "sim/sm/share.h"

/* A change of its time by less than this share is no change. */
#define SAME 0.002
#define UNKNOWN_SHARE 0.5

bool gsim_collective_is(const struct gsim_command *command)
{
    const struct gsim_machine *m = command->device->machine;
    if (!m->collectives || command->kind != GSIM_COMMAND_OP || command->op->kind != GSIM_OP_KERNEL) return false;
    return m->timeline->program->kernels[command->op->kernel_index].collective != NULL;
}

/* --- conditions --- */

static struct gsim_device *device_of(const struct gsim_collective_member *member) { return member->command->device; }

/* What blocks of unknown kernels draw of device memory: it is not known whether they stream, so half of what their
 * threads could ask for. */
static double unknown_gbps(const struct gsim_device_spec *d, const struct gsim_gpu *sm)
{
    double threads = gsim_gpu_load(sm).unknown_warps * (double)d->warp_threads;
    return UNKNOWN_SHARE * threads * d->most_bytes_in_flight_per_thread / d->dram_latency_ns;
}

/* How much longer loads and stores of its blocks take than if it were alone: device memory answers all in turn. */
static double memory_stretch(const struct gsim_collective_run *run, const struct gsim_collective_member *member)
{
    const struct gsim_device *d = device_of(member);
    const struct gsim_partition *part = member->command->part;
    double others = gsim_gpu_demand(part->sm) + unknown_gbps(d->spec, part->sm) + d->copies_gbps - run->load_gbps,
           own = run->load_gbps;
    if (others <= 0) return 1;
    return gsim_share_dram(d->spec, others + own) / gsim_share_dram(d->spec, own);
}

static double time_us(const struct gsim_collectives *c, const struct gsim_collective_run *run)
{
    const struct gsim_communicator *of = &c->communicators[run->communicator];
    struct gsim_collective_conditions now = {c->links.gpu_gbps * c->nccl.link_share, c->links.net_gbps, 1, 1};
    uint32_t most = 1;
    for (uint32_t i = 0; i < of->task_count; i++) {
        const struct gsim_device *d = device_of(&run->members[i]);
        now.memory_stretch = fmax(now.memory_stretch, memory_stretch(run, &run->members[i]));
        if (c->moving[d->index] > most) most = c->moving[d->index];
    }
    now.gpu_gbps /= most;
    now.net_gbps /= most;
    double speed = c->ranks && c->ranks->speed > 0 ? c->ranks->speed : 1;
    return gsim_collective_us(&c->nccl, run->plan, &now) / speed;
}

static void set_load(struct gsim_collectives *c, struct gsim_collective_run *run, double gbps)
{
    const struct gsim_communicator *of = &c->communicators[run->communicator];
    double more = gbps - run->load_gbps;
    run->load_gbps = gbps;
    for (uint32_t i = 0; i < of->task_count; i++)
        if (run->members[i].command) gsim_partitions_add_copy_load(device_of(&run->members[i]), more);
}

/* --- time --- */

static void advance(struct gsim_collectives *c, struct gsim_collective_run *run)
{
    run->left -= run->speed * (double)(c->machine->now - run->since);
    run->since = c->machine->now;
}

static void rate(struct gsim_collectives *c, struct gsim_collective_run *run)
{
    double us = time_us(c, run), before = run->speed > 0 ? 1e-6 / run->speed : 0;
    if (fabs(us - before) <= SAME * before) return;
    run->speed = 1e-6 / us;
    set_load(c, run, gsim_collective_traffic(&c->nccl, run->plan) / us * 1e-3);
}

static gsim_time end_of(const struct gsim_collective_run *run)
{
    return run->left > 0 ? run->since + gsim_whole(fmin(ceil(run->left / run->speed), 0x1p61)) : run->since;
}

static void begin(struct gsim_collectives *c, struct gsim_collective_run *run)
{
    const struct gsim_communicator *of = &c->communicators[run->communicator];
    run->has_begun = true;
    run->begun = run->since = c->machine->now;
    run->left = 1;
    for (uint32_t i = 0; i < of->task_count; i++) c->moving[device_of(&run->members[i])->index]++;
}

/* Its blocks are let go, on all ranks. */
static void finish(struct gsim_collectives *c, struct gsim_collective_run *run)
{
    const struct gsim_communicator *of = &c->communicators[run->communicator];
    set_load(c, run, 0);
    run->is_over = true;
    for (uint32_t i = 0; i < of->task_count; i++) {
        struct gsim_command *command = run->members[i].command;
        c->moving[command->device->index]--;
        command->is_held = false;
        gsim_gpu_release(command->part->sm, c->machine->now, command->run);
        gsim_partition_changed(command->part);
    }
}

static bool is_complete(const struct gsim_collectives *c, const struct gsim_collective_run *run)
{
    return run->resident == c->communicators[run->communicator].task_count;
}

static void handle(void *owner)
{
    struct gsim_collectives *c = owner;
    gsim_time next = GSIM_TIME_NEVER;
    bool moves = false;
    for (struct gsim_collective_run *run = c->runs; run; run = run->next) {
        if (run->has_begun && !run->is_over) {
            advance(c, run);
            if (end_of(run) <= c->machine->now) finish(c, run);
        } else if (!run->has_begun && is_complete(c, run)) {
            begin(c, run);
        }
    }
    /* Only now is it known which of them share links. */
    for (struct gsim_collective_run *run = c->runs; run; run = run->next) {
        if (!run->has_begun || run->is_over) continue;
        rate(c, run);
        gsim_time end = end_of(run);
        moves = true;
        if (end < next) next = end;
    }
    gsim_agenda_follow_if(&c->machine->agenda, &c->source, moves);
    gsim_agenda_set(&c->machine->agenda, &c->source, next);
}

bool gsim_collectives_attend(struct gsim_collectives *c)
{
    c->source = (struct gsim_agenda_source){.class = GSIM_AGENDA_COLLECTIVES, .handle = handle, .owner = c};
    return gsim_agenda_add(&c->machine->agenda, &c->source);
}

/* --- kernels --- */

static struct gsim_collective_run *new_run(struct gsim_collectives *c, uint32_t communicator)
{
    struct gsim_collective_run *run;
    uint32_t count = c->communicators[communicator].task_count;
    struct gsim_arena *arena = &c->machine->arena;
    struct gsim_collective_run **at = &c->free_runs;
    while (*at && (*at)->communicator != communicator) at = &(*at)->next;
    run = *at;
    if (run) {
        struct gsim_collective_member *members = run->members;
        *at = run->next;
        memset(members, 0, sizeof *members * count);
        *run = (struct gsim_collective_run){.members = members};
    } else {
        run = GSIM_ARENA_NEW(arena, struct gsim_collective_run);
        if (run) run->members = GSIM_ARENA_ARRAY(arena, struct gsim_collective_member, count);
        if (!run || !run->members) return NULL;
    }
    run->communicator = communicator;
    return run;
}

static struct gsim_collective_run *find(struct gsim_collectives *c, const struct gsim_command *command)
{
    uint32_t op = gsim_command_op(command);
    struct gsim_collective_run **at = &c->runs;
    for (; *at; at = &(*at)->next)
        if ((*at)->communicator == c->communicator_of[op] && (*at)->ordinal == c->ordinal_of[op] &&
            (*at)->iteration == command->iteration)
            return *at;
    struct gsim_collective_run *run = *at = new_run(c, c->communicator_of[op]);
    if (!run) {
        gsim_machine_fail(c->machine, GSIM_NOMEM, "out of memory");
        return NULL;
    }
    run->ordinal = c->ordinal_of[op];
    run->iteration = command->iteration;
    run->plan = &c->plans[command->op->kernel_index];
    return run;
}

static struct gsim_collective_member *member_of(struct gsim_collectives *c, struct gsim_collective_run *run,
                                                const struct gsim_command *command)
{
    const struct gsim_communicator *of = &c->communicators[run->communicator];
    uint32_t i = 0;
    while (of->tasks[i] != command->client->task) i++;
    return &run->members[i];
}

/* Ranks that meet do the same: NCCL would hang, or worse. A send meets a receive. */
static bool is_met(const struct gsim_collective_plan *a, const struct gsim_collective_plan *b)
{
    if (a->what->bytes != b->what->bytes) return false;
    return a->what->kind == b->what->kind ||
           (gsim_collective_is_pair(a->what->kind) && gsim_collective_is_pair(b->what->kind));
}

void gsim_collective_submit(struct gsim_command *command)
{
    struct gsim_collectives *c = command->device->machine->collectives;
    struct gsim_collective_run *run = find(c, command);
    const struct gsim_collective_plan *plan = &c->plans[command->op->kernel_index];
    if (!run) return;
    if (!is_met(run->plan, plan)) {
        const struct gsim_kernel *kernels = c->machine->timeline->program->kernels;
        gsim_machine_fail(
            c->machine, GSIM_SIM,
            "rank %u's %s meets another rank's %s: expected the same on all ranks of a group, in one order",
            gsim_collectives_rank(c, command->client->task), kernels[command->op->kernel_index].name,
            kernels[run->plan - c->plans].name);
        return;
    }
    struct gsim_collective_member *member = member_of(c, run, command);
    member->command = command;
    member->has_come = true;
    command->is_held = true; /* until it is over */
    gsim_managed_submit(command->device, command);
}

void gsim_collective_resident(struct gsim_command *command)
{
    struct gsim_collectives *c = command->device->machine->collectives;
    struct gsim_collective_run *run = find(c, command);
    if (!run) return;
    member_of(c, run, command)->is_resident = true;
    run->resident++;
    if (is_complete(c, run))
        gsim_agenda_set(&c->machine->agenda, &c->source, c->machine->now); /* the SMs are in the middle of theirs */
}

void gsim_collective_ended(struct gsim_command *command)
{
    struct gsim_collectives *c = command->device->machine->collectives;
    struct gsim_collective_run *run = find(c, command), **at = &c->runs;
    if (!run) return;
    struct gsim_collective_record record = {.op = gsim_command_op(command),
                                            .iteration = command->iteration,
                                            .task = command->client->task,
                                            .stream = command->stream,
                                            .device = command->device->index,
                                            .kind = run->plan->what->kind,
                                            .bytes = run->plan->what->bytes,
                                            .channels = run->plan->channels,
                                            .ranks = run->plan->ranks,
                                            .start = command->start,
                                            .begun = run->begun,
                                            .end = c->machine->now};
    gsim_timeline_add_collective(c->machine->timeline, &record);
    struct gsim_collective_member *member = member_of(c, run, command);
    member->command = NULL;
    if (++run->ended < c->communicators[run->communicator].task_count) return;
    while (*at != run) at = &(*at)->next;
    *at = run->next;
    run->next = c->free_runs;
    c->free_runs = run;
}
