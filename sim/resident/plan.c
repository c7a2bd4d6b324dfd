/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runtime state of a plan (sim/resident/resident.h): workers, tasks, order and costs, made at its first launch. */
#include "sim/resident/resident.h"

static const struct gsim_resident_policy *const policies[] = {
    [GSIM_PERSISTENT_STATIC] = &gsim_resident_static, [GSIM_PERSISTENT_BARRIER] = &gsim_resident_barrier,
    [GSIM_PERSISTENT_QUEUE] = &gsim_resident_queue,   [GSIM_PERSISTENT_CLAIM] = &gsim_resident_claim,
    [GSIM_PERSISTENT_SCHED_WARPS] = &gsim_resident_warps, [GSIM_PERSISTENT_COPILOT] = &gsim_resident_copilot};

/* --- workers --- */

/* How many blocks of a kernel with the most registers, shared memory and warps of all fit on an SM. */
static uint32_t room_on_sm(const struct gsim_front *f, const struct gsim_persistent *plan)
{
    const struct gsim_sm_limits l = gsim_sm_limits(f->device->spec);
    uint32_t warps = 1, registers = 1, smem = 1;
    for (uint32_t i = 0; i < plan->op_count; i++) {
        const struct gsim_demand *w = gsim_device_work(f->device, plan->ops[i]->kernel_index);
        if (w->need.warps > warps) warps = w->need.warps;
        if (w->registers > registers) registers = w->registers;
        if (w->need.smem_bytes > smem) smem = w->need.smem_bytes;
    }
    uint32_t room = l.blocks, by_warps = l.warps / warps, by_registers = l.registers / registers,
             by_smem = l.smem_bytes / smem;
    if (by_warps < room) room = by_warps;
    if (by_registers < room) room = by_registers;
    return by_smem < room ? by_smem : room;
}

static bool find_workers(struct gsim_front *f, const struct gsim_persistent *plan, uint32_t *workers, uint32_t *sms)
{
    uint32_t all = gsim_whole_u32(f->part->spec.sm_count),
             reserved = plan->mode == GSIM_PERSISTENT_SCHED_WARPS ? (uint32_t)plan->reserved_sms : 0;
    if (reserved >= all) {
        gsim_machine_fail(f->machine, GSIM_INPUT,
                          "persistent kernel: %u SMs for schedulers leave none of %u for workers", reserved, all);
        return false;
    }
    *sms = all - reserved;
    *workers = plan->workers ? (uint32_t)plan->workers : *sms;
    uint32_t room = room_on_sm(f, plan), each = (*workers + *sms - 1) / *sms;
    if (each <= room) return true;
    gsim_machine_fail(f->machine, GSIM_INPUT,
                      "persistent kernel: %u workers on %u SMs are %u on one, and registers and shared memory allow %u",
                      *workers, *sms, each, room);
    return false;
}

/* --- tasks and their order --------------------------------------------------------------------------------------- */

static gsim_time own_or(double own, double device) { return gsim_time_from_us(own > 0 ? own : device); }

static void set_costs(struct gsim_resident *r)
{
    const struct gsim_device_spec *d = r->front->device->spec;
    const struct gsim_copilot *c = &r->plan->copilot;
    r->costs =
        (struct gsim_resident_costs){.handoff = gsim_time_from_us(d->handoff_us),
                                     .fence = gsim_time_from_us(d->handoff_fence_us),
                                     .take = gsim_time_from_us(d->task_take_us),
                                     .fetch = gsim_time_from_us(d->task_fetch_us),
                                     .check = gsim_time_from_us(d->task_check_us),
                                     .update = gsim_time_from_us(d->task_update_us),
                                     .push = gsim_time_from_us(d->task_push_us),
                                     .atomic = gsim_time_from_us(d->word_atomic_ns * 1e-3),
                                     .barrier = gsim_time_from_us(d->grid_barrier_us),
                                     .scheduler = gsim_time_from_us(d->scheduler_push_us),
                                     .up = own_or(c->up_us, d->host_flag_up_us),
                                     .down = own_or(c->down_us, d->host_flag_down_us),
                                     .host_fetch = gsim_time_from_us(c->fetch_us >= 0 ? c->fetch_us : d->host_fetch_us),
                                     .post = gsim_time_from_us(c->post_us >= 0 ? c->post_us : d->host_post_us),
                                     .poll = gsim_time_from_us(d->board_poll_us),
                                     .retire = gsim_time_from_us(d->board_retire_us),
                                     .host_update = gsim_time_from_us(d->board_update_us),
                                     .place = gsim_time_from_us(d->board_place_us + c->decision_us),
                                     .commit = gsim_time_from_us(d->board_commit_us),
                                     .batch = gsim_time_from_us(c->batch_us)};
}

