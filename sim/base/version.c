/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/base. The version of the library, and the check of tables that were compiled against other headers. */
#include "gpusim/status.h"

const char *gpusim_version(void) { return GPUSIM_VERSION; }

uint32_t gpusim_abi(void) { return GSIM_ABI; }

enum gsim_status gsim_abi_check(const char *table, uint32_t abi, size_t size, size_t expected_size,
                                struct gsim_error *error)
{
    if (abi != GSIM_ABI)
        return gsim_error_set(error, GSIM_INPUT,
                              "%s.abi: expected %u, found %u: compile it again with the headers of gpusim %s", table,
                              (unsigned)GSIM_ABI, (unsigned)abi, GPUSIM_VERSION);
    if (size != expected_size)
        return gsim_error_set(error, GSIM_INPUT,
                              "%s.size: expected %zu, found %zu: compile it again with the headers of gpusim %s", table,
                              expected_size, size, GPUSIM_VERSION);
    return GSIM_OK;
}
