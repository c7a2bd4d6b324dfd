/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What devices have of their architectures, and what wrong files of these say. */
#include "tests/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "sim/device/device.h"
#include "sim/device/occupancy.h"
#include "tests/sim/device/device_files.h"

/* What a file leaves out is its architecture's; what that leaves out, the default. A device's own number comes first,
 * then that of its architecture, then that of the device that it inherits from. */
static void test_architectures(void)
{
    struct gsim_device_spec d = {0};
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load("h200", &d, &error), error);
    CHECK_STR(d.arch, "sm_90");
    CHECK_NEAR(d.fast_sm_share, 0.18, 0);
    CHECK_STR(d.source[GSIM_DEV_fast_sm_share], "sm_90: traces/h200/research1.json.gz: 24 of 132 SMs");
    CHECK_INT(d.kind[GSIM_DEV_fast_sm_share], GSIM_KIND_MEASURED);
    CHECK_STR(d.source[GSIM_DEV_cores], "default of include/gpusim/device.def");
    gsim_device_release(&d);
    CHECK_OK(gsim_device_load("mi300x", &d, &error), error); /* inherits from the h200 */
    CHECK_STR(d.arch, "cdna3");
    CHECK_NEAR(d.part_sms, 1, 0);
    CHECK_HAS(d.source[GSIM_DEV_part_sms], "cdna3: ");
    CHECK_NEAR(d.fast_sm_share, 0.18, 0);
    CHECK_HAS(d.source[GSIM_DEV_fast_sm_share], "as the h200 (measured there): sm_90: ");
    gsim_device_release(&d);
    CHECK_OK(gsim_device_load("gh200", &d, &error),
             error); /* of the h100-vm, whose own numbers stay before their architecture's */
    CHECK_STR(d.arch, "sm_90");
    CHECK_HAS(d.source[GSIM_DEV_fast_sm_share], "as the h100-vm (measured there): sm_90: ");
    gsim_device_release(&d);
}

/* Files of architectures are found below the folders of devices, those of the user first; a mistake names both
 * files. */
