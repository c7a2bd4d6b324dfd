/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/front/policy.h. */
#include "sim/front/front.h"

struct gsim_front_policy_launch {
    struct gsim_frontend_launch launch; /* first: what the policy sees */
    struct gsim_command *command;
    struct gsim_front_policy *policy;
    struct gsim_front_policy_launch *next_idle;
    bool is_passed, is_released;
};

struct timer {
    struct gsim_front_policy *policy;
    uint64_t what;
};

static struct gsim_front_policy *policy_of(struct gsim_frontend *frontend)
{
    return (struct gsim_front_policy *)frontend;
}

static gsim_time cycles_time(const struct gsim_front_policy *p, double cycles)
{
    return cycles > 0 ? gsim_time_from_us(cycles / p->front->device->spec->clock_mhz) : 0;
}

/* Returns the end of the policy's current decision. */
static gsim_time decided(const struct gsim_front_policy *p)
{
    gsim_time now = p->front->machine->now;
    return p->free > now ? p->free : now;
}

/* --- what the policy calls -------------------------------------------------------------------------------- */
static void do_spend(struct gsim_frontend *frontend, double cycles)
{
    struct gsim_front_policy *p = policy_of(frontend);
    p->free = decided(p) + cycles_time(p, cycles);
}

static void start(void *launch)
{
    struct gsim_front_policy_launch *l = launch;
    struct gsim_command *command = l->command;
    if (!command->is_taken) {
        gsim_machine_fail(l->policy->front->machine, GSIM_SIM,
                          "the front end's policy released a launch that it did not take");
        return;
    }
    command->priority = l->launch.priority;
    command->ready = command->start = l->policy->front->machine->now;
    command->class->start(command);
}

static void do_release(struct gsim_frontend *frontend, struct gsim_frontend_launch *launch, double cycles)
{
    struct gsim_front_policy *p = policy_of(frontend);
    struct gsim_front_policy_launch *l = (struct gsim_front_policy_launch *)launch;
    if (l->is_released)
        gsim_machine_fail(p->front->machine, GSIM_SIM, "the front end's policy '%s' released a launch twice",
                          p->ops->name);
    if (l->is_released) return;
    l->is_released = true;
    gsim_machine_at(p->front->machine, decided(p) + cycles_time(p, cycles), start, l);
}

static void do_ask_again(struct gsim_frontend *frontend)
{
    struct gsim_front_policy *p = policy_of(frontend);
    for (uint64_t held = p->held; held; held &= held - 1)
        gsim_front_poll(p->front, (uint32_t)__builtin_ctzll(held), decided(p));
    p->held = 0;
}

static void ring(void *timer)
{
    const struct timer *t = timer;
    if (t->policy->ops && t->policy->ops->on_timer)
        t->policy->ops->on_timer(t->policy->own, &t->policy->frontend, t->what);
}

static void do_arm(struct gsim_frontend *frontend, double cycles, uint64_t what)
{
    struct gsim_front_policy *p = policy_of(frontend);
    struct timer *timer = GSIM_ARENA_NEW(&p->front->machine->arena, struct timer);
    if (!timer) {
        gsim_machine_fail(p->front->machine, GSIM_NOMEM, "out of memory");
        return;
    }
    *timer = (struct timer){p, what};
    gsim_machine_at(p->front->machine, decided(p) + cycles_time(p, cycles), ring, timer);
}

static double do_now_us(struct gsim_frontend *frontend) { return gsim_time_us(decided(policy_of(frontend))); }

/* --- what the front end calls ------------------------------------------------------------------------------- */
static struct gsim_front_policy *policy_for(const struct gsim_front *f, const struct gsim_caller *client)
{
    struct gsim_front_policy *p = f->policies;
    while (p && p->client != client) p = p->next;
    return p;
}

void gsim_front_policy_set(struct gsim_front *f, const struct gsim_caller *client, const struct gsim_frontend_ops *ops,
                           void *own)
{
    static const struct gsim_frontend_calls calls = {do_spend, do_release, do_ask_again, do_arm, do_now_us};
    struct gsim_front_policy *p = policy_for(f, client);
    if (!p) {
        if (!(p = GSIM_ARENA_NEW(&f->machine->arena, struct gsim_front_policy))) {
            gsim_machine_fail(f->machine, GSIM_NOMEM, "out of memory");
            return;
        }
        *p = (struct gsim_front_policy){.frontend.calls = &calls, .front = f, .client = client, .next = f->policies};
        f->policies = p;
    }
    p->ops = ops;
    p->own = own;
}

/* Makes the policy's view of a command. NULL: out of memory, and the run has failed. */
static struct gsim_front_policy_launch *launch_of(struct gsim_front_policy *p, struct gsim_command *command)
{
    struct gsim_front_policy_launch *l = command->in_policy;
    if (l) return l;
    if ((l = p->idle) != NULL) {
        p->idle = l->next_idle;
    } else if (!(l = GSIM_ARENA_NEW(&p->front->machine->arena, struct gsim_front_policy_launch))) {
        gsim_machine_fail(p->front->machine, GSIM_NOMEM, "out of memory");
        return NULL;
    }
    *l = (struct gsim_front_policy_launch){
        .launch = {command->op, command->note, NULL, command->stream, command->iteration, command->priority},
        .command = command,
        .policy = p};
    return command->in_policy = l;
}

