"""Predictions for a processor, from what is known of others and, if anything is, of itself.

What is known of itself may be in a CSV file of the user's own, with the columns `algorithm`,
`operation`, `message_bytes` (empty for key setup), and either `cycles` or `microseconds`;
`processor` where they are not all of the one that is asked for.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from ciphermark.answers.models.backtests import Step, steps
from ciphermark.answers.models.observations import Key, Observation, Observed
from ciphermark.answers.models.operation_model import OperationModel
from ciphermark.answers.models.processors import Basis, KnownProcessor, Prediction, core_of
from ciphermark.errors import UsageError
from ciphermark.files import reading
from ciphermark.plan import names, quantities

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
    missing = [it for it in wanted.sizes if it not in sizes]
    if missing and wanted.algorithm is not None:
        raise UsageError(
            f"the operations of {' '.join(function)} have not been counted for {missing[0]} bytes: "
            f"take one of {', '.join(map(str, sizes))}, or simulate it on rv32i"
        )
    return [it for it in wanted.sizes if it in sizes]


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
