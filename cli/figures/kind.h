/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). What a file is that a figure cannot be made of, and the command that takes it.
 */
#pragma once

#include "gpusim/status.h"

/* Who reads: timelines, figures of tables, figures of tasks. */
#define GSIM_KIND_TRACK 1u
#define GSIM_KIND_FRAME 2u
#define GSIM_KIND_SHARES 4u

/* Where STATUS is GSIM_INPUT and PATH is of a kind that READER does not read, ERROR says which it is. Returns
 * STATUS. */
enum gsim_status gsim_cli_name_kind(enum gsim_status status, const char *path, unsigned reader,
                                    struct gsim_error *error) GSIM_NODISCARD;