static bool is_kernel(const struct gsim_command *command)
{
    return command->kind == GSIM_COMMAND_OP && command->op->kind == GSIM_OP_KERNEL;
}

/* Handles the end of a taken launch. */
static void taken_ended(struct gsim_command *command)
{
    struct gsim_front *f = command->front;
    struct gsim_stream_state *stream = &f->process->streams[command->stream];
    gsim_time now = f->machine->now;
    gsim_front_policy_ended(f, command);
    stream->taken--;
    stream->last_end = stream->follows[GSIM_UNIT_SMS] = now;
    if (stream->ready[GSIM_UNIT_SMS] < now) stream->ready[GSIM_UNIT_SMS] = now;
    stream->ended_unit = GSIM_UNIT_SMS;
    stream->has_worked = true;
    stream->own = (struct gsim_acquire){.ended_bytes = f->device->ended_bytes};
    if (!stream->taken && f->hw_queues[stream->hw_queue].head) gsim_front_poll(f, stream->hw_queue, now);
    gsim_front_complete(f, command->stream);
    gsim_machine_op_ended(f->machine, command);
    gsim_command_free(f->machine, command);
}

/* FALSE: the head waits until the policy can decide. */
static bool can_decide(struct gsim_front_policy *p, uint32_t hw_queue)
{
    if (p->free <= p->front->machine->now) return true;
    gsim_front_poll(p->front, hw_queue, p->free);
    return false;
}

static enum gsim_front_policy_step hold(struct gsim_front_policy *p, uint32_t hw_queue)
{
    p->held |= UINT64_C(1) << hw_queue;
    return GSIM_POLICY_STAYS;
}

enum gsim_front_policy_step gsim_front_policy_submit(struct gsim_front *f, uint32_t hw_queue,
                                                     struct gsim_command *command)
{
    struct gsim_front_policy *p = f->policies ? policy_for(f, command->client) : NULL;
    bool is_taken = f->process->streams[command->stream].taken > 0;
    if (!p || !p->ops || !p->ops->on_submit || !is_kernel(command))
        return is_taken ? GSIM_POLICY_STAYS : GSIM_POLICY_GOES_ON;
    struct gsim_front_policy_launch *l = command->in_policy;
    if (l && l->is_passed) return is_taken ? GSIM_POLICY_STAYS : GSIM_POLICY_GOES_ON;
    if (!can_decide(p, hw_queue) || !(l = launch_of(p, command))) return GSIM_POLICY_STAYS;
    enum gsim_frontend_answer answer = p->ops->on_submit(p->own, &p->frontend, &l->launch);
    if (answer == GSIM_FRONTEND_HOLD) return hold(p, hw_queue);
    l->is_passed = answer == GSIM_FRONTEND_PASS;
    if (l->is_passed) return is_taken ? GSIM_POLICY_STAYS : GSIM_POLICY_GOES_ON;
    command->is_taken = true;
    command->ended = taken_ended;
    return GSIM_POLICY_TAKEN;
}

enum gsim_front_policy_step gsim_front_policy_ready(struct gsim_front *f, uint32_t hw_queue,
                                                    struct gsim_command *command)
{
    struct gsim_front_policy *p = f->policies ? policy_for(f, command->client) : NULL;
    if (!p || !p->ops || !p->ops->on_ready || !is_kernel(command)) return GSIM_POLICY_GOES_ON;
    struct gsim_front_policy_launch *l = NULL;
    if (!can_decide(p, hw_queue) || !(l = launch_of(p, command))) return GSIM_POLICY_STAYS;
    l->is_passed = true;
    if (p->ops->on_ready(p->own, &p->frontend, &l->launch) == GSIM_FRONTEND_HOLD) return hold(p, hw_queue);
    command->priority = l->launch.priority;
    return GSIM_POLICY_GOES_ON;
}

void gsim_front_policy_started(struct gsim_front *f, struct gsim_command *command)
{
    struct gsim_front_policy *p = command->in_policy ? command->in_policy->policy : NULL;
    (void)f;
    if (p && p->ops && p->ops->on_kernel_start)
        p->ops->on_kernel_start(p->own, &p->frontend, &command->in_policy->launch);
}

void gsim_front_policy_ended(struct gsim_front *f, struct gsim_command *command)
{
    struct gsim_front_policy_launch *l = command->in_policy;
    (void)f;
    if (!l) return;
    struct gsim_front_policy *p = l->policy;
    if (p->ops && p->ops->on_kernel_end) p->ops->on_kernel_end(p->own, &p->frontend, &l->launch);
    command->in_policy = NULL;
    l->next_idle = p->idle;
    p->idle = l;
}
