# SPDX-License-Identifier: GPL-3.0-or-later
"""On which SM a kernel's next block goes, from the blocks that dagrun.cu writes: ./dagrun dags.txt dags.json 8; python3 places.py dags.json

Looks at kernels that begin while others stand on some SMs, and whose first blocks all come within 1.5 us with nothing else coming or
going for 2.5 us around. Block by block in the grid's order: how many warps are on the SM that it went to, and for how many more of its
kernel's blocks there was room, against the other SMs that the kernel went to. Prints how many blocks had a choice, and how many went
where warps were not fewest, and where room was not most; then the same by kernel (up to one block in fifty apart).
"""
import sys
from collections import Counter, defaultdict

from dagrun_blocks import schedules

SMS, WARPS, REGISTERS, SMEM, SLOTS = 132, 64, 65536, 228 * 1024, 32
TOGETHER_NS, ALONE_NS = 1500, 2500


def need(kernel):
    warps = (kernel["block"] + 31) // 32
    return warps, (kernel["regs"] * 32 + 255) // 256 * 256 * warps, kernel["smem"] + 1024, 1


def room(used, each):
    return min((limit - u) // e for limit, u, e in zip((WARPS, REGISTERS, SMEM, SLOTS), used, each))


def standing(nodes, kernel, begin):
    """What others hold of each SM at BEGIN; None when one of their blocks comes or goes then."""
    used = defaultdict(lambda: [0, 0, 0, 0])
    for other, blocks in nodes:
        if other is kernel:
            continue
        for sm, start, end in blocks:
            if start < begin - ALONE_NS and end > begin + ALONE_NS:
                used[sm] = [u + e for u, e in zip(used[sm], need(other))]
            elif start < begin + ALONE_NS and end > begin - ALONE_NS:
                return None
    return used


def judge(nodes, kernel, blocks, counts):
    begin, each = min(start for _, start, _ in blocks), need(kernel)
    first = []
    for sm, start, _ in blocks:
        if start > begin + TOGETHER_NS:
            break
        first.append(sm)
    used = standing(nodes, kernel, begin) if len(first) > 1 else None
    if not used:
        return
    choices = not_fewest = not_most = 0
    for sm in first:
        open_sms = [s for s in set(first) if room(used[s], each) > 0]
        fewest, most = min((used[s][0] for s in open_sms), default=0), max((room(used[s], each) for s in open_sms), default=0)
        if len({(used[s][0], room(used[s], each)) for s in open_sms}) > 1:
            choices += 1
            not_fewest += used[sm][0] > fewest
            not_most += room(used[sm], each) < most
        used[sm] = [u + e for u, e in zip(used[sm], each)]
    counts.update({"blocks": choices, "not fewest warps": not_fewest, "not most room": not_most})
    if choices:
        counts.update({"kernels": 1, "kernels by fewest warps": 50 * not_fewest <= choices, "kernels by most room": 50 * not_most <= choices})


if __name__ == "__main__":
    totals = Counter()
    for nodes in schedules(sys.argv[1]):
        for kernel, blocks in nodes:
            judge(nodes, kernel, blocks, totals)
    for name, count in totals.items():
        print(f"{name}: {count}")
