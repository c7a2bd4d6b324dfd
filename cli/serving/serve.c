/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli. "gpusim serve": one run of a server with its report, or a table over rates, batching policies and ways to
 * place the prefill.
 */
#include "cli/serving/serve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "sim/base/text.h"
#include "cli/serving/rows.h"

#define MAX_RATES   256
#define MAX_NAMES   32
#define WITHIN      0.99 /* of the requests keep the limits at the greatest rate */
#define RATE_STEP   1.01 /* the search ends where a rate holds and one of so many times it does not */
#define RATE_DRAWS  5
#define MAX_DRAWS   1e6
#define KEEPS_MAX   1000000u /* requests of which each is reported */
#define MAX_OPTS    4     /* of more none is asked whether it does something, as in cli/idle.c, */
#define MAX_STEPS   20000 /* nor of a longer run */

struct serve {
    const struct gsim_cli_arguments *arguments;
    struct gsim_cli_server *server;
    struct gsim_serving_table *tables[GSIM_BESIDE_COUNT][2]; /* shared by cells; [1]: prefill apart */
    double rates[MAX_RATES];
    const struct gsim_batching_ops *policies[MAX_NAMES];
    void *params[MAX_NAMES];
    enum gsim_beside besides[GSIM_BESIDE_COUNT];
    uint32_t rate_count, policy_count, beside_count, draws;
    bool is_search; /* for the greatest rate */
    bool is_quiet;  /* shows no progress */
    uint64_t draw;  /* added to the seed */
};

/* --- words --- */

static enum gsim_status parse_rates(struct serve *v, struct gsim_error *error)
{
    const char *text = v->arguments->value[GSIM_CLI_RATE];
    double from, to, step;
    char *end;
    v->rate_count = 1;
    if (!text) return GSIM_OK;
    v->is_search = strcmp(text, "most") == 0;
    const struct gsim_serving_spec *spec = gsim_cli_server_spec(v->server);
    if (v->is_search && !(spec->ttft_limit_us > 0) && !(spec->tpot_limit_us > 0))
        return gsim_refuse(error, "--rate most: expected limits: --within ttft=200ms,tpot=30ms");
    if (v->is_search) return GSIM_OK;
    v->rate_count = 0;
    if (sscanf(text, "%lf:%lf:%lf", &from, &to, &step) == 3) {
        if (!(from >= GSIM_RATE_MIN && to >= from && to <= 1e9 && step > 0) || (to - from) / step >= MAX_RATES)
            return gsim_refuse(error, "--rate: expected FROM:TO:STEP of at most %d rates, found '%.60s'", MAX_RATES,
                               text);
        for (double rate = from; rate <= to * (1 + 1e-9) && v->rate_count < MAX_RATES; rate += step)
            v->rates[v->rate_count++] = rate;
        return GSIM_OK;
    }
    for (const char *at = text;; at = end + 1) {
        double rate = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !(rate >= GSIM_RATE_MIN && rate <= 1e9) ||
            v->rate_count == MAX_RATES)
            return gsim_refuse(
                error, "--rate: expected requests per second (1e-9 to 1e9) or FROM:TO:STEP, found '%.60s'", text);
        v->rates[v->rate_count++] = rate;
        if (!*end) return GSIM_OK;
    }
}

/* "ttft=200ms,tpot=30ms", in place of the file's limits. */
static enum gsim_status parse_within(struct serve *v, struct gsim_error *error)
{
    const char *text = v->arguments->value[GSIM_CLI_WITHIN];
    struct gsim_serving_spec *spec = gsim_cli_server_spec(v->server);
    if (!text) return GSIM_OK;
    spec->ttft_limit_us = spec->tpot_limit_us = 0;
    char item[64], window[64];
    for (const char *at = text; gsim_text_item(&at, item, sizeof item);) {
        double *limit = strncmp(item, "ttft=", 5) == 0   ? &spec->ttft_limit_us
                        : strncmp(item, "tpot=", 5) == 0 ? &spec->tpot_limit_us
                                                         : NULL;
        double from_us;
        snprintf(window, sizeof window, "0:%.61s", limit ? item + 5 : item);
        if (!limit || *limit > 0 || !gsim_text_window(window, &from_us, limit) || !isfinite(*limit) || !(*limit > 0))
            return gsim_refuse(error, "--within: expected ttft=TIME,tpot=TIME, found '%.60s'", text);
    }
    return GSIM_OK;
}

