/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See sim/platform/wires.h. SimGrid takes additions to its platform until the first run begins. So zones that come later hang
 * below the root no more: they have its models and no parent, which suffices as every route lies in one of them.
 */
#include <cstring>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_map>
#include <vector>

extern "C" {
#include "sim/platform/node.h"
#include "sim/platform/wires.h"
extern const struct gsim_wires_ops gsim_wires __attribute__((visibility("default")));
}

namespace s4u = simgrid::s4u;
namespace routing = simgrid::kernel::routing;
using links = std::vector<simgrid::kernel::resource::StandardLinkImpl *>;

namespace {
constexpr uint32_t endpoints_at_once = 16, wires_at_once = 64;

struct network {
    gsim_network spec;
    uint32_t leaf_count;
    std::vector<s4u::Host *> leaves;
};

struct {
    std::vector<s4u::Host *> starts, ends; /* by endpoint; each in one zone */
    std::vector<s4u::Link *> wires;
    std::unordered_map<const routing::NetPoint *, links> routes; /* by where it starts */
    std::vector<network> networks;
    unsigned zone_count;
} state; /* as SimGrid itself, one per process */

/* A zone in which a transfer's start says its route. */
class wires_zone : public routing::NetZoneImpl {
public:
    explicit wires_zone(const std::string &name) : NetZoneImpl(name) {}
    void get_local_route(const routing::NetPoint *from, const routing::NetPoint *, routing::Route *into, double *) override
    {
        into->link_list_ = state.routes[from];
    }
};

s4u::NetZone *new_zone()
{
    auto *zone = new wires_zone("wires" + std::to_string(state.zone_count));
    if (state.zone_count++) {
        auto *root = s4u::Engine::get_instance()->get_netzone_root()->get_impl();
        zone->set_network_model(root->get_network_model());
        zone->set_cpu_pm_model(root->get_cpu_pm_model());
        zone->set_cpu_vm_model(root->get_cpu_vm_model());
        zone->set_disk_model(root->get_disk_model());
        zone->set_host_model(root->get_host_model());
    }
    return zone->get_iface();
}

void endpoint(uint32_t number, void **start, void **end)
{
    while (number >= state.starts.size()) {
        s4u::NetZone *zone = new_zone();
        s4u::Host *common = zone->create_host("end" + std::to_string(state.zone_count), 1e9);
        for (uint32_t i = 0; i < endpoints_at_once; i++) {
            state.starts.push_back(zone->create_host("start" + std::to_string(state.starts.size()), 1e9));
            state.ends.push_back(common);
        }
    }
    *start = state.starts[number];
    *end = state.ends[number];
}

void *wire(uint32_t number)
{
    while (number >= state.wires.size()) {
        s4u::NetZone *zone = new_zone();
        for (uint32_t i = 0; i < wires_at_once; i++)
            state.wires.push_back(zone->create_link("wire" + std::to_string(state.wires.size()), 1e9));
    }
    return state.wires[number];
}

std::vector<unsigned> to_vector(const uint32_t *values, uint32_t count) { return std::vector<unsigned>(values, values + count); }

const network &network_of(const gsim_network *spec, uint32_t leaf_count)
{
    for (const network &n : state.networks)
        if (n.leaf_count == leaf_count && !std::memcmp(&n.spec, spec, sizeof *spec)) return n;
    std::vector<s4u::Host *> leaves;
    const std::string name = "network" + std::to_string(state.networks.size());
    s4u::NetZone *parent = new_zone();
    const s4u::ClusterCallbacks callbacks([&leaves, &name](s4u::NetZone *zone, const std::vector<unsigned long> &, unsigned long) {
        s4u::Host *leaf = zone->create_host(name + "_leaf" + std::to_string(leaves.size()), 1e9);
        leaves.push_back(leaf);
        return std::pair<routing::NetPoint *, routing::NetPoint *>(leaf->get_netpoint(), nullptr);
    });
    const double bytes_per_s = spec->gbps * 1e9;
    const auto sharing = s4u::Link::SharingPolicy::SPLITDUPLEX;
    s4u::NetZone *zone =
        spec->topology == GSIM_TOPOLOGY_FAT_TREE
            ? s4u::create_fatTree_zone(name, parent,
                                       s4u::FatTreeParams(spec->level_count, to_vector(spec->down, spec->level_count),
                                                          to_vector(spec->up, spec->level_count), to_vector(spec->links, spec->level_count)),
                                       callbacks, bytes_per_s, 0, sharing)
            : s4u::create_dragonfly_zone(name, parent,
                                         s4u::DragonflyParams({spec->groups, spec->group_links}, {spec->chassis, spec->chassis_links},
                                                              {spec->routers, spec->router_links}, spec->nodes),
                                         callbacks, bytes_per_s, 0, sharing);
    zone->seal();
    state.networks.push_back({*spec, leaf_count, leaves});
    return state.networks.back();
}

void route(uint32_t number, const uint32_t *wires, uint32_t count, const gsim_network *spec, uint32_t leaf_count, const uint32_t leaves[2])
{
    links &way = state.routes[state.starts[number]->get_netpoint()];
    way.clear();
    for (uint32_t i = 0; i < count; i++) way.push_back(state.wires[wires[i]]->get_impl());
    if (!spec || leaves[0] == leaves[1]) return;
    const network &n = network_of(spec, leaf_count);
    double latency = 0;
    n.leaves[leaves[0]]->route_to(n.leaves[leaves[1]], way, &latency);
}
} // namespace

const struct gsim_wires_ops gsim_wires = {GSIM_WIRES_ABI, endpoint, wire, route};
