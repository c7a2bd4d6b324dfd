/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: source (private to source/read). A CUDA source while its host code is executed symbolically: variables
 * are cells with a known value or none, device memory is regions, calls of CUDA become ops of a program.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "gpusim/limits.h"
#include "gpusim/program.h"
#include "source/read/clang.h"
#include "source/read/expand.h"
#include "source/read/log.h"
#include "source/read/options.h"
#include "source/read/told.h"

#define GSIM_CU_NONE   UINT32_MAX
#define GSIM_CU_FILES  32 /* of a program */
#define GSIM_CU_PARAMS 64 /* of a kernel; those behind are not told apart */

/* A value; UNKNOWN is all zero. */
struct gsim_cu_value {
    enum gsim_cu_kind { GSIM_CU_UNKNOWN, GSIM_CU_NUMBER, GSIM_CU_POINTER, GSIM_CU_CELL, GSIM_CU_DIM } kind;
    uint32_t at;     /* POINTER: the region; CELL: the cell pointed to */
    double n[3]; /* NUMBER: n[0], and n[1], not 0 where it is a guess (of argc); POINTER: n[0] bytes behind its begin,
                    NAN: unknown; DIM: x, y, z */
};

struct gsim_cu_cell {
    uint32_t parent, next; /* NEXT in its slot */
    uint64_t key;          /* within the parent: a declaration, a field, an index */
    bool is_set, is_shared; /* SHARED: its address, or a reference to it, was taken */
    uint64_t since, wiped;  /* when it was stored to; when it and all within it became unknown */
    struct gsim_cu_value value;
};

enum gsim_cu_memory { GSIM_CU_HOST, GSIM_CU_PINNED, GSIM_CU_DEVICE, GSIM_CU_MANAGED };
#define GSIM_CU_USES 64
struct gsim_cu_use {
    uint32_t op;       /* index + 1 */
    bool writes;
    double begin, end; /* bytes */
};
struct gsim_cu_region {
    enum gsim_cu_memory memory;
    uint32_t buffer;  /* of the program; device and managed memory */
    uint32_t cell;    /* whose children are its elements */
    bool was_host_read, was_host_written; /* since the last op on the device that used it */
    bool begins_on_host; /* written by the host before the first op */
    struct gsim_cu_use uses[GSIM_CU_USES]; /* of host memory, since the host waited or an op behind all of them */
    uint32_t use_count;
    double address, bytes; /* in the run; 0: there was none */
};

/* A statement that is being executed. */
struct gsim_cu_entry {
    CXCursor statement;
    uint32_t from, to;   /* in the file; NONE: not in it */
    uint32_t node;       /* of the log; NONE: not there yet */
    bool is_in_plain_loop;
};
#define GSIM_CU_ENTRIES 1024

struct gsim_cu_kids {
    CXCursor *at;
    size_t count, room;
};

#define GSIM_CU_STREAMS 1024
#define GSIM_CU_EVENTS  4096
#define GSIM_CU_WAITS   64   /* for events, of a stream between two of its ops */

/* What a stream's next op must follow; streams are numbered from 1, 0 is the default. */
struct gsim_cu_stream {
    uint32_t last_op; /* index + 1; 0: none */
    uint32_t waits[GSIM_CU_WAITS];
    uint32_t wait_count;
    int32_t priority;
    bool is_apart; /* cudaStreamNonBlocking: no order with the default stream */
};

/* What was there when it was recorded: the stream's last op and what its next one waits for. */
struct gsim_cu_event {
    uint32_t ops[GSIM_CU_WAITS + 1]; /* index + 1 */
    uint32_t count;
};

/* Variables and memory of the host. */
struct gsim_cu_memory_table {
    struct gsim_cu_cell *cells;
    size_t cell_count, cell_room;
    uint32_t slots[65536];
    struct gsim_cu_region *regions;
    size_t region_count, region_room;
    uint64_t clock, wild[2]; /* of stores; when a number, a pointer was stored to an unknown place */
    bool has_distances;      /* from one region to another: a pointer and a number may lead to any */
};

/* What the device was given, and what the host may count on. */
struct gsim_cu_device_table {
    struct gsim_cu_stream streams[GSIM_CU_STREAMS];
    struct gsim_cu_event events[GSIM_CU_EVENTS];
    uint32_t stream_count, event_count;
    uint32_t *pending;           /* ops since the host last waited for all of them; index + 1 */
    size_t pending_count, pending_room;
    uint32_t promised, complete; /* ops that the source, and that its waits so far, let the host count on */
    bool is_sync_pending;        /* nothing was executed behind a synchronisation */
    bool is_unread_pending;      /* the host did not wait since what is not read, which may go on */
    bool has_unknown_pinned;     /* memory of the host of which no region is known was made pinned */
    bool has_returned;           /* what the device computed may have come to the host */
    uint32_t sync_step;
};

