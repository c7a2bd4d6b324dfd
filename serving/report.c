/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See serving/report.h. */
#include "serving/report.h"

#include <inttypes.h>
#include <math.h>

#include "sim/base/tables/tables.h"
#include "sim/program/guess.h"

static const struct {
    const char *field, *text;
} figures[] = {
#define X(key, field, text) {field, text},
    GSIM_SERVED_MAP(X)
#undef X
};

static const char script[] = {
#include "serving/report.inc"
    0};

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

/* --- what is written --- */

static void add_figures(sqlite3 *db, bool is_measured, struct gsim_quantiles *list)
{
    for (unsigned f = 0; f < GSIM_SERVED_COUNT; f++)
        gsim_tables_row(db, "figure", "uusszfffff", is_measured, f, figures[f].field, figures[f].text, list[f].count,
                        gsim_quantiles_mean(&list[f]), gsim_quantile(&list[f], 0.5), gsim_quantile(&list[f], 0.9),
                        gsim_quantile(&list[f], 0.95), gsim_quantile(&list[f], 0.99));
}

/* The texts of a section. */
static void write_section(struct gsim_output *out, const struct gsim_serving_head *h, struct gsim_serving_result *r,
                          const char *section)
{
    const struct gsim_serving_spec *spec = h->spec;
    sqlite3 *db = gsim_tables_open(NULL);
    char seed[24], guess[GSIM_LIMIT_NAME + 1];
    snprintf(seed, sizeof seed, "%" PRIu64, h->seed);
    gsim_tables_put(db, script, "schema", NULL);
    gsim_tables_row(db, "about", "sssussuuussssuufuuuzzf", GPUSIM_VERSION, spec->name, h->device, h->gpus, h->batching,
                    gsim_beside_text(spec->beside), spec->beside == GSIM_BESIDE_SAME, spec->slots, spec->replicas,
                    gsim_router_text(spec->router), seed, spec->host.name, spec->moved, spec->arrivals.left_out,
                    spec->ttft_limit_us > 0 || spec->tpot_limit_us > 0, spec->cache.tokens * spec->replicas,
                    spec->arrivals.blocks != NULL, spec->profile != NULL, h->is_exact, h->simulations, h->lookups,
                    h->interpolation_error);
    gsim_tables_row(db, "result", "zfffffzzzzfffff", r->requests, r->last_us - r->first_arrival_us,
                    gsim_serving_rate(r, (double)r->requests), gsim_serving_rate(r, (double)r->tokens),
                    gsim_serving_rate(r, (double)r->prompt_tokens), gsim_serving_rate(r, (double)r->good), r->good,
                    r->named_tokens, r->kept_tokens, r->preemptions, r->cache_most,
                    r->last_us > 0 ? r->cache_time / r->last_us : 0, r->both_us, r->host_us, r->waiting_us);
    for (const char *at = h->guesses; gsim_guess_next(&at, guess);) gsim_tables_row(db, "note", "s", guess);
    for (int k = 0; k < GSIM_STEP_KIND_COUNT; k++)
        gsim_tables_row(db, "step", "szf", gsim_step_kind_text((enum gsim_batch_kind)k), r->steps[k], r->step_us[k]);
    add_figures(db, false, r->figures);
    if (is_measured(spec)) {
        struct gsim_quantiles measured[GSIM_SERVED_COUNT] = {0};
        measure(spec, measured);
        add_figures(db, true, measured);
        for (int f = 0; f < GSIM_SERVED_COUNT; f++) gsim_quantiles_release(&measured[f]);
    }
    gsim_tables_put(db, script, section, out);
    gsim_tables_close(db);
}

void gsim_serving_print(struct gsim_output *out, const struct gsim_serving_head *h, struct gsim_serving_result *r)
{
    write_section(out, h, r, "text");
}

void gsim_serving_json(struct gsim_output *out, const struct gsim_serving_head *h, struct gsim_serving_result *r)
{
    write_section(out, h, r, "json");
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