static enum gsim_status parse_besides(struct serve *v, struct gsim_error *error)
{
    const char *text = v->arguments->value[GSIM_CLI_BESIDE];
    v->beside_count = !text;
    v->besides[0] = gsim_cli_server_spec(v->server)->beside;
    if (!text && v->besides[0] == GSIM_BESIDE_SAME) return GSIM_OK;
    char name[32];
    for (const char *at = text; gsim_text_item(&at, name, sizeof name);) {
        if (v->beside_count == GSIM_BESIDE_COUNT)
            return gsim_refuse(error, "--prefill-beside: expected each way once, found '%.60s'", text);
        if (gsim_beside_parse(name, &v->besides[v->beside_count++], error))
            return gsim_error_prefix(error, "--prefill-beside");
    }
    for (uint32_t i = 0; i < v->policy_count; i++)
        if (!v->policies[i]->separate) return GSIM_OK;
    return gsim_refuse(error, "%s: under %s a prefill has a GPU of its own",
                       text ? "--prefill-beside" : "prefill_beside", v->policies[0]->name);
}

/* A prefill with a GPU of its own is beside nothing: one row. */
static uint32_t besides_of(const struct serve *v, uint32_t policy)
{
    return v->policies[policy]->separate ? 1 : v->beside_count;
}

struct gsim_scheduler_ops gsim_cli_policy_view(const struct gsim_batching_ops *policy)
{
    return (struct gsim_scheduler_ops){
        .name = policy->name, .params = policy->params, .params_size = policy->params_size};
}

enum gsim_status gsim_cli_server_policy(const struct gsim_cli_arguments *arguments, struct gsim_cli_server *server,
                                        const char *name, const struct gsim_batching_ops **ops, void **params,
                                        struct gsim_error *error)
{
    struct gsim_serving_spec *spec = gsim_cli_server_spec(server);
    *params = NULL;
    if (gsim_batching_load(name, ops, error)) return gsim_error_prefix(error, "batching");
    const struct gsim_scheduler_ops view = gsim_cli_policy_view(*ops);
    enum gsim_status status = gsim_cli_params(arguments, &view, &spec->arena, params, error);
    return status ? status
                  : gsim_serving_policy(spec, name, arguments->opts, arguments->opt_count, ops, params, error);
}

static enum gsim_status add_policy(struct serve *v, const char *name, struct gsim_error *error)
{
    uint32_t at = v->policy_count++;
    if (at == MAX_NAMES) return gsim_refuse(error, "--batching: expected at most %d, found more", MAX_NAMES);
    return gsim_cli_server_policy(v->arguments, v->server, name, &v->policies[at], &v->params[at], error);
}

static enum gsim_status parse_policies(struct serve *v, struct gsim_error *error)
{
    const char *text = v->arguments->value[GSIM_CLI_BATCHING];
    enum gsim_status status = GSIM_OK;
    if (!text) return add_policy(v, gsim_cli_server_spec(v->server)->batching, error);
    if (strcmp(text, "all") == 0) {
        for (uint32_t i = 0; gsim_batching_at(i) && !status; i++)
            if (!gsim_batching_at(i)->tokens ||
                strcmp(gsim_cli_server_spec(v->server)->batching, gsim_batching_at(i)->name) == 0)
                status = add_policy(v, gsim_batching_at(i)->name, error);
            else
                fprintf(stderr, "gpusim: note: --batching all: without %s, for which a file has steps of its own\n",
                        gsim_batching_at(i)->name);
        return status;
    }
    char name[4096];
    for (const char *at = text; !status && gsim_text_item(&at, name, sizeof name);)
        status = add_policy(v, name, error);
    return status;
}

