/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See trust/published/tally.h. The urgent task: BERT stands for itself (every third of Orion's kernels, scaled to 4.05
 * ms of which 11 % the GPU is idle); Llama-2-7B is 288 kernels a token, 7 of 9 stream weights for 46 us; its requests
 * are 3 tokens in place of 1.96 s. The others: stand_ins[]. A request comes every two request times: load 0.5.
 * Latencies count from a request's first call, as a P99 alone of 1.01 times the mean shows.
 */
#include "trust/published/tally.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trust/published/trial.h"
#include "workloads/services/services.h"

#define A100_SPEED 2.0  /* over the V100 */
#define SHORTENED  4    /* every fourth kernel of a training: its mix of lengths */
#define MOST_WAVES 2.0  /* of blocks that a training's kernel has, longer ones where its grid would be larger */
#define TILE_REGISTERS 128
#define TILE_BYTES     32768
#define TILES_PER_SM   2
#define BLOCKS_PER_SM  8
#define BERT_US        3605.0 /* 89 % of 4.05 ms */
#define TOKENS         3

static const struct {
    const char *name, *way, *opts[3];
} systems[GSIM_TALLY_SYSTEMS] = {
    {"time_slicing", "timeslice", {NULL}},
    {"mps", "mps", {NULL}},
    {"mps_priority", "mps", {"priority=1", NULL}},
    {"tgs", "tgs", {"message_us=1000", "window_us=1000", NULL}}, /* 5 s and 50 ms would be minutes of simulation */
    {"tally", "tally", {"turnaround_us=31.6", NULL}},
    {"tally_whole", "tally", {"form=whole", NULL}},
};

/* What stands for a training: Orion's, its kernels so many times as long by their batch; a host that takes so long
 * before each launch. */
static const struct stand_in {
    const char *name, *service;
    double times, launch_us;
} stand_ins[] = {
    {"bert_b32", "bert-train", 4, 1},
    {"gpt2-large_b1", "transformerxl-train", 4, 1},
    {"pegasus-x-base_b4", "transformerxl-train", 2, 1},
    {"pointnet_b128", "mobilenetv2-train", 2, 1},
    {"resnet50_b128", "resnet50-train", 4, 1},
    {"whisper-large-v3_b16", "bert-train", 16, -1},
};

/* --- programs ------------------------------------------------------------------------------------------------- */

struct service {
    struct gsim_program program;
    double *us;      /* of its kernels, in order */
    uint32_t count;
    double sum_us;
};

static void release(struct service *s)
{
    gsim_program_release(&s->program);
    gsim_free(s->us);
    *s = (struct service){0};
}

/* An Orion kernel of so many microseconds: tiles that fill the registers with two, or threads that fill an SM. */
static struct gsim_kernel shape(const struct gsim_kernel *from, const struct gsim_device_spec *device, double us,
                                double most_waves)
{
    bool is_tile = strstr(from->name, "sgemm") || strcmp(from->name, "Conv") == 0;
    double sms = from->grid.x / (double)BLOCKS_PER_SM, most = most_waves * device->sm_count;
    uint32_t per_sm = is_tile ? TILES_PER_SM : BLOCKS_PER_SM;
    struct gsim_kernel k = *from;
    k.grid.x = (uint32_t)fmax(1, fmin(sms, most) * per_sm);
    k.solo_us = us;
    k.solo_device = NULL;
    k.regs_per_thread = is_tile ? TILE_REGISTERS : 32;
    k.smem_bytes = is_tile ? TILE_BYTES : 0;
    double busy = 0.6 * us * fmin(1, k.grid.x / device->sm_count);
    k.flops = is_tile ? busy * 19e6 : 0;
    k.dram_bytes = is_tile ? 0 : busy * 1.4e6;
    return k;
}

/* A host that waits before each launch for as long as the kernel takes (LAUNCH_US below 0), or for so long. */
static void add(struct gsim_builder *b, struct service *s, const struct gsim_kernel *k, double launch_us)
{
    if (launch_us)
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_HOST_COMPUTE,
                                             .host_us = launch_us < 0 ? 2 * k->solo_us : launch_us,
                                             .stream = -1});
    gsim_builder_op(b,
                    &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, k), .stream = 0});
    s->us[s->count++] = k->solo_us;
    s->sum_us += k->solo_us;
}