/* False: there are too many of them, or of an op's blocks. */
static bool number_tasks(struct gsim_resident *r)
{
    uint64_t most = (uint64_t)GSIM_RESIDENT_WAVES * r->worker_count, tasks = 0;
    for (uint32_t i = 0; i < r->op_count; i++) {
        struct gsim_resident_op *op = &r->ops[i];
        uint64_t blocks = gsim_device_work(r->front->device, r->plan->ops[i]->kernel_index)->blocks,
                 task_blocks = (blocks + most - 1) / most;
        if (blocks > UINT32_MAX) {
            gsim_machine_fail(r->front->machine, GSIM_INPUT,
                              "persistent kernel: ops[%u] has %llu blocks: expected %u at most", r->plan->ops[i]->index,
                              (unsigned long long)blocks, UINT32_MAX);
            return false;
        }
        op->block_count = (uint32_t)blocks;
        op->task_blocks = (uint32_t)task_blocks;
        op->task_count = (uint32_t)((blocks + task_blocks - 1) / task_blocks);
        op->first_task = (uint32_t)tasks;
        op->level = 0;
        tasks += op->task_count;
        if (tasks > GSIM_RESIDENT_TASKS) {
            gsim_machine_fail(r->front->machine, GSIM_INPUT,
                              "persistent kernel: its first %u ops are more than %u tasks for %u workers: expected "
                              "fewer ops in a launch",
                              i + 1, GSIM_RESIDENT_TASKS, r->worker_count);
            return false;
        }
    }
    r->task_count = (uint32_t)tasks;
    return true;
}

/* Every op behind all that it follows in the preset order; levels on the way. False: the order is none. */
static bool find_levels(struct gsim_resident *r)
{
    const struct gsim_persistent *p = r->plan;
    uint32_t *place = GSIM_ARENA_ARRAY(&r->front->machine->arena, uint32_t, p->op_count + 1);
    if (!place) return true; /* the arena fails again */
    for (uint32_t i = 0; i < p->op_count; i++) place[i] = UINT32_MAX;
    for (uint32_t i = 0; i < p->op_count; i++) {
        uint32_t op = p->order ? p->order[i] : i;
        if (op >= p->op_count || place[op] != UINT32_MAX) {
            gsim_machine_fail(r->front->machine, GSIM_INPUT,
                              "persistent kernel: the preset order has entry %u twice or beyond its %u ops", i,
                              p->op_count);
            return false;
        }
        place[op] = i;
        for (uint32_t e = p->after_start[op]; e < p->after_start[op + 1]; e++) {
            uint32_t before = p->after[e];
            if (place[before] == UINT32_MAX) {
                gsim_machine_fail(r->front->machine, GSIM_INPUT,
                                  "persistent kernel: the preset order has ops[%u] before ops[%u], which it follows: "
                                  "its worker would wait for ever",
                                  p->ops[op]->index, p->ops[before]->index);
                return false;
            }
            if (r->ops[before].level + 1 > r->ops[op].level) r->ops[op].level = r->ops[before].level + 1;
        }
    }
    return true;
}

/* Where the tasks of each level begin in the sequence, one entry later; all are of level 0 where levels do not
 * matter. */
static void count_levels(struct gsim_resident *r, uint32_t *starts)
{
    bool by_level = r->plan->mode == GSIM_PERSISTENT_BARRIER;
    for (uint32_t i = 0; i < r->op_count; i++) {
        if (!by_level) r->ops[i].level = 0;
        starts[r->ops[i].level + 1] += r->ops[i].task_count;
    }
    for (uint32_t l = 0; l < r->op_count; l++) starts[l + 1] += starts[l];
}

/* The tasks in the preset order; with barriers by level. False: out of memory. */
static bool put_in_order(struct gsim_resident *r)
{
    uint32_t *next = GSIM_ARENA_ARRAY(&r->front->machine->arena, uint32_t, r->op_count + 2);
    if (!next) return false;
    count_levels(r, next);
    for (uint32_t i = 0; i < r->op_count; i++) {
        uint32_t index = r->plan->order ? r->plan->order[i] : i;
        const struct gsim_resident_op *op = &r->ops[index];
        for (uint32_t t = 0; t < op->task_count; t++) {
            r->op_of[op->first_task + t] = index;
            r->sequence[next[op->level]++] = op->first_task + t;
        }
    }
    return true;
}

static void find_followers(struct gsim_resident *r)
{
    const struct gsim_persistent *p = r->plan;
    for (uint32_t e = 0; e < p->after_start[p->op_count]; e++) r->follower_start[p->after[e] + 2]++;
    for (uint32_t i = 2; i < p->op_count + 2; i++) r->follower_start[i] += r->follower_start[i - 1];
    for (uint32_t i = 0; i < p->op_count; i++)
        for (uint32_t e = p->after_start[i]; e < p->after_start[i + 1]; e++)
            r->followers[r->follower_start[p->after[e] + 1]++] = i;
}

