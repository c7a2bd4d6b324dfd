#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""held.py GPUSIM RECORDING [--off]: library kernels beside SMs that another kernel holds, predicted and measured.

Shape, registers, shared memory and time alone are the recording's, clusters those of the names, tiles those of M x N over the
tile in the name. --off: without tile orders. Times are relative to those beside no held SM.
"""
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile


def kernel_op(kernel, index, what, is_off):
    op = {"op": "kernel", "kernel": f"k{index}", "grid": kernel["grid"], "block": kernel["block"], "stream": 0}
    name, blocks = kernel["name"], kernel["grid"][0] * kernel["grid"][1] * kernel["grid"][2]
    sizes = re.search(r"nvjet_\w*?_(\d+)x(\d+)_\d+x\d+_(\d+)x(\d+)_", name)
    cluster = int(sizes[3]) * int(sizes[4]) if sizes else 2 if "xmma_gemm" in name else 1
    if cluster > 1:
        op["cluster"] = [cluster, 1, 1] if kernel["grid"][0] % cluster == 0 else [1, cluster, 1]
    if not is_off and blocks == 132 and any(w in name for w in ("nvjet", "xmma", "sdpa")):
        op["tile_order"] = "dynamic"
        shape = re.search(r"_(\d+)x(\d+)x\d+$", what)  # m, n of PyTorch
        if sizes and shape:
            op["tiles"] = -(-int(shape[2]) // int(sizes[1])) * -(-int(shape[1]) // int(sizes[2]))  # column-major: n is its rows
    if what.startswith("triton_persistent") and not is_off:
        op.update(tile_order="static", tiles=256)  # 128 x 128 of 2048 x 2048
    return op


def predicted_us(gpusim, device, kernels, what, held, is_off, folder):
    hold = {"name": "hold", "regs_per_thread": 16, "smem_bytes": 200000, "solo_us": 1e5, "flops": 0, "dram_bytes": 0}
    work = [{"name": f"k{i}", "regs_per_thread": k["regs"], "smem_bytes": k["smem"], "solo_us": k["us"]} for i, k in enumerate(kernels)]
    ops = [{"op": "kernel", "kernel": "hold", "grid": [held], "block": [128], "stream": 1, "after": []}] if held else []
    ops += [{"op": "host_compute", "us": 200}] + [kernel_op(k, i, what, is_off) for i, k in enumerate(kernels)]
    program, report = os.path.join(folder, "p.json"), os.path.join(folder, "o.json")
    with open(program, "w", encoding="utf-8") as file:
        json.dump({"schema": "gpusim-program/1", "name": "held", "kernels": ([hold] if held else []) + work, "ops": ops}, file)
    subprocess.run([gpusim, "--workload", program, "--sched", "async", "--memory", "pinned", "--device", device, "--report", report],
                   check=True, stdout=subprocess.DEVNULL)
    with open(report, encoding="utf-8") as file:
        ran = [k for k in json.load(file)["kernels"] if k["name"] != "hold"]
    return max(k["end_us"] for k in ran) - min(k["start_us"] for k in ran)


def main():
    with gzip.open(sys.argv[2], "rt", encoding="utf-8") as file:
        recording = json.load(file)
    is_off, every, folder = "--off" in sys.argv, [], tempfile.mkdtemp()
    device = "h200-vm" if "H200" in recording["device"] else "h100-vm"
    for case in recording["held"]:
        rows, kernels = case["rows"], recording["kernels"][case["what"]]
        alone = predicted_us(sys.argv[1], device, kernels, case["what"], 0, is_off, folder)
        between = rows[0]["us"] - alone  # launches of the recorded loop
        errors = [100 * abs((predicted_us(sys.argv[1], device, kernels, case["what"], r["held"], is_off, folder) + between) / r["us"] - 1) for r in rows[1:]]
        every += errors
        print(f"{case['what']:26s} {len(errors):3d} cases  mean {sum(errors) / len(errors):5.1f} %  worst {max(errors):5.1f} %")
    print(f"{'all':26s} {len(every):3d} cases  mean {sum(every) / len(every):5.1f} %  worst {max(every):5.1f} %")


main()
