/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim explain": where the time of a run went, as text, CSV and JSON.
 */
#include "cli/whatif/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/energy.h"
#include "ask/whatif/moments.h"
#include "ask/whatif/rows.h"
#include "gpusim/limits.h"
#include "gpusim/order.h"
#include "sim/base/answer/answer.h"
#include "sim/base/text.h"

#define TEXT_COLUMNS 56
#define PATH_LINES   12
#define GAP_LINES    5
#define OWNERS       24
#define SCHEMA       "gpusim-explain/1"
#define SCHEMA_RANKS "gpusim-explain-ranks/1"
#define SCHEMA_TASKS "gpusim-explain-tasks/1"

struct row {
    enum gsim_cause cause;
    gsim_time time;
};

GSIM_ORDER(compare_rows, struct row, GSIM_DOWN(time) GSIM_UP(cause))

/* The causes that took time, the longest first. Returns how many. */
static uint32_t sort_causes(const struct gsim_explanation *x, bool is_busy, struct row rows[GSIM_CAUSE_COUNT])
{
    uint32_t count = 0;
    for (int c = 0; c < GSIM_CAUSE_COUNT; c++) {
        gsim_time time =
            is_busy ? gsim_explained_busy(x, (enum gsim_cause)c) : gsim_explained_idle(x, (enum gsim_cause)c);
        if (time && c != GSIM_CAUSE_NONE) rows[count++] = (struct row){(enum gsim_cause)c, time};
    }
    qsort(rows, count, sizeof *rows, compare_rows);
    return count;
}

static double share(gsim_time part, gsim_time whole) { return whole ? (double)part / (double)whole : 0; }

static void put_line(struct gsim_output *out, const char *indent, const char *text, gsim_time time, gsim_time makespan)
{
    char name[TEXT_COLUMNS + 8];
    int columns = TEXT_COLUMNS - (int)strlen(indent);
    gsim_text_fit(name, sizeof name, text, (size_t)columns);
    gsim_output_printf(out, "%s%-*s %14.3f  ", indent, columns, name, gsim_time_us(time));
    gsim_output_percent(out, 6, share(time, makespan), false);
    gsim_output_text(out, "\n");
}

/* CAUSE, or what the host did then where it is known. */
#define LABEL_BYTES (GSIM_LIMIT_NAME + 48)
static const char *label_of(enum gsim_cause cause, const char *what, char text[LABEL_BYTES])
{
    snprintf(text, LABEL_BYTES, "%s%s", what ? "host late: " : gsim_cause_text(cause), what ? what : "");
    return text;
}

static const char *part_name(const struct gsim_explanation *x, const struct gsim_path_part *part,
                             char text[LABEL_BYTES])
{
    static const char *const copies[] = {"copies to the device", "copies to the host", "copies within the device",
                                         "copies between GPUs"};
    if (part->kind == GSIM_PART_KERNEL) return x->moments->timeline->program->kernels[part->index].name;
    return part->kind == GSIM_PART_COPY ? copies[part->index]
                                        : label_of((enum gsim_cause)part->index, part->what, text);
}

static const char *work_name(const struct gsim_explanation *x, uint32_t work)
{
    const struct gsim_moments *m = x->moments;
    if (work == GSIM_NO_WORK) return "the end";
    const struct gsim_moment_work *w = &m->works[work];
    return w->is_copy ? "a copy" : m->timeline->program->kernels[w->kernel_index].name;
}

/* --- what the host did --- */
struct owner {
    enum gsim_cause cause;
    const char *what;
    gsim_time time, longest;
};

/* Of the idle time what the host did, where it is known; the first COUNT of OWNERS. */
static uint32_t find_owners(const struct gsim_explanation *x, struct owner owners[OWNERS])
{
    uint32_t count = 0;
    for (size_t i = 0; i < x->stretch_count; i++) {
        const struct gsim_stretch *s = &x->stretches[i];
        uint32_t k = 0;
        if (s->state != GSIM_GPU_IDLE || !s->what) continue;
        while (k < count && (owners[k].cause != s->cause || strcmp(owners[k].what, s->what) != 0)) k++;
        if (k == OWNERS) continue;
        if (k == count) owners[count++] = (struct owner){.cause = s->cause, .what = s->what};
        owners[k].time += s->end - s->start;
        if (s->end - s->start > owners[k].longest) owners[k].longest = s->end - s->start;
    }
    return count;
}

