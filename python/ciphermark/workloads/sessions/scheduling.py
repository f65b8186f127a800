"""How apparent processing power depends on scheduling and on what a function needs.

The logarithm of apparent cycles per byte over those of the absolute figure of the same function
alone, of the cores in use and of the sessions, beside the scheduling policy, the nice level, the
share of the CPUs that a quota leaves, the working set, and a memory-bound neighbour. The simple
model that it has to better is absolute / cores.

*Alone* is one session on one CPU with the same buffers, scheduled as usual, with no neighbour.
*Cores in use* are at most as many as there are sessions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.plan.loads import USUAL_NICE
from ciphermark.record.case_row import key
from ciphermark.show import figures
from ciphermark.show.tables import Column, print_groups, print_left_out
from ciphermark.statistics.effects import Effect, Effects, Error, Factor, effects, error
from ciphermark.workloads.flows import together
from ciphermark.workloads.sessions.scaling import FUNCTION, measured

if TYPE_CHECKING:
    from ciphermark.workloads.sessions.row import SessionRow

USUAL_POLICY = "other"
STREAM = "stream"
"""Buffers that do not fit the caches: a large working set."""

DOUBLING = math.log(2)


class Scheduling(msgspec.Struct, kw_only=True):
    """What apparent cycles per byte depend on."""

    rows: int
    """That were fitted."""
    without_alone: int
    """Rows that were not, as their function was not measured alone."""
    model: Effects | None
    """Nothing where `refusal` says why."""
    simple: Error | None
    """Of absolute / cores on the same rows; nothing where there are none."""
    refusal: str | None


class _Observed(NamedTuple):
    row: SessionRow
    apparent: float
    """Apparent cycles per byte."""
    alone: float
    """Absolute cycles per byte of its function alone."""

    @property
    def cores(self) -> int:
        return min(self.row.cores, self.row.sessions)

    @property
    def granted(self) -> float:
        """The share of its CPUs that a quota leaves."""
        quota = self.row.quota_cpus
        return 1.0 if quota is None else min(1.0, quota / self.row.cores)


def scheduling(rows: Iterable[SessionRow]) -> Scheduling:
    """The model of a run's rows that have figures per byte and no offered load."""
    usable = [
        (row, apparent)
        for row in measured(rows)
        if (apparent := row.apparent_cycles_per_byte) and row.offered_per_s is None
    ]
    alone = _alone(row for row, _ in usable)
    observed = [
        _Observed(row, apparent, alone[function])
        for row, apparent in usable
        if (function := _function(row)) in alone
    ]
    model = _fitted(observed)
    return Scheduling(
        rows=len(observed),
        without_alone=len(usable) - len(observed),
        model=model,
        simple=_simple(observed),
        refusal=None if model else _refusal(len(observed)),
    )


def _function(row: SessionRow) -> Hashable:
    return key(row, FUNCTION)


def _alone(rows: Iterable[SessionRow]) -> dict[Hashable, float]:
    """Absolute cycles per byte of each function by itself: the median where it was repeated."""
    alone = (
        (_function(row), cycles)
        for row in rows
        if _is_alone(row) and (cycles := row.absolute_cycles_per_byte)
    )
    groups = together(alone, lambda it: it[0])
    return {function: median(cycles for _, cycles in group) for function, group in groups.items()}


def _is_alone(row: SessionRow) -> bool:
    priority = row.policy == USUAL_POLICY and row.nice == USUAL_NICE
    usual = priority and row.quota_cpus is None
    return usual and row.sessions == 1 and row.cores == 1 and row.neighbours == 0


def _fitted(observed: Sequence[_Observed]) -> Effects | None:
    apparent = np.array([it.apparent for it in observed])
    return effects(apparent, _factors(observed)) if observed else None


def _simple(observed: Sequence[_Observed]) -> Error | None:
    if not observed:
        return None
    return error(np.array([math.log(it.alone / it.cores / it.apparent) for it in observed]))


def _refusal(rows: int) -> str:
    if rows == 0:
        return "no function was measured alone: add one session on one CPU (--sessions 1 --cpus 0)"
    return f"{rows} rows are too few to separate these effects: measure more combinations (--sweep)"


