/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. See sim/base/output.h.
 */
#include "sim/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "gpusim/memory.h"
#include "sim/base/text.h"

#define MAX_LINKS 8

static char *join(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 1;
    char *text = gsim_alloc(size);
    if (text) snprintf(text, size, "%s%s", a, b);
    return text;
}

enum gsim_status gsim_output_open(struct gsim_output *output, const char *path, struct gsim_error *error)
{
    memset(output, 0, sizeof(*output));
    output->buffer = gsim_alloc(GSIM_OUTPUT_BUFFER);
    output->is_stdout = strcmp(path, "-") == 0;
    if (output->is_stdout) output->file = stdout;
    output->path = join(output->is_stdout ? "standard output" : path, "");
    if (!output->buffer || !output->path) {
        gsim_output_release(output);
        return gsim_error_set(error, GSIM_NOMEM, "cannot write '%s': out of memory", path);
    }
    if (output->is_stdout) return GSIM_OK;
    fflush(stdout); /* which PATH may be */
    enum gsim_status status = gsim_part_open(&output->part, path, error);
    if (status == GSIM_OK) {
        int own = fcntl(output->part.descriptor, F_DUPFD_CLOEXEC, 3);
        if (gsim_text_ends_with(path, ".gz")) output->gz = gzdopen(own, "wb6");
        else output->file = fdopen(own, "wb");
        if (!output->gz && !output->file) {
            if (own >= 0) close(own);
            status = gsim_error_set(error, GSIM_NOMEM, "cannot write '%s': out of memory", path);
        }
    }
    if (status != GSIM_OK) gsim_output_release(output);
    return status;
}

enum gsim_status gsim_output_open_memory(struct gsim_output *output, char **text, size_t *length,
                                         struct gsim_error *error)
{
    memset(output, 0, sizeof(*output));
    output->is_memory = true;
    output->buffer = gsim_alloc(GSIM_OUTPUT_BUFFER);
    output->path = join("memory", "");
    output->file = output->buffer && output->path ? open_memstream(text, length) : NULL;
    if (output->file) return GSIM_OK;
    gsim_output_release(output);
    return gsim_no_memory(error);
}

/* The folder in which the neighbour is made that becomes PATH. */
static enum gsim_status check_folder(const char *path, struct gsim_error *error)
{
    struct stat info;
    char *folder = join(path, "");
    if (!folder) return gsim_error_set(error, GSIM_NOMEM, "cannot write '%s': out of memory", path);
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder ? 1 : 0] = '\0';
    enum gsim_status status = GSIM_OK;
    if (slash && stat(folder, &info) == 0 && !S_ISDIR(info.st_mode))
        status = gsim_error_set(error, GSIM_USAGE, "cannot write '%s': '%s' is no folder", path, folder);
    else if (access(slash ? folder : ".", W_OK | X_OK) != 0)
        status = gsim_error_set(error, GSIM_USAGE, "cannot write '%s': folder '%s': %s", path, slash ? folder : ".",
                                strerror(errno));
    gsim_free(folder);
    return status;
}

enum gsim_status gsim_output_check(const char *path, struct gsim_error *error)
{
    if (strcmp(path, "-") == 0) return GSIM_OK;
    if (!path[0]) return gsim_error_set(error, GSIM_USAGE, "cannot write '': expected a file name or -");
    struct stat info;
    if (stat(path, &info) != 0) return check_folder(path, error);
    if (S_ISDIR(info.st_mode)) return gsim_error_set(error, GSIM_USAGE, "cannot write '%s': is a folder", path);
    if (access(path, W_OK) != 0)
        return gsim_error_set(error, GSIM_USAGE, "cannot write '%s': %s", path, strerror(errno));
    bool is_link = lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
    return S_ISREG(info.st_mode) && !is_link ? check_folder(path, error) : GSIM_OK;
}

/* What lies behind PATH, or, where nothing does yet, behind the folder that it would be in; *NAME is then its last
 * part. */
static bool find(const char *path, struct stat *info, const char **name, char aim[PATH_MAX])
{
    *name = NULL;
    for (int links = 0; stat(path, info) != 0 && links < MAX_LINKS;
         links++) { /* a link to nowhere is what it leads to */
        char text[PATH_MAX];
        ssize_t length = readlink(path, text, sizeof text - 1);
        if (length <= 0) break;
        text[length] = '\0';
        const char *slash = text[0] == '/' ? NULL : strrchr(path, '/');
        char *whole = join("", path);
        if (!whole) return false;
        int used = snprintf(aim, PATH_MAX, "%.*s%s", slash ? (int)(slash - path + 1) : 0, whole, text);
        gsim_free(whole);
        if (used < 0 || used >= PATH_MAX) return false;
        path = aim;
    }
    if (stat(path, info) == 0) return S_ISREG(info->st_mode);
    const char *slash = strrchr(path, '/');
    char *folder = slash ? join(path, "") : NULL;
    if (slash && !folder) return false;
    if (folder) folder[slash == path ? 1 : slash - path] = '\0';
    *name = slash ? slash + 1 : path;
    bool found = stat(folder ? folder : ".", info) == 0;
    gsim_free(folder);
    return found;
}

