/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/memory. What a program's kernels are on devices of one kind: found when the first such device is used. A
 * kernel that cannot run there is a failure only of a run that launches it there.
 */
#pragma once

#include "sim/sm/demand.h"

struct gsim_machine;
struct gsim_space;

struct gsim_works {
    const struct gsim_device_spec *spec;
    struct gsim_demand *demands; /* by kernel index */
    bool *problems;              /* by kernel index: it cannot run there; NULL: all can */
    bool share_l2;               /* all of them together overwrite it */
    enum gsim_l2_needs {           /* of the program's ops, found by the first device of the kind (l2.c) */
        GSIM_L2_ASKED = 1,
        GSIM_L2_REPEATED = 2,      /* kernels with data that take longer with an empty L2 than repeated */
        GSIM_L2_MEASURED = 4       /* kernels measured inside the program */
    } l2_needs;
    const struct gsim_space *space;
    struct gsim_works *next;     /* of the same space, other kinds */
};

/* All kernels that the space has by now. GIVEN: found before, for SPEC; NULL: they are not. Of the run's first device
 * every problem is an error. */
enum gsim_status gsim_works_create(struct gsim_works **works, struct gsim_machine *machine, struct gsim_space *space,
                                   const struct gsim_device_spec *spec, const struct gsim_demand *given,
                                   struct gsim_error *error) GSIM_NODISCARD;
/* Of a program that is drawn: what kernel INDEX finds in L2 follows from what ran. */
void gsim_works_meet(struct gsim_works *works, uint32_t index);
/* Another kernel, INDEX, of a program that is drawn. */
enum gsim_status gsim_works_add(struct gsim_works *works, uint32_t index, struct gsim_error *error) GSIM_NODISCARD;
/* Of the run's first device. */
struct gsim_works *gsim_works_first(struct gsim_works *works);
/* Fails the run with what is wrong with kernel INDEX; returns some demand or other. */
const struct gsim_demand *gsim_works_fail(const struct gsim_works *works, struct gsim_machine *machine, uint32_t index);
