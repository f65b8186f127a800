"""The errors of both models on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.answers.models.backtest import Distribution
from ciphermark.answers.models.backtests import Backtests, Compared
from ciphermark.answers.models.first_measured import Step
from ciphermark.show import figures
from ciphermark.show.fitting import Column, Groups, print_groups, print_left_out

NOTHING = "–"
TITLES = {
    "all": "Left out, and predicted from the rest",
    "metric": "Each processor left out: by metric",
    "processor": "by processor",
    "function": "by function",
}


def print_backtests(console: Console, found: Backtests) -> None:
    """Prints the errors of both models, and what measuring a few functions is worth."""
    console.print(Text(f"Relative errors of predictions, {found.source}"))
    console.print()
    print_left_out(console, print_groups(console, list(_columns()), _groups(found)))
    console.print()
    console.print(
        Text("With calls of the new processor itself (model of operations)", style="bold")
    )
    print_left_out(console, print_groups(console, list(_steps()), [("", found.steps)]))
    console.print()
    for note in [*NOTES, *found.notes]:
        console.print(Padding(Text(note, style="dim"), (0, 0, 0, 2)))


NOTES = (
    "a function counts once on each processor, however many sizes it has",
    "the reference processor rv32i is not predicted: counts of operations are its own",
    "an algorithm that is left out is known from rv32i alone, to both models",
)


def first_measured(step: Step) -> str:
    """The call to measure: `aes-128-ecb decrypt, 64 B`."""
    if step.algorithm is None:
        return NOTHING
    size = "" if step.message_bytes is None else f", {figures.message_size(step.message_bytes)}"
    return f"{step.algorithm} {step.operation}{size}"


def _groups(found: Backtests) -> Groups[Compared]:
    return [
        (title, [it for it in found.compared if it.part == part]) for part, title in TITLES.items()
    ]


def _columns() -> Iterator[Column[Compared]]:
    yield Column("", lambda it: Text(it.of or it.left_out), left=True)
    yield from _distribution("paper's\n", lambda it: it.paper, 1)
    yield from _distribution("operations\n", lambda it: it.operations, 0)
    yield Column("held by\ninterval", lambda it: Text(figures.percent(it.covered)), 5)
    yield Column("calls", lambda it: Text(str(it.operations.calls)), 6)


def _distribution(
    name: str, chosen: Callable[[Compared], Distribution], dispensable: int
) -> Iterator[Column[Compared]]:
    """The columns of one model."""

    def cell(field: str) -> Callable[[Compared], Text]:
        return lambda it: Text(figures.percent(getattr(chosen(it), field)))

    model = name.strip()
    yield Column(f"{name}median", cell("median"))
    yield Column("75 %", cell("three_quarters"), 3 + dispensable, f"75 % ({model})")
    yield Column("90 %", cell("nine_tenths"), 2 + dispensable, f"90 % ({model})")
    yield Column("worst", cell("worst"), 4 + dispensable, f"worst ({model})")


def _steps() -> Iterator[Column[Step]]:
    yield Column("known calls", lambda it: Text(str(it.measured)))
    yield Column("measure", lambda it: Text(first_measured(it)), left=True)
    yield Column("median error", lambda it: Text(figures.percent(it.median_error)))
    yield Column("90 %", lambda it: Text(figures.percent(it.nine_tenths)), 1)
    yield Column("calls at random", lambda it: Text(figures.percent(it.at_random)), 2)
