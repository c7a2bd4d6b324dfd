/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trust/published/grcuda_gpus.h. */
#include "trust/published/grcuda_gpus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/generator.h"
#include "gpusim/placement.h"
#include "gpusim/simulate.h"
#include "sim/base/jobs/run.h"

#define ITERATIONS 2  /* data that moves once has moved before the second */
#define DIFFER     1.1 /* policies whose published times differ by less are not ranked */

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* --- cells --- */

static bool parse(char *line, struct gsim_grcuda_cell *c)
{
    char *fields[9], *rest = line;
    for (int i = 0; i < 9; i++) {
        fields[i] = rest;
        rest = strchr(rest, ',');
        if (!rest != (i == 8)) return false;
        if (rest) *rest++ = '\0';
    }
    *c = (struct gsim_grcuda_cell){.size = atof(fields[6]),
                                   .gpus = (uint32_t)atoi(fields[7]),
                                   .published_s = *fields[8] ? atof(fields[8]) : NAN,
                                   .predicted_s = NAN,
                                   .published_times = NAN,
                                   .predicted_times = NAN};
    char *const texts[] = {c->gpu, c->runtime, c->program, c->mode, c->parent, c->placement};
    const size_t sizes[] = {sizeof c->gpu,  sizeof c->runtime, sizeof c->program,
                            sizeof c->mode, sizeof c->parent,  sizeof c->placement};
    for (int i = 0; i < 6; i++) snprintf(texts[i], sizes[i], "%s", fields[i]);
    return c->size > 0 && c->gpus > 0;
}

static enum gsim_status read_cells(struct gsim_grcuda_gpus *g, const char *path, struct gsim_error *error)
{
    char line[256];
    size_t room = 0;
    bool is_head = true;
    FILE *file = fopen(path, "r");
    enum gsim_status status = file ? GSIM_OK : gsim_error_set(error, GSIM_IO, "cannot read '%s'", path);
    while (file && status == GSIM_OK && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        bool is_comment = line[0] == '#' || is_head;
        if (line[0] != '#') is_head = false;
        if (is_comment) continue;
        if (gsim_array_grow(&g->cells, sizeof *g->cells, g->count, &room))
            status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
        else if (!parse(line, &g->cells[g->count]))
            status = gsim_error_set(error, GSIM_INPUT, "'%s': cell %zu: expected nine fields", path, g->count + 1);
        else g->count++;
    }
    if (file) fclose(file);
    return status;
}

/* One GPU leaves no choice: all policies are one run. */
static bool is_same_run(const struct gsim_grcuda_cell *a, const struct gsim_grcuda_cell *b)
{
    return is(a->gpu, b->gpu) && is(a->runtime, b->runtime) && is(a->program, b->program) && is(a->mode, b->mode) &&
           a->size == b->size && a->gpus == b->gpus &&
           (a->gpus == 1 || (is(a->parent, b->parent) && is(a->placement, b->placement)));
}

static bool is_on_one(const struct gsim_grcuda_cell *one, const struct gsim_grcuda_cell *c)
{
    struct gsim_grcuda_cell other = *c;
    other.gpus = 1;
    return is_same_run(one, &other);
}

/* --- a run --- */

struct machine {
    struct gsim_device_spec device;
    struct gsim_node *node;
};

static enum gsim_status open_machine(struct machine *m, const char *gpu, struct gsim_error *error)
{
    bool is_v100 = is(gpu, "v100");
    *m = (struct machine){0};
    enum gsim_status status = gsim_device_load(is_v100 ? "v100-sxm2-16gb" : "a100-sxm4-40gb", &m->device, error);
    return status ? status : gsim_node_load(&m->node, is_v100 ? "dgx1-v100" : "dgx-a100", error);
}

static enum gsim_status build(const struct gsim_grcuda_cell *c, struct gsim_program *program, struct gsim_error *error)
{
    const struct gsim_generator_ops *generator = gsim_generator_find(c->program);
    char number[32];
    if (!generator) return gsim_error_set(error, GSIM_INPUT, "unknown program '%s'", c->program);
    void *params = gsim_alloc(generator->params_size);
    if (!params) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    gsim_params_set_defaults(generator->params, params);
    snprintf(number, sizeof number, "%.17g", c->size);
    enum gsim_status status = gsim_params_set(generator->params, params, "size", number, error);
    snprintf(number, sizeof number, "%u", c->gpus);
    if (!status && is(c->runtime, "cuda")) status = gsim_params_set(generator->params, params, "gpus", number, error);
    if (!status) status = generator->build(params, 1, program, error);
    gsim_free(params);
    return status;
}

