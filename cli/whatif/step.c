/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See cli/whatif/step.h. How far the profiler's share is off stands in docs/steps.md.
 */
#include "cli/whatif/step.h"
#include "ask/questions/question.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/whatif/subject.h"
#include "sim/base/text.h"
#include "sim/sm/demand.h"

/* Of 81 traces whose steps were timed without a profiler, too, 80 lie within these, as shares of the host's time. */
#define FASTER   0.71
#define SLOWER   1.34
#define LEAST    0.08 /* of a step, either way: clocks, and hosts at another time */
#define MOST     0.295
#define ROUNDS   40
#define NEAR     1e-4
#define FASTEST  1e-3 /* of the host as imported */
#define SLOWEST  1e3
#define LISTED   12 /* steps in the text */
#define WAIT_ROUNDS 10
#define CONTRADICTS 0.02 /* so much longer than recorded with the profiler */
#define MIN_WAIT    1e-6

enum gsim_status gsim_cli_step_time(const char *text, double *us, struct gsim_error *error)
{
    char window[64];
    double from_us;
    *us = 0;
    if (!text) return GSIM_OK;
    int length = snprintf(window, sizeof window, ":%s", text);
    if (length < (int)sizeof window && !strchr(text, ':') && gsim_text_window(window, &from_us, us) && isfinite(*us) &&
        *us > 0)
        return GSIM_OK;
    return gsim_refuse(
        error, "--step-time: expected a time such as 250us, 2.25ms or 1s (us without a unit), found '%.60s'", text);
}

static void scale(struct gsim_program *program, double factor)
{
    for (uint32_t i = 0; i < program->op_count; i++)
        if (program->ops[i].kind == GSIM_OP_HOST_COMPUTE) program->ops[i].host_us *= factor;
}

static void scale_host(struct gsim_cli_subject *subject, double factor)
{
    scale(&subject->point.program, factor / subject->host_factor);
    subject->host_factor = factor;
}

void gsim_cli_step_factors(const struct gsim_cli_subject *s, double factors[2])
{
    bool is_known = s->step.asked_us > 0 || !s->notes.overhead_us;
    factors[0] = is_known ? 1 : FASTER;
    factors[1] = is_known ? 1 : SLOWER;
}

/* A step with the host FACTOR times as slow, its launch and copy calls CALLS times. */
static enum gsim_status simulate(struct gsim_cli_subject *s, double factor, double calls, double *us,
                                 struct gsim_error *error)
{
    struct gsim_metrics metrics;
    struct gsim_simulation simulation = s->point.simulation;
    struct gsim_device_spec device = *simulation.device;
    device.launch_us *= calls;
    device.memcpy_us *= calls;
    simulation.device = &device;
    scale_host(s, factor);
    if (gsim_question_run(&simulation, &metrics, error)) return error->status;
    *us = gsim_time_us(metrics.iteration_median) / s->step.kept;
    return GSIM_OK;
}

/* The host's factor with which a step takes ASKED: between two that are on either side. */
static enum gsim_status reach(struct gsim_cli_subject *s, double asked, struct gsim_error *error)
{
    double low = 1, high = 1, us;
    enum gsim_status status = simulate(s, 1, 1, &us, error);
    while (status == GSIM_OK && us < asked * (1 - NEAR) && high < SLOWEST) {
        low = high;
        high *= 2;
        status = simulate(s, high, 1, &us, error);
    }
    while (status == GSIM_OK && high == 1 && us > asked * (1 + NEAR) && low > FASTEST) {
        low = low > 0.05 ? low / 2 : FASTEST;
        status = simulate(s, low, 1, &us, error);
    }
    for (int i = 0; status == GSIM_OK && i < ROUNDS && fabs(us - asked) > NEAR * asked && high - low > NEAR * low;
         i++) {
        double middle = (low + high) / 2;
        status = simulate(s, middle, 1, &us, error);
        if (us > asked) high = middle;
        else low = middle;
    }
    if (status == GSIM_OK && fabs(us / asked - 1) > 0.005)
        fprintf(stderr, "gpusim: note: a step takes %.1f us: the replay's take %.1f us, whatever the host takes\n",
                asked, us);
    return status;
}

