"""Predictions and the errors of the models that make them, on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.console import Console
from rich.text import Text

from ciphermark.answers.models.backtests import Backtests, Compared, Distribution, Step
from ciphermark.answers.models.new_function import NewFunction, OnProcessor
from ciphermark.answers.models.predictions import Predicted, Predictions
from ciphermark.show import figures
from ciphermark.show.frame import print_sentences
from ciphermark.show.tables import Column, Groups, print_groups, print_left_out
from ciphermark.workloads.latency import latency

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
    print_left_out(console, print_groups(console, list(_error_columns()), _groups(found)))
    console.print()
    console.print(
        Text("With calls of the new processor itself (model of operations)", style="bold")
    )
    print_left_out(console, print_groups(console, list(_steps()), [("", found.steps)]))
    console.print()
    print_sentences(console, [*NOTES, *found.notes], "dim")


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


def _error_columns() -> Iterator[Column[Compared]]:
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


NOTHING = "–"


def print_predictions(console: Console, found: Predictions) -> None:
    """Prints a line for each call, and how far to trust it."""
    clock = f"{figures.significant(found.clock_mhz)} MHz"
    console.print(Text(f"{found.title}, {clock}: {_unit(found.metric)} of a call"))
    console.print()
    columns = list(_call_columns(found.metric))
    print_left_out(console, print_groups(console, columns, [("", found.predictions)]))
    console.print()
    print_sentences(console, _trust(found))
    print_sentences(console, found.notes, "dim")


def print_new_function(console: Console, found: NewFunction) -> None:
    """Prints a line for each processor, and on which to measure first."""
    size = "" if found.message_bytes is None else f", {figures.message_size(found.message_bytes)}"
    console.print(Text(f"{found.algorithm} {found.operation}{size}"))
    console.print()
    columns = list(_on_processor())
    print_left_out(console, print_groups(console, columns, [("", found.processors)]))
    console.print()
    told = [f"{it.processor} ({figures.percent(it.median_error)})" for it in found.references]
    sentence = f"measure a new function first on: {', then '.join(told)}; median error after each"
    print_sentences(console, [sentence])
    print_sentences(console, found.notes, "dim")


def _trust(found: Predictions) -> Iterator[str]:
    yield f"nearest known processors: {', '.join(found.nearest)}"
    if found.outside is not None:
        yield f"outside what is known: {found.outside}"
    errors = ", ".join(figures.percent(it.median_error) for it in found.steps)
    yield (
        f"median error of such predictions with 0 to {len(found.steps) - 1} known calls of the "
        f"processor itself, by back-test: {errors}"
    )
    if found.known == 0 and len(found.steps) > 1:
        yield f"measure first: {first_measured(found.steps[1])}, then give it with --known"
    elif found.known:
        known = figures.counted(found.known, "known call")
        yield f"{known} of the processor itself taken into account"


def _call_columns(metric: str) -> Iterator[Column[Predicted]]:
    yield Column("", lambda it: Text(f"{it.algorithm} {it.operation}"), left=True)
    yield Column("size", lambda it: Text(_size(it.message_bytes)))
    yield Column(_unit(metric), lambda it: Text(figures.significant(it.cycles)))
    yield Column("95 % interval", lambda it: Text(_interval(it.low, it.high)))
    yield Column("time", lambda it: Text(_time(it.microseconds)), 1)
    yield Column("from", lambda it: Text("measured" if it.basis == "measured" else "model"), 2)


def _on_processor() -> Iterator[Column[OnProcessor]]:
    yield Column("", lambda it: Text(it.processor), left=True)
    yield Column("cycles or\ninstructions", lambda it: Text(figures.significant(it.cycles)))
    yield Column("95 % interval", lambda it: Text(_interval(it.low, it.high)))
    yield Column("time", lambda it: Text(_time(it.microseconds)), 1)
    yield Column("metric", lambda it: Text(it.metric), 2, left=True)
    yield Column("from", lambda it: Text("known" if it.is_known else "model"), 3)


def _unit(metric: str) -> str:
    return "instructions" if metric == "instructions" else "cycles"


def _size(message_bytes: int | None) -> str:
    return NOTHING if message_bytes is None else figures.message_size(message_bytes)


def _interval(low: float, high: float) -> str:
    return NOTHING if low == high else f"{figures.significant(low)} to {figures.significant(high)}"


def _time(microseconds: float | None) -> str:
    return NOTHING if microseconds is None else latency(1e3 * microseconds)