/* Every STEP-th kernel of the service, TIMES as long; TOTAL_US above 0: so that all take that. */
static enum gsim_status build(const char *kernels, const char *name, uint32_t step, double times, double total_us,
                              double launch_us, double most_waves, const struct gsim_device_spec *device,
                              struct service *s, struct gsim_error *error)
{
    struct gsim_program from;
    enum gsim_status status = gsim_service_build(gsim_service_find(name), kernels, "v100", &from, error);
    if (status != GSIM_OK) return status;
    struct gsim_builder *b = gsim_builder_create(name);
    s->us = gsim_alloc(sizeof *s->us * (from.op_count + 1));
    double sum = 0;
    for (uint32_t pass = 0; pass < 2 && b && s->us; pass++)
        for (uint32_t i = 0, n = 0; i < from.op_count; i++) {
            if (from.ops[i].kind != GSIM_OP_KERNEL || n++ % step) continue;
            const struct gsim_kernel *k = &from.kernels[from.ops[i].kernel_index];
            double us = k->solo_us * (total_us > 0 && pass ? total_us / sum : times);
            if (!pass) sum += k->solo_us;
            struct gsim_kernel made = shape(k, device, us, most_waves);
            if (pass) add(b, s, &made, launch_us);
        }
    status =
        b && s->us ? gsim_builder_finish(b, 1, &s->program, error) : gsim_error_set(error, GSIM_NOMEM, "out of memory");
    gsim_program_release(&from);
    return status;
}

static enum gsim_status build_llama(struct service *s, struct gsim_error *error)
{
    struct gsim_builder *b = gsim_builder_create("llama");
    s->us = gsim_alloc(sizeof *s->us * 288 * TOKENS);
    for (uint32_t i = 0; i < 288 * TOKENS && b && s->us; i++) {
        bool is_weights = i % 9 < 7;
        struct gsim_kernel k = {.name = is_weights ? "weights" : "small",
                                .grid = {is_weights ? 864 : 108, 1, 1},
                                .block = {256, 1, 1},
                                .regs_per_thread = 32,
                                .solo_us = is_weights ? 46 : 8};
        k.dram_bytes = (is_weights ? 1.2e6 : 0.8e6) * k.solo_us;
        add(b, s, &k, 0);
    }
    return b && s->us ? gsim_builder_finish(b, 1, &s->program, error)
                      : gsim_error_set(error, GSIM_NOMEM, "out of memory");
}

static enum gsim_status build_urgent(const char *name, const char *kernels, const struct gsim_device_spec *device,
                                     struct service *s, struct gsim_error *error)
{
    if (strcmp(name, "bert") != 0) return build_llama(s, error);
    return build(kernels, "bert-infer", 3, 1, BERT_US, 0, 0.5, device, s, error);
}

static enum gsim_status build_other(const char *name, const char *kernels, const struct gsim_device_spec *device,
                                    double most_waves, struct service *s, struct gsim_error *error)
{
    for (size_t i = 0; i < sizeof stand_ins / sizeof stand_ins[0]; i++)
        if (strcmp(stand_ins[i].name, name) == 0)
            return build(kernels, stand_ins[i].service, SHORTENED, stand_ins[i].times / A100_SPEED, 0,
                         stand_ins[i].launch_us, most_waves, device, s, error);
    return gsim_error_set(error, GSIM_INPUT, "no service stands for '%.40s'", name);
}

/* --- runs ----------------------------------------------------------------------------------------------------- */

struct pair_run {
    const struct gsim_device_spec *device;
    struct service services[2];
    struct gsim_task tasks[2];
    double alone_us[2];
    struct gsim_task_profiles profiles;
};

static void close_run(struct pair_run *r)
{
    gsim_task_profiles_release(&r->profiles);
    for (int i = 0; i < 2; i++) release(&r->services[i]);
}

