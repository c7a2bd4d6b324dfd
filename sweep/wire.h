/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sweep (helper). A row of results as bytes (sim/base/jobs/bytes.h). */
#pragma once

#include "sim/base/jobs/bytes.h"
#include "sweep/store.h"

/* Appends the row; its id is not kept. */
void gsim_row_pack(const struct gsim_row *row, struct gsim_bytes *bytes);
/* ROW's texts point into BYTES. False when these are not LENGTH bytes of a row. */
bool gsim_row_unpack(struct gsim_row *row, const char *bytes, size_t length);
