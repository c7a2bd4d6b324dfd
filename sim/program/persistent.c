/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of how tasks come to workers (gpusim/persistent.h): simulated in sim/resident/resident.c, for real in
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
