/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recorded energies of an H100: DAGs from their kernels' own energies, times predicted too, and kernels estimated from
 * what is known of them. The estimate's numbers are fitted to these kernels; the DAGs' energies chose nothing.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include "gpusim/energy.h"
#include "gpusim/metrics.h"
#include "gpusim/simulate.h"
#include "sim/base/json.h"
#include "tests/test.h"

static double number(const cJSON *object, const char *name)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static struct gsim_kernel kernel_of(const cJSON *k)
{
    return (struct gsim_kernel){.name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(k, "type")),
                                .grid = {(uint32_t)number(k, "grid"), 1, 1},
                                .block = {(uint32_t)number(k, "block"), 1, 1},
                                .regs_per_thread = (uint32_t)number(k, "regs"),
                                .smem_bytes = (uint32_t)number(k, "smem"),
                                .flops = number(k, "flops"),
                                .dram_bytes = number(k, "dram_bytes"),
                                .demand_given = true,
                                .solo_us = number(k, "solo_ns") / 1000,
                                .solo_device = "h100-vm"};
}

static void build(const cJSON *nodes, bool is_one, struct gsim_program *program)
{
    struct gsim_error error = {0};
    struct gsim_builder *b = gsim_builder_create("dag");
    const cJSON *node;
    cJSON_ArrayForEach(node, nodes)
    {
        struct gsim_kernel k = kernel_of(cJSON_GetObjectItemCaseSensitive(node, "kernel"));
        const cJSON *dep = cJSON_GetObjectItemCaseSensitive(node, "dep"), *d;
        uint32_t after[256], count = 0;
        k.energy_mj = number(node, "energy_mj");
        cJSON_ArrayForEach(d, dep) if (count < 256) after[count++] = (uint32_t)d->valuedouble;
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                             .kernel_index = gsim_builder_kernel(b, &k),
                                             .after = after,
                                             .after_count = count,
                                             .stream = is_one ? 0 : (int32_t)number(node, "stream")});
    }
    CHECK_OK(gsim_builder_finish(b, 6, program, &error), error);
}

/* Of the last iteration. */
static double predict(const cJSON *nodes, bool is_one, const struct gsim_device_spec *device)
{
    struct gsim_error error = {0};
    struct gsim_program program = {0};
    struct gsim_timeline t;
    struct gsim_metrics metrics;
    struct gsim_energy e = {0};
    build(nodes, is_one, &program);
    struct gsim_simulation s = {.program = &program,
                                .device = device,
                                .scheduler = gsim_scheduler_find("async"),
                                .memory = GSIM_MEMORY_PINNED,
                                .seed = 1};
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    CHECK_OK(gsim_simulate(&s, &t, &error), error);
    CHECK_OK(gsim_metrics_compute(&t, device, NULL, &metrics, &error), error);
    CHECK_OK(gsim_energy_compute(&t, device, metrics.makespan, &e, &error), error);
    double mj = e.iteration_count ? e.iteration_mj[e.iteration_count - 1] : 0;
    gsim_energy_release(&e);
    gsim_timeline_release(&t);
    gsim_program_release(&program);
    return mj;
}

static double measured(const cJSON *way) { return number(way, "mJ") / number(way, "runs"); }

static void test_dags(void)
{
    struct gsim_error error = {0};
    struct gsim_device_spec device = {0};
    cJSON *json = gsim_json_read(GPUSIM_SOURCE_DIR "/traces/h100/energy/energy.json.gz", &error);
    CHECK_MSG(json, "%s", error.message);
    CHECK_OK(gsim_device_load("h100-vm", &device, &error), error);
    const cJSON *dags = cJSON_GetObjectItemCaseSensitive(json, "dags"), *dag;
    double sum = 0, worst = 0, bias = 0;
    int count = 0;
    cJSON_ArrayForEach(dag, dags)
    {
        const cJSON *nodes = cJSON_GetObjectItemCaseSensitive(dag, "nodes");
        double predicted[2], real[2];
        for (int one = 0; one < 2; one++) {
            predicted[one] = predict(nodes, one, &device);
            real[one] = measured(cJSON_GetObjectItemCaseSensitive(dag, one ? "one" : "streams"));
            double off = predicted[one] / real[one] - 1;
            sum += fabs(off);
            bias += off;
            worst = fmax(worst, fabs(off));
            count++;
        }
        CHECK_MSG((predicted[1] > predicted[0]) == (real[1] > real[0]),
                  "dag %d: one stream %.4g mJ, several %.4g: measured %.4g, %.4g", count / 2, predicted[1],
                  predicted[0], real[1], real[0]);
    }
    CHECK_INT(count, 28);
    CHECK_MSG(sum / count < 0.012 && sum / count > 0.004, "mean error %.2f %%", 100 * sum / count);
    CHECK_MSG(worst < 0.04, "worst %.2f %%", 100 * worst);
    CHECK_MSG(fabs(bias / count) < 0.012, "bias %.2f %%", 100 * bias / count);
    gsim_json_release(json);
    gsim_device_release(&device);
}

static void test_kernels(void)
{
    struct gsim_error error = {0};
    struct gsim_device_spec device = {0};
    cJSON *json = gsim_json_read(GPUSIM_SOURCE_DIR "/traces/h100/energy/energy.json.gz", &error);
    CHECK_MSG(json, "%s", error.message);
    CHECK_OK(gsim_device_load("h100-vm", &device, &error), error);
    const cJSON *solo = cJSON_GetObjectItemCaseSensitive(json, "solo"), *row;
    int count = 0, within = 0, near = 0;
    cJSON_ArrayForEach(row, solo)
    {
        const struct gsim_kernel k = kernel_of(cJSON_GetObjectItemCaseSensitive(row, "kernel"));
        double relative, real = number(row, "energy_mj");
        bool is_estimated;
        double mj = gsim_energy_of_kernel(&k, &device, 0, &relative, &is_estimated);
        CHECK(is_estimated);
        count++;
        within += fabs(mj - real) <= relative * mj;
        near += fabs(mj / real - 1) < 0.05;
    }
    CHECK_INT(count, 40);
    CHECK_MSG(within >= 38, "%d of 40 inside their interval", within);
    CHECK_MSG(near >= 22, "%d of 40 within 5 %%", near); /* so the median is */
    gsim_json_release(json);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {{"dags", test_dags}, {"kernels", test_kernels}};

TEST_MAIN("golden/energy", cases)
