/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See tests/sim/device/device_files.h. */
#include "tests/sim/device/device_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/test.h"

char device_files_folder[64], device_files_models[96], device_files_path[128];

void device_files_make(void)
{
    snprintf(device_files_folder, sizeof(device_files_folder), "/tmp/gpusim-test-device-XXXXXX");
    CHECK(mkdtemp(device_files_folder) != NULL);
    snprintf(device_files_models, sizeof(device_files_models), "%s/models", device_files_folder);
    CHECK_INT(mkdir(device_files_models, 0700), 0);
    snprintf(device_files_path, sizeof(device_files_path), "%s/card.json", device_files_models);
}

void device_files_remove(void)
{
    unlink(device_files_path);
    CHECK_INT(rmdir(device_files_models), 0);
    CHECK_INT(rmdir(device_files_folder), 0);
}

void device_files_write(const char *text, size_t length)
{
    FILE *file = fopen(device_files_path, "wb");
    CHECK(file && fwrite(text, 1, length, file) == length && fclose(file) == 0);
}

char *device_files_shipped(const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), DEVICE_FILES_SHIPPED "%s.json", name);
    char *text = calloc(1, 100000);
    FILE *file = fopen(path, "rb");
    CHECK(file && text && fread(text, 1, 99999, file) > 1000);
    fclose(file);
    return text;
}

void device_files_change(const char *find, const char *replacement)
{
    char *text = device_files_shipped("h200"), *changed = calloc(1, 120000), *at = strstr(text, find);
    CHECK_MSG(at, "'%s' is not in the file", find);
    if (at) {
        int length = snprintf(changed, 120000, "%.*s%s%s", (int)(at - text), text, replacement, at + strlen(find));
        device_files_write(changed, (size_t)length);
    }
    free(text);
    free(changed);
}
