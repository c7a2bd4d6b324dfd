#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns what dagrun.cu writes into DAGs that gpusim validate reads.

Usage: dagrun_cases.py DAGRUN.json DEVICE CASES.json.gz

The times of a DAG are medians over the repetitions; kernels' starts and ends are those of the repetition that has the
median makespan. Kernels' time alone is that of the recording's own beginning.
"""
import gzip
import json
import sys

SMS = 132
FIELDS = ('type', 'grid', 'block', 'smem', 'regs', 'iters', 'elems', 'fl', 'flops', 'dram_bytes', 'buf')


def middle(values):
    """The upper of the two where their number is even, as dagrun.cu has it."""
    return sorted(values)[len(values) // 2]


def median_run(runs):
    """The repetition that took the median time."""
    return sorted(runs, key=lambda run: run[0])[len(runs) // 2]


def node_of(node, kernels, i, live, graph):
    stream, kernel, waits = node
    if kernel < 0:
        return {'stream': stream, 'dep': waits, 'copy': 'h2d' if -kernel & 1 else 'd2h', 'bytes': -kernel // 2}
    times = dict(zip(('start', 'end', 'gstart', 'gend'), (*live[2 * i:2 * i + 2], *graph[2 * i:2 * i + 2])))
    alone = kernels[kernel]
    return {'stream': stream, 'dep': waits, **times,
            'kernel': {**{f: alone[f] for f in FIELDS}, 'solo_ns': alone['solo_ns']}}


def main():
    kernels, cases = [], []
    for line in open(sys.argv[1]):
        record = json.loads(line)
        if 'solo' in record:
            kernels.append(record)
            continue
        live, graph = record['live'], record['graph']
        all_live, all_graph = sorted(run[0] for run in live), sorted(run[0] for run in graph)
        starts_live, starts_graph = median_run(live)[2], median_run(graph)[1]
        cases.append({'kind': 'dag', 'tag': record['dag'].replace('_', ' '), 'streams': record['streams'],
                      'live_us': middle(all_live), 'live_min_us': all_live[0], 'live_max_us': all_live[-1],
                      'call_us': middle([run[1] for run in live]), 'graph_us': middle(all_graph),
                      'live_all_us': all_live, 'graph_all_us': all_graph,
                      'nodes': [node_of(node, kernels, i, starts_live, starts_graph)
                                for i, node in enumerate(record['nodes'])]})
    with gzip.GzipFile(sys.argv[3], 'wb', mtime=0) as out:
        out.write(json.dumps({'device': sys.argv[2], 'sms': SMS, 'dags': cases}).encode())


if __name__ == '__main__':
    main()
