#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How soon nodes of captured graphs start behind those that they follow, and in which order.

Usage: graphs.py CASES.json.gz... (what dagrun_cases.py writes)

A root opens a channel, and so does a node that follows a copy; any other node is in the last opened channel of those that it
follows. Told apart are nodes that follow their own channel only and others. Counted are nodes whose last predecessor is a kernel
that ended up to 4 us before: others wait for room.
"""
import collections
import gzip
import json
import statistics
import sys

SOON = 4.0  # us
BETWEEN = 2.0  # us, between the two kinds of gap


def edges(nodes):
    """What each node follows: the one before it in its stream, then those of other streams that it waits for."""
    last, follows = {}, []
    for i, node in enumerate(nodes):
        own = [last[node['stream']]] if node['stream'] in last else []
        follows.append(own + [d for d in node['dep'] if nodes[d]['stream'] != node['stream'] and d not in own])
        last[node['stream']] = i
    return follows


def channels(nodes, follows):
    found, opened = [], 0
    for before in follows:
        if before and all('kernel' in nodes[d] for d in before):
            found.append(max(found[d] for d in before))
        else:
            found.append(opened)
            opened += 1
    return found


def kind_of(i, nodes, follows, channel):
    """'own': behind its own channel only; 'copy': behind a copy and others; 'other': behind several channels."""
    if len({channel[d] for d in follows[i]} | {channel[i]}) == 1 or len(follows[i]) == 1:
        return 'own'
    return 'other' if all('kernel' in nodes[d] for d in follows[i]) else 'copy'


def released(nodes, follows):
    """Of each kernel the kernels that start soon behind it, it being the last that they follow: (it, [(gap in us, node)])."""
    ends = [node.get('gend', 0) / 1e3 for node in nodes]
    behind = collections.defaultdict(list)
    for i, node in enumerate(nodes):
        if 'kernel' in node and follows[i]:
            last = max(follows[i], key=lambda d: ends[d])
            gap = node['gstart'] / 1e3 - ends[last]
            if 'kernel' in nodes[last] and 0 < gap < SOON:
                behind[last].append((gap, i))
    return behind.items()


def main():
    gaps, orders = collections.defaultdict(list), collections.Counter()
    for path in sys.argv[1:]:
        for case in json.load(gzip.open(path))['dags']:
            nodes = case['nodes']
            follows = edges(nodes)
            channel = channels(nodes, follows)
            for _, behind in released(nodes, follows):
                kinds = {i: kind_of(i, nodes, follows, channel) for _, i in behind}
                for gap, i in behind:
                    gaps[kinds[i]].append(gap)
                for a, b in ((a, b) for a in behind for b in behind if a[1] < b[1] and a[0] != b[0]):
                    orders[kinds[a[1]], kinds[b[1]], a[0] < b[0]] += 1
    for kind, values in sorted(gaps.items()):
        low, middle, high = (statistics.quantiles(values, n=20)[i] for i in (0, 9, 18))
        print(f'{kind:5}  {len(values):5} nodes, gap {middle:.2f} us (5 to 95 % {low:.2f} to {high:.2f}), '
              f'{sum(v < BETWEEN for v in values)} below {BETWEEN} us')
    for first, second in sorted({key[:2] for key in orders}):
        print(f'{first:5} captured before {second:5}: starts first in {orders[first, second, True]} pairs, '
              f'last in {orders[first, second, False]}')


if __name__ == '__main__':
    main()
