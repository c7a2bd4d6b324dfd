/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim schedule TRACE": what streams are worth to a step as one CUDA graph. Each policy's
 * assignment for two and more streams is simulated (ask/schedule/assign.h), the best one told, with its interval, and
 * written.
 */
#include "cli/schedule/schedule.h"

#include "cli/figures/plot.h"
#include "cli/whatif/subject.h"
#include "source/pytorch/plan.h"
#include "traces/import/pytorch/graph_dot.h"
#include "gpusim/version.h"
#include "ask/schedule/assign.h"
#include "sim/base/output.h"
#include "traces/import/pytorch/operators.h"

#define STREAMS_DEFAULT 4
#define RUNS_DEFAULT    20
#define ALIKE           1e-5 /* two policies' times that differ by less differ by rounding: the first one counts */
#define POLICIES        3

struct schedule {
    const char *subject, *device;
    const struct gsim_units *units;
    const struct gsim_traced_operators *operators; /* empty: none are known */
    const uint32_t *roots;       /* by unit: its operator, GSIM_NO_OPERATOR for none */
    uint32_t asked;              /* at most so many streams */
    const struct gsim_assignment *one, *tried; /* all on one stream; the best of each policy */
    uint32_t tried_count, best;  /* of TRIED */
    struct gsim_worth worth;
};

/* --- the plan as JSON, a node for each kernel and copy (docs/schemas/schedule.json) --- */
/* The plan to apply: the best of SCHEDULE's tried ones, or all on one stream where nothing gains. */
static const struct gsim_assignment *plan_of(const struct schedule *s)
{
    return s->tried_count && s->tried[s->best].us < s->one->us ? &s->tried[s->best] : s->one;
}

static void put_node(struct gsim_output *out, const struct schedule *s, const struct gsim_assignment *plan,
                     uint32_t unit, uint32_t node)
{
    const struct gsim_units *u = s->units;
    const struct gsim_op *op = &u->source->ops[u->nodes[node]];
    const char *separator = "";
    gsim_output_put(out, "    {'node': %u, 'op': %u, 'name': %q", node, u->nodes[node],
                    op->kind == GSIM_OP_KERNEL ? u->source->kernels[op->kernel_index].name : "copy");
    if (s->roots[unit] != GSIM_NO_OPERATOR)
        gsim_output_put(out, ", 'operator': %q", s->operators->items[s->roots[unit]].name);
    gsim_output_put(out, ", 'unit': %u, 'stream': %u, 'waits': [", unit, plan->stream_of[unit]);
    for (uint32_t w = plan->wait_start[unit]; node == u->units[unit].first && w < plan->wait_start[unit + 1];
         w++, separator = ", ") {
        const struct gsim_unit *before = &u->units[plan->waits[w]];
        gsim_output_printf(out, "%s%u", separator, before->first + before->count - 1);
    }
    gsim_output_printf(out, "]}%s\n", node + 1 == u->node_count ? "" : ",");
}

struct question {
    const struct gsim_cli_arguments *arguments;
    struct gsim_cli_subject subject;
    struct gsim_program graph; /* of --cuda-graph */
    struct gsim_simulation base;
    struct gsim_units units;
    struct gsim_traced_operators operators;
    struct schedule found;
    struct gsim_assignment one, tried[POLICIES];
    uint32_t runs;
    struct gsim_arena arena;
};

/* --- what is asked --- */
static bool is_of_machine(const char *opt)
{
    static const char *const scopes[] = {"gpu.", "device.", "rule."};
    for (size_t i = 0; i < sizeof scopes / sizeof scopes[0]; i++)
        if (strncmp(opt, scopes[i], strlen(scopes[i])) == 0) return true;
    return false;
}

/* The trace is read as "whatif" reads it: --sched and its options are for who assigns. */
static enum gsim_status load(struct question *q, struct gsim_error *error)
{
    struct gsim_cli_arguments arguments = *q->arguments;
    arguments.value[GSIM_CLI_SCHED] = NULL;
    arguments.opts = GSIM_ARENA_ARRAY(&q->arena, const char *, arguments.opt_count + 1);
    arguments.opt_count = 0;
    for (size_t i = 0; i < q->arguments->opt_count; i++)
        if (is_of_machine(q->arguments->opts[i])) arguments.opts[arguments.opt_count++] = q->arguments->opts[i];
    enum gsim_status status = gsim_cli_subject_init(&q->subject, &arguments, error);
    if (status != GSIM_OK) return status;
    const char *graph = q->arguments->value[GSIM_CLI_CUDA_GRAPH];
    q->base = q->subject.point.simulation;
    if (graph && q->arguments->value[GSIM_CLI_EXECUTION_TRACE])
        return gsim_refuse(error,
                           "--cuda-graph and --execution-trace: both say what depends on what, expected one of them");
    if (graph && !q->subject.is_trace)
        return gsim_refuse(error, "--cuda-graph: applies to traces, '%.200s' is none", q->arguments->operands[0]);
    if (graph) {
        q->base.program = &q->graph;
        q->base.demands = NULL;
        return gsim_graph_dot_apply(graph, &q->subject.point.program, &q->graph, error);
    }
    if (gsim_cli_subject_has_data(&q->subject)) return GSIM_OK;
    return gsim_refuse(
        error,
        "'%.200s' does not say what its kernels read and write: expected --execution-trace FILE with it, or "
        "--cuda-graph FILE",
        q->arguments->operands[0]);
}

