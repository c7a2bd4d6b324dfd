/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the modes of a persistent launch (gpusim/persistent.h). Simulated: sim/resident/resident.c; on a GPU:
 * traces/runner/resident. */
#include "gpusim/persistent.h"

const char *gsim_persistent_mode_name(enum gsim_persistent_mode mode)
{
    static const char *const names[] = {
#define MODE_NAME(name, text) text,
        GSIM_PERSISTENT_MODE_MAP(MODE_NAME)
#undef MODE_NAME
    };
    GSIM_INVARIANT((unsigned)mode < GSIM_PERSISTENT_MODES);
    return names[mode];
}
