"""Kernels on simulated processors, on a terminal: the plan and the table."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.analyse.simulation_row import SimulationRow
from ciphermark.plan.simulation import Simulations
from ciphermark.show import figures, simulation_words
from ciphermark.show.fitting import Column, Groups, print_groups, print_left_out
from ciphermark.show.simulation_lines import Line, lines, sizes, weightiest

MEMORY = (("code", 1), ("context", 2), ("stack", 3))
"""Columns in bytes, and how soon they make room for others; sizes go before all of them."""


def print_plan(console: Console, planned: Simulations) -> None:
    """What would be simulated."""
    count = figures.counted(len(planned.cases), "case")
    targets = figures.counted(len(planned.targets), "target")
    console.print(f"{count} on {targets}: {', '.join(planned.targets)}")
    for note in planned.notes:
        console.print(Text(note, style="dim"))


def print_simulations(console: Console, rows: list[SimulationRow]) -> None:
    """A line for each operation, a column for each size, in a group for each target."""
    shown = lines(rows)
    left_out = print_groups(console, _columns(shown), _groups(shown))
    _print_failures(console, rows)
    if remarks := list(simulation_words.remarks(rows)):
        console.print()
    for remark in remarks:
        console.print(Text(remark[0].upper() + remark[1:] + ".", style="dim"))
    print_left_out(console, left_out)


def _groups(shown: list[Line]) -> Groups[Line]:
    """By target, with the kind of its figures."""
    grouped: dict[str, list[Line]] = {}
    for line in shown:
        grouped.setdefault(simulation_words.target_title(line.first), []).append(line)
    return list(grouped.items())


def _columns(shown: list[Line]) -> list[Column[Line]]:
    columns = [
        Column("\nfunction", lambda line: Text(line.first.algorithm), left=True),
        Column("\n", lambda line: Text(line.operation), left=True),
    ]
    if len({line.first.backend for line in shown}) > 1:
        columns.append(Column("\nbackend", lambda line: Text(line.first.backend), left=True))
    if any(line.setup for line in shown):
        columns.append(Column("key\nsetup", lambda line: _figure(line.of_setup())))
    measured = sizes(shown)
    for size, dispensable in zip(measured, _dispensable(len(measured)), strict=True):
        heading = f"\n{figures.message_size(size)}"
        columns.append(Column(heading, _at(size), dispensable, "further sizes"))
    for name, dispensable in MEMORY:
        called = f"bytes of {name}"
        columns.append(Column(f"{name}\nbytes", _most(f"{name}_bytes"), dispensable, called))
    return columns


def _dispensable(count: int) -> list[int]:
    """How soon each of so many sizes makes room; the smallest and the largest never."""
    goes = {place: len(MEMORY) + rank for rank, place in enumerate(weightiest(count)) if rank > 1}
    return [goes.get(place, 0) for place in range(count)]


def _at(size: int) -> Callable[[Line], Text]:
    return lambda line: _figure(line.at(size))


def _most(field: str) -> Callable[[Line], Text]:
    return lambda line: _figure(line.most(field))


def _figure(value: int | None) -> Text:
    return Text("" if value is None else figures.grouped(value))


def _print_failures(console: Console, rows: list[SimulationRow]) -> None:
    """Each reason once, with what it is about."""
    found = simulation_words.failures(rows)
    if not found:
        return
    console.print()
    cases = figures.counted(sum(it.cases for it in found), "case")
    console.print(Text(f"{cases} without a figure", style="yellow"))
    for it in found:
        console.print(Padding(Text(f"{it.what}: {it.why}"), (0, 0, 0, 2)))
