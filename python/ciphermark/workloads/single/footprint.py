"""Footprint: what a message costs more where keys and messages do not lie in the nearest cache.

A *level* is a number of keys and a place of the buffers. Its *step* is what it adds to one key and
hot buffers: the differences of cycles per message at the sizes that both have, fitted by a line
over size as the cost card is, so that keys show as a cost of the message and buffers as one of its
bytes. A row's error goes into the difference as half of its interval, both rows' being independent.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from ciphermark.record.case_row import ASKED, PARAMETERS, key
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.line import fitted
from ciphermark.workloads.single.cost_card import can_be_fitted, half_widths
from ciphermark.workloads.single.row import Row

NEAREST = (1, "hot")
"""The level that the others are measured from."""

_LEVEL = ("keys", "buffers")
_CALLED = (*ASKED, *(field for field in PARAMETERS if field not in _LEVEL))

Line = tuple[Hashable, ...]
"""Implementation, operation, way of calling and level."""


class Step(NamedTuple):
    """What one level adds, core cycles, with 95 % intervals."""

    per_message: Estimate
    per_byte: Estimate | None
    """Nothing where only one size was measured: then all is counted with the message."""
    sizes: list[int]
    """Message sizes that it was worked out from, bytes."""


def step_key(row: Row) -> Line:
    """What rows of one step have in common."""
    return key(row, (*_CALLED, *_LEVEL))


def steps(rows: list[Row]) -> dict[Line, Step]:
    """The step of each level beyond the nearest, by `step_key` of its rows."""
    called: dict[Line, dict[tuple[int, str], dict[int, Row]]] = {}
    for row in rows:
        if can_be_fitted(row):
            levels = called.setdefault(key(row, _CALLED), {})
            levels.setdefault((row.keys, row.buffers), {})[row.message_bytes] = row
    return {
        (*line, *level): step
        for line, levels in called.items()
        for level, beyond in levels.items()
        if level != NEAREST and (step := _step(levels.get(NEAREST, {}), beyond))
    }


def _step(nearest: dict[int, Row], beyond: dict[int, Row]) -> Step | None:
    """None where the nearest level was not measured at any of the sizes."""
    sizes = sorted(nearest.keys() & beyond.keys())
    if not sizes:
        return None
    near, far = [nearest[size] for size in sizes], [beyond[size] for size in sizes]
    cycles = np.array([row.cycles_per_message for row in near])
    extra = np.array([row.cycles_per_message for row in far]) - cycles
    errors = np.hypot(half_widths(near), half_widths(far))
    if len(sizes) == 1:
        value, half = float(extra[0]), float(errors[0])
        return Step(Estimate.around(value, half), None, sizes)
    line = fitted(np.array(sizes, dtype=float), extra, units=cycles, errors=errors / cycles)
    return Step(line.fixed, line.slope, sizes)
