/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes and partitions of a simulation's tasks, by its sharing policy (include/gpusim/task.h). */
#include "sim/task/task.h"

#include "sim/device/rules.h"
#include "sim/platform/node.h"

#include <math.h>

/* MPS keeps clients that may use a part of the SMs each from one another's as long as there are enough (H100, 14 pairs
 * at 50 %: 0.8 % off, 3.0 % as if all were everybody's: traces/h100/sharing_exact.json.gz). */
static bool has_caps(const struct gsim_simulation *s, const struct gsim_layout *layout)
{
    bool has = layout->settings.percentage > 0 && layout->settings.percentage < 100;
    for (uint32_t i = 0; i < s->tasks->count; i++)
        has |= s->tasks->tasks[i].sms || (s->tasks->tasks[i].percentage > 0 && s->tasks->tasks[i].percentage < 100);
    return has;
}

static enum gsim_status check_tasks(const struct gsim_simulation *s, const struct gsim_layout *layout,
                                    struct gsim_error *error)
{
    const struct gsim_task_set *set = s->tasks;
    enum gsim_mechanism mechanism = layout->settings.mechanism;
    const char *name = s->sharing->name;
    uint32_t finite = 0;
    for (uint32_t i = 0; i < set->count; i++) finite += gsim_task_is_finite(&set->tasks[i]);
    if (!finite)
        return gsim_error_set(error, GSIM_INPUT,
                              "no task says how many requests it has, or for how long: expected one that ends");
    uint32_t gpus = s->gpu_count ? s->gpu_count : s->node ? gsim_node_device_count(s->node) : 1;
    if (gpus > 1 && s->sharing->ready)
        return gsim_error_set(error, GSIM_INPUT, "--share %s decides on the kernels of one GPU, and there are %u", name,
                              gpus);
    if (mechanism == GSIM_MECHANISM_STREAMS && layout->process_count > 1)
        return gsim_error_set(error, GSIM_USAGE, "--share %s: its tasks are threads of one process, and they are in %u",
                              name, layout->process_count);
    if (mechanism == GSIM_MECHANISM_MPS && layout->process_count > gsim_whole_u32(s->device->mps_clients))
        return gsim_error_set(error, GSIM_USAGE,
                              "--share %s: %u processes, and MPS takes %u clients (device.mps_clients)", name,
                              layout->process_count, gsim_whole_u32(s->device->mps_clients));
    for (uint32_t i = 0; i < set->count && s->sharing->needs_profile; i++)
        if (set->tasks[i].source)
            return gsim_error_set(error, GSIM_USAGE,
                                  "--share %s needs a profile of all kernels, and task '%s' is drawn while it runs",
                                  name, set->tasks[i].name);
    if (s->sharing->needs_profile && !s->profile)
        return gsim_error_set(
            error, GSIM_USAGE,
            "--share %s needs a profile: --profile FILE, which --measure FILE writes, or --profile measure", name);
    return GSIM_OK;
}

/* SHARE_SMS rounded down to a multiple of STEP: the SMs that a process takes. */
static uint32_t whole_parts(double share_sms, uint32_t step) { return gsim_whole_u32(share_sms + 0.01) / step * step; }

/* A number of SMs that is no multiple of STEP is what the others leave. */
static enum gsim_status check_rest(const struct gsim_simulation *s, const struct gsim_layout *layout, uint32_t step,
                                   uint32_t sum, struct gsim_error *error)
{
    for (uint32_t p = 0; p < layout->process_count; p++) {
        uint32_t sms = layout->sm_counts[p], below = sms / step * step;
        if (sms == below || sum == gsim_whole_u32(s->device->sm_count)) continue;
        return gsim_error_set(
            error, GSIM_USAGE,
            "--share %s: process %u has %u SMs: a part has %u or %u of the %.0f, or what the others leave",
            s->sharing->name, p, sms, below, below + step, s->device->sm_count);
    }
    return GSIM_OK;
}