/* --- text --- */
static void put_states(struct gsim_output *out, const struct gsim_explanation *x)
{
    struct row rows[GSIM_CAUSE_COUNT];
    gsim_time idle = gsim_explained_state(x, GSIM_GPU_IDLE);
    put_line(out, "", "GPU busy", x->makespan - idle, x->makespan);
    for (int s = 0; s < GSIM_GPU_IDLE; s++) {
        gsim_time time = gsim_explained_state(x, (enum gsim_gpu_state)s);
        if (time) put_line(out, "  ", gsim_gpu_state_text((enum gsim_gpu_state)s), time, x->makespan);
    }
    put_line(out, "", "GPU idle", idle, x->makespan);
    struct owner owners[OWNERS];
    uint32_t count = sort_causes(x, false, rows), owner_count = find_owners(x, owners);
    for (uint32_t i = 0; i < count; i++) {
        put_line(out, "  ", gsim_cause_text(rows[i].cause), rows[i].time, x->makespan);
        for (uint32_t k = 0; k < owner_count; k++)
            if (owners[k].cause == rows[i].cause) put_line(out, "    ", owners[k].what, owners[k].time, x->makespan);
    }
    put_line(out, "", "all", x->makespan, x->makespan);
    count = sort_causes(x, true, rows);
    if (!count) return;
    gsim_output_text(out, "\nof the busy time: why no further kernel ran\n");
    for (uint32_t i = 0; i < count; i++) put_line(out, "  ", gsim_cause_text(rows[i].cause), rows[i].time, x->makespan);
}

/* Of several GPUs: what one of them does, and why it idles. */
struct of_gpu {
    struct gsim_explanation x; /* its time alone */
    gsim_time kernels, copies;
};

static struct of_gpu of_gpu(const struct gsim_cli_explained *e, uint32_t gpu)
{
    struct of_gpu g = {.x.makespan = e->run.explanation.makespan};
    memcpy(g.x.time, e->run.gpus[gpu], sizeof g.x.time);
    g.copies = gsim_explained_state(&g.x, GSIM_GPU_COPIES);
    g.kernels = g.x.makespan - gsim_explained_state(&g.x, GSIM_GPU_IDLE) - g.copies;
    return g;
}

/* Of a kernel whose pipes are known, the one that it keeps busiest; GSIM_PIPE_COUNT: none is known. */
static int limiting_pipe(const struct gsim_explanation *x, const struct gsim_path_part *part, double *share)
{
    int most = GSIM_PIPE_COUNT;
    const struct gsim_kernel *k =
        &x->moments->timeline->program->kernels[part->kind == GSIM_PART_KERNEL ? part->index : 0];
    *share = 0;
    for (int i = 0; i < GSIM_PIPE_COUNT && part->kind == GSIM_PART_KERNEL && k->pipes_given; i++) {
        if (!(k->pipes[i] > *share)) continue;
        most = i;
        *share = k->pipes[i];
    }
    return most;
}

static void put_path(struct gsim_output *out, const struct gsim_explanation *x)
{
    gsim_time rest = 0;
    gsim_output_text(out, "\ncritical path: what the end waited for\n");
    for (size_t i = 0; i < x->part_count; i++) {
        char text[LABEL_BYTES + 32], label[LABEL_BYTES];
        if (i >= PATH_LINES) {
            rest += x->parts[i].time;
            continue;
        }
        snprintf(text, sizeof text, "%" PRIu64 " x %s", x->parts[i].count, part_name(x, &x->parts[i], label));
        put_line(out, "  ", text, x->parts[i].time, x->makespan);
        double share;
        int pipe = limiting_pipe(x, &x->parts[i], &share);
        if (pipe < GSIM_PIPE_COUNT)
            gsim_output_printf(out, "      limiting pipe: %s, %.0f %% of its peak\n", gsim_pipe_names[pipe],
                               100 * share);
    }
    if (rest) put_line(out, "  ", "others", rest, x->makespan);
}

