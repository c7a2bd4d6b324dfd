#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of two kernels that the same kernel releases starts first, the next one in its stream or one of another stream that waits for it: from the
recordings of DAGs that are launched live.

Usage: first.py DAGS.json.gz...

Looked at are those that nothing else holds back: whatever else they follow ended 8 us or more before, on streams created no later than the one
that releases them, and nothing else started or ended within 10 us. Told apart by how many other streams have kernels that wait, the waiting one's
among them: the front end turns to streams where these are two or more.
"""
import collections
import gzip
import json
import statistics
import sys

from acquires import later, predecessors, waiting

CLEAR, QUIET = 8.0, 10.0  # us


def recordings(path):
    """Of each DAG its nodes (stream, kernel, what it follows) and the kernels' (start, end) in us."""
    with gzip.open(path) as file:
        for dag in json.load(file)['dags']:
            if all('start' in n for n in dag['nodes']):
                yield [(n['stream'], i, n['dep']) for i, n in enumerate(dag['nodes'])], [(n['start'] / 1e3, n['end'] / 1e3) for n in dag['nodes']]


def released(nodes, times, before, last):
    """Of what kernel LAST alone released: the next one in its stream and the one elsewhere; None where they are not one and one."""
    end = times[last][1]
    behind = [i for i, p in enumerate(before) if p and last in p]
    own, others = [i for i in behind if nodes[i][0] == nodes[last][0]], [i for i in behind if nodes[i][0] != nodes[last][0]]
    if len(own) != 1 or len(others) != 1:
        return None
    own, other = own[0], others[0]
    for i in (own, other):
        if any(p != last and times[p][1] > end - CLEAR for p in before[i]) or later(before[i], last, nodes):
            return None
    rest = (t for j, t in enumerate(times) if j not in (last, own, other))
    return None if any(abs(time - end) < QUIET for t in rest for time in t) else (own, other)


def main():
    seen = collections.defaultdict(list)
    for path in sys.argv[1:]:
        for nodes, times in recordings(path):
            before = predecessors(nodes)
            for last, (_, end) in enumerate(times):
                pair = released(nodes, times, before, last)
                if pair:
                    seen[min(3, sum(waiting(nodes, times, end, nodes[last][0])))].append([times[i][0] - end for i in pair])
    for others, pairs in sorted(seen.items()):
        first, second = (statistics.median(f(p) for p in pairs) for f in (min, max))
        print(f'{others}{" or more" if others == 3 else ""} other streams with kernels that wait: {len(pairs)} pairs, '
              f'the one of the other stream first in {100 * statistics.mean(own > other for own, other in pairs):.0f} %, '
              f'the first after {first:.2f} us, the second after {second:.2f}')


main()
