/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/tracer. libgpusim-trace.so: records any CUDA program; the driver itself loads it
 * (CUDA_INJECTION64_PATH). inject.c starts and ends it, lines.c writes CUPTI's records as events of Chrome's format
 * with the names of PyTorch's profiler, out.c keeps the file, nccl.c sees collectives, calibrate.c says the cost.
 *
 * The file: Chrome's array form, which may end anywhere, as gzip members of whole lines: what a killed program left
 * can be read.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "traces/tracer/cupti.h"

#define GTR_OUT   "GPUSIM_TRACE_OUT"   /* the file; of further processes, their number stands in the name */
#define GTR_MODE  "GPUSIM_TRACE_MODE"  /* "steps": nothing but when the host had waited and launched */
#define GTR_RANGE "GPUSIM_TRACE_RANGE" /* "FROM:TO" in seconds after the start, or "profiler" */
#define GTR_ARGUMENTS "GPUSIM_TRACE_ARGUMENTS" /* 1: the pointers that kernels are given */
#define GTR_COST  "GPUSIM_TRACE_COST"  /* members of JSON for the header: what a record costs */
#define GTR_CUPTI "GPUSIM_CUPTI"       /* where CUPTI is */

struct gtr_open_mark { /* an NVTX range that has begun */
    uint32_t id, thread;
    uint64_t time;
    char *name;
};
struct gtr_inner { /* the driver's calls of a thread that a call of the run time may turn out to have made */
    uint32_t thread, count;
    struct gtr_api calls[16];
};
struct gtr_name {
    char *mangled, *shown;
};
#define GTR_EVENTS  65536u
#define GTR_THREADS 64u
#define GTR_NAMES   16384u
#define GTR_LAUNCHED 65536u
#define GTR_CALLS    1500u /* numbers of calls that are asked for */
struct gtr_noted_event { /* by the number of its record, else of the event */
    uint64_t id;
    uint32_t stream, correlation;
};
struct gtr_launched { /* in a run that records nothing else */
    uint64_t ns;
    const void *function; /* the same for launches of the same kernel; NULL: of a graph */
};
struct gtr_noted_collective {
    uint64_t external;
    uint32_t correlation;
    char text[256]; /* members of JSON */
};

/* One for a process: CUPTI has no pointer of ours in its callbacks. */
struct gtr {
    struct gtr_cupti cupti;
    struct gtr_driver driver;
    void *subscriber;
    pthread_mutex_t mutex; /* of all below */
    int file;
    uint32_t process;
    char path[4096];
    char *text;   /* lines that are not written yet */
    size_t length, room;
    bool has_header, is_lost; /* lost: the file cannot be written */
    bool is_untraced; /* but for waits and launches */
    bool is_on, has_sync_ids; /* sync ids: CUPTI 13 says which record of an event a wait is for */
    uint64_t kernels, copies, memsets, calls, dropped, started_ns;
    struct gtr_noted_event events[GTR_EVENTS];
    struct gtr_inner inner[GTR_THREADS];
    struct gtr_name names[GTR_NAMES];
    struct gtr_open_mark *marks;
    size_t mark_count, mark_room;
    struct gtr_noted_collective collectives[1024];
    uint64_t collective_count;
    uint32_t context_devices[64];
    uint8_t layouts[GTR_CALLS]; /* enum gtr_layout of the driver's calls that are watched */
    struct gtr_launched launched[GTR_LAUNCHED];
    size_t launched_count;
};
extern struct gtr *gtr_active; /* NULL: not in this process, or no longer */

uint64_t gtr_now_ns(void); /* CLOCK_MONOTONIC: one clock for all processes of a machine */
bool gtr_load_cupti(struct gtr_cupti *cupti);
bool gtr_load_driver(struct gtr_driver *driver);
bool gtr_start(struct gtr *t); /* CUPTI records from now on */
void gtr_stop(struct gtr *t);  /* all that was recorded is written */
bool gtr_take_buffer(struct gtr *t, uint8_t *buffer, size_t used);

/* out.c; the mutex is held. A line ends with ",\n". */
bool gtr_open(struct gtr *t, const char *path);
void gtr_put(struct gtr *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gtr_put_text(struct gtr *t, const char *text); /* in quotes */
void gtr_flush(struct gtr *t);

/* lines.c; the mutex is held. */
void gtr_put_header(struct gtr *t);
void gtr_put_record(struct gtr *t, const void *record);
void gtr_put_inner(struct gtr *t); /* calls that were held back */
/* launches.c: the driver's calls as they are made */
void gtr_watch_launches(struct gtr *t, bool with_copies);
void gtr_on_launch(struct gtr *t, uint32_t id, const struct gtr_callback *call);
void gtr_put_launched(struct gtr *t); /* the mutex is held */
/* Calls that only ask what the host knows: a framework makes hundreds between two launches. */
bool gtr_is_trivial(const char *name);
/* nccl.c */
const char *gtr_collective_of(const struct gtr *t, uint32_t correlation);