static int compare_stretches(const void *left, const void *right)
{
    const struct gsim_stretch *const *a = left, *const *b = right;
    gsim_time x = (*a)->end - (*a)->start, y = (*b)->end - (*b)->start;
    if (x != y) return x > y ? -1 : 1;
    return ((*a)->start > (*b)->start) - ((*a)->start < (*b)->start);
}

/* Idle stretches of one length before the same work for the same cause: a line. */
struct gap_line {
    const struct gsim_stretch *first;
    uint64_t count;
};

static int64_t shown_length(const struct gsim_stretch *s)
{
    return (s->end - s->start + GSIM_PS_PER_US / 2000) / (GSIM_PS_PER_US / 1000);
}

static bool is_alike(const struct gsim_explanation *x, const struct gsim_stretch *a, const struct gsim_stretch *b)
{
    return shown_length(a) == shown_length(b) && a->cause == b->cause && a->what == b->what &&
           strcmp(work_name(x, a->next), work_name(x, b->next)) == 0;
}

/* Returns how many lines there are. */
static size_t make_gap_lines(const struct gsim_explanation *x, const struct gsim_stretch **gaps, size_t count,
                             struct gap_line lines[GAP_LINES])
{
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < made && !is_alike(x, lines[k].first, gaps[i])) k++;
        if (k == GAP_LINES && shown_length(gaps[i]) < shown_length(lines[GAP_LINES - 1].first)) break;
        if (k == GAP_LINES) continue;
        if (k == made) lines[made++] = (struct gap_line){gaps[i], 0};
        if (gaps[i]->start < lines[k].first->start) lines[k].first = gaps[i];
        lines[k].count++;
    }
    return made;
}

/* Times count from the begin of the iteration that is shown. */
static void put_gaps(struct gsim_output *out, const struct gsim_explanation *x)
{
    size_t count;
    struct gap_line lines[GAP_LINES];
    /* The longest idle stretches. */
    const struct gsim_stretch **gaps = gsim_alloc(sizeof(*gaps) * (x->stretch_count + 1));
    count = 0;
    for (size_t i = 0; gaps && i < x->stretch_count; i++)
        if (x->stretches[i].state == GSIM_GPU_IDLE) gaps[(count)++] = &x->stretches[i];
    if (gaps) qsort(gaps, count, sizeof(*gaps), compare_stretches);
    size_t made = gaps ? make_gap_lines(x, gaps, count, lines) : 0;
    if (made) gsim_output_text(out, "\nlongest idle stretches\n");
    for (size_t i = 0; i < made; i++) {
        char name[48], label[LABEL_BYTES];
        const struct gsim_stretch *s = lines[i].first;
        gsim_text_fit(name, sizeof name, work_name(x, s->next), 44);
        char line[2 * LABEL_BYTES], often[32] = "";
        if (lines[i].count > 1) snprintf(often, sizeof often, "%" PRIu64 " x ", lines[i].count);
        snprintf(line, sizeof line, "%s%.3f us%s at %.3f us before %s: %s", often, gsim_time_us(s->end - s->start),
                 lines[i].count > 1 ? ", the first" : "", gsim_time_us(s->start - x->from), name,
                 label_of(s->cause, s->what, label));
        gsim_output_text(out, "  ");
        gsim_cli_wrap(out, line, 4, 4);
    }
    gsim_free(gaps);
}

