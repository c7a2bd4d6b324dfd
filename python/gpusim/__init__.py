# SPDX-License-Identifier: GPL-3.0-or-later
"""gpusim from Python: runs the program gpusim and reads what it writes.

>>> import gpusim
>>> run = gpusim.run("img", sched="kesco")
>>> round(run.makespan_us)
38515
>>> len(run.kernels)
11

:class:`gpusim.Session` simulates in this process, by libgpusim and cffi, and takes policies written in Python.

Tables are pandas' frames where pandas is installed, else lists of dicts. What goes wrong is a :class:`gpusim.Error`
with the program's message.
"""
from typing import Any

from ._command import Error, InputError, command, data_folder, program, version
from ._frames import Rows
from ._runs import Comparison, Run, calibrate, compare, devices, plot, report, results, run, schedulers, serve, sweep, workloads
from ._program import Program
from ._trace import Explanation, Schedule, Trace, Validation, WhatIf

__all__ = ["Comparison", "Error", "Explanation", "InputError", "Op", "Program", "Rows", "Run", "Schedule", "Session",
           "Timing", "Trace", "Validation", "WhatIf", "calibrate", "command", "compare", "data_folder", "devices",
           "plot", "program", "questions", "report", "results", "run", "schedulers", "serve", "sweep", "version",
           "workloads"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """What needs cffi and libgpusim, once it is asked for."""
    if name not in ("Op", "Session", "Timing", "library", "questions"):
        raise AttributeError(f"module 'gpusim' has no attribute {name!r}")
    from . import _session
    return getattr(_session, name)