static bool set_servers(struct gsim_resident *r)
{
    struct gsim_arena *arena = &r->front->machine->arena;
    int64_t batch = r->plan->copilot.batch ? r->plan->copilot.batch : 1;
    for (uint32_t i = 0; i < r->server_count; i++) {
        uint32_t first = (uint32_t)((uint64_t)r->worker_count * i / r->server_count);
        r->servers[i] = (struct gsim_resident_server){.resident = r, .first_worker = first};
        r->servers[i].worker_count = (uint32_t)((uint64_t)r->worker_count * (i + 1) / r->server_count) - first;
        r->servers[i].batch = GSIM_ARENA_ARRAY(arena, struct gsim_resident_slot *, batch);
        r->servers[i].batch_workers = GSIM_ARENA_ARRAY(arena, struct gsim_resident_worker *, batch);
        if (!r->servers[i].batch || !r->servers[i].batch_workers) return false;
    }
    return true;
}

static uint32_t server_count(const struct gsim_resident *r)
{
    uint32_t wanted =
        r->plan->mode == GSIM_PERSISTENT_SCHED_WARPS ? 4 * r->plan->reserved_sms : r->plan->copilot.threads;
    if (!wanted) wanted = 1;
    return wanted < r->worker_count ? wanted : r->worker_count;
}

static struct gsim_command *new_command(struct gsim_resident *r, struct gsim_resident_worker *w)
{
    struct gsim_command *command = gsim_command_new(r->front->machine, GSIM_COMMAND_OTHER, r->front->device, 0, 0);
    if (!command) return NULL;
    command->class = &gsim_resident_task;
    command->argument = w;
    return command;
}

static bool allocate(struct gsim_resident *r, uint32_t sms)
{
    struct gsim_arena *arena = &r->front->machine->arena;
    r->workers = GSIM_ARENA_ARRAY(arena, struct gsim_resident_worker, r->worker_count);
    r->servers = GSIM_ARENA_ARRAY(arena, struct gsim_resident_server, r->server_count);
    r->op_of = GSIM_ARENA_ARRAY(arena, uint32_t, r->task_count + 1);
    r->sequence = GSIM_ARENA_ARRAY(arena, uint32_t, r->task_count + 1);
    r->queue = GSIM_ARENA_ARRAY(arena, uint32_t, r->task_count + 1);
    r->queue_since = GSIM_ARENA_ARRAY(arena, gsim_time, r->task_count + 1);
    r->follower_start = GSIM_ARENA_ARRAY(arena, uint32_t, r->op_count + 2);
    r->followers = GSIM_ARENA_ARRAY(arena, uint32_t, r->plan->after_start[r->op_count] + 1);
    r->is_placed = GSIM_ARENA_ARRAY(arena, uint8_t, r->task_count + 1);
    if (!r->is_placed || !r->workers || !r->servers || !r->op_of || !r->sequence || !r->queue || !r->queue_since ||
        !r->follower_start || !r->followers)
        return false;
    for (uint32_t i = 0; i < r->worker_count; i++) {
        struct gsim_resident_worker *w = &r->workers[i];
        w->command = new_command(r, w);
        w->ahead.command = new_command(r, w);
        if (!w->command || !w->ahead.command) return false;
        w->sm = i % sms;
    }
    return true;
}

/* NULL: the run has failed. */
struct gsim_resident *gsim_resident_of_plan(struct gsim_front *f, const struct gsim_persistent *plan)
{
    uint32_t workers, sms;
    if (!find_workers(f, plan, &workers, &sms)) return NULL;
    struct gsim_resident *r = GSIM_ARENA_NEW(&f->machine->arena, struct gsim_resident);
    if (r) {
        *r = (struct gsim_resident){.front = f,
                                    .plan = plan,
                                    .policy = policies[plan->mode],
                                    .op_count = plan->op_count,
                                    .worker_count = workers};
        if (plan->mode == GSIM_PERSISTENT_SCHED_WARPS && plan->is_ahead) r->policy = &gsim_resident_static;
        r->ops = GSIM_ARENA_ARRAY(&f->machine->arena, struct gsim_resident_op, plan->op_count + 1);
    }
    if (r && r->ops) {
        r->server_count = server_count(r);
        set_costs(r);
        if (!number_tasks(r) || !find_levels(r)) return NULL;
    }
    if (!r || !r->ops || !allocate(r, sms) || !put_in_order(r) || !set_servers(r)) {
        gsim_machine_fail(f->machine, GSIM_NOMEM, "out of memory");
        return NULL;
    }
    find_followers(r);
    return r;
}