static void test_wrong_architectures(void)
{
    char arch_folder[128], arch_path[160], expected[600];
    struct gsim_device_spec d = {0};
    struct gsim_error error = {0};
    device_files_make();
    snprintf(arch_folder, sizeof arch_folder, "%s/arch", device_files_models);
    snprintf(arch_path, sizeof arch_path, "%s/sm_90.json", arch_folder);
    CHECK_INT(mkdir(arch_folder, 0700), 0);
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"[]", "top level: expected an object, found a list"},
        {"{\"schema\": \"gpusim-arch/2\"}", "schema: expected \"gpusim-arch/1\", found \"gpusim-arch/2\""},
        {"{\"schema\": \"gpusim-arch/1\", \"name\": \"x\"}",
         "name: expected the file's name without \".json\", found \"x\""},
        {"{\"schema\": \"gpusim-arch/1\", \"name\": \"sm_90\", \"colour\": 1}",
         "colour: unknown field, expected one of schema, name, title, compute_capability, inherits, gpu, link, "
         "managed, host, power, sharing"},
        {"{\"schema\": \"gpusim-arch/1\", \"name\": \"sm_90\", \"host\": {\"cores\": {\"value\": 0, \"unit\": \"\", "
         "\"kind\": \"assumed\", "
         "\"source\": \"x\"}}}",
         "host.cores.value: expected an integer from 1 to 1024, found 0"},
    };
    CHECK_INT(setenv("GPUSIM_DATA", device_files_folder, 1), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FILE *file = fopen(arch_path, "w");
        CHECK(file && fputs(rows[i].text, file) >= 0 && fclose(file) == 0);
        CHECK_INT(gsim_device_load("h200", &d, &error), GSIM_INPUT);
        snprintf(expected, sizeof expected, "arch: cannot read '%s': %s", arch_path, rows[i].message);
        CHECK_HAS(error.message, expected);
        CHECK(d.name == NULL);
    }
    unlink(arch_path);
    CHECK_INT(rmdir(arch_folder), 0);
    device_files_change("\"arch\": \"sm_90\"", "\"arch\": \"sm_91\"");
    CHECK_INT(gsim_device_load(device_files_path, &d, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "card.json': arch: expected the name of a file models/arch/NAME.json, found \"sm_91\"");
    device_files_change("\"arch\": \"sm_90\"", "\"arch\": 90");
    CHECK_INT(gsim_device_load(device_files_path, &d, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "card.json': arch: expected the name of an architecture, found 90");
    CHECK_INT(unsetenv("GPUSIM_DATA"), 0);
    device_files_remove();
}

/* An architecture is one file: its compute capability, the numbers of its own, the rest of the one that it inherits
 * from. Limits of an SM go by compute capability, whatever else the device is like. */
static void test_new_architecture(void)
{
    char arch_folder[128], arch_path[160];
    struct gsim_device_spec d = {0};
    struct gsim_error error = {0};
    device_files_make();
    snprintf(arch_folder, sizeof arch_folder, "%s/arch", device_files_models);
    snprintf(arch_path, sizeof arch_path, "%s/sm_130.json", arch_folder);
    CHECK_INT(mkdir(arch_folder, 0700), 0);
    CHECK_INT(setenv("GPUSIM_DATA", device_files_folder, 1), 0);
    static const struct {
        const char *base, *message;
    } rows[] = {
        {"\"inherits\": \"sm_13\"", "inherits: expected the name of a file models/arch/NAME.json, found \"sm_13\""},
        {"\"inherits\": \"sm_130\"", "inherits: expected at most 4 files one from the other"},
        {"\"inherits\": \"sm_90\"", NULL},
    };
    device_files_change("\"compute_capability\": \"9.0\",\n  \"arch\": \"sm_90\"",
                        "\"compute_capability\": \"13.0\",\n  \"arch\": \"sm_90\"");
    CHECK_INT(gsim_device_load(device_files_path, &d, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "compute_capability: expected one of \"5.2\" \"6.0\"");
    CHECK_HAS(error.message, ", found \"13.0\"");
    device_files_change("\"compute_capability\": \"9.0\",\n  \"arch\": \"sm_90\"",
                        "\"compute_capability\": \"13.0\",\n  \"arch\": \"sm_130\"");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FILE *file = fopen(arch_path, "w");
        CHECK(file &&
              fprintf(file,
                      "{\"schema\": \"gpusim-arch/1\", \"name\": \"sm_130\", \"compute_capability\": \"13.0\", %s,"
                      " \"gpu\": {\"warps_per_sm\": {\"value\": 48, \"unit\": \"\", \"kind\": \"datasheet\", "
                      "\"source\": \"x\"},"
                      " \"carveout_kib\": {\"value\": [64, 96], \"unit\": \"KiB\", \"kind\": \"datasheet\", "
                      "\"source\": \"x\"}}}",
                      rows[i].base) >= 0 &&
              fclose(file) == 0);
        error = (struct gsim_error){0};
        CHECK_INT(gsim_device_load(device_files_path, &d, &error), rows[i].message ? GSIM_INPUT : GSIM_OK);
        if (rows[i].message) CHECK_HAS(error.message, rows[i].message);
    }
    if (error.status == GSIM_OK) {
        const struct gsim_sm_limits limits = gsim_sm_limits(&d);
        CHECK_INT(limits.warps, 48);
        CHECK_INT(limits.blocks, 32);
        CHECK_INT(limits.smem_bytes, 96 * 1024);
        CHECK_INT(limits.carveout_bytes[2], 0);
        CHECK_STR(d.source[GSIM_DEV_warps_per_sm], "sm_130: x");
        CHECK_HAS(d.source[GSIM_DEV_blocks_per_sm], "sm_90: ");
        CHECK_NEAR(d.fast_sm_share, 0.18, 0);
        CHECK_OK(gsim_device_set_number(&d, "warps_per_sm", "16", &error), error);
        CHECK_INT(gsim_sm_limits(&d).threads, 512);
    }
    gsim_device_release(&d);
    /* Of another device the limits alone. */
    error = (struct gsim_error){0};
    CHECK_OK(gsim_device_load("h100-vm", &d, &error), error);
    CHECK_OK(gsim_device_set_capability(&d, 130, &error), error);
    CHECK_INT(gsim_sm_limits(&d).warps, 48);
    CHECK_STR(d.source[GSIM_DEV_warps_per_sm], "sm_130: x");
    CHECK_INT(gsim_device_set_capability(&d, 131, &error), GSIM_INPUT);
    CHECK_INT(d.compute_capability, 130);
    gsim_device_release(&d);
    CHECK_INT(unsetenv("GPUSIM_DATA"), 0);
    unlink(arch_path);
    CHECK_INT(rmdir(arch_folder), 0);
    device_files_remove();
}

static const struct test_case cases[] = {
    {"numbers of architectures", test_architectures},
    {"wrong files of architectures", test_wrong_architectures},
    {"a new architecture", test_new_architecture},
};
TEST_MAIN("sim/arch", cases)