/* By hand: streams and GPUs are the program's. GrCUDA: its scheduler, which on one GPU has nothing to place. */
static enum gsim_status simulate(const struct machine *m, const struct gsim_grcuda_cell *c,
                                 const struct gsim_program *program, double *seconds, struct gsim_error *error)
{
    bool is_grcuda = is(c->runtime, "grcuda") && is(c->mode, "async");
    struct gsim_simulation s = {.program = program,
                                .device = &m->device,
                                .node = m->node,
                                .gpu_count = c->gpus,
                                .memory = GSIM_MEMORY_MANAGED,
                                .iterations = ITERATIONS,
                                .seed = 1};
    struct gsim_timeline timeline = {0};
    s.scheduler = gsim_scheduler_find(is_grcuda ? "grsched" : is(c->mode, "sync") ? "serial" : "async");
    if (is_grcuda && c->gpus > 1) s.placement = gsim_placement_find(c->placement);
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    void *params = gsim_alloc(s.scheduler->params_size + 1);
    if (!params) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (s.scheduler->params) gsim_params_set_defaults(s.scheduler->params, params);
    enum gsim_status status =
        is_grcuda ? gsim_params_set(s.scheduler->params, params, "parent_stream", c->parent, error) : GSIM_OK;
    s.scheduler_params = params;
    if (!status) status = gsim_simulate(&s, &timeline, error);
    if (!status)
        *seconds =
            gsim_time_us(timeline.iterations[ITERATIONS - 1].end - timeline.iterations[ITERATIONS - 1].start) * 1e-6;
    gsim_timeline_release(&timeline);
    gsim_free(params);
    return status;
}

/* --- worker processes --- */

struct outcome {
    double seconds;
    char failure[160];
};

struct jobs {
    struct gsim_grcuda_gpus *g;
    struct machine machines[2]; /* of a worker: made by its first run on each, which frees nothing before its end */
    struct gsim_progress *progress;
};

static void run_one(void *data, uint64_t item, struct gsim_bytes *bytes)
{
    struct jobs *jobs = data;
    const struct gsim_grcuda_cell *c = &jobs->g->cells[item];
    struct machine *m = &jobs->machines[is(c->gpu, "a100")];
    struct gsim_program program = {0};
    struct gsim_error error = {0};
    struct outcome outcome;
    memset(&outcome, 0, sizeof outcome); /* padding included: it goes through a pipe */
    outcome.seconds = NAN;
    enum gsim_status status = m->device.name ? GSIM_OK : open_machine(m, c->gpu, &error);
    if (!status) status = build(c, &program, &error);
    if (!status) status = simulate(m, c, &program, &outcome.seconds, &error);
    if (status) snprintf(outcome.failure, sizeof outcome.failure, "%.159s", error.message);
    gsim_program_release(&program);
    gsim_bytes_add(bytes, &outcome, sizeof outcome);
}

static void fail_one(void *data, uint64_t item, enum gsim_item_end end, const char *message, struct gsim_bytes *bytes)
{
    struct outcome outcome;
    (void)data, (void)item, (void)end;
    memset(&outcome, 0, sizeof outcome);
    outcome.seconds = NAN;
    snprintf(outcome.failure, sizeof outcome.failure, "%.159s", message);
    gsim_bytes_add(bytes, &outcome, sizeof outcome);
}

static enum gsim_status take_one(void *data, uint64_t item, const char *bytes, size_t length, struct gsim_error *error)
{
    struct jobs *jobs = data;
    struct gsim_grcuda_gpus *g = jobs->g;
    struct outcome outcome;
    if (length != sizeof outcome) return gsim_error_set(error, GSIM_IO, "a worker process gave %zu bytes", length);
    memcpy(&outcome, bytes, sizeof outcome);
    for (size_t i = item; i < g->count; i++)
        if (is_same_run(&g->cells[i], &g->cells[item])) g->cells[i].predicted_s = outcome.seconds;
    if (outcome.failure[0] && !g->failure[0]) snprintf(g->failure, sizeof g->failure, "%s", outcome.failure);
    if (jobs->progress) jobs->progress->done++;
    return GSIM_OK;
}

