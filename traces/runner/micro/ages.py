# SPDX-License-Identifier: GPL-3.0-or-later
"""When blocks that came to an SM together end, by age, from the blocks that dagrun.cu writes: ./dagrun dags.txt dags.json 8; python3 ages.py dags.json

Looks at SMs on which all blocks of a kernel come within 1 us and no other kernel's are there until the last has ended. A line for each
kind, block size and number of blocks: on how many SMs, and the medians of their ends in times that one block of the same work takes
alone on an SM, in the order of the grid. Kinds: smem (dependent gathers from shared memory), fma (four independent chains of FMAs).
"""
import sys
from collections import defaultdict
from statistics import median

from dagrun_blocks import schedules

TOGETHER_NS, LONG_NS = 1000, 20000


def by_sm(launches):
    """All blocks that ever were on each SM: (start, end, launch, index in the grid), times in ns."""
    sms = defaultdict(list)
    for launch, (_, blocks) in enumerate(launches):
        for index, (sm, start, end) in enumerate(blocks):
            sms[sm].append((start, end, launch, index))
    return sms.values()


def ends(launches, blocks):
    """(kernel, ends after the first start in the grid's order) of each launch that had the SM for itself."""
    own = defaultdict(list)
    for block in blocks:
        own[block[2]].append(block)
    for launch, mine in own.items():
        first, last = min(b[0] for b in mine), max(b[1] for b in mine)
        if max(b[0] for b in mine) - first > TOGETHER_NS or last - first < LONG_NS:
            continue
        if not any(b[2] != launch and b[1] > first and b[0] < last for b in blocks):
            yield launches[launch][0], [b[1] - first for b in sorted(mine, key=lambda b: b[3])]


if __name__ == "__main__":
    seen = defaultdict(lambda: defaultdict(list))
    for path in sys.argv[1:]:
        for launches in schedules(path):
            for blocks in by_sm(launches):
                for kernel, times in ends(launches, blocks):
                    if kernel["type"] in ("smem", "fma"):
                        seen[kernel["type"], kernel["block"], len(times)][kernel["iters"]].append(times)
    for (kind, threads, count), by_work in sorted(seen.items()):
        rows = []
        for work, many in by_work.items():
            alone = seen.get((kind, threads, 1), {}).get(work)
            if alone:
                rows += [[t / median(a[0] for a in alone) for t in times] for times in many]
        if rows:
            print(f"{kind} {threads} threads, {count} on an SM, {len(rows)} SMs:", *(f"{median(r[i] for r in rows):.3f}" for i in range(count)))