struct gsim_cu_counts {
    uint32_t op_count, kernels, copy_ops, memsets, left_syncs, notes, looks;
    uint64_t steps; /* expressions */
};

/* Where the execution of the host is. */
struct gsim_cu_host {
    uint32_t frame, frame_count, self; /* cells: of the function being executed; what "this" points to */
    uint32_t depth, body, argc;        /* BODY: entry of the function's body; ARGC: its cell */
    uint32_t guesses;                  /* around what is executed: branches and loops that may not be */
    uint32_t plain_loops;              /* without calls of CUDA, around what is executed */
    uint64_t plain_steps, plain_until; /* spent in such loops; where the outermost one is left */
    bool is_silent; /* a loop without CUDA is executed, or a kernel's cost counted: host accesses are still noted, calls
                       not */
    bool in_kernel;
    bool is_cut;    /* a jump may have been made that was not */
    enum { GSIM_CU_ON, GSIM_CU_BREAK, GSIM_CU_CONTINUE, GSIM_CU_RETURN } flow;
    struct gsim_cu_value returned;
};

/* Where in the file it is, for the log. */
struct gsim_cu_text_table {
    struct gsim_cu_span *spans; /* of the text that was parsed; NULL: it is the file's */
    size_t span_count;
    struct gsim_cu_entry entries[GSIM_CU_ENTRIES];
    uint32_t entry_count;
    CXCursor call;              /* that is being read */
    const char *call_name;      /* NULL: a launch by <<<>>> */
    uint64_t call_values;
    uint32_t call_step;         /* of the log, behind the op was made */
};

/* What is known of functions. */
struct gsim_cu_code {
    struct gsim_cu_access *accesses; /* of the device, by kernel/access.c */
    uint32_t access_depth;
    CXSourceLocation *errors;        /* in code of the device */
    size_t error_count, error_room;
    CXTranslationUnit others[GSIM_CU_FILES]; /* of the program's other files */
    CXCursor *externals;                     /* functions and variables that they define */
    size_t other_count, external_count, external_room;

    /* The file whose contents were asked for last: libclang looks for it among all that were included. */
    CXFile last;
    const char *last_text;
    size_t last_size;
};

/* models/laws/estimate.json: of a load, by where it hits; the rounds whose loads are in flight at once, unless a store
 * may be to what is read; 0: no load is waited for. */
struct gsim_cu_law {
    double l1_cycles, l2_cycles, dram_cycles, rounds_together, loads_wait;
};

struct gsim_cu {
    struct gsim_clang clang;
    const struct gsim_cuda_options *options;
    struct gsim_cu_law law;
    const char *path;
    CXTranslationUnit unit;
    CXFile file;
    struct gsim_error *error;
    enum gsim_status status; /* the first failure; everything stops */
    struct gsim_builder *builder;
    struct gsim_program said; /* its guesses alone */
    struct gsim_cu_memory_table memory;
    struct gsim_cu_device_table device;
    struct gsim_cu_counts counts;
    struct gsim_cu_host host;
    struct gsim_cu_text_table text;
    struct gsim_cu_code code;
};

