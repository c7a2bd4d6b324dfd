/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that are cut or have bits flipped, of every format that is read: never a crash, and a result or one message
 * that says what is wrong with the file. The importers' are in test_import_*.c.
 */
#include <stdlib.h>
#include <unistd.h>

#include "sim/device/device.h"
#include "trust/calibrate/probe.h"
#include "tests/test.h"
#include "tests/traces/mutate.h"
#include "traces/cases.h"
#include "traces/runs.h"
#include "gpusim/program.h"

#define ROUNDS 1500

static enum gsim_status read_program(const char *path, struct gsim_error *error)
{
    struct gsim_program program = {0};
    enum gsim_status status = gsim_program_read(path, &program, error);
    if (status == GSIM_OK) gsim_program_release(&program);
    return status;
}

static enum gsim_status read_device(const char *path, struct gsim_error *error)
{
    struct gsim_device_spec device = {0};
    enum gsim_status status = gsim_device_load(path, &device, error);
    if (status == GSIM_OK) gsim_device_release(&device);
    return status;
}

static enum gsim_status read_probe(const char *path, struct gsim_error *error)
{
    struct gsim_probe probe;
    gsim_probe_init(&probe);
    enum gsim_status status = gsim_probe_read(path, &probe, error);
    gsim_probe_release(&probe);
    return status;
}

static enum gsim_status pass_over(void *context, const struct gsim_recordings *recordings,
                                  const struct gsim_recording *run, struct gsim_error *error)
{
    (void)context, (void)recordings, (void)run, (void)error;
    return GSIM_OK;
}

static enum gsim_status read_runs(const char *path, struct gsim_error *error)
{
    struct gsim_recordings recordings = {0};
    enum gsim_status status = gsim_runs_read(path, &(struct gsim_runs_handler){pass_over, NULL}, &recordings, error);
    gsim_recordings_release(&recordings);
    return status;
}

static char *bytes_of(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    *length = 0;
    if (!file) return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && ftell(file) > 0) {
        *length = (size_t)ftell(file);
        rewind(file);
        bytes = gsim_alloc(*length + 1);
        if (bytes && fread(bytes, 1, *length, file) != *length) *length = 0;
    }
    fclose(file);
    return bytes;
}

static enum gsim_status read_cases(const char *path, struct gsim_error *error)
{
    struct gsim_case_set set = {0};
    size_t length;
    char *bytes = bytes_of(path, &length);
    enum gsim_status status = gsim_cases_parse(&set, path, bytes ? bytes : "", length, error);
    gsim_case_set_release(&set);
    gsim_free(bytes);
    return status;
}

static void break_bytes(const char *what, const char *bytes, size_t length,
                        enum gsim_status (*read)(const char *, struct gsim_error *))
{
    char path[64], *copy = gsim_alloc(length + 1);
    uint64_t state = 20240229;
    uint32_t done = 0, refused = 0;
    snprintf(path, sizeof path, "/tmp/gpusim-broken-%ld.json", (long)getpid());
    for (uint32_t round = 0; round < ROUNDS && copy; round++) {
        struct gsim_error error = {0};
        size_t kept = mutate(copy, bytes, length, round, &state);
        FILE *file = fopen(path, "wb");
        CHECK(file != NULL);
        if (!file) break;
        fwrite(copy, 1, kept, file);
        fclose(file);
        enum gsim_status status = read(path, &error);
        done += status == GSIM_OK;
        refused += status != GSIM_OK;
        CHECK_MSG(status == GSIM_OK || ((status == GSIM_INPUT || status == GSIM_USAGE) && error.message[0]),
                  "%s, round %u: status %d: %s", what, round, (int)status, error.message);
    }
    CHECK_MSG(done > 0 && refused > 0, "%s: %u read, %u refused", what, done, refused);
    remove(path);
    gsim_free(copy);
}

static void break_text(const char *what, const char *text, enum gsim_status (*read)(const char *, struct gsim_error *))
{
    break_bytes(what, text, strlen(text), read);
}

static void break_file(const char *path, enum gsim_status (*read)(const char *, struct gsim_error *))
{
    size_t length;
    char *bytes = bytes_of(path, &length);
    CHECK_MSG(length > 0, "%s: not read", path);
    if (length) break_bytes(path, bytes, length, read);
    gsim_free(bytes);
}

