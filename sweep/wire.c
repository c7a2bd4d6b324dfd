/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sweep/wire.h. The cells as they are in memory, each followed by its text with the NUL, if it is one. */
#include "sweep/wire.h"

void gsim_row_pack(const struct gsim_row *row, struct gsim_bytes *bytes)
{
    for (int i = 0; i < GSIM_COLUMN_COUNT; i++) {
        const struct gsim_cell *cell = &row->cells[i];
        gsim_bytes_add(bytes, cell, sizeof *cell);
        if (cell->type == GSIM_CELL_TEXT) gsim_bytes_add(bytes, cell->text, strlen(cell->text) + 1);
    }
}

bool gsim_row_unpack(struct gsim_row *row, const char *bytes, size_t length)
{
    const char *at = bytes, *end = bytes + length;
    row->id = 0;
    for (int i = 0; i < GSIM_COLUMN_COUNT; i++) {
        struct gsim_cell *cell = &row->cells[i];
        if ((size_t)(end - at) < sizeof *cell) return false;
        memcpy(cell, at, sizeof *cell);
        at += sizeof *cell;
        if (cell->type > GSIM_CELL_TEXT) return false;
        if (cell->type != GSIM_CELL_TEXT) continue;
        const char *nul = memchr(at, '\0', (size_t)(end - at));
        if (!nul) return false;
        cell->text = at;
        at = nul + 1;
    }
    return at == end;
}