static enum gsim_status parse_arrivals(struct serve *v, struct gsim_error *error)
{
    struct gsim_serving_spec *spec = gsim_cli_server_spec(v->server);
    const char *text = v->arguments->value[GSIM_CLI_ARRIVALS];
    uint32_t number;
    enum gsim_status status = gsim_cli_count(v->arguments, GSIM_CLI_REQUESTS, 1, 1e9, 0, &number, error);
    if (status != GSIM_OK) return status;
    if (text && gsim_arrivals_parse(text, number, &spec->arena, &spec->arrivals, error))
        return gsim_error_prefix(error, "--arrivals");
    struct gsim_arrivals *a = &spec->arrivals;
    if (number > 0 && (a->kind != GSIM_ARRIVALS_LIST || number < a->count)) a->count = number;
    bool is_drawn = a->kind != GSIM_ARRIVALS_LIST, has_prompts = a->prompt.kind != GSIM_LENGTHS_TRACE,
         has_outputs = a->output.kind != GSIM_LENGTHS_TRACE;
    if (text && !is_drawn && (has_prompts || has_outputs) && !v->arguments->is_quiet)
        fprintf(stderr, "gpusim: note: --arrivals: times of '%s', %s as '%s' says, not the trace's\n", text,
                has_prompts && has_outputs ? "prompts and outputs"
                : has_prompts              ? "prompts"
                                           : "outputs", spec->path);
    if (text && is_drawn && v->arguments->value[GSIM_CLI_RATE])
        return gsim_refuse(error, "--arrivals: --rate says how many come: expected one of the two");
    return GSIM_OK;
}

/* --- running --- */

/* Of what is simulated step by step. */
static enum gsim_status check_exact(const struct gsim_server *server, struct gsim_error *error)
{
    if (server->spec->replicas > 1)
        return gsim_refuse(error, "--exact: one host drives one GPU; several servers are looked up only");
    if (server->policy->separate || server->spec->beside >= GSIM_BESIDE_PARTITION)
        return gsim_refuse(
            error, "--exact: one host drives one GPU; a prefill in a process or on a GPU of its own is looked up only");
    if (server->spec->interpolates || server->spec->profile)
        return gsim_refuse(error, "--exact: a step from a profile or between two buckets has no program to simulate");
    return GSIM_OK;
}

/* How far a bucket is off, at worst, when its neighbours tell its time. */
static double interpolation_error(struct serve *v, const struct gsim_serving_spec *spec)
{
    struct gsim_serving_table *table = v->tables[spec->beside][0];
    double worst = 0;
    if (!spec->interpolates || !table) return NAN;
    for (uint32_t i = 1; i + 1 < spec->step_count; i++) {
        const struct gsim_serving_step *s = &spec->steps[i];
        if (s[-1].kind != s->kind || s[1].kind != s->kind) continue;
        double low = gsim_serving_table_alone_us(table, i - 1), here = gsim_serving_table_alone_us(table, i),
               high = gsim_serving_table_alone_us(table, i + 1);
        double told = low + (high - low) * (s->bucket - s[-1].bucket) / (s[1].bucket - s[-1].bucket);
        worst = fmax(worst, fabs(told / here - 1));
    }
    return worst;
}

