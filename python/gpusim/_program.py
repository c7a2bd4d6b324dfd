# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs built in Python."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Optional, Sequence, Union

from ._command import InputError

Shape = Union[int, Sequence[int]]
_INITS = ("host", "device", "none")


def _shape(value: Shape, what: str) -> List[int]:
    sizes = [value] if isinstance(value, int) else list(value)
    if not 1 <= len(sizes) <= 3 or any(not isinstance(v, int) or v < 1 for v in sizes):
        raise InputError(f"{what}: expected 1 to 3 positive integers, found {value!r}", 2)
    return sizes + [1] * (3 - len(sizes))


class Program:
    """What a single-threaded author writes: buffers, kernel calls with what they read and write, host accesses.

    >>> p = Program("axpy")
    >>> x = p.buffer("x", 4 << 20, init="host")
    >>> y = p.buffer("y", 4 << 20)
    >>> p.kernel("square", solo_us=12.5, regs_per_thread=16)
    'square'
    >>> p.call("square", grid=64, block=256, reads=[x], writes=[y])
    0
    >>> p.host_read(y, bytes=4)
    1
    >>> import gpusim
    >>> round(gpusim.run(p, sched="kesco", device="h200").iteration_us[0]) > 0
    True
    """

    def __init__(self, name: str, iterations: int = 1):
        self.name = name
        self.iterations = iterations
        self._buffers: Dict[str, Dict[str, Any]] = {}
        self._kernels: Dict[str, Dict[str, Any]] = {}
        self._ops: List[Dict[str, Any]] = []

    def buffer(self, name: str, bytes: int, init: str = "none") -> str:
        """A buffer; ``init``: who has written it before: host, device or none. Returns its name."""
        if name in self._buffers:
            raise InputError(f"buffer {name!r} is there already", 2)
        if init not in _INITS:
            raise InputError(f"buffer {name!r}: init: expected host, device or none, found {init!r}", 2)
        self._buffers[name] = {"name": name, "bytes": int(bytes), "init": init}
        return name

    def kernel(self, name: str, **fields: Any) -> str:
        """A kernel: solo_us and solo_device, or flops and dram_bytes; regs_per_thread, smem_bytes, ... (workloads/README.md)."""
        if name in self._kernels:
            raise InputError(f"kernel {name!r} is there already", 2)
        self._kernels[name] = {"name": name, **fields}
        return name

    def _checked(self, names: Sequence[Any], what: str) -> List[Any]:
        for name in names:
            plain = name["buffer"] if isinstance(name, dict) else name
            if plain not in self._buffers:
                raise InputError(f"ops[{len(self._ops)}]: {what}: no buffer {plain!r}", 2)
        return list(names)

    def _add(self, op: Dict[str, Any], after: Optional[Sequence[int]], more: Dict[str, Any]) -> int:
        if after is not None:
            for index in after:
                if not 0 <= index < len(self._ops):
                    raise InputError(f"ops[{len(self._ops)}]: after: no earlier op {index}", 2)
            op["after"] = list(after)
        op.update(more)
        self._ops.append(op)
        return len(self._ops) - 1

    def call(self, kernel: str, grid: Shape, block: Shape, reads: Sequence[Any] = (), writes: Sequence[Any] = (),
             after: Optional[Sequence[int]] = None, **fields: Any) -> int:
        """A kernel's call; ``fields``: stream, priority, device, or a field of the kernel. Returns the op's index."""
        if kernel not in self._kernels:
            raise InputError(f"ops[{len(self._ops)}]: no kernel {kernel!r}", 2)
        op = {"op": "kernel", "kernel": kernel, "grid": _shape(grid, "grid"), "block": _shape(block, "block"),
              "reads": self._checked(reads, "reads"), "writes": self._checked(writes, "writes")}
        return self._add(op, after, fields)

    def copy(self, kind: str, buffer: str, bytes: Optional[int] = None, after: Optional[Sequence[int]] = None, **fields: Any) -> int:
        """An explicit copy: kind h2d, d2h, d2d or p2p."""
        self._checked([buffer], "buffer")
        size = self._buffers[buffer]["bytes"] if bytes is None else bytes
        return self._add({"op": "copy", "kind": kind, "buffer": buffer, "bytes": size}, after, fields)

    def host_write(self, buffer: str, **fields: Any) -> int:
        """The host writes a buffer."""
        return self._add({"op": "host_write", "buffer": self._checked([buffer], "buffer")[0]}, None, fields)

    def host_read(self, buffer: str, bytes: Optional[int] = None, **fields: Any) -> int:
        """The host reads (part of) a buffer."""
        op: Dict[str, Any] = {"op": "host_read", "buffer": self._checked([buffer], "buffer")[0]}
        if bytes is not None:
            op["bytes"] = bytes
        return self._add(op, None, fields)

    def host_compute(self, us: float, **fields: Any) -> int:
        """The host works for ``us`` microseconds."""
        return self._add({"op": "host_compute", "us": us}, None, fields)

    def synchronize(self, **fields: Any) -> int:
        """The host waits for all that it has issued, or with ``stream`` for one stream."""
        return self._add({"op": "synchronize"}, None, fields)

    def to_dict(self) -> Dict[str, Any]:
        """The program as its file has it (gpusim-program/1)."""
        return {"schema": "gpusim-program/1", "name": self.name, "buffers": list(self._buffers.values()),
                "kernels": list(self._kernels.values()), "ops": self._ops, "iterations": self.iterations}

    def write(self, path: Union[str, "os.PathLike[str]"]) -> str:
        """Writes the file; returns the path."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.to_dict(), file)
        return os.fspath(path)
