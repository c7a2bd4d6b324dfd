#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""contend.py GPUSIM FOLDER [--times] [--off RULE]: pairs of kernels that use one resource each, predicted and measured.

FOLDER has pairs.json.gz and ncu.csv.gz. --times: without ncu's page. --off: the same pairs without the rule, too, and what it is
worth. Two streams that one kernel lets go start in an order that the GPU draws: the error is that of the better order.
"""
import concurrent.futures
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile


def load(gpusim, folder, with_pages, work):
    with gzip.open(os.path.join(folder, "pairs.json.gz"), "rt", encoding="utf-8") as file:
        recording = json.load(file)
    page, known = os.path.join(work, "page.csv"), os.path.join(work, "kernels.json")
    with gzip.open(os.path.join(folder, "ncu.csv.gz"), "rb") as source, open(page, "wb") as target:
        target.write(source.read())
    subprocess.run([gpusim, "import", "ncu", page, "-o", known], check=True, stderr=subprocess.DEVNULL)
    with open(known, encoding="utf-8") as file:
        pages = json.load(file)["kernels"]
    kernels = []
    for i, k in enumerate(recording["kernels"]):
        kernel = {"name": f"k{i}", "regs_per_thread": k["regs"], "smem_bytes": k["smem"], "solo_us": k["solo_us"]}
        left_out = {"name", "grid", "block", "regs_per_thread", "smem_bytes", "cluster", "solo_us"}
        kernel.update({f: v for f, v in pages[i].items() if with_pages and f not in left_out})
        if k["type"] == "sleep" and not with_pages:
            kernel["waits"] = True
        kernels.append(kernel)
    return recording, kernels


def predicted_us(gpusim, recording, kernels, pair, flags, work):
    ops = [{"op": "kernel", "kernel": "gate", "grid": [1], "block": [32], "stream": 3, "after": []}]
    for stream, i in enumerate(pair):
        k = recording["kernels"][i]
        ops.append({"op": "kernel", "kernel": f"k{i}", "grid": [k["grid"]], "block": [k["block"]], "stream": stream, "after": [0]})
    used = [kernels[i] for i in sorted(set(pair))]
    gate = {"name": "gate", "solo_us": 40, "flops": 0, "dram_bytes": 0, "regs_per_thread": 16}
    name = os.path.join(work, "_".join(map(str, pair)) + "_" + "".join(flags).replace("/", ""))
    with open(name + ".json", "w", encoding="utf-8") as file:
        json.dump({"schema": "gpusim-program/1", "name": "pair", "kernels": [gate] + used, "ops": ops}, file)
    subprocess.run([gpusim, "--workload", name + ".json", "--sched", "async", "--memory", "pinned", "--device", "h100-vm",
                    "--report", name + ".report.json"] + flags, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(name + ".report.json", encoding="utf-8") as file:
        ran = [k for k in json.load(file)["kernels"] if k["name"] != "gate"]
    return max(k["end_us"] for k in ran) - min(k["start_us"] for k in ran)


def errors(gpusim, recording, kernels, flags, work):
    def error(pair):
        orders = [predicted_us(gpusim, recording, kernels, order, flags, work) for order in (pair[:2], pair[1::-1])]
        return min(100 * abs(us / pair[4] - 1) for us in orders)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(error, recording["pairs"]))


def main():
    gpusim, folder = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as work:
        recording, kernels = load(gpusim, folder, "--times" not in sys.argv, work)
        every = errors(gpusim, recording, kernels, [], work)
        print(f"{len(every)} pairs: mean {statistics.mean(every):.1f} %, median {statistics.median(every):.1f}, worst {max(every):.0f}")
        if "--off" in sys.argv:
            rule = sys.argv[sys.argv.index("--off") + 1]
            without = errors(gpusim, recording, kernels, ["--opt", f"rule.{rule}=off"], work)
            worth = [a - b for a, b in zip(without, every)]
            mean, half = statistics.mean(worth), 1.96 * statistics.stdev(worth) / len(worth) ** 0.5
            print(f"without {rule}: mean {statistics.mean(without):.1f} %; worth {mean:+.2f} points [{mean - half:.2f}, {mean + half:.2f}]")


main()