/* values.c */
uint32_t gsim_cu_cell(struct gsim_cu *s, uint32_t parent, uint64_t key);
struct gsim_cu_value gsim_cu_load(const struct gsim_cu *s, uint32_t cell);
void gsim_cu_store(struct gsim_cu *s, uint32_t cell, struct gsim_cu_value value);
void gsim_cu_wipe(struct gsim_cu *s, uint32_t cell); /* it and all within it become unknown */
void gsim_cu_wipe_at(struct gsim_cu *s, struct gsim_cu_value pointer); /* what it leads to */
bool gsim_cu_is_set(const struct gsim_cu *s, uint32_t cell); /* stored to or wiped */
uint64_t gsim_cu_text_key(const char *text);
uint32_t gsim_cu_region(struct gsim_cu *s, enum gsim_cu_memory memory, const char *name, double bytes, CXCursor at);
struct gsim_cu_value gsim_cu_number(double number);
bool gsim_cu_is_known(struct gsim_cu_value value);
bool gsim_cu_is_guess(struct gsim_cu_value value);
/* Children, for gsim_free(kids.at). */
struct gsim_cu_kids gsim_cu_kids(struct gsim_cu *s, CXCursor cursor);
/* Fields and bases of a class, for gsim_free(kids.at); ARE_ALL: it has no other. */
struct gsim_cu_kids gsim_cu_fields(struct gsim_cu *s, CXType type, bool *are_all);
bool gsim_cu_is_named(struct gsim_cu *s, CXCursor cursor, const char *name);
void gsim_cu_name(struct gsim_cu *s, CXCursor cursor, char name[GSIM_LIMIT_NAME + 1]);
/* The text of a token that begins at the cursor, or behind which it stands; NULL: in no file that is there. */
const char *gsim_cu_text(struct gsim_cu *s, CXSourceLocation at, size_t *left, size_t *before);
const char *gsim_cu_contents(struct gsim_cu *s, CXFile file, size_t *size); /* of any file of the program */
CXCursor gsim_cu_defined(struct gsim_cu *s, CXCursor declaration); /* where another file defines it; else itself */
void gsim_cu_operator(struct gsim_cu *s, CXCursor left, CXCursor right, char op[4]);
unsigned gsim_cu_line(struct gsim_cu *s, CXCursor cursor);
void gsim_cu_note(struct gsim_cu *s, CXCursor at, const char *format, ...) GSIM_PRINTF(3, 4);
void gsim_cu_tell(struct gsim_cu *s, const char *path, unsigned line, const char *text); /* and what is guessed */
void gsim_cu_fail(struct gsim_cu *s, CXCursor at, const char *format, ...) GSIM_PRINTF(3, 4);
/* The value that --arg gives a variable of that name. */
bool gsim_cu_given(struct gsim_cu *s, CXCursor variable, struct gsim_cu_value *value);
bool gsim_cu_is_integer(struct gsim_cu *s, CXCursor expression);
CXCursor gsim_cu_function(struct gsim_cu *s,
                          CXCursor call); /* with a body where there is one; of templates the template */
bool gsim_cu_is_default(struct gsim_cu *s, CXCursor argument); /* left out in the call */
CXCursor gsim_cu_parameter(struct gsim_cu *s, CXCursor function, unsigned index); /* null: there is none */
CXCursor gsim_cu_body(struct gsim_cu *s, CXCursor function);

bool gsim_cu_has_attribute(struct gsim_cu *s, CXCursor declaration, enum CXCursorKind kind);
bool gsim_cu_is_local(struct gsim_cu *s, CXCursor variable);
bool gsim_cu_is_lasting(struct gsim_cu *s, CXCursor variable); /* one for all calls of the function */
bool gsim_cu_is_decayed(struct gsim_cu *s, CXCursor cursor);   /* a parameter "T name[]", which is a pointer */
bool gsim_cu_is_of_cuda(struct gsim_cu *s, CXCursor declaration); /* by the stub header */
bool gsim_cu_has_error(struct gsim_cu *s, CXCursor function);

uint64_t gsim_cu_offset(struct gsim_cu *s, CXCursor cursor); /* in its file */

/* host/evaluate.c */
struct gsim_cu_value gsim_cu_object(struct gsim_cu *s, CXCursor expression); /* of a class or an array its cell */
bool gsim_cu_constant(struct gsim_cu *s, CXCursor expression, double *number);
/* * & + - ! ~, i for ++, d for --, ? where a macro hides it. */
char gsim_cu_unary(struct gsim_cu *s, CXCursor expression, CXCursor kid, bool *is_behind);
CXCursor gsim_cu_last_kid(struct gsim_cu *s, CXCursor cursor, bool *is_there);
struct gsim_cu_value gsim_cu_evaluate(struct gsim_cu *s, CXCursor expression);
/* host/call.c */
struct gsim_cu_value gsim_cu_call(struct gsim_cu *s, CXCursor expression, const struct gsim_cu_kids *kids);
bool gsim_cu_is_undeclared(struct gsim_cu *s, const struct gsim_cu_kids *kids);
void gsim_cu_call_undeclared(struct gsim_cu *s, CXCursor expression, const struct gsim_cu_kids *kids);
CXCursor gsim_cu_strip(struct gsim_cu *s, CXCursor expression); /* of parentheses and hidden casts */
uint32_t gsim_cu_place(struct gsim_cu *s, CXCursor expression, bool writes);
uint32_t gsim_cu_variable(struct gsim_cu *s, CXCursor declaration);
void gsim_cu_touch(struct gsim_cu *s, uint32_t region, bool writes); /* the host accesses it */
void gsim_cu_wild(struct gsim_cu *s, CXCursor place); /* a store to where is not known */

