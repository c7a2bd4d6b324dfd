/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). What ACS's host takes to test a kernel against others (Table II of the paper: windows of
 * 16 and 32 entries, kernels of 6 and 10 segments), for acs-sw's window and acs-hw's list.
 */
#pragma once

#include "gpusim/params.h"

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