bool gsim_output_is_same(const char *path, const char *other)
{
    struct stat one, two;
    const char *first, *second;
    char aims[2][PATH_MAX];
    if (strcmp(path, "-") == 0 || strcmp(other, "-") == 0) return strcmp(path, other) == 0;
    if (!find(path, &one, &first, aims[0]) || !find(other, &two, &second, aims[1])) return false;
    return one.st_dev == two.st_dev && one.st_ino == two.st_ino && !first == !second &&
           (!first || strcmp(first, second) == 0);
}

static void fail(struct gsim_output *output)
{
    if (!output->failed) output->reason = errno;
    output->failed = true;
}

static void flush(struct gsim_output *output)
{
    size_t used = output->used;
    output->used = 0;
    if (!used || output->failed) return;
    errno = 0;
    if (output->gz ? gzwrite(output->gz, output->buffer, (unsigned)used) != (int)used
                   : fwrite(output->buffer, 1, used, output->file) != used)
        fail(output);
}

enum gsim_status gsim_output_commit(struct gsim_output *output, struct gsim_error *error)
{
    flush(output);
    errno = 0;
    if (output->gz) {
        if (gzclose(output->gz) != Z_OK) fail(output);
        output->gz = NULL;
    } else if (output->is_stdout) {
        if (fflush(stdout) != 0) fail(output);
    } else if (output->file) {
        if (fclose(output->file) != 0) fail(output);
    }
    output->file = NULL;
    if (!output->failed && !output->is_stdout && !output->is_memory && !gsim_part_commit(&output->part)) fail(output);
    enum gsim_status status = GSIM_OK;
    if (output->failed)
        status = gsim_error_set(error, GSIM_IO, "cannot write '%s': %s", output->path,
                                output->reason ? strerror(output->reason) : "write failed");
    gsim_output_release(output);
    return status;
}

enum gsim_status gsim_output_write(const char *path, gsim_output_form *form, const void *what, struct gsim_error *error)
{
    struct gsim_output output;
    enum gsim_status status = gsim_output_open(&output, path, error);
    if (status != GSIM_OK) return status;
    form(what, &output);
    return gsim_output_commit(&output, error);
}

void gsim_output_release(struct gsim_output *output)
{
    if (output->gz) (void)gzclose(output->gz);
    if (output->file && !output->is_stdout) (void)fclose(output->file);
    gsim_part_release(&output->part);
    gsim_free(output->path);
    gsim_free(output->buffer);
    memset(output, 0, sizeof(*output));
}

void gsim_output_bytes(struct gsim_output *output, const char *text, size_t length)
{
    if (length < GSIM_OUTPUT_BUFFER - output->used) { /* nearly always */
        memcpy(output->buffer + output->used, text, length);
        output->used += length;
        return;
    }
    while (length) {
        size_t room = GSIM_OUTPUT_BUFFER - output->used, part = length < room ? length : room;
        memcpy(output->buffer + output->used, text, part);
        output->used += part;
        text += part;
        length -= part;
        if (output->used == GSIM_OUTPUT_BUFFER) flush(output);
    }
}

void gsim_output_printf(struct gsim_output *output, const char *format, ...)
{
    char local[1024];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(local, sizeof(local), format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < sizeof(local)) {
        gsim_output_bytes(output, local, (size_t)length);
    } else if (length >= 0) {
        char *text = gsim_alloc((size_t)length + 1);
        if (text) {
            vsnprintf(text, (size_t)length + 1, format, again);
            gsim_output_bytes(output, text, (size_t)length);
        } else {
            output->failed = true;
        }
        gsim_free(text);
    }
    va_end(again);
}

void gsim_output_repeat(struct gsim_output *output, const char *text, unsigned count)
{
    for (unsigned i = 0; i < count; i++) gsim_output_text(output, text);
}

static const char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
    "49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
    "9899";

static char *put_pair(char *at, uint32_t value)
{
    memcpy(at, &pairs[2 * value], 2);
    return at + 2;
}

static char *put_four(char *at, uint32_t value) { return put_pair(put_pair(at, value / 100), value % 100); }

