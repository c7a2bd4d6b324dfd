#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The DAGs and pairs of a recording as dagrun.cu reads them, to record them anew, on another GPU too.

Usage: recorded_dags.py RECORDING.json.gz > dags.txt

An arrival is a DAG of two kernels on two streams.
"""
import gzip
import json
import sys

FIELDS = ('type', 'grid', 'block', 'smem', 'iters', 'elems', 'fl', 'buf')


def main():
    recording, kernels, lines = json.load(gzip.open(sys.argv[1])), {}, []

    def number(node):
        if 'kernel' in node:
            return kernels.setdefault(tuple(node['kernel'][f] for f in FIELDS), len(kernels))
        return -(node['bytes'] * 2 + (node['copy'] == 'h2d'))  # odd numbers go to the device

    dags = [(c['tag'], 2, [{'stream': i, 'dep': [], 'kernel': c[k]} for i, k in enumerate('ab')])
            for c in recording.get('arrivals', [])]
    dags += [(c['tag'], c['streams'], c['nodes']) for c in recording.get('dags', [])]
    for tag, streams, nodes in dags:
        lines.append(f"D {tag.replace(' ', '_')} {streams} {len(nodes)}")
        lines += [' '.join(map(str, (n['stream'], number(n), len(n['dep']), *n['dep']))) for n in nodes]
    for kernel in kernels:
        print('K', *kernel)
    print('\n'.join(lines))


if __name__ == '__main__':
    main()
