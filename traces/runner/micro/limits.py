#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""limits.py GPUSIM FOLDER [--off RULE|OPTION=VALUE]...: processes of PyTorch that share a GPU under MPS, predicted and measured.

FOLDER has limits.json.gz, which limits_record.py wrote, and a profiler trace of each model alone. Each process replays its
model's CUDA graph again and again. A row: how far medians of requests and the board's power are off, over the models. With --off the last lines
are what the rule is worth, of all runs and of processes with a part of the SMs, mean and 95 % interval over the models.
"""
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile


def predicted(gpusim, device, trace, run, rules):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "o.json")
        limit = f",percentage={run['percentage']}" if run["share"] == "mps" and run["percentage"] < 100 else ""
        subprocess.run([gpusim, "--task", f"{trace},step=1,requests=24,copies={run['processes']}{limit}", "--share", run["share"],
                        "--device", device, "--report", report] + rules, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        with open(report, encoding="utf-8") as file:
            said = json.load(file)
            return sum(task["p50_us"] for task in said["tasks"]), said["energy"]["mean_w"]


def gain(what, pairs):
    """PAIRS: per model, points by which each run of WHAT is less off with the rule."""
    draws, models = random.Random(1), list(pairs.values())
    means = sorted(sum(sum(m) for m in drawn) / sum(len(m) for m in drawn)
                   for drawn in ([draws.choice(models) for _ in models] for _ in range(10000)))
    every = [points for m in models for points in m]
    print(f"worth, {what}: {sum(every) / len(every):.2f} points [{means[249]:.2f}, {means[9749]:.2f}]")


def main():
    gpusim, folder = sys.argv[1], sys.argv[2]
    rules = [word for i, at in enumerate(sys.argv) if at == "--off" for word in ("--opt", f"rule.{sys.argv[i + 1]}=off" if "=" not in sys.argv[i + 1] else sys.argv[i + 1])]
    with gzip.open(os.path.join(folder, "limits.json.gz"), "rt", encoding="utf-8") as file:
        recording = json.load(file)
    device = "h200" if "H200" in recording["device"] else "h100-vm"
    rows, pairs, parts = {}, {}, {}
    for run in recording["runs"]:
        trace = os.path.join(folder, run["model"] + ".json.gz")
        us, watt = predicted(gpusim, device, trace, run, rules)
        off = 100 * (us / sum(run["p50_us"]) - 1)
        rows.setdefault((run["share"], run["percentage"], run["processes"]), []).append(
            (off, run["model"], 100 * abs(watt / run["board_w"] - 1)))
        if rules:
            on = 100 * (predicted(gpusim, device, trace, run, [])[0] / sum(run["p50_us"]) - 1)
            pairs.setdefault(run["model"], []).append(abs(off) - abs(on))
            if run["percentage"] < 100:
                parts.setdefault(run["model"], []).append(abs(off) - abs(on))
    print("share      SMs  processes    mean   worst             power")
    for (share, percentage, processes), offs in rows.items():
        worst, model, _ = max(offs, key=lambda one: abs(one[0]))
        print(f"{share:9s} {percentage:3d} % {processes:8d}  {sum(abs(o[0]) for o in offs) / len(offs):6.1f} % {worst:+6.1f} % "
              f"{model:9s} {sum(o[2] for o in offs) / len(offs):5.1f} %")
    if pairs:
        gain("all", pairs)
        gain("parts", parts)


if __name__ == "__main__":
    main()