/* --- clients --- */
static void put_clients(struct gsim_output *out, const struct gsim_cli_explained *e)
{
    const struct gsim_changeable *base = &e->asked.base;
    bool are_ranks = gsim_changeable_has_ranks(base);
    int width = are_ranks ? 6 : 18;
    if (are_ranks) gsim_output_printf(out, "a step now: %.1f us without the profiler\n\n", e->run.step_us);
    gsim_output_printf(out, "%-*s %12s %12s %14s %12s %12s\n", width, are_ranks ? "rank" : "task",
                       are_ranks ? "step us" : "request us", "computing", are_ranks ? "transferring" : "others",
                       "waiting", "idle");
    for (uint32_t i = 0; i < base->client_count; i++) {
        const struct gsim_client_time *t = &e->run.times[i];
        char name[48];
        snprintf(name, sizeof name, "%u", base->clients[i].rank);
        if (!are_ranks) gsim_text_fit(name, sizeof name, base->clients[i].task->name, 18);
        gsim_output_printf(out, "%-*s %12.1f %12.1f %14.1f %12.1f %12.1f\n", width, name, t->step, t->compute,
                           are_ranks ? t->exposed_transfer : t->others, t->exposed_waiting, t->idle);
    }
    if (!are_ranks)
        gsim_output_text(out, "  a request from its first call to its end; computing: some kernel or copy of its own "
                              "runs;\n  others: only kernels of other tasks have the GPU; idle: neither; the rest of a "
                              "request's\n  time it waits to begin\n");
    else
        gsim_output_text(out, "  computing: some kernel or copy runs; transferring, waiting: exposed communication, a\n"
                              "  collective alone on the GPU, with all ranks there and for the slowest one; idle: "
                              "nothing\n\n");
    if (are_ranks && e->run.late_by_us > 0)
        gsim_output_printf(out, "rank %u is late: others wait %.1f us for it; %s\n", base->clients[e->run.late].rank,
                           e->run.late_by_us, e->run.late_why);
}

static void put_text(const void *what, struct gsim_output *out)
{
    const struct gsim_cli_explained *e = what;
    const struct gsim_cli_subject *s = &e->asked.subject;
    const struct gsim_explanation *x = &e->run.explanation;
    gsim_cli_asked_put_title(out, &e->asked, &e->run.variant.simulation);
    if (gsim_changeable_has_ranks(&e->asked.base) || (e->run.repeats && !e->asked.base.clients))
        gsim_output_text(out, ", an iteration as it repeats");
    else if (!e->asked.base.clients)
        gsim_output_printf(out, e->run.timeline.iteration_count > 1 ? ", all %zu iterations" : ", the first iteration",
                           e->run.timeline.iteration_count);
    gsim_output_text(out, "\n\n");
    if (e->asked.base.clients) {
        put_clients(out, e);
        gsim_cli_asked_put_notes(out, &e->asked, false);
        return;
    }
    if (gsim_cli_subject_is_recorded(s)) {
        gsim_cli_step_put_text(out, &s->step);
        gsim_output_text(out, "\n");
    }
    gsim_output_printf(out, "%-*s %14s  %6s\n", TEXT_COLUMNS, "", "us", "share");
    put_states(out, x);
    for (uint32_t i = 0; e->run.gpus && i < e->run.timeline.gpu_count; i++) {
        const struct of_gpu g = of_gpu(e, i);
        struct row rows[GSIM_CAUSE_COUNT];
        char text[LABEL_BYTES];
        snprintf(text, sizeof text, "GPU %" PRIu32 ": kernels", i);
        gsim_output_text(out, i ? "" : "\n");
        put_line(out, "", text, g.kernels, g.x.makespan);
        if (g.copies) put_line(out, "  ", gsim_gpu_state_text(GSIM_GPU_COPIES), g.copies, g.x.makespan);
        uint32_t count = sort_causes(&g.x, false, rows);
        for (uint32_t c = 0; c < count; c++) {
            snprintf(text, sizeof text, "idle: %s", gsim_cause_text(rows[c].cause));
            put_line(out, "  ", text, rows[c].time, g.x.makespan);
        }
    }
    if (s->gpu_note[0]) {
        gsim_output_text(out, "\nnote:");
        gsim_cli_wrap(out, s->gpu_note, 5, 2);
    }
    gsim_explained_put_pairs(out, e);
    put_path(out, x);
    put_gaps(out, x);
    gsim_cli_asked_put_notes(out, &e->asked, true);
}