static enum gsim_status run_cell(struct serve *v, const struct gsim_serve_cell *cell, bool keeps,
                                 struct gsim_serving_result *result, struct gsim_serving_head *head,
                                 struct gsim_error *error)
{
    struct gsim_serving_spec *spec = gsim_cli_server_spec(v->server);
    struct gsim_library *library = gsim_cli_server_library(v->server);
    struct gsim_serving_table **table = &v->tables[cell->beside][cell->policy->separate];
    uint64_t seed = gsim_cli_server_seed(v->server) + v->draw;
    spec->beside = cell->beside;
    if (cell->rate > 0 && gsim_arrivals_set_rate(&spec->arrivals, cell->rate, error))
        return gsim_error_prefix(error, "--rate");
    *head = (struct gsim_serving_head){.spec = spec,
                                       .device = library->device->name,
                                       .batching = cell->policy->name,
                                       .guesses = library->simulation.program->guesses,
                                       .gpus = gsim_serving_gpus(spec, cell->policy),
                                       .seed = seed,
                                       .is_exact = v->arguments->value[GSIM_CLI_EXACT] != NULL,
                                       .interpolation_error = NAN};
    struct gsim_server server = {.spec = spec,
                                 .device = library->device,
                                 .policy = cell->policy,
                                 .params = cell->params,
                                 .keeps = keeps && spec->arrivals.count <= KEEPS_MAX};
    enum gsim_status status = head->is_exact ? check_exact(&server, error) : GSIM_OK;
    library->is_separate = cell->policy->separate;
    if (!head->is_exact && !*table) *table = gsim_serving_table_create(library);
    if (!v->is_quiet) gsim_cli_server_watch(v->server, &server);
    if (!status)
        status = gsim_serve_drawn(&server, seed, library, head->is_exact ? NULL : *table, result, error);
    if (!status && !head->is_exact) gsim_serving_table_count(*table, &head->simulations, &head->lookups);
    if (!status) head->interpolation_error = interpolation_error(v, spec);
    gsim_cli_server_watch(v->server, NULL);
    return status;
}

/* --- results --- */

struct answer {
    struct gsim_serving_result *result;
    struct gsim_serving_head head;
};

static void put_json(const void *what, struct gsim_output *out)
{
    const struct answer *a = what;
    gsim_serving_json(out, &a->head, a->result);
}

static void put_text(const void *what, struct gsim_output *out)
{
    const struct answer *a = what;
    gsim_serving_print(out, &a->head, a->result);
}

/* As cli/idle.c of runs: each --opt is left out in turn. */
static void note_idle_opts(const struct serve *v, const struct gsim_serving_result *r)
{
    struct gsim_cli_arguments fewer = *v->arguments;
    struct gsim_served_point point;
    uint64_t steps = 0;
    for (int k = 0; k < GSIM_STEP_KIND_COUNT; k++) steps += r->steps[k];
    if (fewer.opt_count > MAX_OPTS || steps > MAX_STEPS) return;
    fewer.opts = gsim_alloc(sizeof *fewer.opts * (fewer.opt_count + 1));
    fewer.is_quiet = true;
    for (size_t out = 0; out < v->arguments->opt_count; out++) {
        struct gsim_error ignored = {0};
        fewer.opt_count = 0;
        for (size_t i = 0; i < v->arguments->opt_count; i++)
            if (i != out) fewer.opts[fewer.opt_count++] = v->arguments->opts[i];
        if (!gsim_cli_serve_point(&fewer, fewer.operands[0], 0, &point, &ignored) &&
            point.mean_us == gsim_quantiles_mean(&r->figures[GSIM_SERVED_E2E]) &&
            point.makespan_us == r->last_us - r->first_arrival_us)
            fprintf(stderr, "gpusim: note: --opt %.100s changes nothing here\n", v->arguments->opts[out]);
    }
    gsim_free(fewer.opts);
}

static enum gsim_status run_one(struct serve *v, struct gsim_error *error)
{
    const char *report = v->arguments->value[GSIM_CLI_REPORT];
    const struct gsim_serve_cell cell = {v->rates[0], v->policies[0], v->params[0], v->besides[0]};
    struct gsim_serving_result result = {0};
    struct answer a = {.result = &result};
    enum gsim_status status = run_cell(v, &cell, report != NULL, &result, &a.head, error);
    if (!status)
        status = gsim_cli_write(NULL, report, &(struct gsim_cli_forms){.json = put_json, .text = put_text}, &a, error);
    if (!status) note_idle_opts(v, &result);
    gsim_serving_result_release(&result);
    return status;
}

