# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a written plan on the fake PyTorch beside this file: apply.py PLAN.py. The model is a -> (b, c) -> d, then an update of a's result in
place and an operator that the plan does not have. Prints each operator's stream, counted from the main one, and fails where something
is not behind what it needs."""
import importlib.util
import os
import sys
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake"))
import torch  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

spec = importlib.util.spec_from_file_location("plan", sys.argv[1])
plan = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plan)


def operator(name, in_place=False):
    arguments = [types.SimpleNamespace(name="x", alias_info=types.SimpleNamespace(is_write=in_place) if in_place else None)]

    def run(*inputs, **kwargs):
        output = inputs[0] if in_place else torch.Tensor()
        reads = [id(t.storage) for t in torch.utils._pytree.tree_leaves(inputs)]
        torch.log.append(("run", name, torch.cuda.current_stream().number, reads, id(output.storage)))
        return output

    run._schema = types.SimpleNamespace(name=name, arguments=arguments)
    return lambda *inputs: TorchDispatchMode.active.__torch_dispatch__(run, (), inputs)


import torch.utils._pytree  # noqa: E402

x = torch.Tensor()
with plan.Plan() as mode:
    a = operator("aten::convolution")(x)
    b = operator("aten::relu")(a)
    c = operator("aten::sigmoid")(a)
    d = operator("aten::cat")([b, c])
    operator("aten::add_", in_place=True)(a)
    operator("aten::elsewhere")(a, d)
print("placed", mode.placed, "unplaced", mode.unplaced)

# What each stream has behind it, by the log alone: the runs that are sure to have ended.
behind, events, writer, readers, failures = {torch.cuda.main.number: set()}, {}, {}, {}, 0
streams = []
for at, item in enumerate(torch.log):
    if item[0] == "record":
        events[item[1]] = set(behind.setdefault(item[2], set()))
    elif item[0] == "wait":
        behind.setdefault(item[1], set()).update(events[item[2]])
    else:
        _, name, stream, reads, written = item
        needs = {writer[r] for r in reads if r in writer} | ({writer[written]} if written in writer else set())
        needs |= set(readers.get(written, [])) if written in reads else set()
        if not needs <= behind.setdefault(stream, set()):
            print(name, "does not wait for", [torch.log[n][1] for n in needs - behind[stream]])
            failures += 1
        if stream not in streams:
            streams.append(stream)
        behind[stream].add(at)
        writer[written] = at
        for r in reads:
            readers.setdefault(r, []).append(at)
        print(name, streams.index(stream))
runs = {at for at, item in enumerate(torch.log) if item[0] == "run"}
if not runs <= behind[torch.cuda.main.number]:
    print("the main stream ends before", [torch.log[n][1] for n in runs - behind[torch.cuda.main.number]])
    failures += 1
sys.exit(failures > 0)
