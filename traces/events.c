/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Splits a trace into its events without looking into them: only strings and brackets count. Each piece is then
 * checked as JSON by sim/base/scan.c.
 */
#include "traces/events.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "gpusim/memory.h"
#include "sim/base/gz.h"
#include "sim/base/scan.h"

/* --- mend --- */

static bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

static bool is_escape(const char *at, const char *end)
{
    if (at + 1 >= end || !strchr("\"\\/bfnrtu", at[1]) || !at[1]) return false;
    if (at[1] != 'u') return true;
    for (int i = 2; i < 6; i++)
        if (at + i >= end || !is_hex(at[i])) return false;
    return true;
}

/* Bytes of the UTF-8 sequence at AT; 0: none. */
static int sequence(const unsigned char *at, const unsigned char *end)
{
    int length = *at < 0x80                  ? 1
                 : *at >= 0xc2 && *at < 0xe0 ? 2
                 : *at >= 0xe0 && *at < 0xf0 ? 3
                 : *at >= 0xf0 && *at < 0xf5 ? 4
                                             : 0;
    if (at + length > end) return 0;
    for (int i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    if (length == 3 && ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] >= 0xa0))) return 0;
    if (length == 4 && ((*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] >= 0x90))) return 0;
    return length;
}

static size_t mend_word(char *at, const char *end)
{
    static const char *const words[] = {"-Infinity", "Infinity", "-NaN", "NaN", "-nan", "nan", "-inf", "inf"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(end - at) < length || memcmp(at, words[i], length) != 0) continue;
        memset(at, ' ', length);
        memcpy(at, "[]", 2);
        return length;
    }
    return 1;
}

/* In place, with the length kept: in strings control characters become spaces, backslashes that escape nothing slashes,
 * bytes that are not UTF-8 question marks; outside them NaN and Infinity become empty lists, which are no numbers. */
static void gsim_mend(char *text, size_t length)
{
    bool in_string = false;
    char *end = text + length;
    for (char *at = text; at < end;) {
        if (!in_string) {
            in_string = *at == '"';
            at += in_string ? 1 : mend_word(at, end);
            continue;
        }
        int bytes = sequence((const unsigned char *)at, (const unsigned char *)end);
        if (bytes == 0) {
            *at = '?';
            bytes = 1;
        } else if ((unsigned char)*at < 0x20) {
            *at = ' ';
        } else if (*at == '\\') {
            if (is_escape(at, end)) bytes = 2;
            else *at = '/';
        } else if (*at == '"') {
            in_string = false;
        }
        at += bytes;
    }
}

static size_t past_space(const char *text, size_t at, size_t length)
{
    while (at < length && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r')) at++;
    return at;
}

/* Where the next element of a list of objects may begin: behind "}", ",", before "{" and a quote. LENGTH: nowhere. */
static size_t gsim_mend_next(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '}') continue;
        size_t at = past_space(text, i + 1, length);
        if (at >= length || text[at] != ',') continue;
        at = past_space(text, at + 1, length);
        if (at >= length || text[at] != '{') continue;
        size_t quote = past_space(text, at + 1, length);
        if (quote < length && text[quote] == '"') return at;
    }
    return length;
}

/* --- events --- */

#define CHUNK_BYTES (256u * 1024u)
#define GSIM_EVENT_SUSPECT ((size_t)256 * 1024) /* an event this long may be several, the end of one missed */

struct splitter {
    const struct gsim_events_handler *handler;
    struct gsim_error *error;
    struct gsim_gz gz;
    struct position {
        size_t line, column; /* from 0; columns in bytes */
    } seen, value;           /* of what was counted; where the value being collected begins */
    size_t counted;          /* in the chunk */
    char *chunk, *text; /* what was read; the value being collected, with a NUL behind it */
    size_t at, length;  /* in the chunk */
    size_t text_length, text_room;
    bool is_resumed;   /* what was damaged ended at the next element */
    bool is_cut;       /* the file ends within an element */
    double file_bytes; /* as it lies on the disk; 0: not known */
    enum gsim_status status;
    char place[48];
};

static void count_lines(struct position *at, const char *text, size_t length)
{
    const char *end = text + length;
    for (const char *line; (line = memchr(text, '\n', (size_t)(end - text))); text = line + 1) {
        at->line++;
        at->column = 0;
    }
    at->column += (size_t)(end - text);
}

/* Where the next byte stands. */
static struct position here(struct splitter *s)
{
    if (s->at > s->counted) count_lines(&s->seen, s->chunk + s->counted, s->at - s->counted);
    s->counted = s->at;
    return s->seen;
}

