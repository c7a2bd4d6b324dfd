/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See serving/report.h. */
#include "serving/report.h"

#include <inttypes.h>
#include <math.h>

#include "sim/base/text.h"
#include "sim/program/guess.h"

static const struct {
    const char *field, *text;
} figures[] = {
#define X(key, field, text) {field, text},
    GSIM_SERVED_MAP(X)
#undef X
};
static const double fractions[] = {0.5, 0.9, 0.95, 0.99};
static const char *const fraction_names[] = {"p50", "p90", "p95", "p99"};
#define FRACTIONS (sizeof fractions / sizeof fractions[0])

double gsim_serving_rate(const struct gsim_serving_result *r, double count)
{
    double span = r->last_us - r->first_arrival_us;
    return span > 0 ? count * 1e6 / span : NAN;
}

void gsim_serving_result_release(struct gsim_serving_result *result)
{
    for (int i = 0; i < GSIM_SERVED_COUNT; i++) gsim_quantiles_release(&result->figures[i]);
    gsim_free(result->log);
    gsim_free(result->ends);
    *result = (struct gsim_serving_result){0};
}

static const char *time_text(char text[GSIM_TEXT_SIZE], double us)
{
    if (!isfinite(us)) snprintf(text, GSIM_TEXT_SIZE, "-");
    else gsim_text_us(text, us);
    return text;
}

static void print_figure(struct gsim_output *out, enum gsim_served_figure f, struct gsim_quantiles *list)
{
    char text[GSIM_TEXT_SIZE];
    gsim_output_printf(out, "  %-20s %11s", figures[f].text, time_text(text, gsim_quantiles_mean(&list[f])));
    for (size_t q = 0; q < FRACTIONS; q++)
        gsim_output_printf(out, " %11s", time_text(text, gsim_quantile(&list[f], fractions[q])));
    gsim_output_text(out, "\n");
}

/* --- what was measured --- */

/* Of the spec's requests: false where it does not say. */
static bool is_measured(const struct gsim_serving_spec *spec)
{
    const struct gsim_arrivals *a = &spec->arrivals;
    if (a->kind != GSIM_ARRIVALS_LIST || a->scale != 1) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!(a->list[i].first_us > 0 && a->list[i].done_us > 0)) return false;
    return a->count > 0;
}

static const enum gsim_served_figure measured_figures[] = {GSIM_SERVED_TTFT, GSIM_SERVED_TPOT, GSIM_SERVED_E2E};

static void measure(const struct gsim_serving_spec *spec, struct gsim_quantiles measured[GSIM_SERVED_COUNT])
{
    for (uint32_t i = 0; i < spec->arrivals.count; i++) {
        const struct gsim_served_arrival *r = &spec->arrivals.list[i];
        gsim_quantiles_add(&measured[GSIM_SERVED_TTFT], r->first_us);
        gsim_quantiles_add(&measured[GSIM_SERVED_E2E], r->done_us);
        if (r->output > 1)
            gsim_quantiles_add(&measured[GSIM_SERVED_TPOT], (r->done_us - r->first_us) / (r->output - 1));
    }
}

static void print_measured(struct gsim_output *out, const struct gsim_serving_head *h, struct gsim_serving_result *r)
{
    struct gsim_quantiles measured[GSIM_SERVED_COUNT] = {0};
    if (!is_measured(h->spec)) return;
    measure(h->spec, measured);
    gsim_output_text(out, "\n  Measured, and how far the prediction is off\n");
    for (size_t i = 0; i < sizeof measured_figures / sizeof measured_figures[0]; i++) {
        enum gsim_served_figure f = measured_figures[i];
        print_figure(out, f, measured);
        gsim_output_printf(out, "  %-20s %+9.1f %%", "",
                           100 * (gsim_quantiles_mean(&r->figures[f]) / gsim_quantiles_mean(&measured[f]) - 1));
        for (size_t q = 0; q < FRACTIONS; q++)
            gsim_output_printf(
                out, " %+9.1f %%",
                100 * (gsim_quantile(&r->figures[f], fractions[q]) / gsim_quantile(&measured[f], fractions[q]) - 1));
        gsim_output_text(out, "\n");
        gsim_quantiles_release(&measured[f]);
    }
}

static void print_share(struct gsim_output *out, const char *what, const char *count, double us, double all)
{
    char text[GSIM_TEXT_SIZE];
    gsim_output_printf(out, "  %-28s %9s %14s  %5.1f %%\n", what, count, time_text(text, us), 100 * us / all);
}

