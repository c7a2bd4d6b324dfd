# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs, comparisons, sweeps."""
from __future__ import annotations

import html
import json
import os
from typing import Any, Dict, List, Optional, Sequence, Union

from ._command import InputError, command, json_of, scratch, words
from ._frames import frame, frame_of_csv
from ._program import Program

Workload = Union[str, "os.PathLike[str]", Program]


def _as_path(workload: Workload, folder: str) -> str:
    if isinstance(workload, Program):
        return workload.write(os.path.join(folder, f"{workload.name or 'program'}.json".replace("/", "_")))
    return os.fspath(workload)


class Run:
    """One predicted run; ``report`` is the whole JSON (gpusim-report/1)."""

    def __init__(self, report: Dict[str, Any], notes: Sequence[str] = (), arguments: Optional[Dict[str, Any]] = None):
        self.report = report
        self.notes = list(notes)
        self._arguments = arguments

    @property
    def makespan_us(self) -> float:
        """From the program's first call to the end of the last."""
        return self.report["makespan_us"]

    @property
    def iteration_us(self) -> List[float]:
        """Each iteration's time."""
        return self.report["iteration_us"]

    @property
    def kernels(self) -> Any:
        """A row for each kernel: op, iteration, name, stream, device, launch_us, start_us, end_us."""
        return frame(self.report["kernels"])

    @property
    def copies(self) -> Any:
        """A row for each transfer: kind, bytes, start_us, end_us, reason."""
        return frame(self.report["copies"])

    @property
    def calls(self) -> Any:
        """A row for each host call: name, thread, start_us, duration_us. Runs once more, for its trace."""
        if self._arguments is None:
            raise InputError("this run was not made here: its calls are not known", 2)
        rows = []
        for event in _trace_events(self._arguments):
            if event.get("cat") == "cuda_runtime":
                rows.append({"name": event["name"], "thread": event["tid"], "start_us": event["ts"], "duration_us": event["dur"]})
        return frame(rows)

    @property
    def tasks(self) -> Any:
        """A row for each task."""
        return frame(self.report["tasks"])

    @property
    def metrics(self) -> Dict[str, Any]:
        """Busy ratio, occupancy, bytes moved, overlap, bounds."""
        return self.report["metrics"]

    def timeline(self, axis: Any = None, iteration: Optional[int] = None) -> Any:
        """Kernels and copies on their streams, as a matplotlib axis."""
        import matplotlib.pyplot as plot
        rows = [k for k in self.report["kernels"] if iteration is None or k["iteration"] == iteration]
        names = sorted({k["name"] for k in rows})
        colours = {name: f"C{i % 10}" for i, name in enumerate(names)}
        lanes = sorted({(k.get("device", 0), k["stream"]) for k in rows})
        place = {lane: i for i, lane in enumerate(lanes)}
        if axis is None:
            _, axis = plot.subplots(figsize=(9, 0.45 * (len(lanes) + 3)))
        for k in rows:
            axis.barh(place[(k.get("device", 0), k["stream"])], k["end_us"] - k["start_us"], left=k["start_us"], height=0.7,
                      color=colours[k["name"]], label=k["name"], edgecolor="white", linewidth=0.3)
        copies = [c for c in self.report["copies"] if iteration is None or c.get("iteration", 0) == iteration]
        for c in copies:
            axis.barh(len(lanes), c["end_us"] - c["start_us"], left=c["start_us"], height=0.7, color="0.6", label="copy")
        labels = [f"stream {s}" if len({d for d, _ in lanes}) == 1 else f"GPU {d} stream {s}" for d, s in lanes]
        axis.set_yticks(range(len(lanes) + bool(copies)), labels + (["copies"] if copies else []))
        axis.set_xlabel("time (us)")
        handles, texts = axis.get_legend_handles_labels()
        unique = dict(zip(texts, handles))
        if len(unique) <= 12:
            axis.legend(unique.values(), unique.keys(), fontsize="x-small", loc="upper left", bbox_to_anchor=(1, 1))
        return axis

    def __repr__(self) -> str:
        r = self.report
        return f"<gpusim.Run {r['workload']} with {r['scheduler']} on {r['device']}: {self.makespan_us:.1f} us>"

    def _repr_html_(self) -> str:
        r = self.report
        rows = [("makespan", f"{self.makespan_us:,.1f} us"), ("kernels", len(r["kernels"])), ("copies", len(r["copies"])),
                ("SMs busy", f"{100 * r['metrics']['sm_busy_ratio']:.1f} %"),
                ("lower bound", f"{r['metrics']['lower_bound_us']:,.1f} us")]
        body = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(str(value))}</td></tr>" for name, value in rows)
        head = html.escape(f"{r['workload']} with {r['scheduler']} on {r['device']}")
        return f"<table><caption>{head}</caption>{body}</table>"


def _trace_events(arguments: Dict[str, Any]) -> List[Dict[str, Any]]:
    with scratch() as folder:
        path = os.path.join(folder, "trace.json")
        given = dict(arguments)
        if given["workload"] is not None:
            given["workload"] = _as_path(given["workload"], folder)
        command(["run"] + words(given) + ["--trace", path])
        with open(path, encoding="utf-8") as file:
            return json.load(file)["traceEvents"]


