/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Devices that inherit from others, and the device of a GPU by the name that it gives itself.
 */
#include "tests/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "sim/device/device.h"
#include "sim/device/match.h"
#include "sim/device/occupancy.h"

static char folder[64], models[96];

/* A folder of GPUSIM_DATA. */
static void open_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/gpusim-test-match-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(models, sizeof models, "%s/models", folder);
    CHECK_INT(mkdir(models, 0700), 0);
    CHECK_INT(setenv("GPUSIM_DATA", folder, 1), 0);
}

static void path_of(const char *name, char path[192]) { snprintf(path, 192, "%s/%s.json", models, name); }

static void put_device(const char *name, const char *rest)
{
    char path[192];
    path_of(name, path);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return;
    fprintf(file,
            "{\"schema\": \"gpusim-device/1\", \"name\": \"%s\", \"title\": \"The %s\", \"compute_capability\": "
            "\"9.0\", %s}\n",
            name, name, rest);
    fclose(file);
}

static void close_folder(const char *const *names)
{
    char path[192];
    for (; *names; names++) {
        path_of(*names, path);
        CHECK_INT(unlink(path), 0);
    }
    CHECK_INT(rmdir(models), 0);
    CHECK_INT(rmdir(folder), 0);
    unsetenv("GPUSIM_DATA");
}

static void numbers_are_inherited(void)
{
    struct gsim_device_spec base = {0}, device = {0};
    struct gsim_error error = {0};
    open_folder();
    put_device("first", "\"inherits\": \"h200\", \"gpu\": {\"sm_count\": {\"value\": 7, \"unit\": \"\", \"kind\": "
                        "\"datasheet\", \"source\": \"s\"}}");
    put_device("second", "\"inherits\": \"first\"");
    CHECK_OK(gsim_device_load("h200", &base, &error), error);
    CHECK_OK(gsim_device_load("second", &device, &error), error);
    if (error.status == GSIM_OK) {
        CHECK_NEAR(device.sm_count, 7, 0);
        CHECK_NEAR(device.h2d_gbps, base.h2d_gbps, 0);
        CHECK_STR(device.source[GSIM_DEV_sm_count], "as the first (datasheet there): s");
        CHECK_HAS(device.source[GSIM_DEV_h2d_gbps], "as the first (assumed there): as the h200 (");
        for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++) CHECK_INT(device.kind[i], GSIM_KIND_ASSUMED);
    }
    gsim_device_release(&device);
    gsim_device_release(&base);
    close_folder((const char *const[]){"first", "second", NULL});
}

static void wrong_inheritance_is_refused(void)
{
    static const struct {
        const char *rest, *message;
    } wrong[] = {
        {"\"inherits\": \"wrong\"", "inherits: expected at most 4 devices one from the other"},
        {"\"inherits\": \"nowhere\"", "inherits: unknown device 'nowhere'"},
        {"\"inherits\": \"./tiny.json\"", "inherits: expected the name of a device (gpusim list devices"},
        {"\"inherits\": \"tiny.json\"", "no path, found \"tiny.json\""},
        {"\"arch\": \"sm_70\"", "arch: expected sm_90, as compute_capability is \"9.0\", found \"sm_70\""},
        {"\"arch\": \"cdna3\"", "arch: expected sm_90, as compute_capability is \"9.0\", found \"cdna3\""},
        {"\"arch\": \"sm_9\"",
         "arch: expected the name of a file models/arch/NAME.json, found \"sm_9\": there are cdna2, cdna3, sm_100, "},
        {"\"inherits\": 3", "inherits: expected the name of a device, found 3"},
        {"\"inherits\": \"h200\", \"gpus\": \"x\"", "gpus: expected a list of names, found \"x\""},
        {"\"inherits\": \"h200\", \"gpus\": [\"\"]", "gpus: expected a name, found \"\""},
        {"\"inherits\": \"h200\", \"gpu\": 3", "gpu: expected an object of numbers, found 3"},
        {"\"gpus\": []", "gpu: expected an object of numbers, found nothing"},
    };
    open_folder();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct gsim_device_spec device = {.name = "untouched"};
        struct gsim_error error = {0};
        put_device("wrong", wrong[i].rest);
        CHECK_INT(gsim_device_load("wrong", &device, &error) != GSIM_OK, 1);
        CHECK_HAS(error.message, wrong[i].message);
        CHECK_STR(device.name, "untouched");
    }
    close_folder((const char *const[]){"wrong", NULL});
}

