/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sweep (helper). A row as bytes, for pipes and messages between processes of one machine type. */
#ifndef GSIM_SWEEP_WIRE_H
#define GSIM_SWEEP_WIRE_H

#include "sweep/store.h"

/* A growing run of bytes. */
struct gsim_bytes {
    char *data;
    size_t length, capacity;
    bool failed; /* memory ran out; stays set */
};
void gsim_bytes_add(struct gsim_bytes *bytes, const void *data, size_t length);
/* Drops the first LENGTH bytes. */
void gsim_bytes_drop(struct gsim_bytes *bytes, size_t length);
void gsim_bytes_release(struct gsim_bytes *bytes); /* accepts a zeroed one */

/* Appends the row; its id is not kept. */
void gsim_row_pack(const struct gsim_row *row, struct gsim_bytes *bytes);
/* ROW's texts point into BYTES. False when these are not LENGTH bytes of a row. */
bool gsim_row_unpack(struct gsim_row *row, const char *bytes, size_t length);

#endif