static enum gsim_status open_run(struct pair_run *r, const struct gsim_device_spec *device,
                                 const struct gsim_tally_pair *pair, const char *kernels, double most_waves,
                                 struct gsim_error *error)
{
    *r = (struct pair_run){.device = device};
    enum gsim_status status = build_urgent(pair->urgent, kernels, device, &r->services[0], error);
    if (status == GSIM_OK) status = build_other(pair->other, kernels, device, most_waves, &r->services[1], error);
    for (int i = 0; i < 2 && status == GSIM_OK; i++) {
        struct gsim_task_stats stats;
        r->tasks[i] = (struct gsim_task){.name = i ? "other" : "urgent",
                                         .program = &r->services[i].program,
                                         .scheduler = gsim_scheduler_find("async"),
                                         .priority = 5 * i,
                                         .process = GSIM_OWN_PROCESS,
                                         .requests = 2};
        status = gsim_trial_run(
            &(struct gsim_trial){.device = device, .tasks = &r->tasks[i], .count = 1, .way = "exclusive"}, &stats, NULL,
            error);
        r->alone_us[i] = stats.mean_us;
    }
    if (status == GSIM_OK) status = gsim_trial_measure(device, r->tasks, 2, 1, &r->profiles, error);
    r->tasks[0].arrival = GSIM_ARRIVAL_PERIODIC;
    r->tasks[0].period_us = 2 * r->alone_us[0];
    r->tasks[0].start_us = 1000;
    r->tasks[0].requests = strcmp(pair->urgent, "bert") == 0 ? 12 : 2;
    r->tasks[1].requests = 0;
    return status;
}

static enum gsim_status run_system(struct pair_run *r, uint32_t system, struct gsim_tally_cell *cell,
                                   struct gsim_error *error)
{
    struct gsim_timeline t = {0};
    struct gsim_task_stats stats[2];
    double end = r->tasks[0].start_us + r->tasks[0].requests * r->tasks[0].period_us, done = 0;
    uint32_t n = 0;
    enum gsim_status status = gsim_trial_run(&(struct gsim_trial){.device = r->device,
                                                                  .tasks = r->tasks,
                                                                  .count = 2,
                                                                  .way = systems[system].way,
                                                                  .opts = systems[system].opts,
                                                                  .profiles = &r->profiles,
                                                                  .keeps_kernels = true},
                                             stats, &t, error);
    for (size_t i = 0; i < t.request_count; i++)
        if (t.requests[i].task == 0) {
            cell->p99 = fmax(cell->p99, gsim_time_us(t.requests[i].end - t.requests[i].start) /
                                            r->alone_us[0]); /* of few requests the worst */
            end = fmax(end, gsim_time_us(t.requests[i].end));
        }
    for (size_t i = 0; i < t.kernel_count; i++)
        if (t.kernels[i].task == 1 && gsim_time_us(t.kernels[i].end) <= end)
            done += r->services[1].us[n++ % r->services[1].count];
    cell->throughput = done / r->services[1].sum_us * r->alone_us[1] / end;
    gsim_timeline_release(&t);
    return status;
}

/* How the most waves of a training's kernels decide what MPS does to the first pair. */
static enum gsim_status run_waves(struct gsim_tally *tally, const struct gsim_device_spec *device, const char *kernels,
                                  struct gsim_error *error)
{
    static const double waves[GSIM_TALLY_WAVES] = {0.5, 1, 2, 8};
    enum gsim_status status = GSIM_OK;
    for (int w = 0; w < GSIM_TALLY_WAVES && status == GSIM_OK; w++) {
        struct pair_run r;
        struct gsim_tally_cell mps = {0}, priority = {0};
        status = open_run(&r, device, &tally->pairs[0], kernels, waves[w], error);
        if (status == GSIM_OK) status = run_system(&r, 1, &mps, error);
        if (status == GSIM_OK) status = run_system(&r, 2, &priority, error);
        close_run(&r);
        tally->waves[w] = waves[w];
        tally->mps[w] = mps.p99;
        tally->priority[w] = priority.p99;
    }
    return status;
}

