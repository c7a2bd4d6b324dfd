/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Opens what is read, regular files alone; reads them, plain or gzip (by content), and bounds their
 * expansion: two megabytes can hold two gigabytes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "gpusim/status.h"

#define GSIM_GZ_FREE_BYTES (32ull << 20) /* always allowed */
#define GSIM_GZ_TIMES      200 /* above: most times the file's size. Deflate's limit is 1032, 230 at its fastest */
#define GSIM_GZ_MAX_BYTES                                                                                              \
    (2ull << 30) /* most bytes of gzip; from a pipe, whose size is not known, a quarter */

#define GSIM_GZ_MAX_BLANKS (64ull << 20) /* in a row, also of plain text */

struct gsim_gz {
    void *file;     /* gzFile */
    uint64_t bytes; /* read so far */
    uint64_t blanks; /* blanks (white space, zeros) at their end */
};

/* Opens PATH for reading; "-" is standard input. What is no regular file is refused: a pipe were waited for, and can be
 * read once. Returns a descriptor; -1: ERROR is GSIM_INPUT or GSIM_NOMEM, without the path, which callers prefix. */
int gsim_input_open(const char *path, struct gsim_error *error);
/* The same as a stream of the bytes as they are; NULL: an error. */
FILE *gsim_input_stream(const char *path, struct gsim_error *error);

/* Opens PATH; "-" is standard input. Fails with GSIM_INPUT or GSIM_NOMEM, without the path, which callers prefix. */
enum gsim_status gsim_gz_open(struct gsim_gz *gz, const char *path, struct gsim_error *error) GSIM_NODISCARD;
/* Reads up to SIZE bytes (below 2^31) into TO; *GOT is 0 at the end. Fails if the file is damaged, cut, or beyond the
 * bounds of expansion or blanks. */
enum gsim_status gsim_gz_read(struct gsim_gz *gz, void *to, size_t size, size_t *got,
                              struct gsim_error *error) GSIM_NODISCARD;
/* Returns how many bytes of the file on disk have been read. */
double gsim_gz_offset(const struct gsim_gz *gz);
void gsim_gz_close(struct gsim_gz *gz); /* accepts a zeroed one */

/* Returns the whole text of PATH, NUL-terminated, for gsim_free(); NULL: an error, as above, or that it has over MOST
 * bytes. The second: 16 GiB. */
char *gsim_file_read_most(const char *path, uint64_t most, size_t *length, struct gsim_error *error);
char *gsim_file_read(const char *path, size_t *length, struct gsim_error *error);
/* The first bytes of the file at PATH, for telling what it is: at most SIZE - 1, and a NUL. The length; 0 where nothing
 * can be read, and for "-". */
size_t gsim_gz_head(const char *path, char *head, size_t size);
/* Whether TEXT stands in the first 8 KiB of the file at PATH, as a schema does. */
bool gsim_gz_has(const char *path, const char *text);
