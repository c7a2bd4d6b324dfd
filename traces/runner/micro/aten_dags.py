# SPDX-License-Identifier: GPL-3.0-or-later
"""aten_dags: DAGs of cuBLAS and ATen kernels on a real GPU, described by what a profiler shows (grid, block, registers, shared memory, solo time).
Rule probed: how well demand inferred from a plain trace predicts concurrent spans. Usage: aten_dags.py out.json [seed] [DAGs] [pairs] [shapes]
shapes "other" makes every edge 1.5 times as long, so that cuBLAS and ATen choose other kernels and grids."""
import json, random, sys, time
import torch
from torch.profiler import profile, ProfilerActivity
from aten_ops import aten_ops, t
arg = sys.argv[2:] + ["5", "12", "60", "same"][len(sys.argv[2:]):]
R = random.Random(int(arg[0])); torch.manual_seed(1); DAGS, PAIRS = int(arg[1]), int(arg[2])
ops = aten_ops(arg[3])
for f in ops.values(): f(); f()
torch.cuda.synchronize()
def kernels(prof):
    import os, tempfile
    p = tempfile.mktemp(".json"); prof.export_chrome_trace(p); e = json.load(open(p))["traceEvents"]; os.unlink(p)
    return [x for x in e if x.get("cat") == "kernel"]
names = list(ops); desc = {}
with profile(activities=[ProfilerActivity.CUDA]) as p:
    torch.mm(t(64, 64), t(64, 64)); torch.cuda.synchronize()
for n in names:
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as p:
        for _ in range(7): ops[n](); torch.cuda.synchronize()
    k = kernels(p); k.sort(key=lambda x: x["ts"]); m = len(k) // 7
    if m * 7 != len(k) or m == 0: continue
    d = []
    for j in range(m):
        v = sorted(k[i * m + j]["dur"] for i in range(7)); g = k[j]["args"]
        d.append({"name": k[j]["name"][:60], "grid": g["grid"], "block": g["block"], "regs": g["registers per thread"], "smem": g["shared memory"], "solo_ns": v[3] * 1e3})
    desc[n] = d
