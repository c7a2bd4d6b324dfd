/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/memory. The demands of a program's kernels on one kind of device, computed when the first such device is
 * used. A kernel that cannot run there fails the run only when it is launched there.
 */
#pragma once

#include "sim/sm/demand.h"

struct gsim_machine;
struct gsim_space;

struct gsim_works {
    const struct gsim_device_spec *spec;
    struct gsim_demand *demands; /* by kernel index */
    bool *problems;              /* by kernel: it cannot run there; NULL: all can */
    double *drawn_mj;            /* by kernel, above the base at full clock; 0: not computed yet; NULL: not needed */
    bool share_l2;               /* the kernels' data together exceed L2 */
    enum gsim_l2_needs {           /* what the program's ops need of L2; set by the first device of the kind (l2.c) */
        GSIM_L2_ASKED = 1,
        GSIM_L2_REPEATED = 2,      /* kernels whose cold time differs from their repeated time */
        GSIM_L2_MEASURED = 4       /* kernels measured inside the program */
    } l2_needs;
    const struct gsim_space *space;
    struct gsim_works *next;     /* another kind of device, same space */
};

/* Computes the demands of all kernels in SPACE. GIVEN: those computed before for SPEC, or NULL. On the run's first
 * device a kernel that cannot run is an error. */
enum gsim_status gsim_works_create(struct gsim_works **works, struct gsim_machine *machine, struct gsim_space *space,
                                   const struct gsim_device_spec *spec, const struct gsim_demand *given,
                                   struct gsim_error *error) GSIM_NODISCARD;
/* Source's program: makes the time of kernel INDEX depend on what L2 holds. */
void gsim_works_meet(struct gsim_works *works, uint32_t index);
/* Source's program: adds kernel INDEX. */
enum gsim_status gsim_works_add(struct gsim_works *works, uint32_t index, struct gsim_error *error) GSIM_NODISCARD;
/* Returns those of the run's first device. */
struct gsim_works *gsim_works_first(struct gsim_works *works);
/* Fails the run with the problem of kernel INDEX. Returns any valid demand. */
const struct gsim_demand *gsim_works_fail(const struct gsim_works *works, struct gsim_machine *machine, uint32_t index);
