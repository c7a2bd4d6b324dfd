/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives: shapes as the profiler saw them on two H100, times by the equations of sim/collective/. */
#include "sim/collective/plan.h"
#include "tests/test.h"

struct fixture {
    struct gsim_device_spec device;
    struct gsim_nccl nccl;
    struct gsim_collective_links links;
};

static struct fixture open_fixture(void)
{
    struct fixture f;
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load("h100-vm", &f.device, &error), error);
    CHECK_OK(gsim_nccl_load(&f.nccl, &f.device, &error), error);
    f.links = (struct gsim_collective_links){.gpu_gbps = f.device.peer_gbps, .has_nvlink = true};
    return f;
}

/* Channels and threads of NCCL 2.28.9's kernels on two H100 80GB HBM3 with NVLink, as its profiler has them. */
static void test_shapes(void)
{
    static const struct {
        enum gsim_collective_kind kind;
        uint64_t bytes;
        uint32_t most, channels, threads;
    } rows[] = {
        {GSIM_COLLECTIVE_ALL_REDUCE, 4096, 0, 1, 256},         {GSIM_COLLECTIVE_ALL_REDUCE, 65536, 0, 8, 512},
        {GSIM_COLLECTIVE_ALL_REDUCE, 1 << 20, 0, 24, 512},     {GSIM_COLLECTIVE_ALL_REDUCE, 4 << 20, 0, 24, 544},
        {GSIM_COLLECTIVE_ALL_REDUCE, 1 << 20, 2, 2, 512},      {GSIM_COLLECTIVE_ALL_REDUCE, 16 << 20, 2, 2, 544},
        {GSIM_COLLECTIVE_ALL_GATHER, 65536, 0, 8, 512},        {GSIM_COLLECTIVE_ALL_GATHER, 64 << 20, 0, 24, 544},
        {GSIM_COLLECTIVE_REDUCE_SCATTER, 4 << 20, 0, 24, 544}, {GSIM_COLLECTIVE_BROADCAST, 65536, 0, 8, 512},
        {GSIM_COLLECTIVE_SEND_RECV, 65536, 0, 8, 640},         {GSIM_COLLECTIVE_SEND_RECV, 4 << 20, 0, 16, 640},
    };
    struct fixture f = open_fixture();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsim_collective what = {.kind = rows[i].kind, .bytes = rows[i].bytes, .channels = rows[i].most};
        struct gsim_collective_plan p = gsim_collective_plan(&f.nccl, &what, 2, &f.links);
        CHECK_MSG(p.channels == rows[i].channels && p.threads == rows[i].threads,
                  "row %zu: %u of %u threads, expected %u of %u", i, p.channels, p.threads, rows[i].channels,
                  rows[i].threads);
    }
    gsim_device_release(&f.device);
}

/* Two ranks, Simple, S bytes, c channels: send and reduce S/2 over the link each, then keep S/2:
 * base + S/2 / min(c send, L) + S/2 / min(c reduce, L) + S/2 / (c receive), by numbers of one's own. */
static void test_ring(void)
{
    struct fixture f = open_fixture();
    struct gsim_collective what = {
        .kind = GSIM_COLLECTIVE_ALL_REDUCE, .bytes = 8000000, .protocol = GSIM_PROTOCOL_SIMPLE, .channels = 4};
    f.nccl.send_gbps = 50;
    f.nccl.reduce_copy_send_gbps = 20;
    f.nccl.receive_gbps = 40;
    f.nccl.all_reduce_us = 10;
    struct gsim_collective_plan p = gsim_collective_plan(&f.nccl, &what, 2, &f.links);
    struct gsim_collective_conditions c = {.gpu_gbps = 160, .memory_stretch = 1, .sent_share = 1};
    CHECK_NEAR(gsim_collective_us(&f.nccl, &p, &c), 10 + 25 + 50 + 25, 1e-9); /* 4 MB at 160 (the link), 80, 160 GB/s */
    c.gpu_gbps = 40;
    CHECK_NEAR(gsim_collective_us(&f.nccl, &p, &c), 10 + 100 + 100 + 25, 1e-9);
    c.gpu_gbps = 160;
    c.memory_stretch = 2; /* blocks at half their rates: 100, 40, 80 GB/s */
    CHECK_NEAR(gsim_collective_us(&f.nccl, &p, &c), 10 + 40 + 100 + 50, 1e-9);
    CHECK_NEAR(gsim_collective_sent(&p), 8e6, 1e-6); /* 2 (n - 1) / n of it */
    CHECK_NEAR(gsim_collective_traffic(&f.nccl, &p), 24e6, 1e-6);
    p.ranks = 4; /* parts of 2 MB, 4 hops more: 12.5 + 2 x 2 MB each at 4 x 32 and 4 x 27.6, 25 and 12.5 */
    c.memory_stretch = 1;
    f.nccl.reduce_send_gbps = 40;
    f.nccl.copy_send_gbps = 20;
    CHECK_NEAR(gsim_collective_us(&f.nccl, &p, &c),
               10 + 4 * f.nccl.simple_hop_us + 12.5 + 2 * 12.5 + 25 + 2 * 25 + 12.5, 1e-9);
    gsim_device_release(&f.device);
}

