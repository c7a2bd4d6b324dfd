/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (data). The specification of one device and its host: numbers only, read from a file
 * (models/NAME.json, format in models/README.md) and never written after. Which numbers exist: gpusim/device.def.
 * Occupancy limits follow from the compute capability.
 */
#pragma once

#include <stdbool.h>

#include "gpusim/memory.h"

GSIM_DECLARATIONS_BEGIN

enum gsim_device_number {
#define X(section, name, unit, initial, minimum, maximum, help) GSIM_DEV_##name,
#define CURVE(section, name, unit, minimum, maximum, help, points, ...)                                                \
    GSIM_DEV_##name, GSIM_DEV_##name##_last = GSIM_DEV_##name + (points)-1,
#include "gpusim/device.def"
#undef X
#undef CURVE
    GSIM_DEVICE_NUMBER_COUNT
};

/* Origin of a number. */
enum gsim_number_kind {
    GSIM_KIND_DATASHEET, /* the vendor's published figure */
    GSIM_KIND_PUBLISHED, /* somebody else's measurement, cited */
    GSIM_KIND_MEASURED,  /* our own measurement; the source names the file */
    GSIM_KIND_FITTED,    /* by gpusim calibrate */
    GSIM_KIND_DERIVED,   /* arithmetic from the above; the source says which */
    GSIM_KIND_ASSUMED,   /* a default without a source: to be varied in a sensitivity study */
};

struct gsim_device_spec {
    const char *name, *title;
    const char *gpus;       /* names that drivers report, one a line; NULL: not given */
    const char *arch;       /* architecture, models/arch/NAME.json; NULL: not given */
    bool inherits;          /* its file takes missing numbers from another device */
    int compute_capability; /* 10 * major + minor: 80 is 8.0; AMD's: gsim_capability_text() */
    /* The numbers by name, in the units of device.def. */
#define X(section, name, unit, initial, minimum, maximum, help) double name;
#define CURVE(section, name, unit, minimum, maximum, help, points, ...) double name[points];
#include "gpusim/device.def"
#undef X
#undef CURVE
    /* By number (enum gsim_device_number): source and kind. */
    const char *source[GSIM_DEVICE_NUMBER_COUNT];
    enum gsim_number_kind kind[GSIM_DEVICE_NUMBER_COUNT];
    uint32_t model;          /* work model by index (gpusim/model.h); 0: blocks */
    uint64_t rules_off;      /* disabled rules of the model, a bit each (gpusim list rules) */
    struct gsim_arena arena; /* owns the strings */
};

#define GSIM_DEVICE_DEFAULT "a100-sxm4-40gb"

/* Loads a device: a path if the text has a slash or ends in ".json", else NAME.json in $GPUSIM_DATA/models,
 * ../share/gpusim/models beside the program, then the installation. On failure SPEC is untouched; the message names
 * file and place, or the known names. */
enum gsim_status gsim_device_load(const char *name_or_path, struct gsim_device_spec *spec,
                                  struct gsim_error *error) GSIM_NODISCARD;
void gsim_device_release(struct gsim_device_spec *spec); /* accepts NULL and zeroed */

/* Sets one number by its name in device.def, as --opt device.NAME=VALUE does, with the checks of the file. */
enum gsim_status gsim_device_set_number(struct gsim_device_spec *spec, const char *number, const char *value,
                                        struct gsim_error *error) GSIM_NODISCARD;

/* Return the value, name, unit ("": none), section and one-line help of a number. */
double gsim_device_get(const struct gsim_device_spec *spec, enum gsim_device_number number);
const char *gsim_device_number_name(enum gsim_device_number number);
const char *gsim_device_number_unit(enum gsim_device_number number);
const char *gsim_device_number_section(enum gsim_device_number number);
const char *gsim_device_number_help(enum gsim_device_number number);
bool gsim_device_number_is_count(enum gsim_device_number number); /* whole numbers only */
/* Finds a number by its name. GSIM_DEVICE_NUMBER_COUNT: there is none. */
enum gsim_device_number gsim_device_number_find(const char *name);
const char *gsim_number_kind_name(enum gsim_number_kind kind);
double gsim_device_number_minimum(enum gsim_device_number number);
double gsim_device_number_maximum(enum gsim_device_number number);

struct gsim_device_entry {
    const char *name, *path;
    const char *title; /* NULL: the file has an error */
    const char *error; /* NULL: it has none */
};
struct gsim_device_entries {
    struct gsim_device_entry *entries; /* sorted by name */
    size_t count;
    struct gsim_arena arena;
};
/* Lists the devices that gsim_device_load() finds by name. The caller releases LIST. */
enum gsim_status gsim_device_list(struct gsim_device_entries *list, struct gsim_error *error) GSIM_NODISCARD;
void gsim_device_list_release(struct gsim_device_entries *list);

GSIM_DECLARATIONS_END