/* Draws of one cell; REQUESTS: of the last. */
static enum gsim_status run_draws(struct serve *v, const struct gsim_serve_cell *cell,
                                  struct gsim_stats stats[GSIM_SERVE_COLUMNS], uint64_t *requests,
                                  struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    bool differ = v->draws == 1;
    for (size_t c = 0; c < GSIM_SERVE_COLUMNS; c++) gsim_stats_init(&stats[c]);
    for (v->draw = 0; v->draw < v->draws && !status; v->draw++) {
        struct gsim_serving_result result = {0};
        struct gsim_serving_head head;
        status = run_cell(v, cell, false, &result, &head, error);
        for (size_t c = 0; c < GSIM_SERVE_COLUMNS && !status; c++)
            if (isfinite(gsim_serve_value(&result, c))) gsim_stats_add(&stats[c], gsim_serve_value(&result, c));
        *requests = result.requests;
        gsim_serving_result_release(&result);
        for (size_t c = 0; c < GSIM_SERVE_COLUMNS; c++) differ |= stats[c].minimum < stats[c].maximum;
    }
    if (!status && !differ) status = gsim_refuse(error, "--repeat: nothing is drawn here: all draws are the same");
    return status;
}

static enum gsim_status run_cells(struct serve *v, struct gsim_output *table, struct gsim_output *csv,
                                  struct gsim_error *error)
{
    const struct gsim_serving_spec *spec = gsim_cli_server_spec(v->server);
    enum gsim_status status = GSIM_OK;
    gsim_serve_put_heads(table, csv, v->server, v->draws);
    for (uint32_t r = 0; r < v->rate_count; r++)
        for (uint32_t p = 0; p < v->policy_count; p++)
            for (uint32_t b = 0; b < besides_of(v, p) && !status; b++) {
                const struct gsim_serve_cell cell = {v->rates[r], v->policies[p], v->params[p],
                                                    v->policies[p]->separate ? GSIM_BESIDE_SAME : v->besides[b]};
                struct gsim_stats stats[GSIM_SERVE_COLUMNS];
                uint64_t requests = 0;
                status = run_draws(v, &cell, stats, &requests, error);
                if (!status) gsim_serve_put_row(table, &cell, gsim_serving_gpus(spec, cell.policy), stats);
                if (!status && csv) gsim_serve_put_csv_row(csv, spec, &cell, requests, stats, v->draws);
            }
    gsim_cli_put_guesses(table, gsim_cli_server_library(v->server)->simulation.program->guesses, "");
    return status;
}

/* --- the greatest rate ---------------------------------------------------------------------------------------- */

/* Of the requests at RATE, the share within the limits. */
static enum gsim_status share_within(struct serve *v, const struct gsim_serve_cell *like, double rate, double *share,
                                     struct gsim_error *error)
{
    struct gsim_serve_cell cell = *like;
    struct gsim_serving_result result = {0};
    struct gsim_serving_head head;
    cell.rate = rate;
    enum gsim_status status = run_cell(v, &cell, false, &result, &head, error);
    *share = result.requests ? (double)result.good / (double)result.requests : 0;
    gsim_serving_result_release(&result);
    return status;
}

/* The greatest rate of one draw: doubled or halved until one holds and one does not, then between them. 0: none. ODD: a
 * lower rate that does not hold, or a higher one that does; 0: none of those tried. */
static enum gsim_status find_most(struct serve *v, const struct gsim_serve_cell *cell, double *most, double *odd,
                                  struct gsim_error *error)
{
    static const double besides[] = {0.5, 0.75, 0.9, 1.1, 1.5, 2};
    double low = 0, high = INFINITY, rate = 1, share;
    while (high / low > RATE_STEP && rate > GSIM_RATE_MIN * 1e3 && rate < 1e8) {
        if (share_within(v, cell, rate, &share, error)) return error->status;
        if (share >= WITHIN) low = rate;
        else high = rate;
        rate = isinf(high) ? low * 2 : low > 0 ? sqrt(low * high) : high / 2;
    }
    *most = low;
    for (size_t i = 0; i < sizeof besides / sizeof besides[0] && low > 0 && isfinite(high) && *odd <= 0; i++) {
        if (share_within(v, cell, low * besides[i], &share, error)) return error->status;
        if ((share >= WITHIN) != (besides[i] < 1)) *odd = low * besides[i];
    }
    if (isfinite(high)) return GSIM_OK;
    return gsim_error_set(error, GSIM_INPUT,
                          "--rate most: %s: every rate up to %.2g per s is within the limits: expected narrower ones "
                          "(--within) or more requests (--requests)", cell->policy->name, low);
}