/* host/walk.c */
void gsim_cu_declare(struct gsim_cu *s, CXCursor variable);
struct gsim_cu_value gsim_cu_inline(struct gsim_cu *s, CXCursor function, const struct gsim_cu_value *values,
                                    size_t count, uint32_t self);
bool gsim_cu_has_calls(struct gsim_cu *s, CXCursor statement); /* of CUDA */
/* The first integer variable in it whose value is not known, for messages; "NAME": there is none. */
const char *gsim_cu_unknown_name(struct gsim_cu *s, CXCursor expression, char name[GSIM_LIMIT_NAME + 1]);
void gsim_cu_walk(struct gsim_cu *s, CXCursor statement);
/* What is assigned in STATEMENT becomes unknown, or with IS_GUESS a guess; its accesses of memory count. */
void gsim_cu_forget(struct gsim_cu *s, CXCursor statement, bool is_guess);
/* CONDITION is not known, and CUDA is called behind it: what is executed stays serial, with a note. */
void gsim_cu_guess(struct gsim_cu *s, CXCursor condition, bool is_true);
int gsim_cu_truth(struct gsim_cu *s, CXCursor condition, bool *is_guess); /* -1: not known */
void gsim_cu_note_jumps(struct gsim_cu *s, CXCursor statement);          /* what is behind may not be executed */
/* host/loop.c */
void gsim_cu_loop(struct gsim_cu *s, CXCursor statement);
void gsim_cu_switch(struct gsim_cu *s, CXCursor statement);
/* Of a loop, an "if" or a "switch": initial, condition, step, body; those left out are null. */
void gsim_cu_parts(struct gsim_cu *s, CXCursor statement, CXCursor parts[4]);
bool gsim_cu_list_of(struct gsim_cu *s, CXCursor range); /* the range of a "for" is {...} */
double gsim_cu_trips(struct gsim_cu *s, CXCursor loop, CXCursor parts[4]); /* of a for loop; NAN: not known */

/* kernel/operands.c */
struct gsim_cu_operands {
    struct gsim_arg args[GSIM_CU_PARAMS];
    struct gsim_segment segments[GSIM_CU_PARAMS];
    uint32_t hosts[GSIM_CU_PARAMS];         /* regions of host memory */
    struct gsim_cu_use uses[GSIM_CU_PARAMS]; /* of them; OP is not set */
    uint32_t arg_count, segment_count, host_count;
    bool is_unknown;
};
void gsim_cu_add_operand(struct gsim_cu *s, struct gsim_cu_operands *o, struct gsim_cu_value pointer, bool reads,
                         bool writes, bool is_const);
void gsim_cu_read_operands(struct gsim_cu *s, CXCursor at, CXCursor kernel, const struct gsim_cu_value *values,
                           size_t count, struct gsim_cu_operands *o);

/* launch.c */
bool gsim_cu_is_launch(struct gsim_cu *s, const struct gsim_cu_kids *kids);
struct gsim_cu_value gsim_cu_launch(struct gsim_cu *s, CXCursor call, const struct gsim_cu_kids *kids);
/* By cudaLaunchKernel(), of which NAMED is the first argument. */
void gsim_cu_launch_by_call(struct gsim_cu *s, CXCursor at, CXCursor named, const struct gsim_cu_value *values);

/* api.c */
/* In a stream, behind what was there before, what it was told to wait for, what used the same host memory and, as the
 * default stream does, all others. HOSTS: NULL: it uses none. */
void gsim_cu_add_op(struct gsim_cu *s, struct gsim_op *op, uint32_t stream, const struct gsim_cu_operands *hosts);
/* Of what values an op is made; 0: one is not known. */
uint64_t gsim_cu_hash_values(uint64_t hash, const struct gsim_cu_value *values, size_t count);
uint32_t gsim_cu_stream_of(struct gsim_cu *s, CXCursor at, struct gsim_cu_value value);
CXCursor gsim_cu_reference_in(struct gsim_cu *s, CXCursor cursor);
bool gsim_cu_is_api(struct gsim_cu *s, CXCursor call, const char *name);
bool gsim_cu_api(struct gsim_cu *s, CXCursor call, const char *name, const struct gsim_cu_kids *kids,
                 struct gsim_cu_value *result);
