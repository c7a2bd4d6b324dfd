/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is written is read back: every shipped device, number by number.
 */
#include "sim/device/device.h"

#include <unistd.h>

#include "sim/base/output.h"
#include "tests/test.h"

static void check_device(const char *name, const char *path)
{
    struct gsim_device_spec before, after;
    struct gsim_output output;
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load(name, &before, &error), error);
    CHECK_OK(gsim_output_open(&output, path, &error), error);
    gsim_device_write(&before, &output);
    CHECK_OK(gsim_output_commit(&output, &error), error);
    CHECK_OK(gsim_device_load(path, &after, &error), error);
    CHECK_STR(after.name, before.name);
    CHECK_STR(after.title, before.title);
    CHECK_INT(after.compute_capability, before.compute_capability);
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++) {
        enum gsim_device_number number = (enum gsim_device_number)i;
        CHECK_NEAR(gsim_device_get(&after, number), gsim_device_get(&before, number),
                   1e-5 * fabs(gsim_device_get(&before, number)));
        CHECK_STR(after.source[i], before.source[i]);
        CHECK_INT(after.kind[i], before.kind[i]);
    }
    gsim_device_release(&after);
    gsim_device_release(&before);
}

static void shipped_devices_survive(void)
{
    struct gsim_device_entries list;
    struct gsim_error error = {0};
    char path[64];
    snprintf(path, sizeof path, "/tmp/gpusim-device-%ld.json", (long)getpid());
    CHECK_OK(gsim_device_list(&list, &error), error);
    CHECK(list.count >= 7);
    for (size_t i = 0; i < list.count; i++) check_device(list.entries[i].name, path);
    gsim_device_list_release(&list);
    remove(path);
}

static void numbers_keep_their_range(void)
{
    struct gsim_device_spec d;
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load("h200", &d, &error), error);
    CHECK(gsim_device_put(&d, GSIM_DEV_hw_queues, 7.6, GSIM_KIND_FITTED, "a guess"));
    CHECK_NEAR(d.hw_queues, 8, 0);
    CHECK_STR(d.source[GSIM_DEV_hw_queues], "a guess");
    CHECK_INT(d.kind[GSIM_DEV_hw_queues], GSIM_KIND_FITTED);
    CHECK(gsim_device_put(&d, GSIM_DEV_launch_us, -3, GSIM_KIND_FITTED, ""));
    CHECK_NEAR(d.launch_us, 0, 0);
    CHECK(gsim_device_put(&d, GSIM_DEV_fma_share, 7, GSIM_KIND_FITTED, ""));
    CHECK_NEAR(d.fma_share, gsim_device_number_maximum(GSIM_DEV_fma_share), 0);
    gsim_device_release(&d);
}

static const struct test_case cases[] = {
    {"shipped devices", shipped_devices_survive},
    {"ranges", numbers_keep_their_range},
};
TEST_MAIN("models/device_write", cases)
