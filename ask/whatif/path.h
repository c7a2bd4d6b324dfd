/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: ask (internal to ask/whatif). The critical path of a finished timeline: from its end back, always to what
 * was waited for. */
#pragma once

#include "ask/whatif/causes.h"

/* Fills parts, which add up to the makespan. */
enum gsim_status gsim_path_find(struct gsim_explanation *explanation, struct gsim_error *error) GSIM_NODISCARD;