/* Adds to the message where in the file the value begins. */
static void add_place(struct splitter *s, struct position place)
{
    size_t length = s->error ? strlen(s->error->message) : 0;
    if (s->error)
        snprintf(s->error->message + length, sizeof s->error->message - length, " (line %zu, column %zu)",
                 place.line + 1, place.column + 1);
}

static enum gsim_status fail(struct splitter *s, const char *expected, int found)
{
    if (s->status != GSIM_OK) return s->status;
    char what[24];
    if (found < 0) snprintf(what, sizeof what, "the end of the file");
    else snprintf(what, sizeof what, found > 0x20 && found < 0x7f ? "'%c'" : "the byte 0x%02x", found);
    s->status = gsim_error_set(s->error, GSIM_INPUT, "%s: expected %s, found %s", s->place, expected, what);
    add_place(s, here(s));
    return s->status;
}

/* The next byte stays there; -1 at the end or after a failure. */
static int peek(struct splitter *s)
{
    if (s->at < s->length) return (unsigned char)s->chunk[s->at];
    if (s->status != GSIM_OK) return -1;
    (void)here(s);
    s->at = s->counted = 0;
    s->status = gsim_gz_read(&s->gz, s->chunk, CHUNK_BYTES, &s->length, s->error);
    if (s->status != GSIM_OK) {
        s->length = 0;
        if (s->status == GSIM_INPUT) (void)gsim_error_prefix(s->error, "%s", s->place);
    }
    if (s->handler->progress && s->file_bytes > 0)
        s->handler->progress(s->handler->context, gsim_gz_offset(&s->gz) / s->file_bytes);
    return s->length ? (unsigned char)s->chunk[0] : -1;
}

static int peek_past_space(struct splitter *s)
{
    int c = peek(s);
    while (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        s->at++;
        c = peek(s);
    }
    return c;
}

static bool expect(struct splitter *s, int wanted, const char *expected)
{
    int c = peek_past_space(s);
    if (c != wanted) {
        (void)fail(s, expected, c);
        return false;
    }
    s->at++;
    return true;
}

static bool keep(struct splitter *s, const char *from, size_t length)
{
    if (s->text_length + length + 1 > s->text_room) {
        size_t room = s->text_room ? s->text_room : 4096;
        while (room < s->text_length + length + 1) room *= 2;
        char *text = room <= 2 * (size_t)GSIM_EVENT_BYTES ? gsim_realloc(s->text, room) : NULL;
        if (!text) {
            s->status =
                room > 2 * (size_t)GSIM_EVENT_BYTES
                    ? gsim_error_set(s->error, GSIM_INPUT, "%s: expected at most %u bytes", s->place, GSIM_EVENT_BYTES)
                    : gsim_no_memory(s->error);
            return false;
        }
        s->text = text;
        s->text_room = room;
    }
    memcpy(s->text + s->text_length, from, length);
    s->text_length += length;
    s->text[s->text_length] = '\0';
    return true;
}

