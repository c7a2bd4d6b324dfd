#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A data-parallel and a tensor-parallel training step on all GPUs, by PyTorch: medians without the profiler, and each rank's trace.

    steps.py DIR [GPUS]     DIR/steps.jsonl, DIR/kineto_ddp_r0.json.gz, ... (gpusim validate kineto_ddp_r*.json.gz)
"""
import gzip
import json
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.profiler import ProfilerActivity, profile

LAYERS, WIDTH, BATCH, TOKENS = 8, 2048, 8, 512


class Block(nn.Module):
    """Two products of a transformer's feed-forward part; PARTS: ranks that divide it as Megatron-LM does."""

    def __init__(self, parts):
        super().__init__()
        self.parts = parts
        self.norm = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH // parts, bias=False)
        self.down = nn.Linear(4 * WIDTH // parts, WIDTH, bias=False)

    def forward(self, x):
        y = self.down(nn.functional.gelu(self.up(Enter.apply(self.norm(x)) if self.parts > 1 else self.norm(x))))
        return x + (Leave.apply(y) if self.parts > 1 else y)


class Enter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        grad = grad.contiguous()
        dist.all_reduce(grad)
        return grad


class Leave(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x = x.contiguous()
        dist.all_reduce(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad


def run(rank, gpus, folder):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29517", RANK=str(rank), WORLD_SIZE=str(gpus))
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=gpus)
    for name in ("ddp", "tp"):
        torch.manual_seed(1)
        model = nn.Sequential(*[Block(gpus if name == "tp" else 1) for _ in range(LAYERS)]).cuda().bfloat16()
        if name == "ddp":
            model = nn.parallel.DistributedDataParallel(model, device_ids=[rank])
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
        x = torch.randn(BATCH, TOKENS, WIDTH, device="cuda", dtype=torch.bfloat16)

        def step():
            optimizer.zero_grad(set_to_none=True)
            model(x).float().square().mean().backward()
            optimizer.step()
            torch.cuda.synchronize()
        for _ in range(10):
            step()
        us = []
        for _ in range(20):
            dist.barrier()
            torch.cuda.synchronize()
            begin = time.perf_counter()
            step()
            us.append(1e6 * (time.perf_counter() - begin))
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
            for _ in range(4):
                step()
        path = os.path.join(folder, f"kineto_{name}_r{rank}.json")
        profiler.export_chrome_trace(path)
        with open(path, "rb") as plain, gzip.open(path + ".gz", "wb") as packed:
            packed.write(plain.read())
        os.remove(path)
        if rank == 0:
            with open(os.path.join(folder, "steps.jsonl"), "a", encoding="utf-8") as file:
                file.write(json.dumps({"case": "step_" + name, "gpus": gpus, "bytes": 0, "us": statistics.median(us),
                                       "least": min(us), "most": max(us), "n": len(us)}) + "\n")
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    count = int(sys.argv[2]) if len(sys.argv) > 2 else torch.cuda.device_count()
    if count > 1:
        mp.spawn(run, (count, sys.argv[1]), nprocs=count)
