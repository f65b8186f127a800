"""What is said of kernels that were compiled in several ways: titles, the gain in a sentence."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from ciphermark.show import figures
from ciphermark.workloads.simulation.remarks import METRICS
from ciphermark.workloads.tuning.row import TuningRow

ALIKE = 0.005
"""A size or a speed that differs by less is called the same."""

TIMES = 1.5
"""From where on a size is so many times the other."""


class Gain(msgspec.Struct, kw_only=True):
    """What is best of a kernel on a target, beside the default flags."""

    target: str
    machine: str
    algorithm: str
    backend: str
    operation: str
    message_bytes: int | None
    variant: str
    flags: str
    sentence: str


@dataclass
class Group:
    """A kernel on a target: the same call in all variants."""

    rows: list[TuningRow] = field(default_factory=list)

    @property
    def first(self) -> TuningRow:
        return self.rows[0]

    @property
    def measured(self) -> list[TuningRow]:
        return [row for row in self.rows if row.is_measured]

    @property
    def unshippable(self) -> list[TuningRow]:
        """What nothing that can be shipped beats."""
        measured = self.measured
        return [row for row in measured if not row.shippable and row.dominated_by is None]

    @property
    def default(self) -> TuningRow | None:
        return next((row for row in self.measured if row.is_default), None)

    @property
    def title(self) -> str:
        """`md5 reference, digest of 1 KiB on atmega128, cycles (simulated)`."""
        row = self.first
        size = "" if row.message_bytes is None else f" of {figures.message_size(row.message_bytes)}"
        where = row.machine if row.machine else row.target
        metric = next((it.metric for it in self.rows if it.metric), None)
        what = f"{row.algorithm} {row.backend}, {row.operation}{size} on {where}"
        return f"{what}, {METRICS[metric]}" if metric else what

    def best(self, objective: str) -> TuningRow | None:
        """The best for it that runs everywhere; of those that cannot be distinguished in speed the
        smallest."""
        members = [row for row in self.measured if row.on_front]
        if not members:
            return None
        best = min(members, key=lambda row: order(row, objective))
        by_name = {row.variant: row for row in members}
        while objective == "speed" and best.within_error_of in by_name:
            best = by_name[best.within_error_of]
        return best

    def alike(self, row: TuningRow) -> list[TuningRow]:
        """Others with the very same figures."""
        return [it for it in self.measured if it is not row and _figures(it) == _figures(row)]


def order(row: TuningRow, objective: str) -> tuple[float, ...]:
    """Sorts rows, the best for an objective first, the default first among equals."""
    costs = {"speed": row.value, "size": row.code_bytes, "stack": row.stack_bytes}
    first = costs.pop(objective)
    known = (math.inf if it is None else float(it) for it in (first, *costs.values()))
    return (*known, not row.is_default)


def groups(rows: Iterable[TuningRow]) -> list[Group]:
    """In their order."""
    found: dict[tuple[object, ...], Group] = {}
    for row in rows:
        found.setdefault(row.group, Group()).rows.append(row)
    return [*found.values()]


def sentences(rows: Iterable[TuningRow], objective: str) -> list[Gain]:
    """The best of each group that has figures, and its gain in words."""
    found = []
    for group in groups(rows):
        if best := group.best(objective):
            named = ("target", "machine", "algorithm", "backend", "operation", "message_bytes")
            of_best = {name: getattr(best, name) for name in (*named, "variant", "flags")}
            said = sentence(group, best, objective)
            if objective == "speed":
                said += native(group, best)
            found.append(Gain(**of_best, sentence=said))
    return found


def sentence(group: Group, best: TuningRow, objective: str) -> str:
    """`gcc-12 -O3 is 12 % faster than the default and 1.9 times as large.`"""
    default = group.default
    if default is None:
        return f"{called(best)} is best for {objective}; the default flags have no figure."
    tried = len(group.rows) - 1
    if best is default or _figures(best) == _figures(default):
        return f"None of {figures.counted(tried, 'variant')} beats the default for {objective}."
    if objective == "speed" and best.verdict == "same":
        what = f"None of {figures.counted(tried, 'variant')} is faster than the default beyond the"
        return f"{what} error; {called(best)} is {_size(best.code_ratio, 'large')}."
    text = f"{called(best)} is {speed(best)} and {_size(best.code_ratio, 'large')}"
    if stack := _stack(best, default):
        text += f", with {stack}"
    return f"{text}."


def native(group: Group, best: TuningRow) -> str:
    """What a build for this processor alone gains; empty where that is nothing."""
    others = [row for row in group.unshippable if row.verdict == "faster"]
    quickest = min(others, key=lambda row: order(row, "speed"), default=None)
    if quickest is None or (quickest.ratio_high or 1) >= (best.ratio_low or 1):
        return ""
    return (
        f" For processors like this one alone, {called(quickest)} is {speed(quickest)} and "
        f"{_size(quickest.code_ratio, 'large')}."
    )


def called(row: TuningRow) -> str:
    """`gcc-12 -O3`."""
    return f"{row.compiler} {'default' if row.is_default else row.flags}"


def speed(row: TuningRow) -> str:
    """Beside the default, with the interval where there is one. Speed is one by cost."""
    if row.verdict in ("unknown", "default"):
        return "of unknown speed beside the default"
    if not row.ratio or not row.ratio_low or not row.ratio_high:
        return "of unknown speed beside the default"
    value = 1 / row.ratio
    ends = sorted((1 / row.ratio_low, 1 / row.ratio_high))
    farthest = max(abs(end - 1) for end in ends)
    if row.verdict == "same":
        if ends[0] == ends[1]:
            return "as fast as the default"
        return f"as fast as the default (to {figures.percent(farthest, 1)})"
    if farthest < ALIKE:
        return f"as fast as the default (to {figures.percent(abs(value - 1), 1)})"
    if value >= TIMES:
        return f"{figures.significant(value, 2)} times as fast as the default"
    low, high = sorted(figures.significant(100 * abs(end - 1), 2) for end in ends)
    interval = f" ({low} to {high})" if low != high else ""
    return f"{figures.percent(abs(value - 1))}{interval} {row.verdict} than the default"


def _size(ratio: float | None, large: str) -> str:
    if ratio is None:
        return "of unknown size"
    if abs(ratio - 1) < ALIKE:
        return f"as {large}"
    if ratio >= TIMES:
        return f"{figures.significant(ratio, 2)} times as {large}"
    return f"{figures.percent(abs(ratio - 1))} {'larger' if ratio > 1 else 'smaller'}"


def _stack(row: TuningRow, default: TuningRow) -> str:
    if row.stack_bytes is None or default.stack_bytes is None:
        return ""
    more = row.stack_bytes - default.stack_bytes
    if more == 0:
        return ""
    noun = "byte" if abs(more) == 1 else "bytes"
    return f"{figures.grouped(abs(more))} {noun} {'more' if more > 0 else 'less'} of stack"


def _figures(row: TuningRow) -> tuple[object, ...]:
    return row.value, row.code_bytes, row.stack_bytes
