/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/gz.h. zlib passes plain text through. */
#include "sim/base/gz.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "gpusim/memory.h"

#define PIECE_BYTES (4u << 20)
#define FIRST_BYTES (64u << 20) /* a file may say that it is larger than what is worth reading of it */

int gsim_input_open(const char *path, struct gsim_error *error)
{
    struct stat info;
    bool is_given = strcmp(path, "-") == 0;
    /* A pipe that nobody writes to is opened at once so. */
    int file = is_given ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0 || fstat(file, &info) != 0)
        (void)gsim_error_set(error, errno == ENOMEM ? GSIM_NOMEM : GSIM_INPUT, "%s",
                             errno == ENOMEM ? "out of memory" : strerror(errno));
    else if (is_given || S_ISREG(info.st_mode)) return file;
    else
        (void)gsim_error_set(error, GSIM_INPUT, S_ISDIR(info.st_mode) ? "expected a file, found a directory"
                                                                      : "expected a regular file");
    if (file >= 0) close(file);
    return -1;
}

FILE *gsim_input_stream(const char *path, struct gsim_error *error)
{
    int file = gsim_input_open(path, error);
    FILE *stream = file < 0 ? NULL : fdopen(file, "rb");
    if (file < 0 || stream) return stream;
    close(file);
    (void)gsim_no_memory(error);
    return NULL;
}

enum gsim_status gsim_gz_open(struct gsim_gz *gz, const char *path, struct gsim_error *error)
{
    *gz = (struct gsim_gz){0};
    int file = gsim_input_open(path, error);
    if (file < 0) return error->status;
    gz->file = gzdopen(file, "rb"); /* gzclose() closes it */
    if (gz->file) return GSIM_OK;
    close(file);
    return gsim_no_memory(error);
}

static enum gsim_status check_size(const struct gsim_gz *gz, struct gsim_error *error)
{
    if (gz->bytes <= GSIM_GZ_FREE_BYTES || gzdirect(gz->file)) return GSIM_OK;
    double packed = gsim_gz_offset(gz);
    double most = (double)(packed > 0 ? GSIM_GZ_MAX_BYTES : GSIM_GZ_MAX_BYTES / 4);
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
    if (gz->blanks <= GSIM_GZ_MAX_BLANKS) return GSIM_OK;
    return gsim_error_set(error, GSIM_INPUT, "holds more than %llu MB of nothing but blanks in a row",
                          GSIM_GZ_MAX_BLANKS >> 20);
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

/* Appends all of GZ to *TEXT, which grows. */
static enum gsim_status read_all(struct gsim_gz *gz, char **text, size_t *length, size_t capacity, uint64_t most,
                                 struct gsim_error *error)
{
    size_t got = 1;
    enum gsim_status status = GSIM_OK;
    while (!status && got) {
        if (*length + 1 >= capacity) {
            char *grown = gsim_realloc(*text, capacity *= 2);
            if (!grown) return gsim_no_memory(error);
            *text = grown;
        }
        size_t room = capacity - *length - 1;
        status = gsim_gz_read(gz, *text + *length, room < PIECE_BYTES ? room : PIECE_BYTES, &got, error);
        *length += got;
        if (*length > most)
            status = gsim_error_set(error, GSIM_INPUT, "larger than %llu MiB", (unsigned long long)most >> 20);
    }
    return status;
}

char *gsim_file_read_most(const char *path, uint64_t most, size_t *length, struct gsim_error *error)
{
    struct stat info;
    struct gsim_gz gz;
    size_t capacity = 64 * 1024;
    *length = 0;
    /* As large as the file at first: plain text is in memory once. */
    if (strcmp(path, "-") != 0 && stat(path, &info) == 0 && info.st_size > 0)
        capacity = (uint64_t)info.st_size < FIRST_BYTES ? (size_t)info.st_size + 2 : FIRST_BYTES;
    if (gsim_gz_open(&gz, path, error)) return NULL;
    char *text = gsim_realloc(NULL, capacity);
    enum gsim_status status = text ? read_all(&gz, &text, length, capacity, most, error) : gsim_no_memory(error);
    gsim_gz_close(&gz);
    if (!status) text[*length] = '\0';
    else gsim_free(text);
    return status ? NULL : text;
}

char *gsim_file_read(const char *path, size_t *length, struct gsim_error *error)
{
    return gsim_file_read_most(path, 16ull << 30, length, error);
}

size_t gsim_gz_head(const char *path, char *head, size_t size)
{
    int code = Z_OK;
    struct gsim_gz gz = {0};
    struct gsim_error error = {0};
    if (strcmp(path, "-") != 0) (void)!gsim_gz_open(&gz, path, &error); /* what is given can be read once */
    int length = gz.file ? gzread(gz.file, head, (unsigned)(size - 1)) : 0;
    if (length < 0) gzerror(gz.file, &code);
    gsim_gz_close(&gz);
    errno = code == Z_MEM_ERROR || error.status == GSIM_NOMEM ? ENOMEM : 0;
    head[length > 0 ? length : 0] = '\0';
    return length > 0 ? (size_t)length : 0;
}

bool gsim_gz_has(const char *path, const char *text)
{
    char head[8192];
    return gsim_gz_head(path, head, sizeof head) && strstr(head, text);
}
