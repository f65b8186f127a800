"""Kernels on simulated processors, on a terminal: the plan and the table."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.plan.simulation import Simulations
from ciphermark.show import figures
from ciphermark.show.column import printed
from ciphermark.show.fitting import Groups, print_groups, print_left_out
from ciphermark.workloads.simulation.columns import Line, columns, lines
from ciphermark.workloads.simulation.remarks import failures, remarks, target_title
from ciphermark.workloads.simulation.row import SimulationRow


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
    left_out = print_groups(console, printed(columns(shown), shown), _groups(shown))
    _print_failures(console, rows)
    said = list(remarks(rows))
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
