/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/program (helper of the program reader). Reads an object of a program file: its fields, and values with
 * their range. Every message names the place.
 */
#pragma once

#include <stdint.h>

#include "gpusim/limits.h"
#include "sim/base/scan.h"

#define GSIM_NAME_ROOM (GSIM_LIMIT_NAME + 1)
#define GSIM_FIELDS_MAX 64

/* Place in the file, for messages: LIST[INDEX].FIELD[ELEMENT]. */
struct gsim_field_place {
    const char *list; /* NULL: a field of the file itself */
    uint32_t index;
    const char *field; /* NULL: the whole object */
    uint32_t element;
    bool has_element;
};

struct gsim_fields {
    struct gsim_field_place place;
    const char *const *names; /* fields, at most GSIM_FIELDS_MAX; ends with NULL */
    size_t count;             /* number of fields; 0: computed */
    const char **values;      /* by field: start of its value; NULL: not given */
    uint64_t given;           /* a bit for each given field */
    /* cache for similar objects, COUNT + 1 entries, or NULL: [0] for the start, [1 + f] behind field f; 1 + the field
     * that followed last time, 0: the next one */
    uint8_t *followed;
    struct gsim_error *error;
};

/* Fails with GSIM_INPUT: "place: expected EXPECTED, found VALUE". */
enum gsim_status gsim_fields_unexpected(const struct gsim_fields *fields, const char *value, const char *expected);
/* Fails with GSIM_INPUT: "place: " and the message. */
enum gsim_status gsim_fields_error(const struct gsim_fields *fields, const char *format, ...) GSIM_PRINTF(2, 3);

/* Reads the object at AT. Fails if it is no object or has unknown or repeated names. *REST (may be NULL) is the text
 * behind it. */
enum gsim_status gsim_fields_read(struct gsim_fields *fields, const char *at, const char **rest) GSIM_NODISCARD;

/* The same, with the result of gsim_scan_check_jump(). */
enum gsim_status gsim_fields_read_jump(struct gsim_fields *fields, const char *at, const char **rest,
                                       const struct gsim_scan_jump *jump) GSIM_NODISCARD;

/* Checks that the field is given. This and the next functions set the place; absent fields fail unless stated. */
enum gsim_status gsim_fields_require(struct gsim_fields *fields, int field) GSIM_NODISCARD;
/* Reads a whole number from -2^53 to 2^53. Absent: *NUMBER is unchanged. */
enum gsim_status gsim_fields_integer(struct gsim_fields *fields, int field, double minimum, double maximum,
                                     double *number) GSIM_NODISCARD;
enum gsim_status gsim_fields_real(struct gsim_fields *fields, int field, double maximum, double *number) GSIM_NODISCARD;
enum gsim_status gsim_fields_bool(struct gsim_fields *fields, int field, bool *flag) GSIM_NODISCARD;
/* Reads one of WORDS (ends with NULL) into *CHOICE, its index. Absent: unchanged, or an error if below 0. */
enum gsim_status gsim_fields_choice(struct gsim_fields *fields, int field, const char *const *words,
                                    int *choice) GSIM_NODISCARD;
/* Read a text of 1 to GSIM_LIMIT_NAME bytes: a required one into ROOM / an optional one into ARENA (absent: *TEXT is
 * unchanged). */
enum gsim_status gsim_fields_name(struct gsim_fields *fields, int field, char room[GSIM_NAME_ROOM]) GSIM_NODISCARD;
enum gsim_status gsim_fields_kept_name(struct gsim_fields *fields, int field, struct gsim_arena *arena,
                                       const char **text) GSIM_NODISCARD;

/* The same for VALUE at the current place. */
enum gsim_status gsim_fields_integer_at(const struct gsim_fields *fields, const char *value, double minimum,
                                        double maximum, double *number) GSIM_NODISCARD;
enum gsim_status gsim_fields_name_at(const struct gsim_fields *fields, const char *value,
                                     char room[GSIM_NAME_ROOM]) GSIM_NODISCARD;

/* Walks the list in FIELD and sets the place. In: *VALUE is NULL or the end of the previous element. Out: the next
 * element, NULL at the end. Fails if it is no list. */
enum gsim_status gsim_fields_element(struct gsim_fields *fields, int field, const char **value) GSIM_NODISCARD;