/* VALUE's digits, four at a time: few divisions. All return what lies behind. */
static char *put_short(char *at, uint32_t value)
{
    if (value >= 10000) return put_four(put_short(at, value / 10000), value % 10000);
    if (value >= 1000) return put_four(at, value);
    if (value >= 100) {
        *at++ = (char)('0' + value / 100);
        return put_pair(at, value % 100);
    }
    if (value >= 10) return put_pair(at, value);
    *at++ = (char)('0' + value);
    return at;
}

static char *put_unsigned(char *at, uint64_t value)
{
    if (value <= UINT32_MAX) return put_short(at, (uint32_t)value);
    uint32_t last = (uint32_t)(value % 100000000);
    return put_four(put_four(put_unsigned(at, value / 100000000), last / 10000), last % 10000);
}

/* Where to put a number, of 40 bytes at most. */
static char *room_for_number(struct gsim_output *output)
{
    if (GSIM_OUTPUT_BUFFER - output->used < 40) flush(output);
    return output->buffer + output->used;
}

void gsim_output_unsigned(struct gsim_output *output, uint64_t value)
{
    output->used = (size_t)(put_unsigned(room_for_number(output), value) - output->buffer);
}

void gsim_output_time_us(struct gsim_output *output, gsim_time time)
{
    uint64_t size = time < 0 ? (uint64_t)-time : (uint64_t)time;
    uint32_t rest = (uint32_t)(size % GSIM_PS_PER_US);
    char *at = room_for_number(output);
    if (time < 0) *at++ = '-';
    at = put_unsigned(at, size / GSIM_PS_PER_US);
    *at++ = '.';
    output->used = (size_t)(put_four(put_pair(at, rest / 10000), rest % 10000) - output->buffer);
}

void gsim_output_real(struct gsim_output *output, double value)
{
    if (isfinite(value)) gsim_output_printf(output, "%.6f", value);
    else gsim_output_text(output, "null");
}

void gsim_output_json_real(struct gsim_output *output, const char *name, double value)
{
    gsim_output_printf(output, ", \"%s\": ", name);
    gsim_output_real(output, value);
}

/* By the printf() conversion at FORMAT, behind its "%"; returns where it ends. */
static const char *put_double(struct gsim_output *output, const char *format, double value)
{
    char text[400], one[8] = "%";
    size_t length = strspn(format, ".0123456789") + 1;
    GSIM_INVARIANT(length < sizeof one - 1 && strchr("fg", format[length - 1]));
    memcpy(one + 1, format, length);
    snprintf(text, sizeof text, one, value);
    gsim_output_text(output, text);
    return format + length - 1;
}

/* The format's text up to the next '%' or its end, which is returned: a character at a time, most are short. */
static const char *put_plain(struct gsim_output *output, const char *format)
{
    while (*format && *format != '%') {
        if (output->used == GSIM_OUTPUT_BUFFER) flush(output);
        char *at = output->buffer + output->used, *end = output->buffer + GSIM_OUTPUT_BUFFER;
        for (; *format && *format != '%' && at < end; format++) *at++ = *format == '\'' ? '"' : *format;
        output->used = (size_t)(at - output->buffer);
    }
    return format;
}

static void put_exact(struct gsim_output *output, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    gsim_output_text(output, text);
}

void gsim_output_put(struct gsim_output *output, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    for (; *format; format++) {
        format = put_plain(output, format);
        if (!*format) break;
        switch (*++format) {
        case '%': gsim_output_text(output, "%"); break;
        case 's': gsim_output_text(output, va_arg(list, const char *)); break;
        case 'q': gsim_output_json_string(output, va_arg(list, const char *)); break;
        case 'c': gsim_output_csv_string(output, va_arg(list, const char *)); break;
        case 'u': gsim_output_unsigned(output, va_arg(list, unsigned)); break;
        case 'd': gsim_output_printf(output, "%d", va_arg(list, int)); break;
        case 'z': gsim_output_unsigned(output, va_arg(list, uint64_t)); break;
        case 'b': gsim_output_text(output, va_arg(list, int) ? "true" : "false"); break;
        case 't': gsim_output_time_us(output, va_arg(list, gsim_time)); break;
        case 'r': gsim_output_real(output, va_arg(list, double)); break;
        case 'e': put_exact(output, va_arg(list, double)); break;
        default: format = put_double(output, format, va_arg(list, double));
        }
    }
    va_end(list);
}

void gsim_output_percent(struct gsim_output *output, int width, double ratio, bool is_signed)
{
    char text[32] = "-";
    if (fabs(ratio) < 0.5e-4) ratio = 0;
    if (!isnan(ratio)) snprintf(text, sizeof text, is_signed ? "%+.2f" : "%.2f", 100 * ratio);
    gsim_output_printf(output, "%*s", width, text);
}

