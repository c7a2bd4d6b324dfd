/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (private to the importers). What a profiler recorded, whatever its file format: work on GPUs,
 * calls of host threads, synchronisation. Filled by the importers, read by import.c.
 */
#pragma once

#include "gpusim/limits.h"
#include "gpusim/program.h"
#include "sim/base/names.h"
#include "sim/base/slots.h"
#include "traces/import/records/dataflow.h"
#include "traces/import/import.h"
#include "traces/import/recorded/recorded.h"

/* Times are nanoseconds of the trace's own clock; 0 is a time that was not recorded. Correlation 0: none. */
enum gsim_activity_kind { GSIM_ACTIVITY_KERNEL, GSIM_ACTIVITY_COPY, GSIM_ACTIVITY_MEMSET };

/* What works of one kernel at one launch shape have in common; kept once. */
struct gsim_work_shape {
    uint32_t name;                /* index into the records' names */
    struct gsim_dim3 grid, block; /* of kernels */
    uint32_t regs_per_thread, smem_bytes;
    struct gsim_dim3 cluster; /* 0, 0, 0: not recorded, the name may tell; 1, 1, 1: each block stands alone */
};

/* A kernel, copy or memset on a GPU: 64 bytes, of which a trace of a gigabyte has half a million. */
struct gsim_activity {
    int64_t start_ns, end_ns;
    uint64_t correlation, bytes;
    uint64_t node;                   /* of a graph; 0: of none, or not known */
    int64_t solo_ns;                 /* filled by import.c: the duration to replay */
    uint64_t external;               /* the operator that launched it, by the profiler's own number; 0: not asked for */
    int64_t
        idle_ns; /* filled by import.c: how long the GPU idled before it for a reason that the trace does not tell */
    uint32_t process, stream,
        shape;             /* process: whose correlation ids; stream, shape: indices into the records' lists */
    uint32_t call, thread; /* filled by import.c: the call that made it, GSIM_NO_CALL for none; its thread */
    uint8_t kind, copy_kind; /* enum gsim_activity_kind, enum gsim_copy_kind */
    bool pageable;
    bool is_managed : 1;
    bool is_collective : 1; /* a kernel; BYTES: its place in the records' collectives */
    bool is_moved : 1; /* its time was repaired: only the duration is real */
    bool lacks_shape : 1, lacks_size : 1, lacks_time : 1; /* not recorded with it */
    bool pinned : 1;  /* the host's side of a copy is said to be */
    bool is_peer : 1; /* a copy from or to another GPU */
};
#define GSIM_SKEW_NS 15000 /* how far the clocks of host and GPU may differ */
#define GSIM_NO_CALL    UINT32_MAX
#define GSIM_ENDLESS_NS gsim_whole(GSIM_LIMIT_US * 1e3) /* so long lasts nothing: an overflow */

enum gsim_call_kind {
    GSIM_CALL_IDLE,  /* never makes work and lets nobody wait: not kept */
    GSIM_CALL_EVENT_CREATE, /* these neither, but what they cost may be asked for: kept with the options' times only */
    GSIM_CALL_EVENT_CREATE_FLAGS,
    GSIM_CALL_EVENT_DESTROY,
    GSIM_CALL_STREAM_CREATE,
    GSIM_CALL_OTHER, /* makes work if a work record carries its correlation id, else only takes host time */
    GSIM_CALL_COPY,  /* a copy whose name does not say that it returns early */
    GSIM_CALL_LAUNCH, /* makes a kernel, unless a graph captures it */
    GSIM_CALL_GRAPH, /* makes many works */
    GSIM_CALL_MAY_WAIT, /* makes none, and may wait for all that was launched: cudaFree, cudaMalloc */
    GSIM_CALL_QUERY, /* asks whether something has ended: many in a row are a wait */
    GSIM_CALL_SYNC_DEVICE,
    GSIM_CALL_SYNC_STREAM,
    GSIM_CALL_SYNC_EVENT,
    GSIM_CALL_WAIT, /* cudaStreamWaitEvent */
    GSIM_CALL_EVENT_RECORD,
};

