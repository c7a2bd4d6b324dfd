/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files by zlib, which passes plain text through. The buffer starts at the size of the file, so that a plain
 * file is held once.
 */
#include "sim/program/file.h"

#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "gpusim/memory.h"

#define LARGEST_BYTES (16ull << 30) /* a sanity bound against gzip bombs */
#define PIECE_BYTES   (64u * 1024u * 1024u)

static gzFile open_file(const char *path)
{
    if (strcmp(path, "-") != 0) return gzopen(path, "rb");
    int copy = dup(STDIN_FILENO); /* gzclose() closes it */
    gzFile file = copy < 0 ? NULL : gzdopen(copy, "rb");
    if (!file && copy >= 0) close(copy);
    return file;
}

static enum gsim_status read_error(gzFile file, struct gsim_error *error)
{
    int code = Z_OK;
    const char *text = gzerror(file, &code);
    if (code == Z_ERRNO) return gsim_error_set(error, GSIM_INPUT, "%s", strerror(errno));
    if (code == Z_MEM_ERROR) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    return gsim_error_set(error, GSIM_INPUT, "damaged gzip data: %s", text);
}

/* Appends all of FILE to *TEXT, which grows. */
static enum gsim_status read_all(gzFile file, char **text, size_t *length, size_t capacity, struct gsim_error *error)
{
    for (;;) {
        if (*length + 1 >= capacity) {
            if (capacity > LARGEST_BYTES)
                return gsim_error_set(error, GSIM_INPUT, "expected at most %llu bytes", LARGEST_BYTES);
            char *grown = gsim_realloc(*text, capacity * 2);
            if (!grown) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
            *text = grown;
            capacity *= 2;
        }
        size_t room = capacity - *length - 1;
        int got = gzread(file, *text + *length, (unsigned)(room < PIECE_BYTES ? room : PIECE_BYTES));
        if (got < 0) return read_error(file, error);
        if (got == 0) return GSIM_OK;
        *length += (size_t)got;
    }
}

char *gsim_file_read(const char *path, size_t *length, struct gsim_error *error)
{
    struct stat info;
    size_t capacity = 64 * 1024;
    *length = 0;
    if (strcmp(path, "-") != 0 && stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode)) {
            gsim_error_set(error, GSIM_INPUT, "expected a file, found a directory");
            return NULL;
        }
        if (S_ISREG(info.st_mode) && info.st_size > 0 && (uint64_t)info.st_size < LARGEST_BYTES)
            capacity = (size_t)info.st_size + 2;
    }
    errno = 0;
    gzFile file = open_file(path);
    if (!file) {
        gsim_error_set(error, errno ? GSIM_INPUT : GSIM_NOMEM, "%s", errno ? strerror(errno) : "out of memory");
        return NULL;
    }
    char *text = gsim_realloc(NULL, capacity);
    enum gsim_status status =
        text ? read_all(file, &text, length, capacity, error) : gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (gzclose(file) != Z_OK && status == GSIM_OK)
        status = gsim_error_set(error, GSIM_INPUT, "damaged gzip data: unexpected end of file");
    if (status != GSIM_OK) {
        gsim_free(text);
        return NULL;
    }
    text[*length] = '\0';
    return text;
}