/* The number of the character that LENGTH bytes of well-formed UTF-8 at TEXT stand for, up to U+FFFF. */
static unsigned code_of(const unsigned char *text, size_t length)
{
    if (length == 1) return text[0];
    return length == 2 ? (text[0] & 0x1fu) << 6 | (text[1] & 0x3fu)
                       : (text[0] & 0x0fu) << 12 | (text[1] & 0x3fu) << 6 | (text[2] & 0x3fu);
}

void gsim_output_json_string(struct gsim_output *output, const char *text)
{
    gsim_output_text(output, "\"");
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t plain = 0;
        while (at[plain] >= 0x20 && at[plain] < 0x7f && at[plain] != '"' && at[plain] != '\\') plain++;
        if (plain) {
            gsim_output_bytes(output, (const char *)at, plain);
            at += plain;
            continue;
        }
        size_t left = strnlen((const char *)at, 4), length = gsim_text_utf8((const char *)at, left), bytes;
        if (length == 0) {
            gsim_output_text(output, "\\ufffd");
            length = 1;
        } else if (*at == '"' || *at == '\\') {
            gsim_output_printf(output, "\\%c", *at);
        } else if (gsim_text_is_control((const char *)at, left, &bytes)) {
            gsim_output_printf(output, "\\u%04x", code_of(at, length));
        } else {
            gsim_output_bytes(output, (const char *)at, length);
        }
        at += length;
    }
    gsim_output_text(output, "\"");
}

/* Neither an end of line nor what an editor shows as one, no backslash, which would join the next line, as does
 * the trigraph of one, and no end of a comment of C. */
static void put_comment(struct gsim_output *output, const char *text)
{
    char before = 0;
    for (size_t length, step; *text; text += step) {
        size_t left = strnlen(text, 4);
        bool is_odd = gsim_text_is_control(text, left, &length) || !(step = gsim_text_utf8(text, left));
        if (is_odd) step = length ? length : 1;
        if (*text == '/' && before == '*') gsim_output_text(output, " ");
        if (is_odd || *text == '?') gsim_output_text(output, "_");
        else gsim_output_bytes(output, *text == '\\' ? "/" : text, step);
        before = *text;
    }
}

/* As git and patch read it: quoted where it has a character that is not plain. */
static void put_patch_name(struct gsim_output *output, const char *text)
{
    bool is_plain = true;
    for (const char *at = text; *at; at++) is_plain &= *at > ' ' && *at < 0x7f && *at != '"' && *at != '\\';
    if (is_plain) {
        gsim_output_text(output, text);
        return;
    }
    gsim_output_text(output, "\"");
    for (const char *at = text; *at; at++) {
        bool is_odd = *at < ' ' || *at >= 0x7f || *at == '"' || *at == '\\';
        gsim_output_printf(output, is_odd ? "\\%03o" : "%c", is_odd ? (unsigned char)*at : (unsigned)*at);
    }
    gsim_output_text(output, "\"");
}

void gsim_output_quoted(struct gsim_output *output, enum gsim_output_place place, const char *text)
{
    switch (place) {
    case GSIM_OUTPUT_STRING: gsim_output_json_string(output, text); break;
    case GSIM_OUTPUT_COMMENT: put_comment(output, text); break;
    case GSIM_OUTPUT_PATCH: put_patch_name(output, text); break;
    }
}

/* What a spreadsheet would compute: begins with = + - or @ (or a tab and such, which they skip), and is no number. */
static bool is_formula(const char *text)
{
    char *end;
    text += strspn(text, " \t\r\n");
    if (!*text || !strchr("=+-@", *text) || !text[1]) return false;
    (void)strtod(text, &end);
    return *end != '\0' || end == text;
}

void gsim_output_csv_string(struct gsim_output *output, const char *text)
{
    size_t length = strlen(text), bytes;
    bool is_quoted = text[strcspn(text, ",;\"\r\n")], is_plain = !gsim_text_has_control(text, length),
         is_safe = !is_formula(text);
    if (!is_quoted && is_plain && is_safe) {
        gsim_output_bytes(output, text, length);
        return;
    }
    if (is_quoted) gsim_output_text(output, "\"");
    if (!is_safe) gsim_output_text(output, "'");
    for (size_t at = 0; at < length; at += bytes) {
        bool is_odd = gsim_text_is_control(text + at, length - at, &bytes);
        if (text[at] == '"') gsim_output_text(output, "\"");
        if (is_odd && text[at] != '\r' && text[at] != '\n' && text[at] != '\t') gsim_output_text(output, "?");
        else gsim_output_bytes(output, text + at, bytes);
    }
    if (is_quoted) gsim_output_text(output, "\"");
}
