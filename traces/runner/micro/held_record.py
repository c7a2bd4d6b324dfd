#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""held_record.py FILE: times of matrix products beside SMs that another kernel holds; writes FILE (json.gz) for held.py.

A kernel of one block with 200 KB of shared memory on each held SM spins until it is told to end. Four products in a CUDA graph
run beside it, five times; the median is kept. What waits for 8 s is left out. Needs PyTorch 2.10; takes a minute.
"""
import gzip
import json
import sys
import tempfile
import threading
import time

import torch

HOLDER = """
extern "C" __global__ void holder(volatile int *flag, int *sms)
{
    if (threadIdx.x) return;
    int sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    sms[blockIdx.x] = sm + 1;
    __threadfence_system();
    while (!*flag) __nanosleep(20000);
}
"""
HELD = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 44, 66, 100)
SQUARE = (2560, 2816, 3072, 3328, 3584, 4096, 4608, 5120, 6144)
OTHER = ((2048, 4096, 4096), (2048, 2560, 4096), (512, 11008, 4096), (1024, 8192, 4096), (1024, 11008, 4096), (512, 8192, 8192))
COUNT = 4  # products in a graph


def product(m, n, k, kind=torch.bfloat16):
    a, b, c = (torch.randn(*s, device="cuda", dtype=kind) for s in ((m, k), (k, n), (m, n)))
    return lambda: torch.mm(a, b, out=c)


def graph_of(one, stream):
    with torch.cuda.stream(stream):
        for _ in range(3):
            one()
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(COUNT):
                one()
        graph.replay()
        stream.synchronize()
    return graph


class Holder:
    def __init__(self):
        self.kernel = torch.cuda._compile_kernel(HOLDER, "holder")
        self.kernel.set_shared_memory_config(200000)
        self.stream, self.copies = torch.cuda.Stream(), torch.cuda.Stream()
        self.flag, self.one = torch.zeros(1, dtype=torch.int32, device="cuda"), torch.ones(1, dtype=torch.int32).pin_memory()
        self.sms = torch.zeros(132, dtype=torch.int32).pin_memory()

    def take(self, count):
        self.flag.zero_()
        self.sms.zero_()
        torch.cuda.synchronize()
        self.has_waited = False
        self.dog = threading.Timer(8, self.give_up)
        self.dog.start()
        if count:
            self.kernel((count, 1, 1), (128, 1, 1), (self.flag, self.sms), shared_mem=200000, stream=self.stream)
        while int((self.sms[:count] > 0).sum()) < count:
            time.sleep(0.0005)
        return [int(s) - 1 for s in self.sms[:count]]

    def free(self):
        with torch.cuda.stream(self.copies):
            self.flag.copy_(self.one, non_blocking=True)

    def give_up(self):  # a cluster may find no room beside it
        self.has_waited = True
        self.free()

    def end(self):
        self.dog.cancel()
        self.free()
        self.stream.synchronize()


def measure(holder, graph, stream, held):
    sms, times = holder.take(held), []
    with torch.cuda.stream(stream):
        graph.replay()
        stream.synchronize()
        for _ in range(5):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record(stream)
            graph.replay()
            end.record(stream)
            stream.synchronize()
            times.append(start.elapsed_time(end) * 1e3 / COUNT)
            time.sleep(0.003)
    holder.end()
    times.sort()
    return None if holder.has_waited else {"held": held, "us": times[2], "min": times[0], "max": times[-1], "sms": sms}


def kernels_of(one):
    with torch.profiler.profile() as profile:
        one()
        torch.cuda.synchronize()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        profile.export_chrome_trace(file.name)
        with open(file.name, encoding="utf-8") as text:
            events = json.load(text)["traceEvents"]
    return [{"name": e["name"], "grid": e["args"]["grid"], "block": e["args"]["block"], "regs": e["args"]["registers per thread"],
             "smem": e["args"]["shared memory"], "us": e["dur"]} for e in events if e.get("cat") == "kernel"]


def main():
    recording = {"device": torch.cuda.get_device_name(0), "sms": 132, "date": time.strftime("%Y-%m-%d"), "kernels": {}, "held": []}
    holder, stream, products = Holder(), torch.cuda.Stream(), {}
    for m, n, k in [(n, n, n) for n in SQUARE] + list(OTHER):
        what = f"mm_bf16_{m}x{n}x{k}"
        products[what] = product(m, n, k)
        graph = graph_of(products[what], stream)
        rows = [row for held in HELD if (row := measure(holder, graph, stream, held))]
        recording["held"].append({"what": what, "rows": rows})
        print(what, [(r["held"], round(r["us"] / rows[0]["us"], 2)) for r in rows], flush=True)
    for what, one in products.items():  # last: whoever profiles serializes kernels from then on
        recording["kernels"][what] = kernels_of(one)
    with gzip.open(sys.argv[1], "wt") as file:
        json.dump(recording, file)


main()
