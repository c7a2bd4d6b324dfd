/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranks in reports (sim/report/report.h): what each one's time went into, and every rank's part of every collective. A
 * collective waits from its first block on the rank to the last rank's last block, and transfers from then on.
 */
#include <math.h>

#include "sim/base/text.h"
#include "sim/report/report.h"

#define MIN_US 0.001 /* of waiting: less is a rounding of picoseconds */

struct rank_sum {
    double makespan_us, kernels_us, waiting_us, transfer_us, median_us;
    uint32_t iterations;
};

static bool is_collective(const struct gsim_timeline *t, const struct gsim_kernel_record *k)
{
    return t->program->kernels[k->kernel_index].collective != NULL;
}

static struct rank_sum sum_of(const struct gsim_result *result, uint32_t task)
{
    const struct gsim_timeline *t = result->timeline;
    struct rank_sum s = {0};
    double total = 0;
    for (size_t i = 0; i < t->request_count; i++) {
        const struct gsim_request_record *r = &t->requests[i];
        if (r->task != task) continue;
        s.makespan_us = fmax(s.makespan_us, gsim_time_us(r->end));
        total += gsim_time_us(r->end - r->start);
        s.iterations++;
    }
    s.median_us = s.iterations ? total / s.iterations : 0;
    for (size_t i = 0; i < t->kernel_count; i++)
        if (t->kernels[i].task == task && !is_collective(t, &t->kernels[i]))
            s.kernels_us += gsim_time_us(t->kernels[i].end - t->kernels[i].start);
    for (size_t i = 0; i < t->collective_count; i++) {
        const struct gsim_collective_record *c = &t->collectives[i];
        if (c->task != task) continue;
        s.waiting_us += gsim_time_us(c->begun - c->start);
        s.transfer_us += gsim_time_us(c->end - c->begun);
    }
    return s;
}

void gsim_ranks_print(const struct gsim_result *result, struct gsim_output *output)
{
    const struct gsim_ranks *ranks = result->simulation->ranks;
    uint32_t count = result->simulation->tasks->count;
    gsim_output_printf(output, "  %-12s %-12s %12s %12s %12s %12s\n", "Rank", "GPU", "iteration", "kernels", "waiting",
                       "transfer");
    for (uint32_t i = 0; i < count; i++) {
        struct rank_sum s = sum_of(result, i);
        char name[32], gpu[32], a[GSIM_TEXT_SIZE], b[GSIM_TEXT_SIZE], c[GSIM_TEXT_SIZE], d[GSIM_TEXT_SIZE];
        const char *range = ranks->copies[i] > 1 ? "%u to %u" : "%u";
        snprintf(name, sizeof name, range, ranks->rank_of[i], ranks->rank_of[i] + ranks->copies[i] - 1);
        snprintf(gpu, sizeof gpu, range, ranks->device_of[i], ranks->device_of[i] + ranks->copies[i] - 1);
        gsim_output_printf(output, "  %-12s %-12s %12s %12s %12s %12s\n", name, gpu, gsim_text_us(a, s.median_us),
                           gsim_text_us(b, s.kernels_us), gsim_text_us(c, s.waiting_us < MIN_US ? 0 : s.waiting_us),
                           gsim_text_us(d, s.transfer_us));
    }
    gsim_output_text(output, "  (a mean iteration; sums of all kernels, and of collectives: until the last rank is "
                             "there, and from then on)\n\n");
}

static void put_rank(const struct gsim_result *result, uint32_t task, uint32_t rank, struct gsim_output *output)
{
    const struct gsim_timeline *t = result->timeline;
    struct rank_sum s = sum_of(result, task);
    bool is_first = true;
    gsim_output_printf(output, "{\"rank\": %u, \"device\": %u, \"iteration_us\": [", rank,
                       result->simulation->ranks->device_of[task] + rank - result->simulation->ranks->rank_of[task]);
    for (size_t i = 0; i < t->request_count; i++) {
        if (t->requests[i].task != task) continue;
        if (!is_first) gsim_output_text(output, ", ");
        is_first = false;
        gsim_output_time_us(output, t->requests[i].end - t->requests[i].start);
    }
    gsim_output_printf(output,
                       "], \"makespan_us\": %.6f, \"kernel_us\": %.6f, \"waiting_us\": %.6f, \"transfer_us\": %.6f}",
                       s.makespan_us, s.kernels_us, s.waiting_us, s.transfer_us);
}

void gsim_ranks_json(const struct gsim_result *result, struct gsim_output *output)
{
    const struct gsim_ranks *ranks = result->simulation->ranks;
    const struct gsim_timeline *t = result->timeline;
    uint32_t count = result->simulation->tasks->count;
    bool is_first = true;
    gsim_output_text(output, ",\n \"ranks\": [");
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t r = 0; r < ranks->copies[i]; r++) {
            gsim_output_text(output, is_first ? "\n  " : ",\n  ");
            is_first = false;
            put_rank(result, i, ranks->rank_of[i] + r, output);
        }
    gsim_output_text(output, "],\n \"collectives\": [");
    for (size_t i = 0; i < t->collective_count; i++) {
        const struct gsim_collective_record *c = &t->collectives[i];
        gsim_output_put(output, "%s\n  {'op': %u, 'rank': %u, 'iteration': %u, 'kind': '%s', 'bytes': %z, "
                                "'channels': %u, 'start_us': %t, 'end_us': %t, 'waiting_us': %t, 'transfer_us': %t}",
                        i ? "," : "", c->op - result->simulation->tasks->first_op[c->task], ranks->rank_of[c->task],
                        c->iteration, gsim_collective_names[c->kind], (unsigned long long)c->bytes, c->channels,
                        c->start, c->end, c->begun - c->start, c->end - c->begun);
    }
    gsim_output_text(output, "]");
}
