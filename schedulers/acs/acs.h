/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). What acs-sw and acs-hw share beside the window (window.h): the application, which
 * launches one op after another and waits where a host op must; the test of a kernel against others, and what it takes.
 */
#pragma once

#include "gpusim/params.h"
#include "gpusim/schedulers/feed.h"
#include "schedulers/shared/hazards.h"

/* What is done to a buffer, by what was launched since the wait of that number. */
struct gsim_acs_buffer {
    uint32_t stretch;
    struct gsim_op_access access;
};

/* What the host waits for as one, and what is pending there: launched since the host last waited. No graph is kept. */
struct gsim_acs_unit {
    struct gsim_acs_buffer *buffers;
    uint32_t stretch, first_node;
    uint32_t first_op;  /* of a program that is drawn: the first that is pending */
    bool is_any, is_unknown;
    gsim_stream stream; /* of several units, each with one: the user's */
    gsim_event sent;    /* then: behind all that was sent to it; made at first use */
};

struct gsim_acs;
struct gsim_acs_ops {
    bool (*begin)(struct gsim_acs *acs); /* false: out of memory */
    /* A kernel or a move, of its list the NODE-th. */
    void (*launch)(struct gsim_acs *acs, const struct gsim_op *op, uint32_t node);
    void (*wait)(struct gsim_acs *acs, uint32_t unit); /* the host, for all that is pending there */
    void (*end)(struct gsim_acs *acs);   /* after BEGIN, always */
};
struct gsim_acs {
    struct gsim_run *run;
    const struct gsim_acs_ops *ops;
    uint32_t unit_count;         /* 1, or one for each GPU */
    struct gsim_acs_unit *units;
    const struct gsim_oplist *list;
    uint32_t *node_of;           /* by op of a known program: its node in the list; UINT32_MAX: it is left out */
    struct gsim_afters afters, tested; /* of the application; of who tests kernels */
    bool failed;                 /* out of memory */
};
/* The first three are given. */
enum gsim_status gsim_acs_run(struct gsim_acs *acs, struct gsim_error *error) GSIM_NODISCARD;

/* An op that others are tested against: of a program that is drawn a copy, since the op is gone when it has ended. */
struct gsim_acs_kept {
    const struct gsim_op *op;
    struct gsim_op *copy;        /* with its arguments and segments behind it */
    size_t room;
    bool is_move;
};
void gsim_acs_keep(struct gsim_acs *acs, struct gsim_acs_kept *kept, const struct gsim_op *op);

/* OP against those before it. */
struct gsim_acs_test {
    const struct gsim_op *op;
    const uint32_t *after;
    uint32_t after_count;
    bool is_managed;
};
/* Valid until the next one begins. */
struct gsim_acs_test gsim_acs_test_begin(struct gsim_acs *acs, const struct gsim_op *op);
/* It must follow what was kept: by a hazard, or as the author says. */
bool gsim_acs_test_follows(const struct gsim_acs_test *test, const struct gsim_acs_kept *kept);

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