/* What NCCL sends per rank (nccl-tests, PERFORMANCE.md). */
static void test_sent(void)
{
    static const struct {
        enum gsim_collective_kind kind;
        double sent;
    } rows[] = {{GSIM_COLLECTIVE_ALL_REDUCE, 1400},
                {GSIM_COLLECTIVE_ALL_GATHER, 700},
                {GSIM_COLLECTIVE_REDUCE_SCATTER, 700},
                {GSIM_COLLECTIVE_BROADCAST, 800},
                {GSIM_COLLECTIVE_ALL_TO_ALL, 700}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsim_collective what = {.kind = rows[i].kind, .bytes = 800};
        struct gsim_collective_plan p = {.what = &what, .ranks = 8, .nodes = 1, .algorithm = GSIM_ALGORITHM_RING};
        CHECK_NEAR(gsim_collective_sent(&p), rows[i].sent, 1e-9);
    }
}

/* Kernels alone on two H100, what the later of the two ranks recorded: within 6 % on average from 64 KiB on. */
static void test_alone(void)
{
    static const struct {
        enum gsim_collective_kind kind;
        uint64_t bytes;
        uint32_t most;
        double us;
    } rows[] = {
        {GSIM_COLLECTIVE_ALL_REDUCE, 1 << 20, 0, 11.936},      {GSIM_COLLECTIVE_ALL_REDUCE, 16 << 20, 0, 77.857},
        {GSIM_COLLECTIVE_ALL_REDUCE, 64 << 20, 0, 247.366},    {GSIM_COLLECTIVE_ALL_REDUCE, 256 << 20, 0, 891.329},
        {GSIM_COLLECTIVE_ALL_GATHER, 64 << 20, 0, 152.42},     {GSIM_COLLECTIVE_REDUCE_SCATTER, 64 << 20, 0, 157.602},
        {GSIM_COLLECTIVE_BROADCAST, 64 << 20, 0, 196.325},     {GSIM_COLLECTIVE_SEND_RECV, 64 << 20, 0, 193.507},
        {GSIM_COLLECTIVE_ALL_REDUCE, 1 << 20, 2, 76.545},      {GSIM_COLLECTIVE_ALL_REDUCE, 256 << 20, 2, 6408.443},
    };
    struct fixture f = open_fixture();
    double sum = 0;
    size_t count = sizeof rows / sizeof rows[0];
    for (size_t i = 0; i < count; i++) {
        struct gsim_collective what = {.kind = rows[i].kind, .bytes = rows[i].bytes, .channels = rows[i].most};
        struct gsim_collective_plan p = gsim_collective_plan(&f.nccl, &what, 2, &f.links);
        double off = gsim_collective_alone_us(&f.nccl, &p, &f.links) / rows[i].us - 1;
        CHECK_MSG(fabs(off) < 0.1, "row %zu: %.1f %% off", i, 100 * off);
        sum += fabs(off);
    }
    CHECK_MSG(sum / (double)count < 0.06, "%.1f %% off on average", 100 * sum / (double)count);
    gsim_device_release(&f.device);
}

static const struct test_case cases[] = {{"shapes", test_shapes},
                                         {"a ring's steps", test_ring},
                                         {"what is sent", test_sent},
                                         {"alone on two H100", test_alone}};
TEST_MAIN("sim/collective/collective", cases)
