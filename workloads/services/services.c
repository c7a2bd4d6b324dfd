/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See workloads/services/services.h. Of Orion's kernels the time alone, the SMs that the grid fills at full occupancy
 * and what bounds it are given, in launch order. Ours: blocks of 256 threads and 32 registers, 8 of which fill an SM;
 * PER_LAUNCH_US of the host before each launch; a compute-bound (memory-bound) kernel uses USED of the FP32 rate (of
 * DRAM) of the SMs that it fills.
 */
#include "workloads/services/services.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/gz.h"

#define BLOCKS_PER_SM  8
#define PER_LAUNCH_US  8.0   /* PyTorch's eager host: 5 to 10 us a launch */
#define USED           0.6
#define MAX_SMS        200000
#define TILE_REGISTERS 64     /* of an unknown kernel that computes, as sim/sm/demand.c has it */
#define TILE_BYTES     4096
#define ANY_GPUS_BYTES                                                                                                 \
    65536 /* of shared memory that every GPU has for a block; elsewhere the library has another kernel */

/* The GPUs that the times are from: FP32 and DRAM rates per microsecond. */
static const struct rates {
    const char *device;
    double sms, clock_mhz, flops, bytes;
} rates[] = {
    {"v100", 80, 1380, 14.1e6, 0.9e6}, {"h100-vm", 132, 1980, 66.9e6, 2.87e6}, {"h200", 132, 1980, 66.9e6, 3.95e6}};

static const struct gsim_service services[] = {
#define X(name, file, model, summary) {name, file, model, summary},
#include "workloads/services/services.def"
#undef X
};

const struct gsim_service *gsim_service_at(uint32_t index)
{
    return index < sizeof services / sizeof services[0] ? &services[index] : NULL;
}

const struct gsim_service *gsim_service_find(const char *name)
{
    for (size_t i = 0; i < sizeof services / sizeof services[0]; i++)
        if (strcmp(services[i].name, name) == 0) return &services[i];
    return NULL;
}

/* "model,class,SMs,ns,kernel". */
static bool read_row(const char *line, char model[40], struct gsim_kernel *k, char name[64])
{
    int class;
    unsigned sms;
    double ns;
    if (sscanf(line, "%39[^,],%d,%u,%lf,%63[^\n]", model, &class, &sms, &ns, name) != 5 || class < -1 || class > 1 ||
        sms < 1 || sms > MAX_SMS || !(ns > 0) || ns > 1e12)
        return false;
    double busy = (sms < rates[0].sms ? sms / rates[0].sms : 1) * USED * ns * 1e-3;
    *k = (struct gsim_kernel){.name = name,
                              .grid = {BLOCKS_PER_SM * sms, 1, 1},
                              .block = {256, 1, 1},
                              .regs_per_thread = 32,
                              .solo_us = ns * 1e-3,
                              .solo_device = rates[0].device};
    if (class == 1) k->flops = busy * rates[0].flops;
    if (class == 0) k->dram_bytes = busy * rates[0].bytes;
    return true;
}

static enum gsim_status build_rows(const struct gsim_service *service, char *text, struct gsim_program *program,
                                   struct gsim_error *error)
{
    struct gsim_builder *b = gsim_builder_create(service->name);
    uint32_t line = 0, kernels = 0;
    enum gsim_status status = b ? GSIM_OK : gsim_no_memory(error);
    for (char *at = text, *next; at && *at && status == GSIM_OK; at = next) {
        char model[40], name[64];
        struct gsim_kernel k;
        next = strchr(at, '\n');
        if (next) *next++ = '\0';
        line++;
        if (*at == '#') continue;
        if (!read_row(at, model, &k, name))
            status = gsim_error_set(error, GSIM_INPUT, "line %u: expected model,class,SMs,ns,kernel, found '%.60s'",
                                    line, at);
        else if (strcmp(model, service->model) == 0) {
            gsim_builder_op(
                b, &(struct gsim_op){
                       .kind = GSIM_OP_HOST_COMPUTE, .host_us = PER_LAUNCH_US, .stream = -1, .overhead = true});
            gsim_builder_op(
                b, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &k), .stream = 0});
            kernels++;
        }
    }
    if (status == GSIM_OK && !kernels)
        status = gsim_error_set(error, GSIM_INPUT, "expected kernels of %s, found none", service->model);
    if (status == GSIM_OK) return gsim_builder_finish(b, 1, program, error);
    gsim_builder_destroy(b);
    return status;
}

/* What the kernel asks for, from its time on the GPU of R: latency where it leaves SMs empty, else all of the FP32 or
 * the DRAM rate. */
static void describe(struct gsim_kernel *k, const struct rates *r)
{
    bool computes =
        k->flops > 0 || (!(k->dram_bytes > 0) && k->regs_per_thread >= TILE_REGISTERS && k->smem_bytes > TILE_BYTES);
    bool is_small = (double)k->grid.x * k->grid.y * k->grid.z < r->sms;
    k->flops = !is_small && computes ? k->solo_us * r->flops : 0;
    k->dram_bytes = !is_small && !computes ? k->solo_us * r->bytes : 0;
    if (k->smem_bytes > ANY_GPUS_BYTES) k->smem_bytes = ANY_GPUS_BYTES;
    k->thread_cycles = is_small ? k->solo_us * r->clock_mhz : 0;
}

static enum gsim_status read_rows(const struct gsim_service *service, const char *path, struct gsim_program *program,
                                  struct gsim_error *error)
{
    size_t length;
    char *text = gsim_file_read(path, &length, error);
    if (!text) return gsim_error_prefix(error, "'%s'", path);
    enum gsim_status status = build_rows(service, text, program, error);
    gsim_free(text);
    return status == GSIM_OK ? status : gsim_error_prefix(error, "'%s'", path);
}

enum gsim_status gsim_service_build(const struct gsim_service *service, const char *path, const char *device,
                                    struct gsim_program *program, struct gsim_error *error)
{
    enum gsim_status status =
        service->model ? read_rows(service, path, program, error) : gsim_program_read(path, program, error);
    if (status == GSIM_OK) {
        for (uint32_t i = 0; i < program->kernel_count; i++) {
            struct gsim_kernel *k = &program->kernels[i];
            for (size_t r = 0;
                 r < sizeof rates / sizeof rates[0] && k->solo_device && strcmp(k->solo_device, device) != 0; r++)
                if (strcmp(rates[r].device, k->solo_device) == 0) describe(k, &rates[r]);
        }
    }
    return status;
}
