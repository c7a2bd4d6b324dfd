# SPDX-License-Identifier: GPL-3.0-or-later
"""plans: what plans of "gpusim schedule --python" are worth on a real GPU: each model's CUDA graph on one stream and with each plan, outputs
compared bit by bit. Usage: plans.py record FOLDER [MODEL...], which writes kineto_MODEL.json.gz and et_MODEL.json.gz; then
plans.py out.csv FOLDER, which has MODEL__N.py for plans of at most N streams."""
import glob, gzip, importlib.util, os, sys, time
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


class Experts(torch.nn.Module):
    """Four experts of unlike depth beside an attention."""
    def __init__(self, d=512):
        super().__init__()
        expert = lambda n: torch.nn.Sequential(*[l for _ in range(n) for l in (torch.nn.Linear(d, d), torch.nn.GELU(), torch.nn.LayerNorm(d))])
        self.experts = torch.nn.ModuleList([expert(n) for n in (1, 2, 4, 6)])
        self.q, self.k, self.v, self.o = (torch.nn.Linear(d, d) for _ in range(4))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = [f(x).view(b, t, 8, 64).transpose(1, 2) for f in (self.q, self.k, self.v)]
        y = self.o(torch.nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, t, d))
        for expert in self.experts: y = y + expert(x)
        return y


def of_timm(name):
    def make():
        import timm
        return timm.create_model(name, pretrained=False)
    return make


def image(batch, side=224): return (batch, 3, side, side)


plain = {"weights": None, "init_weights": False, "aux_logits": False}
MODELS = {
    "branchy_b1": (Branchy, (1, 64, 32, 32)),
    "branchy_b16": (Branchy, (16, 64, 56, 56)),
    "googlenet_b1": (lambda: tv.googlenet(**plain), image(1)),
    "googlenet_b16": (lambda: tv.googlenet(**plain), image(16)),
    "inception_v3_b1": (lambda: tv.inception_v3(**plain), image(1, 299)),
    "inception_v3_b8": (lambda: tv.inception_v3(**plain), image(8, 299)),
    "resnet50_b1": (lambda: tv.resnet50(weights=None), image(1)),
    "shufflenet_b1": (lambda: tv.shufflenet_v2_x1_0(weights=None), image(1)),
    "densenet121_b4": (lambda: tv.densenet121(weights=None), image(4)),
    "hrnet_b1": (of_timm("hrnet_w18_small"), image(1)),
    "hrnet_b8": (of_timm("hrnet_w18_small"), image(8)),
    "nasnet_b1": (of_timm("nasnetalarge"), image(1, 331)),
    "res2net_b2": (of_timm("res2net50_26w_4s"), image(2)),
    "experts_t64": (Experts, (1, 64, 512)),
    "experts_t2048": (Experts, (4, 2048, 512)),
}
CAPTURES, REPEATS = 3, 60


def prepare(name):
    torch.manual_seed(1)
    make, shape = MODELS[name]
    model, x = make().cuda().eval(), torch.randn(*shape, device="cuda")
    with torch.no_grad():
        for _ in range(3): model(x)
    torch.cuda.synchronize()
    return model, x


def record(name, folder):
    from torch.profiler import ExecutionTraceObserver, ProfilerActivity, profile
    model, x = prepare(name)
    path = f"{folder}/et_{name}.json"
    observer = ExecutionTraceObserver().register_callback(path)
    with torch.no_grad(), profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True,
                                  execution_trace_observer=observer) as prof:
        torch.cuda.synchronize()
        model(x)
        torch.cuda.synchronize()
    prof.export_chrome_trace(f"{folder}/kineto_{name}.json.gz")
    with open(path, "rb") as plain_file, gzip.open(path + ".gz", "wb") as packed: packed.write(plain_file.read())
    os.remove(path)


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


if sys.argv[1] == "record":
    for name in sys.argv[3:] or MODELS: record(name, sys.argv[2])
    sys.exit()
out = open(sys.argv[1], "w")
print("model,most_streams,streams,one_stream_us,fastest_us,slowest_us,worth_percent", file=out)
for name in MODELS:
    paths = sorted(glob.glob(f"{sys.argv[2]}/{name}__*.py"))
    if not paths: continue
    model, x = prepare(name)
    graphs, streams = {("one", 0): capture(model, x, None)}, {}
    for path in paths:
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
        us = [median(times[most, again]) for again in range(CAPTURES)]
        worth = 100 * (1 - sum(us) / len(us) / one)
        print(f"{name},{most},{streams[most]},{one:.1f},{min(us):.1f},{max(us):.1f},{worth:.1f}", file=out)
