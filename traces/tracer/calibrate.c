/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What recording costs on this machine: calls and kernels that do nothing, with and without. In a process of its own,
 * before the program. Writes members of JSON.
 */
#include "traces/tracer/tracer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 9
#define EACH   1000

static const char empty[] = ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry empty() { ret; }\n";

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* ns of each: asking a stream; launching. Medians. */
static void measure(const struct gtr_driver *d, void *function, double ns[2])
{
    double each[2][ROUNDS];
    for (int r = -1; r < ROUNDS; r++) {
        int at = r < 0 ? 0 : r;
        (void)d->cuCtxSynchronize();
        uint64_t from = gtr_now_ns();
        for (int i = 0; i < EACH; i++) (void)d->cuStreamQuery(NULL);
        uint64_t asked = gtr_now_ns();
        for (int i = 0; i < EACH / 4; i++) (void)d->cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
        uint64_t launched = gtr_now_ns();
        each[0][at] = (double)(asked - from) / EACH;
        each[1][at] = (double)(launched - asked) / (EACH / 4);
    }
    for (int k = 0; k < 2; k++) {
        qsort(each[k], ROUNDS, sizeof each[k][0], compare);
        ns[k] = each[k][ROUNDS / 2];
    }
}

__attribute__((visibility("default"))) int gpusim_trace_calibrate(char *text, size_t size);
int gpusim_trace_calibrate(char *text, size_t size)
{
    static struct gtr t;
    struct gtr_driver *d = &t.driver;
    void *context = NULL, *module = NULL, *function = NULL;
    double without[2], with[2];
    *text = '\0';
    if (!gtr_load_cupti(&t.cupti) || !gtr_load_driver(d) || d->cuInit(0) || d->cuDevicePrimaryCtxRetain(&context, 0) ||
        d->cuCtxSetCurrent(context) || d->cuModuleLoadData(&module, empty) ||
        d->cuModuleGetFunction(&function, module, "empty"))
        return 1;
    measure(d, function, without);
    gtr_active = &t;
    t.is_lost = true; /* lines are made and thrown away */
    if (!gtr_start(&t)) return 1;
    measure(d, function, with);
    gtr_stop(&t);
    gtr_active = NULL;
    snprintf(text, size, "\"call_ns\":%.0f,\"launch_ns\":%.0f,\"plain_call_ns\":%.0f,\"plain_launch_ns\":%.0f",
             with[0] - without[0], with[1] - without[1], without[0], without[1]);
    return 0;
}
