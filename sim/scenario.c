/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See include/gpusim/scenario.h. Ranks are tasks that share nothing. */
#include "gpusim/scenario.h"

#include "gpusim/limits.h"
#include "sim/program/verify.h"

const struct gsim_sharing_ops gsim_sharing_ranks = {
    GSIM_HEAD(sharing),
    .name = "ranks",
    .summary = "each task is a rank on a GPU of its own",
    .source = "NCCL: one process for each GPU",
    .base.mechanism = GSIM_MECHANISM_RANKS,
};

/* The file's GPUs where each rank names another one that there can be, else one after the other. */
static void number_devices(const struct gsim_client *list, uint32_t count, uint32_t *device_of, uint32_t *gpus)
{
    bool is_distinct = true;
    *gpus = count;
    for (uint32_t i = 0; i < count; i++) {
        is_distinct &= list[i].device < GSIM_LIMIT_GPUS;
        for (uint32_t j = 0; j < i; j++) is_distinct &= list[j].device != list[i].device;
    }
    for (uint32_t i = 0; i < count; i++) {
        device_of[i] = is_distinct ? list[i].device : i;
        if (device_of[i] >= *gpus) *gpus = device_of[i] + 1;
    }
}

static enum gsim_status fill(struct gsim_scenario *s, const struct gsim_client *list, uint32_t count,
                             uint32_t iterations, struct gsim_error *error)
{
    uint32_t *rank_of = GSIM_ARENA_ARRAY(&s->arena, uint32_t, count),
             *copies = GSIM_ARENA_ARRAY(&s->arena, uint32_t, count);
    s->set = GSIM_ARENA_NEW(&s->arena, struct gsim_task_set);
    s->tasks = GSIM_ARENA_ARRAY(&s->arena, struct gsim_task, count);
    if (s->arena.failed) return gsim_no_memory(error);
    s->ranks.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        rank_of[i] = list[i].rank;
        copies[i] = list[i].copies;
        s->ranks.count += list[i].copies;
        s->tasks[i] = (struct gsim_task){.name = gsim_arena_printf(&s->arena, "rank %u", list[i].rank),
                                         .program = list[i].program,
                                         .scheduler = list[i].scheduler,
                                         .scheduler_params = list[i].scheduler_params,
                                         .process = GSIM_OWN_PROCESS,
                                         .start_us = list[i].start_us,
                                         .requests = iterations ? iterations : list[i].program->iterations};
        if (list[i].task) { /* but for what runs */
            s->tasks[i] = *list[i].task;
            s->tasks[i].program = list[i].program;
            s->tasks[i].scheduler = list[i].scheduler;
            s->tasks[i].scheduler_params = list[i].scheduler_params;
        }
        if (!s->tasks[i].name) return gsim_no_memory(error);
    }
    s->ranks.rank_of = rank_of;
    s->ranks.copies = copies;
    return GSIM_OK;
}

enum gsim_status gsim_scenario_join(struct gsim_scenario *s, const struct gsim_client *list, uint32_t count,
                                    const struct gsim_ranks *links, uint32_t iterations, struct gsim_error *error)
{
    struct gsim_simulation *simulation = &s->simulation;
    s->ranks = *links;
    if (count > GSIM_LIMIT_TASKS)
        return gsim_error_set(error, GSIM_INPUT, "expected at most %d ranks that differ, found %u", GSIM_LIMIT_TASKS,
                              count);
    uint32_t *device_of = GSIM_ARENA_ARRAY(&s->arena, uint32_t, count + 1), gpus = 0;
    if (!device_of) return gsim_no_memory(error);
    enum gsim_status status = fill(s, list, count, iterations, error);
    number_devices(list, count, device_of, &gpus);
    s->ranks.device_of = device_of;
    const char *name = list[0].task ? gsim_arena_strdup(&s->arena, simulation->program->name)
                                    : gsim_arena_printf(&s->arena, "%.70s on %u rank%s", list[0].program->name,
                                                        s->ranks.count, s->ranks.count == 1 ? "" : "s");
    if (!status && !name) status = gsim_no_memory(error);
    if (!status) status = gsim_task_set_init(s->set, name, s->tasks, count, error);
    if (status) return status;
    simulation->program = &s->set->all;
    simulation->tasks = s->set;
    simulation->iterations = 0;
    simulation->until_steady = false;
    if (list[0].task) return GSIM_OK;
    simulation->sharing = &gsim_sharing_ranks;
    simulation->sharing_params = NULL;
    simulation->ranks = &s->ranks;
    simulation->gpu_count = gpus;
    simulation->scheduler = list[0].scheduler;
    return GSIM_OK;
}

