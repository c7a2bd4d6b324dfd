/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/gz.h. zlib passes plain text through. */
#include "sim/base/gz.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum gsim_status gsim_gz_open(struct gsim_gz *gz, const char *path, struct gsim_error *error)
{
    *gz = (struct gsim_gz){0};
    errno = 0;
    if (strcmp(path, "-") != 0) {
        gz->file = gzopen(path, "rb");
    } else {
        int copy = dup(STDIN_FILENO); /* gzclose() closes it */
        gz->file = copy < 0 ? NULL : gzdopen(copy, "rb");
        if (!gz->file && copy >= 0) close(copy);
    }
    if (gz->file) return GSIM_OK;
    bool no_memory = !errno || errno == ENOMEM;
    return gsim_error_set(error, no_memory ? GSIM_NOMEM : GSIM_INPUT, "%s",
                          no_memory ? "out of memory" : strerror(errno));
}

static enum gsim_status check_size(const struct gsim_gz *gz, struct gsim_error *error)
{
    if (gz->bytes <= GSIM_GZ_FREE_BYTES || gzdirect(gz->file)) return GSIM_OK;
    double packed = gsim_gz_offset(gz);
    double most = (double)(packed > 0 ? GSIM_GZ_MOST_BYTES : GSIM_GZ_MOST_BYTES / 4);
    if (packed > 0 && (double)gz->bytes > packed * GSIM_GZ_TIMES)
        return gsim_error_set(error, GSIM_INPUT,
                              "expands to over %.0f MB, %.0f times its size: expected at most %d times (plain text may "
                              "have any size: gunzip it first if it is what you want)",
                              (double)gz->bytes / 1e6, (double)gz->bytes / packed, GSIM_GZ_TIMES);
    if ((double)gz->bytes <= most) return GSIM_OK;
    return gsim_error_set(error, GSIM_INPUT,
                          "expands to over %.0f MB: expected less of gzip%s (plain text may have any size: gunzip it "
                          "first if it is what you want)",
                          most / 1e6, packed > 0 ? "" : " from a pipe");
}

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r' || !letter;
}

static enum gsim_status check_blanks(struct gsim_gz *gz, const char *piece, size_t count, struct gsim_error *error)
{
    size_t last = count;
    while (last && is_blank(piece[last - 1])) last--;
    gz->blanks = last ? count - last : gz->blanks + count;
    if (gz->blanks <= GSIM_GZ_MOST_BLANKS) return GSIM_OK;
    return gsim_error_set(error, GSIM_INPUT, "holds more than %llu MB of nothing but blanks in a row",
                          GSIM_GZ_MOST_BLANKS >> 20);
}

enum gsim_status gsim_gz_read(struct gsim_gz *gz, void *to, size_t size, size_t *got, struct gsim_error *error)
{
    *got = 0;
    errno = 0;
    int count = gzread(gz->file, to, (unsigned)size), code = Z_OK;
    int reason = errno;
    const char *message = count < 0 ? gzerror(gz->file, &code) : "";
    if (count == 0 && !gzdirect(gz->file)) (void)gzerror(gz->file, &code); /* it gives what there was, then 0 */
    if (code == Z_ERRNO) return gsim_error_set(error, GSIM_INPUT, "%s", strerror(reason));
    if (code == Z_MEM_ERROR) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (code == Z_BUF_ERROR) return gsim_error_set(error, GSIM_INPUT, "damaged gzip data: unexpected end of file");
    if (count < 0) return gsim_error_set(error, GSIM_INPUT, "damaged gzip data: %s", message);
    *got = (size_t)count;
    gz->bytes += (size_t)count;
    enum gsim_status status = check_blanks(gz, to, (size_t)count, error);
    return status == GSIM_OK ? check_size(gz, error) : status;
}

double gsim_gz_offset(const struct gsim_gz *gz) { return (double)gzoffset(gz->file); }

void gsim_gz_close(struct gsim_gz *gz)
{
    if (gz->file) gzclose_r(gz->file);
    gz->file = NULL;
}

size_t gsim_gz_head(const char *path, char *head, size_t size)
{
    int code = Z_OK;
    struct stat info; /* a pipe can be read once: nothing is taken from it */
    bool is_once = strcmp(path, "-") == 0 || (stat(path, &info) == 0 && S_ISFIFO(info.st_mode));
    errno = 0;
    gzFile file = is_once ? NULL : gzopen(path, "rb");
    int length = file ? gzread(file, head, (unsigned)(size - 1)) : 0, reason = errno;
    if (length < 0) gzerror(file, &code);
    if (file) gzclose_r(file);
    errno = code == Z_MEM_ERROR || reason == ENOMEM ? ENOMEM : 0;
    head[length > 0 ? length : 0] = '\0';
    return length > 0 ? (size_t)length : 0;
}

bool gsim_gz_has(const char *path, const char *text)
{
    char head[8192];
    return gsim_gz_head(path, head, sizeof head) && strstr(head, text);
}
