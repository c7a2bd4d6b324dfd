# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulations in this process, by libgpusim and cffi, for many small ones and for policies written in Python.

A policy is a class with ``push``, ``pop`` and, if it likes, ``done``: what gpusim/policy.h calls one. The runner calls
them while the program runs: ``push`` when all that an op follows has ended, ``pop`` when a GPU has room, ``done`` when
an op has ended.

>>> class FirstComeFirstServed:
...     def __init__(self):
...         self.ready = []
...     def push(self, op):
...         self.ready.append(op)
...     def pop(self, device, now_us):
...         return self.ready.pop(0) if self.ready else None
>>> session = Session(sched="eager")  # which is that policy in C
>>> session.workload("img", size=1e6)
>>> session.run(policy=FirstComeFirstServed()).makespan_us == session.run().makespan_us
True
"""
from __future__ import annotations

import ctypes.util
import glob
import json
import os
import pathlib
import threading
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple, TypeVar, Union

import cffi

from ._command import Error, InputError, data_folder, scratch
from ._program import Program
from ._runs import Run

_DECLARATIONS = """
struct gsim_session *gsim_session_create(void);
void gsim_session_destroy(struct gsim_session *);
const char *gsim_session_error(const struct gsim_session *);
int gsim_session_set(struct gsim_session *, const char *, const char *);
int gsim_session_policy(struct gsim_session *, int64_t, void (*)(void *, int64_t, const char *, double, double, int64_t),
                        int64_t (*)(void *, int64_t, double), void (*)(void *, int64_t, double), void *);
