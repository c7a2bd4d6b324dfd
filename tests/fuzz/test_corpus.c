/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every input of tests/fuzz/corpus, which holds each case that fuzzing found, is read by its target: it ends, crashes
 * nothing, and where the build has sanitizers they see no fault.
 */
#include <dirent.h>
#include <stdlib.h>

#include "gpusim/memory.h"
#include "tests/fuzz/targets.h"
#include "tests/test.h"

static uint8_t *bytes_of(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    uint8_t *bytes = gsim_alloc(1u << 16);
    *length = bytes ? fread(bytes, 1, 1u << 16, file) : 0;
    fclose(file);
    return bytes;
}

static void read_all(const char *name, void (*target)(const uint8_t *, size_t))
{
    char folder[512], path[1024];
    unsigned count = 0;
    snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/%s", GPUSIM_SOURCE_DIR, name);
    DIR *inputs = opendir(folder);
    CHECK_MSG(inputs != NULL, "%s", folder);
    for (struct dirent *entry; inputs && (entry = readdir(inputs));) {
        size_t length = 0;
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        uint8_t *bytes = bytes_of(path, &length);
        CHECK_MSG(bytes != NULL, "%s", path);
        if (bytes) {
            uint8_t *exact = malloc(length ? length : 1); /* a read behind its end is seen */
            if (exact) memcpy(exact, bytes, length);
            if (exact) target(exact, length);
            free(exact);
        }
        gsim_free(bytes);
        count++;
    }
    if (inputs) closedir(inputs);
    CHECK_MSG(count > 0, "%s: no inputs", name);
    gsim_fuzz_end();
}

#define X(name) \
    static void read_##name(void) { read_all(#name, gsim_fuzz_##name); }
#include "tests/fuzz/targets.def"
#undef X

#define X(name) {#name, read_##name},
static const struct test_case cases[] = {
#include "tests/fuzz/targets.def"
};
#undef X
TEST_MAIN("fuzz/corpus", cases)
