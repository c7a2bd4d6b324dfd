#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""limits_record.py FOLDER: eight services of PyTorch that share a GPU; writes limits.json.gz and a trace of each model.

1, 2 and 4 processes replay each model's CUDA graph in a closed loop, without MPS and under it at 100, 50 and 25 % of the
SMs. Needs PyTorch, torchvision, nvidia-ml-py and nvidia-cuda-mps-control; takes four minutes.
"""
import gzip
import json
import os
import subprocess
import sys
import threading
import time

WAYS = [("timeslice", 100, 4), ("mps", 100, 4), ("mps", 50, 2), ("mps", 25, 4)]


def layers(nn, torch):
    class Block(nn.Module):
        def __init__(self, width, heads, cache=None):
            super().__init__()
            self.heads, self.cache = heads, cache
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            batch, tokens, width = x.shape
            q, k, v = self.qkv(self.norm1(x)).view(batch, tokens, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
            if self.cache:
                k, v = self.cache
            y = nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, tokens, width)
            x = x + self.out(y)
            return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

    def cache():
        return [torch.randn(8, 16, 512, 64, device="cuda", dtype=torch.bfloat16) for _ in "kv"]

    def transformer(width, heads, count, is_decoder=False):
        return nn.Sequential(*(Block(width, heads, cache() if is_decoder else None) for _ in range(count)))

    return transformer


def models():
    import torch
    import torchvision
    from torch import nn
    transformer, half = layers(nn, torch), torch.bfloat16

    def data(*shape, kind=torch.float):
        return torch.randn(*shape, device="cuda", dtype=kind)

    product = nn.Linear(4096, 4096, bias=False)
    yield "resnet50", torchvision.models.resnet50().eval().cuda(), data(4, 3, 224, 224)
    yield "decode", transformer(1024, 16, 8, True).to("cuda", half), data(8, 1, 1024, kind=half)
    yield "gemm", nn.Sequential(product, product).to("cuda", half), data(4096, 4096, kind=half)
    yield "vit", torchvision.models.vit_b_16().eval().to("cuda", half), data(16, 3, 224, 224, kind=half)
    yield "bert", transformer(768, 12, 12).to("cuda", torch.half), data(8, 128, 768, kind=torch.half)
    yield "mobilenet", torchvision.models.mobilenet_v3_large().eval().cuda(), data(16, 3, 224, 224)
    yield "stream", nn.Sequential(nn.GELU(), nn.LayerNorm(4096), nn.ReLU(), nn.Softmax(-1)).cuda(), data(16384, 4096)
    yield "prefill", transformer(2048, 16, 4).to("cuda", half), data(1, 2048, 2048, kind=half)


def graph_of(model, x):
    import torch
    with torch.no_grad():
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(3):
                model(x)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            model(x)
    for _ in range(20):
        graph.replay()
    torch.cuda.synchronize()
    return graph


def watch(samples):
    import pynvml
    pynvml.nvmlInit()
    gpu = pynvml.nvmlDeviceGetHandleByIndex(0)
    while True:
        samples.append((time.time(), pynvml.nvmlDeviceGetClockInfo(gpu, 1), pynvml.nvmlDeviceGetPowerUsage(gpu) / 1000))
        time.sleep(0.02)


def requests(graph, seconds, samples):
    """Medians, without the first quarter, of requests, clock and power."""
    import torch
    began, us = time.time(), []
    while time.time() < began + seconds:
        at = time.perf_counter()
        graph.replay()
        torch.cuda.synchronize()
        us.append((time.perf_counter() - at) * 1e6)
    us = sorted(us[len(us) // 4:])
    seen = [s for s in list(samples) if s[0] > began + 0.5]
    mhz, watts = (sorted(s[i] for s in seen)[len(seen) // 2] if seen else None for i in (1, 2))
    return {"p50": us[len(us) // 2], "p10": us[len(us) // 10], "p90": us[len(us) * 9 // 10], "mhz": mhz, "w": watts}


def trace(graph, path):
    import torch
    with torch.profiler.profile() as profile:
        for _ in range(4):
            graph.replay()
            torch.cuda.synchronize()
    profile.export_chrome_trace(path)
    with open(path, "rb") as plain, gzip.open(path + ".gz", "wb") as packed:
        packed.write(plain.read())
    os.remove(path)


def process(folder, share, percentage, rank, world, port):
    import torch
    dist = torch.distributed
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    samples, seen = [], {}
    if rank == 0:
        threading.Thread(target=watch, args=(samples,), daemon=True).start()
    for name, model, x in models():
        graph = graph_of(model, x)
        for active in (n for n in (1, 2, 4) if n <= world):
            dist.barrier()
            if rank < active:
                seen[f"{name} {active}"] = requests(graph, 2 if active == 1 else 1.5, samples)
            dist.barrier()
        if rank == 0 and share == "timeslice":
            trace(graph, os.path.join(folder, name + ".json"))
        dist.barrier()
        del graph, model, x
        torch.cuda.empty_cache()
    with open(os.path.join(folder, f"{share}-{percentage}-{rank}.part"), "w", encoding="utf-8") as file:
        json.dump(seen, file)


def device_name():
    import torch
    return torch.cuda.get_device_name()


def join(folder):
    runs = []
    for share, percentage, world in WAYS:
        parts = []
        for rank in range(world):
            path = os.path.join(folder, f"{share}-{percentage}-{rank}.part")
            with open(path, encoding="utf-8") as file:
                parts.append(json.load(file))
            os.remove(path)
        for key, first in parts[0].items():
            model, count = key.split()
            us = [part[key] for part in parts[:int(count)]]
            runs.append({"model": model, "share": share, "percentage": percentage, "processes": int(count),
                         **{f"{p}_us": [round(u[p], 1) for u in us] for p in ("p50", "p10", "p90")},
                         "sm_mhz": first["mhz"], "board_w": first["w"]})
    with gzip.open(os.path.join(folder, "limits.json.gz"), "wt", encoding="utf-8") as file:
        json.dump({"device": device_name(), "runs": runs}, file)


def main():
    if len(sys.argv) > 2:
        process(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
        return
    folder, env = sys.argv[1], dict(os.environ, CUDA_MPS_PIPE_DIRECTORY="/tmp/mps", CUDA_MPS_LOG_DIRECTORY="/tmp/mps-log")
    os.makedirs(folder, exist_ok=True)
    for at, (share, percentage, world) in enumerate(WAYS):
        if at == 1:
            subprocess.run(["nvidia-cuda-mps-control", "-d"], env=env, check=True)
        own = dict(env, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=str(percentage)) if share == "mps" else os.environ
        ranks = [subprocess.Popen([sys.executable, __file__, folder, share, str(percentage), str(rank), str(world),
                                   str(29500 + at)], env=own) for rank in range(world)]
        if any([rank.wait() for rank in ranks]):
            sys.exit("a process failed")
    subprocess.run(["nvidia-cuda-mps-control"], input=b"quit\n", env=env, check=True)
    join(folder)


if __name__ == "__main__":
    main()
