/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Routes by hand: which links a transfer takes, how wide and how late. The nodes are those of models/nodes, whose
 * numbers stand here again; own links are the fixture's: 10 GB/s each way, 15 both. Node files that are wrong, and what
 * is said of them.
 */
#include <stdio.h>
#include <unistd.h>

#include "sim/memory/links.h"
#include "sim/platform/engine.h"
#include "tests/sim/machine_fixture.h"

#define MOST 40

struct at { /* a platform with devices of the fixture's kind */
    struct gsim_node *node;
    struct gsim_platform platform;
    struct gsim_own_links own;
    const struct gsim_own_links *access[MOST];
    struct gsim_arena arena;
};

static void open_node_of(struct at *a, const char *name, uint32_t most)
{
    const struct gsim_device_spec device = fixture_device();
    struct gsim_error error = {0};
    *a = (struct at){.own = gsim_links_access(&device)};
    for (int i = 0; i < MOST; i++) a->access[i] = &a->own;
    CHECK_OK(gsim_node_load(&a->node, name, &error), error);
    uint32_t count = gsim_node_device_count(a->node);
    CHECK(gsim_platform_init(&a->platform, a->node, count < most ? count : most, a->access, NULL, &a->arena));
}
static void open_node(struct at *a, const char *name) { open_node_of(a, name, MOST); }

static void close_node(struct at *a)
{
    gsim_arena_release(&a->arena);
    gsim_node_release(a->node);
}

/* "gpu0 to gpu3 + ..." of the route, or "none". */
static const char *way(const struct at *a, enum gsim_move move, gsim_place from, gsim_place to, char *text, size_t size)
{
    struct gsim_route route;
    char name[96];
    if (!gsim_platform_route(&a->platform, &(struct gsim_leg){move, from, to}, &route)) return "none";
    *text = '\0';
    for (uint32_t i = 0; i < route.count; i++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? " + " : "",
                 gsim_platform_link_name(&a->platform, route.links[i], name, sizeof name));
    return text;
}

/* Three of a device without a node file: NVLink of the device's file, 255 GB/s, by a switch. */
static void several_of_a_device(void)
{
    struct at a;
    open_node(&a, "a100-sxm4-80gb-x3");
    CHECK(gsim_node_device_count(a.node) == 3 && gsim_node_host_count(a.node) == 1);
    CHECK_STR(gsim_node_device_model(a.node, 2), "a100-sxm4-80gb");
    CHECK_STR(gsim_node_name(a.node), "a100-sxm4-80gb-x3");
    CHECK_NEAR(gsim_platform_gbps(&a.platform, gsim_platform_device_place(&a.platform, 0),
                                  gsim_platform_device_place(&a.platform, 2)), 255, 1e-9);
    close_node(&a);
}

/* Eight V100: the host is place 0, GPU G place 1 + G. */
static void routes_of_a_dgx1(void)
{
    struct at a;
    char text[400];
    open_node(&a, "dgx1-v100");
    const struct gsim_platform *p = &a.platform;
    CHECK_STR(way(&a, GSIM_MOVE_PINNED, 0, 3, text, sizeof text),
              "gpu2 from host (pinned) + gpu2 both ways + host to plx1");
    CHECK_STR(way(&a, GSIM_MOVE_PAGEABLE, 3, 0, text, sizeof text),
              "gpu2 to host (pageable) + gpu2 both ways + plx1 to host");
    CHECK_STR(way(&a, GSIM_MOVE_DIRECT, 1, 4, text, sizeof text), "gpu0 to gpu3");
    CHECK_STR(way(&a, GSIM_MOVE_DIRECT, 4, 1, text, sizeof text), "gpu3 to gpu0");
    CHECK_STR(way(&a, GSIM_MOVE_DIRECT, 1, 5, text, sizeof text), "none"); /* other GPUs pass nothing on */
    CHECK_STR(way(&a, GSIM_MOVE_PINNED, 1, 5, text, sizeof text),
              "gpu0 to host (pinned) + gpu4 from host (pinned) + gpu0 through the host + plx0 to host + host to plx2");
    CHECK_NEAR(gsim_platform_gbps(p, 1, 4), 48.4, 1e-12);
    CHECK_NEAR(gsim_platform_latency_us(p, 1, 4), 2.4, 1e-12);
    CHECK_NEAR(gsim_platform_gbps(p, 1, 5), 8.6, 1e-12);
    CHECK_NEAR(gsim_platform_latency_us(p, 1, 5), 20, 1e-12);
    CHECK_NEAR(gsim_platform_transfer_us(p, 1, 5, 8.6e6), 20 + 1000, 1e-9);
    CHECK_NEAR(gsim_platform_gbps(p, 0, 1), 10, 1e-12);
    CHECK(gsim_platform_has_peer_links(p, 0, 3) && !gsim_platform_has_peer_links(p, 0, 4));
    close_node(&a);
}

