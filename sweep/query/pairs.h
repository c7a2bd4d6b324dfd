/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sweep. Two ways compared cell by cell (a cell: one workload, device, size, ...; its repetitions are one
 * number): how often each is faster, by how much on average, and whether chance alone would make it so.
 */
#pragma once

#include <stddef.h>

struct gsim_cell_pair {
    double own, base;
};

struct gsim_pairs {
    size_t cells, wins, ties, losses; /* a win: own is less than base; a tie: within a millionth */
    double difference,
        difference_ci95; /* mean of own less base, half of its 95 % interval (Student's t); NAN for what there is not */
    double ratio, ratio_low,
        ratio_high; /* geometric mean of base over own, its 95 % interval (Student's t of logarithms) */
    double sign_p;  /* two-sided sign test: how probable so uneven wins are if neither is faster; ties left out; 1: no
                       wins or losses */
};

void gsim_pairs_sum(const struct gsim_cell_pair *pairs, size_t count, struct gsim_pairs *sum);
