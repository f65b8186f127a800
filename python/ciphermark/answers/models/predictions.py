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
from typing import Any

import msgspec

from ciphermark.answers.models.backtests import Backtests, Compared, Distribution, Step, steps
from ciphermark.answers.models.new_function import NewFunction, OnProcessor
from ciphermark.answers.models.observations import Key, Observation, Observed
from ciphermark.answers.models.operation_model import OperationModel
from ciphermark.answers.models.processors import Basis, KnownProcessor, Prediction, core_of
from ciphermark.errors import UsageError
from ciphermark.files import reading
from ciphermark.plan import names, quantities
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Headline, Notes, Section, Table
from ciphermark.view.column import Cell, Column, of_text, of_words
from ciphermark.workloads.flows import latency

MOST_BYTES = 2**20
"""Of the file: a line has some forty."""

_COLUMNS = ("algorithm", "operation", "message_bytes")


def read_figures(
    path: Path, processors: Mapping[str, KnownProcessor], usual: str | None
) -> list[Observation]:
    """Reads figures of these processors; `usual` counts without a column for it."""
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
    """Adds the operations of their calls to figures. Raises `UsageError` for calls without."""
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
    """Predicts all wanted calls. Raises `UsageError` for functions and sizes without counts."""
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
    """Returns the observations of processors with the same core as the target."""
    core = core_of(target.processor)
    alike = [name for name, it in observed.processors.items() if core_of(it.processor) == core]
    return observed.of(alike).observations


def _with(observed: Observed, target: KnownProcessor, figures: Sequence[Observation]) -> Observed:
    """Returns the observations with the figures of the target, if there are any."""
    if not figures:
        return observed
    return msgspec.structs.replace(
        observed,
        processors=observed.processors | {target.name: target},
        observations=[*observed.observations, *figures],
    )


def _keys(model: OperationModel, wanted: Wanted) -> list[Key]:
    """Returns the wanted calls, in their order."""
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
    """Returns why the wanted calls are unknown: a wrong name, or never simulated."""
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


TITLES = {
    "all": "Left out, and predicted from the rest",
    "metric": "Each processor left out: by metric",
    "processor": "by processor",
    "function": "by function, the largest errors first",
}
"""Sections of the back-test's table, in their order."""

NOTES = (
    "each function counts once on each processor, however many sizes it has",
    "the reference processor rv32i is not predicted: the counts of operations are from it",
    "both models know an algorithm that is left out from rv32i alone",
)

MOST_FUNCTIONS = 8
"""Functions that have a line, those with the largest errors."""


def backtest_blocks(found: Backtests) -> Iterator[Block]:
    """Yields the verdict, the errors of both models, and the worth of measuring some functions."""
    yield Headline(text=_verdict(found))
    yield Notes.of([f"Relative errors of predictions, {found.source}"])
    parts = {part: [it for it in found.compared if it.part == part] for part in TITLES}
    parts["function"].sort(key=lambda it: -it.operations.median)
    more = len(parts["function"]) - MOST_FUNCTIONS
    parts["function"] = parts["function"][:MOST_FUNCTIONS]
    yield Table(
        columns=ERRORS,
        rows=[row for rows in parts.values() for row in rows],
        section=lambda row: TITLES[row.part],
    )
    if more > 0:
        functions = figures.counted(more, "function")
        yield Notes.of([f"{functions} with smaller errors: --json"], style="dim")
    yield Section(
        title="With calls of the new processor itself (model of operations)",
        blocks=[Table(columns=STEPS, rows=found.steps)],
    )
    yield Notes.of([*NOTES, *found.notes], style="dim")


def _verdict(found: Backtests) -> str:
    """Returns the errors of both models for a new processor and a new algorithm."""
    errors = [
        f"{it.left_out}: median error {figures.percent(it.operations.median)} by the model of "
        f"operations, {figures.percent(it.paper.median)} by the paper's"
        for it in found.compared
        if it.part == "all" and it.left_out in ("processor", "algorithm")
    ]
    return f"For a new {'; a new '.join(errors)}." if errors else ""


def _errors_of(
    model: str, of_model: Callable[[Compared], Distribution], dispensable: int
) -> Iterator[Column[Compared]]:
    """Yields the columns of one model."""

    def column(head: str, field: str, how_soon: int) -> Column[Compared]:
        return of_text(
            f"{model}\n{head}",
            lambda row: figures.percent(getattr(of_model(row), field)),
            dispensable=how_soon,
            called=f"{head} ({model})",
        )

    yield column("median", "median", 0)
    yield column("75 %", "three_quarters", 3 + dispensable)
    yield column("90 %", "nine_tenths", 2 + dispensable)
    yield column("worst", "worst", 4 + dispensable)