/* What a launch or copy call says of the work that it makes. */
struct gsim_launch {
    uint64_t bytes;               /* 0: not said */
    struct gsim_dim3 grid, block; /* 0 blocks: not said */
    uint32_t smem_bytes;
};

struct gsim_call {
    int64_t start_ns, end_ns;
    uint64_t correlation, thread;
    uint32_t process;
    uint32_t launch; /* index into the records' launches plus one; 0: none */
    uint32_t name;   /* of a long call: index into the records' names plus one; 0: not kept */
    enum gsim_call_kind kind;
};

enum gsim_sync_kind { GSIM_SYNC_STREAM, GSIM_SYNC_WAIT };

/* What a call waits for: cudaStreamSynchronize for STREAM; cudaStreamWaitEvent lets STREAM wait for what SOURCE
 * held when the call RECORD (0: unknown, then the waiting call itself) was made. */
struct gsim_sync {
    int64_t start_ns;
    uint64_t correlation, record;
    uint32_t process, stream, source;
    enum gsim_sync_kind kind;
};

/* An operator of the framework: the profiler's number and the framework's. */
struct gsim_operator {
    uint64_t external, record_function;
};

/* A matrix product of ROWS x COLUMNS that the operator EXTERNAL made, BATCH times. */
struct gsim_product {
    uint64_t external, rows, columns, batch;
};

struct gsim_stream_key {
    uint32_t process, device, context;
    uint32_t gpu; /* the number of DEVICE as recorded, which another rank's may have, too; not compared */
    uint64_t number;
};

/* A part of the time that the program named: ProfilerStep#3, record_function's, NVTX ranges. */
struct gsim_annotation {
    int64_t start_ns, end_ns;
    uint32_t name; /* index into the records' names */
};

/* A stretch of a host thread's time that belongs to one thing (traces/import/records/host.c). */
enum gsim_span_owner { GSIM_SPAN_LAUNCH, GSIM_SPAN_CALL, GSIM_SPAN_WAIT, GSIM_SPAN_NAMED };
struct gsim_host_span {
    int64_t start_ns, end_ns;
    uint64_t thread;
    uint32_t name; /* index into the records' names plus one; 0: not known */
    enum gsim_span_owner owner;
};

/* PROCESS of works, calls and syncs, as the trace calls it: "[TP00]". */
struct gsim_rank {
    uint32_t process;
    char label[28];
};

/* What the host did, as far as the profiler had to record it; a pause is the profiler's own. */
enum gsim_host_event_kind {
    GSIM_HOST_OPERATOR,
    GSIM_HOST_RANGE /* an operator that Python records */,
    GSIM_HOST_CALL,
    GSIM_HOST_FUNCTION,
    GSIM_HOST_ANNOTATION,
    GSIM_HOST_PAUSE,
    GSIM_HOST_LAUNCH /* what a call that makes work costs beside a call, where that was measured */
};
struct gsim_host_event {
    int64_t start_ns, length_ns;
    uint32_t name; /* index into the records' names; GSIM_NO_NAME where it is short */
    enum gsim_host_event_kind kind;
};
static inline bool gsim_host_is_operator(const struct gsim_host_event *event) { return event->kind <= GSIM_HOST_RANGE; }
#define GSIM_NO_NAME       UINT32_MAX
#define GSIM_NAMED_FROM_NS 200000 /* shorter events explain no step that took longer than others */

