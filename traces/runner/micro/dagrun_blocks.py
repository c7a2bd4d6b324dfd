# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what dagrun.cu writes, for ages.py, joins.py and places.py."""
import gzip
import json


def schedules(path):
    """Of each DAG, live and as a graph, its launches: (kernel, its blocks in the grid's order as (SM, start, end), times in ns)."""
    kernels = []
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as lines:
        for line in map(json.loads, lines):
            if "solo" in line:
                kernels.append(line)
                continue
            for schedule in ("live_blocks", "graph_blocks"):
                yield [(kernels[k], [(b[i], 32 * b[i + 1], 32 * b[i + 2]) for i in range(0, len(b), 3)])
                       for (_, k, _), b in zip(line["nodes"], line[schedule][2]) if k >= 0 and b]
