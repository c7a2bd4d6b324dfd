/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording of a pair of services, which gpusim validate --kind sharing reads (trust/validate/sharing.h). */
#include <stdlib.h>
#include <string.h>

#include "cli/runner/share.h"
#include "gpusim/order.h"

#define PAIR 2

static bool is_kernel(const struct gsim_op *op) { return op->kind == GSIM_OP_KERNEL; }

enum gsim_status gsim_share_check_recording(const struct gsim_share_command *c, struct gsim_error *error)
{
    if (c->tasks.count != PAIR) return gsim_refuse(error, "--recording: expected two tasks, found %u", c->tasks.count);
    for (uint32_t t = 0; t < PAIR; t++) {
        const struct gsim_task *task = &c->tasks.tasks[t];
        if (task->arrival != GSIM_ARRIVAL_CLOSED || c->stage_tasks[t].bench_ops)
            return gsim_refuse(error, "--recording: task '%.60s': expected a program file with closed arrivals",
                               task->name);
        for (uint32_t i = 0; i < task->program->op_count; i++) {
            const struct gsim_op *op = &task->program->ops[i];
            bool is_behind = i && is_kernel(op - 1) && op->kind == GSIM_OP_HOST_COMPUTE;
            if (!is_kernel(op) && !is_behind)
                return gsim_refuse(error,
                                   "--recording: task '%.60s': ops[%u]: expected kernels alone, each with one host "
                                   "time behind it or none",
                                   task->name, i);
        }
    }
    if (c->tasks.tasks[0].priority > c->tasks.tasks[1].priority)
        return gsim_refuse(error, "--recording: expected the more urgent task first");
    return GSIM_OK;
}

static const char *kind_name(enum gsim_standin_kind kind)
{
    return kind == GSIM_STANDIN_FMA ? "fma" : kind == GSIM_STANDIN_STREAM ? "stream" : "smem";
}

static uint64_t product(const struct gsim_dim3 *d) { return (uint64_t)d->x * d->y * d->z; }

static void put_kernel(const struct gsim_kernel *k, const struct gsim_standin *s, bool is_first,
                       struct gsim_output *output)
{
    bool is_fma = s->kind == GSIM_STANDIN_FMA, is_stream = s->kind == GSIM_STANDIN_STREAM;
    double threads = (double)product(&k->grid) * (double)product(&k->block), rounds = (double)s->rounds;
    double flops = is_fma ? GSIM_STANDIN_FMA_FLOPS * threads * rounds : is_stream ? 8.0 * rounds * s->fmas : 0;
    gsim_output_printf(output,
                       "%s\n  {\"type\": \"%s\", \"grid\": %llu, \"block\": %llu, \"smem\": %u, \"regs\": %u, "
                       "\"iters\": %.0f, \"elems\": %.0f, \"fl\": %u, "
                       "\"flops\": %.0f, \"dram_bytes\": %.0f, \"buf\": %d, \"solo_ns\": %.0f}",
                       is_first ? "" : ",", kind_name(s->kind), (unsigned long long)product(&k->grid),
                       (unsigned long long)product(&k->block), s->smem_bytes, s->regs, is_stream ? 0 : rounds,
                       is_stream ? rounds : 0, s->fmas, flops, is_stream ? GSIM_STANDIN_STREAM_BYTES * rounds : 0,
                       is_stream ? (int)s->buffer : -1, s->solo_us * 1e3);
}

static void put_service(const struct gsim_task *task, uint32_t first_kernel, struct gsim_output *output)
{
    const struct gsim_program *p = task->program;
    gsim_output_printf(output, "{\"think_us\": %.15g, \"steps\": [", task->gap_us);
    for (uint32_t i = 0; i < p->op_count; i++) {
        const struct gsim_op *op = &p->ops[i], *next = i + 1 < p->op_count && !is_kernel(op + 1) ? op + 1 : NULL;
        if (!is_kernel(op)) continue;
        gsim_output_printf(output, "%s[%u, %.15g, %d]", i ? ", " : "", first_kernel + op->kernel_index,
                           next ? next->host_us : 0, next && next->after_count);
    }
    gsim_output_text(output, "]}");
}

