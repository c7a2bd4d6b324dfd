#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long blocks take beside scattered loads for which L1 has no room: from the blocks that dagrun.cu records.

Usage: lines.py DAGRUN.json...

Of on-chip work, plain streams and scattered loads of at most a block per SM alone, beside scattered loads and plain streams only, on SMs whose
configuration leaves at most 92 KiB of L1: a line for each kind and share of L1 that scattered loads (a line of 128 bytes a thread) and streams
(16 bytes a thread) fill on average, with the number of kernels and the median of their times, in times alone.
"""
import collections
import statistics
import sys

from dagrun_blocks import by_sm, schedules
from joins import own_class

L1_KIB, MOST_L1_KIB, SMS, SHORTEST_NS = 256, 92, 132, 15000
KEPT_NS = 270  # an SM that is filled again within that keeps its configuration, if that is enough


def with_l1(blocks):
    """The SM's blocks (start, end, kernel, launch) in order, each with the KiB of L1 left when it came."""
    config, empty = None, 0
    for block in sorted(blocks, key=lambda b: b[:2]):
        own = own_class(block[2])
        if block[0] >= empty and (config is None or block[0] - empty > KEPT_NS or own > config):
            config = own
        empty = max(empty, block[1])
        yield block, L1_KIB - config


def threads(block, blocks, kind):
    """Of that kind, on average over the block's time; its own too."""
    shared = sum((min(b[1], block[1]) - max(b[0], block[0])) * b[2]['block'] for b in blocks
                 if b[2]['type'] == kind and b[0] < block[1] and b[1] > block[0])
    return shared / (block[1] - block[0])


def main():
    found = collections.defaultdict(list)
    for launches in (launches for path in sys.argv[1:] for launches in schedules(path)):
        times = collections.defaultdict(list)
        for blocks in by_sm(launches):
            blocks = [(start, end, launches[i][0], i) for start, end, i, _ in blocks]
            for block, l1 in with_l1(blocks):
                start, end, kernel, i = block
                if l1 > MOST_L1_KIB or kernel['grid'] > SMS or kernel['solo_ns'] < SHORTEST_NS or kernel['type'] == 'fma' or kernel['fl']:
                    continue
                others = [b for b in blocks if b is not block and b[0] < end and b[1] > start]
                if any(b[2]['type'] not in ('chase', 'stream') or b[2]['fl'] for b in others):
                    continue
                scattered = threads(block, blocks, 'chase') * 128 / (1024 * l1)
                streams = threads(block, blocks, 'stream') * 16 / (1024 * l1)
                if scattered > 0.1:
                    times[i, kernel['type'], round(4 * scattered) / 4 if scattered < 2 else round(scattered),
                          round(4 * streams) / 4].append((end - start) / kernel['solo_ns'])
        for key, values in times.items():
            found[key[1:]].append(statistics.median(values))
    for (kind, scattered, streams), values in sorted(found.items()):
        print(f'{kind:6} L1 filled by scattered loads {scattered:5.2f}, by streams {streams:4.2f}: {len(values):3} kernels, '
              f'{min(values):6.2f} {statistics.median(values):6.2f} {max(values):6.2f}')


if __name__ == '__main__':
    main()
