/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks as tasks that share nothing (include/gpusim/ranks.h). */
#include "gpusim/ranks.h"

#include "gpusim/limits.h"
#include "gpusim/simulate.h"

const struct gsim_sharing_ops gsim_sharing_ranks = {
    GSIM_HEAD(sharing),
    .name = "ranks",
    .summary = "each task is a rank on a GPU of its own",
    .source = "NCCL: one process for each GPU",
    .base.mechanism = GSIM_MECHANISM_RANKS,
};

/* The file's GPUs where each rank names another one that there can be, else one after the other. */
static void number_devices(const struct gsim_rank_program *list, uint32_t count, uint32_t *device_of, uint32_t *gpus)
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

static enum gsim_status fill(struct gsim_rank_set *set, const struct gsim_rank_program *list, uint32_t count,
                             uint32_t iterations, struct gsim_error *error)
{
    uint32_t *rank_of = GSIM_ARENA_ARRAY(&set->arena, uint32_t, count),
             *copies = GSIM_ARENA_ARRAY(&set->arena, uint32_t, count);
    set->set = GSIM_ARENA_NEW(&set->arena, struct gsim_task_set);
    set->tasks = GSIM_ARENA_ARRAY(&set->arena, struct gsim_task, count);
    if (set->arena.failed) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    set->ranks.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        rank_of[i] = list[i].rank;
        copies[i] = list[i].copies;
        set->ranks.count += list[i].copies;
        set->tasks[i] = (struct gsim_task){.name = gsim_arena_printf(&set->arena, "rank %u", list[i].rank),
                                           .program = list[i].program,
                                           .scheduler = list[i].scheduler,
                                           .scheduler_params = list[i].scheduler_params,
                                           .process = GSIM_OWN_PROCESS,
                                           .start_us = list[i].start_us,
                                           .requests = iterations ? iterations : list[i].program->iterations};
        if (!set->tasks[i].name) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    }
    set->ranks.rank_of = rank_of;
    set->ranks.copies = copies;
    return GSIM_OK;
}

enum gsim_status gsim_rank_set_init(struct gsim_rank_set *set, const struct gsim_rank_program *list, uint32_t count,
                                    const struct gsim_ranks *links, uint32_t iterations,
                                    struct gsim_simulation *simulation, struct gsim_error *error)
{
    *set = (struct gsim_rank_set){.ranks = *links};
    if (count > GSIM_LIMIT_TASKS)
        return gsim_error_set(error, GSIM_INPUT, "expected at most %d ranks that differ, found %u", GSIM_LIMIT_TASKS,
                              count);
    uint32_t *device_of = GSIM_ARENA_ARRAY(&set->arena, uint32_t, count + 1), gpus = 0;
    if (!device_of) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    enum gsim_status status = fill(set, list, count, iterations, error);
    number_devices(list, count, device_of, &gpus);
    set->ranks.device_of = device_of;
    const char *name = gsim_arena_printf(&set->arena, "%.70s on %u rank%s", list[0].program->name, set->ranks.count,
                                         set->ranks.count == 1 ? "" : "s");
    if (!status && !name) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (!status) status = gsim_task_set_init(set->set, name, set->tasks, count, error);
    if (status) return status;
    simulation->program = &set->set->all;
    simulation->tasks = set->set;
    simulation->sharing = &gsim_sharing_ranks;
    simulation->sharing_params = NULL;
    simulation->ranks = &set->ranks;
    simulation->gpu_count = gpus;
    simulation->scheduler = list[0].scheduler;
    simulation->iterations = 0;
    simulation->until_steady = false;
    return GSIM_OK;
}

void gsim_rank_set_release(struct gsim_rank_set *set)
{
    if (set->set) gsim_task_set_release(set->set);
    gsim_arena_release(&set->arena);
    *set = (struct gsim_rank_set){0};
}
