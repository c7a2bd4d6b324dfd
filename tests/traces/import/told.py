# SPDX-License-Identifier: GPL-3.0-or-later
"""told.py GPUSIM CASES: the imported program has the kernels and copies of the trace's own JSON, in the order of their
calls: name or kind, shape or bytes, duration, registers, stream. Gaps, guesses and faults are in test_cases.sh."""

import json
import os
import subprocess
import sys

CALLS = {"cuda_runtime", "runtime", "cuda_driver", "hip_runtime"}
NAMES = """00_reference 02_one_small_pageable_copy 02_reference_without_it 03_old_categories 05_cuda_twin 10_peer_copies
    05_hip_graph_and_sync_names 13_context_sync_renames_streams 14_stream_ids_64bit 15_epoch_times_short_trace
    18_waits_without_sync_records 19_copies_at_10_gbps 21_ts_as_strings 24_byte_order_mark
    25_profile_trace_of_the_training_run_rank_0 25_profile_trace_of_the_training_run_rank_1""".split()


def of_trace(path):
    events = json.load(open(path, encoding="utf-8-sig"))
    events = events["traceEvents"] if isinstance(events, dict) else events
    events = [e for e in events if e.get("ph") == "X"]
    calls = {e["args"]["correlation"]: float(e["ts"]) for e in events
             if e["cat"].lower() in CALLS and "correlation" in e.get("args", {})}  # fmt: skip
    works = []
    for e in events:
        args, start = e.get("args", {}), float(e["ts"])
        call = calls.get(args.get("correlation"), start)
        if e["cat"].lower() == "kernel":
            works.append((call, start, "kernel", e["name"], list(args["grid"]), list(args["block"]), float(e["dur"]),
                          args.get("registers per thread"), args.get("stream")))  # fmt: skip
        elif e["cat"].lower() in ("gpu_memcpy", "memcpy"):
            kind = {"HtoD": "h2d", "DtoH": "d2h", "DtoD": "d2d", "PtoP": "d2d"}[e["name"].split()[1]]
            works.append((call, start, "copy", kind, args["bytes"], None, float(e["dur"]), None, args.get("stream")))
    return sorted(works, key=lambda w: w[:2])


def main(gpusim, cases):
    wrong = 0
    for name in NAMES:
        works = of_trace(os.path.join(cases, name + ".json"))
        command = [gpusim, "import", "kineto", os.path.join(cases, name + ".json"), "-o", "p.json"]
        subprocess.run(command, stderr=subprocess.DEVNULL, check=True)
        program = json.load(open("p.json"))
        kernels = {k["name"]: k for k in program["kernels"]}
        ops = [o for o in program["ops"] if o["op"] in ("kernel", "copy")]
        found, right, streams = [], [], {}
        for w, o in zip(works, ops):
            k = kernels.get(o.get("kernel"), {})
            us = o.get("us", k.get("solo_us"))
            right.append([*w[2:6], w[6] if us is not None else None, w[7]])
            found.append([o["op"], o.get("kernel") or o["kind"], o.get("grid", o.get("bytes")), o.get("block"), us,
                          k.get("regs_per_thread")])  # fmt: skip
            if streams.setdefault(w[8], o["stream"]) != o["stream"]:
                right.append(["stream", w[8], streams])
        if len(works) != len(ops) or found != right or len(set(streams.values())) != len(streams):
            wrong += 1
            print(name, len(works), len(ops), [p for p in zip(right, found) if p[0] != p[1]][:3], streams)
    return wrong


sys.exit(main(*sys.argv[1:]))