struct gsim_records {
    struct gsim_recorded recorded;
    struct gsim_host_event *host_events; /* empty unless the options remove the profiler's overhead or ask for steps */
    uint32_t host_event_count;
    bool is_observed; /* an execution trace was recorded beside it */
    bool is_xla;      /* by XLA's profiler */
    bool has_autograd; /* PyTorch's engine, whose thread launches while the one that asked for gradients waits */
    size_t host_event_room;
    struct gsim_annotation *annotations; /* empty unless the options ask for one */
    struct gsim_host_span *spans;
    uint32_t span_count;
    size_t span_room;
    int64_t *reads; /* when the host read a result without a copy: managed memory that moves back, .item(); ascending
                       after a while */
    uint32_t read_count;
    size_t read_room;
    bool has_framework; /* operators are recorded, or kernels that only frameworks have */
    struct gsim_rank *ranks;             /* empty unless several were merged into one trace */
    uint32_t annotation_count, rank_count;
    size_t annotation_room, rank_room;
    struct gsim_activity *works;
    struct gsim_call *calls;
    struct gsim_launch *launches;
    struct gsim_operator *operators;
    struct gsim_product *products;
    uint32_t product_count;
    size_t product_room;
    struct gsim_gradient
        *gradients; /* what autograd accumulated, and the stretch that its hooks ran in: of ranks alone */
    uint32_t gradient_count;
    size_t gradient_room;
    struct gsim_collective *collectives; /* their groups are the arena's */
    const struct gsim_dataflow *flow; /* what operators read and write; NULL: not known */
    struct gsim_sync *syncs;
    struct gsim_stream_key *streams;
    const char **names;   /* each once; from the arena */
    struct gsim_work_shape *shapes;           /* each once */
    struct gsim_names name_slots;
    struct gsim_slots shape_slots;
    uint32_t work_count, call_count, launch_count, operator_count, sync_count, collective_count, stream_count,
        name_count, shape_count;
    size_t work_room, call_room, launch_room, operator_room, sync_room, collective_room, stream_room, name_room,
        shape_room;
    uint32_t last_stream;
    char gpu[64]; /* the device's name, where the trace tells it */
    int64_t epoch_ns; /* the date of the trace's time 0; 0: not known */
    struct gsim_arena arena;
    const struct gsim_import_options *options;
    struct gsim_import_notes *notes;
    struct gsim_error *error;
};
/* Tells the options' progress, if any. */
void gsim_records_progress(const struct gsim_records *records, double ratio);

#define GSIM_NO_STREAM UINT32_MAX

enum gsim_status gsim_records_add_work(struct gsim_records *records, const struct gsim_activity *work) GSIM_NODISCARD;
enum gsim_status gsim_records_add_call(struct gsim_records *records, const struct gsim_call *call) GSIM_NODISCARD;
/* The same for a call whose NAME (NULL: not known) is kept where it takes long. */
enum gsim_status gsim_records_add_named_call(struct gsim_records *records, struct gsim_call *call,
                                             const char *name) GSIM_NODISCARD;
enum gsim_status gsim_records_add_read(struct gsim_records *records, int64_t time_ns) GSIM_NODISCARD;
enum gsim_status gsim_records_add_owner(struct gsim_records *records,
                                        const struct gsim_call *call) GSIM_NODISCARD; /* its time is its own */
/* What the trace names on a host thread: an annotation, an operator or a function of the framework. */
enum gsim_status gsim_records_add_named_span(struct gsim_records *records, const char *name, uint64_t thread,
                                             int64_t start_ns, int64_t end_ns, bool is_operator) GSIM_NODISCARD;
/* ELEMENTS 0: a stretch of the engine that accumulates one and runs its hooks. */
struct gsim_gradient {
    int64_t start_ns, end_ns;
    uint64_t elements;
};
/* What a profiler says of a collective's kernel, as it stands in the file; NULL where it does not. */
struct gsim_collective_words {
    const char *name, *in_count, *out_count, *type, *group, *group_name, *from, *to;
};
/* traces/import/records/collectives.c: WORK is that collective, if its kind and size are known. */
enum gsim_status gsim_records_add_collective(struct gsim_records *records, const struct gsim_collective_words *words,
                                             struct gsim_activity *work) GSIM_NODISCARD;