static void scale_waits(struct gsim_cli_subject *s, double factor)
{
    struct gsim_program *p = &s->point.program;
    struct gsim_error ignored = {0};
    for (uint32_t k = 0; k < p->kernel_count; k++)
        if (strcmp(p->kernels[k].name, GSIM_RANK_WAIT) == 0) p->kernels[k].solo_us *= factor;
    if (s->demands && gsim_demands_init(s->demands, p->kernel_count, s->point.simulation.device, p->kernels, &ignored))
        s->point.simulation.demands = NULL;
}

/* One rank alone: how long it waited for the others is estimated, and no longer than what the recorded step leaves. */
static enum gsim_status fit_waits(struct gsim_cli_subject *s, struct gsim_error *error)
{
    const struct gsim_trace_steps *found = &s->step.found;
    double most = found->count ? found->median_us : s->step.recorded_us, low = 0, high = 1, now = 1, us = 0;
    if (!s->notes.rank_waits || s->step.asked_us > 0) return GSIM_OK;
    enum gsim_status status = simulate(s, 1, 1, &us, error);
    for (int i = 0; i < WAIT_ROUNDS && status == GSIM_OK && (i || us > most); i++) {
        double next = (low + high) / 2;
        scale_waits(s, next / now);
        now = next;
        status = simulate(s, 1, 1, &us, error);
        *(us > most ? &high : &low) = next;
    }
    if (now < 1) scale_waits(s, fmax(low, MIN_WAIT) / now);
    return status;
}

/* What a collective waits for other ranks is waiting, beside kernels, too. */
static void note_waits(struct gsim_cli_subject *s)
{
    const struct gsim_program *p = &s->point.program;
    char text[160];
    double us = 0;
    for (uint32_t i = 0; i < p->op_count; i++) {
        const struct gsim_kernel *k = p->ops[i].kind == GSIM_OP_KERNEL ? &p->kernels[p->ops[i].kernel_index] : NULL;
        if (k && strcmp(k->name, GSIM_RANK_WAIT) == 0) us += k->solo_us;
    }
    snprintf(text, sizeof text, "collectives wait %.1f us of a step for other ranks (estimated), alone or beside "
             "kernels: give the traces of all ranks", us / s->step.kept);
    gsim_cli_subject_note(s, text);
}

static uint32_t count_kept(const struct gsim_cli_subject *s)
{
    const struct gsim_cli_arguments *a = &s->arguments;
    const struct gsim_trace_steps *found = &s->step.found;
    bool is_part = a->value[GSIM_CLI_TIME] || a->value[GSIM_CLI_RANGE] || a->value[GSIM_CLI_BETWEEN];
    const char *steps = a->value[GSIM_CLI_STEPS], *colon = steps ? strchr(steps, ':') : NULL;
    uint32_t count = 0;
    if (!found->count || is_part) return 1;
    if (a->value[GSIM_CLI_WHOLE]) return found->count;
    if (!colon) return 1;
    unsigned long from = strtoul(steps, NULL, 10), to = colon[1] ? strtoul(colon + 1, NULL, 10) : UINT32_MAX;
    for (uint32_t i = 0; i < found->count; i++) count += found->steps[i].number >= from && found->steps[i].number <= to;
    return count ? count : 1;
}