/* By op: the operator that it stands in, counted from 1; 0 where none is known. A trace that is not quite JSON names
 * none. */
static void find_groups(struct question *q, uint64_t **groups)
{
    const struct gsim_import_origin *origin = &q->subject.origin;
    struct gsim_error unreadable = {0};
    *groups = GSIM_ARENA_ARRAY(&q->arena, uint64_t, (size_t)q->subject.point.program.op_count + 1);
    bool has_numbers = false;
    for (uint32_t i = 0; i < origin->count; i++) has_numbers |= origin->external[i] != 0;
    if (!has_numbers || q->arguments->value[GSIM_CLI_CUDA_GRAPH] || strcmp(q->arguments->operands[0], "-") == 0) return;
    if (gsim_traced_operators_read(q->arguments->operands[0], &q->operators, &unreadable) || !q->operators.count)
        fprintf(stderr,
                "gpusim: note: the trace's operators are not known: each kernel may go to a stream of its own\n");
    for (uint32_t i = 0; i < origin->count && i < q->subject.point.program.op_count; i++) {
        uint32_t root =
            gsim_traced_operators_root(&q->operators, gsim_traced_operators_find(&q->operators, origin->external[i]));
        (*groups)[i] = root == GSIM_NO_OPERATOR ? 0 : (uint64_t)root + 1;
    }
}

static enum gsim_status prepare(struct question *q, struct gsim_error *error)
{
    uint64_t *groups;
    find_groups(q, &groups);
    enum gsim_status status = gsim_units_init(&q->units, &q->base, groups, error);
    uint32_t *roots = status == GSIM_OK ? GSIM_ARENA_ARRAY(&q->arena, uint32_t, (size_t)q->units.count + 1) : NULL;
    if (status != GSIM_OK) return status;
    for (uint32_t i = 0; i < q->units.count; i++)
        roots[i] = (uint32_t)groups[q->units.nodes[q->units.units[i].first]] - 1; /* of 0: GSIM_NO_OPERATOR */
    q->found.subject = q->subject.point.program.name;
    q->found.device = q->subject.setup.device.name;
    q->found.units = &q->units;
    q->found.operators = &q->operators;
    q->found.roots = roots;
    q->found.one = &q->one;
    q->found.tried = q->tried;
    return GSIM_OK;
}

/* --- the search --- */
static enum gsim_status search_all(struct question *q, struct gsim_error *error)
{
    const char *name = q->arguments->value[GSIM_CLI_SCHED];
    const struct gsim_scheduler_ops *schedulers[POLICIES] = {NULL, gsim_scheduler_find("kesco"),
                                                             gsim_scheduler_find("heft")};
    uint32_t count = POLICIES;
    enum gsim_status status = GSIM_OK;
    if (name) count = 1;
    if (name && strcmp(name, "list") != 0) status = gsim_cli_scheduler(name, &schedulers[0], error);
    bool is_list = !schedulers[0];
    if (status == GSIM_OK) status = gsim_cli_check_opts(q->arguments, schedulers + is_list, count - is_list, error);
    if (status == GSIM_OK) status = gsim_assign_list(&q->one, &q->units, &q->base, 1, error);
    if (status == GSIM_OK) status = gsim_assignment_time(&q->one, &q->units, &q->base, error);
    for (uint32_t i = 0; i < count && status == GSIM_OK; i++) {
        void *params = NULL;
        if (schedulers[i]) status = gsim_cli_params(q->arguments, schedulers[i], &q->arena, &params, error);
        if (status == GSIM_OK)
            status = gsim_assign_best(&q->tried[i], &q->units, &q->base, q->found.asked, schedulers[i], params, error);
        q->found.tried_count++;
        if (status == GSIM_OK && q->tried[i].us < q->tried[q->found.best].us * (1 - ALIKE)) q->found.best = i;
    }
    return status;
}

