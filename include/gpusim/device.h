/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (data). The specification of one device and its host: numbers only, read from a file
 * (sim/device/device.h reads it) and never written after. Which numbers exist: include/gpusim/device.def.
 * Occupancy limits follow from the compute capability (sim/device/occupancy.h).
 */
#ifndef GSIM_DEVICE_H
#define GSIM_DEVICE_H

#include "gpusim/memory.h"

enum gsim_device_number {
#define X(section, name, unit, initial, minimum, maximum, help) GSIM_DEV_##name,
#include "gpusim/device.def"
#undef X
    GSIM_DEVICE_NUMBER_COUNT
};

/* How much to trust a number; carried over from the reference into the model files. */
enum gsim_number_kind {
    GSIM_KIND_DATASHEET, /* the vendor's published figure */
    GSIM_KIND_PUBLISHED, /* somebody else's measurement, cited */
    GSIM_KIND_MEASURED,  /* our own measurement; the source names the file */
    GSIM_KIND_FITTED,    /* by gpusim calibrate */
    GSIM_KIND_DERIVED,   /* arithmetic from the above; the source says which */
    GSIM_KIND_ASSUMED,   /* no source: a default that a sensitivity study should cover */
};

struct gsim_device_spec {
    const char *name, *title;
    const char *gpus;       /* what such GPUs call themselves, one a line; NULL: not said */
    int compute_capability; /* 10 * major + minor: 80 is 8.0; AMD's: gsim_capability_text() */
    /* The numbers by name, in the units of device.def. */
#define X(section, name, unit, initial, minimum, maximum, help) double name;
#include "gpusim/device.def"
#undef X
    /* For each number (enum gsim_device_number): where it comes from. */
    const char *source[GSIM_DEVICE_NUMBER_COUNT];
    enum gsim_number_kind kind[GSIM_DEVICE_NUMBER_COUNT];
    uint64_t rules_off;      /* of the model: a bit each (gpusim list rules); 0: all hold */
    struct gsim_arena arena; /* owns the strings */
};

#endif