GSIM_ORDER_OF(compare_doubles, double)

static void put_times(const char *word, uint32_t task, const struct gsim_timeline *t, uint32_t own, double *times,
                      struct gsim_output *output)
{
    size_t n = 0;
    double sum = 0;
    for (size_t i = 0; i < t->request_count; i++)
        if (t->requests[i].task == own) sum += times[n++] = gsim_time_us(t->requests[i].end - t->requests[i].start);
    gsim_output_printf(output, ",\n  \"%s_%c\": ", word, 'a' + (int)task);
    if (!n) {
        gsim_output_text(output, "null");
        return;
    }
    qsort(times, n, sizeof *times, compare_doubles);
    gsim_output_printf(output,
                       "{\"n\": %zu, \"p10\": %.1f, \"p50\": %.1f, \"p90\": %.1f, \"p99\": %.1f, \"mean\": %.1f}", n,
                       times[n / 10], times[n / 2], times[n * 9 / 10], times[n * 99 / 100], sum / (double)n);
}

static double number(const struct gsim_share_way *way, const char *name)
{
    const struct gsim_param *row = gsim_params_find(way->ops->params, name);
    return row ? gsim_params_get(row, way->params) : -1;
}

/* What such recordings call the way. */
static const char *word_of(const struct gsim_share_way *way)
{
    const char *name = way->ops->name;
    if (strcmp(name, "streams") == 0) return number(way, "priority") != 0 ? "priority" : "streams";
    if (strcmp(name, "mps") == 0)
        return number(way, "percentage") == 50 ? "mps_50" : number(way, "percentage") == 100 ? "mps" : "mps_part";
    if (strcmp(name, "fikit") == 0) return number(way, "small_gap_us") == 0 ? "fill" : "fikit";
    return name;
}

enum gsim_status gsim_share_write_recording(const struct gsim_share_command *c, struct gsim_error *error)
{
    struct gsim_output output;
    size_t most = 1;
    for (size_t w = 0; w < c->way_count; w++)
        most = c->ways[w].timeline.request_count > most ? c->ways[w].timeline.request_count : most;
    for (uint32_t t = 0; t < PAIR; t++) most = c->alone[t].request_count > most ? c->alone[t].request_count : most;
    double *times = gsim_alloc(sizeof *times * most);
    enum gsim_status status = gsim_output_open(&output, c->recording, error);
    if (status != GSIM_OK) {
        gsim_free(times);
        return status;
    }
    gsim_output_put(&output, "{'device': %q, 'sms': %d,\n 'kernels': [", c->gpu->name, c->gpu->sm_count);
    for (uint32_t t = 0; t < PAIR; t++)
        for (uint32_t k = 0; k < c->tasks.tasks[t].program->kernel_count; k++)
            put_kernel(&c->tasks.tasks[t].program->kernels[k], &c->stage_tasks[t].standins[k], !t && !k, &output);
    gsim_output_text(&output, "],\n \"pairs\": [{\n  \"a\": ");
    put_service(&c->tasks.tasks[0], 0, &output);
    gsim_output_text(&output, ",\n  \"b\": ");
    put_service(&c->tasks.tasks[1], c->tasks.tasks[0].program->kernel_count, &output);
    for (uint32_t t = 0; t < PAIR; t++) put_times("solo", t, &c->alone[t], 0, times, &output);
    for (size_t w = 0; w < c->way_count; w++)
        for (uint32_t t = 0; t < PAIR && c->ways[w].stats; t++)
            put_times(word_of(&c->ways[w]), t, &c->ways[w].timeline, t, times, &output);
    gsim_output_text(&output, "}]}\n");
    gsim_free(times);
    return gsim_output_commit(&output, error);
}