/* An operator's event, of whatever name; DIMS: of its inputs, as it stands in the file, NULL allowed. */
enum gsim_status gsim_records_add_gradient(struct gsim_records *records, const char *name, int64_t start_ns,
                                           int64_t end_ns, const char *dims) GSIM_NODISCARD;
/* In the order of their ends, from ORIGIN_NS on, to the options' times. */
enum gsim_status gsim_records_keep_gradients(const struct gsim_records *records, int64_t origin_ns) GSIM_NODISCARD;
/* That of WORK as an op of its rank, with CHANNELS blocks. */
struct gsim_collective gsim_records_collective(const struct gsim_records *records, const struct gsim_activity *work,
                                               uint32_t channels, uint32_t group[2]);
/* INDEX: plus one, for gsim_call. */
enum gsim_status gsim_records_add_launch(struct gsim_records *records, const struct gsim_launch *launch,
                                         uint32_t *index) GSIM_NODISCARD;
enum gsim_status gsim_records_add_operator(struct gsim_records *records,
                                           const struct gsim_operator *item) GSIM_NODISCARD;
/* Operators that torch.compile's Python records: its regions and the kernels that it launches. NAME is JSON. */
bool gsim_records_is_range(const char *name);
/* traces/import/records/products.c. Operands of the operator NAME, as JSON, before A of C = A B; -1: no product. */
int gsim_product_operands(const char *name);
/* By "Input Dims"; what is no product of known sizes is ignored. */
enum gsim_status gsim_records_add_product(struct gsim_records *records, int before, uint64_t external,
                                          const char *dims) GSIM_NODISCARD;
void gsim_records_sort_products(struct gsim_records *records);
/* Of sorted ones. NULL: the operator is not known as a matrix product. */
const struct gsim_product *gsim_records_product(const struct gsim_records *records, uint64_t external);
enum gsim_status gsim_records_add_sync(struct gsim_records *records, const struct gsim_sync *sync) GSIM_NODISCARD;
/* traces/import/records/overhead.c */
enum gsim_status gsim_records_add_host_event(struct gsim_records *records,
                                             const struct gsim_host_event *event) GSIM_NODISCARD;
enum gsim_status gsim_records_add_annotation(struct gsim_records *records, const char *name, int64_t start_ns,
                                             int64_t end_ns) GSIM_NODISCARD;
enum gsim_status gsim_records_add_rank(struct gsim_records *records, uint32_t process, const char *label,
                                       size_t length) GSIM_NODISCARD;
/* Indices; an unknown stream or name is added. Fails for too many streams. Names are made fit for a program:
 * printable, valid, at most GSIM_LIMIT_NAME bytes, and distinct where they were. */
enum gsim_status gsim_records_stream(struct gsim_records *records, const struct gsim_stream_key *key,
                                     uint32_t *stream) GSIM_NODISCARD;
enum gsim_status gsim_records_name(struct gsim_records *records, const char *name, uint32_t *index) GSIM_NODISCARD;
enum gsim_status gsim_records_shape(struct gsim_records *records, const struct gsim_work_shape *shape,
                                    uint32_t *index) GSIM_NODISCARD;
/* By the name of the runtime or driver call; a suffix such as _v3020 or _ptsz is no part of it. */
enum gsim_call_kind gsim_records_call_kind(const char *name);
void gsim_records_release(struct gsim_records *records);

/* --- traces/import/import.c: what the records mean together
 * ---------------------------------------------------------- */
enum gsim_step_kind { GSIM_STEP_WORK, GSIM_STEP_SYNC, GSIM_STEP_WAIT };

/* What the host did, in order. */
struct gsim_step {
    int64_t time_ns, then_ns; /* start of the call; among the works of one call, start of the work */
    uint32_t index;           /* of the work, the synchronising call, or the sync record */
    uint32_t thread;          /* of a synchronising call; GSIM_NO_CALL: one that makes no works */
    uint32_t next_thread;     /* who makes the next work; GSIM_NO_CALL: nobody */
    enum gsim_step_kind kind;
};

