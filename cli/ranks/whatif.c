/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim whatif RANK0 RANK1 ...": what changes of the communication would be worth
 * (cli/ranks/changes.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ranks/changes.h"
#include "sim/base/output.h"

#define MOST_ROWS 32

struct row {
    char text[96];
    double us;   /* NAN: it has no effect, or cannot be run */
    char note[160];
    bool has_effect;
};

struct asked {
    struct gsim_cli_rank_traces traces;
    struct row rows[MOST_ROWS];
    uint32_t count, late;
    double now_us;
    struct gsim_cli_rank_time *times;
};

static void add(struct asked *a, const char *text)
{
    if (a->count < MOST_ROWS) snprintf(a->rows[a->count++].text, sizeof a->rows[0].text, "%s", text);
}

static enum gsim_status run_row(struct asked *a, struct row *row, struct gsim_error *error)
{
    struct gsim_rank_change changes[GSIM_RANK_CHANGES_MOST];
    struct gsim_rank_variant v = {0};
    struct gsim_error own = {0};
    uint32_t count = 0;
    enum gsim_status status = gsim_rank_changes_parse(row->text, changes, &count, error);
    if (status) return status;
    row->us = NAN;
    status = gsim_rank_variant_init(&v, &a->traces, changes, count, &own);
    if (!status && v.has_effect) status = gsim_rank_variant_run(&v, &a->traces, &row->us, NULL, &own);
    row->has_effect = !status && v.has_effect;
    snprintf(row->note, sizeof row->note, "%.150s", status ? own.message : v.note);
    if (status) row->us = NAN;
    else if (!v.has_effect) row->us = a->now_us;
    gsim_rank_variant_release(&v);
    return status == GSIM_NOMEM ? gsim_error_set(error, status, "%s", own.message) : GSIM_OK;
}

static enum gsim_status run_now(struct asked *a, struct gsim_error *error)
{
    struct gsim_rank_variant v = {0};
    a->times = GSIM_ARENA_ARRAY(&a->traces.arena, struct gsim_cli_rank_time, a->traces.count);
    enum gsim_status status = a->times ? gsim_rank_variant_init(&v, &a->traces, NULL, 0, error)
                                       : gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (!status) status = gsim_rank_variant_run(&v, &a->traces, &a->now_us, a->times, error);
    for (uint32_t i = 1; i < a->traces.count && !status; i++)
        if (a->times[i].all_waiting < a->times[a->late].all_waiting) a->late = i;
    gsim_rank_variant_release(&v);
    return status;
}

/* Without --change all that may matter. */
static void choose(struct asked *a, const char *text)
{
    static const char *const all[] = {"comm=2x",  "channels=1", "channels=4", "channels=16", "bucket=1",
                                      "bucket=5", "bucket=25",  "bucket=100", "overlap=on",  "overlap=off",
                                      "priority", "graph",      "kernels=2x", "hw_queues=1", "copy_engine"};
    char late[32];
    for (const char *at = text; text; at++) {
        size_t length = strcspn(at, ",");
        char one[96];
        snprintf(one, sizeof one, "%.*s", (int)length, at);
        add(a, one);
        at += length;
        if (!*at) return;
    }
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) add(a, all[i]);
    snprintf(late, sizeof late, "rank:%u=2x", a->late);
    add(a, late);
}

static int by_time(const void *x, const void *y)
{
    const struct row *a = x, *b = y;
    if (isnan(a->us) || isnan(b->us)) return isnan(a->us) - isnan(b->us);
    return a->us < b->us ? -1 : a->us > b->us;
}

static void put_text(const void *what, struct gsim_output *out)
{
    const struct asked *a = what;
    gsim_output_printf(out, "%u ranks under async on %s\n\na step now: %.1f us without the profiler\n\n",
                       a->traces.count, a->traces.setup.device.name, a->now_us);
    gsim_output_printf(out, "%-24s %14s %12s %10s\n", "change", "step us", "saved us", "saved %");
    for (uint32_t i = 0; i < a->count; i++) {
        const struct row *r = &a->rows[i];
        if (isnan(r->us))
            gsim_output_printf(out, "%-24s %14s %12s %10s  %s\n", r->text, "-", "-", "-",
                               r->note[0] ? r->note : "no effect");
        else
            gsim_output_printf(out, "%-24s %14.1f %12.1f %10.2f  %s\n", r->text, r->us, a->now_us - r->us,
                               100 * (1 - r->us / a->now_us), r->note);
    }
}

static void put_csv(const void *what, struct gsim_output *out)
{
    const struct asked *a = what;
    gsim_output_text(out, "change,time_us,saved_us,saved_percent,note\n");
    for (uint32_t i = 0; i < a->count; i++) {
        const struct row *r = &a->rows[i];
        if (isnan(r->us)) gsim_output_put(out, "%c,,,,%c\n", r->text, r->note);
        else
            gsim_output_put(out, "%c,%f,%f,%f,%c\n", r->text, r->us, a->now_us - r->us, 100 * (1 - r->us / a->now_us),
                            r->note);
    }
}

static void put_json(const void *what, struct gsim_output *out)
{
    const struct asked *a = what;
    gsim_output_put(out, "{\n  'schema': 'gpusim-whatif-ranks/1',\n  'version': '%s',\n  'device': %q,\n  'ranks': "
                         "%u,\n  'late_rank': %u,\n  'time_us': %f,\n  'changes': [", GPUSIM_VERSION,
                    a->traces.setup.device.name, a->traces.count, a->traces.traces[a->late].rank, a->now_us);
    for (uint32_t i = 0; i < a->count; i++) {
        const struct row *r = &a->rows[i];
        gsim_output_put(out, "%s%q, 'has_effect': %b, 'time_us': %r, 'saved_us': %r, 'saved_percent': %r, 'note': %q}",
                        i ? ",\n    {\"change\": " : "\n    {\"change\": ", r->text, r->has_effect, r->us,
                        a->now_us - r->us, 100 * (1 - r->us / a->now_us), r->note);
    }
    gsim_output_text(out, "\n  ]\n}\n");
}

int gsim_cli_whatif_ranks(const struct gsim_cli_arguments *arguments)
{
    struct gsim_error error = {0};
    struct asked *a = gsim_alloc(sizeof *a);
    const char *keeps = arguments->value[GSIM_CLI_PROFILER_OVERHEAD];
    if (!a) return gsim_cli_fail(&(struct gsim_error){GSIM_NOMEM, "out of memory"});
    memset(a, 0, sizeof *a);
    enum gsim_status status =
        gsim_cli_rank_traces_read(&a->traces, arguments, !keeps || strcmp(keeps, "keep") != 0, &error);
    if (!status) status = run_now(a, &error);
    if (!status) choose(a, arguments->value[GSIM_CLI_CHANGE]);
    for (uint32_t i = 0; i < a->count && !status; i++) status = run_row(a, &a->rows[i], &error);
    if (!status) qsort(a->rows, a->count, sizeof a->rows[0], by_time);
    if (!status)
        status = gsim_cli_write(arguments->value[GSIM_CLI_CSV], arguments->value[GSIM_CLI_REPORT],
                                &(struct gsim_cli_forms){put_csv, put_json, put_text}, a, &error);
    gsim_cli_rank_traces_release(&a->traces);
    gsim_free(a);
    return status ? gsim_cli_fail(&error) : 0;
}
