# SPDX-License-Identifier: GPL-3.0-or-later
"""gpusim from Python: runs the program gpusim and reads what it writes.

>>> import gpusim
>>> run = gpusim.run("img", sched="kesco")
>>> round(run.makespan_us)
38515
>>> len(run.kernels)
11

Tables are pandas' frames where pandas is installed, else lists of dicts. What goes wrong is a :class:`gpusim.Error`
with the program's message.
"""
from ._command import Error, InputError, command, data_folder, program, version
from ._frames import Rows
from ._runs import Comparison, Run, calibrate, compare, devices, plot, report, results, run, schedulers, serve, sweep, workloads
from ._program import Program
from ._trace import Explanation, Schedule, Trace, Validation, WhatIf

__all__ = ["Comparison", "Error", "Explanation", "InputError", "Program", "Rows", "Run", "Schedule", "Trace", "Validation",
           "WhatIf", "calibrate", "command", "compare", "data_folder", "devices", "plot", "program", "report", "results", "run",
           "schedulers", "serve", "sweep", "version", "workloads"]
__version__ = "0.1.0"