/* --- CSV and JSON --- */
static void put_csv(const void *what, struct gsim_output *out)
{
    gsim_answer_csv(&((const struct gsim_cli_explained *)what)->answer, out);
}

static void put_json_time(struct gsim_output *out, gsim_time time, gsim_time makespan)
{
    gsim_output_put(out, ", 'time_us': %t, 'share': %r}", time, share(time, makespan));
}

static void put_json_path(struct gsim_output *out, const struct gsim_explanation *x)
{
    static const char *const kinds[] = {"kernel", "copy", "cause"};
    char label[LABEL_BYTES];
    gsim_output_text(out, "  \"critical_path\": [");
    for (size_t i = 0; i < x->part_count; i++) {
        const struct gsim_path_part *p = &x->parts[i];
        const char *name = part_name(x, p, label);
        gsim_output_put(out, "%s\n    {'kind': '%s', 'name': %q, 'text': %q, 'count': %z", i ? "," : "", kinds[p->kind],
                        p->kind == GSIM_PART_CAUSE ? gsim_cause_word((enum gsim_cause)p->index) : name, name, p->count);
        double share;
        int pipe = limiting_pipe(x, &x->parts[i], &share);
        if (pipe < GSIM_PIPE_COUNT)
            gsim_output_printf(out, ", \"limiting_pipe\": \"%s\", \"pipe_share\": %.4g", gsim_pipe_names[pipe], share);
        put_json_time(out, x->parts[i].time, x->makespan);
    }
    gsim_output_text(out, "\n  ],\n");
}

static void put_json_stretches(struct gsim_output *out, const struct gsim_explanation *x)
{
    const char *separator = "";
    gsim_output_text(out, "  \"stretches\": [");
    for (size_t i = 0; i < x->stretch_count; i++) {
        const struct gsim_stretch *s = &x->stretches[i];
        if (s->cause == GSIM_CAUSE_NONE) continue;
        gsim_output_put(out, "%s\n    {'start_us': %t, 'end_us': %t, 'state': %q, 'cause': '%s', 'before': %q",
                        separator, s->start - x->from, s->end - x->from, gsim_gpu_state_text(s->state),
                        gsim_cause_word(s->cause), work_name(x, s->next));
        if (s->what) gsim_output_put(out, ", 'what': %q", s->what);
        gsim_output_text(out, "}");
        separator = ",";
    }
    gsim_output_text(out, "\n  ]\n}\n");
}

static void put_json(const void *what, struct gsim_output *out)
{
    const struct gsim_cli_explained *e = what;
    const struct gsim_cli_subject *s = &e->asked.subject;
    const struct gsim_changeable *base = &e->asked.base;
    const struct gsim_explanation *x = &e->run.explanation;
    bool are_ranks = gsim_changeable_has_ranks(base);
    gsim_output_put(out, "{\n  'schema': '%s',\n", are_ranks ? SCHEMA_RANKS : base->clients ? SCHEMA_TASKS : SCHEMA);
    gsim_cli_asked_put_json(out, &e->asked, &e->run.variant.simulation);
    if (base->clients) {
        if (are_ranks)
            gsim_output_put(out, ",\n  'step_us': %f,\n  'late_rank': %u,\n  'late_by_us': %f,\n  'late_why': %q",
                            e->run.step_us, base->clients[e->run.late].rank, e->run.late_by_us, e->run.late_why);
        gsim_output_put(out, ",\n  '%s': ", are_ranks ? "ranks" : "clients");
        gsim_answer_rows(&e->answer, 0, out);
        gsim_output_text(out, "\n}\n");
        return;
    }
    gsim_output_put(out, ",\n  'makespan_us': %t,\n", x->makespan);
    if (gsim_cli_subject_is_recorded(s)) {
        gsim_output_text(out, "  ");
        gsim_cli_step_put_json(out, &s->step);
        gsim_output_text(out, ",\n");
    }
    gsim_output_put(out, "  'time': ");
    gsim_answer_rows(&e->answer, 0, out);
    gsim_output_text(out, ",\n");
    for (uint32_t i = 0; e->run.gpus && i < e->run.timeline.gpu_count; i++) {
        const struct of_gpu g = of_gpu(e, i);
        const char *separator = "";
        gsim_output_put(out, "%s{'gpu': %u, 'kernels_us': %t, 'copies_us': %t, 'idle_us': {",
                        i ? ",\n    " : "  \"gpus\": [", i, g.kernels, g.copies);
        for (int c = 0; c < GSIM_CAUSE_COUNT; c++) {
            if (!g.x.time[GSIM_GPU_IDLE][c]) continue;
            gsim_output_put(out, "%s'%s': %t", separator, gsim_cause_word((enum gsim_cause)c),
                            g.x.time[GSIM_GPU_IDLE][c]);
            separator = ", ";
        }
        gsim_output_text(out, i + 1 < e->run.timeline.gpu_count ? "}}" : "}}],\n");
    }
    struct owner owners[OWNERS];
    uint32_t count = find_owners(x, owners);
    gsim_output_text(out, "  \"host\": [");
    for (uint32_t i = 0; i < count; i++) {
        gsim_output_put(out, "%s\n    {'cause': '%s', 'what': %q, 'longest_us': %r", i ? "," : "",
                        gsim_cause_word(owners[i].cause), owners[i].what, gsim_time_us(owners[i].longest));
        put_json_time(out, owners[i].time, x->makespan);
    }
    gsim_output_text(out, "\n  ],\n");
    gsim_explained_put_pairs_json(out, e);
    put_json_path(out, x);
    put_json_stretches(out, x);
}

