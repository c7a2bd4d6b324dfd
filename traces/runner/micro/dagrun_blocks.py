# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what dagrun.cu writes, for the scripts beside it."""
import collections
import gzip
import json


def recorded(path):
    """Of each DAG, live and as a graph: the kernels that the file describes, the DAG's nodes (stream, kernel, what it follows across streams) and each
    node's blocks in the grid's order as (SM, start, end), times in ns."""
    kernels = []
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as lines:
        for line in map(json.loads, lines):
            if "solo" in line:
                kernels.append(line)
                continue
            for schedule in ("live_blocks", "graph_blocks"):
                yield kernels, line["nodes"], [[(b[i], 32 * b[i + 1], 32 * b[i + 2]) for i in range(0, len(b), 3)] for b in line[schedule][2]]


def predecessors(nodes):
    """Of each node: those that it follows, in its stream and across streams."""
    last, before = {}, []
    for i, (stream, kernel, follows) in enumerate(nodes):
        before.append(follows + ([last[stream]] if stream in last else []))
        if kernel >= 0:
            last[stream] = i
    return before


def schedules(path):
    """Of each DAG, live and as a graph, its launches: (kernel, its blocks in the grid's order as (SM, start, end), times in ns)."""
    for kernels, nodes, blocks in recorded(path):
        yield [(kernels[k], b) for (_, k, _), b in zip(nodes, blocks) if k >= 0 and b]


def by_sm(launches):
    """All blocks that ever were on each SM: (start, end, launch, index in the grid), times in ns."""
    sms = collections.defaultdict(list)
    for launch, (_, blocks) in enumerate(launches):
        for index, (sm, start, end) in enumerate(blocks):
            sms[sm].append((start, end, launch, index))
    return sms.values()


def alone(launches, blocks, together_ns):
    """(kernel, ends in ns after the first start, in the grid's order) of each launch that had the SM for itself and began there together."""
    own = collections.defaultdict(list)
    for block in blocks:
        own[block[2]].append(block)
    for launch, mine in own.items():
        first, last = min(b[0] for b in mine), max(b[1] for b in mine)
        if max(b[0] for b in mine) - first > together_ns:
            continue
        if not any(b[2] != launch and b[1] > first and b[0] < last for b in blocks):
            yield launches[launch][0], [b[1] - first for b in sorted(mine, key=lambda b: b[3])]
