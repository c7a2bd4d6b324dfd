#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""DAGs on two H100 under recorded placements, replayed: makespans, pairs, and what the predicted choice costs.

    placements.py FILE [--gpusim P]    FILE: "dags", each with "graph" (kernels) and "placements" (live_us, nodes)
"""
import argparse
import gzip
import json
import os
import statistics
import subprocess
import tempfile


def program(graph, placement):
    buffers, kernels, ops = [], [], []
    for node in placement["nodes"]:
        op = {"device": node["dev"], "stream": node["stream"], "after": node["dep"]}
        if "copy" in node:
            buffers.append({"name": f"b{len(buffers)}", "bytes": node["bytes"], "init": "device"})
            op |= {"op": "copy", "kind": "p2p", "buffer": buffers[-1]["name"], "bytes": node["bytes"], "to": 1 - node["dev"]}
        else:
            k = graph[node["op"]]["kernel"]
            kernels.append({"name": f"k{len(kernels)}", "regs_per_thread": k["regs"], "smem_bytes": k["smem"], "flops": k["flops"],
                            "dram_bytes": k["dram_bytes"], "solo_us": k["solo_ns"] / 1e3, "solo_device": "h100-vm"})
            op |= {"op": "kernel", "kernel": kernels[-1]["name"], "grid": [k["grid"]], "block": [k["block"]]}
        ops.append(op)
    return {"schema": "gpusim-program/1", "name": "dag", "buffers": buffers, "kernels": kernels, "ops": ops}


def simulate(gpusim, document, folder):
    path, report = os.path.join(folder, "p.json"), os.path.join(folder, "r.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
    subprocess.run([gpusim, "--workload", path, "--sched", "async", "--opt", "event_flags=no-timing", "--memory", "pinned", "--gpus", "2",
                    "--device", "h100-vm", "--report", report], check=True, stdout=subprocess.DEVNULL)
    with open(report, encoding="utf-8") as file:
        return json.load(file)["iteration_us"][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--gpusim", default="./gpusim")
    a = parser.parse_args()
    errors, lost, pairs, right = [], [], 0, 0
    with gzip.open(a.file, "rt", encoding="utf-8") as file, tempfile.TemporaryDirectory() as folder:
        for dag in json.load(file)["dags"]:
            times = [(p["live_us"], simulate(a.gpusim, program(dag["graph"], p), folder)) for p in dag["placements"]]
            errors += [predicted / live - 1 for live, predicted in times]
            lost.append(min(times, key=lambda t: t[1])[0] / min(live for live, _ in times) - 1)
            for i, (live, predicted) in enumerate(times):
                for other, other_predicted in times[:i]:
                    if abs(live / other - 1) > 0.05:
                        pairs += 1
                        right += (live < other) == (predicted < other_predicted)
    print(f"{len(errors)} makespans: mean error {100 * statistics.mean(map(abs, errors)):.1f} %, worst {100 * max(errors, key=abs):+.1f} %, "
          f"mean {100 * statistics.mean(errors):+.1f} %")
    print(f"{right} of {pairs} pairs that differ by more than 5 % are ranked right; the choice is {100 * statistics.mean(lost):.1f} % above the best")


main()
