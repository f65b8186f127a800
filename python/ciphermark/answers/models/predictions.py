"""Predictions for a processor, from what is known of others and, if anything is, of itself.

What is known of itself may be in a CSV file of the user's own, with the columns `algorithm`,
`operation`, `message_bytes` (empty for key setup), and either `cycles` or `microseconds`;
`processor` where they are not all of the one that is asked for.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.text import Text

from ciphermark.answers.models.backtests import Backtests, Compared, Distribution, Step, steps
from ciphermark.answers.models.new_function import NewFunction, OnProcessor
from ciphermark.answers.models.observations import Key, Observation, Observed
from ciphermark.answers.models.operation_model import OperationModel
from ciphermark.answers.models.processors import Basis, KnownProcessor, Prediction, core_of
from ciphermark.errors import UsageError
from ciphermark.files import reading
from ciphermark.plan import names, quantities
from ciphermark.show import figures
from ciphermark.show.frame import print_sentences
from ciphermark.show.tables import Column, Groups, print_groups, print_left_out
from ciphermark.workloads.latency import latency

MOST_BYTES = 2**20
"""Of the file: a line has some forty."""

_COLUMNS = ("algorithm", "operation", "message_bytes")


def read_figures(
    path: Path, processors: Mapping[str, KnownProcessor], usual: str | None
) -> list[Observation]:
    """The figures, of these processors; `usual` is meant where there is no column for it."""
    try:
        text = reading.text(path, f"--known {path}", MOST_BYTES)
        lines = list(csv.DictReader(io.StringIO(text, newline=""), restval=""))
    except csv.Error as error:
        raise UsageError(f"--known {path} cannot be read: {error}") from None
    if not lines:
        raise UsageError(f"--known {path} has no figures: write a line for each call")
    _check_columns(path, lines[0], usual)
    return [
        _observation(f"--known {path} line {number}", line, processors, usual)
        for number, line in enumerate(lines, start=2)
    ]


def _check_columns(path: Path, line: Mapping[str, str], usual: str | None) -> None:
    wanted = [*_COLUMNS, *(["processor"] if usual is None else [])]
    missing = [it for it in wanted if it not in line]
    if not {"cycles", "microseconds"} & line.keys():
        missing.append("cycles (or microseconds)")
    if missing:
        raise UsageError(f"--known {path} lacks the column {', '.join(missing)} in its first line")


def _observation(
    place: str,
    line: Mapping[str, str],
    processors: Mapping[str, KnownProcessor],
    usual: str | None,
) -> Observation:
    name = line.get("processor") or usual or ""
    if name not in processors:
        raise UsageError(f"{place}: no processor {name}: known are {', '.join(processors)}")
    processor = processors[name].processor
    if line.get("cycles"):
        cycles = _positive(place, "cycles", line["cycles"])
    else:
        micros = _positive(place, "microseconds", line.get("microseconds") or "")
        cycles = micros * processor.clock_mhz
    size = line["message_bytes"]
    message_bytes = quantities.whole_number(size or "")
    if size and message_bytes is None:
        raise UsageError(f"{place}: message_bytes {size!r} is no number of bytes: write 64")
    return Observation(
        processor=name,
        algorithm=line["algorithm"],
        operation=line["operation"],
        message_bytes=message_bytes,
        cycles=cycles,
        metric=processor.metric,
    )


def _positive(place: str, column: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise UsageError(f"{place}: {column} {text!r} is no number above 0: write 1234")
    return value


def with_operations(
    operations: Mapping[Key, Mapping[str, int]],
    figures: Iterable[Observation],
) -> list[Observation]:
    """The figures with the operations of their calls. Raises `UsageError` for calls without."""
    found = []
    for it in figures:
        if it.key not in operations:
            size = "key setup" if it.message_bytes is None else f"{it.message_bytes} bytes"
            raise UsageError(
                f"the operations of {it.algorithm} {it.operation} ({size}) have not been counted: "
                "simulate that size on rv32i, or leave it out of --known"
            )
        found.append(msgspec.structs.replace(it, operations=dict(operations[it.key])))
    return found


USUAL_BYTES = 64
"""Of the sizes of a function, the one nearest to this is predicted unless others are asked for."""


class Wanted(msgspec.Struct, kw_only=True):
    """What is to be predicted; of nothing that is said, everything."""

    algorithm: str | None = None
    operation: str | None = None
    sizes: list[int] | None = None


class Predicted(msgspec.Struct, kw_only=True):
    """What a call is thought to cost."""

    algorithm: str
    operation: str
    message_bytes: int | None
    cycles: float
    """Instructions, where the processor's metric is that."""
    low: float
    high: float
    microseconds: float | None
    """None where instructions are predicted."""
    basis: Basis


