/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: ask. The least of several predicted times, and how sure it is that it is the least: makespans of DAGs on two
 * H100 are 2.6 % off (traces/h100), which is taken as a normal deviation of each. */
#pragma once

#include <stddef.h>

struct gsim_found {
    const char *name;
    double us;
};

/* Zeroed at first. The least ones come first. */
struct gsim_ranking {
    struct gsim_found best, second;
    double sum_us;
    size_t count;
};
void gsim_ranking_add(struct gsim_ranking *ranking, const char *name, double us);
/* How sure it is that A takes less time than B. */
double gsim_ranking_sure(double a_us, double b_us);