static enum gsim_status search_cells(struct serve *v, struct gsim_output *table, struct gsim_output *csv,
                                     struct gsim_error *error)
{
    const struct gsim_serving_spec *spec = gsim_cli_server_spec(v->server);
    enum gsim_status status = GSIM_OK;
    char ttft[GSIM_TEXT_SIZE], tpot[GSIM_TEXT_SIZE];
    gsim_output_printf(table,
                       "%s on %s: the greatest rate at which %g %% of %u requests are within TTFT %s, TPOT %s\n\n",
                       spec->name, gsim_cli_server_library(v->server)->device->name, 100 * WITHIN, spec->arrivals.count,
                       spec->ttft_limit_us > 0 ? gsim_text_us(ttft, spec->ttft_limit_us) : "any",
                       spec->tpot_limit_us > 0 ? gsim_text_us(tpot, spec->tpot_limit_us) : "any");
    gsim_output_text(table, "batching       prefill   GPUs   per s       +-  per s and GPU\n");
    if (csv)
        gsim_output_text(csv, "name,batching,prefill_beside,gpus,most_per_s,half_per_s,most_per_gpu,against_per_s\n");
    for (uint32_t p = 0; p < v->policy_count; p++)
        for (uint32_t b = 0; b < besides_of(v, p) && !status; b++) {
            const struct gsim_serve_cell cell = {0, v->policies[p], v->params[p], v->besides[b]};
            struct gsim_stats draws;
            gsim_stats_init(&draws);
            double odd = 0;
            for (v->draw = 0; v->draw < v->draws && !status; v->draw++) {
                double most = 0;
                status = find_most(v, &cell, &most, &odd, error);
                gsim_stats_add(&draws, most);
            }
            double mean = gsim_stats_mean(&draws), half = gsim_stats_ci95(&draws);
            uint32_t gpus = gsim_serving_gpus(spec, cell.policy);
            gsim_output_printf(table, "%-14s %-9s %4u %7.4g %8.2g %14.4g\n", cell.policy->name,
                               gsim_beside_text(cell.beside), gpus, mean, half, mean / gpus);
            if (odd > 0)
                gsim_output_printf(table, "  at %.4g per s the limits are %s: lower rates are taken as better\n", odd,
                                   odd < mean ? "missed" : "kept");
            if (csv)
                gsim_output_put(csv, "%c,%c,%s,%u,%r,%r,%r,%r\n", spec->name, cell.policy->name,
                                gsim_beside_text(cell.beside), gpus, mean, half, mean / gpus, odd);
        }
    gsim_output_printf(table, "\n+-: the 95 %% interval over %u draws; the search ends within %g %%\n", v->draws,
                       100 * (RATE_STEP - 1));
    return status;
}

static enum gsim_status run_table(struct serve *v, struct gsim_error *error)
{
    const char *path = v->arguments->value[GSIM_CLI_CSV];
    bool is_piped = path && strcmp(path, "-") == 0;
    struct gsim_output table = {0}, csv = {0};
    enum gsim_status status = gsim_output_open(&table, is_piped ? "/dev/null" : "-", error);
    if (!status && path) status = gsim_output_open(&csv, path, error);
    if (!status) status = (v->is_search ? search_cells : run_cells)(v, &table, path ? &csv : NULL, error);
    if (!status && !is_piped) status = gsim_output_commit(&table, error);
    if (!status && path) status = gsim_output_commit(&csv, error);
    gsim_output_release(&table);
    gsim_output_release(&csv);
    return status;
}

