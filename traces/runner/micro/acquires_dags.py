#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""DAGs for dagrun.cu that ask in which order a stream's queue looks at streams, and which queues get into each other's way: acquires.py.

Usage: acquires_dags.py > dags.txt; ./dagrun dags.txt dags.json 24

Short kernels of arithmetic, on up to eight streams that dagrun.cu creates one after the other. own_E_L and crossS_E_L: a kernel behind the long
one of stream 3, in that stream or in S, that waits besides for E earlier and L later streams, which end before. pair_S_T: a chain on S, for whose end T
waits; ran_S_T: T has run a kernel before; turns_S_T: T waits for every third of the chain. three_S_T_U: T and U wait; fan_N and fanlast_N: N
streams wait, created after the chain's or before.
"""
import itertools

CHAIN, START, SHORT, LONG = range(4)  # kernels
ITERATIONS = 15000, 40000, 3000, 100000


def show(name, nodes):
    print(f'D {name} 8 {len(nodes)}')
    for stream, kernel, follows in nodes:
        print(stream, kernel, len(follows), *follows)


def chain(stream, count):
    return [(stream, START, [])] + [(stream, CHAIN, [])] * count


def show_looks(earlier, later):
    nodes = [(t, SHORT, []) for t in [*range(earlier), *range(4, 4 + later)]]
    ended, last = [*range(len(nodes))], len(nodes)
    nodes.append((3, LONG, []))
    show(f'own_{earlier}_{later}', nodes + [(3, SHORT, ended), (3, SHORT, [])])
    for stream in (0, 7):
        if not (earlier if stream == 0 else later > 3):
            show(f'cross{stream}_{earlier}_{later}', nodes + [(stream, SHORT, ended + [last])])


for iterations in ITERATIONS:
    print(f'K fma 8 64 0 {iterations} 0 0 0')
for counts in itertools.product(range(4), repeat=2):
    show_looks(*counts)
for s, t in itertools.permutations(range(8), 2):
    show(f'pair_{s}_{t}', chain(s, 5) + [(t, SHORT, [5])])
for s, t in itertools.permutations(range(4), 2):
    show(f'ran_{s}_{t}', [(s, START, []), (t, CHAIN, [])] + [(s, CHAIN, [])] * 5 + [(t, SHORT, [6]), (s, SHORT, [])])
    waits = chain(s, 0)
    for third in (2, 5, 8):
        waits += [(s, CHAIN, [])] * 2 + [(t, SHORT, [third])]
    show(f'turns_{s}_{t}', waits + [(s, CHAIN, [])])
for s, t, u in itertools.permutations(range(4), 3):
    show(f'three_{s}_{t}_{u}', chain(s, 4) + [(t, SHORT, [4]), (u, SHORT, [4]), (s, SHORT, [])])
for n in range(2, 8):
    show(f'fan_{n}', chain(0, 4) + [(t, SHORT, [4]) for t in range(1, n + 1)] + [(0, SHORT, [])])
    show(f'fanlast_{n}', chain(n, 4) + [(t, SHORT, [4]) for t in range(n)] + [(n, SHORT, [])])