/* Past the host at a switch, all through one port of it where the file says so. */
static void routes_of_switches(void)
{
    struct at a;
    char text[400];
    open_node(&a, "pcie-x4");
    CHECK_STR(way(&a, GSIM_MOVE_PINNED, 1, 2, text, sizeof text), "gpu0 to host (pinned) + gpu1 from host (pinned)");
    CHECK_STR(way(&a, GSIM_MOVE_PINNED, 0, 2, text, sizeof text),
              "gpu1 from host (pinned) + gpu1 both ways + host to switch");
    close_node(&a);
    open_node(&a, "dgx-a100");
    CHECK_STR(way(&a, GSIM_MOVE_DIRECT, 1, 8, text, sizeof text), "gpu0 to nvswitch + nvswitch to gpu7");
    CHECK_NEAR(gsim_platform_gbps(&a.platform, 1, 8), 255, 1e-12);
    close_node(&a);
}

/* Four boxes of eight, hosts 0 to 3, then 32 devices; each device's leaf of the network is its own. */
static void routes_over_a_network(void)
{
    struct at a;
    struct gsim_route route;
    open_node(&a, "dgx-h100-x4");
    const struct gsim_platform *p = &a.platform;
    CHECK_INT(gsim_platform_host_count(p), 4);
    CHECK_INT(gsim_platform_device_count(p), 32);
    CHECK_INT(gsim_platform_host_place(p, 7), 0);
    CHECK_INT(gsim_platform_host_place(p, 8), 1);
    CHECK(gsim_platform_route(p, &(struct gsim_leg){GSIM_MOVE_PINNED, 4 + 2, 4 + 31}, &route));
    CHECK_INT(route.leaves[0], 2);
    CHECK_INT(route.leaves[1], 31);
    CHECK_INT(route.count, 4); /* own, to the network, from it, own */
    CHECK_NEAR(gsim_route_gbps(p, &route), 10, 1e-12);
    CHECK(gsim_platform_has_peer_links(p, 8, 15) && !gsim_platform_has_peer_links(p, 7, 8));
    CHECK(gsim_platform_route(p, &(struct gsim_leg){GSIM_MOVE_PINNED, 0, 3}, &route));
    CHECK_INT(route.count, 4); /* to its switch, to the network, and back */
    CHECK_NEAR(gsim_route_gbps(p, &route), 50, 1e-12);
    CHECK_NEAR(route.latency_us, 1 + 3 + 1, 1e-12);
    close_node(&a);
}

/* --- sharing, by SimGrid --- */

struct flights {
    const struct gsim_leg *legs;
    uint32_t count;
    uint64_t bytes;
    struct gsim_engine *engine;
    gsim_time ends[8];
};

static void fly(void *argument)
{
    struct flights *f = argument;
    gsim_time when, *end;
    for (uint32_t i = 0; i < f->count; i++) gsim_engine_transfer(f->engine, 0, &f->legs[i], f->bytes, &f->ends[i]);
    while (gsim_engine_transfers_in_flight(f->engine)) {
        while ((end = gsim_engine_ended(f->engine, &when)) != NULL) *end = when;
        if (gsim_engine_transfers_in_flight(f->engine)) gsim_engine_wait(f->engine, GSIM_TIME_NEVER);
    }
    gsim_engine_finish(f->engine);
}

