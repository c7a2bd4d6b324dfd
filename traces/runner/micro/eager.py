# SPDX-License-Identifier: GPL-3.0-or-later
"""eager: torchvision networks step by step, whose hosts run at two speeds: p10, p50 and p90 of 40 eager steps in us, without and with
cudnn.benchmark, and the step as a CUDA graph. Usage: eager.py [NETWORK...] (default squeezenet1_0)"""
import sys, time
import torch, torchvision


def timed(step):
    times = []
    for _ in range(40):
        begin = time.perf_counter()
        step()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) * 1e6)
    return [round(sorted(times)[i]) for i in (4, 20, 36)]


for name in sys.argv[1:] or ["squeezenet1_0"]:
    model, x = getattr(torchvision.models, name)(weights=None).cuda().eval(), torch.randn(1, 3, 224, 224, device="cuda")
    with torch.no_grad():
        for benchmark in (False, True):
            torch.backends.cudnn.benchmark = benchmark
            for _ in range(5): model(x)
            torch.cuda.synchronize()
            print(name, f"cudnn.benchmark={benchmark}", *timed(lambda: model(x)))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph): model(x)
        print(name, "graph", *timed(graph.replay))
