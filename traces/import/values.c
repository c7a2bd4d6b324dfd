/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/import/values.h. */
#include "traces/import/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/scan.h"

#define EXACT_MAX (INT64_MAX / 10) /* below this a further digit fits 64 bits */

void gsim_values_find(const char *object, const char *const *names, size_t count, const char **values)
{
    struct gsim_scan_text key;
    memset(values, 0, count * sizeof *values);
    if (!object || *object != '{') return;
    GSIM_SCAN_EACH(v, object, &key)
        for (size_t i = 0; i < count; i++)
            if (gsim_scan_is(&key, names[i])) values[i] = v;
}

const char *gsim_value_member(const char *object, const char *name)
{
    const char *value;
    gsim_values_find(object, &name, 1, &value);
    return value;
}

bool gsim_value_is_text(const char *value, const char *text)
{
    size_t length = strlen(text);
    return value && value[0] == '"' && strncmp(value + 1, text, length) == 0 && value[length + 1] == '"';
}

bool gsim_value_is_missing(const char *value) { return !value || *value == 'n' || gsim_value_is_text(value, ""); }

const char *gsim_value_digits(const char *value)
{
    if (value && *value == '"') value += 1 + strspn(value + 1, " ");
    return value && ((*value >= '0' && *value <= '9') || (*value == '-' && value[1] >= '0' && value[1] <= '9')) ? value
                                                                                                                : NULL;
}

double gsim_value_number(const char *value, double otherwise)
{
    const char *digits = gsim_value_digits(value);
    return digits ? gsim_scan_number(digits) : otherwise;
}

uint64_t gsim_value_id(const char *value)
{
    double id = gsim_value_number(value, 0);
    return id >= 1 && id <= 9007199254740992.0 ? gsim_whole_u64(id) : 0;
}

/* MANTISSA times ten to the power of SCALE, downwards, but up from 0.9995 on: that is a double's rounding. */
static int64_t scaled(int64_t mantissa, long scale)
{
    for (; scale > 0 && mantissa; scale--) {
        if (mantissa > INT64_MAX / 10) return INT64_MAX;
        mantissa *= 10;
    }
    for (; scale < -4 && mantissa; scale++) mantissa /= 10;
    if (scale < -3) mantissa += 5;
    for (; scale < 0; scale++) mantissa /= 10;
    return mantissa;
}

int64_t gsim_value_ns(const char *digits)
{
    bool is_negative = *digits == '-', in_fraction = false;
    int64_t mantissa = 0;
    long scale = 3; /* microseconds */
    const char *c = digits + is_negative;
    for (; *c == '.' || (*c >= '0' && *c <= '9'); c++) {
        if (*c == '.') {
            in_fraction = true;
        } else if (mantissa < EXACT_MAX) {
            mantissa = 10 * mantissa + (*c - '0');
            scale -= in_fraction;
        } else {
            scale += !in_fraction;
        }
    }
    if (*c == 'e' || *c == 'E') {
        long power = strtol(c + 1, NULL, 10);
        scale += power < -1000 ? -1000 : power > 1000 ? 1000 : power;
    }
    int64_t ns = scaled(mantissa, scale);
    return is_negative ? -ns : ns;
}

static bool read_size(const char *digits, double most, double *size)
{
    *size = digits ? strtod(digits, NULL) : 0;
    return *size >= 1 && *size <= most && *size == floor(*size);
}

int gsim_value_sizes(const char *value, double most, double sizes[3], const char **wrong)
{
    int count = 0;
    *wrong = NULL;
    if (value && *value == '[') {
        GSIM_SCAN_EACH(at, value, NULL) {
            if (count < 3 && !read_size(gsim_value_digits(at), most, &sizes[count]) && !*wrong) *wrong = at;
            count++;
        }
    } else if (value && *value == '"') {
        const char *end = gsim_scan_skip(value) - 1;
        for (const char *at = value + 1; (at += strcspn(at, "-0123456789\"")) < end; count++) {
            if (count < 3 && !read_size(at, most, &sizes[count]) && !*wrong) *wrong = value;
            at += strspn(at, "-.0123456789");
        }
    }
    return count;
}

bool gsim_value_stream(const char *value, uint64_t *number)
{
    const char *digits = gsim_value_digits(value);
    if (gsim_value_is_missing(value) || (digits && *digits == '-')) return false;
    if (digits) {
        *number = strtoull(digits, NULL, *value == '"' ? 0 : 10);
        return *number != UINT32_MAX && *number != UINT64_MAX;
    }
    if (*value != '"') return false;
    const char *end = gsim_scan_skip(value) - 1, *from = end;
    while (from > value + 1 && from[-1] >= '0' && from[-1] <= '9') from--;
    *number = from < end ? strtoull(from, NULL, 10) : gsim_hash_value(GSIM_HASH_START, value) >> 1;
    return true;
}

uint64_t gsim_hash_value(uint64_t hash, const char *value)
{
    return value ? gsim_hash_bytes(hash, value, (uint64_t)(gsim_scan_skip(value) - value)) : hash;
}
