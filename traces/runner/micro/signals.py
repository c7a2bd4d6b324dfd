#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which SM the blocks of a graph's kernel leave out, and for how long: from the blocks that dagrun.cu records.

Usage: signals.py DAGRUN.json...

Of captured graphs without copies: behind each kernel that ends with nothing else on the GPU, the first of its successors, if that has a block for each
SM and its first ones stand on 125 SMs or more. By whether it waits for several channels itself (channels as in sim/front/graphs.c), whether any of the
successors does, and how many do not: of how many kernels an SM is left out, which one, how long after the end the first block starts,
and how much later the first block on the SM left out where that comes before a block has ended.
"""
import collections
import statistics
import sys

from dagrun_blocks import predecessors, recorded

AT_ONCE = 300  # ns: blocks placed together
BEHIND = 4000  # ns: what starts later waited for something else as well


def channels(before):
    channel, opened = [], 0
    for nodes in before:
        channel.append(max(channel[i] for i in nodes) if nodes else opened)
        opened += not nodes
    return channel


def look(nodes, blocks, found):
    before = [sorted(set(b)) for b in predecessors(nodes)]
    channel = channels(before)
    crosses = [len({channel[i] for i in b}) > 1 for b in before]
    launches = [i for i, b in enumerate(blocks) if b]
    first = {i: min(b[1] for b in blocks[i]) for i in launches}
    end = {i: max(b[2] for b in blocks[i]) for i in launches}
    everything = [(start, stop, i) for i in launches for _, start, stop in blocks[i]]
    for ended in launches:
        followers = [i for i in launches if ended in before[i]]
        released = [i for i in followers if max(end[p] for p in before[i]) == end[ended] and first[i] < end[ended] + BEHIND]
        if not released:
            continue
        head = min(released, key=first.get)
        start = first[head]
        wave = {sm for sm, begin, _ in blocks[head] if begin < start + AT_ONCE}
        is_alone = not any(i != head and begin <= start + 100 and stop > start - AT_ONCE for begin, stop, i in everything)
        if not is_alone or len(blocks[head]) < 132 or len(wave) < 125:
            continue
        left_out = sorted(set(range(132)) - wave)
        later = min((b[1] for b in blocks[head] if left_out and b[0] == left_out[0]), default=None)
        is_early = later is not None and later < min(stop for _, _, stop in blocks[head])
        plain = sum(not crosses[i] for i in followers)
        found[crosses[head], any(crosses[i] for i in followers), min(plain, 2)].append(
            (left_out, (start - end[ended]) / 1000, (later - start) / 1000 if is_early else None))


def median(values):
    return f"{statistics.median(values):.2f}" if values else "-"


def main():
    found = collections.defaultdict(list)
    for path in sys.argv[1:]:
        for place, (_, nodes, blocks) in enumerate(recorded(path)):
            if place % 2 and all(kernel >= 0 for _, kernel, _ in nodes):
                look(nodes, blocks, found)
    print("it waits  any waits  do not wait      kernels  leave one out  SM: of how many         from the end, us: all others, these  SM free after, us")
    for (waits, signals, plain), rows in sorted(found.items()):
        out = [r for r in rows if r[0]]
        sms = collections.Counter(r[0][0] for r in out)
        print(f"{'yes' if waits else 'no':8s}  {'yes' if signals else 'no':9s}  {('none', 'one', 'several')[plain]:15s} {len(rows):8d} {len(out):14d}  "
              f"{', '.join(f'{sm}: {n}' for sm, n in sms.most_common(3)):22s}  {median([r[1] for r in rows if not r[0]]):>20s} "
              f"{median([r[1] for r in out]):>13s} {median([r[2] for r in out if r[2] is not None]):>18s}")


if __name__ == "__main__":
    main()
