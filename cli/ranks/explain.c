/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim explain RANK0 RANK1 ...": what each rank's step goes into, and which rank the others
 * wait for. */
#include <math.h>
#include <string.h>

#include "cli/ranks/traces.h"
#include "cli/whatif/whatif.h"
#include "sim/base/output.h"

#define ITERATIONS 3 /* the last one is explained: the first begin together */

struct explained {
    struct gsim_cli_rank_traces traces;
    struct gsim_cli_rank_time *times;
    uint32_t late; /* the rank that waits least for the others */
    double step_us;
};

static enum gsim_status run(struct explained *e, const char *change, struct gsim_error *error)
{
    struct gsim_cli_rank_traces *t = &e->traces;
    struct gsim_whatif_row row = {0};
    struct gsim_variant v = {0};
    struct gsim_timeline timeline = {0};
    bool is_changed = change && strcmp(change, GSIM_WHATIF_NOW) != 0;
    t->base.iterations = ITERATIONS;
    e->times = GSIM_ARENA_ARRAY(&t->arena, struct gsim_cli_rank_time, t->count);
    if (!e->times) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    enum gsim_status status = is_changed ? gsim_whatif_parse(change, strlen(change), &row, error) : GSIM_OK;
    if (!status) status = gsim_variant_of(&v, &t->base, row.changes, row.count, error);
    if (!status && v.note[0]) fprintf(stderr, "gpusim: note: --change %s: %s\n", change, v.note);
    if (!status) status = gsim_run(&(struct gsim_scenario){.simulation = v.simulation}, &timeline, error);
    if (!status) e->late = gsim_cli_rank_times(&timeline, t->count, e->times, &e->step_us);
    gsim_timeline_release(&timeline);
    gsim_variant_release(&v);
    return status;
}

/* Why the late rank is late: more of its own kernels, or its host. */
static const char *reason(const struct explained *e)
{
    const struct gsim_cli_rank_time *late = &e->times[e->late];
    double kernels = 0, idle = 0;
    for (uint32_t i = 0; i < e->traces.count; i++) {
        if (i == e->late) continue;
        kernels = fmax(kernels, late->kernels - e->times[i].kernels);
        idle = fmax(idle, late->idle - e->times[i].idle);
    }
    return kernels >= idle ? "its kernels take longer" : "its GPU idles longer: its host is late";
}

static double others_waiting(const struct explained *e)
{
    double most = 0;
    for (uint32_t i = 0; i < e->traces.count; i++)
        if (i != e->late) most = fmax(most, e->times[i].all_waiting);
    return most;
}

static void put_text(const void *what, struct gsim_output *out)
{
    const struct explained *e = what;
    const struct gsim_cli_rank_traces *t = &e->traces;
    gsim_output_printf(
        out, "%u ranks under async on %s, an iteration as it repeats\n\na step now: %.1f us without the profiler\n\n",
        gsim_changeable_ranks(&t->base), t->simulation.device->name, e->step_us);
    gsim_output_printf(out, "%-6s %12s %12s %14s %12s %12s\n", "rank", "step us", "computing", "transferring",
                       "waiting", "idle");
    for (uint32_t i = 0; i < t->count; i++) {
        const struct gsim_cli_rank_time *r = &e->times[i];
        gsim_output_printf(out, "%-6u %12.1f %12.1f %14.1f %12.1f %12.1f\n", t->traces[i].rank, r->step, r->compute,
                           r->exposed_transfer, r->exposed_waiting, r->idle);
    }
    gsim_output_text(out, "  computing: some kernel or copy runs; transferring, waiting: exposed communication, a "
                          "collective alone on the GPU,\n"
                          "  with all ranks there and for the slowest one; idle: nothing\n\n");
    if (others_waiting(e) > 0)
        gsim_output_printf(out, "rank %u is late: others wait %.1f us for it; %s\n", t->traces[e->late].rank,
                           others_waiting(e), reason(e));
}

/* What is said of a rank, in us, in the order of columns. */
#define TIMES 9
static const char *const time_names[TIMES] = {"step_us",   "computing_us",   "transferring_us", "waiting_us", "idle_us",
                                              "kernel_us", "all_waiting_us", "all_transfer_us", "start_us"};

static double time_of(const struct explained *e, uint32_t i, size_t column)
{
    const struct gsim_cli_rank_time *r = &e->times[i];
    const double times[TIMES] = {r->step,    r->compute,     r->exposed_transfer, r->exposed_waiting, r->idle,
                                 r->kernels, r->all_waiting, r->all_transfer, e->traces.traces[i].offset_us};
    return times[column];
}

static void put_csv(const void *what, struct gsim_output *out)
{
    const struct explained *e = what;
    gsim_output_text(out, "rank,file");
    for (size_t n = 0; n < TIMES; n++) gsim_output_printf(out, ",%s", time_names[n]);
    for (uint32_t i = 0; i < e->traces.count; i++) {
        gsim_output_put(out, "\n%u,%c", e->traces.traces[i].rank, e->traces.traces[i].path);
        for (size_t n = 0; n < TIMES; n++) gsim_output_put(out, ",%f", time_of(e, i, n));
    }
    gsim_output_text(out, "\n");
}

static void put_json(const void *what, struct gsim_output *out)
{
    const struct explained *e = what;
    const struct gsim_cli_rank_traces *t = &e->traces;
    gsim_output_put(out, "{\n  'schema': 'gpusim-explain-ranks/1',\n  'version': '%s',\n  'device': %q,\n  "
                         "'step_us': %f,\n  'late_rank': %u,\n  'late_by_us': %f,\n  'late_why': %q,\n  'ranks': [",
                    GPUSIM_VERSION, t->simulation.device->name, e->step_us, t->traces[e->late].rank, others_waiting(e),
                    reason(e));
    for (uint32_t i = 0; i < t->count; i++) {
        gsim_output_put(out, "%s\n    {'rank': %u, 'file': %q", i ? "," : "", t->traces[i].rank, t->traces[i].path);
        for (size_t n = 0; n < TIMES; n++) gsim_output_json_real(out, time_names[n], time_of(e, i, n));
        gsim_output_text(out, "}");
    }
    gsim_output_text(out, "\n  ],\n  ");
    gsim_cli_rank_put_notes(out, t);
    gsim_output_text(out, "\n}\n");
}

int gsim_cli_explain_ranks(const struct gsim_cli_arguments *arguments)
{
    struct gsim_error error = {0};
    struct explained e = {0};
    const char *keeps = arguments->value[GSIM_CLI_PROFILER_OVERHEAD];
    enum gsim_status status =
        gsim_cli_rank_traces_read(&e.traces, arguments, !keeps || strcmp(keeps, "keep") != 0, &error);
    if (!status) status = run(&e, arguments->value[GSIM_CLI_CHANGE], &error);
    if (!status)
        status = gsim_cli_write(arguments->value[GSIM_CLI_CSV], arguments->value[GSIM_CLI_REPORT],
                                &(struct gsim_cli_forms){put_csv, put_json, put_text}, &e, &error);
    gsim_cli_rank_traces_release(&e.traces);
    return status ? gsim_cli_fail(&error) : 0;
}
