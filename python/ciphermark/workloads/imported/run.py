"""Conversion of another program's file to a run, with its content as cases and figures."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ciphermark import contract
from ciphermark.contract.others import ImportedFigure, ImportOrigin
from ciphermark.errors import UsageError
from ciphermark.record import without_engine
from ciphermark.record.run import CaseRecord, Run, Summary
from ciphermark.workloads.imported.readers import formats
from ciphermark.workloads.imported.readers.formats import Format
from ciphermark.workloads.imported.readers.reading import Direction, Figure, Reading

SLOPE = "slope"
"""Stands instead of a size where the cost of a further byte was measured."""

UNKNOWN_BACKEND = "unknown"

_OPERATIONS: dict[contract.Kind, dict[Direction, contract.Operation]] = {
    "aead": {"forward": "seal", "backward": "open"},
    "cipher": {"forward": "encrypt", "backward": "decrypt"},
    "stream": {"forward": "keystream", "backward": "keystream"},
    "mac": {"forward": "mac", "backward": "verify"},
    "hash": {"forward": "digest", "backward": "digest"},
}

MOST_RUNS = 50
"""Runs that a file makes at most: people read as many, and they take seconds to store."""

MOST_NAMED = 8
"""Unknown functions that a note names."""


@dataclass(frozen=True)
class Taken:
    """Part of a file that has a place among our algorithms."""

    cases: list[CaseRecord]
    figures: list[ImportedFigure]
    algorithms: list[contract.Algorithm]
    unknown: list[str]
    """Functions that have no name here, as the program calls them."""
    twice: list[str]
    """Functions that are the same here as one before them."""


def taken(reading: Reading, known: Iterable[contract.Algorithm], ticks_hz: float | None) -> Taken:
    """Returns the figures whose algorithms are known, in the order of the file.

    `ticks_hz` is the rate of the counter where figures are ticks. Two functions of a program may be
    one of ours (`aes-128 cbc`, and the same through EVP): the first of them counts. Raises
    `UsageError` when no figure is of a known algorithm.
    """
    facts = list(known)
    by_name = {name.lower(): it for it in facts for name in (it.name, *it.aliases)}
    cases: list[CaseRecord] = []
    figures: list[ImportedFigure] = []
    unknown: dict[str, None] = {}
    twice: dict[str, None] = {}
    said: dict[tuple[object, ...], str] = {}
    for figure in reading.figures:
        algorithm = next((by_name[it] for it in figure.names if it in by_name), None)
        if algorithm is None:
            unknown[figure.said] = None
            continue
        record = _case(len(cases), figure, algorithm, reading)
        if said.setdefault(_same(record.case), figure.said) != figure.said:
            twice[figure.said] = None
            continue
        cases.append(record)
        figures.append(_figure(record.case.case, figure, ticks_hz))
    if not cases:
        named = ", ".join(list(unknown)[:MOST_NAMED]) or "there are none"
        raise UsageError(
            f"none of its functions is known here ({named}); see: ciphermark list algorithms"
        )
    present = {record.case.algorithm for record in cases}
    algorithms = [it for it in facts if it.name in present]
    return Taken(cases, figures, algorithms, list(unknown), list(twice))


def _same(case: contract.Case) -> tuple[object, ...]:
    """Returns the fields that two cases of one file must not have in common."""
    return (case.algorithm, case.operation, case.backend, case.lanes, case.message_bytes)


def _case(
    number: int, figure: Figure, algorithm: contract.Algorithm, reading: Reading
) -> CaseRecord:
    operation = _OPERATIONS[algorithm.kind][figure.direction]
    has_key = algorithm.kind != "hash"
    case = contract.Case(
        case=number,
        algorithm=algorithm.name,
        operation=operation,
        provider=reading.provider,
        backend=figure.asked or "default",
        pattern=figure.pattern,
        message_bytes=figure.message_bytes,
        profile=SLOPE if figure.message_bytes is None else None,
        lanes=figure.lanes,
        keys=reading.processes,
    )
    ran = contract.Implementation(
        algorithm=algorithm.name,
        provider=reading.provider,
        backend=figure.backend or UNKNOWN_BACKEND,
        default=figure.asked is None,
        backend_evidence="reported" if figure.backend else "unknown",
        operations=[operation, "setup"] if has_key else [operation],
    )
    return CaseRecord(case=case, implementation=ran)


def _figure(case: int, figure: Figure, ticks_hz: float | None) -> ImportedFigure:
    ns = figure.ns
    if ns is None and figure.ticks is not None and ticks_hz is not None:
        ns = figure.ticks / ticks_hz * 1e9
    imported_figure = ImportedFigure(case=case, line=figure.line, said=figure.said)
    if figure.message_bytes is None:
        imported_figure.ns_per_byte, imported_figure.core_cycles_per_byte = ns, figure.core_cycles
    else:
        imported_figure.ns_per_message, imported_figure.core_cycles_per_message = (
            ns,
            figure.core_cycles,
        )
    return imported_figure


@dataclass(frozen=True)
class Wishes:
    """Statements of the user about the files."""

    format: Format | None = None
    clock_hz: float | None = None
    machine: Summary | str | None = None
    elapsed: bool | None = None


def imported(
    path: Path, known: Iterable[contract.Algorithm], wishes: Wishes, command: str = ""
) -> list[Run]:
    """Returns the runs of a file, most often one. Raises `UsageError` with the line at fault."""
    content = formats.content_of(path)
    chosen, readings = formats.read(path, content, wishes.format, wishes.elapsed)
    facts = list(known)
    files_read: list[tuple[Reading, Taken, float | None]] = []
    refused: UsageError | None = None
    for reading in readings:
        ticks_hz = reading.ticks_hz or wishes.clock_hz
        if ticks_hz is None and any(figure.ns is None for figure in reading.figures):
            raise UsageError(
                f"{path} counts ticks, which are no time without their rate: add the rate of the "
                "TSC of that machine, for example --clock 2.2GHz"
            )
        try:
            files_read.append((reading, taken(reading, facts, ticks_hz), ticks_hz))
        except UsageError as error:
            refused = refused or error
    if not files_read:
        raise UsageError(f"{path}: {refused}; nothing was imported") from None
    if len(files_read) > MOST_RUNS:
        raise UsageError(
            f"{path} makes {len(files_read):,} runs, and a file may make {MOST_RUNS}: import it in "
            "pieces; nothing was imported"
        )
    sha256 = hashlib.sha256(content).hexdigest()
    return [
        _run(
            ImportOrigin(
                tool=reading.tool,
                format=chosen.name,
                tool_version=reading.version,
                tool_command=reading.command,
                file=path.name,
                sha256=sha256,
                divisor=reading.divisor,
                clock_hz=wishes.clock_hz,
                ticks_hz=ticks_hz if reading.divisor == "ticks" else None,
                told=reading.told,
                skipped=reading.skipped,
                traps=reading.traps,
                cautions=reading.cautions,
                timed=reading.timed,
                part=reading.part,
                processes=reading.processes,
            ),
            reading,
            of_ours,
            wishes.machine,
            command or f"ciphermark import {path.name}",
        )
        for reading, of_ours, ticks_hz in files_read
    ]


def _run(
    origin: ImportOrigin,
    reading: Reading,
    found: Taken,
    machine: Summary | str | None,
    command: str,
) -> Run:
    cycle_source = reading.counted or (None if origin.clock_hz is None else "nominal")
    run = without_engine.imported_run(
        found.cases,
        found.figures,
        origin,
        machine=machine,
        cycle_source=cycle_source,
        algorithms=found.algorithms,
        notes=notes(origin, reading, found),
        command=command,
        started_unix_ns=time.time_ns(),
    )
    if reading.core:
        run.context = msgspec.structs.replace(run.context, cpu_name=reading.core)
    return run


def notes(origin: ImportOrigin, reading: Reading, found: Taken) -> list[str]:
    """Returns the facts that a reader of the figures needs, one sentence each.

    The first holds of every figure, and is repeated by all that answers from them.
    """
    version = f" ({origin.tool_version or 'version not told'})"
    place = ", ".join(filter(None, [origin.file, origin.part]))
    first = f"figures of {origin.tool}{version} from {place}: nothing was verified"
    said = ["; ".join([first, *origin.cautions])]
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
