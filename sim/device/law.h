/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/device (helper). Numbers of a rule that are no device's: models/laws. */
#pragma once

#include "sim/device/sourced.h"

typedef enum gsim_status gsim_law_more(void *base, const cJSON *json, struct gsim_error *error);
/* Fills the struct at BASE from models/laws/NAME.json, and by MORE (NULL allowed) what is no number. */
enum gsim_status gsim_law_read(const char *name, const struct gsim_sourced_row *numbers, size_t number_count,
                               gsim_law_more *more, void *base, struct gsim_error *error) GSIM_NODISCARD;