int gsim_session_run(struct gsim_session *);
double gsim_session_makespan_us(const struct gsim_session *);
int64_t gsim_session_kernel_count(const struct gsim_session *);
void gsim_session_kernel_times(const struct gsim_session *, double *, double *);
const char *gsim_session_report(struct gsim_session *);
const char *gsim_session_ask(struct gsim_session *, const char *, const char *);
const char *gsim_session_question(int64_t);
uint32_t gpusim_abi(void);
"""
_ffi = cffi.FFI()
_ffi.cdef(_DECLARATIONS)
_library: Any = None


def _candidates() -> Iterator[str]:
    if os.environ.get("LIBGPUSIM"):
        yield os.environ["LIBGPUSIM"]
    folder = data_folder()
    if folder:
        yield from sorted(glob.glob(str(pathlib.Path(folder) / "build" / "libgpusim.so*")))
    found = ctypes.util.find_library("gpusim")
    if found:
        yield found


def library() -> Any:
    """libgpusim: ``$LIBGPUSIM``, that of the checkout's build folder, or the system's."""
    global _library
    if _library is None:
        folder = data_folder()
        if folder and "GPUSIM_DATA" not in os.environ:
            os.environ["GPUSIM_DATA"] = folder
        for path in _candidates():
            try:
                _library = _ffi.dlopen(path)
                break
            except OSError:
                continue
        else:
            raise Error("no libgpusim: build it (cmake --build build --target gpusim-shared) or set LIBGPUSIM")
    return _library


def _bytes(text: str) -> bytes:
    """TEXT for C, which would end it at a zero."""
    if "\0" in text:
        raise InputError(f"a text with a zero in it: {text!r:.80}", 2)
    return text.encode()


class Op(NamedTuple):
    """An op that is ready: its number, its kernel's name (or its kind), its time alone, since when it is ready, and the
    GPU that holds most of its data (-1: none)."""
    index: int
    name: str
    us: float
    ready_us: float
    home: int


class Timing(NamedTuple):
    """A run without its report: the makespan, and start and end of each kernel."""
    makespan_us: float
    start_us: List[float]
    end_us: List[float]


_T = TypeVar("_T")


class Session:
    """A device, a program, a scheduler and options; ``run`` simulates, again and again.

    A session is for one thread at a time: a call while it runs, from another thread or from its policy, is an error.
    """

    def __init__(self, device: Optional[str] = None, sched: Optional[str] = None, **options: Any):
        self._lib = library()
        self._in_use = threading.Lock()
        self._session = self._lib.gsim_session_create()
        if self._session == _ffi.NULL:
            raise Error("out of memory")
        if device is not None:
            self.set("device", device)
        if sched is not None:
            self.scheduler(sched)
        for name, value in options.pop("opt", {}).items():
            self.set(name, value)
        for name, value in options.items():
            self.set(name, value)

    def __del__(self) -> None:
        if getattr(self, "_session", None) and self._in_use.acquire(blocking=False):
            self._lib.gsim_session_destroy(self._session)
            self._session = None
            self._in_use.release()

    def _alone(self, call: Callable[[], _T]) -> _T:
        """CALL's result. Other calls of this session are errors until then."""
        if not self._in_use.acquire(blocking=False):
            raise InputError("the session is in use: one thread at a time, and nothing of it from within its policy", 2)
        try:
            if self._session is None:
                raise InputError("the session was destroyed", 2)
            return call()
        finally:
            self._in_use.release()

    def _check(self, status: int) -> None:
        if status:
            message = _ffi.string(self._lib.gsim_session_error(self._session)).decode("utf-8", "replace")
            raise (InputError if status == 2 else Error)(message, status)

    def set(self, name: str, value: Any) -> None:
        """device, scheduler, size and then workload, memory, prefetch, iterations, seed, gpus, noise, gpu.NAME, device.NAME, or a number of the scheduler."""
        text = "on" if value is True else "off" if value is False else str(value)
        self._alone(lambda: self._check(self._lib.gsim_session_set(self._session, _bytes(name), _bytes(text))))

    def scheduler(self, name: str) -> None:
        """A scheduler's name or a shared object's path."""
        self.set("scheduler", name)

    def workload(self, workload: Union[str, Program], size: float = 0) -> None:
        """A built-in workload, a program file, or a :class:`gpusim.Program`."""
        if isinstance(workload, Program):
            with scratch() as folder:
                self.workload(workload.write(os.path.join(folder, "p.json")))
        else:
            self.set("size", size)
            self.set("workload", os.fspath(workload))

    def _under(self, policy: Any, call: Callable[[], _T]) -> _T:
        """CALL's result under POLICY, which is gone after it."""
        if policy is None:
            return call()
        failure: List[BaseException] = []
        ops: Dict[int, Op] = {}

        def guarded(function: Any, otherwise: Any) -> Any:
            def call(*arguments: Any) -> Any:
                if failure:
                    return otherwise
                try:
                    return function(*arguments)
                except BaseException as error:  # C must not see it
                    failure.append(error)
                    return otherwise
            return call

        def push(_: Any, index: int, name: Any, us: float, now_us: float, home: int) -> None:
            ops[index] = Op(index, _ffi.string(name).decode("utf-8", "replace"), us, now_us, home)
            policy.push(ops[index])

        def pop(_: Any, device: int, now_us: float) -> int:
            op = policy.pop(device, now_us)
            return -1 if op is None else _ffi.new("int64_t *", op.index if isinstance(op, Op) else op)[0]  # or raises

        def done(_: Any, index: int, now_us: float) -> None:
            if hasattr(policy, "done"):
                policy.done(ops[index], now_us)

        callbacks = (_ffi.callback("void(void *, int64_t, const char *, double, double, int64_t)", guarded(push, None)),
                     _ffi.callback("int64_t(void *, int64_t, double)", guarded(pop, -1)),
                     _ffi.callback("void(void *, int64_t, double)", guarded(done, None)))
        depth = getattr(policy, "depth", 2)
        self._check(self._lib.gsim_session_policy(self._session, depth, callbacks[0], callbacks[1], callbacks[2], _ffi.NULL))
        try:
            result = call()
        except Error:
            if not failure:
                raise
        finally:
            self._lib.gsim_session_policy(self._session, 1, _ffi.NULL, _ffi.NULL, _ffi.NULL, _ffi.NULL)
        if failure:
            raise failure[0]
        return result

    def _run(self, policy: Any, result: Callable[[], _T]) -> _T:
        """RESULT of a simulation."""
        def call() -> _T:
            self._check(self._lib.gsim_session_run(self._session))
            return result()
        return self._alone(lambda: self._under(policy, call))

    def _report(self) -> Run:
        report = self._lib.gsim_session_report(self._session)
        if report == _ffi.NULL:
            raise Error("out of memory")
        return Run(json.loads(_ffi.string(report)))

    def _timing(self) -> Timing:
        count = self._lib.gsim_session_kernel_count(self._session)
        start, end = _ffi.new("double[]", max(count, 1)), _ffi.new("double[]", max(count, 1))
        self._lib.gsim_session_kernel_times(self._session, start, end)
        return Timing(self._lib.gsim_session_makespan_us(self._session), list(start[0:count]), list(end[0:count]))

    def run(self, policy: Any = None) -> Run:
        """Simulates; with ``policy`` an object with push and pop decides what runs when and where, in this run alone."""
        return self._run(policy, self._report)

    def time(self, policy: Any = None) -> Timing:
        """Simulates, and brings back times alone."""
        return self._run(policy, self._timing)

    def ask(self, question: str, words: Optional[str] = None, policy: Any = None) -> List[Dict[str, Any]]:
        """The rows of an answer: ``ask("explain")``, ``ask("whatif", "graph,launch=2x")``, ``ask("compare", "async,heft")``,
        ``ask("spread", "200")``. Names end with their unit; what is not known is None. With ``policy`` the question is
        asked of a run under it, and ``compare`` has a row of it."""
        def call() -> List[Dict[str, Any]]:
            answer = self._lib.gsim_session_ask(self._session, _bytes(question), _ffi.NULL if words is None else _bytes(words))
            if answer == _ffi.NULL:
                self._check(2 if _ffi.string(self._lib.gsim_session_error(self._session)) else 1)
            rows: List[Dict[str, Any]] = json.loads(_ffi.string(answer))["rows"]
            return rows
        return self._alone(lambda: self._under(policy, call))


def questions() -> List[str]:
    """The names that :meth:`Session.ask` takes."""
    names: List[str] = []
    while library().gsim_session_question(len(names)) != _ffi.NULL:
        names.append(_ffi.string(library().gsim_session_question(len(names))).decode())
    return names


__all__: Tuple[str, ...] = ("Op", "Session", "Timing", "library", "questions")