void gsim_cu_host_op(struct gsim_cu *s, uint32_t region, bool writes);
void gsim_cu_copy_op(struct gsim_cu *s, uint32_t region, bool writes); /* the host uses what a copy used */
void gsim_cu_foreign(struct gsim_cu *s); /* what cannot be read is executed, which may count on what was promised */
void gsim_cu_barrier(struct gsim_cu *s, CXCursor at, const char *name); /* and which may give the device work */
void gsim_cu_end(struct gsim_cu *s); /* of a function that was executed */

/* log.c; all accept that there is no log */
void gsim_cu_log_done(struct gsim_cu *s); /* behind the last step */
void gsim_cu_enter(struct gsim_cu *s, CXCursor statement);
void gsim_cu_leave(struct gsim_cu *s);
/* Adds a step to the log and returns its index; UINT32_MAX: there is no log. */
uint32_t gsim_cu_log(struct gsim_cu *s, enum gsim_cuda_step_kind kind, CXCursor at, const char *name, uint32_t op);
/* The host waits behind the statement NODE, by OP where the program has that. */
void gsim_cu_log_end(struct gsim_cu *s, uint32_t node, uint32_t line, uint32_t op);
/* Behind the statement of the file that holds the last op. */
void gsim_cu_log_last(struct gsim_cu *s, uint32_t op);
void gsim_cu_log_serial(struct gsim_cu *s, uint32_t entry); /* a statement that is being executed */
void gsim_cu_log_unread(struct gsim_cu *s, CXCursor statement); /* executed, perhaps, and not read */
/* The function whose body is that entry may have ended before what is executed is over. */
void gsim_cu_log_return(struct gsim_cu *s, uint32_t body);
void gsim_cu_log_pointer(struct gsim_cu *s, uint32_t step, CXCursor argument, uint32_t buffer);

/* host/told.c */
/* VALUE: as read. What the device's results may have a part in is another in another run: gsim_cu_told_before() takes
 * what comes before the first of them alone. */
struct gsim_cu_value gsim_cu_told(struct gsim_cu *s, CXCursor expression, struct gsim_cu_value value);
struct gsim_cu_value gsim_cu_told_before(struct gsim_cu *s, CXCursor expression, struct gsim_cu_value value);
void gsim_cu_tell_region(struct gsim_cu *s, uint32_t region, CXCursor call);
void gsim_cu_confirm(struct gsim_cu *s, CXCursor launch, struct gsim_cu_operands *operands);
void gsim_cu_check_told(struct gsim_cu *s);
void gsim_cu_find_probes(struct gsim_cu *s);

/* kernel/access.c */
#define GSIM_CU_TOLD 30 /* parameters of a function of the device that are told apart */
struct gsim_cu_origin {
    uint64_t key, mask; /* a variable; which parameters' memory its pointers may point to */
};
/* What a function does with memory. Bit i of a mask stands for what parameter i leads to. */
struct gsim_cu_access {
    uint64_t reads, writes;
    uint64_t returns, kept; /* what the pointer returned, and what pointers that it stores, may point to */
    const char *unknown;    /* why it may use any memory; NULL: it does not */
    CXCursor where;         /* that is */
    uint64_t key;
    bool is_open, is_done;
    struct gsim_cu_origin *origins;
    size_t origin_count, origin_room;
    struct gsim_cu_access *next;
};
/* NULL: memory is out. */
const struct gsim_cu_access *gsim_cu_access(struct gsim_cu *s, CXCursor function);
/* The parameters of ACCESS's function whose memory POINTER, an expression in it, may point to. */
uint64_t gsim_cu_leads_to(struct gsim_cu *s, const struct gsim_cu_access *access, CXCursor pointer);
bool gsim_cu_holds(struct gsim_cu *s, CXType type); /* a value of it may hold a pointer */
void gsim_cu_access_release(struct gsim_cu *s);

/* kernel/cost.c */
struct gsim_cu_cost {
    double flops, read_bytes[GSIM_CU_PARAMS], written_bytes[GSIM_CU_PARAMS]; /* of one thread */
    double accesses;     /* of global and shared memory, of one thread: those of a warp that lie in one line are one */
    double cycles;       /* that it waits for loads */
    double shared_bytes; /* of a block */
    bool fp64, is_partial; /* a loop's trips are not known */
};
enum gsim_status gsim_cu_law_load(struct gsim_cu_law *law, const struct gsim_device_spec *device,
                                  struct gsim_error *error) GSIM_NODISCARD;
void gsim_cu_cost(struct gsim_cu *s, CXCursor function, const struct gsim_cu_value *values, size_t count,
                  struct gsim_dim3 grid, struct gsim_dim3 block, struct gsim_cu_cost *cost);