class Predictions(msgspec.Struct, kw_only=True):
    """The answer for one processor."""

    target: str
    title: str
    clock_mhz: float
    metric: str
    predictions: list[Predicted]
    nearest: list[str]
    outside: str | None
    known: int
    """Calls of the processor itself that were taken into account."""
    steps: list[Step]
    """What the back-test says of so many known calls, and which to measure first."""
    notes: list[str]


def predictions(
    observed: Observed, target: KnownProcessor, figures: Sequence[Observation], wanted: Wanted
) -> Predictions:
    """All that is wanted. Raises `UsageError` for functions and sizes without counts."""
    others = OperationModel(observed)
    model = OperationModel(_with(observed, target, figures)) if figures else others
    keys = _keys(model, wanted)
    own = {it.key: it.cycles for it in [*_of_core(observed, target), *figures]}
    answers = [model.predict(target, *key) for key in keys]
    return Predictions(
        target=target.name,
        title=target.title,
        clock_mhz=target.processor.clock_mhz,
        metric=target.processor.metric,
        predictions=[
            _predicted(target, key, answer, own.get(key))
            for key, answer in zip(keys, answers, strict=True)
        ],
        nearest=answers[0].nearest,
        outside=others.outside(target),
        known=len(own),
        steps=steps(others),
        notes=observed.notes,
    )


def _of_core(observed: Observed, target: KnownProcessor) -> list[Observation]:
    """What is known of processors that take the same cycles as the target."""
    core = core_of(target.processor)
    alike = [name for name, it in observed.processors.items() if core_of(it.processor) == core]
    return observed.of(alike).observations


def _with(observed: Observed, target: KnownProcessor, figures: Sequence[Observation]) -> Observed:
    """The observations with the figures of the target, if there are any."""
    if not figures:
        return observed
    return msgspec.structs.replace(
        observed,
        processors=observed.processors | {target.name: target},
        observations=[*observed.observations, *figures],
    )


def _keys(model: OperationModel, wanted: Wanted) -> list[Key]:
    """The calls that are meant, in their order."""
    functions: dict[tuple[str, str], list[int | None]] = {}
    for algorithm, operation, size in model.operations:
        if wanted.algorithm in (None, algorithm) and wanted.operation in (None, operation):
            functions.setdefault((algorithm, operation), []).append(size)
    if not functions:
        raise UsageError(_not_counted(model, wanted))
    keys: list[Key] = []
    for function, sizes in functions.items():
        keys += [(*function, size) for size in _sizes(function, sizes, wanted)]
    return keys


def _not_counted(model: OperationModel, wanted: Wanted) -> str:
    """Why nothing is known of what is wanted: it is no name of ours, or was never simulated."""
    counted = {algorithm for algorithm, _, _ in model.operations}
    if wanted.algorithm is not None and wanted.algorithm not in counted:
        listing = "ciphermark list algorithms; one without counts, simulate it on rv32i"
        return names.unknown(
            wanted.algorithm, counted, "algorithm with counted operations", listing
        )
    operations = sorted(
        {it for algorithm, it, _ in model.operations if wanted.algorithm in (None, algorithm)}
    )
    of_algorithm = f" of {wanted.algorithm}" if wanted.algorithm else ""
    return (
        f"there is no counted operation {wanted.operation!r}{of_algorithm}: write one of "
        f"{', '.join(operations)}"
    )


