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

from dagrun_blocks import schedules

SMS, TOGETHER_NS, SHORTEST_NS = 132, 1500, 40000


def together(launches):
    """(kernel, ends in ns after their common start) of each SM that held blocks of one kernel only, in their time."""
    by_sm = collections.defaultdict(list)
    for i, (kernel, blocks) in enumerate(launches):
        for sm, start, end in blocks:
            by_sm[sm].append((start, end, i))
    for blocks in by_sm.values():
        for i in {b[2] for b in blocks}:
            kernel = launches[i][0]
            if kernel['type'] != 'stream' or not kernel['fl'] or kernel['grid'] > SMS or kernel['solo_ns'] < SHORTEST_NS:
                continue
            own = sorted(b[:2] for b in blocks if b[2] == i)
            first, last = own[0][0], max(b[1] for b in own)
            if len(own) < 2 or own[-1][0] - first > TOGETHER_NS:
                continue
            if not any(b[2] != i and b[0] < last and b[1] > first for b in blocks):
                yield kernel, sorted(b[1] - first for b in own)


def main():
    found = collections.defaultdict(list)
    for launches in (launches for path in sys.argv[1:] for launches in schedules(path)):
        for kernel, ends in together(launches):
            found[kernel['fl'], kernel['block'], len(ends)].append([ends[i] / kernel['solo_ns'] for i in (0, len(ends) // 2, -1)])
    for (fmas, threads, blocks), ends in sorted(found.items()):
        first, middle, last = (statistics.median(e[i] for e in ends) for i in range(3))
        print(f'{fmas:2} FMAs {threads:4} threads {blocks:2} blocks: {len(ends):4} SMs, ends {first:.3f} {middle:.3f} {last:.3f}')


if __name__ == '__main__':
    main()