enum gsim_status gsim_cli_step_measure(struct gsim_cli_subject *s, struct gsim_error *error)
{
    struct gsim_cli_step *step = &s->step;
    double factors[2];
    char text[160];
    step->kept = count_kept(s);
    step->recorded_us = s->notes.span_us;
    step->is_measured = step->asked_us <= 0 && step->found.untraced_us > 0;
    if (step->is_measured) step->asked_us = step->found.untraced_us;
    bool detailed = s->point.simulation.detailed, is_steady = s->point.simulation.until_steady;
    if (!s->setup.iterations && !s->point.simulation.iterations) s->point.simulation.until_steady = true;
    enum gsim_status status = step->asked_us > 0 ? reach(s, step->asked_us, error) : fit_waits(s, error);
    double exact = s->host_factor;
    gsim_cli_step_factors(s, factors);
    if (status == GSIM_OK) status = simulate(s, exact, 1, &step->us, error);
    if (status == GSIM_OK) status = simulate(s, exact * factors[0], factors[0], &step->low_us, error);
    if (status == GSIM_OK) status = simulate(s, exact * factors[1], factors[1], &step->high_us, error);
    scale_host(s, exact);
    s->point.simulation.detailed = detailed;
    s->point.simulation.until_steady = is_steady;
    if (step->asked_us > 0) {
        step->us = step->low_us = step->high_us = step->asked_us;
        return status;
    }
    if (s->notes.rank_waits) note_waits(s);
    double recorded_us = step->found.count ? step->found.median_us : step->recorded_us / step->kept;
    if (status == GSIM_OK && step->us > recorded_us * (1 + CONTRADICTS)) {
        snprintf(text, sizeof text, "a contradiction: %.0f us without the profiler, and %.0f with it: what is said "
                 "here is %.0f %% off at least", step->us, recorded_us, 100 * (step->us / recorded_us - 1));
        gsim_cli_subject_note(s, text);
    }
    step->low_us = fmin(fmax(step->low_us, (1 - MOST) * step->us), (1 - LEAST) * step->us);
    step->high_us = fmax(fmin(step->high_us, (1 + MOST) * step->us), (1 + LEAST) * step->us);
    return status;
}

/* --- text and JSON --- */
void gsim_cli_step_put_text(struct gsim_output *out, const struct gsim_cli_step *s)
{
    const struct gsim_trace_steps *found = &s->found;
    gsim_output_printf(out, "a step now: %.1f us without the profiler", s->us);
    const char *told = s->is_measured ? "as measured by a run without recording" : "as told (--step-time)";
    if (s->asked_us > 0) gsim_output_printf(out, ", %s\n", told);
    else gsim_output_printf(out, ", %.1f to %.1f (--step-time says it exactly)\n", s->low_us, s->high_us);
    if (!found->count) return;
    gsim_output_printf(out, "%u steps %s%s%s: as recorded %.1f us, the median of all but the first:", found->count,
                       gsim_steps_by_text(found->by), found->by == GSIM_STEPS_ANNOTATION ? " " : "",
                       found->by == GSIM_STEPS_ANNOTATION ? found->name : "", found->median_us);
    for (uint32_t i = 0; i < found->count && i < LISTED; i++)
        gsim_output_printf(out, "%s %.1f", i == 1 ? " |" : "", gsim_trace_step_us(&found->steps[i]));
    if (found->count > LISTED) gsim_output_printf(out, " and %u more (--json)", found->count - LISTED);
    gsim_output_text(out, "\n");
    for (uint32_t i = 0; i < found->count; i++) {
        const struct gsim_trace_step *step = &found->steps[i];
        if (!step->is_outlier) continue;
        gsim_output_printf(out, "  step %u took %.1f us", step->number, gsim_trace_step_us(step));
        if (step->waited_us > 0) gsim_output_printf(out, ", %.1f of them in %s", step->waited_us, step->waited);
        gsim_output_text(out, "\n");
    }
}

void gsim_cli_step_put_json(struct gsim_output *out, const struct gsim_cli_step *s)
{
    const struct gsim_trace_steps *found = &s->found;
    const char *separator = "";
    gsim_output_put(out, "'step': {'count': %u, 'us': %r, 'interval_us': [%.3f, %.3f], 'recorded_us': [",
                    found->count ? found->count : 1, s->us, s->low_us, s->high_us);
    if (!found->count) gsim_output_printf(out, "%.3f", s->recorded_us);
    for (uint32_t i = 0; i < found->count; i++)
        gsim_output_printf(out, "%s%.3f", i ? ", " : "", gsim_trace_step_us(&found->steps[i]));
    gsim_output_put(out, "], 'by': %q, 'outliers': [", gsim_steps_by_text(found->by));
    for (uint32_t i = 0; i < found->count; i++) {
        const struct gsim_trace_step *step = &found->steps[i];
        if (!step->is_outlier) continue;
        gsim_output_put(out, "%s{'step': %u, 'us': %.3f, 'waited_us': %.3f, 'waited_for': %q}", separator, step->number,
                        gsim_trace_step_us(step), step->waited_us, step->waited);
        separator = ", ";
    }
    gsim_output_text(out, "]}");
}

void gsim_cli_step_release(struct gsim_cli_step *step) { gsim_trace_steps_release(&step->found); }
