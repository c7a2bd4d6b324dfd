/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (internal). Sources (sim/program/draw.h) in the machine, whose tables get each kernel and buffer at its
 * first use. */
#pragma once

#include "sim/front/front.h"

/* One source with the number of its task. */
struct gsim_drawn_source {
    const struct gsim_source_ops *source;
    const void *params; /* NULL: defaults */
    uint32_t task;
};

struct gsim_drawn {
    struct gsim_draw_tables tables;
    struct gsim_draw_hooks hooks;
    struct gsim_draw *draws;
    const struct gsim_drawn_source *sources;
    uint32_t count; /* number of draws; 0: the program is known */
    struct gsim_machine *machine;
    struct gsim_space *space;
    struct gsim_device *const *devices;
    uint32_t device_count;
    double *kernel_us; /* by kernel: gsim_run.kernel_us */
};

/* Makes the tables, which SPACE refers to. KNOWN: the tasks' known programs as one; NULL: none. */
enum gsim_status gsim_drawn_init(struct gsim_drawn *drawn, struct gsim_machine *machine, struct gsim_space *space,
                                 const struct gsim_drawn_source *sources, uint32_t count,
                                 const struct gsim_program *known, struct gsim_error *error);
/* Starts the sources. Call it after the devices are made and the space has the demands of known kernels. */
enum gsim_status gsim_drawn_open(struct gsim_drawn *drawn, struct gsim_device *const *devices, uint32_t device_count,
                                 struct gsim_error *error);
/* Returns the draw of TASK; NULL: its program is known. */
struct gsim_draw *gsim_drawn_of(const struct gsim_drawn *drawn, uint32_t task);
/* After a run: GSIM_SIM names ops that have not ended. */
enum gsim_status gsim_drawn_check(const struct gsim_drawn *drawn, struct gsim_error *error);
/* Moves the drawn program into gsim_simulation.drawn, to which the timeline then refers. */
enum gsim_status gsim_drawn_keep(struct gsim_drawn *drawn, const struct gsim_program *known, struct gsim_error *error);
void gsim_drawn_release(struct gsim_drawn *drawn); /* accepts zeroed */