def _factors(observed: Sequence[_Observed]) -> list[Factor]:
    """In the order in which one of two that say the same is kept."""

    def column(value: Callable[[_Observed], float]) -> np.ndarray:
        return np.array([value(it) for it in observed], dtype=float)

    def doubled(name: str, value: Callable[[_Observed], float], expected: float = 1.0) -> Factor:
        return Factor(name, column(lambda it: math.log(value(it))), DOUBLING, expected)

    return [
        doubled("each doubling of absolute cycles alone", lambda it: it.alone, 2.0),
        doubled("each doubling of cores", lambda it: it.cores, 0.5),
        doubled("each doubling of sessions", lambda it: it.row.sessions),
        *_policies(observed),
        Factor("each nice level", column(lambda it: it.row.nice)),
        doubled("each doubling of a quota's share", lambda it: it.granted),
        Factor("large working set", column(lambda it: it.row.buffers == STREAM)),
        Factor("memory-bound neighbour", column(lambda it: it.row.neighbours > 0)),
        Factor(
            "neighbour beside a large working set",
            column(lambda it: it.row.neighbours > 0 and it.row.buffers == STREAM),
        ),
    ]


def _policies(observed: Sequence[_Observed]) -> list[Factor]:
    """One for each policy but the usual, which every function has in its row alone."""
    found = np.array([it.row.policy for it in observed])
    others = sorted(set(found) - {USUAL_POLICY})
    if not others:
        return [Factor("scheduling policy", np.zeros(len(found)))]
    return [Factor(f"policy {policy}", (found == policy).astype(float)) for policy in others]


TITLE = "What apparent cycles per byte depend on"
UNTOLD = "·"
"""Beside an effect whose interval has the multiple of the simple model in it."""


def print_scheduling(console: Console, found: Scheduling) -> None:
    """Prints the effects, how far predictions are off, and what the rows do not tell."""
    console.print()
    if found.model is None:
        console.print(Text(TITLE, style="bold"))
    else:
        groups = [(TITLE, found.model.effects)]
        print_left_out(console, print_groups(console, list(_columns()), groups))
    for sentence in sentences(found):
        console.print(Padding(Text(sentence), (0, 0, 0, 2)))


def sentences(found: Scheduling) -> Iterator[str]:
    """How good the model is beside the simple one, what was left out, and why."""
    if found.refusal is not None:
        yield found.refusal
    if found.model is not None:
        yield _errors(found, found.model)
        if any(_as_expected(effect) for effect in found.model.effects):
            yield f"{UNTOLD} not distinguished from the simple model"
        yield from _left_out(found.model)
    if found.without_alone:
        rows = figures.counted(found.without_alone, "row")
        yield f"{rows} left out, of functions that were not measured alone on one CPU"


def _columns() -> Iterator[Column[Effect]]:
    yield Column("", lambda it: Text(it.factor), left=True)
    yield Column("multiplies\nit by", lambda it: Text(figures.times(it.multiple.value)))
    yield Column("", _interval)
    yield Column("simple\nmodel", lambda it: Text(figures.times(it.expected), style="dim"))
    yield Column("", lambda it: Text(UNTOLD if _as_expected(it) else ""), left=True)


def _interval(it: Effect) -> Text:
    ends = it.multiple.interval or ()
    return Text("–".join(figures.significant(end, 4) for end in ends), style="dim")


def _as_expected(it: Effect) -> bool:
    ends = it.multiple.interval
    return ends is not None and ends[0] <= it.expected <= ends[1]


def _errors(found: Scheduling, model: Effects) -> str:
    parts = []
    if model.error is not None:
        parts.append(f"a row that was not fitted is predicted to within {_off(model.error)}")
    if found.simple is not None:
        parts.append(f"absolute / cores is off by {_off(found.simple)}")
    if model.indispensable:
        rows = figures.counted(model.indispensable, "row")
        parts.append(f"{rows} could not be left out, since an effect rests on each of them alone")
    return f"{figures.counted(found.rows, 'row')}: " + "; ".join(parts)


def _off(error: Error) -> str:
    return f"{figures.percent(error.median)} (median; at most {figures.percent(error.largest)})"


def _left_out(model: Effects) -> Iterator[str]:
    """The factors that did not vary in one sentence, each confounded one in its own."""
    still = [it.factor for it in model.left_out if not it.confounded_with]
    if still:
        yield f"not varied: {', '.join(still)}"
    for it in model.left_out:
        if it.confounded_with:
            others = ", ".join(it.confounded_with)
            yield f"{it.factor}: not distinguished from {others}, which changed with it"
