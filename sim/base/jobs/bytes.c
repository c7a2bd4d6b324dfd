/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/jobs/bytes.h. */
#include "sim/base/jobs/bytes.h"

#include <string.h>

void gsim_bytes_add(struct gsim_bytes *bytes, const void *data, size_t length)
{
    if (bytes->failed || !length) return;
    if (bytes->length + length > bytes->capacity) {
        size_t wanted = bytes->capacity ? bytes->capacity : 4096;
        while (wanted < bytes->length + length) wanted *= 2;
        char *moved = gsim_realloc(bytes->data, wanted);
        if (!moved) {
            bytes->failed = true;
            return;
        }
        bytes->data = moved;
        bytes->capacity = wanted;
    }
    memcpy(bytes->data + bytes->length, data, length);
    bytes->length += length;
}

void gsim_bytes_drop(struct gsim_bytes *bytes, size_t length)
{
    if (length < bytes->length) memmove(bytes->data, bytes->data + length, bytes->length - length);
    bytes->length -= length;
}

void gsim_bytes_release(struct gsim_bytes *bytes)
{
    gsim_free(bytes->data);
    *bytes = (struct gsim_bytes){0};
}
