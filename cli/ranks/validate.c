/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). Traces of ranks for "gpusim validate": replayed together, a row of each
 * (cli/ranks/traces.h). */
#include <math.h>
#include <string.h>

#include "cli/ranks/traces.h"
#include "trust/validate/alone.h"
#include "trust/validate/traces.h"

/* When each op of TASK's program started and ended, from the rank's first launch on. */
static void find_moments(const struct gsim_timeline *t, const struct gsim_scenario *scenario, uint32_t task,
                         struct gsim_moment *moments, uint32_t op_count)
{
    uint32_t first = scenario->set->first_op[task];
    gsim_time origin = GSIM_TIME_NEVER;
    for (uint32_t i = 0; i < op_count; i++) moments[i] = (struct gsim_moment){NAN, NAN};
    for (size_t i = 0; i < t->kernel_count; i++)
        if (t->kernels[i].task == task && t->kernels[i].launch < origin) origin = t->kernels[i].launch;
    for (size_t i = 0; i < t->copy_count; i++)
        if (t->copies[i].task == task && t->copies[i].launch < origin) origin = t->copies[i].launch;
    for (size_t i = 0; i < t->kernel_count; i++)
        if (t->kernels[i].task == task)
            moments[t->kernels[i].op - first] = (struct gsim_moment){gsim_time_us(t->kernels[i].start - origin),
                                                                     gsim_time_us(t->kernels[i].end - origin)};
    for (size_t i = 0; i < t->copy_count; i++)
        if (t->copies[i].task == task)
            moments[t->copies[i].op - first] = (struct gsim_moment){gsim_time_us(t->copies[i].start - origin),
                                                                    gsim_time_us(t->copies[i].end - origin)};
}

static enum gsim_status add(struct gsim_trace_validation *v, const struct gsim_cli_rank_trace *trace,
                            const struct gsim_timeline *timeline, const struct gsim_scenario *scenario, uint32_t task,
                            struct gsim_error *error)
{
    const char *slash = strrchr(trace->path, '/');
    struct gsim_moment *moments = gsim_alloc(sizeof *moments * ((size_t)trace->program.op_count + 1));
    char note[96];
    if (!moments) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    snprintf(note, sizeof note, "rank %u of %u, replayed with the others: %llu collectives", trace->rank, trace->world,
             (unsigned long long)trace->notes.collectives);
    find_moments(timeline, scenario, task, moments, trace->program.op_count);
    const struct gsim_validated_trace traced = {.file = slash ? slash + 1 : trace->path,
                                                .gpu = trace->notes.gpu,
                                                .program = &trace->program,
                                                .ops = trace->times.ops,
                                                .op_count = trace->times.count,
                                                .span_us = trace->notes.span_us,
                                                .repairs = gsim_import_repairs(&trace->notes),
                                                .notes = note};
    enum gsim_status status = gsim_trace_validation_add_replayed(v, &traced, moments, error);
    gsim_free(moments);
    return status;
}

enum gsim_status gsim_cli_validate_ranks(struct gsim_trace_validation *v, const struct gsim_cli_arguments *arguments,
                                         struct gsim_error *error)
{
    struct gsim_cli_rank_traces t = {0};
    struct gsim_scenario scenario = {0};
    struct gsim_timeline timeline = {0};
    struct gsim_client *clients = NULL;
    const char *overhead = arguments->value[GSIM_CLI_PROFILER_OVERHEAD];
    enum gsim_status status =
        gsim_cli_rank_traces_read(&t, arguments, overhead && strcmp(overhead, "remove") == 0, error);
    if (!status) clients = GSIM_ARENA_ARRAY(&t.arena, struct gsim_client, t.count);
    if (!status && !clients) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (uint32_t i = 0; i < t.count && !status; i++) {
        clients[i] = t.base.clients[i];
        clients[i].start_us = t.traces[i].offset_us;
    }
    scenario.simulation = t.simulation;
    if (!status) status = gsim_scenario_join(&scenario, clients, t.count, &t.base.links, 1, error);
    if (!status) status = gsim_run(&scenario, &timeline, error);
    for (uint32_t i = 0; i < t.count && !status; i++)
        status = add(v, &t.traces[i], &timeline, &scenario, i, error);
    gsim_timeline_release(&timeline);
    gsim_scenario_release(&scenario);
    gsim_cli_rank_traces_release(&t);
    return status;
}