static void gpus_have_devices(void)
{
    static const struct {
        const char *gpu;
        int compute_capability;
        double sm_count;
        const char *device;
        bool is_nearest;
    } rows[] = {
        {"NVIDIA H200", 90, 132, "h200", false},
        {"NVIDIA H100 80GB HBM3", 90, 132, "h100-vm", false},
        {"NVIDIA H100 PCIe", 0, 0, "h100-pcie", false},
        {"NVIDIA A100-SXM4-80GB", 80, 108, "a100-sxm4-80gb", false},
        {"NVIDIA A100-SXM4-40GB", 80, 108, "a100-sxm4-40gb", false},
        {"A100-PCIE-40GB", 80, 108, "a100-pcie-40gb", false},
        {"Tesla T4", 75, 40, "t4", false},
        {"NVIDIA L4", 89, 58, "l4", false},
        {"NVIDIA L40S", 89, 142, "l40s", false},
        {"NVIDIA GeForce RTX 4090", 89, 128, "rtx4090", false},
        {"NVIDIA GeForce RTX 3090", 86, 82, "rtx3090", false},
        {"NVIDIA GeForce RTX 3080", 86, 68, "rtx3090", true},
        {"NVIDIA RTX A2000", 86, 26, "rtx3060", true},
        {"NVIDIA B200", 100, 148, "b200", false},
        {"NVIDIA B300", 103, 148, "b300", false},
        {"NVIDIA H20", 90, 78, "h20", false},
        {"NVIDIA H800", 90, 132, "h100-vm", true},
        {"NVIDIA H800", 90, 70, "h20", true},
        {"NVIDIA H800 MIG 1g.10gb", 90, 16, "h100-vm", true}, /* its 16 SMs say nothing of the whole */
        {"AMD Instinct MI300X", 94, 304, "mi300x", false},
        {"AMD Instinct MI325X", 94, 304, "mi300x", true},
        {"AMD Instinct MI250X", 90, 110, "mi250x", false},
        {"AMD Instinct MI210", 90, 104, "mi250x", true}, /* 9.0 as Hopper's, but of another make */
        {"NVIDIA GeForce GT 710", 35, 1, "", false},
        {"NVIDIA GeForce RTX 5090", 120, 170, "rtx-pro-6000", true},
        {"", 0, 0, "", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsim_device_match match;
        struct gsim_error error = {0};
        CHECK_OK(gsim_device_match(rows[i].gpu, rows[i].compute_capability, rows[i].sm_count, &match, &error), error);
        CHECK_STR(match.name, rows[i].device);
        CHECK_INT(match.is_nearest, rows[i].is_nearest);
    }
}

/* A device of one's own, calibrated on such a GPU, has its name as title. */
static void titles_are_names(void)
{
    struct gsim_device_match match;
    struct gsim_device_spec device = {0};
    struct gsim_error error = {0};
    open_folder();
    put_device("mine", "\"inherits\": \"h200\"");
    CHECK_OK(gsim_device_match("the MINE", 0, 0, &match, &error), error);
    CHECK_STR(match.name, "mine");
    CHECK(!match.is_nearest);
    CHECK_OK(gsim_device_load("mine", &device, &error), error);
    CHECK(gsim_device_is_gpu(&device, "The mine"));
    CHECK(!gsim_device_is_gpu(&device, "NVIDIA H200"));
    gsim_device_release(&device);
    close_folder((const char *const[]){"mine", NULL});
    CHECK_OK(gsim_device_load("h100-vm", &device, &error), error);
    CHECK(gsim_device_is_gpu(&device, "NVIDIA H100 80GB HBM3"));
    CHECK(!gsim_device_is_gpu(&device, "NVIDIA H100 PCIe"));
    gsim_device_release(&device);
}

/* A file that cannot be read is never passed over for the next GPU, whatever is wrong with it; unless one before it
 * lists the GPU. */
static void unreadable_files_are_errors(void)
{
    static const struct {
        const char *name, *gpu;
        bool is_error;
    } rows[] = {{"h200", "NVIDIA H200", true},    {"h100-vm", "NVIDIA H100 80GB HBM3", true},
                {"a-cut", "NVIDIA H800", true},   {"zz-cut", "NVIDIA H800", true},
                {"zz-cut", "NVIDIA H200", false}, {"h200", "NVIDIA GeForce GT 710", true}};
    char path[192];
    open_folder();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int how = 0; how < 3; how++) {
            struct gsim_device_match match;
            struct gsim_error error = {0};
            path_of(rows[i].name, path);
            if (how == 0) fclose(fopen(path, "w"));
            if (how == 1) CHECK_INT(mkdir(path, 0700), 0);
            if (how == 2) CHECK_INT(symlink("nowhere", path), 0);
            enum gsim_status status = gsim_device_match(rows[i].gpu, 90, 132, &match, &error);
            CHECK_MSG((status == GSIM_INPUT) == rows[i].is_error, "%s, way %d, %s: status %d, %s", rows[i].name, how,
                      rows[i].gpu, (int)status, match.name);
            if (rows[i].is_error) CHECK_HAS(error.message, path);
            CHECK_INT(remove(path), 0);
        }
    /* The folder as well: a link to itself. */
    struct gsim_device_match match;
    struct gsim_error error = {0};
    CHECK_INT(rmdir(models), 0);
    CHECK_INT(symlink("models", models), 0);
    CHECK_INT(gsim_device_match("NVIDIA H200", 90, 132, &match, &error), GSIM_INPUT);
    CHECK_HAS(error.message, models);
    CHECK_INT(unlink(models), 0);
    CHECK_INT(rmdir(folder), 0);
    unsetenv("GPUSIM_DATA");
}

