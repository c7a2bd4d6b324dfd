#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How soon a node of a captured graph starts whose last predecessor ended while another kernel's blocks were being placed: from the blocks that
dagrun.cu records.

Usage: held.py DAGRUN.json...

From that kernel's last block to the node's first, where nothing came between and the node's blocks fit beside those there (threads, registers and
the shared-memory configuration of docs/model/placement.md), of nodes that follow their own channel only and of those that follow others too.
"""
import collections
import statistics
import sys

from dagrun_blocks import predecessors, recorded

PLACING = 200, 4000  # ns: at least so long before the predecessor's end its first block, and after it its last one
KIB = 1024
CONFIGURATIONS = [c * KIB for c in (8, 16, 32, 64, 100, 132, 164, 196, 228)]


def crossing(before):
    """Which nodes follow another channel than their own: a root opens one, any other node is in the last opened of those that it follows."""
    channels, opened = [], 0
    for follows in before:
        channels.append(max((channels[p] for p in follows), default=opened))
        opened += not follows
    return [any(channels[p] != channels[i] for p in follows) for i, follows in enumerate(before)]


def shared_memory(kernel):
    """(what a kernel's full occupancy needs, what the driver configures for it), bytes."""
    warps, bytes_of_block = kernel['block'] // 32, (kernel['smem'] + KIB + 127) // 128 * 128
    blocks = min(32, 64 // warps, 65536 // (-(-kernel['regs'] * 32 // 256) * 256 * warps), 228 * KIB // bytes_of_block)
    need = blocks * bytes_of_block
    if not kernel['smem']:
        return need, (8 if blocks <= 2 else 16 if blocks <= 4 else 32) * KIB
    wanted = max(need, min(2 * need, 132 * KIB)) if blocks > 1 and kernel['block'] < 1024 else need
    return need, min(c for c in CONFIGURATIONS if c >= wanted)


def delays(kernels, nodes, blocks, found):
    if any(kernel < 0 for _, kernel, _ in nodes):
        return  # with copies
    before = predecessors(nodes)
    crosses = crossing(before)
    first, last, end = ([pick(b[k] for b in bs) for bs in blocks] for pick, k in ((min, 1), (max, 1), (max, 2)))
    for node, follows in enumerate(before):
        if not follows:
            continue
        released = max(end[p] for p in follows)
        placing = [k for k in range(len(nodes)) if k != node and first[k] <= released - PLACING[0] and released + PLACING[1] < last[k] <= first[node]]
        if not placing:
            continue
        other = max(placing, key=lambda k: last[k])
        between = any(k not in (node, other) and last[other] < last[k] and first[k] < first[node] for k in range(len(nodes)))
        need, configured = shared_memory(kernels[nodes[node][1]])[0], shared_memory(kernels[nodes[other][1]])[1]
        if not between and need <= configured and kernels[nodes[other][1]]['type'] in ('stream', 'smem'):
            found[crosses[node]].append((first[node] - last[other]) / 1000)


def main():
    found = collections.defaultdict(list)
    for path in sys.argv[1:]:
        for index, (kernels, nodes, blocks) in enumerate(recorded(path)):
            if index % 2:  # as a graph
                delays(kernels, nodes, blocks, found)
    print('the node follows   nodes  from the last block before to its first, us: 5, 25, 50, 75 %')
    for crosses, name in ((False, 'its channel only'), (True, 'others too')):
        cuts = statistics.quantiles(found[crosses], n=20, method='inclusive')
        print(f'{name:17}  {len(found[crosses]):5}  ' + ' '.join(f'{cuts[k]:5.2f}' for k in (0, 4, 9, 14)))


if __name__ == '__main__':
    main()
