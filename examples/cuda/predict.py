#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times of the scheduled programs on an H100, measured and predicted. Kernels' times alone are ncu's of the serial program, on the same
machine (traces/h100/schedule/kernels.csv); of some there is what ncu says of their pipes (NAME.json there). The text that gpusim schedule writes is read again and simulated as it stands.
Usage: predict.py [PROGRAM]... | --estimates, in the project's folder; GPUSIM names another program than ./gpusim."""
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

GPUSIM = os.environ.get("GPUSIM", "./gpusim")
DATA = "traces/h100/schedule/"
COPIES = {"2mm", "3mm", "mvt", "bicg", "gemver"}  # whose timed part holds its copies


def run(*words):
    done = subprocess.run([GPUSIM, *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr}")


def load(path, times):
    """The timed part of an imported program: its data on the device, its kernels with the times that were measured."""
    program = json.load(open(path))
    ops, number = [], {}
    for i, op in enumerate(program["ops"]):
        if op["op"] in ("host_read", "host_write") or op.get("kernel") == "number" or (op["op"] == "host_compute" and not ops):
            continue
        number[i] = len(ops)
        if "after" in op:
            op["after"] = [number[j] for j in op["after"] if j in number]
        ops.append(op)
    kernels = [op for op in ops if op["op"] == "kernel"]
    assert [op["kernel"] for op in kernels] == [name for name, _ in times], path
    for op, (_, us) in zip(kernels, times):
        op["solo_us"], op["solo_device"] = us, "h100-vm"
    for buffer in program["buffers"]:
        buffer["init"] = "device" if buffer["init"] == "host" else buffer["init"]
    program["ops"] = ops
    return program


def as_graph(program):
    """The edges that a capture of its streams gives."""
    last, ops, number = {}, [], {}
    for i, op in enumerate(program["ops"]):
        if op["op"] not in ("kernel", "copy"):
            continue
        number[i] = len(ops)
        before = {last[op["stream"]]} if op["stream"] in last else set()
        op["after"] = sorted({number[j] for j in op.get("after", []) if j in number} | before)
        last[op["stream"]] = len(ops)
        ops.append(op)
    program["ops"] = ops
    return program


def simulate(name, program, sched, folder, iterations):
    profile = f"{DATA}{name}.json"
    json.dump(program, open(folder + "/program.json", "w"))
    run("--workload", folder + "/program.json", "--sched", sched, "--device", "h100-vm", "--memory", "pinned", "--iterations", str(iterations),
        "--report", folder + "/report.json", *(["--kernels", profile] if os.path.exists(profile) else []))
    return json.load(open(folder + "/report.json"))["iteration_us"][-1]


def predict(name, form, size, times, folder):
    source, out = f"examples/cuda/{name}.cu", folder + "/out.cu"
    sched, *graph = form.split("_")
    if sched != "serial":
        run("schedule", source, f"-DN={size}", "--sched", sched, "--prefetch", "off", "--device", "h100-vm", "--always", "-o", out)
    run("import", "cuda", source if sched == "serial" else out, f"-DN={size}", "--include", "examples/cuda", "-o", folder + "/imported.json")
    program = load(folder + "/imported.json", times)
    if sched == "serial":
        return simulate(name, program, "async" if name in COPIES else "serial", folder, 2)
    if graph:
        return simulate(name, as_graph(program), "cudagraph", folder, 3)
    return simulate(name, program, "async", folder, 2)


def estimates(kernels):
    """Times of kernels alone: as estimated from the source, as ncu measured them."""
    print("| program | kernel | estimated us | measured us |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in dict.fromkeys(k["program"] for k in kernels):
            own = [k for k in kernels if k["program"] == name]
            run("import", "cuda", f"examples/cuda/{name}.cu", f"-DN={own[0]['size']}", "-DDEVICE_MEMORY", "-o", folder + "/program.json")
            run("--workload", folder + "/program.json", "--sched", "serial", "--device", "h100-vm", "--memory", "pinned", "--report", folder + "/r.json")
            seen = json.load(open(folder + "/r.json"))["kernels"]
            for kernel in dict.fromkeys(k["kernel"] for k in own):
                times = [k["end_us"] - k["start_us"] for k in seen if k["name"] == kernel]
                us = statistics.mean(float(k["us"]) for k in own if k["kernel"] == kernel)
                print(f"| {name} | {kernel} | {statistics.mean(times):.1f} | {us:.1f} |")


FORMS = ["serial", "kesco", "kesco_graph", "grsched", "grsched_graph"]


def show(cells, errors):
    """A row for each program: what was measured in us, and the prediction's error."""
    print(f"{'program':<8}" + "".join(f" {form:>13} {'%':>5}" for form in FORMS))
    for program in dict.fromkeys(program for program, _ in cells):
        print(f"{program:<8}" + "".join(f" {us:13.1f} {error:+5.1f}" for us, error in (cells[program, form] for form in FORMS)))
    print(f"\n{len(errors)} forms: mean error {statistics.mean(errors):.1f} %, median {statistics.median(errors):.1f} %, "
          f"{sum(e <= 10 for e in errors)} within 10 %")


def main():
    if sys.argv[1:] == ["--estimates"]:
        return estimates(list(csv.DictReader(open(DATA + "kernels.csv"))))
    measured = list(csv.DictReader(open(DATA + "measured.csv")))
    kernels = list(csv.DictReader(open(DATA + "kernels.csv")))
    cells = {}
    with tempfile.TemporaryDirectory() as folder:
        for row in measured:
            own = [k for k in kernels if k["program"] == row["program"]]
            if sys.argv[1:] and row["program"] not in sys.argv[1:]:
                continue
            us = predict(row["program"], row["form"], own[0]["size"], [(k["kernel"], float(k["us"])) for k in own], folder)
            measured_us = statistics.median(float(row[run]) for run in ("run1_us", "run2_us", "run3_us") if row[run])
            cells[row["program"], row["form"]] = measured_us, 100 * (us / measured_us - 1)
    show(cells, [abs(error) for _, error in cells.values()])


main()
