/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: models. Device files (models/NAME.json, format in models/README.md) into struct gsim_device_spec,
 * changing single numbers from the command line, and listing. Which numbers exist: include/gpusim/device.def.
 */
#ifndef GSIM_MODELS_DEVICE_H
#define GSIM_MODELS_DEVICE_H

#include <stdbool.h>
#include <stdio.h>

#include "gpusim/device.h"

#define GSIM_DEVICE_SCHEMA "gpusim-device/1"
#define GSIM_DEVICE_DEFAULT "a100-sxm4-40gb"

/* A text with a slash or ending in ".json" is a path, anything else a name of the search path
 * (sim/device/search.h). On failure SPEC is untouched; the message names file and place, or the known names. */
enum gsim_status gsim_device_load(const char *name_or_path, struct gsim_device_spec *spec,
                                  struct gsim_error *error) GSIM_NODISCARD;
void gsim_device_release(struct gsim_device_spec *spec); /* accepts NULL and zeroed */

/* One number by its name in device.def, from --opt device.NAME=VALUE; checked like the file's. */
enum gsim_status gsim_device_set_number(struct gsim_device_spec *spec, const char *number, const char *value,
                                 struct gsim_error *error) GSIM_NODISCARD;

/* Not a number of its own: sets h2d_gbps, and the other bandwidths that the link to the host carries in proportion
 * (sim/device/pcie.c has the list). */
#define GSIM_DEVICE_PCIE "pcie_gbps"
enum gsim_status gsim_device_set_pcie(struct gsim_device_spec *spec, const char *value,
                                      struct gsim_error *error) GSIM_NODISCARD;
bool gsim_device_is_pcie(const char *number); /* whether it is one of those */

/* The value, name, unit ("" for none), section and one-line help of a number of the X-macro list. */
double gsim_device_get(const struct gsim_device_spec *spec, enum gsim_device_number number);
const char *gsim_device_number_name(enum gsim_device_number number);
const char *gsim_device_number_unit(enum gsim_device_number number);
const char *gsim_device_number_section(enum gsim_device_number number);
const char *gsim_device_number_help(enum gsim_device_number number);
bool gsim_device_number_is_count(enum gsim_device_number number); /* whole numbers only */
/* GSIM_DEVICE_NUMBER_COUNT when there is none of that name. */
enum gsim_device_number gsim_device_number_find(const char *name);
const char *gsim_number_kind_name(enum gsim_number_kind kind);
double gsim_device_number_minimum(enum gsim_device_number number);
double gsim_device_number_maximum(enum gsim_device_number number);

/* Sets a number that was measured or fitted, with where it comes from (copied); what lies outside the range becomes its
 * bound, counts become whole. False when memory is out. */
bool gsim_device_put(struct gsim_device_spec *spec, enum gsim_device_number number, double value,
                     enum gsim_number_kind kind, const char *source);
/* The file of the device (models/README.md), readable by gsim_device_load(). sim/device/device_write.c */
struct gsim_output;
void gsim_device_write(const struct gsim_device_spec *spec, struct gsim_output *output);

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
/* The devices of the search path. */
enum gsim_status gsim_device_list(struct gsim_device_entries *list, struct gsim_error *error) GSIM_NODISCARD;
void gsim_device_list_release(struct gsim_device_entries *list);

/* Every number with value, unit, kind and source: gpusim list devices --long. */
void gsim_device_print(const struct gsim_device_spec *spec, FILE *out);

#endif
