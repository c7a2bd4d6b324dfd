# SPDX-License-Identifier: GPL-3.0-or-later
"""Grids of thread block clusters, predicted: python3 clusters.py GPUSIM RECORDING [DEVICE]

RECORDING has "clusters": of each cluster, block and shared memory how many clusters are resident and the times of grids of so many
blocks (traces/h100/green.json.gz). Each grid runs alone. The kernel's clocks and SM clocks per thread are those with the least
worst error of grids without clusters, and stay. A block's own arithmetic beside others of its kind is then off by as much with and without clusters, so that
errors are printed for both: what clusters add is the difference. Resident: grids of as many clusters as the recording says take one
wave, of one more two.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

SM_CLOCKS = range(600, 761, 20)
CLOCKS = range(150_000, 230_001, 10_000)


def predict(gpusim, device, grids, clocks, sm_clocks):
    """Microseconds of each (entry, blocks) alone."""
    kernels, ops = [], []
    for index, (entry, blocks) in enumerate(grids):
        kernels.append({"name": f"k{index}", "regs_per_thread": entry["regs"], "smem_bytes": entry["smem"], "flops": 0,
                        "dram_bytes": 0, "thread_cycles": clocks, "sm_cycles": sm_clocks * blocks * entry["block"],
                        "cluster": [entry["cluster"], 1, 1]})
        ops.append({"op": "kernel", "kernel": f"k{index}", "grid": [blocks, 1, 1], "block": [entry["block"], 1, 1]})
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "grids.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schema": "gpusim-program/1", "name": "grids", "buffers": [], "kernels": kernels, "ops": ops}, file)
        command = [gpusim, "--workload", path, "--sched", "serial", "--device", device, "--memory", "pinned", "--report", "-"]
        report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return [kernel["end_us"] - kernel["start_us"] for kernel in report["kernels"]]


def errors(gpusim, device, entries, clocks, sm_clocks):
    timed = [(entry, blocks, ns) for entry in entries for blocks, ns in entry["ns"]]
    times = predict(gpusim, device, [(entry, blocks) for entry, blocks, _ in timed], clocks, sm_clocks)
    return [us * 1e3 / ns - 1 for us, (_, _, ns) in zip(times, timed)]


def mean(values):
    return sum(map(abs, values)) / len(values)


def worst(values):
    return max(map(abs, values))


def waves(gpusim, device, entry, clusters):
    """Of a grid whose blocks do not slow one another, beside that of one cluster."""
    one, grid = predict(gpusim, device, [(entry, entry["cluster"]), (entry, clusters * entry["cluster"])], 200_000, 0)
    return round(grid / one)


def main():
    gpusim, device = sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else "h100-vm"
    with gzip.open(sys.argv[2], "rt", encoding="utf-8") as file:
        entries = json.load(file)["clusters"]
    plain = [entry for entry in entries if entry["cluster"] == 1]
    _, clocks, sm_clocks = min((worst(errors(gpusim, device, plain, c, s)), c, s) for c in CLOCKS for s in SM_CLOCKS)
    print("cluster  grids  mean %  worst %   one block an SM: grids  mean %  worst %   resident right")
    for size in sorted({entry["cluster"] for entry in entries}):
        these = [entry for entry in entries if entry["cluster"] == size]
        alone = [entry for entry in these if 2 * (entry["smem"] + 1024) > 228 * 1024]
        right = sum(waves(gpusim, device, e, e["max_active"]) == 1 and waves(gpusim, device, e, e["max_active"] + 1) == 2 for e in these)
        found, single = errors(gpusim, device, these, clocks, sm_clocks), []
        for entry in alone:  # its clocks are its single cluster's time
            per_us = entry["ns"][0][1] * 1e-3 / predict(gpusim, device, [(entry, size)], 1e5, 0)[0]
            single += errors(gpusim, device, [entry], 1e5 * per_us, 0)
        print(f"{size:7d}{len(found):7d}{100 * mean(found):8.1f}{100 * worst(found):9.1f}{len(single):26d}"
              f"{100 * mean(single):8.1f}{100 * worst(single):9.1f}{right:13d} of {len(these)}")


if __name__ == "__main__":
    main()
