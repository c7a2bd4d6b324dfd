# SPDX-License-Identifier: GPL-3.0-or-later
"""plans: what plans of "gpusim schedule --python" are worth on a real GPU: each model's CUDA graph on one stream and with each plan, outputs
compared bit by bit. Usage: plans.py out.csv FOLDER, which has MODEL__N.py for plans of at most N streams; MODEL is one of those below."""
import glob, importlib.util, os, sys, time
import torch, torchvision.models as tv


class Branchy(torch.nn.Module):
    """Six branches of five convolutions that meet in a last one."""
    def __init__(self):
        super().__init__()
        branch = lambda: torch.nn.Sequential(*[l for _ in range(5) for l in (torch.nn.Conv2d(64, 64, 3, padding=1), torch.nn.ReLU())])
        self.branches = torch.nn.ModuleList([branch() for _ in range(6)])
        self.last = torch.nn.Conv2d(384, 64, 1)

    def forward(self, x):
        return self.last(torch.cat([b(x) for b in self.branches], 1))


MODELS = {
    "branchy_b1": (Branchy, (1, 64, 32, 32)),
    "branchy_b16": (Branchy, (16, 64, 56, 56)),
    "googlenet_b1": (lambda: tv.googlenet(weights=None, init_weights=False, aux_logits=False), (1, 3, 224, 224)),
    "inception_v3_b8": (lambda: tv.inception_v3(weights=None, init_weights=False, aux_logits=False), (8, 3, 299, 299)),
}
CAPTURES, REPEATS = 3, 60


def load(path):
    spec = importlib.util.spec_from_file_location("plan", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def capture(model, x, plan):
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        if plan is None:
            y = model(x)
        else:
            with plan:
                y = model(x)
    for _ in range(5):
        graph.replay()
    torch.cuda.synchronize()
    return graph, y


def median(values): return sorted(values)[len(values) // 2]


out = open(sys.argv[1], "w")
print("model,most_streams,streams,one_stream_us,planned_us,worth_percent", file=out)
for name, (make, shape) in MODELS.items():
    torch.manual_seed(1)
    model, x = make().cuda().eval(), torch.randn(*shape, device="cuda")
    with torch.no_grad():
        for _ in range(3): model(x)
    graphs, streams = {("one", 0): capture(model, x, None)}, {}
    for path in sorted(glob.glob(f"{sys.argv[2]}/{name}__*.py")):
        most, module = os.path.basename(path)[len(name) + 2:-3], load(path)
        for again in range(CAPTURES):
            plan = module.Plan()
            graphs[most, again] = capture(model, x, plan)
            streams[most] = module.STREAMS
            assert plan.unplaced == 0, f"{path}: {plan.unplaced} operators of {name} are not in the plan"
            assert torch.equal(graphs[most, again][1], graphs["one", 0][1]), f"{path}: another result"
    times = {key: [] for key in graphs}
    for _ in range(REPEATS):
        for key, (graph, _) in graphs.items():
            torch.cuda.synchronize()
            begin = time.perf_counter()
            graph.replay()
            torch.cuda.synchronize()
            times[key].append((time.perf_counter() - begin) * 1e6)
    one = median(times["one", 0])
    for most in sorted(streams, key=int):
        us = median([median(times[most, again]) for again in range(CAPTURES)])
        print(f"{name},{most},{streams[most]},{one:.1f},{us:.1f},{100 * (1 - us / one):.1f}", file=out)
