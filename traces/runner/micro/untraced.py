#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""untraced.py OUT.json: gaps of CUDA graphs in a profiler's records, and requests without it, on this GPU.

A graph of each model of limits_record.py is timed, profiled and timed again; then one that is made after that. Without MPS,
under it, under it on a quarter of the SMs, and without it again. A row has medians of requests in us ("before", "after",
"new", "new_after") and of each profile: works a replay, their sum in us, mean gap between kernels and beside memsets.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time

import limits_record


def request_us(graph):
    import torch
    began, us = time.time(), []
    while time.time() < began + 0.6:
        at = time.perf_counter()
        graph.replay()
        torch.cuda.synchronize()
        us.append((time.perf_counter() - at) * 1e6)
    return sorted(us)[len(us) // 2]


def mean(values):
    return sum(values) / len(values) if values else 0


def profiled(graph):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        limits_record.trace(graph, path)
        with gzip.open(path + ".gz", "rt", encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
    works = sorted((e for e in events if e.get("cat") in ("kernel", "gpu_memset")), key=lambda e: e["ts"])
    gaps = [(b["ts"] - a["ts"] - a["dur"], a["cat"] == b["cat"] == "kernel") for a, b in zip(works, works[1:])]
    near = [gap for gap in gaps if gap[0] < 8]
    return {"n": len(works) / 4, "sum": sum(e["dur"] for e in works) / 4, "kk": mean([g for g, alike in near if alike]),
            "mm": mean([g for g, alike in near if not alike])}


def measure(mode):
    import torch
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    for name, model, x in limits_record.models():
        graph = limits_record.graph_of(model, x)
        row = {"mode": mode, "name": name, "before": request_us(graph), "prof1": profiled(graph), "after": request_us(graph)}
        graph = limits_record.graph_of(model, x)
        row.update(new=request_us(graph), prof2=profiled(graph), new_after=request_us(graph))
        print(json.dumps(row), flush=True)
        del graph, model, x
        torch.cuda.empty_cache()


def main():
    if len(sys.argv) > 2:
        measure(sys.argv[2])
        return
    env, rows = dict(os.environ, CUDA_MPS_PIPE_DIRECTORY="/tmp/mps", CUDA_MPS_LOG_DIRECTORY="/tmp/mps-log"), []
    quarter = dict(env, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="25")
    for mode, own in (("plain", os.environ), ("mps", env), ("mps25", quarter), ("plain_after", os.environ)):
        if mode == "mps":
            subprocess.run(["nvidia-cuda-mps-control", "-d"], env=env, check=True)
        if mode == "plain_after":
            subprocess.run(["nvidia-cuda-mps-control"], input=b"quit\n", env=env, check=True)
        said = subprocess.run([sys.executable, __file__, sys.argv[1], mode], env=own, check=True, stdout=subprocess.PIPE)
        rows += [json.loads(line) for line in said.stdout.splitlines()]
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