def run(workload: Optional[Workload] = None, sched: Optional[str] = None, device: Optional[str] = None, **options: Any) -> Run:
    """Predicts one run. Options are the command's: ``memory="pinned"``, ``iterations=3``, ``opt={"kesco.streams": 4}``,
    ``task=["img,requests=5", "ml"], share="mps"``, ... (``gpusim run --help``).

    >>> run("vec", sched="serial", device="v100", size="1e6").report["scheduler"]
    'serial'
    """
    with scratch() as folder:
        path = os.path.join(folder, "report.json")
        given = {"workload": _as_path(workload, folder) if workload is not None else None, "sched": sched, "device": device}
        done = command(["run"] + words({**given, **options}) + ["--report", path])
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    notes = [line[len("gpusim: note: "):] for line in (done.stderr or "").splitlines() if line.startswith("gpusim: note: ")]
    return Run(report, notes, {"workload": workload, "sched": sched, "device": device, **options})


class Comparison:
    """Schedulers on workloads; ``report`` is the JSON, ``frame`` a row for each pair."""

    def __init__(self, report: Dict[str, Any]):
        self.report = report

    @property
    def frame(self) -> Any:
        return frame(self.report.get("runs", self.report.get("ways", [])))

    def _repr_html_(self) -> str:
        table = self.frame
        return table._repr_html_() if hasattr(table, "_repr_html_") else f"<pre>{html.escape(repr(table))}</pre>"


def compare(workload: Union[Workload, Sequence[Workload], None] = None, sched: Union[str, Sequence[str], None] = None,
            device: Optional[str] = None, **options: Any) -> Comparison:
    """Compares schedulers on workloads, or ways of sharing with ``task`` and ``share``.

    >>> table = compare("m1", ["serial", "async"]).frame
    >>> [round(s, 1) for s in table["speedup"]]
    [1.0, 4.0]
    """
    with scratch() as folder:
        several = workload if isinstance(workload, (list, tuple)) else [workload] if workload is not None else None
        given = {"workload": [_as_path(w, folder) for w in several] if several else None, "sched": sched, "device": device}
        return Comparison(json_of(["compare"] + words({**given, **options}), "--report"))


def sweep(vary: Dict[str, Any], out: Optional[str] = None, resume: bool = False, progress: bool = False, columns: str = "all",
          **options: Any) -> Any:
    """Simulates every combination of ``vary`` (lists, or texts such as "1e6:1e8:x10") and returns a frame, a row for each.
    ``out`` keeps the results file, to which ``resume`` adds what it lacks.

    >>> table = sweep({"sched": ["serial", "kesco"], "size": ["1e6", "2e6"]}, workload="vec", iterations=2)
    >>> len(table)
    4
    """
    with scratch() as folder:
        path = out or os.path.join(folder, "results.db")
        texts = []
        for name, values in vary.items():
            text = values if isinstance(values, str) else ",".join(str(v) for v in values)
            texts += ["--vary", f"{name}={text}"]
        command(["sweep"] + texts + words(options) + ["--out", path] + (["--resume"] if resume else []), echo=progress)
        table = os.path.join(folder, "rows.csv")
        command(["results", path, "--columns", columns, "--csv", table])
        with open(table, encoding="utf-8") as file:
            return frame_of_csv(file.read())


def calibrate(*files: str, out: str, progress: bool = False, **options: Any) -> str:
    """Makes a device of measurements (docs/calibrate.md); returns the file's path."""
    command(["calibrate", *files] + words(options) + ["-o", out], echo=progress)
    return out


def serve(spec: Union[str, "os.PathLike[str]"], **options: Any) -> Any:
    """A server's report (a dict: percentiles, requests, time_us, ...); of several ``rate``, ``batching`` or ``prefill_beside``
    (and of ``rate="most"``) a frame, a row for each."""
    several = any(isinstance(v, (list, tuple)) or "," in str(v) or ":" in str(v) or v in ("all", "most")
                  for v in (options.get(of, "") for of in ("rate", "batching", "prefill_beside")))
    if not several:
        return json_of(["serve", os.fspath(spec)] + words(options), "--report")
    with scratch() as folder:
        table = os.path.join(folder, "rows.csv")
        command(["serve", os.fspath(spec)] + words(options) + ["--csv", table])
        with open(table, encoding="utf-8") as file:
            return frame_of_csv(file.read())


def results(path: Union[str, "os.PathLike[str]"], **options: Any) -> Any:
    """Rows or groups of a results file (``base="serial"``, ``group=["sched"]``, ``where="size > 1e6"``) as a frame."""
    with scratch() as folder:
        table = os.path.join(folder, "rows.csv")
        command(["results", os.fspath(path)] + words(options) + ["--csv", table])
        with open(table, encoding="utf-8") as file:
            return frame_of_csv(file.read())


def plot(kind: str, *files: str, out: str, **options: Any) -> str:
    """Draws a figure (``gpusim plot --help``); returns the path."""
    command(["plot", kind, *files] + words(options) + ["-o", out])
    return out


def report(path: Union[str, "os.PathLike[str]"], out: str) -> str:
    """A page of HTML of a report or a results file; returns its path."""
    command(["report", os.fspath(path), "-o", out])
    return out


def _list(topic: str) -> Any:
    rows = []
    for line in command(["list", topic]).stdout.splitlines():
        if line.startswith("  ") and line.strip():
            name, _, summary = line.strip().partition(" ")
            rows.append({"name": name, "summary": summary.strip()})
    return frame(rows)


def devices() -> Any:
    """The devices that ship: name and title."""
    return _list("devices")


def schedulers() -> Any:
    """The schedulers: name and summary."""
    return _list("schedulers")


def workloads() -> Any:
    """Workloads, generators, sources and services: name and summary."""
    return _list("workloads")


__all__ = ["Comparison", "InputError", "Run", "calibrate", "compare", "devices", "plot", "report", "results", "run", "schedulers", "serve",
           "sweep", "workloads"]
