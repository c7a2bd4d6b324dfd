# SPDX-License-Identifier: GPL-3.0-or-later
"""aten_demands: what cuBLAS and ATen kernels ask of an SM, of L2 and of DRAM, and the shared-memory configuration that the driver gives them.
Rule probed: the carve-out of kernels that registers limit. Usage: aten_demands.py same|other > out.csv (traces/h200/vm/demands.csv is both), which
runs itself under Nsight Compute: every op four times, then once profiled, caches and clocks left alone."""
import csv
import subprocess
import sys

METRICS = {"launch__grid_size": "grid", "launch__block_size": "block", "launch__registers_per_thread": "regs", "launch__shared_mem_per_block": "smem_bytes",
           "launch__shared_mem_config_size": "config_bytes", "gpu__time_duration.sum": "ns", "dram__bytes.sum": "dram_bytes",
           "lts__t_bytes.sum": "l2_bytes", "sm__inst_issued.avg.pct_of_peak_sustained_active": "issue_pct",
           "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active": "fma_pct",
           "l1tex__throughput.avg.pct_of_peak_sustained_active": "l1_pct"}


def run(shapes):
    import torch
    from aten_ops import aten_ops
    ops = aten_ops(shapes)
    for name, op in ops.items():
        torch.cuda.nvtx.range_push(name)
        for _ in range(4):
            op()
        torch.cuda.synchronize()
        torch.cuda.profiler.start()
        op()
        torch.cuda.synchronize()
        torch.cuda.profiler.stop()
        torch.cuda.nvtx.range_pop()


def table(shapes):
    ncu = ["ncu", "--profile-from-start", "off", "--cache-control", "none", "--clock-control", "none", "--nvtx", "--print-nvtx-rename", "kernel",
           "--csv", "--page", "raw", "--metrics", ",".join(METRICS), sys.executable, sys.argv[0], shapes, "run"]
    text = subprocess.run(ncu, check=True, capture_output=True, text=True).stdout
    return write(line for line in text.splitlines() if line.startswith('"'))


def write(lines):
    rows = list(csv.DictReader(lines))[1:]  # the first are units
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["op", "kernel", *METRICS.values()])
    for row in rows:
        op, kernel = row["Kernel Name"].split("/", 1)
        values = {m: row[m].replace(",", "") for m in METRICS}
        values["launch__shared_mem_per_block"] = int(values["launch__shared_mem_per_block"]) - int(row["launch__shared_mem_per_block_driver"].replace(",", ""))
        out.writerow([op, kernel[:40].replace(",", ";"), *values.values()])


if __name__ == "__main__":
    run(sys.argv[1]) if sys.argv[2:] == ["run"] else table(sys.argv[1])