/* SMs that each process's tasks ask for, 0: none, and whether by number. */
static void find_wanted(const struct gsim_simulation *s, const struct gsim_layout *layout, double *wanted,
                        bool *is_exact)
{
    for (uint32_t i = 0; i < s->tasks->count; i++) {
        const struct gsim_task *t = &s->tasks->tasks[i];
        uint32_t p = layout->process_of[i];
        wanted[p] = fmax(wanted[p], t->sms ? t->sms : t->percentage / 100 * s->device->sm_count);
        is_exact[p] |= t->sms > 0;
    }
}

/* SMs of each process: as its tasks say, by number or percentage; those without share what is left alike. */
static enum gsim_status divide_sms(const struct gsim_simulation *s, struct gsim_layout *layout,
                                   struct gsim_error *error)
{
    double total = s->device->sm_count, wanted[GSIM_LIMIT_TASKS] = {0}, left = total;
    bool is_exact[GSIM_LIMIT_TASKS] = {false};
    uint32_t without = 0, sum = 0,
             step = layout->settings.mechanism == GSIM_MECHANISM_MPS ? gsim_whole_u32(s->device->mps_sms)
                                                                     : gsim_whole_u32(s->device->part_sms);
    find_wanted(s, layout, wanted, is_exact);
    for (uint32_t p = 0; p < layout->process_count; p++) {
        if (wanted[p] <= 0) wanted[p] = layout->settings.percentage / 100 * total;
        left -= wanted[p];
        without += wanted[p] <= 0;
    }
    for (uint32_t p = 0; p < layout->process_count; p++) {
        double share = wanted[p] > 0 ? wanted[p] : left / without;
        uint32_t sms = is_exact[p] ? gsim_whole_u32(share) : whole_parts(share, step);
        if (sms < step)
            return gsim_error_set(
                error, GSIM_USAGE,
                "--share %s: process %u has %.3g of %.0f SMs, and a part has %u of them or a multiple",
                s->sharing->name, p, share, total, step);
        layout->sm_counts[p] = sms;
        layout->dram_shares[p] = layout->settings.isolates_memory ? sms / total : 1;
        sum += sms;
    }
    if (sum > gsim_whole_u32(total))
        return gsim_error_set(
            error, GSIM_USAGE,
            "--share %s: %u SMs for all processes together, and the GPU has %.0f; parts that overlap are not simulated",
            s->sharing->name, sum, total);
    layout->part_count = layout->process_count + 1;
    layout->is_parted = true;
    return check_rest(s, layout, step, sum, error);
}

/* What a MIG instance of so many compute slices has: of seven, and of eight slices of memory. */
struct profile {
    uint32_t compute, memory;
    double sms;
};

/* The largest profile of at most SMS SMs of which COUNT fit on the GPU; NULL: none. */
static const struct profile *largest(const struct profile profiles[5], double sms, uint32_t count)
{
    for (int i = 4; i >= 0; i--)
        if (profiles[i].sms > 0 && profiles[i].sms <= sms + 0.01 && count * profiles[i].compute <= 7 &&
            count * profiles[i].memory <= 8)
            return &profiles[i];
    return NULL;
}

/* Each process has an instance: the largest that its tasks' number or percentage of SMs allows, or else the largest of
 * which there are as many as processes. */