static bool is_first(const struct gsim_grcuda_gpus *g, size_t cell)
{
    for (size_t i = 0; i < cell; i++)
        if (is_same_run(&g->cells[i], &g->cells[cell])) return false;
    return true;
}

static enum gsim_status run_cells(struct gsim_grcuda_gpus *g, uint32_t processes, struct gsim_progress *progress,
                                  struct gsim_error *error)
{
    struct jobs jobs = {.g = g, .progress = progress};
    uint64_t *items = gsim_alloc((g->count + 1) * sizeof *items);
    struct gsim_pool_run run = {.pool = {.jobs = processes, .data = &jobs, .run = run_one, .fail = fail_one},
                                .items = items,
                                .deliver = take_one,
                                .data = &jobs,
                                .progress = progress};
    if (!items) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (size_t i = 0; i < g->count; i++)
        if (is_first(g, i)) items[run.count++] = i;
    if (progress) progress->total = run.count;
    enum gsim_status status = gsim_pool_run(&run, error);
    gsim_free(items);
    return status;
}

enum gsim_status gsim_grcuda_gpus_run(struct gsim_grcuda_gpus *g, const char *path, uint32_t jobs,
                                      struct gsim_progress *progress, struct gsim_error *error)
{
    *g = (struct gsim_grcuda_gpus){0};
    enum gsim_status status = read_cells(g, path, error);
    if (!status) status = run_cells(g, jobs, progress, error);
    for (size_t i = 0; i < g->count; i++) {
        struct gsim_grcuda_cell *c = &g->cells[i];
        for (size_t n = 0; n < g->count; n++) {
            if (!is_on_one(&g->cells[n], c)) continue;
            if (isnan(c->published_times)) c->published_times = g->cells[n].published_s / c->published_s;
            c->predicted_times = g->cells[n].predicted_s / c->predicted_s;
        }
    }
    return status;
}

void gsim_grcuda_gpus_release(struct gsim_grcuda_gpus *g) { gsim_free(g->cells); }

/* --- output --- */

static void put(struct gsim_output *output, double value)
{
    if (isfinite(value)) gsim_output_printf(output, "%.6g", value);
}

void gsim_grcuda_gpus_csv(const struct gsim_grcuda_gpus *g, struct gsim_output *output)
{
    gsim_output_text(output, "gpu,program,size,runtime,policy,parent,placement,gpus,published,predicted,published_"
                             "speedup,predicted_speedup\n");
    for (size_t i = 0; i < g->count; i++) {
        const struct gsim_grcuda_cell *c = &g->cells[i];
        gsim_output_printf(output, "%s,%s,%.0f,%s,%s,%s,%s,%u,", c->gpu, c->program, c->size, c->runtime, c->mode,
                           c->parent, c->placement, c->gpus);
        put(output, c->published_s);
        gsim_output_text(output, ",");
        put(output, c->predicted_s);
        gsim_output_text(output, ",");
        put(output, c->published_times);
        gsim_output_text(output, ",");
        put(output, c->predicted_times);
        gsim_output_text(output, "\n");
    }
}

struct tally {
    double errors, log_published, log_predicted;
    size_t count, pairs, ranked;
};

/* Policies of GrCUDA on as many GPUs, whose published times differ: ranked alike? */
static void rank(const struct gsim_grcuda_gpus *g, size_t a, struct tally *t)
{
    for (size_t b = a + 1; b < g->count; b++) {
        const struct gsim_grcuda_cell *x = &g->cells[a], *y = &g->cells[b];
        bool is_pair = is(x->gpu, y->gpu) && is(x->program, y->program) && is(x->mode, y->mode) &&
                       is(x->runtime, y->runtime) && x->size == y->size && x->gpus == y->gpus;
        double ratio = x->published_s / y->published_s, predicted = x->predicted_s / y->predicted_s;
        if (!is_pair || !(ratio > DIFFER || ratio < 1 / DIFFER) || !isfinite(predicted)) continue;
        t->pairs++;
        t->ranked += (ratio > 1) == (predicted > 1);
    }
}

