#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""When blocks end that load, compute and store and came to an SM together, by age: from the blocks that dagrun.cu records.

Usage: ranks.py DAGRUN.json...

Of kernels alone on an SM, whose time alone is that of one block on an SM: a line for each amount of arithmetic (FMAs per component), threads of
a block and number of blocks on the SM, with the number of SMs and the median ends of the first, the middle and the last block, in times alone.
"""
import collections
import statistics
import sys

from dagrun_blocks import alone, by_sm, schedules

SMS, TOGETHER_NS, SHORTEST_NS = 132, 1500, 40000


def main():
    found = collections.defaultdict(list)
    for launches in (launches for path in sys.argv[1:] for launches in schedules(path)):
        for blocks in by_sm(launches):
            for kernel, ends in alone(launches, blocks, TOGETHER_NS):
                if kernel['type'] != 'stream' or not kernel['fl'] or kernel['grid'] > SMS or kernel['solo_ns'] < SHORTEST_NS or len(ends) < 2:
                    continue
                ends.sort()
                found[kernel['fl'], kernel['block'], len(ends)].append([ends[i] / kernel['solo_ns'] for i in (0, len(ends) // 2, -1)])
    for (fmas, threads, blocks), ends in sorted(found.items()):
        first, middle, last = (statistics.median(e[i] for e in ends) for i in range(3))
        print(f'{fmas:2} FMAs {threads:4} threads {blocks:2} blocks: {len(ends):4} SMs, ends {first:.3f} {middle:.3f} {last:.3f}')


if __name__ == '__main__':
    main()