static enum gsim_status divide_mig(const struct gsim_simulation *s, struct gsim_layout *layout,
                                   struct gsim_error *error)
{
    const struct gsim_device_spec *d = s->device;
    const struct profile profiles[5] = {
        {1, 1, d->mig_1g_sms}, {2, 2, d->mig_2g_sms}, {3, 4, d->mig_3g_sms},
        {4, 4, d->mig_4g_sms}, {7, 8, d->mig_7g_sms}};
    double wanted[GSIM_LIMIT_TASKS] = {0};
    bool is_exact[GSIM_LIMIT_TASKS] = {false};
    uint32_t compute = 0, memory = 0;
    find_wanted(s, layout, wanted, is_exact);
    if (d->mig_1g_sms <= 0)
        return gsim_error_set(error, GSIM_USAGE, "--share %s: no profiles of '%s' are known (device.mig_1g_sms to 7g)",
                              s->sharing->name, d->name);
    for (uint32_t p = 0; p < layout->process_count; p++) {
        bool is_asked = wanted[p] > 0;
        const struct profile *own =
            largest(profiles, is_asked ? wanted[p] : d->sm_count, is_asked ? 1 : layout->process_count);
        if (own && is_exact[p] && own->sms != wanted[p])
            return gsim_error_set(error, GSIM_USAGE, "--share %s: no instance has %.0f SMs, the next smaller %.0f",
                                  s->sharing->name, wanted[p], own->sms);
        if (!own)
            return gsim_error_set(error, GSIM_USAGE, "--share %s: no instance for process %u of %u: they have %.0f SMs "
                                  "or more, seven of them", s->sharing->name, p, layout->process_count, d->mig_1g_sms);
        layout->sm_counts[p] = gsim_whole_u32(own->sms);
        layout->dram_shares[p] = own->memory / 8.0;
        compute += own->compute;
        memory += own->memory;
    }
    if (compute > 7 || memory > 8)
        return gsim_error_set(error, GSIM_USAGE, "--share %s: %u compute slices and %u of memory for all processes "
                              "together, and the GPU has 7 and 8", s->sharing->name, compute, memory);
    layout->part_count = layout->process_count + 1;
    layout->is_parted = true;
    return GSIM_OK;
}

enum gsim_status gsim_tasks_lay_out(struct gsim_tasks *tasks, struct gsim_machine *m, struct gsim_layout *layout,
                                    struct gsim_error *error)
{
    const struct gsim_simulation *s = m->simulation;
    void *defaults = NULL;
    *tasks = (struct gsim_tasks){.machine = m, .set = s->tasks, .ops = s->sharing};
    tasks->states = GSIM_ARENA_ARRAY(&m->arena, struct gsim_task_state, s->tasks->count);
    if (!s->sharing_params && s->sharing->params) {
        defaults = gsim_arena_alloc(&m->arena, s->sharing->params_size);
        if (defaults) gsim_params_set_defaults(s->sharing->params, defaults);
    }
    if (m->arena.failed) return gsim_no_memory(error);
    tasks->params = s->sharing_params ? s->sharing_params : defaults;
    layout->settings = tasks->settings = gsim_share_settings_of(s->sharing, tasks->params);
    layout->process_count = gsim_task_set_processes(s->tasks, tasks->settings.mechanism, layout->process_of);
    if (tasks->settings.mechanism == GSIM_MECHANISM_TIMESLICE) layout->part_count = layout->process_count;
    enum gsim_status status = check_tasks(s, layout, error);
    bool is_parted = tasks->settings.mechanism == GSIM_MECHANISM_PARTITION ||
                     (tasks->settings.mechanism == GSIM_MECHANISM_MPS && has_caps(s, layout));
    if (!status && is_parted) status = (layout->settings.is_mig ? divide_mig : divide_sms)(s, layout, error);
    tasks->layout = *layout;
    return status;
}

enum gsim_status gsim_tasks_add_parts(struct gsim_layout *layout, struct gsim_device *d, struct gsim_error *error)
{
    bool is_parted = layout->is_parted, is_sliced = layout->settings.mechanism == GSIM_MECHANISM_TIMESLICE;
    uint32_t used = 0;
    if (layout->settings.mechanism == GSIM_MECHANISM_MPS && gsim_rule_holds(d->spec->rules_off, GSIM_RULE_TASK_GRAPHS))
        d->gaps.client_node = gsim_time_from_us(d->spec->client_node_us);
    for (uint32_t p = 0; p < layout->process_count; p++) {
        layout->parts[p] = &d->parts[0];
        if (!is_parted && (!is_sliced || !p)) continue;
        uint32_t sms = is_parted ? layout->sm_counts[p] : gsim_whole_u32(d->spec->sm_count);
        used += sms;
        if (is_parted && used > gsim_whole_u32(d->spec->sm_count))
            return gsim_error_set(error, GSIM_USAGE, "the processes' parts have %u SMs and more, and GPU %u has %.0f",
                                  used, d->index, d->spec->sm_count);
        struct gsim_partition *part =
            gsim_partitions_add(d, sms, is_parted ? layout->dram_shares[p] : 1, &gsim_front_listener);
        if (!part) return gsim_no_memory(error);
        part->shares_dram = is_parted && !layout->settings.isolates_memory;
        layout->parts[p] = part;
    }
    return GSIM_OK;
}