void gsim_scenario_release(struct gsim_scenario *s)
{
    if (s->set) gsim_task_set_release(s->set);
    gsim_arena_release(&s->arena);
    *s = (struct gsim_scenario){0};
}

enum gsim_status gsim_timeline_join(struct gsim_timeline *t, struct gsim_error *error)
{
    for (size_t i = 0; i < t->request_count; i++) {
        const struct gsim_request_record *r = &t->requests[i];
        while (t->iteration_count <= r->request) {
            if (!GSIM_APPEND(t->iterations, t->iteration_count, t->iteration_capacity,
                             (struct gsim_iteration_record){.start = GSIM_TIME_NEVER}))
                return gsim_no_memory(error);
        }
        struct gsim_iteration_record *all = &t->iterations[r->request];
        if (r->start < all->start) all->start = r->start;
        if (r->end > all->end) all->end = r->end;
    }
    return GSIM_OK;
}

/* --- runs --- */

static enum gsim_status verify_program(const struct gsim_simulation *s, const struct gsim_timeline *timeline,
                                       struct gsim_error *error)
{
    struct gsim_error found = {0};
    uint32_t iterations = s->until_steady ? (uint32_t)timeline->iteration_count
                          : s->iterations ? s->iterations
                                          : s->program->iterations;
    bool is_placed = timeline->gpu_count > 1 && s->memory != GSIM_MEMORY_MANAGED &&
                     (s->placement || s->op_plan || s->scheduler->places);
    enum gsim_status status = gsim_verify_timeline(timeline, s->program, iterations, is_placed, &found);
    if (status == GSIM_OK) return GSIM_OK;
    return gsim_error_set(error, status, "%s with %s: %s", s->program->name, s->scheduler->name, found.message);
}

/* Every kernel ran in each of its task's requests. Of a source the engine has seen to it. */
static enum gsim_status verify_tasks(const struct gsim_task_set *set, const struct gsim_timeline *timeline,
                                     struct gsim_error *error)
{
    for (uint32_t i = 0; i < set->count; i++) {
        uint64_t expected = 0, found = 0, requests = 0;
        if (set->tasks[i].source) continue;
        for (uint32_t o = 0; o < set->programs[i].op_count; o++)
            expected += set->programs[i].ops[o].kind == GSIM_OP_KERNEL;
        for (size_t r = 0; r < timeline->request_count; r++) requests += timeline->requests[r].task == i;
        for (size_t k = 0; k < timeline->kernel_count; k++) found += timeline->kernels[k].task == i;
        if (found != expected * requests)
            return gsim_error_set(error, GSIM_SIM, "%s: %llu kernels ran, expected %llu", set->tasks[i].name,
                                  (unsigned long long)found, (unsigned long long)(expected * requests));
    }
    return GSIM_OK;
}

enum gsim_status gsim_run(const struct gsim_scenario *scenario, struct gsim_timeline *timeline,
                          struct gsim_error *error)
{
    const struct gsim_simulation *s = &scenario->simulation;
    enum gsim_status status = gsim_simulate(s, timeline, error);
    if (status || !scenario->is_checked || s->folds || s->omits_kernels) return status;
    return s->tasks ? verify_tasks(s->tasks, timeline, error) : verify_program(s, timeline, error);
}
