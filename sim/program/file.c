/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files by sim/base/gz.h. The buffer has the file's size at first, so a plain file is in memory once.
 */
#include "sim/program/file.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "gpusim/memory.h"
#include "sim/base/gz.h"

#define LARGEST_BYTES (16ull << 30) /* of plain text; gzip: sim/base/gz.h */
#define PIECE_BYTES   (4u * 1024u * 1024u)
#define FIRST_BYTES   (64u * 1024u * 1024u) /* a file may say that it is larger than what is worth reading of it */

/* Appends all of GZ to *TEXT, which grows. */
static enum gsim_status read_all(struct gsim_gz *gz, char **text, size_t *length, size_t capacity,
                                 struct gsim_error *error)
{
    for (;;) {
        if (*length + 1 >= capacity) {
            if (capacity > LARGEST_BYTES)
                return gsim_error_set(error, GSIM_INPUT, "expected at most %llu bytes", LARGEST_BYTES);
            char *grown = gsim_realloc(*text, capacity * 2);
            if (!grown) return gsim_no_memory(error);
            *text = grown;
            capacity *= 2;
        }
        size_t room = capacity - *length - 1, got;
        enum gsim_status status =
            gsim_gz_read(gz, *text + *length, room < PIECE_BYTES ? room : PIECE_BYTES, &got, error);
        if (status != GSIM_OK || got == 0) return status;
        *length += got;
    }
}

char *gsim_file_read(const char *path, size_t *length, struct gsim_error *error)
{
    struct stat info;
    struct gsim_gz gz;
    size_t capacity = 64 * 1024;
    *length = 0;
    if (strcmp(path, "-") != 0 && stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode)) {
            gsim_error_set(error, GSIM_INPUT, "expected a file, found a directory");
            return NULL;
        }
        if (S_ISREG(info.st_mode) && info.st_size > 0 && (uint64_t)info.st_size < LARGEST_BYTES)
            capacity = (uint64_t)info.st_size < FIRST_BYTES ? (size_t)info.st_size + 2 : FIRST_BYTES;
    }
    if (gsim_gz_open(&gz, path, error) != GSIM_OK) return NULL;
    char *text = gsim_realloc(NULL, capacity);
    enum gsim_status status = text ? read_all(&gz, &text, length, capacity, error) : gsim_no_memory(error);
    gsim_gz_close(&gz);
    if (status != GSIM_OK) {
        gsim_free(text);
        return NULL;
    }
    text[*length] = '\0';
    return text;
}
