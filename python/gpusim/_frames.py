# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables: pandas' frames where pandas is there, plain lists of dicts where it is not."""
from __future__ import annotations

import csv
import io
from typing import Any, Dict, List, Sequence

try:
    import pandas as _pandas
except ImportError:  # nothing here needs it
    _pandas = None


class Rows(List[Dict[str, Any]]):
    """A table without pandas: a list of dicts; ``rows["start_us"]`` is a column."""

    def __getitem__(self, key):
        if isinstance(key, str):
            return [row[key] for row in self]
        return super().__getitem__(key)

    @property
    def columns(self) -> List[str]:
        return list(super().__getitem__(0)) if self else []


def frame(rows: Sequence[Dict[str, Any]]) -> Any:
    """A frame of ``rows``, or :class:`Rows`."""
    return _pandas.DataFrame(list(rows)) if _pandas is not None else Rows(rows)


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text if text else None


def frame_of_csv(text: str) -> Any:
    """The same of CSV."""
    if _pandas is not None:
        return _pandas.read_csv(io.StringIO(text))
    return Rows({name: _value(value) for name, value in row.items()} for row in csv.DictReader(io.StringIO(text)))
