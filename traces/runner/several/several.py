#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What N GPUs do at once (several.cu, steps.py, gpusim-runner): programs, predictions, scores. Part of record.sh.

    several.py dags DIR                            ten DAGs as program files
    several.py predict DIR N -o FILE [--gpusim P]  plans of the DAGs into DIR, predictions of all cases for N GPUs
    several.py collect DIR -o FILE                 what record.sh left in DIR, as one recording
    several.py score RECORDING PREDICTIONS         errors by kind; --rows: of each case
    several.py agree FILE N [--part P]             the predictions in FILE are those of this gpusim: copies, collectives, beside or dags
"""
import argparse
import gzip
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

KIND = ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "send_recv"]
SIZES = [1 << 10, 1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28, 1 << 30]
CHANNELS = [0, 1, 4, 16]
COPY_BYTES = [1 << 16, 1 << 20, 1 << 24, 1 << 28]
COPIES = 10
POLICIES = ["round-robin", "least-loaded", "min-transfer-size", "heft", "best"]
ALL = ["round-robin", "stream-aware", "min-transfer-size", "minmin-transfer-time", "minmax-transfer-time", "least-loaded",
       "owner-first", "cudastf", "dmda", "dmdar", "dmdas", "heft", "peft"]
CLOCK_MHZ = 1979.86  # of models/h100-vm.json: spinning kernels take cycles


# --- programs ---------------------------------------------------------------------------------------------------------

def random_dag(seed):
    """30 to 60 kernels that spin, two blocks an SM; each reads up to three of the last twelve results, 64 KiB to 64 MiB."""
    draw = random.Random(seed)
    count = draw.randint(30, 60)
    buffers = [{"name": f"r{i}", "bytes": 1 << draw.randint(16, 26)} for i in range(count)]
    ops = []
    for i in range(count):
        reads = sorted(draw.sample(range(max(0, i - 12), i), min(i, draw.randint(0, 3))))
        ops.append({"op": "kernel", "kernel": "spin", "grid": [draw.choice([33, 66, 132, 264, 528])], "block": [1024],
                    "thread_cycles": round(draw.uniform(40, 300) * CLOCK_MHZ), "stream": i % 8,
                    "reads": [f"r{r}" for r in reads], "writes": [f"r{i}"]})
    return {"schema": "gpusim-program/1", "name": f"random{seed}", "buffers": buffers,
            "kernels": [{"name": "spin", "regs_per_thread": 32, "thread_cycles": 1e5}], "ops": ops}


def tiled(name, tiles):
    """Cholesky and LU of square tiles of 512 KiB; kernels spin."""
    us = {"potrf": 90, "getrf": 110, "trsm": 60, "syrk": 50, "gemm": 80}
    ops, used = [], set()

    def op(kind, reads, writes):
        used.update(reads + [writes])
        ops.append({"op": "kernel", "kernel": "spin", "grid": [64], "block": [256], "thread_cycles": round(us[kind] * CLOCK_MHZ),
                    "stream": len(ops) % 8, "reads": reads + [writes], "writes": [writes]})

    def t(i, j):
        return f"A{i}_{j}"
    for k in range(tiles):
        op("potrf" if name == "cholesky" else "getrf", [], t(k, k))
        for i in range(k + 1, tiles):
            op("trsm", [t(k, k)], t(i, k))
            if name == "lu":
                op("trsm", [t(k, k)], t(k, i))
        for i in range(k + 1, tiles):
            for j in range(k + 1, i + 1 if name == "cholesky" else tiles):
                if name == "lu":
                    op("gemm", [t(i, k), t(k, j)], t(i, j))
                elif i == j:
                    op("syrk", [t(i, k)], t(i, i))
                else:
                    op("gemm", [t(i, k), t(j, k)], t(i, j))
    return {"schema": "gpusim-program/1", "name": name, "buffers": [{"name": b, "bytes": 1 << 19, "init": "host"} for b in sorted(used)],
            "kernels": [{"name": "spin", "regs_per_thread": 32, "thread_cycles": 1e5}], "ops": ops}


def dags():
    return [random_dag(seed) for seed in range(1, 9)] + [tiled("cholesky", 6), tiled("lu", 5)]


# --- predictions --------------------------------------------------------------------------------------------------------

class Simulator:
    def __init__(self, binary, gpus, device):
        self.binary, self.gpus = binary, gpus
        self.node = f"{device}-x{gpus}" if gpus in (2, 4, 8) else f"{device}-x8"
        self.where = ["--node", self.node, "--gpus", str(gpus)]
        self.folder = tempfile.mkdtemp()

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, document):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(document, file)
        return self.path(name)

    def run(self, *words):
        report = self.path("report.json")
        subprocess.run([self.binary, *words, "--memory", "pinned", "--report", report], check=True, stdout=subprocess.DEVNULL)
        with open(report, encoding="utf-8") as file:
            return json.load(file)

    def ranks(self, program, count, sched, fold=True):
        self.write("program.json", program)
        ranks = self.write("ranks.json", {"schema": "gpusim-ranks/1", "node": self.node, "fold": fold, "ranks": [{"program": "program.json", "count": count}]})
        return self.run("--ranks", ranks, "--sched", sched)


def copies(sim, pairs, size):
    """PAIRS of GPUs, None for the host."""
    buffers, ops = [], []
    for n in range(COPIES):
        for i, (source, target) in enumerate(pairs):
            kind = "h2d" if source is None else "d2h" if target is None else "p2p"
            op = {"op": "copy", "kind": kind, "buffer": f"b{i}", "bytes": size, "stream": i, "device": target if source is None else source}
            if kind == "p2p":
                op["to"] = target
            if not n:
                buffers.append({"name": f"b{i}", "bytes": size, "init": "host" if kind == "h2d" else "device"})
            ops.append(op)
    program = sim.write("copies.json", {"schema": "gpusim-program/1", "name": "copies", "buffers": buffers, "ops": ops})
    return sim.run("--workload", program, "--sched", "async", *sim.where)["iteration_us"][0]


def collectives(sim, kind, size, channels):
    count = 10 if size <= 16 << 20 else 4 if size <= 64 << 20 else 2
    op = {"op": "collective", "kind": kind, "bytes": size, "stream": 0}
    if channels:
        op["channels"] = channels
    if kind == "send_recv":
        op["group"] = [0, 1]
    is_pair = kind == "send_recv"
    ops = [{**op, "after": [i - 1] if i else []} for i in range(count)]  # a graph has no order of its own
    program = {"schema": "gpusim-program/1", "name": "alone", "ops": ops}
    report = sim.ranks(program, 2 if is_pair else sim.gpus, "cudagraph", fold=not is_pair)
    own = [c for c in report["collectives"] if c["rank"] == 0]
    return (max(c["end_us"] for c in own) - min(c["start_us"] for c in own)) / count


def beside(sim, size, waves, gemm_first):
    gemm = {"op": "kernel", "kernel": "gemm", "grid": [132 * waves], "block": [384], "stream": 0}
    reduce = {"op": "collective", "kind": "all_reduce", "bytes": size, "stream": 1, "after": []}
    program = {"schema": "gpusim-program/1", "name": "beside",
               "kernels": [{"name": "gemm", "regs_per_thread": 32, "smem_bytes": 200000, "solo_us": 500 * waves}],
               "ops": [gemm, reduce] if gemm_first else [reduce, gemm]}
    report = sim.ranks(program, sim.gpus, "async")
    took = {}
    for k in report["kernels"]:
        took.setdefault("gemm" if k["name"] == "gemm" else "all_reduce", k["end_us"] - k["launch_us"])
    return took["gemm"], took["all_reduce"]


def dag(sim, folder, program, policy):
    """Of best the plan that is simulated as the fastest, of all placements."""
    path, plan = os.path.join(folder, program["name"] + ".json"), os.path.join(folder, f"{program['name']}.{policy}.{sim.gpus}.csv")
    least = float("inf")
    for placement in ALL if policy == "best" else [policy]:
        tried = sim.path("plan.csv")
        sim.run("--workload", path, "--sched", "kesco", "--place", placement, "--iterations", "6", "--plan", tried, *sim.where)
        report = sim.run("--workload", path, "--sched", "plan=" + tried, "--iterations", "10", *sim.where)
        us = statistics.median(report["iteration_us"][3:])
        if us < least:
            shutil.copy(tried, plan)
        least = min(least, us)
    return least


def predictions(folder, gpus, binary, device, part=None):
    sim = Simulator(binary, gpus, device)
    everyone = range(gpus)
    rows = []

    def add(case, size, us, **more):
        rows.append({"case": case, "gpus": gpus, "bytes": size, **more, "us": round(us, 2)})
    for size in COPY_BYTES if part in (None, "copies") else []:
        add("peer_all_pairs", size, copies(sim, [(a, b) for a in everyone for b in everyone if a != b], size))
        add("peer_one_to_all", size, copies(sim, [(0, b) for b in everyone if b], size))
        add("host_to_all", size, copies(sim, [(None, d) for d in everyone], size))
        add("all_to_host", size, copies(sim, [(d, None) for d in everyone], size))
        add("host_both_ways", size, copies(sim, [(None, d) for d in everyone] + [(d, None) for d in everyone], size))
    for kind in KIND if part in (None, "collectives") else []:
        for channels in CHANNELS:
            for size in SIZES:
                add(kind, size, collectives(sim, kind, size, channels), channels=channels)
    for waves in (1, 4) if part in (None, "beside") else []:
        for size in (1 << 24, 1 << 26, 1 << 28):
            for first in (False, True):
                gemm, reduce = beside(sim, size, waves, first)
                add("gemm_beside", size, gemm, waves=waves, gemm_first=first)
                add("all_reduce_beside", size, reduce, waves=waves, gemm_first=first)
    for program in dags() if part in (None, "dags") else []:
        for policy in POLICIES:
            add("dag", 0, dag(sim, folder, program, policy), dag=program["name"], policy=policy)
    return {"gpus": gpus, "rows": rows}


def write_dags(folder):
    os.makedirs(folder, exist_ok=True)
    for program in dags():
        with open(os.path.join(folder, program["name"] + ".json"), "w", encoding="utf-8") as file:
            json.dump(program, file)


# --- recordings, scores ---------------------------------------------------------------------------------------------------

def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def write(path, document):
    """One row a line, so that a difference can be read."""
    head = {k: v for k, v in document.items() if k != "rows"}
    text = json.dumps(head)[:-1] + (", " if head else "") + '"rows": [\n' + ",\n".join(json.dumps(r) for r in document["rows"]) + "\n]}\n"
    data = gzip.compress(text.encode(), mtime=0) if path.endswith(".gz") else text.encode()
    with open(path, "wb") as file:
        file.write(data)


def collect(folder):
    document = {"notes": [], "rows": []}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.endswith(".jsonl"):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    row = json.loads(line)
                    document["rows" if "case" in row else "notes"].append(row)
        elif name.endswith(".report.json"):
            report = read(path)
            dag_name, policy, gpus = name[:-len(".report.json")].split(".")
            us = sorted(report["iteration_us"])
            document["rows"].append({"case": "dag", "gpus": int(gpus), "bytes": 0, "dag": dag_name, "policy": policy, "us": statistics.median(us),
                                     "least": us[0], "most": us[-1], "n": len(us)})
    return document


def key(row):
    return tuple(sorted((k, v) for k, v in row.items() if k not in ("us", "least", "most", "n")))


def score(recording, predicted, show_rows):
    by_key = {key(r): r["us"] for r in predicted["rows"]}
    errors, missing = {}, 0
    for row in recording["rows"]:
        if key(row) not in by_key:
            missing += 1
            continue
        off = 100 * (by_key[key(row)] / row["us"] - 1)
        errors.setdefault(row["case"], []).append(off)
        if show_rows:
            print(" ".join(f"{k}={v}" for k, v in key(row)), f"measured {row['us']:.1f} predicted {by_key[key(row)]:.1f} us, {off:+.1f} %")
    print(f"{'kind':20s} {'cases':>5s} {'mean %':>7s} {'median %':>8s} {'worst %':>8s}  (absolute errors, {recording['rows'][0]['gpus']} GPUs)")
    for case, list_ in errors.items():
        size = sorted(abs(e) for e in list_)
        print(f"{case:20s} {len(size):5d} {sum(size) / len(size):7.1f} {statistics.median(size):8.1f} {max(list_, key=abs):+8.1f}")
    if missing:
        print(f"{missing} recorded cases have no prediction")
    score_policies(recording, by_key)


def score_policies(recording, by_key):
    """By DAG: what is lost by always taking one policy, measured against the best of all."""
    measured = {}
    for row in recording["rows"]:
        if row["case"] == "dag":
            measured.setdefault(row["dag"], {})[row["policy"]] = (row["us"], by_key.get(key(row)))
    if not measured:
        return
    pairs = right = 0
    print(f"\n{len(measured)} DAGs: mean time above the best of all policies")
    for policy in POLICIES:
        lost = [100 * (m[policy][0] / min(us for us, _ in m.values()) - 1) for m in measured.values() if policy in m]
        if lost:
            print(f"  {policy:18s} {sum(lost) / len(lost):5.1f} %")
    for m in measured.values():
        list_ = list(m.values())
        for i, (a, pa) in enumerate(list_):
            for b, pb in list_[i + 1:]:
                if pa and pb and abs(a / b - 1) > 0.05:
                    pairs += 1
                    right += (a < b) == (pa < pb)
    print(f"  {right} of {pairs} pairs that differ by more than 5 % are ranked right")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["dags", "predict", "collect", "score", "agree"])
    parser.add_argument("words", nargs="+")
    parser.add_argument("-o", "--output")
    parser.add_argument("--gpusim", default="./gpusim")
    parser.add_argument("--device", default="h100-vm", help="the node is DEVICE-xN of models/nodes (h200-vm)")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--part", choices=["copies", "collectives", "beside", "dags"])
    a = parser.parse_args()
    if a.command == "dags":
        write_dags(a.words[0])
    elif a.command == "predict":
        write_dags(a.words[0])
        write(a.output, predictions(a.words[0], int(a.words[1]), a.gpusim, a.device, a.part))
    elif a.command == "collect":
        write(a.output, collect(a.words[0]))
    elif a.command == "score":
        score(read(a.words[0]), read(a.words[1]), a.rows)
    else:
        folder = tempfile.mkdtemp()
        write_dags(folder)
        now, then = predictions(folder, int(a.words[1]), a.gpusim, a.device, a.part), {key(r): r["us"] for r in read(a.words[0])["rows"]}
        differ = [r for r in now["rows"] if abs(then.get(key(r), 0) / r["us"] - 1) > 1e-3]
        print(f"{len(now['rows'])} predictions, {len(differ)} differ")
        sys.exit(bool(differ))


main()
