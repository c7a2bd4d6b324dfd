/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim. Rules of the model that can be disabled: a line of sim/device/rules.def and a bit of a device's rules_off
 * for each. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "gpusim/device.h"

enum gsim_rule {
#define X(key, name, sentence) GSIM_RULE_##key,
#include "sim/device/rules.def"
#undef X
    GSIM_RULE_COUNT
};
_Static_assert(GSIM_RULE_COUNT <= 64, "a bit each");

static inline bool gsim_rule_holds(uint64_t rules_off, enum gsim_rule rule) { return !(rules_off >> rule & 1); }

const char *gsim_rule_name(enum gsim_rule rule);
const char *gsim_rule_sentence(enum gsim_rule rule);
/* Finds a rule by its name; GSIM_RULE_COUNT: there is none. */
enum gsim_rule gsim_rule_find(const char *name);
/* Sets a rule. VALUE: on, off, 1 or 0. */
enum gsim_status gsim_rule_set(struct gsim_device_spec *device, const char *name, const char *value,
                               struct gsim_error *error) GSIM_NODISCARD;
