/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: tests. A recorded Chrome trace told again: longer, or as Nsight Systems would have written it to SQLite.
 */
#pragma once

#include <stdint.h>

#include "gpusim/status.h"

/* The events of SOURCE again and again, each time later and with correlation ids of their own, until TARGET holds BYTES
 * bytes of text (gzip where its name ends in .gz). Gives how often in *TIMES. */
enum gsim_status retell_longer(const char *source, const char *target, uint64_t bytes, uint64_t *times,
                               struct gsim_error *error) GSIM_NODISCARD;

/* Kernels, copies, memsets, calls, waits and the GPU of SOURCE as the tables of an export, with columns that no reader
 * of ours knows in between. */
enum gsim_status retell_nsys(const char *source, const char *target, struct gsim_error *error) GSIM_NODISCARD;
