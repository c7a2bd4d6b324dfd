#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How soon the kernels behind one that fills the GPU get their first blocks placed: from the blocks that dagrun.cu records.

Usage: heads.py DAGRUN.json...

First table: behind a kernel whose blocks came one by one as others ended, from its last block to the first one of the next kernel, from that one's
last to the next, and so on; of kernels that had been ready before (15 us), where 20 blocks or more ended in the microsecond before, so that there is
room. Second table: of kernels of several waves that ran alone until their last block was placed, the time from there to the end, as a
share of a block's mean duration, and when blocks end in it.
"""
import bisect
import collections
import statistics
import sys

from dagrun_blocks import predecessors, recorded

READY = 15000  # ns
MOST_APART = 6000  # ns: more, and the next one was not ready after all
WAVES = ((1, 2.05), (2.05, 3.05), (3.05, 5), (5, 10), (10, 1000))
SHARES = (0.02, 0.1, 0.25, 0.5, 0.75, 0.9)


def heads(nodes, blocks, found):
    launches = [i for i, (_, kernel, _) in enumerate(nodes) if kernel >= 0 and blocks[i]]
    first, last = ({i: pick(b[1] for b in blocks[i]) for i in launches} for pick in (min, max))
    end = {i: max(b[2] for b in blocks[i]) for i in launches}
    before = predecessors(nodes)
    ready = {i: max((end[p] for p in before[i] if p in end), default=0) for i in launches}
    ends = sorted(b[2] for i in launches for b in blocks[i])
    order = sorted(launches, key=first.get)
    for place, head in enumerate(order):
        if last[head] - first[head] < READY or bisect.bisect(ends, last[head]) - bisect.bisect(ends, last[head] - 1000) < 20:
            continue
        previous = last[head]
        for position, i in enumerate(order[place + 1:]):
            if first[i] < last[head] or ready[i] > last[head] - READY or first[i] - previous > MOST_APART:
                break
            found[min(position, 2)].append((first[i] - previous) / 1000)
            if last[i] - first[i] > 1000:
                break
            previous = max(previous, last[i])


def tails(kernels, nodes, blocks, found):
    spans = {i: (min(b[1] for b in bs), max(b[2] for b in bs)) for i, bs in enumerate(blocks) if bs and nodes[i][1] >= 0}
    for i, (begin, _) in spans.items():
        last = max(b[1] for b in blocks[i])
        duration = statistics.fmean(end - start for _, start, end in blocks[i])
        kernel = kernels[nodes[i][1]]
        if kernel['type'] != 'stream' or last - begin < 0.3 * duration:
            continue
        if any(other[0] < last and other[1] > begin + 1000 for j, other in spans.items() if j != i):
            continue
        left = sorted(end - last for _, _, end in blocks[i] if end > last)
        waves = len(blocks[i]) / len(left)
        kind = 'computes' if kernel['fl'] else 'plain'
        for low, high in WAVES:
            if low <= waves < high:
                found[kind, low].append([left[-1] / duration] + [left[int(share * len(left))] / left[-1] for share in SHARES])


def main():
    gaps, ends = collections.defaultdict(list), collections.defaultdict(list)
    for path in sys.argv[1:]:
        for kernels, nodes, blocks in recorded(path):
            heads(nodes, blocks, gaps)
            tails(kernels, nodes, blocks, ends)
    print('behind it      kernels  from the last block before to the first one, us: 10, 25, 50, 75, 90 %')
    for position, name in enumerate(('the next', 'the second', 'later ones')):
        cuts = statistics.quantiles(gaps[position], n=20, method='inclusive')
        print(f'{name:13}  {len(gaps[position]):7}  ' + ' '.join(f'{cuts[k]:5.2f}' for k in (1, 4, 9, 14, 17)))
    print('\nstreams   waves from  kernels  last block to end, of a block  ' + ' '.join(f'{100 * share:3.0f} %' for share in SHARES) + ' of blocks ended, of that')
    for (kind, low), rows in sorted(ends.items()):
        m = [statistics.median(column) for column in zip(*rows)]
        print(f'{kind:8}  {low:10.2f}  {len(rows):7}  {m[0]:30.2f}  ' + ' '.join(f'{v:5.2f}' for v in m[1:]))


if __name__ == '__main__':
    main()
