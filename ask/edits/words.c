/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ask/edits/changes.h. The words of changes, and how far off what they save may be. */
#include "ask/edits/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word, *metavar, *source, *text;
    double error;
    enum gsim_error_of of;
    bool is_software;
} kinds[GSIM_CHANGE_COUNT] = {
#define CHANGE_ROW(kind, word_, metavar_, error_, of_, source_, software_, text_)                                      \
    [GSIM_CHANGE_##kind] = {word_, metavar_, source_, text_, error_, GSIM_ERROR_OF_##of_, software_},
    GSIM_CHANGE_MAP(CHANGE_ROW)
#undef CHANGE_ROW
};

const char *gsim_change_word(enum gsim_change_kind kind) { return kinds[kind].word; }
const char *gsim_change_help(enum gsim_change_kind kind) { return kinds[kind].text; }
bool gsim_change_is_software(enum gsim_change_kind kind) { return kinds[kind].is_software; }
double gsim_change_error(enum gsim_change_kind kind) { return kinds[kind].error; }
const char *gsim_change_error_of(enum gsim_change_kind kind)
{
    static const char *const texts[] = {[GSIM_ERROR_OF_TIME] = "of the time",
                                        [GSIM_ERROR_OF_SAVED] = "of what is saved",
                                        [GSIM_ERROR_OF_BUSY] = "of the GPU's time"};
    return texts[kinds[kind].of];
}

double gsim_changes_error_us(const struct gsim_change *changes, size_t count, double time_us, double saved_us,
                             double busy_us, double off_ratio)
{
    double saved = fabs(saved_us), least = GSIM_ERROR_MIN * saved, squares = least * least;
    for (size_t i = 0; i < count; i++) {
        enum gsim_error_of kind = kinds[changes[i].kind].of;
        /* What a change leaves as it is cannot be wrong by it: a graph that saves little is not far off either. */
        double of = kind == GSIM_ERROR_OF_TIME ? fmin(time_us, saved) : kind == GSIM_ERROR_OF_SAVED ? saved : busy_us;
        bool is_device = changes[i].kind == GSIM_CHANGE_DEVICE;
        squares += pow((is_device ? off_ratio : kinds[changes[i].kind].error) * of, 2);
    }
    return sqrt(squares);
}

const char *gsim_change_source(enum gsim_change_kind kind) { return kinds[kind].source; }

#define MAX_STREAMS 1000
#define MAX_NUMBER   1000000 /* of ranks, MiB and the like */

static enum gsim_status unknown(const char *text, struct gsim_error *error)
{
    char all[600] = "";
    for (int k = 0; k < GSIM_CHANGE_COUNT; k++) {
        size_t length = strlen(all);
        snprintf(all + length, sizeof all - length, "%s%s%s%s", k ? ", " : "", kinds[k].word,
                 kinds[k].metavar ? "=" : "", kinds[k].metavar ? kinds[k].metavar : "");
    }
    return gsim_refuse(error, "unknown change '%.60s': expected %s", text, all);
}

/* "2", "2x", "2.5x". */
static bool read_factor(const char *text, double most, double *factor)
{
    char *end;
    *factor = strtod(text, &end);
    if (*end == 'x') end++;
    return end != text && !*end && *factor > 0 && *factor <= most;
}

static double default_factor(enum gsim_change_kind kind)
{
    if (kind == GSIM_CHANGE_PDL) return 0;
    return kind == GSIM_CHANGE_STREAMS ? 8 : kind == GSIM_CHANGE_HW_QUEUES ? 32 : 2;
}

/* "kernel:NAME" begins with "kernel:"; the others are the whole word. Sets how many bytes of TEXT a name follows. */
static bool is_word(const char *word, const char *text, size_t length, size_t *name)
{
    const char *colon = strchr(word, ':');
    *name = colon ? (size_t)(colon - word) + 1 : length;
    return (colon ? length > *name : strlen(word) == length) && strncmp(word, text, *name) == 0;
}

static bool is_count(enum gsim_change_kind kind)
{
    const char *metavar = kinds[kind].metavar;
    return metavar && (strcmp(metavar, "N") == 0 || strcmp(metavar, "K") == 0);
}

enum gsim_status gsim_change_parse(const char *text, struct gsim_change *change, struct gsim_error *error)
{
    const char *equals = strrchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text), name = 0;
    int kind = 0;
    if (strlen(text) >= GSIM_CHANGE_TEXT)
        return gsim_refuse(error, "--change: expected at most %d characters", GSIM_CHANGE_TEXT - 1);
    while (kind < GSIM_CHANGE_COUNT && !is_word(kinds[kind].word, text, length, &name)) kind++;
    if (kind == GSIM_CHANGE_COUNT || (equals && !kinds[kind].metavar)) return unknown(text, error);
    *change = (struct gsim_change){.kind = (enum gsim_change_kind)kind,
                                   .factor = default_factor((enum gsim_change_kind)kind)};
    snprintf(change->text, sizeof change->text, "%s", text);
    snprintf(change->argument, sizeof change->argument, "%.*s", (int)(length - name), text + name);
    const char *metavar = kinds[kind].metavar;
    if (metavar && strcmp(metavar, "NAME") == 0) {
        if (!equals || !equals[1])
            return gsim_refuse(error, "--change %s: expected %s=NAME", kinds[kind].word, kinds[kind].word);
        snprintf(change->argument, sizeof change->argument, "%s", equals + 1);
        return GSIM_OK;
    }
    if (kind == GSIM_CHANGE_OVERLAP) {
        change->factor = equals && strcmp(equals + 1, "off") == 0 ? -1 : 1;
        if (equals && (change->factor < 0 || strcmp(equals + 1, "on") == 0)) return GSIM_OK;
        return gsim_refuse(error, "--change overlap: expected overlap=on or overlap=off");
    }
    if ((kind >= GSIM_CHANGE_COMM || kind == GSIM_CHANGE_POWER) && metavar && !equals)
        return gsim_refuse(error, "--change %s: expected %s=%s", text, kinds[kind].word, metavar);
    bool is_large = kind == GSIM_CHANGE_BUCKET || kind == GSIM_CHANGE_RATE || kind == GSIM_CHANGE_POWER ||
                    (kind >= GSIM_CHANGE_COMM && is_count((enum gsim_change_kind)kind));
    const char *of = kind == GSIM_CHANGE_RATE       ? "of requests per second"
                     : kind == GSIM_CHANGE_REPLICAS ? "of servers"
                     : kind == GSIM_CHANGE_POWER    ? "of watts"
                                                    : NULL;
    if (equals && (!read_factor(equals + 1, is_large ? MAX_NUMBER : MAX_STREAMS, &change->factor) ||
                   (of && (strchr(equals, 'x') || change->factor < GSIM_RATE_MIN))))
        return gsim_refuse(error, "--change %s: expected a number %s behind '=', found '%s'", text,
                           of ? of : "such as 2 or 2x", equals + 1);
    bool is_rank =
        change->kind == GSIM_CHANGE_RANKS || change->kind == GSIM_CHANGE_MICRO || change->kind == GSIM_CHANGE_CHANNELS;
    int most = is_rank ? MAX_NUMBER : MAX_STREAMS;
    if (is_count(change->kind) && (change->factor != floor(change->factor) || change->factor > most))
        return gsim_refuse(error, "--change %s: expected a whole number up to %d", change->text, most);
    if (change->kind == GSIM_CHANGE_PDL && change->factor > 0.99)
        return gsim_refuse(error, "--change %s: expected a share of at most 0.99", change->text);
    if (change->kind == GSIM_CHANGE_HW_QUEUES && change->factor > 32)
        return gsim_refuse(error, "--change %s: expected at most 32", change->text);
    if (change->kind == GSIM_CHANGE_RANK && strspn(change->argument, "0123456789") != strlen(change->argument))
        return gsim_refuse(error, "--change %s: expected the number of a rank", change->text);
    return GSIM_OK;
}
