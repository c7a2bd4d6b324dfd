# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions to a recorded trace."""
from __future__ import annotations

import glob
import html
import os
from typing import Any, Dict, List, Optional, Sequence, Union

from ._command import InputError, json_of, words
from ._frames import frame


class _Answer:
    def __init__(self, report: Dict[str, Any]):
        self.report = report

    @property
    def notes(self) -> List[str]:
        return self.report.get("notes", [])

    @property
    def frame(self) -> Any:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<gpusim.{type(self).__name__} of {self.report.get('program', 'traces')}: {len(self.frame)} rows>"

    def _repr_html_(self) -> str:
        table = self.frame
        return table._repr_html_() if hasattr(table, "_repr_html_") else f"<pre>{html.escape(repr(table))}</pre>"


class Explanation(_Answer):
    """Where the time went (gpusim-explain/1)."""

    @property
    def frame(self) -> Any:
        """A row for each state of the GPU and cause: time_us, share. Of several ranks or tasks: a row for each."""
        return frame(next(self.report[of] for of in ("time", "ranks", "clients") if isinstance(self.report.get(of), list)))

    @property
    def step(self) -> Dict[str, Any]:
        """The step: count, us, interval_us, recorded_us."""
        return self.report.get("step", {})

    @property
    def path(self) -> Any:
        """The critical path: kernels and causes."""
        return frame(self.report.get("path", self.report.get("critical_path", [])))


class WhatIf(_Answer):
    """What each change is worth (gpusim-whatif/1)."""

    @property
    def frame(self) -> Any:
        """A row for each change: saved_us, saved_percent, error_us, command."""
        return frame(self.report["changes"])


class Schedule(_Answer):
    """What streams are worth to a step as one CUDA graph, and the plan (gpusim-schedule/1)."""

    @property
    def frame(self) -> Any:
        """A row for each kernel and copy: node, name, operator, unit, stream, waits."""
        return frame(self.report["nodes"])

    @property
    def worth(self) -> Dict[str, float]:
        """Percent of the time on one stream: percent, low, high, plain."""
        return self.report["worth"]


class Validation(_Answer):
    """A replay against its recording (gpusim-validation/1)."""

    @property
    def frame(self) -> Any:
        """A row for each trace: measured_us, predicted_us, error."""
        return frame(self.report["traces"]["rows"])


class Trace:
    """A trace of PyTorch, JAX, Nsight Systems, nvprof or rocprof, or a folder of one for each rank.

    >>> import gpusim, os
    >>> folder = gpusim.data_folder() or "/usr/share/gpusim"
    >>> trace = Trace(os.path.join(folder, "traces", "h200", "kineto", "kineto_resnet18.json.gz"))
    >>> round(sum(trace.explain().frame["share"]), 2)
    1.0
    >>> [c for c in trace.whatif(["graph"]).frame["change"]][0]
    'graph'
    """

    def __init__(self, path: Union[str, "os.PathLike[str]", Sequence[str]], **options: Any):
        if isinstance(path, (list, tuple)):
            self.paths = [os.fspath(p) for p in path]
        elif os.path.isdir(path):
            self.paths = sorted(p for end in ("json", "json.gz", "sqlite", "nvvp") for p in glob.glob(os.path.join(path, "*." + end)))
            if not self.paths:
                raise InputError(f"'{os.fspath(path)}': expected traces in the folder, found none", 2)
        else:
            self.paths = [os.fspath(path)]
        self.options = options

    def explain(self, **options: Any) -> Explanation:
        """Where the time went, cause by cause."""
        return Explanation(json_of(["explain", *self.paths] + words({**self.options, **options}), "--json"))

    def whatif(self, changes: Optional[Sequence[str]] = None, **options: Any) -> WhatIf:
        """What each change would be worth; all that apply unless CHANGES names some."""
        return WhatIf(json_of(["whatif", *self.paths] + words({"change": changes, **self.options, **options}), "--json"))

    def schedule(self, streams: int = 4, **options: Any) -> Schedule:
        """A plan on at most so many streams; needs execution_trace or cuda_graph. ``python="plan.py"`` writes what applies it."""
        return Schedule(json_of(["schedule", *self.paths] + words({"streams": streams, **self.options, **options}), "--output"))

    def validate(self, **options: Any) -> Validation:
        """The replay against the recording."""
        return Validation(json_of(["validate", *self.paths] + words({**self.options, **options}), "--report"))

    def program(self, out: str, **options: Any) -> str:
        """Imports it as a program file; returns the path."""
        from ._command import command
        if len(self.paths) != 1:
            raise InputError(f"expected one trace to import, found {len(self.paths)}", 2)
        command(["import", self.paths[0], "-o", out] + words({**self.options, **options}))
        return out

    def __repr__(self) -> str:
        return f"<gpusim.Trace {', '.join(self.paths)}>"