names = [n for n in names if n in desc and 3000 < sum(x["solo_ns"] for x in desc[n]) < 900000]
print(len(names), "ops")
out = []
def med(v): return sorted(v)[len(v) // 2]
S = [torch.cuda.Stream() for _ in range(10)]
for s in S:
    with torch.cuda.stream(s):
        for n in names: ops[n]()
torch.cuda.synchronize()
def clock(f, n=40, repeats=9):
    """Host time of one call of f among n in a row, us: median over repeats; the GPU is idle before."""
    v = []
    for r in range(repeats):
        torch.cuda.synchronize(); a = time.perf_counter()
        for _ in range(n): f()
        v.append((time.perf_counter() - a) * 1e6 / n)
    torch.cuda.synchronize(); return round(med(v), 3)
def timed(f, repeats=25):
    """f and a synchronise on an idle GPU, us."""
    v = []
    for r in range(repeats): torch.cuda.synchronize(); a = time.perf_counter(); f(); torch.cuda.synchronize(); v.append((time.perf_counter() - a) * 1e6)
    return round(med(v), 3)
def graph_of(f):
    g = torch.cuda.CUDAGraph(); cs = torch.cuda.Stream()
    with torch.cuda.graph(g, stream=cs): f()
    return g
def in_stream(s, f):
    with torch.cuda.stream(s): f()
nothing = lambda: None
event = S[0].record_event()
host = {"op": {n: clock(ops[n]) for n in names}, "stream": clock(lambda: in_stream(S[1], nothing)), "record": clock(lambda: S[0].record_event()),
        "wait": clock(lambda: S[1].wait_event(event)), "sync": timed(nothing), "call": clock(nothing)}
tiny = t(64); graph0 = graph_of(lambda: torch.neg(tiny, out=tiny))
host["replay"] = clock(graph0.replay, 8); host["graph_tiny"] = timed(graph0.replay)
host["op_tiny"] = timed(lambda: torch.neg(tiny, out=tiny))
alone = {n: {"graph_us": timed(graph_of(ops[n]).replay), "call_us": timed(ops[n])} for n in names}
def run(nodes, main):
    ev = {}; need = {d for i, (s, n, dep) in enumerate(nodes) for d in dep if nodes[d][0] != s}
    for i, (s, n, dep) in enumerate(nodes):
        for d in dep:
            if nodes[d][0] != s: S[s].wait_event(ev[d])
        with torch.cuda.stream(S[s]): ops[n]()
        if i in need: ev[i] = S[s].record_event()
cases = [(ns, nn) for ns, nn in ((2, 6), (3, 8), (4, 12), (5, 16), (6, 20), (8, 24), (4, 30), (8, 30), (3, 10), (2, 12), (6, 12), (10, 40))]
for ns, nn in (cases[i % len(cases)] for i in range(DAGS)):
    nodes = []
    for i in range(nn):
        dep = sorted({R.randrange(max(0, i - 6), i) for _ in range(R.choice([0, 1, 1, 2]))}) if i else []
        nodes.append((R.randrange(ns), R.choice(names), dep))
    live = []; issue = []; serial_issue = []
    for r in range(11):
        torch.cuda.synchronize(); a = time.perf_counter(); run(nodes, None); b = time.perf_counter(); torch.cuda.synchronize(); live.append((time.perf_counter() - a) * 1e6); issue.append((b - a) * 1e6)
    serial = []
    for r in range(9):
        torch.cuda.synchronize(); a = time.perf_counter()
        for s, n, d in nodes: ops[n]()
        serial_issue.append((time.perf_counter() - a) * 1e6); torch.cuda.synchronize(); serial.append((time.perf_counter() - a) * 1e6)
    g = torch.cuda.CUDAGraph(); cs = torch.cuda.Stream()
    with torch.cuda.graph(g, stream=cs):
        e0 = cs.record_event()
        for s in range(ns): S[s].wait_event(e0)
        run(nodes, cs)
        for s in range(ns): cs.wait_event(S[s].record_event())
    gr = []
    for r in range(9):
        torch.cuda.synchronize(); a = time.perf_counter(); g.replay(); torch.cuda.synchronize(); gr.append((time.perf_counter() - a) * 1e6)
    g1 = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g1, stream=cs):
        for s, n, d in nodes: ops[n]()
    g1r = []
    for r in range(9):
        torch.cuda.synchronize(); a = time.perf_counter(); g1.replay(); torch.cuda.synchronize(); g1r.append((time.perf_counter() - a) * 1e6)
    with profile(activities=[ProfilerActivity.CUDA]) as p: g.replay(); torch.cuda.synchronize()
    ks = sorted(kernels(p), key=lambda x: x["ts"]); z = ks[0]["ts"] if ks else 0
    out.append({"kind": "aten-dag", "streams": ns, "live_us": med(live[2:]), "live_min_us": min(live[2:]), "live_max_us": max(live[2:]), "issue_us": med(issue[2:]), "serial_issue_us": med(serial_issue[1:]), "serial_us": med(serial[1:]), "graph_us": med(gr[1:]), "graph_serial_us": med(g1r[1:]),
                "nodes": [{"stream": s, "dep": d, "op": n, "kernels": desc[n]} for s, n, d in nodes],
                "graph_kernels": [[x["name"][:40], round((x["ts"] - z) * 1e3), round((x["ts"] - z + x["dur"]) * 1e3), x["args"].get("stream")] for x in ks]})
# pairs of ops as parallel branches of a graph
pairs = []
for _ in range(PAIRS):
    x, y = R.choice(names), R.choice(names)
    def cap(f):
        g = torch.cuda.CUDAGraph(); cs = torch.cuda.Stream()
        with torch.cuda.graph(g, stream=cs): f(cs)
        v = []
        for r in range(9): torch.cuda.synchronize(); a = time.perf_counter(); g.replay(); torch.cuda.synchronize(); v.append((time.perf_counter() - a) * 1e6)
        with profile(activities=[ProfilerActivity.CUDA]) as p: g.replay(); torch.cuda.synchronize()
        ks = sorted(kernels(p), key=lambda q: q["ts"]); z = ks[0]["ts"] if ks else 0
        return med(v), [[q["name"][:60], round((q["ts"] - z) * 1e3), round((q["ts"] - z + q["dur"]) * 1e3)] for q in ks]
    def par(cs):
        e = cs.record_event(); S[0].wait_event(e); S[1].wait_event(e)
        with torch.cuda.stream(S[0]): ops[x]()
        with torch.cuda.stream(S[1]): ops[y]()
        cs.wait_event(S[0].record_event()); cs.wait_event(S[1].record_event())
    m, k = cap(par); pairs.append({"kind": "aten-pair", "a": x, "b": y, "ka": desc[x], "kb": desc[y], "graph_us": m, "kernels": k})
json.dump({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "cuda": torch.version.cuda, "host": host, "alone": alone, "dags": out, "pairs": pairs}, open(sys.argv[1], "w"))
for o in out: print(o["streams"], len(o["nodes"]), round(o["live_us"]), round(o["serial_us"]), round(o["graph_us"]), round(o["graph_serial_us"]), round(sum(k["solo_ns"] for n in o["nodes"] for k in n["kernels"]) / 1e3))
