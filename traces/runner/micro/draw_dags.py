#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws random DAGs of kernels and copies for dagrun.cu, of the kinds of traces/h200/concurrency.json.gz.

Usage: draw_dags.py SEED NAME COUNT [NOT_THESE.json.gz...] > dags.txt

A DAG has 6 to 35 nodes on 2 to 10 streams. Its kernels compute (fma), work in shared memory (smem), stream through DRAM
with some arithmetic (stream) or follow dependent loads (chase), from a few blocks to thousands; one node in 30 is a copy.
Each waits for up to three of the nine nodes before it. DAGs that one of the given recordings has are refused, so that what
is called unseen is unseen.
"""
import gzip
import json
import random
import sys

NODES = (6, 8, 12, 16, 20, 24, 28, 35)
STREAMS = (2, 3, 4, 5, 7, 7, 10)
COPIES = (65536, 1048576, 4194304, 16777216)
GRIDS = (8, 16, 64, 96, 132, 180, 264, 400, 528, 800, 1056, 2000, 4000)
SMS = 132
BUFFERS = 24  # pairs of them that dagrun.cu has for streams


def draw_fma(draw):
    grid, block = draw.choice(GRIDS), draw.choice((64, 128, 256, 512, 1024))
    iterations = draw.choice((500, 1500, 4000, 8000, 14000, 24000))
    longest = draw.choice((2e8, 5e8, 1e9, 2e9, 6e9)) / (grid * block)  # up to a millisecond alone
    if iterations > longest:
        iterations = max(250, int(longest) // 250 * 250)
    return 'fma', grid, block, 0, iterations, 0, 0


def draw_smem(draw):
    grid, block = draw.choice((8, 16, 32, 64, 96, 132, 264, 400, 1056, 2000)), draw.choice((128, 256, 512))
    shared = draw.choice((26, 38, 47, 64, 74, 88, 101, 130, 158, 173, 197)) * 1024
    waves = max(1, grid // (SMS * (227 * 1024 // shared)))
    return 'smem', grid, block, shared, draw.choice((800, 1500, 2500, 5000)) // waves, 0, 0


def draw_stream(draw):
    arithmetic = draw.choice((0, 0, 0, 0, 13, 22, 36, 56))
    return ('stream', draw.choice((8, 16, 32, 64, 96, 132, 180, 264, 400, 528, 800, 1056, 2000, 4000)),
            draw.choice((64, 128, 256, 512, 1024)), 0, 0, draw.choice((1, 2, 3, 4, 5, 7, 8, 10, 12, 14, 15)) << 20, arithmetic)


def draw_chase(draw):
    return 'chase', draw.choice((8, 16, 64, 96, 132, 180, 264, 400)), draw.choice((64, 128)), 0, \
        draw.choice((45, 100, 164, 233, 333, 393)), 0, 0


def draw_dag(draw):
    """(streams, [(stream, kernel or copy, [nodes that it waits for])])"""
    streams, nodes = draw.choice(STREAMS), []
    for i in range(draw.choice(NODES)):
        if draw.random() < 0.035:
            what = (draw.choice(('h2d', 'd2h')), draw.choice(COPIES))
        else:
            kinds = (draw_stream, draw_fma, draw_smem, draw_chase)
            what = draw.choices(kinds, weights=(40, 28, 20, 12))[0](draw)
        count = draw.choices((0, 1, 2, 3), weights=(32, 34, 23, 11))[0]
        waits = sorted({i - draw.randint(1, 9) for _ in range(count)} & set(range(i)), reverse=True)
        nodes.append((draw.randrange(streams), what, waits))
    return streams, nodes


def known(path):
    """The DAGs of a recording: of each node its stream, waits and kernel."""
    fields = ('type', 'grid', 'block', 'smem', 'iters', 'elems', 'fl')
    for case in json.load(gzip.open(path))['dags']:
        yield tuple((n['stream'], tuple(n['dep']), tuple(n['kernel'][f] for f in fields) if 'kernel' in n else
                     (n['copy'], n['bytes'])) for n in case['nodes'])


def main():
    seed, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    seen, draw, kernels, lines = {dag for path in sys.argv[4:] for dag in known(path)}, random.Random(seed), {}, []
    drawn = 0
    while drawn < count:
        streams, nodes = draw_dag(draw)
        identity = tuple((stream, tuple(waits), what) for stream, what, waits in nodes)
        if identity in seen:
            continue
        seen.add(identity)
        lines.append(f'D {name}_{drawn} {streams} {len(nodes)}')
        drawn += 1
        for i, (stream, what, waits) in enumerate(nodes):
            if what[0] in ('h2d', 'd2h'):  # dagrun: odd numbers to the device, even ones to the host
                kernel = -(what[1] * 2 + (what[0] == 'h2d'))
            else:
                kernel = kernels.setdefault((*what, i % BUFFERS if what[0] == 'stream' else 0), len(kernels))
            lines.append(' '.join(map(str, (stream, kernel, len(waits), *waits))))
    for kernel in kernels:
        print('K', *kernel)
    print('\n'.join(lines))


if __name__ == '__main__':
    main()