/* Whether a bare value (a number or a word) ends before C. */
static bool is_behind(char c)
{
    return c == ',' || c == ']' || c == '}' || c == ':' || c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Collects one value, by brackets and strings only; not checked. With MOST, what grows beyond that counts as no end. */
static bool collect_text(struct splitter *s, size_t most)
{
    unsigned depth = 0;
    bool in_string = false, is_escaped = false, is_done = false;
    s->text_length = 0;
    int first = peek_past_space(s);
    s->value = here(s);
    bool is_bare = first != '{' && first != '[' && first != '"';
    while (!is_done) {
        if (peek(s) < 0) {
            s->is_cut = s->status == GSIM_OK && s->text_length;
            (void)fail(s, "the end of the value", -1);
            return false;
        }
        size_t from = s->at;
        for (; s->at < s->length && !is_done; s->at++) {
            char c = s->chunk[s->at];
            if (in_string) {
                if (!is_escaped && c == '"') in_string = false;
                is_escaped = !is_escaped && c == '\\';
                is_done = !in_string && depth == 0;
            } else if (is_bare && is_behind(c)) {
                is_done = true;
                break;
            } else if (c == '"') {
                in_string = true;
            } else if (c == '{' || c == '[') {
                depth++;
            } else if (c == '}' || c == ']') {
                is_done = depth > 0 && --depth == 0;
            }
        }
        if (!keep(s, s->chunk + from, s->at - from)) return false;
        if (!is_done && most && s->text_length > most) return false;
    }
    return true;
}

/* What is not JSON is mended where the handler allows it. */
static bool is_json(struct splitter *s, struct gsim_error *error)
{
    if (gsim_scan_check(s->text, s->text_length, error) == GSIM_OK) return true;
    if (!s->handler->damaged) return false;
    struct gsim_error ignored = {0};
    gsim_mend(s->text, s->text_length);
    if (gsim_scan_check(s->text, s->text_length, &ignored) != GSIM_OK) return false;
    s->handler->damaged(s->handler->context);
    return true;
}

/* What gsim_scan_check() says counts lines and columns from the value. */
static void tell_file_place(struct splitter *s)
{
    size_t line, column;
    int rest = 0;
    char text[sizeof s->error->message];
    if (!s->error || sscanf(s->error->message, "line %zu, column %zu: %n", &line, &column, &rest) != 2 || !rest) return;
    if (line == 1) column += s->value.column;
    snprintf(text, sizeof text, "%s", s->error->message + rest);
    (void)gsim_error_set(s->error, GSIM_INPUT, "line %zu, column %zu: %.500s", s->value.line + line, column, text);
}

static bool collect(struct splitter *s)
{
    if (!collect_text(s, 0)) return false;
    if (is_json(s, s->error)) return true;
    tell_file_place(s);
    s->status = gsim_error_prefix(s->error, "%s", s->place);
    return false;
}

/* Puts what was collected from FROM on back in front of what is to be read. */
static bool unread(struct splitter *s, size_t from)
{
    size_t back = s->text_length - from, rest = s->length - s->at,
           room = back + rest > CHUNK_BYTES ? back + rest : CHUNK_BYTES;
    char *chunk = gsim_alloc(room);
    if (!chunk) {
        s->status = gsim_no_memory(s->error);
        return false;
    }
    s->seen = s->value;
    count_lines(&s->seen, s->text, from);
    memcpy(chunk, s->text + from, back);
    memcpy(chunk + back, s->chunk + s->at, rest);
    gsim_free(s->chunk);
    s->chunk = chunk;
    s->at = s->counted = 0;
    s->length = back + rest;
    return true;
}

enum piece { PIECE_FAILED, PIECE_WHOLE, PIECE_SKIPPED };

/* An element that may be damaged: mended, or passed over up to where the next seems to begin. */
static enum piece collect_element(struct splitter *s)
{
    struct gsim_error ignored = {0};
    bool is_closed = true;
    s->is_resumed = false;
    for (size_t most = GSIM_EVENT_SUSPECT; !collect_text(s, most); most *= 4) { /* so long: an end that was missed? */
        is_closed = false;
        bool is_end = s->status != GSIM_OK || peek(s) < 0;
        size_t next = s->text_length ? gsim_mend_next(s->text, s->text_length) : 0;
        if (s->status == GSIM_NOMEM || (is_end && next >= s->text_length)) return PIECE_FAILED;
        if (next < s->text_length) break;
        if (!unread(s, 0)) return PIECE_FAILED;
        is_closed = true;
    }
    if (!s->text_length) { /* a bracket or comma that nothing opens */
        (void)fail(s, "an event", peek(s));
        return PIECE_FAILED;
    }
    if (is_closed && is_json(s, &ignored)) return PIECE_WHOLE;
    size_t next = gsim_mend_next(s->text, s->text_length);
    if (next < s->text_length) {
        s->status = GSIM_OK;
        if (!unread(s, next)) return PIECE_FAILED;
        s->is_resumed = true;
    } else if (!is_closed) {
        return PIECE_FAILED;
    }
    s->handler->damaged(s->handler->context);
    return PIECE_SKIPPED;
}

static enum gsim_status hand_over(struct splitter *s, const char *list, uint64_t index)
{
    const struct gsim_events_handler *h = s->handler;
    return h->lists ? h->element(h->context, list, index, s->text, s->error)
                    : h->event(h->context, index, s->text, s->error);
}

static void read_list(struct splitter *s, const char *name, bool may_end)
{
    uint64_t index = 0;
    bool wants_comma = false, is_lenient = s->handler->damaged && !s->handler->lists;
    s->at++; /* the bracket */
    snprintf(s->place, sizeof s->place, "%.20s[0]", name);
    for (int c = peek_past_space(s); c != ']'; c = peek_past_space(s)) {
        if (c < 0 && may_end && s->status == GSIM_OK) return; /* Chrome's array form may end anywhere */
        if (wants_comma && is_lenient && c == '{')
            s->handler->damaged(s->handler->context); /* a comma that was forgotten */
        else if (wants_comma && !expect(s, ',', "',' or ']'"))
            return;
        if (wants_comma && (may_end || is_lenient) && ((c = peek_past_space(s)) == ']' || (c < 0 && may_end))) continue;
        wants_comma = true;
        snprintf(s->place, sizeof s->place, "%.20s[%" PRIu64 "]", name, index++);
        enum piece piece = is_lenient ? collect_element(s) : collect(s) ? PIECE_WHOLE : PIECE_FAILED;
        if (piece == PIECE_FAILED && may_end && is_lenient && s->is_cut) { /* within an event, too */
            s->status = GSIM_OK;
            s->handler->damaged(s->handler->context);
            return;
        }
        if (piece == PIECE_FAILED) return;
        if (piece == PIECE_SKIPPED) {
            wants_comma = !s->is_resumed;
            continue;
        }
        s->status = hand_over(s, name, index - 1);
        if (s->status != GSIM_OK) {
            (void)gsim_error_prefix(s->error, "%s", s->place);
            add_place(s, s->value);
            return;
        }
    }
    s->at++;
    snprintf(s->place, sizeof s->place, "behind %.20s", name);
}

static bool is_list(const struct splitter *s, const char *name)
{
    static const char *const trace_events[] = {"traceEvents", NULL};
    const char *const *lists = s->handler->lists ? s->handler->lists : trace_events;
    while (*lists && strcmp(*lists, name) != 0) lists++;
    return *lists != NULL;
}

/* The member that comes next; *FOUND is set at the list of events. */
static void read_member(struct splitter *s, bool *found)
{
    char name[64] = "";
    if (peek_past_space(s) != '"') {
        (void)fail(s, "a name in quotes", peek(s));
        return;
    }
    if (!collect(s)) return;
    if (!gsim_scan_string(s->text, name, sizeof name)) name[0] = '\0';
    if (!expect(s, ':', "':'")) return;
    if (is_list(s, name) && peek_past_space(s) == '[') {
        *found = true;
        read_list(s, name, false);
        return;
    }
    if (!collect(s)) return;
    s->status = s->handler->header(s->handler->context, name, s->text, s->error);
}

static void read_file(struct splitter *s)
{
    bool found = false;
    int c = peek(s);
    if (c == 0xef && s->length - s->at >= 3 && memcmp(s->chunk + s->at, "\xef\xbb\xbf", 3) == 0)
        s->at += 3; /* a byte order mark */
    c = peek_past_space(s);
    if (c == 0xff || c == 0xfe) {
        s->status = gsim_error_set(
            s->error, GSIM_INPUT,
            "%s: expected text in UTF-8, found UTF-16 (by its first byte 0x%02x): save it as UTF-8", s->place, c);
        return;
    }
    if (c == '[' && !s->handler->lists) {
        read_list(s, "traceEvents", true);
    } else if (c != '{') {
        (void)fail(s, s->handler->lists ? "an object ('{')" : "a trace ('{' or '[')", c);
    } else {
        s->at++;
        for (bool is_first = true; s->status == GSIM_OK && peek_past_space(s) != '}'; is_first = false) {
            if (!is_first && !expect(s, ',', "',' or '}'")) return;
            read_member(s, &found);
        }
        if (s->status == GSIM_OK && !found && !s->handler->lists)
            s->status = gsim_error_set(s->error, GSIM_INPUT, "expected the list traceEvents, found no such member");
        s->at++;
    }
    if (s->status == GSIM_OK && (c = peek_past_space(s)) >= 0) (void)fail(s, "the end of the file", c);
}

enum gsim_status gsim_events_read(const char *path, const struct gsim_events_handler *handler, struct gsim_error *error)
{
    struct stat info;
    struct splitter s = {.handler = handler, .error = error};
    if (strcmp(path, "-") != 0 && stat(path, &info) == 0) s.file_bytes = (double)info.st_size;
    snprintf(s.place, sizeof s.place, handler->lists ? "the file" : "the trace");
    if (gsim_gz_open(&s.gz, path, error) != GSIM_OK) return error->status;
    s.chunk = gsim_alloc(CHUNK_BYTES);
    if (s.chunk) read_file(&s);
    else s.status = gsim_no_memory(error);
    gsim_gz_close(&s.gz);
    gsim_free(s.chunk);
    gsim_free(s.text);
    return s.status;
}
