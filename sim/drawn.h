/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (internal). Between a program that is drawn (sim/program/draw.h) and the machine, whose tables get what is first used. */
#ifndef GSIM_DRAWN_H
#define GSIM_DRAWN_H

#include "sim/front/front.h"

struct gsim_drawn {
    struct gsim_draw draw;
    struct gsim_draw_hooks hooks;
    struct gsim_machine *machine;
    struct gsim_space *space;
    struct gsim_device *const *devices;
    uint32_t device_count;
    double *kernel_us; /* by kernel: gsim_run.kernel_us */
};

/* Empty tables, which SPACE gets. */
enum gsim_status gsim_drawn_init(struct gsim_drawn *drawn, struct gsim_machine *machine, struct gsim_space *space, struct gsim_error *error);
/* Once there are devices: the source begins. */
enum gsim_status gsim_drawn_open(struct gsim_drawn *drawn, struct gsim_device *const *devices, uint32_t device_count, struct gsim_error *error);
/* After a run: ops that have not ended. */
enum gsim_status gsim_drawn_check(const struct gsim_drawn *drawn, struct gsim_error *error);
void gsim_drawn_release(struct gsim_drawn *drawn); /* accepts zeroed */

#endif