/* --- what comes out --- */
static void put_text(const void *what, struct gsim_output *out)
{
    const struct question *q = what;
    const struct schedule *f = &q->found;
    const struct gsim_assignment *best = &f->tried[f->best];
    bool is_worth = plan_of(f) != f->one;
    gsim_output_printf(out, "%s on %s: %u kernels and copies of %u units as one CUDA graph\n", f->subject, f->device,
                       q->units.node_count, q->units.count);
    gsim_output_printf(out, "\n%-12s %8s %12s %9s\n%-12s %8u %12.1f %9s\n", "assignment", "streams", "us", "worth %",
                       "one stream", 1u, q->one.us, "");
    for (uint32_t i = 0; i < f->tried_count; i++)
        gsim_output_printf(out, "%-12s %8u %12.1f %+9.1f\n", f->tried[i].policy, f->tried[i].stream_count,
                           f->tried[i].us, 100 * (1 - f->tried[i].us / q->one.us));
    gsim_output_text(out, "\n");
    if (best->stream_count > 1)
        gsim_output_printf(out, "streams are worth %.1f %%, %.1f to %.1f: ", f->worth.percent, f->worth.low,
                           f->worth.high);
    if (best->stream_count == 1)
        gsim_output_text(out, "streams are worth nothing: all stays on one\n");
    else if (is_worth)
        gsim_output_printf(out, "%u streams by %s, %u waits\n", best->stream_count, best->policy,
                           best->wait_start[q->units.count]);
    else
        gsim_output_text(out, "one stream stays\n");
    if (is_worth && f->worth.low < 0) gsim_output_text(out, "that may be a loss: measure both\n");
}

static void put_json(const void *what, struct gsim_output *out)
{
    const struct schedule *s = &((const struct question *)what)->found;
    const struct gsim_assignment *plan = plan_of(s);
    gsim_output_put(out, "{\n  'schema': 'gpusim-schedule/1',\n  'version': '" GPUSIM_VERSION "',\n  'program': %q,\n"
                         "  'device': %q,\n  'most_streams': %u,\n  'policy': '%s',\n  'streams': %u, "
                         "'one_stream_us': %r, 'planned_us': %r,\n  'worth': {'percent': %r, 'low': %r, 'high': %r, "
                         "'plain': %r},\n  'tried': [\n", s->subject, s->device, s->asked, plan->policy,
                    plan->stream_count, s->one->us, plan->us, s->worth.percent, s->worth.low, s->worth.high,
                    s->worth.plain);
    for (uint32_t i = 0; i < s->tried_count; i++)
        gsim_output_put(out, "    {'policy': '%s', 'streams': %u, 'us': %r}%s\n", s->tried[i].policy,
                        s->tried[i].stream_count, s->tried[i].us, i + 1 == s->tried_count ? "" : ",");
    gsim_output_text(out, "  ],\n  \"nodes\": [\n");
    for (uint32_t i = 0; i < s->units->count; i++)
        for (uint32_t n = 0; n < s->units->units[i].count; n++) put_node(out, s, plan, i, s->units->units[i].first + n);
    gsim_output_text(out, "  ]\n}\n");
}

static enum gsim_status put_files(struct question *q, struct gsim_error *error)
{
    const char *json = q->arguments->value[GSIM_CLI_OUTPUT], *python = q->arguments->value[GSIM_CLI_PYTHON];
    struct gsim_output out = {0};
    enum gsim_status status = GSIM_OK;
    if (python) {
        const struct gsim_assignment *best = plan_of(&q->found);
        const struct gsim_pytorch_plan plan = {best->stream_count, q->units.count, best->stream_of, q->found.roots,
                                               &q->operators};
        const char *command = gsim_cli_command_line(q->arguments, &q->arena);
        status = gsim_output_open(&out, python, error);
        if (status == GSIM_OK) status = gsim_pytorch_plan_put(&out, &plan, command, error);
        if (status == GSIM_OK) status = gsim_output_commit(&out, error);
        gsim_output_release(&out);
    }
    return status == GSIM_OK && json ? gsim_output_write(json, put_json, q, error) : status;
}

static bool is_stdout(const char *path) { return path && strcmp(path, "-") == 0; }

enum gsim_status gsim_cli_schedule_trace(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct question q = {.arguments = arguments};
    bool is_silent = is_stdout(arguments->value[GSIM_CLI_OUTPUT]) || is_stdout(arguments->value[GSIM_CLI_PYTHON]);
    enum gsim_status status =
        gsim_cli_count(arguments, GSIM_CLI_STREAMS, 1, GSIM_ASSIGN_STREAMS, STREAMS_DEFAULT, &q.found.asked, error);
    if (status == GSIM_OK)
        status = gsim_cli_count(arguments, GSIM_CLI_SPREAD_RUNS, 1, GSIM_LIMIT_SPREAD, RUNS_DEFAULT, &q.runs, error);
    if (status == GSIM_OK) status = load(&q, error);
    if (status == GSIM_OK) status = prepare(&q, error);
    if (status == GSIM_OK) status = search_all(&q, error);
    if (status == GSIM_OK)
        status = gsim_worth_find(&q.one, &q.tried[q.found.best], &q.units, &q.base, q.runs, &q.found.worth, error);
    if (status == GSIM_OK) status = put_files(&q, error);
    if (status == GSIM_OK && !is_silent) status = gsim_output_write("-", put_text, &q, error);
    gsim_assignment_release(&q.one);
    for (uint32_t i = 0; i < POLICIES; i++) gsim_assignment_release(&q.tried[i]);
    gsim_traced_operators_release(&q.operators);
    gsim_units_release(&q.units);
    gsim_program_release(&q.graph);
    gsim_cli_subject_release(&q.subject);
    gsim_arena_release(&q.arena);
    return status;
}