/* The call of that correlation id, the latest that starts by BEFORE_NS if there are several; GSIM_NO_CALL for none.
 * Calls are sorted by process, correlation id and start, as import.c does first of all. */
uint32_t gsim_records_find_call(const struct gsim_records *records, uint32_t process, uint64_t correlation,
                                int64_t before_ns);

/* What CALL says that it waits for; NULL: nothing. Syncs are sorted by process and correlation. */
const struct gsim_sync *gsim_records_sync_of(const struct gsim_records *records, const struct gsim_call *call);

struct gsim_steps {
    struct gsim_step *steps;
    uint32_t count, work_count, thread_count;
    uint32_t tail_count; /* steps behind those, after the last work: no part of the program */
    int64_t from_ns,
        until_ns; /* the host's time before the first work and behind the last, of steps of the program; else both 0 */
};

/* traces/import/records/waits.c: adds a sync for each wait that has none, where times tell of what. Works have their
 * calls, syncs are sorted by process and correlation and are not afterwards. */
enum gsim_status gsim_records_infer_waits(struct gsim_records *records) GSIM_NODISCARD;

/* traces/import/records/polls.c: calls that wait without being called so become synchronising ones. Works have their
 * calls. */
enum gsim_status gsim_records_find_hidden_waits(struct gsim_records *records) GSIM_NODISCARD;

/* How long host threads of Python waited for each other's lock: notes' lock_us. */
enum gsim_status gsim_records_find_lock(struct gsim_records *records) GSIM_NODISCARD;

/* traces/import/records/part.c: leaves one GPU's works. */
enum gsim_status gsim_records_keep_gpu(struct gsim_records *records) GSIM_NODISCARD;
/* Whether steps of the program are wanted, of which FOUND are there; from when to when. */
enum gsim_status gsim_records_find_window(const struct gsim_records *records, const struct gsim_trace_steps *found,
                                          bool *is_wanted, int64_t *from_ns, int64_t *until_ns) GSIM_NODISCARD;
/* The first and last work that are wanted, in the order of the steps. */
enum gsim_status gsim_records_find_part(const struct gsim_records *records, const struct gsim_steps *steps,
                                        uint32_t *first, uint32_t *last) GSIM_NODISCARD;

/* traces/import/records/steps.c: the steps of the program that the host's steps show. FOUND is zeroed before. Sorts the
 * annotations. */
struct gsim_trace_steps;
enum gsim_status gsim_records_find_steps(struct gsim_records *records, const struct gsim_steps *host,
                                         struct gsim_trace_steps *found) GSIM_NODISCARD;

/* traces/import/records/overflow.c: cuts the works whose end was lost. Works are sorted by stream and start. */
void gsim_records_cut_overflows(struct gsim_records *records);

/* traces/import/records/idle.c: fills idle_ns. Works have their calls. */
enum gsim_status gsim_records_find_idle(struct gsim_records *records) GSIM_NODISCARD;

/* traces/import/records/idle.c: what usually lies between works that follow each other, in the notes. Works are sorted
 * by stream and start. */
void gsim_records_find_gaps(struct gsim_records *records);

/* traces/import/records/rates.c: KEEPS, by [pageable][to the host]. */
void gsim_records_compare_rates(const struct gsim_records *records, bool keeps[2][2]);

/* traces/import/records/emit.c: the ops of a program. */
enum gsim_status gsim_records_emit(const struct gsim_records *records, const struct gsim_steps *steps,
                                   const struct gsim_import_options *options,
                                   struct gsim_program *program) GSIM_NODISCARD;

/* An importer of records: READ fills them from the file, then they become a program. A failure names the file. */
typedef enum gsim_status gsim_records_reader(const char *path, struct gsim_records *records, void *context);
enum gsim_status gsim_records_import(const char *path, gsim_records_reader *read, void *context,
                                     const struct gsim_import_options *options, struct gsim_program *program,
                                     struct gsim_import_notes *notes, struct gsim_error *error) GSIM_NODISCARD;
