/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). --place best and --sched best: each one is simulated, and the one with the least makespan
 * taken. It says by how much, and how sure that is (ask/questions/best.h).
 */
#include "ask/questions/best.h"
#include "ask/questions/question.h"
#include "cli/cli.h"

#define GUESS "best"

static void tell(const struct gsim_ranking *r, const char *option)
{
    if (r->count < 2) return;
    double gain = r->second.us / r->best.us - 1, mean = r->sum_us / (double)r->count / r->best.us - 1;
    double sure = gsim_ranking_sure(r->best.us, r->second.us);
    fprintf(stderr, "gpusim: note: %s best is %s, %.1f %% before %s, %.1f %% before the mean of %zu; "
            "%.0f %% sure that it beats %s\n",
            option, r->best.name, 100 * gain, r->second.name, 100 * mean, r->count, 100 * sure, r->second.name);
}

bool gsim_cli_is_best(const char *text) { return text && strcmp(text, GUESS) == 0; }

static bool fits(const struct gsim_scheduler_ops *scheduler, const struct gsim_placement_ops *placement)
{
    return scheduler->places ? placement->choose != NULL : gsim_scheduler_can_place(scheduler);
}

enum gsim_status gsim_cli_best_place(struct gsim_cli_point *point, bool tells, struct gsim_error *error)
{
    struct gsim_ranking ranking = {0};
    struct gsim_simulation s = point->simulation;
    struct gsim_metrics m;
    if (s.gpu_count == 1 || !fits(s.scheduler, gsim_placement_at(0))) return GSIM_OK; /* there is no choice */
    s.detailed = false;
    s.observer = NULL;
    s.placement = NULL;
    bool is_own = s.scheduler->places ||
                  s.scheduler->uses_devices; /* others take the program's own GPUs from the placement "program" */
    enum gsim_status status = is_own ? gsim_question_run(&s, &m, error) : GSIM_OK;
    if (status == GSIM_OK && is_own) gsim_ranking_add(&ranking, "the program's own", gsim_time_us(m.makespan));
    for (uint32_t i = 0; gsim_placement_at(i) && status == GSIM_OK; i++) {
        s.placement = gsim_placement_at(i);
        if (!fits(s.scheduler, s.placement) || (is_own && s.placement->follows_program)) continue;
        status = gsim_question_run(&s, &m, error);
        if (status == GSIM_OK) gsim_ranking_add(&ranking, s.placement->name, gsim_time_us(m.makespan));
    }
    if (status != GSIM_OK) return status;
    point->simulation.placement = gsim_placement_find(ranking.best.name);
    point->simulation.placement_params = NULL;
    if (tells) tell(&ranking, "--place");
    return GSIM_OK;
}

enum gsim_status gsim_cli_best_scheduler(const struct gsim_cli_setup *setup, const char *workload,
                                         const struct gsim_scheduler_ops **best, struct gsim_error *error)
{
    struct gsim_ranking ranking = {0};
    enum gsim_status status = GSIM_OK;
    *best = NULL;
    for (uint32_t i = 0; gsim_scheduler_at(i) && status == GSIM_OK; i++) {
        const struct gsim_scheduler_ops *scheduler = gsim_scheduler_at(i);
        struct gsim_cli_point point;
        struct gsim_metrics m;
        if (setup->gpus > 1 && !gsim_scheduler_can_place(scheduler)) continue;
        if (setup->arguments->value[GSIM_CLI_PLACE] && gsim_cli_ignores_place(scheduler)) continue;
        status = gsim_cli_point_init(&point, setup, workload, scheduler, error);
        if (status != GSIM_OK) return status;
        if (point.source && !scheduler->takes_source) {
            gsim_cli_point_release(&point);
            continue;
        }
        if (setup->places_best) status = gsim_cli_best_place(&point, false, error);
        if (status == GSIM_OK) status = gsim_question_run(&point.simulation, &m, error);
        if (status == GSIM_OK) gsim_ranking_add(&ranking, scheduler->name, gsim_time_us(m.makespan));
        gsim_cli_point_release(&point);
        if (status == GSIM_INPUT) status = GSIM_OK; /* it does not take such a program: ERROR tells of the last one */
    }
    if (status != GSIM_OK) return status;
    if (!ranking.count) return error->status;
    *best = gsim_scheduler_find(ranking.best.name);
    tell(&ranking, "--sched");
    return GSIM_OK;
}