static void programs(void)
{
    break_text("program",
               "{\"schema\":\"gpusim-program/"
               "1\",\"name\":\"c\",\"buffers\":[{\"name\":\"x\",\"bytes\":262144,\"init\":\"none\"},{\"name\":\"y\","
               "\"bytes\":262144,\"init\":\"host\"}],\"kernels\":[{\"name\":\"k\",\"flops\":1e6,\"dram_bytes\":8192}],"
               "\"ops\":[{\"op\":\"host_write\","
               "\"buffer\":\"x\"},{\"op\":\"kernel\",\"kernel\":\"k\",\"grid\":[64,1,1],\"block\":[256,1,1],\"reads\":["
               "\"x\"],\"writes\":[\"y\"],"
               "\"stream\":1},{\"op\":\"host_read\",\"buffer\":\"y\",\"bytes\":4}],\"iterations\":2}",
               read_program);
}
static void devices(void) { break_file(GPUSIM_SOURCE_DIR "/models/h200.json", read_device); }
static void probes(void) { break_file(GPUSIM_SOURCE_DIR "/traces/h200/probe.json", read_probe); }

static void runs(void)
{
    break_text("runs",
               "{\"schema\":\"gpusim-runs/1\",\"name\":\"two\",\"gpu\":\"NVIDIA "
               "H200\",\"device\":\"h200\",\"compute_capability\":90,\"profiles\":["
               "{\"workload\":\"img\",\"suite\":\"kesco\",\"shape\":\"serial\",\"size\":4800,\"block1d\":512,"
               "\"blocks\":32,\"slice_sms\":17,\"ops\":["
               "{\"op\":3,\"kernel\":\"blur\",\"grid\":[16,16,1],\"block\":[8,8,1],\"regs_per_thread\":40,\"smem_"
               "bytes\":64,\"solo_us\":812.1,"
               "\"min_us\":811.0,\"max_us\":815.2,\"slice_us\":5000}]}],\"runs\":[{\"workload\":\"img\",\"suite\":"
               "\"kesco\",\"shape\":\"serial\","
               "\"scheduler\":\"kesco\",\"size\":4800,\"block1d\":512,\"blocks\":32,\"memory\":\"pageable\","
               "\"prefetch\":true,\"split\":\"fit\","
               "\"checked\":true,\"iteration_us\":[3.5,1,2],\"traced\":{\"iteration_us\":4.5,\"ops\":[{\"op\":3,"
               "\"kind\":\"kernel\",\"name\":\"blur\","
               "\"stream\":2,\"launch_us\":10.1,\"start_us\":15.2,\"end_us\":820.0},{\"op\":0,\"kind\":\"h2d\","
               "\"bytes\":92160000,\"stream\":1,"
               "\"launch_us\":2.0,\"start_us\":4.0,\"end_us\":1700.0}]},\"calls\":[{\"call\":\"cudaGraphLaunch\","
               "\"count\":11,\"total_us\":44.0}]}]}",
               read_runs);
}

static void cases_of_kernels(void)
{
    break_text("cases",
               "{\"sms\":3,\"solo\":[{\"type\":\"fma\",\"grid\":4,\"block\":128,\"smem\":0,\"regs\":15,\"flops\":1e6,"
               "\"dram_bytes\":0,\"solo_ns\":50000},"
               "{\"type\":\"copy\",\"grid\":4,\"block\":128,\"smem\":0,\"regs\":15,\"flops\":0,\"dram_bytes\":1e6,"
               "\"solo_ns\":50000}],\"pairs\":["
               "{\"a\":1,\"b\":0,\"span\":60000,\"min\":59000,\"max\":62000,\"a_start\":0,\"a_end\":50000,\"b_start\":"
               "10000,\"b_end\":60000,"
               "\"blocks_a\":[[0,0,1],[0,0,1],[1,0,1],[2,0,1]],\"blocks_b\":[[1,0,1],[1,0,1],[1,0,1],[1,0,1]]}]}",
               read_cases);
}

static const struct test_case cases[] = {
    {"programs", programs},
    {"devices", devices},
    {"probes", probes},
    {"recorded runs", runs},
    {"recorded cases", cases_of_kernels},
};
TEST_MAIN("contract/broken_files", cases)
