# SPDX-License-Identifier: GPL-3.0-or-later
# %% [markdown]
# # Reproduce a paper's figure
# GrCUDA (IPDPS 2021) reports how much faster its scheduler is than serial execution, on three GPUs. gpusim predicts the
# same runs.

# %%
import csv
import os
import tempfile

import gpusim

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "grcuda.csv")
    gpusim.command(["reproduce", "grcuda", "--only", "mean-speedup", "--csv", path])
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))

# %%
names = {name.lower(): name for name in rows[0]}
published = [float(row[names["published"]]) for row in rows]
predicted = [float(row[names["simulated"]]) for row in rows]
labels = [f"{row.get('workload', '')} {row.get('device', '')}".strip() for row in rows]
error = sum(abs(p / q - 1) for p, q in zip(predicted, published)) / len(rows)
print(f"{len(rows)} speed-ups, mean error {100 * error:.1f} %")

# %%
try:
    import matplotlib
    matplotlib.use(os.environ.get("MPLBACKEND", "Agg"))
    import matplotlib.pyplot as plot
except ImportError:
    print("no matplotlib: no figure")
else:
    figure, axis = plot.subplots(figsize=(9, 3.4))
    places = range(len(rows))
    axis.bar([p - 0.2 for p in places], published, 0.4, label="published")
    axis.bar([p + 0.2 for p in places], predicted, 0.4, label="gpusim")
    axis.set_xticks(list(places), labels, rotation=60, ha="right", fontsize="x-small")
    axis.set_ylabel("speed-up over serial")
    axis.axhline(1, color="0.5", linewidth=0.8)
    axis.legend()
    figure.tight_layout()
    figure.savefig(os.environ.get("FIGURE", os.devnull), format="png")
assert error < 0.1
