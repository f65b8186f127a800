"""From a file of another program to a run."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermark import contract
from ciphermark.contract.imported import ImportOrigin
from ciphermark.errors import UsageError
from ciphermark.record import imported_run
from ciphermark.record.run import Run, Summary
from ciphermark.workloads.imported.readers import formats
from ciphermark.workloads.imported.readers.cases import MOST_NAMED, Taken, taken
from ciphermark.workloads.imported.readers.formats import Format
from ciphermark.workloads.imported.readers.reading import Reading


@dataclass(frozen=True)
class Wishes:
    """What the user says of the files."""

    format: Format | None = None
    clock_hz: float | None = None
    machine: Summary | str | None = None
    elapsed: bool | None = None


def imported(
    path: Path, known: Iterable[contract.Algorithm], wishes: Wishes, command: str = ""
) -> Run:
    """The run of a file, whole or not at all; a `UsageError` names the line where it is wrong."""
    content = formats.content_of(path)
    chosen, reading = formats.read(path, content, wishes.format, wishes.elapsed)
    ticks_hz = reading.ticks_hz or wishes.clock_hz
    if ticks_hz is None and any(figure.ns is None for figure in reading.figures):
        raise UsageError(
            f"{path} counts ticks, which are no time without their rate: add the rate of the TSC "
            "of that machine, for example --clock 2.2GHz"
        )
    try:
        found = taken(reading, known, ticks_hz)
    except UsageError as error:
        raise UsageError(f"{path}: {error}; nothing was imported") from None
    origin = ImportOrigin(
        tool=reading.tool,
        format=chosen.name,
        tool_version=reading.version,
        tool_command=reading.command,
        file=path.name,
        sha256=hashlib.sha256(content).hexdigest(),
        divisor=reading.divisor,
        clock_hz=wishes.clock_hz,
        ticks_hz=ticks_hz if reading.divisor == "ticks" else None,
        told=reading.told,
        skipped=reading.skipped,
        traps=reading.traps,
    )
    return imported_run.run_of(
        found.cases,
        found.figures,
        origin,
        machine=wishes.machine,
        cycle_source=reading.counted or (None if wishes.clock_hz is None else "nominal"),
        algorithms=found.algorithms,
        notes=notes(origin, reading, found),
        command=command or f"ciphermark import {path.name}",
        started_unix_ns=time.time_ns(),
    )


def notes(origin: ImportOrigin, reading: Reading, found: Taken) -> list[str]:
    """What somebody must know who reads the figures, one sentence each."""
    version = f" ({origin.tool_version})" if origin.tool_version else ", version not told"
    said = [f"figures of {origin.tool}{version} from {origin.file}: nothing was verified"]
    said += origin.traps
    if origin.clock_hz is not None and reading.counted is None:
        said.append("cycles are time by the clock that was given, which the core need not have had")
    if found.unknown:
        said.append(f"left out, not known here: {_listed(found.unknown)}")
    if found.twice:
        said.append(f"left out, the same function again: {_listed(found.twice)}")
    if origin.skipped:
        counts = (f"{what} ({count})" for what, count in origin.skipped.items())
        said.append(f"left out: {', '.join(counts)}")
    return said


def _listed(names: Sequence[str]) -> str:
    """`3 functions (a, b, c)`, the first few by name."""
    more = ", …" if len(names) > MOST_NAMED else ""
    noun = "function" if len(names) == 1 else "functions"
    return f"{len(names)} {noun} ({', '.join(names[:MOST_NAMED])}{more})"