static void share(const struct at *a, const struct gsim_leg *legs, uint32_t count, uint64_t bytes, double us)
{
    struct flights f = {.legs = legs, .count = count, .bytes = bytes};
    struct gsim_error error = {0};
    CHECK_OK(gsim_engine_run(&a->platform, fly, &f, &f.engine, &error), error);
    for (uint32_t i = 0; i < count; i++)
        CHECK_MSG(fabs(gsim_time_us(f.ends[i]) - us) < 0.01, "transfer %u: %.4f us, expected %.4f", i,
                  gsim_time_us(f.ends[i]), us);
}

/* Two up to GPUs of one switch share its 25 GB/s: own links allow 10 each. Four: 6.25 each. Two copies of unlike ends
 * do not meet. */
static void devices_share_a_switch(void)
{
    static const struct gsim_leg up[] = {
        {GSIM_MOVE_PINNED, 0, 1}, {GSIM_MOVE_PINNED, 0, 2}, {GSIM_MOVE_PINNED, 0, 3}, {GSIM_MOVE_PINNED, 0, 4}};
    static const struct gsim_leg across[] = {{GSIM_MOVE_PINNED, 1, 2}, {GSIM_MOVE_PINNED, 3, 4}};
    struct at a;
    open_node(&a, "pcie-x4");
    share(&a, up, 2, 1000000, 0.5 + 100);
    share(&a, up, 4, 1000000, 0.5 + 160);
    share(&a, across, 2, 1000000, 100);
    close_node(&a);
}

/* From one GPU to two others over one port of the NVSwitch: half of 380 GB/s each; from two: each its own. */
static void peers_share_a_port(void)
{
    static const struct gsim_leg one[] = {{GSIM_MOVE_DIRECT, 1, 2}, {GSIM_MOVE_DIRECT, 1, 3}};
    static const struct gsim_leg two[] = {{GSIM_MOVE_DIRECT, 1, 2}, {GSIM_MOVE_DIRECT, 3, 4}};
    struct at a;
    open_node(&a, "dgx-h100");
    share(&a, one, 2, 3800000, 2.4 + 20);
    share(&a, two, 2, 3800000, 2.4 + 10);
    close_node(&a);
}

/* Of two hosts to two others over one fat tree after another node in the same process; a host has eight cards and takes
 * one: 50. */
static void hosts_cross_a_network(void)
{
    static const struct gsim_leg legs[] = {{GSIM_MOVE_PINNED, 0, 2}, {GSIM_MOVE_PINNED, 1, 3}},
                                 same[] = {{GSIM_MOVE_PINNED, 0, 2}, {GSIM_MOVE_PINNED, 0, 3}};
    struct at a;
    open_node(&a, "dgx-h100-x4");
    share(&a, legs, 2, 50000, 5 + 1);
    share(&a, same, 2, 50000, 5 + 2);
    close_node(&a);
}

/* --- files --- */

