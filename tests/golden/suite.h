/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The benchmark programs' dependence structure for plan tests, by kernel and buffer name (sizes do not matter to
 * a plan), and the readable form of a recorded plan: streams by content, waits as "from>to".
 */
#pragma once

#include "tests/schedulers/check.h"
#include "tests/schedulers/programs.h"

#define SUITE_LINES 64

/* KeSCo's sources (HITS: one step, reset by a kernel; an output that accumulates is also read). */
static const char *const suite_vec[] = {"sq1: x > x1", "sq2: y > y1", "reduce: x1 y1 res > res", NULL};
static const char *const suite_bs[] = {"bs0: x0 > y0",
                                       "bs1: x1 > y1",
                                       "bs2: x2 > y2",
                                       "bs3: x3 > y3",
                                       "bs4: x4 > y4",
                                       "bs5: x5 > y5",
                                       "bs6: x6 > y6",
                                       "bs7: x7 > y7",
                                       "bs8: x8 > y8",
                                       "bs9: x9 > y9",
                                       NULL};
static const char *const suite_ml[] = {"rr1: x > z", "nb1: x flp r1 > r1", "rr2: z coeff r2 > r2", "nb2: r1 > amax",
                                       "nb3: r1 amax > l", "rr3: r2 intercept > r2", "nb4: r1 l > r1", "sm1: r1 > r1",
                                       "sm2: r2 > r2", "argmax: r1 r2 > r", NULL};
static const char *const suite_hits[] = {"spmvA: rc1 ptr2 idx2 val2 hub1 > rc1 auth2",
                                         "spmvB: rc2 ptr idx val auth1 > rc2 hub2",
                                         "sumA: auth2 anorm > anorm",
                                         "sumB: hub2 hnorm > hnorm",
                                         "divA: auth2 anorm > auth1",
                                         "divB: hub2 hnorm > hub1",
                                         "reset: > anorm hnorm rc1 rc2",
                                         NULL};
static const char *const suite_img[] = {
    "blurS: image ks > bs", "blurL: image kl > bl",      "blurU: image ku > bu",         "sobS: bs > ms",
    "sobL: bl > ml",        "max: ml maximum > maximum", "min: ml minimum > minimum",    "ext: ml minimum maximum > ml",
    "unsh: image bu > iu",  "comb1: iu bl ml > image2",  "comb2: image2 bs ms > image3", NULL};
static const char *const suite_dl[] = {"cx1: x k1 > x1",    "cy1: y k3 > y1",     "px: x1 > x11",
                                       "py: y1 > y11",      "cx2: x11 k2 > x2",   "cy2: y11 k4 > y2",
                                       "concat: x2 y2 > z", "dot: z w res > res", NULL};

static inline const char *suite_kernel_name(const struct gsim_program *program, const struct gsim_op *op)
{
    return op->kind == GSIM_OP_KERNEL     ? program->kernels[op->kernel_index].name
           : op->kind == GSIM_OP_PREFETCH ? "P"
                                          : "?";
}

/* "[sq1 reduce] [sq2]": kernels of ITERATION by stream, streams by their first kernel's issue. */
static inline void suite_streams(const struct recorder *r, const struct gsim_program *program, uint32_t iteration,
                                 char *text, size_t size)
{
    bool done[REC_STREAMS] = {false};
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t n = 0; n < r->item_count; n++) {
        uint32_t stream = r->items[n].stream;
        if (r->items[n].iteration != iteration || r->items[n].op->kind != GSIM_OP_KERNEL || done[stream]) continue;
        done[stream] = true;
        used += (size_t)snprintf(text + used, size - used, "%s[", used ? " " : "");
        for (uint32_t m = n; m < r->item_count; m++)
            if (r->items[m].iteration == iteration && r->items[m].stream == stream &&
                r->items[m].op->kind == GSIM_OP_KERNEL)
                used += (size_t)snprintf(text + used, size - used, "%s%s", m == n ? "" : " ",
                                         suite_kernel_name(program, r->items[m].op));
        used += (size_t)snprintf(text + used, size - used, "]");
    }
}

/* "sq2>reduce ...": the waits of ITERATION in the order of the waiting ops. */
static inline void suite_waits(const struct recorder *r, const struct gsim_program *program, uint32_t iteration,
                               char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t e = 0; e < r->edge_count; e++)
        if (r->edges[e].iteration == iteration)
            used += (size_t)snprintf(text + used, size - used, "%s%s>%s", used ? " " : "",
                                     suite_kernel_name(program, r->items[r->edges[e].from].op),
                                     suite_kernel_name(program, r->items[r->edges[e].to].op));
}

static inline uint32_t suite_streams_used(const struct recorder *r, bool kernels_alone)
{
    bool used[REC_STREAMS] = {false};
    uint32_t count = 0;
    for (uint32_t n = 0; n < r->item_count; n++) {
        uint32_t stream = r->items[n].stream;
        if (stream == REC_NONE || used[stream] || (kernels_alone && r->items[n].op->kind != GSIM_OP_KERNEL)) continue;
        used[stream] = true;
        count++;
    }
    return count;
}

static inline struct recorder *suite_run_with(const char *scheduler, const char *options,
                                              const struct gsim_program *program, unsigned long seed, bool prefetch)
{
    enum gsim_status status;
    struct gsim_error error;
    struct trial t = {.ops = gsim_scheduler_find(scheduler), .program = program, .options = options, .seed = seed,
                      .prefetch = prefetch};
    struct recorder *r = trial_run(&t, &status, &error);
    struct verdict v = check_record(&t, r);
    CHECK_MSG(status == GSIM_OK, "%s: %s", scheduler, error.message);
    CHECK_MSG(!v.text[0], "%s: %s", scheduler, v.text);
    return r;
}

static inline struct recorder *suite_run(const char *scheduler, const char *options, const struct gsim_program *program,
                                         unsigned long seed)
{
    return suite_run_with(scheduler, options, program, seed, false);
}
