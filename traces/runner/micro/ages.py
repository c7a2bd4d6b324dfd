# SPDX-License-Identifier: GPL-3.0-or-later
"""When blocks that came to an SM together end, by age, from the blocks that dagrun.cu writes: ./dagrun dags.txt dags.json 8; python3 ages.py dags.json

Looks at SMs on which all blocks of a kernel come within 1 us and no other kernel's are there until the last has ended. A line for each
kind, block size and number of blocks: on how many SMs, and the medians of their ends in times that one block of the same work takes
alone on an SM, in the order of the grid. Kinds: smem (dependent gathers from shared memory), fma (four independent chains of FMAs).
"""
import sys
from collections import defaultdict
from statistics import median

from dagrun_blocks import alone, by_sm, schedules

TOGETHER_NS, LONG_NS = 1000, 20000

if __name__ == "__main__":
    seen = defaultdict(lambda: defaultdict(list))
    for path in sys.argv[1:]:
        for launches in schedules(path):
            for blocks in by_sm(launches):
                for kernel, times in alone(launches, blocks, TOGETHER_NS):
                    if kernel["type"] in ("smem", "fma") and max(times) >= LONG_NS:
                        seen[kernel["type"], kernel["block"], len(times)][kernel["iters"]].append(times)
    for (kind, threads, count), by_work in sorted(seen.items()):
        rows = []
        for work, many in by_work.items():
            single = seen.get((kind, threads, 1), {}).get(work)
            if single:
                rows += [[t / median(a[0] for a in single) for t in times] for times in many]
        if rows:
            print(f"{kind} {threads} threads, {count} on an SM, {len(rows)} SMs:", *(f"{median(r[i] for r in rows):.3f}" for i in range(count)))