def _sizes(
    function: tuple[str, str], counted: Sequence[int | None], wanted: Wanted
) -> list[int | None]:
    sizes = sorted(it for it in counted if it is not None)
    if not sizes:
        return [None]
    if wanted.sizes is None:
        return [min(sizes, key=lambda it: abs(it - USUAL_BYTES))]
    missing = [size for size in wanted.sizes if size not in sizes]
    if missing and wanted.algorithm is not None:
        raise UsageError(
            f"the operations of {' '.join(function)} have not been counted for {missing[0]} bytes: "
            f"take one of {', '.join(map(str, sizes))}, or simulate it on rv32i"
        )
    return [size for size in wanted.sizes if size in sizes]


def _predicted(
    target: KnownProcessor, key: Key, answer: Prediction, measured: float | None
) -> Predicted:
    assert answer.cycles is not None and answer.low is not None and answer.high is not None
    cycles = answer.cycles if measured is None else measured
    in_cycles = target.processor.metric != "instructions"
    return Predicted(
        algorithm=key[0],
        operation=key[1],
        message_bytes=key[2],
        cycles=cycles,
        low=answer.low if measured is None else measured,
        high=answer.high if measured is None else measured,
        microseconds=cycles / target.processor.clock_mhz if in_cycles else None,
        basis=answer.basis if measured is None else "measured",
    )


NOTHING = "–"
TITLES = {
    "all": "Left out, and predicted from the rest",
    "metric": "Each processor left out: by metric",
    "processor": "by processor",
    "function": "by function, the largest errors first",
}


def print_backtests(console: Console, found: Backtests) -> None:
    """Prints the verdict, the errors of both models, and the worth of measuring some functions."""
    if conclusion := _verdict(found):
        console.print(Text(conclusion, style="bold"))
    console.print(Text(f"Relative errors of predictions, {found.source}"))
    console.print()
    groups, more = _groups(found)
    print_left_out(console, print_groups(console, list(_error_columns()), groups))
    if more:
        functions = figures.counted(more, "function")
        console.print(Text(f"{functions} with smaller errors: --json", style="dim"))
    console.print()
    console.print(
        Text("With calls of the new processor itself (model of operations)", style="bold")
    )
    print_left_out(console, print_groups(console, list(_steps()), [("", found.steps)]))
    console.print()
    print_sentences(console, [*NOTES, *found.notes], "dim")


NOTES = (
    "each function counts once on each processor, however many sizes it has",
    "the reference processor rv32i is not predicted: the counts of operations are from it",
    "both models know an algorithm that is left out from rv32i alone",
)


def first_measured(step: Step) -> str:
    """The call to measure: `aes-128-ecb decrypt, 64 B`."""
    if step.algorithm is None:
        return NOTHING
    size = "" if step.message_bytes is None else f", {figures.message_size(step.message_bytes)}"
    return f"{step.algorithm} {step.operation}{size}"


MOST_FUNCTIONS = 8
"""Functions that have a line, those with the largest errors."""


def _verdict(found: Backtests) -> str:
    """How wrong the better model is for a processor and an algorithm that it has not seen."""
    whole = [it for it in found.compared if it.part == "all"]
    told = [
        f"{it.left_out}: median error {figures.percent(it.operations.median)} by the model of "
        f"operations, {figures.percent(it.paper.median)} by the paper's"
        for it in whole
        if it.left_out in ("processor", "algorithm")
    ]
    return f"For a new {'; a new '.join(told)}." if told else ""


