# SPDX-License-Identifier: GPL-3.0-or-later
"""Which kernels join which on an SM, from the blocks that dagrun.cu writes: ./dagrun dags.txt dags.json 8; python3 joins.py dags.json

A kernel enters an SM when its block comes to an empty one, and joins when others are there. A line for each kind of event: what the
SM was configured for before (KiB of shared memory, as the second rule below has it), how long it was empty, what the kernel that
entered needs for all the blocks that fit an SM and what it would be given itself, what the one that joined needs; how many blocks
joined so. After them how many joins contradict two rules: that the kernel which enters decides, and that an SM keeps what it has when
it is filled again within so many nanoseconds and the kernel's need fits.
"""
import sys
from collections import Counter, defaultdict

from dagrun_blocks import schedules

CLASSES = [0, 8, 16, 32, 64, 100, 132, 164, 196, 228]  # KiB, compute capability 9.0


def need(kernel):
    """Blocks on an SM, and the KiB of shared memory that they need: 1 KiB each, and their own."""
    warps = (kernel["block"] + 31) // 32
    registers = (kernel["regs"] * 32 + 255) // 256 * 256
    each = (kernel["smem"] + 1024 + 127) // 128 * 128
    blocks = min(32, 64 // warps, 65536 // (registers * warps), 228 * 1024 // each)
    return blocks, blocks * each / 1024


def own_class(kernel):
    blocks, kib = need(kernel)
    if not kernel["smem"]:
        return 8 if blocks <= 2 else 16 if blocks <= 4 else 32
    at = next(i for i, c in enumerate(CLASSES) if c >= kib)
    return CLASSES[min(at + (1 if blocks > 2 and kib <= 100 else 0), len(CLASSES) - 1)]


def sms_of(path):
    """Of each SM in each schedule of each DAG: its blocks as (start, end, kernel), times in ns."""
    for launches in schedules(path):
        sms = defaultdict(list)
        for kernel, blocks in launches:
            for sm, start, end in blocks:
                sms[sm].append((start, end, kernel))
        for blocks in sms.values():
            yield sorted(blocks, key=lambda b: (b[0], b[1], b[2]["solo"]))


def joins(sms, keep_ns):
    """(what was before, ns empty, need and class of who entered, need of who joined), and whether the rule allows it."""
    for blocks in sms:
        end = configured = before = gap = entered = None
        for start, block_end, kernel in blocks:
            kib = need(kernel)[1]
            if end is None or start >= end:
                before, gap, entered = configured, None if end is None else start - end, kernel
                if not (configured and gap < keep_ns and kib <= configured):
                    configured = own_class(kernel)
            else:
                yield (before, gap, need(entered)[1], own_class(entered), kib), kib <= configured
            end = max(end or 0, block_end)


if __name__ == "__main__":
    recorded = list(sms_of(sys.argv[1]))
    table = Counter()
    for (before, gap, enters, own, kib), _ in joins(recorded, 350):
        if kib > own and gap is not None:
            table[before, gap // 50 * 50 if gap < 1000 else 1000, enters, own, kib] += 1
    for (before, gap, enters, own, kib), count in sorted(table.items()):
        print(f"before {before} empty {gap} entered_need {enters:g} entered_class {own} joined_need {kib:g} blocks {count}")
    for keep_ns in (0, 50, 100, 150, 200, 250, 300, 350, 400, 1000, 2000):
        allowed = [ok for _, ok in joins(recorded, keep_ns)]
        print(f"kept {keep_ns} joins {len(allowed)} contradictions {allowed.count(False)}")