/* --- the published numbers ------------------------------------------------------------------------------------ */

static enum gsim_status read_table(const char *path, struct gsim_tally *tally, struct gsim_error *error)
{
    char line[200], urgent[24], other[24], system[24];
    double throughput, p99, alone = 0;
    FILE *file = fopen(path, "r");
    if (!file) return gsim_error_set(error, GSIM_IO, "cannot read '%s'", path);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%23[^,],%23[^,],%23[^,],%lf,%lf", urgent, other, system, &throughput, &p99) != 5) continue;
        struct gsim_tally_pair *pair = tally->count ? &tally->pairs[tally->count - 1] : NULL;
        if (!pair || strcmp(pair->urgent, urgent) != 0 || strcmp(pair->other, other) != 0) {
            if (tally->count == GSIM_TALLY_PAIRS) break;
            pair = &tally->pairs[tally->count++];
            snprintf(pair->urgent, sizeof pair->urgent, "%s", urgent);
            snprintf(pair->other, sizeof pair->other, "%s", other);
        }
        if (strcmp(system, "alone") == 0) alone = p99;
        for (int s = 0; s < GSIM_TALLY_SYSTEMS; s++)
            if (strcmp(systems[s].name, system) == 0)
                pair->published[s] = (struct gsim_tally_cell){p99 / alone, throughput};
    }
    fclose(file);
    return tally->count
               ? GSIM_OK
               : gsim_error_set(error, GSIM_INPUT, "'%s': expected urgent,other,system,throughput,p99_ms", path);
}

enum gsim_status gsim_tally_run(const struct gsim_device_spec *device, const char *table, const char *kernels,
                                uint32_t pair_count, struct gsim_tally *tally, struct gsim_error *error)
{
    *tally = (struct gsim_tally){0};
    enum gsim_status status = read_table(table, tally, error);
    if (pair_count < tally->count) tally->count = pair_count;
    for (uint32_t p = 0; p < tally->count && status == GSIM_OK; p++) {
        struct pair_run r;
        status = open_run(&r, device, &tally->pairs[p], kernels, MOST_WAVES, error);
        for (uint32_t s = 0; s < GSIM_TALLY_SYSTEMS && status == GSIM_OK; s++)
            status = run_system(&r, s, &tally->pairs[p].simulated[s], error);
        close_run(&r);
    }
    return status == GSIM_OK ? run_waves(tally, device, kernels, error) : status;
}

/* --- what came of it ------------------------------------------------------------------------------------------ */

static double value(const struct gsim_tally_cell *cell, bool by_throughput)
{
    return by_throughput ? cell->throughput : cell->p99;
}

struct gsim_tally_order gsim_tally_order(const struct gsim_tally_pair *pair, bool by_throughput, int without)
{
    struct gsim_tally_order order = {0};
    for (int a = 0; a < GSIM_TALLY_SYSTEMS; a++)
        for (int b = 0; b < GSIM_TALLY_SYSTEMS; b++) {
            if (a == without || b == without ||
                value(&pair->published[b], by_throughput) <= 1.05 * value(&pair->published[a], by_throughput))
                continue;
            order.count++;
            order.right += value(&pair->simulated[b], by_throughput) > value(&pair->simulated[a], by_throughput);
        }
    return order;
}

struct gsim_tally_cell gsim_tally_mean(const struct gsim_tally *tally, uint32_t system, bool is_published)
{
    struct gsim_tally_cell sum = {0};
    for (uint32_t p = 0; p < tally->count; p++) {
        const struct gsim_tally_cell *c =
            is_published ? &tally->pairs[p].published[system] : &tally->pairs[p].simulated[system];
        sum.p99 += log(c->p99) / tally->count;
        sum.throughput += c->throughput / tally->count;
    }
    sum.p99 = exp(sum.p99);
    return sum;
}

