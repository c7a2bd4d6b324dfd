# SPDX-License-Identifier: GPL-3.0-or-later
"""The program: where it is, how it is called, what it says when something is wrong."""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, Dict, Iterator, List, Optional, Sequence

from . import _checkout


class Error(Exception):
    """gpusim has failed; the text is its message. ``status`` is the exit status, ``notes`` what it said besides."""

    def __init__(self, message: str, status: int = 1, notes: Sequence[str] = ()):
        super().__init__(message)
        self.status = status
        self.notes = list(notes)


class InputError(Error):
    """Bad usage or bad input: exit status 2."""


def _candidates() -> Iterator[str]:
    if os.environ.get("GPUSIM"):
        yield os.environ["GPUSIM"]
    checkout = pathlib.Path(_checkout.PATH) if _checkout.PATH else pathlib.Path(__file__).resolve().parents[2]
    if (checkout / "gpusim").is_file() and (checkout / "models").is_dir():
        yield str(checkout / "build" / "gpusim")
        yield str(checkout / "gpusim")
    found = shutil.which("gpusim")
    if found:
        yield found


def program() -> str:
    """The path of the program: ``$GPUSIM``, that of the checkout which this package came with, or the one on PATH."""
    for path in _candidates():
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    raise Error("no program gpusim: set GPUSIM to its path, or install it")


def data_folder() -> Optional[str]:
    """The checkout, where the program runs from one; None for an installed program, which finds its own."""
    folder = pathlib.Path(program()).resolve().parent
    for place in (folder, folder.parent):
        if (place / "models").is_dir():
            return str(place)
    return None


def command(arguments: Sequence[Any], text: Optional[str] = None, echo: bool = False) -> "subprocess.CompletedProcess[str]":
    """Calls the program. ``text`` goes to its standard input; with ``echo`` its notes and progress are shown as they come."""
    environment = dict(os.environ)
    folder = data_folder()
    if folder and "GPUSIM_DATA" not in environment:
        environment["GPUSIM_DATA"] = folder
    done = subprocess.run([program()] + [str(a) for a in arguments], input=text, text=True, env=environment,
                          stdout=subprocess.PIPE, stderr=None if echo else subprocess.PIPE)
    if done.returncode:
        lines = (done.stderr or "").strip().splitlines()
        said = [line[len("gpusim: "):] if line.startswith("gpusim: ") else line for line in lines]
        message = said[-1] if said else f"gpusim ended with status {done.returncode}"
        kind = InputError if done.returncode == 2 else Error
        raise kind(message, done.returncode, said[:-1])
    return done


def version() -> str:
    """What ``gpusim --version`` says."""
    return command(["--version"]).stdout.strip()


@contextlib.contextmanager
def scratch() -> Iterator[str]:
    """A folder for a call's files."""
    with tempfile.TemporaryDirectory(prefix="gpusim-") as folder:
        yield folder


def json_of(arguments: Sequence[Any], option: str) -> Any:
    """Calls the program with ``option`` FILE, and reads that JSON."""
    with scratch() as folder:
        path = os.path.join(folder, "answer.json")
        command(list(arguments) + [option, path])
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def words(options: Dict[str, Any]) -> List[str]:
    """Keywords as options: ``prefill_beside="same"`` is ``--prefill-beside same``, True a switch, None and False nothing;
    ``opt={"kesco.streams": 4}`` is ``--opt kesco.streams=4``; lists are joined by commas, those of ``task`` repeat it."""
    result: List[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if name == "opt":
            for key, number in value.items():
                result += [option, f"{key}={'on' if number is True else 'off' if number is False else number}"]
        elif value is True:
            result.append(option)
        elif name == "task":
            for task in [value] if isinstance(value, str) else value:
                result += [option, str(task)]
        elif isinstance(value, (list, tuple)):
            result += [option, ",".join(str(v) for v in value)]
        else:
            result += [option, str(value)]
    return result
