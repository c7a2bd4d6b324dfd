/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sweep/wire.h. Per cell: its type (one byte), then 8 bytes of number, or 4 of length and the text with its NUL. */
#include "sweep/wire.h"

void gsim_row_pack(const struct gsim_row *row, struct gsim_bytes *bytes)
{
    for (int i = 0; i < GSIM_COLUMN_COUNT; i++) {
        const struct gsim_cell *cell = &row->cells[i];
        char type = (char)cell->type;
        gsim_bytes_add(bytes, &type, 1);
        switch (cell->type) {
        case GSIM_CELL_NULL:
            break;
        case GSIM_CELL_INTEGER:
            gsim_bytes_add(bytes, &cell->integer, sizeof(cell->integer));
            break;
        case GSIM_CELL_REAL:
            gsim_bytes_add(bytes, &cell->real, sizeof(cell->real));
            break;
        case GSIM_CELL_TEXT: {
            uint32_t length = (uint32_t)strlen(cell->text) + 1;
            gsim_bytes_add(bytes, &length, sizeof(length));
            gsim_bytes_add(bytes, cell->text, length);
            break;
        }
        }
    }
}

static bool take(const char **at, const char *end, void *data, size_t length)
{
    if ((size_t)(end - *at) < length) return false;
    memcpy(data, *at, length);
    *at += length;
    return true;
}

static bool take_cell(const char **at, const char *end, struct gsim_cell *cell)
{
    char type;
    int64_t integer;
    double real;
    uint32_t length;
    if (!take(at, end, &type, 1)) return false;
    switch ((enum gsim_cell_type)type) {
    case GSIM_CELL_NULL:
        *cell = (struct gsim_cell){.type = GSIM_CELL_NULL};
        return true;
    case GSIM_CELL_INTEGER:
        if (!take(at, end, &integer, sizeof(integer))) return false;
        *cell = gsim_cell_integer(integer);
        return true;
    case GSIM_CELL_REAL:
        if (!take(at, end, &real, sizeof(real))) return false;
        *cell = gsim_cell_real(real);
        return true;
    case GSIM_CELL_TEXT:
        if (!take(at, end, &length, sizeof(length)) || !length || (size_t)(end - *at) < length || (*at)[length - 1])
            return false;
        *cell = gsim_cell_text(*at);
        *at += length;
        return true;
    }
    return false;
}

bool gsim_row_unpack(struct gsim_row *row, const char *bytes, size_t length)
{
    const char *at = bytes, *end = bytes + length;
    row->id = 0;
    for (int i = 0; i < GSIM_COLUMN_COUNT; i++)
        if (!take_cell(&at, end, &row->cells[i])) return false;
    return at == end;
}
