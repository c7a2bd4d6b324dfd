#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How soon a kernel starts that waits for kernels of several streams, by the order in which these were created: from what dagrun.cu records of
DAGs that are launched live.

Usage: acquires.py DAGRUN.json...

What a kernel waits for are the last kernels of other streams that it follows, and the one before it in its own. Looked at are kernels for which
the last of these ended 6 us or more behind the others, and nothing else ended or started meanwhile. Told apart by how many of those streams were
created after and before the one whose kernel ended last, and by how many other streams have kernels that wait, behind one that runs or for
others. Then pairs of kernels that the same kernel releases: how often the one with fewer later streams starts first.
"""
import collections
import json
import statistics
import sys

CLEAR, QUIET, SOON = 6.0, 8.0, 9.0  # us: between the two last ends, around the last one, to the start
LAUNCHED = 90.0  # us: until then the host may still be launching


def live_runs(path):
    """Of each DAG its nodes (stream, kernel, what it follows) and of each repetition the kernels' (start, end) in us."""
    with open(path) as lines:
        for line in map(json.loads, lines):
            if 'dag' in line:
                yield line['nodes'], [[(t[i] / 1e3, t[i + 1] / 1e3) for i in range(0, len(t), 2)] for _, _, t, *_ in line['live']]


def predecessors(nodes):
    """Of each kernel those that it follows, one a stream, the last; None of copies and of kernels behind copies."""
    last, before = {}, []
    for i, (stream, kernel, follows) in enumerate(nodes):
        by_stream = {}
        for p in follows + ([last[stream]] if stream in last else []):
            by_stream[nodes[p][0]] = max(p, by_stream.get(nodes[p][0], p))
        last[stream] = i
        plain = kernel >= 0 and all(nodes[p][1] >= 0 for p in by_stream.values())
        before.append(list(by_stream.values()) if plain else None)
    return before


def last_of(before, times):
    """The predecessor that ends last, if clearly."""
    ends = sorted((times[p][1], p) for p in before or [])
    if not ends or len(ends) > 1 and ends[-1][0] - ends[-2][0] < CLEAR:
        return None
    return ends[-1][1]


def later(before, last, nodes):
    return sum(nodes[p][0] > nodes[last][0] for p in before)


def waiting(nodes, times, now, but):
    """How many other streams have kernels that have not started: of those that run one now, and of the rest."""
    waits = {nodes[j][0] for j, (start, _) in enumerate(times) if nodes[j][1] >= 0 and start > now} - {but}
    runs = {nodes[j][0] for j, (start, end) in enumerate(times) if nodes[j][1] >= 0 and start <= now < end}
    return len(waits & runs), len(waits - runs)


def is_quiet(i, last, nodes, times):
    now = times[last][1]
    others = (t for j, t in enumerate(times) if nodes[j][1] >= 0 and j not in (i, last))
    return not any(abs(start - now) < QUIET or abs(end - now) < QUIET for start, end in others)


def main():
    gaps, orders = collections.defaultdict(list), collections.Counter()
    for path in sys.argv[1:]:
        for nodes, runs in live_runs(path):
            before = predecessors(nodes)
            for times in runs:
                lasts = [last_of(b, times) for b in before]
                for i, last in enumerate(lasts):
                    if last is None or times[last][1] < LAUNCHED:
                        continue
                    gap, after = times[i][0] - times[last][1], later(before[i], last, nodes)
                    if 1 < gap < SOON and is_quiet(i, last, nodes, times):
                        gaps[waiting(nodes, times, times[last][1], nodes[i][0]) + (after, len(before[i]) - 1 - after)].append(gap)
                    for j in range(i):
                        if lasts[j] == last and later(before[j], last, nodes) != after:
                            fewer_first = (times[j][0] < times[i][0]) == (later(before[j], last, nodes) < after)
                            orders[fewer_first] += times[i][0] != times[j][0]
    for (run, rest, after, earlier), values in sorted(gaps.items()):
        if len(values) >= 100 and run + rest < 3:
            low, middle, high = statistics.quantiles(values, n=4)
            print(f'{run} other streams run and {rest} wait, {after} streams created later, {earlier} earlier: {len(values)} kernels, '
                  f'gap {middle:.2f} us ({low:.2f} to {high:.2f}), {statistics.fmean(values):.2f} on average')
    print(f'pairs: fewer later streams first {orders[True]}, other {orders[False]}')


if __name__ == '__main__':
    main()
