# SPDX-License-Identifier: GPL-3.0-or-later
"""Two program files, of a serial source and of what was written of it: the second has the first one's ops, in its order; each is behind
what the data need, by streams, events and what the host waited for; the host waits for what the serial one's host waits for.
Usage: roundtrip.py SERIAL.json SCHEDULED.json [STREAMS]"""
import json
import sys


def device_ops(program):
    return [(i, op) for i, op in enumerate(program["ops"]) if op["op"] in ("kernel", "copy")]


def key(op):
    return {name: op.get(name) for name in ("op", "kernel", "kind", "grid", "block", "reads", "writes", "buffer", "bytes")}


def buffers(op, what):
    if op["op"] == "kernel":
        return {a if isinstance(a, str) else a["buffer"] for a in op.get(what, [])}
    return {op["buffer"]} if (what == "writes") == (op["kind"] == "h2d") else set()


def depend(op, earlier):
    reads, writes = buffers(op, "reads"), buffers(op, "writes")
    return reads & buffers(earlier, "writes") or writes & (buffers(earlier, "writes") | buffers(earlier, "reads"))


def behind_of(program):
    """Of each op, what has ended before it: its stream's ops, what it comes after, what the host waited for."""
    behind, last, host = [], {}, set()
    for i, op in enumerate(program["ops"]):
        ended = set(host)
        for j in op.get("after", []):
            ended |= behind[j] | {j}
        if op["op"] in ("kernel", "copy", "prefetch"):
            stream = op.get("stream", 0)
            for s in [stream, 0] if stream else list(last):
                if s in last:
                    ended |= behind[last[s]] | {last[s]}
            last[stream] = i
        else:
            host |= ended
        behind.append(ended)
    return behind


def host_points(program, ops):
    """(how many device ops are before it, index, op) of each op of the host."""
    number = {i: n for n, (i, _) in enumerate(ops)}
    points, count = [], 0
    for i, op in enumerate(program["ops"]):
        if i in number:
            count = number[i] + 1
        elif op["op"] in ("host_compute", "host_read", "host_write"):
            points.append((count, i, op))
    return points


def wanted(count, op, ops):
    if op["op"] == "host_compute":
        return {n for n, (i, _) in enumerate(ops) if i in op.get("after", [])}
    written = {n for n in range(count) if op["buffer"] in buffers(ops[n][1], "writes")}
    read = {n for n in range(count) if op["buffer"] in buffers(ops[n][1], "reads")}
    return written | (read if op["op"] == "host_write" else set())


def main():
    serial, scheduled = (json.load(open(path)) for path in sys.argv[1:3])
    ours, theirs = device_ops(serial), device_ops(scheduled)
    assert [key(op) for _, op in ours] == [key(op) for _, op in theirs], "the ops differ"
    behind, dependences, waits = behind_of(scheduled), 0, 0
    for n, (_, op) in enumerate(ours):
        for m in range(n):
            if depend(op, ours[m][1]):
                dependences += 1
                assert theirs[m][0] in behind[theirs[n][0]], f"op {n} is not behind op {m}"
    points = host_points(scheduled, theirs)
    for count, _, op in host_points(serial, ours):
        known = set()
        for at, i, other in points:
            if at <= count:
                known |= behind[i] | set(other.get("after", []))
        for m in wanted(count, op, ours):
            waits += 1
            assert theirs[m][0] in known, f"the host does not wait for op {m} behind op {count - 1}"
    streams = len({op.get("stream") for _, op in theirs if op.get("stream")})
    assert len(sys.argv) < 4 or streams == int(sys.argv[3]), f"{streams} streams, expected {sys.argv[3]}"
    print(f"{len(ours)} ops, {dependences} dependences, {waits} waits of the host")


main()
