# SPDX-License-Identifier: GPL-3.0-or-later
# %% [markdown]
# # Why is my PyTorch step slow?
# A trace of PyTorch's profiler says what ran. gpusim replays it, says where the time went, and simulates changes.

# %%
import os

import gpusim

folder = gpusim.data_folder() or "/usr/share/gpusim"
trace = gpusim.Trace(os.path.join(folder, "traces", "h200", "kineto", "kineto_resnet18.json.gz"))

# %% [markdown]
# ## Is the replay right?
# The recorded span against the predicted one.

# %%
check = trace.validate().report["traces"]["rows"][0]
print(f"recorded {check['measured_us']:.0f} us, replayed {check['predicted_us']:.0f} us")

# %% [markdown]
# ## Where does a step's time go?

# %%
why = trace.explain()
print("step:", why.step)
for row in sorted(why.report["time"], key=lambda row: -row["time_us"])[:5]:
    print(f"{100 * row['share']:5.1f} %  GPU: {row['state']}; {row['text']}")

# %% [markdown]
# ## What would help, and how much?

# %%
answer = trace.whatif(["graph", "nosync", "launch=2x"])
for row in answer.report["changes"]:
    print(f"{row['change']:15s} saves {row['saved_us']:8.1f} +- {row['error_us']:.1f} us ({row['saved_percent']:.1f} %)")
best = max(answer.report["changes"], key=lambda row: row["saved_us"])
assert best["saved_us"] > 0
