# SPDX-License-Identifier: GPL-3.0-or-later
"""The ops of aten_dags.py and aten_demands.py by name: cuBLAS products, elementwise kernels, reductions, transposes."""
import torch


def t(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda", dtype=dtype)


def product(m, k, n, dtype):
    a, b, o = t(m, k, dtype=dtype), t(k, n, dtype=dtype), t(m, n, dtype=dtype)
    return lambda: torch.mm(a, b, out=o)


def elementwise(n):
    a, b, o = t(n), t(n), t(n)
    yield "add_%d" % n, lambda: torch.add(a, b, out=o)
    yield "relu_%d" % n, lambda: torch.clamp(a, min=0, out=o)
    yield "exp_%d" % n, lambda: torch.exp(a, out=o)


def rows(r, c):
    a, o, sums, turned, weight, bias = t(r, c), t(r, c), t(r), t(c, r), t(c), t(c)
    yield "softmax_%dx%d" % (r, c), lambda: torch.softmax(a, 1, out=o)
    yield "sum_%dx%d" % (r, c), lambda: torch.sum(a, 1, out=sums)
    yield "lnorm_%dx%d" % (r, c), lambda: torch.nn.functional.layer_norm(a, (c,), weight, bias)
    yield "copyT_%dx%d" % (r, c), lambda: turned.copy_(a.t())


def aten_ops(shapes="same"):
    """Of each op its name and a function that issues it. Shapes "other" makes every edge 1.5 times as long."""
    grown = (lambda v: v * 3 // 2) if shapes == "other" else (lambda v: v)
    ops = {}
    for n in map(grown, (256, 512, 1024, 2048)):
        ops["mm32_%d" % n] = product(n, n, n, torch.float32)
        ops["mm16_%d" % n] = product(n, n, n, torch.bfloat16)
    n = grown(4096)
    ops["mm16_%d" % n] = product(n, n, n, torch.bfloat16)
    n = grown(1024)
    ops["mm_skinny"] = product(64, 4 * n, n, torch.float32)
    for n in map(grown, (1 << 16, 1 << 20, 1 << 22, 1 << 24, 1 << 26)):
        ops.update(elementwise(n))
    for r, c in ((512, 1024), (4096, 1024), (16384, 512), (32768, 2048)):
        ops.update(rows(grown(r), grown(c)))
    return ops
