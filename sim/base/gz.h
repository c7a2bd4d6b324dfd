/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Reading files that may be gzip (told by content), and the one place that bounds what they expand to:
 * a file of two megabytes can hold two gigabytes. What the bytes mean is the caller's business.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "gpusim/status.h"

#define GSIM_GZ_FREE_BYTES (32ull << 20) /* to which anything may expand */
#define GSIM_GZ_TIMES      200 /* beyond: how many times its size. Deflate's own limit is 1032, at its quickest 230 */
#define GSIM_GZ_MOST_BYTES                                                                                             \
    (2ull << 30) /* to which gzip may expand at all; from a pipe, whose size is not known, a quarter */

#define GSIM_GZ_MOST_BLANKS (64ull << 20) /* in a row, of plain text as well */

struct gsim_gz {
    void *file;     /* gzFile */
    uint64_t bytes; /* read so far */
    uint64_t blanks; /* of these the last ones: white space and zeros */
};

/* "-" is standard input. GSIM_INPUT or GSIM_NOMEM, without the path: callers prefix it. */
enum gsim_status gsim_gz_open(struct gsim_gz *gz, const char *path, struct gsim_error *error) GSIM_NODISCARD;
/* Up to SIZE bytes (below 2^31) into TO; *GOT is 0 at the end. Fails for what is damaged, cut or expands too far, and
 * for more blanks in a row than any text has. */
enum gsim_status gsim_gz_read(struct gsim_gz *gz, void *to, size_t size, size_t *got,
                              struct gsim_error *error) GSIM_NODISCARD;
/* Bytes of the file as it lies on the disk that have been read. */
double gsim_gz_offset(const struct gsim_gz *gz);
void gsim_gz_close(struct gsim_gz *gz); /* accepts a zeroed one */

/* The first bytes of the file at PATH, for telling what it is: at most SIZE - 1, and a NUL. The length; 0 where nothing
 * can be read, and for "-". */
size_t gsim_gz_head(const char *path, char *head, size_t size);
