# SPDX-License-Identifier: GPL-3.0-or-later
"""What PyTorch's profiler costs, from steps timed with and without it: overhead.py GPUSIM. Least squares over this folder's eager traces, each
weighted by its step: all of it by events (operators and calls, their costs growing with the 1.5th power of the launch calls' lower quartile), or
all of it by a share of the step. docs/steps.md takes half of either."""
import gzip, json, os, subprocess, sys

here = os.path.dirname(os.path.abspath(__file__))
rows, shares = [], []
for name, entry in sorted(json.load(open(here + "/times.json")).items()):
    if not isinstance(entry, dict) or "step_us" not in entry or name.startswith(("jax", "et_", "compiled", "graphs", "threads", "train")):
        continue
    path, measured = f"{here}/{name}.json.gz", entry["step_us"]
    told = subprocess.run([sys.argv[1], "explain", path, "--device", "h100-vm", "--profiler-overhead", "keep", "--json", "-"],
                          capture_output=True, text=True, check=True)
    step = json.loads(told.stdout)["step"]
    events = [e for e in json.load(gzip.open(path))["traceEvents"] if e.get("ph") == "X"]
    calls = [e for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver")]
    launches = sorted(e["dur"] for e in calls if "aunchKernel" in e["name"])
    slower = (launches[len(launches) // 4] / 4.6) ** 1.5 / step["count"] / measured
    rows.append((sum(e.get("cat") == "cpu_op" for e in events) * slower, len(calls) * slower, step["us"] / measured - 1))
    shares.append(1 - measured / step["us"])
aa, ab, bb = (sum(r[i] * r[j] for r in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
az, bz = (sum(r[i] * r[2] for r in rows) for i in (0, 1))
operator, call = (az * bb - ab * bz) / (aa * bb - ab * ab), (aa * bz - ab * az) / (aa * bb - ab * ab)
share = sorted(shares)[len(shares) // 2]
print(f"{len(rows)} eager traces")
print(f"by events alone: {operator:.2f} us an operator, {call:.2f} us a call; half: {operator / 2:.2f} and {call / 2:.2f}")
print(f"by a share alone: {100 * share:.1f} % of the recorded step, the median; half: {50 * share:.1f} %")
