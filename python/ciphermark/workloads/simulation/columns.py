"""The table of simulated processors, on a terminal, in a report and in exports; and their plan on a
terminal.

A line is a function on a target over message sizes.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.contract.others import Metric
from ciphermark.plan.simulation import Simulations
from ciphermark.show import figures
from ciphermark.show.column import Column, Place, count, of_words, printed
from ciphermark.show.tables import Groups, print_groups, print_left_out
from ciphermark.workloads.simulation.comparison import ratio_columns, ratio_lines
from ciphermark.workloads.simulation.remarks import METRICS, failures, remarks, target_title
from ciphermark.workloads.simulation.row import SimulationRow


@dataclass(frozen=True)
class Line:
    """An operation of an implementation on one target, with the key setup that it needs."""

    own: list[SimulationRow]
    setup: list[SimulationRow] = field(default_factory=list)

    @property
    def first(self) -> SimulationRow:
        return self.own[0]

    @property
    def metric(self) -> Metric:
        """What its figures are."""
        assert self.first.metric is not None, "lines are of rows with a figure"
        return self.first.metric

    @property
    def function(self) -> str:
        """`aes-128-ecb table`: the algorithm with its kernel."""
        return f"{self.first.algorithm} {self.first.backend}"

    @property
    def operation(self) -> str:
        """`encrypt`; of a setup that no operation has, `setup for decrypt`."""
        keyed_for = self.first.keyed_for
        return f"{self.first.operation} for {keyed_for}" if keyed_for else self.first.operation

    def at(self, message_bytes: int) -> int | None:
        """The median over seeds; None where nothing was simulated."""
        return middle(row for row in self.own if row.message_bytes == message_bytes)

    def of_setup(self) -> int | None:
        """The median over seeds of the key setup; None where the function has none."""
        return middle(self.setup)

    def most(self, name: str) -> int | None:
        """The most of a field over all calls, the key setup among them."""
        found = (getattr(row, name) for row in [*self.own, *self.setup])
        return max((it for it in found if it is not None), default=None)


def middle(rows: Iterable[SimulationRow]) -> int | None:
    """The median of the figures, one of those that were found."""
    values = [row.value for row in rows if row.value is not None]
    return statistics.median_low(values) if values else None


def lines(rows: Iterable[SimulationRow]) -> list[Line]:
    """A line for each operation that has a figure, in the order of the run."""
    measured = [row for row in rows if row.is_measured]
    return [line for alike in _by_implementation(measured) for line in _lines(alike)]


def sizes(shown: Iterable[Line]) -> list[int]:
    """Of the messages, ascending."""
    found = {row.message_bytes for line in shown for row in line.own}
    return sorted(size for size in found if size is not None)


def weightiest(count: int) -> list[int]:
    """The places of so many sizes, the most telling first: the smallest, the largest, then always
    that which halves the widest gap, so that the first few are spread over all."""
    chosen = [0, count - 1] if count > 1 else [0] * count
    while len(chosen) < count:
        ordered = sorted(chosen)
        gaps = list(zip(ordered, ordered[1:], strict=False))
        low, high = max(gaps, key=lambda gap: gap[1] - gap[0])
        chosen.append((low + high) // 2)
    return chosen


def _by_implementation(rows: Iterable[SimulationRow]) -> Iterable[list[SimulationRow]]:
    grouped: dict[tuple[str, str, str], list[SimulationRow]] = {}
    for row in rows:
        grouped.setdefault((row.target, row.algorithm, row.backend), []).append(row)
    return grouped.values()


def _lines(rows: list[SimulationRow]) -> Iterator[Line]:
    """Setups stand on the lines of the operations that need them, or else on their own."""
    setups: dict[str | None, list[SimulationRow]] = {}
    operations: dict[str, list[SimulationRow]] = {}
    for row in rows:
        if row.operation == "setup":
            setups.setdefault(row.keyed_for, []).append(row)
        else:
            operations.setdefault(row.operation, []).append(row)
    needed = {name: name if name in setups else None for name in operations}
    for keyed_for, own in setups.items():
        if keyed_for not in needed.values():
            yield Line(own, own)
    for name, own in operations.items():
        yield Line(own, setups.get(needed[name], []))


PAGE, EXPORT, TERMINAL = Place.PAGE, Place.EXPORT, Place.TERMINAL

MEMORY = (("code", 1), ("context", 2), ("stack", 3))
"""Columns in bytes, and how soon they make room for others; sizes go before all of them."""

MOST_SIZES = 8
"""Columns of sizes in the report; the exports have all."""


def columns(lines: list[Line]) -> Iterator[Column[Line]]:
    """What a call costs by the size of its message, and the memory that it takes."""
    yield of_words("Target", lambda line: line.first.target, places=PAGE, kind="name")
    yield of_words("Figures", lambda line: METRICS[line.metric], places=PAGE)
    yield of_words(
        "Algorithm",
        lambda line: line.first.algorithm,
        heading="function",
        page_heading="Function",
    )
    yield of_words("Operation", lambda line: line.operation, heading="\n", page_heading="Operation")
    yield of_words(
        "Backend", lambda line: line.first.backend, heading="kernel", page_heading="Kernel"
    )
    call = "cycles or instructions of a call\n"
    yield Column("key setup", Line.of_setup, "key\nsetup", count, page_heading=call + "key setup")
    present = sizes(lines)
    ranks = {place: rank for rank, place in enumerate(weightiest(len(present)))}
    for place, size in enumerate(present):
        on_page = PAGE if ranks[place] < MOST_SIZES else Place(0)
        yield Column(
            figures.message_size(size),
            partial(Line.at, message_bytes=size),
            form=count,
            page_heading=call + figures.message_size(size),
            dispensable=len(MEMORY) + ranks[place] if ranks[place] > 1 else 0,
            called="further sizes",
            places=EXPORT | TERMINAL | on_page,
        )
    if present:
        # The largest is always among those of the report.
        largest = f"at {figures.message_size(present[-1])}\n"
        for head, field in (("per byte", "value_per_byte"), ("µs", "microseconds")):
            yield Column("", _of_call(present[-1], field), largest + head, places=PAGE)
    for name, dispensable in MEMORY:
        yield Column(
            f"{name} bytes",
            partial(Line.most, name=f"{name}_bytes"),
            f"{name}\nbytes",
            count,
            page_heading=f"bytes of\n{name}",
            dispensable=dispensable,
            called=f"bytes of {name}",
        )


def _of_call(message_bytes: int, field: str) -> Callable[[Line], float | None]:
    """Of the call whose figure is shown: the cost of a byte, or the time at the target's clock,
    which instructions lack."""

    def value(line: Line) -> float | None:
        shown = line.at(message_bytes)
        calls = (row for row in line.own if row.message_bytes == message_bytes)
        return next((getattr(row, field) for row in calls if row.value == shown), None)

    return value


def print_plan(console: Console, planned: Simulations) -> None:
    """What would be simulated."""
    count = figures.counted(len(planned.cases), "case")
    targets = figures.counted(len(planned.targets), "target")
    console.print(f"{count} on {targets}: {', '.join(planned.targets)}")
    for note in planned.notes:
        console.print(Text(note, style="dim"))


MEANINGS = (
    "figures are of one call of a kernel in portable C; code is the flash of the algorithm linked "
    "alone, context the memory of a key, stack the bytes that a call needs below its caller"
)


def print_simulations(console: Console, rows: list[SimulationRow]) -> None:
    """A line for each operation, a column for each size, in a group for each target."""
    shown = lines(rows)
    left_out = print_groups(console, printed(columns(shown), shown), _groups(shown))
    ratios = ratio_lines(rows)
    if ratios:
        console.print()
        titled = [("the board, in times the simulation", ratios)]
        print_groups(console, printed(ratio_columns(ratios), ratios), titled)
    _print_failures(console, rows)
    said = list(remarks(rows))
    if any(row.is_measured for row in rows):
        said.insert(0, MEANINGS)
    if said:
        console.print()
    for remark in said:
        console.print(Text(remark[0].upper() + remark[1:] + ".", style="dim"))
    print_left_out(console, left_out)


def _groups(shown: list[Line]) -> Groups[Line]:
    """By target, with the kind of its figures."""
    grouped: dict[str, list[Line]] = {}
    for line in shown:
        grouped.setdefault(target_title(line.first), []).append(line)
    return list(grouped.items())


def _print_failures(console: Console, rows: list[SimulationRow]) -> None:
    """Each reason once, with what it is about."""
    found = failures(rows)
    if not found:
        return
    console.print()
    cases = figures.counted(sum(it.cases for it in found), "case")
    console.print(Text(f"{cases} without a figure", style="yellow"))
    for it in found:
        console.print(Padding(Text(f"{it.what}: {it.why}"), (0, 0, 0, 2)))