static void print_orders(const struct gsim_tally *t, struct gsim_output *output)
{
    for (int by_throughput = 0; by_throughput < 2; by_throughput++) {
        uint32_t all = 0;
        struct gsim_tally_order sum = {0}, rest = {0};
        for (uint32_t p = 0; p < t->count; p++) {
            struct gsim_tally_order o = gsim_tally_order(&t->pairs[p], by_throughput, -1),
                                    r = gsim_tally_order(&t->pairs[p], by_throughput, GSIM_TALLY_TGS);
            all += o.right == o.count;
            sum = (struct gsim_tally_order){sum.count + o.count, sum.right + o.right};
            rest = (struct gsim_tally_order){rest.count + r.count, rest.right + r.right};
        }
        gsim_output_printf(
            output, "  order by %-10s %u of %u comparisons right (without tgs %u of %u), all in %u of %u pairs: %s\n",
            by_throughput ? "throughput" : "P99", sum.right, sum.count, rest.right, rest.count, all, t->count,
            all == t->count ? "met" : "not met");
    }
}

void gsim_tally_print(const struct gsim_tally *t, struct gsim_output *output)
{
    gsim_output_printf(
        output, "Tally (ASPLOS 2025) on an A100: P99 over alone and throughput of the other, simulated (published)\n");
    gsim_output_printf(output, "  %-11s %-20s", "urgent", "other");
    for (int s = 0; s < GSIM_TALLY_SYSTEMS; s++) gsim_output_printf(output, " %-24s", systems[s].name);
    for (uint32_t p = 0; p < t->count; p++) {
        gsim_output_printf(output, "\n  %-11s %-20s", t->pairs[p].urgent, t->pairs[p].other);
        for (int s = 0; s < GSIM_TALLY_SYSTEMS; s++) {
            const struct gsim_tally_cell *a = &t->pairs[p].simulated[s], *b = &t->pairs[p].published[s];
            gsim_output_printf(output, " %5.2f (%5.2f) %4.2f (%4.2f)", a->p99, b->p99, a->throughput, b->throughput);
        }
    }
    gsim_output_text(output, "\n\nMust hold: means within 25 %, both orders right for all pairs\n");
    for (int s = 0; s < GSIM_TALLY_SYSTEMS; s++) {
        struct gsim_tally_cell a = gsim_tally_mean(t, (uint32_t)s, false), b = gsim_tally_mean(t, (uint32_t)s, true);
        double off = a.p99 / b.p99 - 1, off_other = a.throughput / b.throughput - 1;
        gsim_output_printf(output, "  %-12s P99 %5.2f (%5.2f) %+6.1f %% %-7s  throughput %4.2f (%4.2f) %+6.1f %% %s\n",
                           systems[s].name, a.p99, b.p99, 100 * off, fabs(off) <= 0.25 ? "met" : "not met",
                           a.throughput, b.throughput, 100 * off_other, fabs(off_other) <= 0.25 ? "met" : "not met");
    }
    print_orders(t, output);
    gsim_output_text(output,
                     "\nWhat decides: how many waves of blocks the other's kernels have (P99 of the first pair)\n");
    for (int w = 0; w < GSIM_TALLY_WAVES; w++)
        gsim_output_printf(output, "  at most %3g: mps %5.2f, mps_priority %5.2f\n", t->waves[w], t->mps[w],
                           t->priority[w]);
    gsim_output_text(output, "TGS by its published rule holds a training back that slows the server; in the artifact "
                             "it ran on as under MPS.\n");
}

void gsim_tally_csv(const struct gsim_tally *t, struct gsim_output *output)
{
    gsim_output_text(output, "urgent,other,system,p99_published,p99,throughput_published,throughput\n");
    for (uint32_t p = 0; p < t->count; p++)
        for (int s = 0; s < GSIM_TALLY_SYSTEMS; s++) {
            const struct gsim_tally_pair *pair = &t->pairs[p];
            gsim_output_printf(output, "%s,%s,%s,%.4f,%.4f,%.4f,%.4f\n", pair->urgent, pair->other, systems[s].name,
                               pair->published[s].p99, pair->simulated[s].p99, pair->published[s].throughput,
                               pair->simulated[s].throughput);
        }
}
