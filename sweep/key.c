/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sweep/key.h. FNV-1a: Fowler, Noll, Vo; the constants for 128 bits are those of draft-eastlake-fnv. */
#include "sweep/key.h"

#include <errno.h>
#include <stdbool.h>

#include "sim/base/gz.h"
#include "sweep/model_hash.h" /* written by the build: cmake/model.cmake */

__extension__ typedef unsigned __int128 hash128;

static hash128 hash_start(void) { return (hash128)0x6c62272e07bb0142u << 64 | 0x62b821756295c58du; }

static hash128 hash_more(hash128 hash, const char *bytes, size_t length)
{
    const hash128 prime = (hash128)1 << 88 | 0x13b;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)bytes[i]) * prime;
    return hash;
}

static const char *hash_print(hash128 hash, char key[GSIM_KEY_SIZE])
{
    snprintf(key, GSIM_KEY_SIZE, "%016llx%016llx", (unsigned long long)(hash >> 64), (unsigned long long)hash);
    return key;
}

const char *gsim_key_text(char key[GSIM_KEY_SIZE], const char *text)
{
    return hash_print(hash_more(hash_start(), text, strlen(text)), key);
}

enum gsim_status gsim_key_file(char key[GSIM_KEY_SIZE], const char *path, struct gsim_error *error)
{
    char buffer[8192];
    size_t got;
    hash128 hash = hash_start();
    FILE *file = gsim_input_stream(path, error);
    if (!file) return gsim_error_prefix(error, "cannot read '%s'", path);
    while ((got = fread(buffer, 1, sizeof(buffer), file)) > 0) hash = hash_more(hash, buffer, got);
    bool failed = ferror(file);
    int code = errno;
    fclose(file);
    if (failed) return gsim_error_set(error, GSIM_INPUT, "cannot read '%s': %s", path, strerror(code));
    hash_print(hash, key);
    return GSIM_OK;
}

const char *gsim_model_hash(void) { return GPUSIM_MODEL; }