def _groups(found: Backtests) -> tuple[Groups[Compared], int]:
    """All but the functions with the smallest errors, and how many these are."""
    parts = {part: [it for it in found.compared if it.part == part] for part in TITLES}
    functions = parts["function"]
    functions.sort(key=lambda it: -it.operations.median)
    parts["function"] = functions[:MOST_FUNCTIONS]
    return (
        [(title, parts[part]) for part, title in TITLES.items()],
        len(functions) - len(parts["function"]),
    )


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
    """Prints how far to trust the answer, and a line for each call."""
    clock = f"{figures.significant(found.clock_mhz)} MHz"
    console.print(Text(_answer(found), style="bold"))
    console.print(Text(f"{found.title}, {clock}: {_unit(found.metric)} of a call"))
    console.print()
    columns = list(_call_columns(found.metric))
    print_left_out(console, print_groups(console, columns, [("", found.predictions)]))
    console.print()
    print_sentences(console, _trust(found))
    print_sentences(console, found.notes, "dim")


def _answer(found: Predictions) -> str:
    """One call with its interval; of several how many, and how wrong such predictions are."""
    modelled = [it for it in found.predictions if it.basis != "measured"]
    if len(found.predictions) == 1:
        it = found.predictions[0]
        size = "" if it.message_bytes is None else f", {figures.message_size(it.message_bytes)}"
        cost = f"{figures.significant(it.cycles)} {_unit(found.metric)}"
        interval = _interval(it.low, it.high)
        how = "known already" if it.basis == "measured" else f"95 % interval {interval}"
        time = "" if it.microseconds is None else f", {_time(it.microseconds)}"
        return f"{it.algorithm} {it.operation}{size}: {cost}{time} ({how})"
    known = len(found.predictions) - len(modelled)
    beside = f", {known} known already" if known else ""
    step = min(found.known, len(found.steps) - 1)
    error = figures.percent(found.steps[step].median_error) if found.steps else "unknown"
    calls = figures.counted(len(modelled), "call")
    return f"{calls} predicted{beside}; median error of such predictions: {error}"


def print_new_function(console: Console, found: NewFunction) -> None:
    """Prints a line for each processor, and on which to measure first."""
    size = "" if found.message_bytes is None else f", {figures.message_size(found.message_bytes)}"
    console.print(Text(f"{found.algorithm} {found.operation}{size}"))
    console.print()
    columns = list(_on_processor())
    print_left_out(console, print_groups(console, columns, [("", found.processors)]))
    console.print()
    told = [
        f"{reference.processor} ({figures.percent(reference.median_error)})"
        for reference in found.references
    ]
    sentence = f"measure a new function first on: {', then '.join(told)}; median error after each"
    print_sentences(console, [sentence])
    print_sentences(console, found.notes, "dim")


def _trust(found: Predictions) -> Iterator[str]:
    yield f"nearest known processors: {', '.join(found.nearest)}"
    if found.outside is not None:
        yield f"outside the range of known processors: {found.outside}"
    errors = ", ".join(figures.percent(step.median_error) for step in found.steps)
    yield (
        f"median error of such predictions with 0 to {len(found.steps) - 1} known calls of the "
        f"processor itself, by back-test: {errors}"
    )
    if found.known == 0 and len(found.steps) > 1:
        yield (
            f"measure first: {first_measured(found.steps[1])}, then give the figures with --known"
        )
    elif found.known:
        known = figures.counted(found.known, "known call")
        yield f"{known} of the processor itself taken into account"


def _call_columns(metric: str) -> Iterator[Column[Predicted]]:
    yield Column("", lambda it: Text(f"{it.algorithm} {it.operation}"), left=True)
    yield Column("size", lambda it: Text(_size(it.message_bytes)))
    yield Column(_unit(metric), lambda it: Text(figures.significant(it.cycles)))
    yield Column("95 % interval", lambda it: Text(_interval(it.low, it.high)))
    yield Column("time", lambda it: Text(_time(it.microseconds)), 1)
    yield Column("from", lambda it: Text("own figure" if it.basis == "measured" else "model"), 2)


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