/* Each failed allocation is "out of memory", not another GPU. */
static void no_memory_is_no_other_gpu(void)
{
    enum gsim_status status;
    uint64_t n = 0;
    do {
        struct gsim_device_match match;
        struct gsim_error error = {0};
        n += n < 50 ? 1 : n / 16;
        gsim_alloc_fail_nth(n);
        status = gsim_device_match("NVIDIA H200", 90, 132, &match, &error);
        gsim_alloc_fail_nth(0);
        if (status) CHECK_INT(status, GSIM_NOMEM);
        else CHECK_STR(match.name, "h200");
    } while (status && n < 1000000);
    CHECK(n > 1000);
}

static void capabilities_have_names(void)
{
    char text[GSIM_CAPABILITY_TEXT];
    CHECK_STR(gsim_capability_text(75, text), "7.5");
    CHECK_STR(gsim_capability_text(120, text), "12.0");
    CHECK_STR(gsim_capability_text(GSIM_GFX(0x90a), text), "gfx90a");
    CHECK_INT(gsim_capability_major(GSIM_GFX(0x942)), 9);
    CHECK_INT(gsim_capability_minor(GSIM_GFX(0x942)), 4);
    CHECK_INT(gsim_capability_minor(GSIM_GFX(0x90a)), 0);
    CHECK_INT(gsim_capability_major(103), 10);
}

/* A slice has the eighths of the memory that its name says: of 85 GB, 20 are a quarter of the 2,874.78 GB/s. Of a GPU
 * that no file describes the trace's numbers hold, of the bandwidth the share that copies reach: 3,000 of 3,352. */
static void facts_are_taken(void)
{
    static const struct {
        struct gsim_recorded_gpu facts;
        bool takes;
        double sm_count, dram_gbps, clock_mhz;
    } rows[] = {
        {{"NVIDIA H100 80GB HBM3", 132, 1000, 1500}, false, 132, 2874.78, 0},
        {{"NVIDIA H100 80GB HBM3", 140, 1000, 1500}, false, 132, 2874.78, 0},
        {{"NVIDIA H100 80GB HBM3", 131, 1000, 1500}, true, 131, 2874.78, 0},
        {{"NVIDIA H100 80GB HBM3 MIG 1g.5gb", 16, 1000, 0}, true, 16, 359.3475, 0},
        {{"NVIDIA H100 80GB HBM3 MIG 2g.20gb", 32, 0, 0}, true, 32, 718.695, 0},
        {{"NVIDIA H100 80GB HBM3 MIG 3g.40gb", 0, 0, 1500}, true, 132, 1437.39, 0},
        {{"NVIDIA H100 80GB HBM3 MIG 7g.80gb", 132, 0, 0}, false, 132, 2874.78, 0},
        {{"NVIDIA H100 80GB HBM3 MIG 1g.0gb", 132, 0, 0}, false, 132, 2874.78, 0},
        {{"NVIDIA H100 80GB HBM3 MIG slice", 60, 0, 0}, true, 60, 2874.78, 0},
        {{"NVIDIA H800", 140, 3000, 1500}, true, 140, 3000 * 2874.78 / 3352, 1500},
        {{"NVIDIA H800", 132, 0, 0}, true, 132, 2874.78, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsim_device_spec device = {0};
        struct gsim_error error = {0};
        char note[300] = "?";
        CHECK_OK(gsim_device_load("h100-vm", &device, &error), error);
        double clock = rows[i].clock_mhz > 0 ? rows[i].clock_mhz : device.clock_mhz;
        CHECK_MSG(gsim_device_take(&device, &rows[i].facts, note, sizeof note) == rows[i].takes, "row %zu", i);
        CHECK_NEAR(device.sm_count, rows[i].sm_count, 0);
        CHECK_NEAR(device.dram_gbps, rows[i].dram_gbps, 1e-6);
        CHECK_NEAR(device.clock_mhz, clock, 0);
        CHECK_MSG((*note != '\0') == rows[i].takes, "row %zu: %s", i, note);
        gsim_device_release(&device);
    }
}

static const struct test_case cases[] = {
    {"numbers are inherited", numbers_are_inherited},
    {"wrong inheritance is refused", wrong_inheritance_is_refused},
    {"GPUs have devices", gpus_have_devices},
    {"titles are names", titles_are_names},
    {"facts are taken", facts_are_taken},
    {"capabilities have names", capabilities_have_names},
    {"files that cannot be read", unreadable_files_are_errors},
    {"failing allocations", no_memory_is_no_other_gpu},
};

TEST_MAIN("sim/device_match", cases)
