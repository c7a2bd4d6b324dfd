/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). What acs-sw and acs-hw share beside the window (window.h): the application, which
 * launches one op after another and waits where a host op must; what a test of a kernel against others takes.
 */
#pragma once

#include "gpusim/params.h"
#include "gpusim/schedulers/feed.h"
#include "schedulers/shared/hazards.h"

/* --- what is pending: launched since the host last waited for all of it; no graph of it is kept ------------------- */

#define GSIM_PENDING_NONE UINT32_MAX

/* What is done to a buffer, by what was launched since the wait of that number. */
struct gsim_pending_buffer {
    uint32_t stretch;
    struct gsim_op_access access;
};

struct gsim_pending {
    const struct gsim_run *run;
    const struct gsim_oplist *list;
    uint32_t *node_of; /* by op of a known program: its node in the list; GSIM_PENDING_NONE: it is left out */
    uint32_t first_op; /* of a program that is drawn: the first that is pending */
    struct gsim_pending_buffer *buffers;
    struct gsim_afters afters;
    uint32_t stretch, first_node;
    bool is_any, is_unknown, failed;
};

/* OP, not a host op, is launched. */
void gsim_pending_add(struct gsim_pending *pending, const struct gsim_op *op);
/* OP, a host op, must wait for something that is pending. */
bool gsim_pending_holds(struct gsim_pending *pending, const struct gsim_op *op);

/* --- the application ---------------------------------------------------------------------------------------------- */

struct gsim_acs;
struct gsim_acs_ops {
    /* A kernel or a move, of its list the NODE-th. */
    void (*launch)(struct gsim_acs *acs, const struct gsim_op *op, uint32_t node);
    void (*wait)(struct gsim_acs *acs, uint32_t unit); /* the host, for all that is pending there */
};
struct gsim_acs {
    struct gsim_run *run;
    const struct gsim_acs_ops *ops;
    uint32_t unit_count;          /* what the host waits for as one */
    struct gsim_pending *pending; /* by unit */
    bool failed;                  /* out of memory */
};
/* The first three are given. */
enum gsim_status gsim_acs_run(struct gsim_acs *acs, struct gsim_error *error) GSIM_NODISCARD;

/* An op that others are tested against: of a program that is drawn a copy, since the op is gone when it has ended. */
struct gsim_acs_kept {
    struct gsim_op op;
    struct gsim_arg *args;
    struct gsim_segment *segments;
    size_t arg_room, segment_room;
};
void gsim_acs_keep(struct gsim_acs *acs, struct gsim_acs_kept *kept, const struct gsim_op *op);
void gsim_acs_forget(struct gsim_acs_kept *kept); /* accepts zeroed */

/* --- what a test of a kernel against others takes ACS's host --- */
/* Table II of the paper: windows of 16 and 32 entries, kernels of 6 and 10 segments. */

struct gsim_acs_check {
    double us, entry_us;       /* 6 segments: without others, more for each */
    double ten_us, ten_entry_us; /* 10 segments, where that is more */
};

/* Linear in how many OTHERS there are, and in SEGMENTS from 6 on. */
static inline double gsim_acs_check_us(const struct gsim_acs_check *check, double others, double segments)
{
    double six = check->us + check->entry_us * others, ten = check->ten_us + check->ten_entry_us * others;
    return ten > six && segments > 6 ? six + (ten - six) * (segments - 6) / 4 : six;
}

/* Rows of a table of parameters whose struct TYPE has it as "check". */
#define GSIM_ACS_CHECK_PARAMS(type)                                                                                    \
    {"check_us", GSIM_PARAM_REAL, offsetof(type, check.us), 0.31, 0, 1000, "us", NULL,                                 \
     "testing a kernel where there are no others (Table II: 0.41 with 16 entries, 0.51 with 32, 6 segments)"},         \
    {"check_entry_us", GSIM_PARAM_REAL, offsetof(type, check.entry_us), 0.00625, 0, 1000, "us", NULL,                  \
     "more per kernel that it is tested against (the same table)"},                                                    \
    {"check10_us", GSIM_PARAM_REAL, offsetof(type, check.ten_us), -0.24, -1000, 1000, "us", NULL,                      \
     "the same with 10 segments, if that is more (published: 0.70 with 16 entries, 1.64 with 32)"},                    \
    {"check10_entry_us", GSIM_PARAM_REAL, offsetof(type, check.ten_entry_us), 0.05875, 0, 1000, "us", NULL,            \
     "more per kernel that it is tested against, with 10 segments"}