ERRORS: list[Column[Compared]] = [
    of_words("", lambda row: row.of or row.left_out),
    *_errors_of("paper's", lambda row: row.paper, 1),
    *_errors_of("operations", lambda row: row.operations, 0),
    of_text("held by\ninterval", lambda row: figures.percent(row.covered), dispensable=5),
    of_text("calls", lambda row: str(row.operations.calls), dispensable=6),
]

STEPS: list[Column[Step]] = [
    of_text("known calls", lambda row: str(row.measured)),
    of_words("measure", lambda row: first_measured(row)),
    of_text("median error", lambda row: figures.percent(row.median_error)),
    of_text("90 %", lambda row: figures.percent(row.nine_tenths), dispensable=1),
    of_text("calls at random", lambda row: figures.percent(row.at_random), dispensable=2),
]


def first_measured(step: Step) -> str:
    """Returns the call to measure: `aes-128-ecb decrypt, 64 B`."""
    return "" if step.algorithm is None else _call(step)


def _call(of: Step | Predicted | NewFunction) -> str:
    """Returns the name of a call: `aes-128-ecb decrypt, 64 B`; key setup has no size."""
    size = "" if of.message_bytes is None else f", {figures.message_size(of.message_bytes)}"
    return f"{of.algorithm} {of.operation}{size}"


def prediction_blocks(found: Predictions) -> Iterator[Block]:
    """Yields the answer, a line for each call, and the reasons to trust it."""
    yield Headline(text=_answer(found))
    unit = _unit(found.metric)
    clock = f"{figures.significant(found.clock_mhz)} MHz"
    yield Notes.of([f"{found.title}, {clock}: {unit} of a call"])
    columns: list[Column[Predicted]] = [
        of_words("", lambda row: f"{row.algorithm} {row.operation}"),
        of_text("size", _size),
        *_costs(unit),
        of_text("from", lambda row: "own figure" if row.basis == "measured" else "model"),
    ]
    yield Table(columns=columns, rows=found.predictions)
    yield Notes.of(_trust(found))
    yield Notes.of(found.notes, style="dim")


def _answer(found: Predictions) -> str:
    """Returns one call with its interval; of several their number and the usual error."""
    if len(found.predictions) == 1:
        one = found.predictions[0]
        cost = f"{figures.significant(one.cycles)} {_unit(found.metric)}"
        known = one.basis == "measured"
        how = "known already" if known else f"95 % interval {_interval(one) or '–'}"
        return f"{_call(one)}: {', '.join(filter(None, [cost, _time(one)]))} ({how})"
    modelled = [it for it in found.predictions if it.basis != "measured"]
    known_calls = len(found.predictions) - len(modelled)
    beside = f", {known_calls} known already" if known_calls else ""
    step = min(found.known, len(found.steps) - 1)
    error = figures.percent(found.steps[step].median_error) if found.steps else "unknown"
    calls = figures.counted(len(modelled), "call")
    return f"{calls} predicted{beside}; median error of such predictions: {error}"


def new_function_blocks(found: NewFunction) -> Iterator[Block]:
    """Yields a line for each processor, and those on which to measure first."""
    columns: list[Column[OnProcessor]] = [
        of_words("", lambda row: row.processor),
        *_costs("cycles or\ninstructions"),
        of_words("metric", lambda row: row.metric, dispensable=2),
        of_text("from", lambda row: "known" if row.is_known else "model", dispensable=3),
    ]
    yield Headline(text=_call(found))
    yield Table(columns=columns, rows=found.processors)
    errors = [f"{it.processor} ({figures.percent(it.median_error)})" for it in found.references]
    first = f"measure a new function first on: {', then '.join(errors)}; median error after each"
    yield Notes.of([first])
    yield Notes.of(found.notes, style="dim")


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


def _costs(unit: str) -> list[Column[Any]]:
    """Returns the columns of a predicted cost."""
    return [
        Column(unit, lambda row: row.cycles),
        of_text("95 % interval", lambda row: Cell(_interval(row), mark="interval")),
        of_text("time", _time, dispensable=1),
    ]


def _unit(metric: str) -> str:
    return "instructions" if metric == "instructions" else "cycles"


def _size(row: Predicted) -> str:
    return "" if row.message_bytes is None else figures.message_size(row.message_bytes)


def _interval(row: Predicted | OnProcessor) -> str:
    if row.low == row.high:
        return ""
    return f"{figures.significant(row.low)} to {figures.significant(row.high)}"


def _time(row: Predicted | OnProcessor) -> str:
    return "" if row.microseconds is None else latency(1e3 * row.microseconds)