static void print_time(struct gsim_output *out, const struct gsim_serving_result *r)
{
    double all = r->both_us + r->waiting_us + r->host_us;
    for (int k = 0; k < GSIM_STEP_KIND_COUNT; k++) all += r->step_us[k];
    gsim_output_text(out, "\n  The server's time                count          total   share\n");
    for (int k = 0; k < GSIM_STEP_KIND_COUNT; k++) {
        char count[24];
        snprintf(count, sizeof count, "%" PRIu64, r->steps[k]);
        if (r->steps[k]) print_share(out, gsim_step_kind_text((enum gsim_batch_kind)k), count, r->step_us[k], all);
    }
    if (r->both_us > 0) print_share(out, "decode beside a prefill", "", r->both_us, all);
    print_share(out, "host between steps", "", r->host_us, all);
    print_share(out, "no request", "", r->waiting_us, all);
}

void gsim_serving_print(struct gsim_output *out, const struct gsim_serving_head *h, struct gsim_serving_result *r)
{
    char text[GSIM_TEXT_SIZE], other[GSIM_TEXT_SIZE];
    gsim_output_printf(out, "%s on ", h->spec->name);
    if (h->gpus > 1) gsim_output_printf(out, "%u x ", h->gpus);
    gsim_output_printf(out, "%s, batching %s, %u slots, prefill %s, seed %" PRIu64 "\n\n", h->device, h->batching,
                       h->spec->slots,
                       h->spec->beside == GSIM_BESIDE_SAME ? "between decode steps" : gsim_beside_text(h->spec->beside),
                       h->seed);
    gsim_output_printf(out, "  Requests     %s in %s, %.4g per s\n", gsim_text_count(text, r->requests),
                       time_text(other, r->last_us - r->first_arrival_us), gsim_serving_rate(r, (double)r->requests));
    if (h->spec->replicas > 1)
        gsim_output_printf(out, "  Replicas     %u, requests %s\n", h->spec->replicas,
                           gsim_router_text(h->spec->router));
    gsim_output_printf(out, "  Host         %s\n", h->spec->host.name
                                                       ? h->spec->host.name
                                                       : "none named (--host): calls as the device has them, no noise");
    if (h->spec->moved) gsim_output_printf(out, "  Steps were   %s\n", h->spec->moved);
    char guess[GSIM_LIMIT_NAME + 1];
    for (const char *at = h->guesses; gsim_guess_next(&at, guess);)
        gsim_output_printf(out, "  Note         %s\n", guess);
    if (h->spec->arrivals.left_out)
        gsim_output_printf(out, "  Left out     %s requests of the file, without a token of output\n",
                           gsim_text_count(text, h->spec->arrivals.left_out));
    gsim_output_printf(out, "  Tokens       %.5g per s produced, %.5g per s of prompts\n",
                       gsim_serving_rate(r, (double)r->tokens), gsim_serving_rate(r, (double)r->prompt_tokens));
    if (h->spec->ttft_limit_us > 0 || h->spec->tpot_limit_us > 0)
        gsim_output_printf(out, "  Goodput      %.4g requests per s within the limits, %.1f %% of all\n",
                           gsim_serving_rate(r, (double)r->good), 100.0 * (double)r->good / (double)r->requests);
    if (r->cache_most > 0 && h->spec->cache.tokens > 0)
        gsim_output_printf(
            out, "  Cache        %.0f tokens at most, %.0f on average, of %.0f; %" PRIu64 " preemptions\n",
            r->cache_most, r->cache_time / (r->last_us > 0 ? r->last_us : 1),
            h->spec->cache.tokens * h->spec->replicas, r->preemptions);
    if (r->named_tokens)
        gsim_output_printf(out, "  Prefixes     %.1f %% of the prompts' tokens were there (hash_ids: blocks of 512)\n",
                           100.0 * (double)r->kept_tokens / (double)r->named_tokens);
    else if (h->spec->arrivals.blocks)
        gsim_output_text(out, "  Prefixes     none kept: each prompt is computed whole (hash_ids are not used)\n");
    if (h->spec->profile)
        gsim_output_text(out, "  Steps        mixed, from the profile's tables, on no simulated GPU\n");
    else if (!h->is_exact)
        gsim_output_printf(out, "  Steps        %s looked up in %s simulations (--exact: none is looked up)\n",
                           gsim_text_count(text, h->lookups), gsim_text_count(other, h->simulations));
    if (isfinite(h->interpolation_error))
        gsim_output_printf(out, "  Between      a bucket left out is %.1f %% off at most when interpolated\n",
                           100 * h->interpolation_error);
    gsim_output_text(out, "\n                              mean         p50         p90         p95         p99\n");
    for (int f = 0; f < GSIM_SERVED_COUNT; f++) print_figure(out, (enum gsim_served_figure)f, r->figures);
    print_measured(out, h, r);
    print_time(out, r);
}