static const struct {
    const char *text, *message;
} wrong[] = {
    {"{\"schema\": \"gpusim-node/2\", \"name\": \"x\", \"devices\": [{}]}",
     "schema: expected \"gpusim-node/1\", found \"gpusim-node/2\""},
    {"{\"schema\": \"gpusim-node/1\", \"name\": \"x\"}", "devices: expected one at least"},
    {"{\"schema\": \"gpusim-node/1\", \"name\": \"x\", \"devices\": [{\"count\": 0}]}",
     "devices[0].count: expected an integer from 1"},
    {"{\"schema\": \"gpusim-node/1\", \"name\": \"x\", \"devices\": [{\"at\": \"plx\"}]}",
     "devices[0].at: expected the name of a device, a switch, host"},
    {"{\"schema\": \"gpusim-node/1\", \"name\": \"x\", \"devices\": [{\"at\": \"s\"}], \"switches\": [\"s\"]}",
     "'gpu0' is at 's', from which no links lead to the host"},
    {"{\"schema\": \"gpusim-node/1\", \"name\": \"x\", \"devices\": [{\"name\": \"host\"}]}",
     "another thing is called 'host'"},
    {"{\"schema\": \"gpusim-node/1\", \"name\": \"x\", \"devices\": [{\"count\": 2}], \"links\": [{\"ends\": "
     "[\"gpu0\", \"gpu1\"]}]}",
     "links[0].gbps: expected a number above 0"},
    {"{\"schema\": \"gpusim-node/1\", \"name\": \"x\", \"devices\": [{\"count\": 2}], \"links\": [{\"ends\": "
     "[\"gpu0\", \"gpu0\"], \"gbps\": 1}]}",
     "links[0].ends: expected two different ones"},
    {"{\"schema\": \"gpusim-node/1\", \"name\": \"x\", \"devices\": [{\"count\": 2}], \"link\": []}",
     "node.link: unknown field, expected one of schema"},
    {"{\"schema\": \"gpusim-node/1\", \"name\": \"x\", \"nodes\": [{\"node\": \"mixed-x2\"}], \"network\": "
     "{\"topology\": \"ring\"}}",
     "nodes[0]: node 'mixed-x2' has no link to the network"},
    {"{\"schema\": \"gpusim-node/1\", \"name\": \"x\", \"nodes\": [{\"node\": \"dgx-h100\", \"count\": 9}], "
     "\"network\": {\"topology\": \"fat-tree\", "
     "\"gbps\": 1, \"latency_us\": 1, \"down\": [8, 8], \"up\": [1, 1], \"links\": [1, 1]}}",
     "network: 72 links of nodes lead to it, and it has places for 64"},
    {"{\"schema\": \"gpusim-node/1\", \"name\": \"x\", \"nodes\": [{\"node\": \"dgx-h100-x4\"}]}",
     "nodes: expected a node of one host"},
};

static void wrong_files(void)
{
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char path[] = "./node-XXXXXX"; /* a '/': it is a path */
        struct gsim_node *node = NULL;
        struct gsim_error error = {0};
        int descriptor = mkstemp(path);
        FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
        CHECK(file && fputs(wrong[i].text, file) >= 0 && fclose(file) == 0);
        CHECK(gsim_node_load(&node, path, &error) == GSIM_INPUT && !node);
        CHECK_HAS(error.message, wrong[i].message);
        unlink(path);
    }
    struct gsim_node *node = NULL;
    struct gsim_error error = {0};
    CHECK(gsim_node_load(&node, "a100-sxm4-80gb-x0", &error) == GSIM_USAGE);
    CHECK(gsim_node_load(&node, "a100-sxm4-80gb-x2y", &error) == GSIM_USAGE);
    CHECK(gsim_node_load(&node, "nothing-x2", &error) == GSIM_USAGE && !node);
    CHECK(gsim_node_load(&node, "dgx-h10", &error) == GSIM_USAGE);
    CHECK_HAS(error.message, "unknown node 'dgx-h10'");
}

/* A DGX-1 has a ring of double links, 0 3 2 1 7 4 5 6, which its first four GPUs lack.
 * Beyond a switch of an L40S node one GPU of each pair sends. */
static void rings_are_as_wide_as_their_narrowest_link(void)
{
    static const struct {
        const char *node;
        uint32_t count;
        double gbps;
    } rows[] = {{"dgx1-v100", 8, 48.3},  {"dgx1-v100", 4, 24.2}, {"dgx-h100", 8, 380},   {"l40s-x8", 2, 24},
                {"l40s-x8", 4, 5.53},    {"l40s-x8", 8, 1.4},    {"dgx-h100-x128", 16, 380}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct at a;
        open_node_of(&a, rows[i].node, 8);
        CHECK_NEAR(gsim_platform_ring_gbps(&a.platform, rows[i].count), rows[i].gbps, 0.05);
        close_node(&a);
    }
}

static const struct test_case cases[] = {
    {"rings are as wide as their narrowest link", rings_are_as_wide_as_their_narrowest_link},
    {"several of a device", several_of_a_device},
    {"routes of a DGX-1", routes_of_a_dgx1},
    {"routes of switches", routes_of_switches},
    {"routes over a network", routes_over_a_network},
    {"devices share a switch", devices_share_a_switch},
    {"peers share a port", peers_share_a_port},
    {"hosts cross a network", hosts_cross_a_network},
    {"wrong files", wrong_files},
};
TEST_MAIN("sim/platform", cases)
