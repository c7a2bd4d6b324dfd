/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/program (helper of the program reader). One object of a program file: which fields it may have,
 * where their values stand, and reading a value with its range. Every message names the place.
 */
#pragma once

#include <stdint.h>

#include "gpusim/limits.h"
#include "sim/base/scan.h"

#define GSIM_NAME_ROOM (GSIM_LIMIT_NAME + 1)
#define GSIM_FIELDS_MOST 64

/* Where we are, for messages: LIST[INDEX].FIELD[ELEMENT]. */
struct gsim_field_place {
    const char *list; /* NULL: a field of the file itself */
    uint32_t index;
    const char *field; /* NULL: the object as a whole */
    uint32_t element;
    bool has_element;
};

struct gsim_fields {
    struct gsim_field_place place;
    const char *const *names; /* of the fields, at most GSIM_FIELDS_MOST; ends with NULL */
    size_t count;             /* of them; 0: to be found */
    const char **values;      /* by field: where its value starts, NULL: not given */
    uint64_t given;           /* a bit for each that is */
    uint8_t *followed; /* NULL, or COUNT + 1 for objects that are mostly written alike: by field, and first of all
                        * before any, 1 + the field that came next the last time; 0: the next one */
    struct gsim_error *error;
};

/* GSIM_INPUT: "PLACE: expected EXPECTED, found VALUE". */
enum gsim_status gsim_fields_unexpected(const struct gsim_fields *fields, const char *value, const char *expected);
/* GSIM_INPUT: "PLACE: " and the message. */
enum gsim_status gsim_fields_error(const struct gsim_fields *fields, const char *format, ...) GSIM_PRINTF(2, 3);

/* Fills the fields' values from the object at AT; what is not an object, unknown and repeated names are errors. *REST
 * (NULL allowed) is what lies behind. */
enum gsim_status gsim_fields_read(struct gsim_fields *fields, const char *at, const char **rest) GSIM_NODISCARD;

/* The same, with what gsim_scan_check_jump() found of the file. */
enum gsim_status gsim_fields_read_jump(struct gsim_fields *fields, const char *at, const char **rest,
                                       const struct gsim_scan_jump *jump) GSIM_NODISCARD;

/* Each moves the place to the field first. The value must be there, except where a function says otherwise. */
enum gsim_status gsim_fields_require(struct gsim_fields *fields, int field) GSIM_NODISCARD;
/* Absent fields leave *NUMBER as it is. Whole numbers from -2^53 to 2^53. */
enum gsim_status gsim_fields_integer(struct gsim_fields *fields, int field, double minimum, double maximum,
                                     double *number) GSIM_NODISCARD;
enum gsim_status gsim_fields_real(struct gsim_fields *fields, int field, double maximum, double *number) GSIM_NODISCARD;
enum gsim_status gsim_fields_bool(struct gsim_fields *fields, int field, bool *flag) GSIM_NODISCARD;
/* One of WORDS (ends with NULL); *CHOICE is its index. Where the field is absent it stays; below 0: the field must be
 * there. */
enum gsim_status gsim_fields_choice(struct gsim_fields *fields, int field, const char *const *words,
                                    int *choice) GSIM_NODISCARD;
/* Text of 1 to GSIM_LIMIT_NAME bytes. The first needs the value and decodes it into ROOM; the second leaves *TEXT where
 * it is absent, and takes it from ARENA. */
enum gsim_status gsim_fields_name(struct gsim_fields *fields, int field, char room[GSIM_NAME_ROOM]) GSIM_NODISCARD;
enum gsim_status gsim_fields_kept_name(struct gsim_fields *fields, int field, struct gsim_arena *arena,
                                       const char **text) GSIM_NODISCARD;

/* The same for the value at VALUE, which stands at the present place. */
enum gsim_status gsim_fields_integer_at(const struct gsim_fields *fields, const char *value, double minimum,
                                        double maximum, double *number) GSIM_NODISCARD;
enum gsim_status gsim_fields_name_at(const struct gsim_fields *fields, const char *value,
                                     char room[GSIM_NAME_ROOM]) GSIM_NODISCARD;

/* Walks the list in FIELD: *VALUE is NULL or the previous element's end at the call, the next element or NULL
 * after it. The place follows. Not a list: an error. */
enum gsim_status gsim_fields_element(struct gsim_fields *fields, int field, const char **value) GSIM_NODISCARD;
