#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much slower blocks that work in shared memory are beside loads: from the blocks that dagrun.cu records.

Usage: beside.py DAGRUN.json...

Of blocks alone of their kind on an SM, beside plain streams only (no arithmetic) or beside dependent scattered loads only: the share of the
time with company that they lost against their kernel's time alone. A line for each kind of company, L1 that the SM's carve-out
leaves, and warps that were there on average: the number of kernels and the least, median and largest share among them.
"""
import collections
import statistics
import sys

from dagrun_blocks import by_sm, schedules
from joins import own_class

L1_KIB = 256
SMS, LEAST_COVERED = 132, 0.25


def l1_left(kernel):
    """KiB, of the configuration that the kernel brings."""
    return L1_KIB - own_class(kernel)


def company(block, others):
    """(share of the block's time that others were there for, warps in that time)."""
    _, begin, end, _ = block
    spans = [(max(begin, o[1]), min(end, o[2]), o[0]['block'] / 32) for o in others if o is not block and o[1] < end and o[2] > begin]
    covered, last = 0, begin
    for first, until, _ in sorted(spans):
        covered += max(0, until - max(first, last))
        last = max(last, until)
    warps = sum((until - first) * w for first, until, w in spans)
    return covered / (end - begin), warps / covered if covered else 0


def kind_of(kernel):
    return {'chase': 'scattered', 'stream': 'streams' if not kernel['fl'] else None}.get(kernel['type'])


def main():
    found = collections.defaultdict(list)
    for launches in (launches for path in sys.argv[1:] for launches in schedules(path)):
        shares = collections.defaultdict(list)
        for blocks in by_sm(launches):
            blocks = [(launches[i][0], start, end, i) for start, end, i, _ in blocks]
            for block in blocks:
                kernel, start, end, i = block
                if kernel['type'] != 'smem' or len(launches[i][1]) > SMS or kernel['solo_ns'] < 30000:
                    continue
                kinds = {kind_of(o[0]) for o in blocks if o is not block and o[1] < end and o[2] > start}
                covered, warps = company(block, blocks)
                if len(kinds) == 1 and None not in kinds and covered >= LEAST_COVERED:
                    shares[i, kinds.pop()].append(((end - start - kernel['solo_ns']) / (covered * (end - start)), warps))
        for (i, kind), lost in shares.items():
            warps = statistics.median(w for _, w in lost)
            found[kind, l1_left(launches[i][0]), int(warps // 6) * 6].append(statistics.median(s for s, _ in lost))
    for (kind, l1, warps), lost in sorted(found.items()):
        print(f'{kind:9} {l1:3} KiB of L1, {warps:2} to {warps + 5:2} warps: {len(lost):3} kernels, lost {min(lost):6.3f} '
              f'{statistics.median(lost):6.3f} {max(lost):6.3f}')


if __name__ == '__main__':
    main()