/* From the words to what runs; the caller releases it in any case. */
static enum gsim_status prepare(struct serve *v, const char *path, struct gsim_error *error)
{
    enum gsim_status status = gsim_cli_server_init(v->arguments, path, &v->server, error);
    if (!status) status = parse_policies(v, error);
    if (!status) {
        struct gsim_scheduler_ops views[MAX_NAMES];
        const struct gsim_scheduler_ops *list[MAX_NAMES];
        for (uint32_t i = 0; i < v->policy_count; i++) {
            views[i] = gsim_cli_policy_view(v->policies[i]);
            list[i] = &views[i];
        }
        status = gsim_cli_check_opts(v->arguments, list, v->policy_count, error);
    }
    if (!status) status = parse_besides(v, error);
    if (!status) status = parse_within(v, error);
    if (!status) status = parse_rates(v, error);
    if (!status) status = parse_arrivals(v, error);
    if (status) return status;
    struct gsim_serving_spec *spec = gsim_cli_server_spec(v->server);
    const char *router = v->arguments->value[GSIM_CLI_ROUTER];
    status = gsim_cli_count(v->arguments, GSIM_CLI_REPLICAS, 1, GSIM_SERVING_REPLICAS, spec->replicas, &spec->replicas,
                            error);
    if (!status && router && gsim_router_parse(router, &spec->router, error))
        status = gsim_error_prefix(error, "--router");
    if (!status && router && spec->replicas == 1)
        status = gsim_refuse(error, "--router: of several servers: expected --replicas, found one server");
    return status;
}

static void release(struct serve *v)
{
    for (int b = 0; b < GSIM_BESIDE_COUNT; b++)
        for (int apart = 0; apart < 2; apart++) gsim_serving_table_destroy(v->tables[b][apart]);
    gsim_cli_server_destroy(v->server);
}

enum gsim_status gsim_cli_serve_point(const struct gsim_cli_arguments *arguments, const char *path, uint64_t draw,
                                      struct gsim_served_point *point, struct gsim_error *error)
{
    struct serve v = {.arguments = arguments, .draw = draw, .is_quiet = true};
    struct gsim_serving_result result = {0};
    struct gsim_serving_head head;
    enum gsim_status status = prepare(&v, path, error);
    if (!status && (v.is_search || v.rate_count * v.policy_count * v.beside_count > 1))
        status = gsim_refuse(error, "expected one rate, batching policy and way of prefill");
    const struct gsim_serve_cell cell = {v.rates[0], v.policies[0], v.params[0], v.besides[0]};
    if (!status) status = run_cell(&v, &cell, false, &result, &head, error);
    if (!status) {
        *point = (struct gsim_served_point){.seed = head.seed,
                                            .mean_us = gsim_quantiles_mean(&result.figures[GSIM_SERVED_E2E]),
                                            .makespan_us = result.last_us - result.first_arrival_us};
        snprintf(point->device, sizeof point->device, "%s", head.device);
        snprintf(point->policy, sizeof point->policy, "%s", head.batching);
        for (size_t c = 0; c < GSIM_SERVE_COLUMNS; c++) point->figures[c] = gsim_serve_value(&result, c);
    }
    gsim_serving_result_release(&result);
    release(&v);
    return status;
}

int gsim_cli_serve(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct serve v = {.arguments = arguments};
    enum gsim_status status = arguments->operand_count == 1
                                  ? prepare(&v, arguments->operands[0], error)
                                  : gsim_refuse(error, "nothing to serve: expected gpusim serve SPEC.json");
    if (!status)
        status =
            gsim_cli_count(arguments, GSIM_CLI_REPEAT, 1, MAX_DRAWS, v.is_search ? RATE_DRAWS : 1, &v.draws, error);
    if (!status && v.is_search && v.draws < 2)
        status = gsim_refuse(error, "--repeat: of --rate most 2 draws at least: one has no interval");
    bool is_one = !v.is_search && v.rate_count * v.policy_count * v.beside_count * v.draws == 1 &&
                  !arguments->value[GSIM_CLI_CSV];
    if (!status && !is_one && arguments->value[GSIM_CLI_REPORT])
        status = gsim_refuse(error, "--report: of one run alone; --csv FILE writes the table");
    if (!status) status = is_one ? run_one(&v, error) : run_table(&v, error);
    release(&v);
    return status;
}