/* Contexts have the SMs of a device in turn. NULL: out of memory. */
static struct gsim_arbiter *open_slices(const struct gsim_tasks *tasks, struct gsim_time_slices *s,
                                        const struct gsim_device_spec *spec, const struct gsim_layout *layout)
{
    if (!gsim_slices_init(s, tasks->machine, spec, layout->parts, layout->process_count)) return NULL;
    s->is_directed = tasks->settings.is_directed;
    if (tasks->settings.switch_us >= 0) s->busy_switch = gsim_time_from_us(tasks->settings.switch_us);
    return &s->arbiter;
}

enum gsim_status gsim_tasks_add_device(struct gsim_tasks *tasks, struct gsim_device *d, struct gsim_partition ***parts,
                                       struct gsim_arbiter **arbiter, struct gsim_error *error)
{
    struct gsim_layout *own = GSIM_ARENA_NEW(&tasks->machine->arena, struct gsim_layout);
    struct gsim_time_slices *slices = GSIM_ARENA_NEW(&tasks->machine->arena, struct gsim_time_slices);
    *arbiter = NULL;
    if (!own || !slices) return gsim_no_memory(error);
    *own = tasks->layout;
    *parts = own->parts;
    enum gsim_status status = gsim_tasks_add_parts(own, d, error);
    if (status || tasks->settings.mechanism != GSIM_MECHANISM_TIMESLICE) return status;
    *arbiter = open_slices(tasks, slices, d->spec, own);
    return *arbiter ? GSIM_OK : gsim_no_memory(error);
}

static struct gsim_arbiter *open_arbiters(struct gsim_tasks *tasks, const struct gsim_layout *layout,
                                          struct gsim_error *error)
{
    struct gsim_arbiter *arbiter = NULL;
    if (tasks->settings.mechanism == GSIM_MECHANISM_TIMESLICE) {
        arbiter = open_slices(tasks, &tasks->slices, tasks->machine->simulation->device, layout);
        if (!arbiter) gsim_no_memory(error);
    }
    if (!error->status && tasks->ops->ready && !gsim_policy_open(tasks, arbiter, error))
        arbiter = gsim_policy_arbiter(tasks->policy);
    return arbiter;
}

enum gsim_status gsim_tasks_open(struct gsim_tasks *tasks, const struct gsim_layout *layout,
                                 struct gsim_process *processes, struct gsim_error *error)
{
    struct gsim_error failure = {0};
    tasks->count = tasks->set->count;
    for (uint32_t i = 0; i < tasks->count; i++) {
        struct gsim_task_state *t = &tasks->states[i];
        bool is_alone = true;
        for (uint32_t o = 0; o < tasks->count; o++)
            is_alone &= o == i || layout->process_of[o] != layout->process_of[i];
        *t = (struct gsim_task_state){.all = tasks, .spec = &tasks->set->tasks[i]};
        t->client =
            (struct gsim_caller){.task = i, .first_op = t->spec->source ? 0 : tasks->set->first_op[i], .run = &t->run};
        gsim_task_open(t, &processes[layout->process_of[i]], is_alone);
        tasks->finite_left += gsim_task_is_finite(t->spec);
    }
    struct gsim_arbiter *arbiter = open_arbiters(tasks, layout, &failure);
    for (uint32_t p = 0; p < layout->process_count; p++) {
        processes[p].fronts[0]->arbiter = arbiter;
        if (!tasks->policy) continue;
        processes[p].fronts[0]->hw_queue_count = GSIM_MAX_HW_QUEUES; /* what it holds was not launched */
        processes[p].fronts[0]->keeps_waits = true;
    }
    return failure.status ? gsim_error_set(error, failure.status, "%s", failure.message) : GSIM_OK;
}
