/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces. Workflows of WfCommons (WfFormat 1.5; wfcommons.org): graphs of tasks that ran on clusters and clouds, as programs.
 * A task becomes a kernel of as many blocks as it had cores, a second of it a millisecond of the kernel; files become buffers, which
 * tasks read and write whole; who has parents comes after them.
 */
#ifndef GSIM_TRACES_IMPORT_WFCOMMONS_H
#define GSIM_TRACES_IMPORT_WFCOMMONS_H

#include "traces/import/import.h"

#define GSIM_WFCOMMONS_US_PER_S 1000.0

enum gsim_status gsim_import_wfcommons(const char *path, const struct gsim_import_options *options, struct gsim_program *program,
                                       struct gsim_import_notes *notes, struct gsim_error *error) GSIM_NODISCARD;

#endif
