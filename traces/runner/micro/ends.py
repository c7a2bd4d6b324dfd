#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far apart blocks end that wait for memory and began together: from the blocks that dagrun.cu records.

Usage: ends.py DAGRUN.json...

Of kernels that ran alone in one wave, alike on all SMs that they were on: the median of how much earlier than the last one
blocks end, in percent of a block's time; the twelfths (odd ones) of that as multiples of the median; the standard deviations among the
blocks of an SM and between SMs. The table is by kind and by blocks per SM.
"""
import collections
import statistics
import sys

from dagrun_blocks import schedules

TOGETHER = 3000  # ns between the first and the last start
KINDS = {'stream': 'stream', 'chase': 'scatter'}
PER_SM = ((1, 1), (2, 2), (3, 4), (5, 8))


def is_alone(launch, others):
    """Nobody else ran until the last third of its time, in which the kernels behind it come."""
    begin, end = min(b[1] for b in launch), max(b[2] for b in launch)
    return all(other[1] >= end - 0.3 * (end - begin) or other[2] <= begin + 1000 for other in others)


def deviations(by_sm):
    """Among the blocks of an SM, and between SMs beyond what those explain (analysis of variance)."""
    count, sms = sum(map(len, by_sm)), len(by_sm)
    if count == sms:
        return 0.0, statistics.stdev(v[0] for v in by_sm)
    within = sum(sum((e - statistics.fmean(v)) ** 2 for e in v) for v in by_sm) / (count - sms)
    between = statistics.variance([statistics.fmean(v) for v in by_sm]) - within * sms / count
    return within ** 0.5, max(0.0, between) ** 0.5


def measure(launch):
    by_sm = collections.defaultdict(list)
    for sm, _, end in launch:
        by_sm[sm].append(end)
    per_sm = {len(ends) for ends in by_sm.values()}
    if len(per_sm) > 1:
        return None
    duration = statistics.median(end - start for _, start, end in launch)
    last = max(end for _, _, end in launch)
    early = [last - end for _, _, end in launch]
    middle, cuts = statistics.median(early), statistics.quantiles(early, n=12, method='inclusive')
    within, between = deviations(list(by_sm.values()))
    return per_sm.pop(), [100 * middle / duration, *(cuts[k] / middle for k in (10, 8, 6, 4, 2, 0)), 100 * within / duration,
                          100 * between / duration, duration / 1000]


def main():
    found = collections.defaultdict(list)
    for path in sys.argv[1:]:
        for launches in schedules(path):
            spans = [(kernel, min(b[1] for b in blocks), max(b[2] for b in blocks)) for kernel, blocks in launches]
            for i, (kernel, blocks) in enumerate(launches):
                starts = [b[1] for b in blocks]
                if kernel['type'] not in KINDS or len(blocks) < 64 or max(starts) - min(starts) > TOGETHER:
                    continue
                result = measure(blocks) if is_alone(blocks, spans[:i] + spans[i + 1:]) else None
                if result:
                    found[KINDS[kernel['type']], result[0]].append(result[1])
    print('kind     per SM  kernels  early %  twelfths of it in medians            within %  between %  median us')
    for kind in ('stream', 'scatter'):
        for low, high in PER_SM:
            rows = [row for (k, n), rows in found.items() if k == kind and low <= n <= high for row in rows]
            if len(rows) < 10:
                continue
            m = [statistics.median(column) for column in zip(*rows)]
            print(f'{kind:7}  {low}-{high}     {len(rows):7}  {m[0]:7.2f}  ' + ' '.join(f'{v:5.2f}' for v in m[1:7]) +
                  f'  {m[7]:8.2f}  {m[8]:9.2f}  {m[9]:9.0f}')


if __name__ == '__main__':
    main()
