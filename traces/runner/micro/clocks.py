#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""clocks.py FILE [--show]: what kernels draw and how the clock falls under the power limit; writes FILE (json.gz).

Each kernel runs all the time on all, half and a quarter of the SMs (MPS): time, mean clock, energy a second. On all SMs
also from rest and in bursts. Needs PyTorch, nvidia-ml-py and nvidia-cuda-mps-control; takes four minutes. --show prints what
a recording says: times from rest and all the time, and the power above the base at full clock, of the quarter's energy.
"""
import gzip
import json
import os
import subprocess
import sys
import threading
import time


def kernels():
    import torch
    import torch.nn.functional as F
    half = torch.bfloat16

    def data(*shape, kind=half):
        return torch.randn(*shape, device="cuda", dtype=kind)

    def product(m, n, k, kind=half):
        a, b, c = data(m, k, kind=kind), data(k, n, kind=kind), data(m, n, kind=kind)
        return lambda: torch.mm(a, b, out=c)

    yield "gemm_4096", product(4096, 4096, 4096), 2 * 4096**3
    yield "gemm_8192", product(8192, 8192, 8192), 2 * 8192**3
    yield "gemm_3072", product(3072, 3072, 3072), 2 * 3072**3
    yield "gemm_2048", product(2048, 2048, 2048), 2 * 2048**3
    yield "gemm_half_4096", product(4096, 4096, 4096, torch.half), 2 * 4096**3
    yield "gemm_128_rows", product(128, 8192, 8192), 2 * 128 * 8192**2
    yield "tf32_4096", product(4096, 4096, 4096, torch.float), 2 * 4096**3
    q = data(4, 16, 2048, 128)
    yield "attention", lambda: F.scaled_dot_product_attention(q, q, q), 4 * 4 * 16 * 2048**2 * 128
    x = data(64, 256, 56, 56, kind=torch.half).to(memory_format=torch.channels_last)
    w = data(256, 256, 3, 3, kind=torch.half).to(memory_format=torch.channels_last)
    yield "conv", lambda: F.conv2d(x, w, padding=1), 2 * 64 * 56 * 56 * 256 * 256 * 9
    v, u = data(64 << 20, kind=torch.float), data(64 << 20, kind=torch.float)
    yield "stream", lambda: torch.mul(v, 1.5, out=u), 64 << 20
    yield "lgamma", lambda: torch.lgamma(v[:16 << 20], out=u[:16 << 20]), 16 << 20
    s = data(32768, 4096, kind=torch.float)
    yield "softmax", lambda: torch.softmax(s, -1), 5 * 32768 * 4096
    yield "layernorm", lambda: F.layer_norm(s, (4096,)), 8 * 32768 * 4096
    yield "fp32_4096", product(4096, 4096, 4096, torch.float), 2 * 4096**3


def graph_of(one, count):
    import torch
    with torch.cuda.stream(torch.cuda.Stream()):
        for _ in range(3):
            one()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(count):
            one()
    graph.replay()
    torch.cuda.synchronize()
    return graph


def watch(samples):
    import pynvml
    pynvml.nvmlInit()
    gpu = pynvml.nvmlDeviceGetHandleByIndex(0)
    while True:
        samples.append((time.time(), pynvml.nvmlDeviceGetClockInfo(gpu, 1), pynvml.nvmlDeviceGetPowerUsage(gpu) / 1000,
                        pynvml.nvmlDeviceGetTotalEnergyConsumption(gpu)))
        time.sleep(0.004)


def steady(graph, count, seconds, samples):
    import torch
    began, at, done, events = time.time(), None, 0, []
    while time.time() < began + seconds:
        if at is None and time.time() > began + seconds / 2:
            torch.cuda.synchronize()
            at, done = time.time(), 0
        graph.replay()
        done += 1
        event = torch.cuda.Event()
        event.record()
        events.append(event)
        if len(events) > 4:
            events.pop(0).synchronize()
    torch.cuda.synchronize()
    end = time.time()
    seen = [s for s in list(samples) if at + 0.05 < s[0] < end]
    first, last = seen[0], seen[-1]
    return {"us": (end - at) * 1e6 / done / count, "mhz": sum(s[1] for s in seen) / len(seen),
            "counter_w": (last[3] - first[3]) / 1000 / (last[0] - first[0]), "board_w": sum(s[2] for s in seen) / len(seen)}


def rest(one, seconds):
    """Times of kernels from rest on: [ms since the first, us]."""
    import torch
    torch.cuda.synchronize()
    time.sleep(1.5)
    count = 4000
    events = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
    events[0].record()
    for event in events[1:]:
        one()
        event.record()
    torch.cuda.synchronize()
    at = [events[0].elapsed_time(e) for e in events]
    out, i = [], 0
    while i < count:
        n = max(1, i // 8)
        j = min(count, i + n)
        out.append([round(at[i], 3), round((at[j] - at[i]) * 1e3 / (j - i), 2)])
        i = j
    return out


def bursts(graph, count, work_ms, us, idle_ms, seconds=1.6):
    """Mean time of a kernel in bursts of WORK_MS with pauses of IDLE_MS."""
    import torch
    replays = max(1, round(work_ms * 1e3 / us / count))
    torch.cuda.synchronize()
    began, took = time.time(), []
    while time.time() < began + seconds:
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        a.record()
        for _ in range(replays):
            graph.replay()
        b.record()
        b.synchronize()
        took.append(a.elapsed_time(b) * 1e3 / replays / count)
        end = time.perf_counter() + idle_ms / 1e3
        while time.perf_counter() < end:
            pass
    late = sorted(took[len(took) // 2:])
    return {"work_ms": replays * count * us / 1e3, "idle_ms": idle_ms, "us": late[len(late) // 2]}


def process(percentage, path):
    import torch
    samples, rows = [], []
    threading.Thread(target=watch, args=(samples,), daemon=True).start()
    for name, one, flops in kernels():
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = name != "fp32_4096"
        one()
        torch.cuda.synchronize()
        at = time.perf_counter()
        for _ in range(5):
            one()
        torch.cuda.synchronize()
        us = (time.perf_counter() - at) * 1e6 / 5
        count = max(2, min(50, round(4000 / us)))
        graph = graph_of(one, count)
        row = {"kernel": name, "percentage": percentage, "flops": flops, **steady(graph, count, 1.6, samples)}
        if percentage == 0 and name in ("gemm_4096", "gemm_8192", "attention", "conv", "gemm_2048"):
            row["rest"] = rest(one, 2)
            few = graph_of(one, 1)
            row["bursts"] = [bursts(few, 1, *pair) for pair in
                             ((w, row["us"], i) for w, i in ((0.4, 0.1), (0.4, 0.4), (2, 1), (2, 2), (10, 5), (10, 10), (50, 25), (50, 50), (200, 100)))]
        rows.append(row)
        time.sleep(0.3)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(rows, file)


def show(path, base_w=120, limit_w=700, loss=0.3):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = json.load(file)["rows"]
    print("kernel        from rest us  all the time  clock MHz  full clock W  times  (W / limit)^0.3  quarter  falls after ms")
    for row in rows:
        if "rest" not in row:
            continue
        quarter = next(r for r in rows if r["kernel"] == row["kernel"] and r["percentage"] == 25)
        fast = min(b["us"] for b in row["bursts"])
        watt = (quarter["counter_w"] - base_w) * quarter["us"] / fast
        falls = next((ms for ms, us in row["rest"] if ms > 10 and us > 1.02 * fast), 0)
        print(f"{row['kernel']:13s} {fast:12.1f} {row['us']:13.1f} {row['mhz']:10.0f} {watt:13.0f} {row['us'] / fast:6.2f} "
              f"{(watt / (limit_w - base_w)) ** loss:16.2f} {quarter['us'] / fast:8.2f} {falls:15.0f}")


def main():
    if sys.argv[2:] == ["--show"]:
        show(sys.argv[1])
        return
    if len(sys.argv) > 2:
        process(int(sys.argv[2]), sys.argv[1])
        return
    env, rows = dict(os.environ, CUDA_MPS_PIPE_DIRECTORY="/tmp/mps", CUDA_MPS_LOG_DIRECTORY="/tmp/mps-log"), []
    for percentage in (0, 100, 50, 25):
        if percentage == 100:
            subprocess.run(["nvidia-cuda-mps-control", "-d"], env=env, check=True)
        own = dict(env, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=str(percentage)) if percentage else os.environ
        subprocess.run([sys.executable, __file__, "/tmp/part.json", str(percentage)], env=own, check=True)
        with open("/tmp/part.json", encoding="utf-8") as file:
            rows += json.load(file)
    subprocess.run(["nvidia-cuda-mps-control"], input=b"quit\n", env=env, check=True)
    import torch
    with gzip.open(sys.argv[1], "wt", encoding="utf-8") as file:
        json.dump({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "rows": rows}, file)


if __name__ == "__main__":
    main()
