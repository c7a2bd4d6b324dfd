/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ready-made services: each alone on the GPU that its times are from, what is stated of it, and on other GPUs. */
#include "workloads/services/services.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpusim/simulate.h"
#include "sim/device/device.h"
#include "tests/test.h"

/* Milliseconds of a request alone: README.md states them. */
static const struct {
    const char *name, *device;
    uint32_t kernels;
    double ms;
} stated[] = {
    {"alexnet", "h100-vm", 37, 0.641},
    {"squeezenet", "h100-vm", 100, 1.57},
    {"resnet50", "h100-vm", 232, 8.99},
    {"resnet101", "h100-vm", 453, 14.4},
    {"fcn50", "h100-vm", 244, 9.10},
    {"resnet18", "h200", 109, 1.07},
    {"vgg16", "h200", 93, 2.69},
    {"deeplab50", "h200", 275, 5.38},
    {"mobilenetv2-infer", "v100", 152, 2.59},
    {"resnet50-infer", "v100", 175, 6.88},
    {"resnet101-infer", "v100", 345, 12.3},
    {"bert-infer", "v100", 572, 49.7},
    {"transformerxl-infer", "v100", 459, 17.6},
    {"efficientnet-infer", "v100", 823, 20.0},
    {"retinanet-infer", "v100", 991, 288},
    {"mobilenetv2-train", "v100", 890, 78.0},
    {"resnet50-train", "v100", 946, 98.4},
    {"resnet101-train", "v100", 1847, 162},
    {"bert-train", "v100", 4777, 206},
    {"transformerxl-train", "v100", 4354, 139},
};

static enum gsim_status build(const struct gsim_service *service, const char *device, struct gsim_program *program,
                              struct gsim_error *error)
{
    char path[512];
    snprintf(path, sizeof path, GPUSIM_SOURCE_DIR "/workloads/services/%s", service->file);
    return gsim_service_build(service, path, device, program, error);
}

/* One request; NAN after a failed check. */
static double alone_ms(const char *name, const char *device_name, uint32_t *kernels)
{
    struct gsim_device_spec device = {0};
    struct gsim_error error = {0};
    struct gsim_program program = {0};
    struct gsim_timeline timeline = {0};
    double ms = NAN;
    CHECK_OK(gsim_device_load(device_name, &device, &error), error);
    CHECK_OK(build(gsim_service_find(name), device_name, &program, &error), error);
    struct gsim_simulation s = {.program = &program,
                                .device = &device,
                                .scheduler = gsim_scheduler_find("async"),
                                .memory = GSIM_MEMORY_PINNED,
                                .seed = 1};
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    enum gsim_status status = gsim_simulate(&s, &timeline, &error);
    CHECK_OK(status, error);
    *kernels = (uint32_t)timeline.kernel_count;
    for (size_t i = 0; i < timeline.kernel_count; i++) ms = fmax(ms, gsim_time_us(timeline.kernels[i].end) * 1e-3);
    gsim_timeline_release(&timeline);
    gsim_program_release(&program);
    gsim_device_release(&device);
    return ms;
}

/* Those take seconds; all with GPUSIM_FULL. */
static bool is_long(uint32_t kernels) { return kernels > 600 && !test_is_full(); }

static void run_alone(void)
{
    size_t count = sizeof stated / sizeof stated[0];
    for (size_t i = 0; i < count; i++) {
        uint32_t kernels = 0;
        if (is_long(stated[i].kernels)) continue;
        CHECK_MSG(gsim_service_find(stated[i].name), "no service '%s'", stated[i].name);
        double ms = alone_ms(stated[i].name, stated[i].device, &kernels);
        CHECK_MSG(kernels == stated[i].kernels, "%s: %u kernels, expected %u", stated[i].name, kernels,
                  stated[i].kernels);
        CHECK_MSG(fabs(ms / stated[i].ms - 1) < 0.01, "%s: %.4g ms, expected %.4g", stated[i].name, ms, stated[i].ms);
    }
    CHECK_MSG(!gsim_service_at((uint32_t)count) && gsim_service_at((uint32_t)count - 1), "expected %zu services",
              count);
}

static void run_elsewhere(void)
{
    static const char *const devices[] = {"a100-sxm4-40gb", "t4"};
    for (uint32_t i = 0; gsim_service_at(i); i++) {
        double ms[2];
        uint32_t kernels;
        if (is_long(stated[i].kernels)) continue;
        for (int d = 0; d < 2; d++) ms[d] = alone_ms(gsim_service_at(i)->name, devices[d], &kernels);
        CHECK_MSG(ms[0] > 0.3 && ms[0] < ms[1] && ms[1] < 4000, "%s: %g ms on %s, %g on %s", gsim_service_at(i)->name,
                  ms[0], devices[0], ms[1], devices[1]);
    }
}

static void refuse_bad_rows(void)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {{"m,0,8,100\n", "line 1: expected model,class,SMs,ns,kernel, found 'm,0,8,100'"},
                 {"# a comment\nm,2,8,100,k\n", "line 2: expected model,class,SMs,ns,kernel, found 'm,2,8,100,k'"},
                 {"m,0,0,100,k\n", "line 1: expected model"},
                 {"m,0,8,0,k\n", "line 1: expected model"},
                 {"other,0,8,100,k\n", "expected kernels of m, found none"}};
    const struct gsim_service service = {.name = "s", .file = "f", .model = "m", .summary = ""};
    char path[] = "/tmp/gpusim-services-XXXXXX";
    int handle = mkstemp(path);
    CHECK_MSG(handle >= 0, "no scratch file");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && handle >= 0; i++) {
        struct gsim_error error = {0};
        struct gsim_program program = {0};
        FILE *file = fopen(path, "w");
        fputs(cases[i].text, file);
        fclose(file);
        CHECK_INT(gsim_service_build(&service, path, "v100", &program, &error), GSIM_INPUT);
        CHECK_MSG(strstr(error.message, cases[i].expected), "found '%s', expected '%s'", error.message,
                  cases[i].expected);
    }
    if (handle >= 0) close(handle);
    remove(path);
    struct gsim_error error = {0};
    struct gsim_program program = {0};
    CHECK_INT(gsim_service_build(&service, "/no/such/file", "v100", &program, &error), GSIM_INPUT);
}

static const struct test_case cases[] = {
    {"each alone, as stated", run_alone},
    {"on GPUs that they were not measured on", run_elsewhere},
    {"bad rows are refused", refuse_bad_rows},
};
TEST_MAIN("workloads/services", cases)