static void put_percentiles(struct gsim_output *out, const char *name, struct gsim_quantiles *list)
{
    gsim_output_printf(out, ",\n \"%s\": {", name);
    bool is_first = true;
    for (int f = 0; f < GSIM_SERVED_COUNT; f++) {
        if (!list[f].count) continue;
        gsim_output_printf(out, "%s\n  \"%s\": {\"mean\": ", is_first ? "" : ",", figures[f].field);
        is_first = false;
        gsim_output_real(out, gsim_quantiles_mean(&list[f]));
        for (size_t q = 0; q < FRACTIONS; q++)
            gsim_output_json_real(out, fraction_names[q], gsim_quantile(&list[f], fractions[q]));
        gsim_output_text(out, "}");
    }
    gsim_output_text(out, "}");
}

void gsim_serving_json(struct gsim_output *out, const struct gsim_serving_head *h, struct gsim_serving_result *r)
{
    const struct gsim_serving_spec *spec = h->spec;
    gsim_output_put(out,
                    "{'schema': 'gpusim-serving-report/1', 'version': '%s', 'name': %q, 'device': %q, 'gpus': %u, "
                    "'batching': %q, 'prefill_beside': '%s', 'slots': %u, 'replicas': %u, 'router': '%s', "
                    "'seed': %z, 'host': %q, 'exact': %b,\n "
                    "'count': %z, 'left_out': %u, 'simulations': %z, 'lookups': %z, 'preemptions': %z, "
                    "'prefix_tokens': %z, 'interpolation_error': %r, 'requests_per_s': %r, 'tokens_per_s': %r, "
                    "'prompt_tokens_per_s': %r, 'goodput_per_s': %r,\n 'time_us': {'beside': %r",
                    GPUSIM_VERSION, spec->name, h->device, h->gpus, h->batching, gsim_beside_text(spec->beside),
                    spec->slots, spec->replicas, gsim_router_text(spec->router), h->seed,
                    spec->host.name ? spec->host.name : "none", h->is_exact, r->requests, spec->arrivals.left_out,
                    h->simulations, h->lookups, r->preemptions, r->kept_tokens, h->interpolation_error,
                    gsim_serving_rate(r, (double)r->requests), gsim_serving_rate(r, (double)r->tokens),
                    gsim_serving_rate(r, (double)r->prompt_tokens), gsim_serving_rate(r, (double)r->good), r->both_us);
    for (int k = 0; k < GSIM_STEP_KIND_COUNT; k++)
        gsim_output_json_real(out, gsim_step_kind_text((enum gsim_batch_kind)k), r->step_us[k]);
    gsim_output_put(out, ", 'host': %r, 'no_request': %r},\n 'cache_tokens': {'most': %r, 'mean': %r, 'limit': %r}",
                    r->host_us, r->waiting_us, r->cache_most, r->last_us > 0 ? r->cache_time / r->last_us : 0,
                    h->spec->cache.tokens * spec->replicas);
    if (spec->moved) gsim_output_put(out, ",\n 'steps_were': %q", spec->moved);
    char guess[GSIM_LIMIT_NAME + 1];
    for (const char *at = h->guesses, *before = ",\n \"notes\": ["; gsim_guess_next(&at, guess); before = ", ")
        gsim_output_put(out, "%s%q", before, guess);
    if (h->guesses) gsim_output_text(out, "]");
    put_percentiles(out, "percentiles", r->figures);
    if (is_measured(h->spec)) {
        struct gsim_quantiles measured[GSIM_SERVED_COUNT] = {0};
        measure(h->spec, measured);
        put_percentiles(out, "measured", measured);
        for (int f = 0; f < GSIM_SERVED_COUNT; f++) gsim_quantiles_release(&measured[f]);
    }
    if (r->ends) {
        gsim_output_text(out, ",\n \"requests\": [");
        for (uint64_t i = 0; i < r->requests; i++) {
            gsim_output_put(out, "%s\n  {'first_us': %r, 'done_us': %r}", i ? "," : "", r->ends[i][0], r->ends[i][1]);
        }
        gsim_output_text(out, "],\n \"steps\": [");
        for (size_t i = 0; i < r->log_count; i++) {
            gsim_output_put(out, "%s\n  {'kind': '%s', 'bucket': %u, 'start_us': %r, 'end_us': %r}", i ? "," : "",
                            gsim_step_kind_text(r->log[i].kind), r->log[i].bucket, r->log[i].start_us,
                            r->log[i].end_us);
        }
        gsim_output_text(out, "]");
    }
    gsim_output_text(out, "}\n");
}
