"""Figures of a few calls, in a CSV file of the user's own.

Columns: `algorithm`, `operation`, `message_bytes` (empty for key setup), and either `cycles` or
`microseconds`; `processor` where they are not all of the one that is asked for.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from pathlib import Path

from ciphermark.answers.models.observation import KnownProcessor, Observation
from ciphermark.errors import UsageError
from ciphermark.files import text_file
from ciphermark.plan import quantities

MOST_BYTES = 2**20
"""Of the file: a line has some forty."""

_COLUMNS = ("algorithm", "operation", "message_bytes")


def read(
    path: Path, processors: Mapping[str, KnownProcessor], usual: str | None
) -> list[Observation]:
    """The figures, of these processors; `usual` is meant where there is no column for it."""
    try:
        text = text_file.read(path, f"--known {path}", MOST_BYTES)
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
    name = line.get("processor") or usual
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


def with_figures(
    operations: Mapping[tuple[str, str, int | None], Mapping[str, int]],
    figures: Iterable[Observation],
) -> list[Observation]:
    """The figures with the operations of their calls. Raises `UsageError` for calls without."""
    import msgspec

    found = []
    for it in figures:
        key = (it.algorithm, it.operation, it.message_bytes)
        if key not in operations:
            size = "key setup" if it.message_bytes is None else f"{it.message_bytes} bytes"
            raise UsageError(
                f"the operations of {it.algorithm} {it.operation} ({size}) have not been counted: "
                "simulate that size on rv32i, or leave it out of --known"
            )
        found.append(msgspec.structs.replace(it, operations=dict(operations[key])))
    return found