static void put_tally(struct gsim_output *output, const char *gpu, const char *program, const struct tally *t)
{
    if (!t->count) return;
    gsim_output_printf(output, "  %-5s %-6s %6zu %10.2fx %10.2fx %9.1f %%", gpu, program, t->count,
                       exp(t->log_published / (double)t->count), exp(t->log_predicted / (double)t->count),
                       100 * t->errors / (double)t->count);
    if (t->pairs) gsim_output_printf(output, " %6zu of %zu", t->ranked, t->pairs);
    gsim_output_text(output, "\n");
}

/* What a program's cells on GPUS miss by. */
static double error_of(const struct gsim_grcuda_gpus *g, const char *program, uint32_t gpus)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < g->count; i++) {
        const struct gsim_grcuda_cell *c = &g->cells[i];
        if (c->gpus != gpus || (program && !is(c->program, program)) || !isfinite(c->published_times) ||
            !isfinite(c->predicted_times))
            continue;
        sum += fabs(c->predicted_times / c->published_times - 1);
        count++;
    }
    return count ? 100 * sum / (double)count : NAN;
}

/* By number of GPUs, and why those that miss do. */
static void put_causes(const struct gsim_grcuda_gpus *g, struct gsim_output *output)
{
    static const struct {
        const char *program, *cause;
    } rows[] = {
        {"b1m", NULL},
        {"b5m", NULL},
        {"b6m", "8: all GPUs read the coefficients; see below"},
        {"b9m",
         "all GPUs read the vector at each of 50 steps; 8: see below; round-robin on 2 and 4 faults 40 % too much"},
        {"b11m", "faults on rows of more than 100 KB are slower than simulated; 8: see below"},
        {NULL, NULL},
    };
    static const uint32_t gpus[] = {2, 4, 8};
    gsim_output_printf(output, "\n  %-6s %8s %8s %8s  mean error %% on so many GPUs\n", "", "2", "4", "8");
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        gsim_output_printf(output, "  %-6s", rows[r].program ? rows[r].program : "all");
        for (size_t n = 0; n < 3; n++) gsim_output_printf(output, " %8.1f", error_of(g, rows[r].program, gpus[n]));
        gsim_output_printf(output, "%s%s\n", rows[r].cause ? "  " : "", rows[r].cause ? rows[r].cause : "");
    }
    gsim_output_text(output, "\n  GPUs 0 to 3 have NVLink between all pairs, 0 to 7 have not. What several GPUs read "
                             "in managed memory then moves to and\n"
                             "  fro, until the driver pins it in the host's memory and it is read over PCIe. That is "
                             "not modelled: pages go to who\n"
                             "  faults, and are copied on a read (docs/not-modelled.md).\n");
}

void gsim_grcuda_gpus_print(const struct gsim_grcuda_gpus *g, struct gsim_output *output)
{
    static const char *const programs[] = {"b1m", "b5m", "b6m", "b9m", "b11m"};
    struct tally all = {0};
    gsim_output_text(output, "GrCUDA's programs on 2 to 8 V100: speed-ups over one GPU, geometric means; mean error; "
                             "pairs of policies ranked right,\n"
                             "where published times differ by more than 10 %\n\n");
    gsim_output_printf(output, "  %-5s %-6s %6s %11s %11s %11s %12s\n", "gpu", "", "cells", "published", "simulated",
                       "error", "ranked");
    for (size_t p = 0; p < sizeof programs / sizeof programs[0]; p++) {
        struct tally t = {0};
        for (size_t i = 0; i < g->count; i++) {
            const struct gsim_grcuda_cell *c = &g->cells[i];
            if (!is(c->program, programs[p])) continue;
            if (is(c->runtime, "grcuda")) rank(g, i, &t);
            if (c->gpus == 1 || !isfinite(c->published_times) || !isfinite(c->predicted_times)) continue;
            t.errors += fabs(c->predicted_times / c->published_times - 1);
            t.log_published += log(c->published_times);
            t.log_predicted += log(c->predicted_times);
            t.count++;
        }
        put_tally(output, "v100", programs[p], &t);
        all.errors += t.errors;
        all.log_published += t.log_published;
        all.log_predicted += t.log_predicted;
        all.count += t.count;
        all.pairs += t.pairs;
        all.ranked += t.ranked;
    }
    put_tally(output, "v100", "all", &all);
    put_causes(g, output);
    if (g->failure[0]) gsim_output_printf(output, "\n  runs failed, the first with: %s\n", g->failure);
}