/* --- the command --- */
static enum gsim_status run(struct gsim_cli_explained *e, const struct gsim_cli_arguments *arguments,
                            struct gsim_error *error)
{
    gsim_time from, until;
    const char *change = arguments->value[GSIM_CLI_CHANGE], *const *value = arguments->value;
    struct gsim_cli_subject *s = &e->asked.subject;
    enum gsim_status status = gsim_cli_trace_window(arguments, &from, &until, error);
    if (!status) status = gsim_cli_asked_init(&e->asked, arguments, error);
    if (status) return status;
    /* A trace, or what is changed, if by nothing, is explained as it repeats: the first iteration may build graphs and
     * move data. */
    bool repeats = (s->is_trace || change) && !s->setup.iterations;
    status = gsim_explained_run(&e->run, &e->asked.base, change, repeats, error);
    if (!status && e->run.variant.note[0]) gsim_cli_subject_note(s, e->run.variant.note);
    if (!status && !e->asked.base.clients) {
        const struct gsim_timeline *timeline = &e->run.timeline;
        char over[GSIM_ENERGY_NOTE];
        gsim_energy_note(timeline, e->run.variant.simulation.device,
                         timeline->iterations[timeline->iteration_count - 1].end, over);
        if (over[0]) gsim_cli_subject_note(s, over);
    }
    if (!status && e->asked.base.clients && e->run.variant.note[0])
        fprintf(stderr, "gpusim: note: --change %s: %s\n", change, e->run.variant.note);
    if (!status && !e->asked.base.clients) gsim_explained_check(e);
    if (!status && !e->asked.base.clients && !e->run.gpus) status = gsim_explained_find_pairs(e, error);
    if (!status && !e->asked.base.clients) status = gsim_explained_trace(e, error);
    if (status) return status;
    gsim_explained_answer(&e->run, &e->asked.base, &e->answer);
    return gsim_cli_write(value[GSIM_CLI_CSV], value[GSIM_CLI_REPORT],
                          &(struct gsim_cli_forms){put_csv, put_json, put_text}, e, error);
}

int gsim_cli_explain(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    if (gsim_cli_is_server(arguments))
        return gsim_cli_answer(arguments, "explain", arguments->value[GSIM_CLI_CHANGE], error);
    struct gsim_cli_explained *e = gsim_alloc(sizeof *e);
    enum gsim_status status = run(e, arguments, error);
    gsim_free(e->pairs);
    gsim_answer_release(&e->answer);
    gsim_explained_release(&e->run);
    gsim_cli_asked_release(&e->asked);
    gsim_free(e);
    return status;
}
