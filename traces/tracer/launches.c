/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The driver's calls as they are made: when launches were, for the steps' time of a run that records nothing else; and
 * which pointers kernels, copies and memsets were given, from which the importer knows the allocations that they share.
 */
#include "traces/tracer/tracer.h"

#include <inttypes.h>
#include <string.h>

#define MIN_ADDRESS ((uint64_t)1 << 32) /* of device memory; what is less is a number */
#define MAX_ADDRESS   ((uint64_t)1 << 48)
#define MAX_WORDS     96

enum gtr_layout { NOT_WATCHED, LAUNCH, LAUNCH_EX, GRAPH, COPY, SET }; /* of the call's parameters */

static const struct {
    const char *begin;
    enum gtr_layout layout;
} calls[] = {{"cuLaunchKernelEx", LAUNCH_EX},
             {"cuLaunchKernel", LAUNCH},
             {"cuLaunchCooperativeKernel", LAUNCH},
             {"cuGraphLaunch", GRAPH},
             {"cuMemcpyHtoD", COPY},
             {"cuMemcpyAsync", COPY},
             {"cuMemsetD8", SET},
             {"cuMemsetD16", SET},
             {"cuMemsetD32", SET}};

void gtr_watch_launches(struct gtr *t, bool with_copies)
{
    for (uint32_t call = 1; call < GTR_CALLS; call++) {
        const char *name = NULL;
        if (t->cupti.cuptiGetCallbackName(GTR_DOMAIN_DRIVER, call, &name) || !name || strstr(name, "MultiDevice"))
            continue;
        for (size_t i = 0; i < sizeof calls / sizeof calls[0] && !t->layouts[call]; i++)
            if (strncmp(name, calls[i].begin, strlen(calls[i].begin)) == 0 && (with_copies || calls[i].layout < COPY))
                t->layouts[call] = (uint8_t)calls[i].layout;
        if (t->layouts[call]) (void)t->cupti.cuptiEnableCallback(1, t->subscriber, GTR_DOMAIN_DRIVER, call);
    }
}

void gtr_put_launched(struct gtr *t)
{
    for (size_t i = 0; i < t->launched_count; i++) {
        const struct gtr_launched *l = &t->launched[i];
        gtr_put(t, "{\"ph\":\"M\",\"cat\":\"launched\",\"name\":\"%" PRIxPTR "\",\"ts\":%" PRIu64 ".%03u},\n",
                (uintptr_t)l->function, l->ns / 1000, (unsigned)(l->ns % 1000));
    }
    t->launched_count = 0;
}

/* What may be addresses among SIZE bytes of the parameter INDEX. */
static void put_words(struct gtr *t, size_t index, const void *bytes, size_t size, uint32_t *count)
{
    for (size_t at = 0; at + sizeof(uint64_t) <= size && *count < MAX_WORDS; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, (const char *)bytes + at, sizeof word);
        if (word < MIN_ADDRESS || word >= MAX_ADDRESS) continue;
        gtr_put(t, "%s[%zu,%" PRIu64 "]", (*count)++ ? "," : "", index, word);
    }
}

static bool is_parameter(const struct gtr_driver *d, void *function, size_t index, size_t *size)
{
    size_t offset;
    if (d->cuFuncGetParamInfo && d->cuFuncGetParamInfo(function, index, &offset, size) == 0) return true;
    return d->cuKernelGetParamInfo && d->cuKernelGetParamInfo(function, index, &offset, size) == 0;
}

static void put_pointers(struct gtr *t, enum gtr_layout layout, const struct gtr_callback *call)
{
    struct launch {
        void *function;
        unsigned shape[7];
        void *stream, **parameters;
    };
    struct launch_ex {
        const void *shape;
        void *function, **parameters;
    };
    const struct launch *launch = call->parameters;
    const struct launch_ex *ex = call->parameters;
    void **parameters = layout == LAUNCH      ? launch->parameters
                        : layout == LAUNCH_EX ? ex->parameters
                                              : NULL,
         *function = layout == LAUNCH      ? launch->function
                     : layout == LAUNCH_EX ? ex->function
                                           : NULL;
    uint32_t count = 0;
    size_t size;
    uint64_t now = gtr_now_ns();
    if (layout < COPY && !parameters) return; /* in another form: not known */
    gtr_put(t,
            "{\"ph\":\"M\",\"cat\":\"pointers\",\"name\":\"\",\"ts\":%" PRIu64 ".%03u,\"args\":{\"correlation\":%u,"
            "\"pointers\":[",
            now / 1000, (unsigned)(now % 1000), call->correlation);
    for (size_t i = 0; parameters && is_parameter(&t->driver, function, i, &size); i++)
        put_words(t, i, parameters[i], size, &count);
    if (layout >= COPY) put_words(t, 0, call->parameters, sizeof(uint64_t), &count); /* the destination */
    gtr_put(t, "]}},\n");
}

void gtr_on_launch(struct gtr *t, uint32_t id, const struct gtr_callback *call)
{
    enum gtr_layout layout = id < GTR_CALLS ? (enum gtr_layout)t->layouts[id] : NOT_WATCHED;
    if (!layout) return;
    pthread_mutex_lock(&t->mutex);
    if (t->is_untraced) {
        if (t->launched_count == GTR_LAUNCHED) gtr_put_launched(t);
        t->launched[t->launched_count++] = (struct gtr_launched){gtr_now_ns(), layout == GRAPH ? NULL : call->symbol};
    } else if (layout != GRAPH && t->is_on) {
        put_pointers(t, layout, call);
    }
    pthread_mutex_unlock(&t->mutex);
}
