/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of a recording: lines are collected, and each write is a gzip member of its own (traces/tracer/tracer.h). */
#include "traces/tracer/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define MEMBER_BYTES (256u << 10)

/* Another process of the program, or the same after an exec: the number of the process goes before the ending. */
static bool open_beside(struct gtr *t, const char *path)
{
    const char *end = path + strlen(path);
    for (int i = 0; i < 2; i++) {
        const char *endings[] = {".gz", ".json"};
        size_t length = strlen(endings[i]);
        if ((size_t)(end - path) > length && strncmp(end - length, endings[i], length) == 0) end -= length;
    }
    for (int again = 0; again < 100 && t->file < 0; again++) {
        char more[16] = "";
        if (again) snprintf(more, sizeof more, "-%d", again);
        snprintf(t->path, sizeof t->path, "%.*s.%u%s%s", (int)(end - path), path, t->process, more, end);
        t->file = open(t->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
        if (t->file < 0 && errno != EEXIST) break;
    }
    return t->file >= 0;
}

bool gtr_open(struct gtr *t, const char *path)
{
    snprintf(t->path, sizeof t->path, "%s", path);
    t->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (t->file < 0 && errno == EEXIST && open_beside(t, path)) return true;
    if (t->file < 0) fprintf(stderr, "gpusim trace: cannot write '%s': %s\n", t->path, strerror(errno));
    return t->file >= 0;
}

static void lose(struct gtr *t, const char *why)
{
    if (!t->is_lost) fprintf(stderr, "gpusim trace: cannot write '%s': %s: the recording ends here\n", t->path, why);
    t->is_lost = true;
}

static void write_member(struct gtr *t, const char *text, size_t length)
{
    z_stream z = {0};
    if (deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        lose(t, "out of memory");
        return;
    }
    size_t room = deflateBound(&z, (uLong)length), done = 0;
    unsigned char *out = malloc(room);
    z.next_in = (unsigned char *)(uintptr_t)text;
    z.avail_in = (uInt)length;
    z.next_out = out;
    z.avail_out = (uInt)room;
    int code = out ? deflate(&z, Z_FINISH) : Z_MEM_ERROR;
    if (code != Z_STREAM_END) lose(t, "out of memory");
    while (code == Z_STREAM_END && done < z.total_out && !t->is_lost) {
        ssize_t wrote = write(t->file, out + done, z.total_out - done);
        if (wrote > 0) done += (size_t)wrote;
        else if (wrote < 0 && errno != EINTR) lose(t, strerror(errno));
    }
    (void)deflateEnd(&z);
    free(out);
}

void gtr_flush(struct gtr *t)
{
    if (t->length && !t->is_lost && t->file >= 0) {
        if (!t->has_header) {
            char *lines = t->text;
            size_t length = t->length;
            t->text = NULL;
            t->length = t->room = 0;
            t->has_header = true;
            gtr_put_header(t);
            if (t->length) write_member(t, t->text, t->length);
            free(t->text);
            t->text = lines;
            t->length = t->room = length;
        }
        write_member(t, t->text, t->length);
    }
    t->length = 0;
}

static bool make_room(struct gtr *t, size_t more)
{
    if (t->length + more <= t->room) return true;
    size_t room = t->room ? 2 * t->room : 2 * MEMBER_BYTES;
    while (room < t->length + more) room *= 2;
    char *text = realloc(t->text, room);
    if (!text) {
        lose(t, "out of memory");
        return false;
    }
    t->text = text;
    t->room = room;
    return true;
}

void gtr_put(struct gtr *t, const char *format, ...)
{
    va_list arguments, again;
    if (t->is_lost) return;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(t->text ? t->text + t->length : NULL, t->text ? t->room - t->length : 0, format, arguments);
    if (length >= 0 && t->length + (size_t)length + 1 > t->room && make_room(t, (size_t)length + 1))
        length = vsnprintf(t->text + t->length, t->room - t->length, format, again);
    va_end(again);
    va_end(arguments);
    if (t->is_lost || length < 0) return;
    t->length += (size_t)length;
    if (t->length > MEMBER_BYTES && t->text[t->length - 1] == '\n') gtr_flush(t);
}

void gtr_put_text(struct gtr *t, const char *text)
{
    gtr_put(t, "\"");
    for (size_t plain; *text; text += plain) {
        plain = 0;
        while ((unsigned char)text[plain] >= 0x20 && text[plain] != '"' && text[plain] != '\\') plain++;
        if (plain) gtr_put(t, "%.*s", (int)plain, text);
        if (!text[plain]) break;
        if (plain == 0) {
            gtr_put(t, "\\u%04x", (unsigned char)*text);
            plain = 1;
        }
    }
    gtr_put(t, "\"");
}
