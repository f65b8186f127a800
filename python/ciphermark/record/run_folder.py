"""The files of one run: written, and read again part by part.

What cannot be read, or is of a format that is too new, is a `WorkError` that names the file. What
columns of older formats meant is brought to what they mean today, and parts that do not belong
together are refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ciphermark import contract
from ciphermark.errors import WorkError, shortened
from ciphermark.files.atomic import new_folder, remove_leftovers, write_synced
from ciphermark.record import parquet, tables
from ciphermark.record.case_row import COUNTED, settled_in
from ciphermark.record.layout import also_folder, check_format, run_ids, table_file
from ciphermark.record.run import Context, Outline, Run, Summary
from ciphermark.record.table import Schema, Table
from ciphermark.workload import NAMES, workload_of

Decoded = TypeVar("Decoded")
Described = TypeVar("Described", Context, Outline, Summary)


def add_run(root: Path, run: Run, rows: Table, also_rows: Sequence[Table] = ()) -> Path:
    """Writes a run into a folder of runs, whole or not at all, and returns its own folder.

    Raises `OSError`, also when the run is there already.
    """
    folder = root / run.context.run
    root.mkdir(parents=True, exist_ok=True)
    remove_leftovers(root)
    with new_folder(folder) as partial:
        for path, table in contents(run, rows, also_rows):
            file = partial / path
            file.parent.mkdir(parents=True, exist_ok=True)
            parquet.write(table, file)
    return folder


def copy_run(folder: Path, root: Path) -> Path:
    """Adds the run of a folder to a folder of runs, as `add_run` does."""
    root.mkdir(parents=True, exist_ok=True)
    remove_leftovers(root)
    target = root / folder.name
    with new_folder(target) as partial:
        for path in sorted(folder.rglob("*.parquet")):
            file = partial / path.relative_to(folder)
            file.parent.mkdir(parents=True, exist_ok=True)
            write_synced(file, path.read_bytes())
    return target


def contents(run: Run, rows: Table, also_rows: Sequence[Table] = ()) -> Iterator[tuple[str, Table]]:
    """The files of a run by their path in its folder; `also_rows` are those of the runs that belong
    to it."""
    found = {
        "context": tables.CONTEXTS.table([run.context]),
        "cases": tables.CASE_RECORDS.table(run.cases),
        "samples": tables.samples_of(run.samples),
        "warnings": tables.WARNING_RECORDS.table(run.warnings),
        "rows": rows,
    }
    needed = workload_of(run.context.workload).tables
    if "sessions" in needed:
        found["sessions"] = tables.sessions_table(run.sessions)
    if "packets" in needed:
        found["packets"] = tables.packets_table(run.packets)
        found["passes"] = tables.passes_table(run.packets)
    if "tunnels" in needed:
        found["tunnels"] = tables.TUNNELED.table(run.tunnels)
    if run.targets:
        found["targets"] = tables.SIMULATED_TARGETS.table(run.targets)
        found["simulations"] = tables.SIMULATED.table(run.simulations)
    if run.variants:
        found["variants"] = tables.VARIANTS.table(run.variants)
    if run.origin is not None:
        found["origin"] = tables.ORIGINS.table([run.origin])
        found["imported"] = tables.IMPORTED.table(run.imported)
    if run.beside:
        found["beside"] = tables.BESIDE.table(run.beside)
    if run.given:
        found["given"] = tables.given_table(run.given)
    for name, table in found.items():
        yield table_file(Path(), name).as_posix(), table
    for other, its_rows in zip(run.also, also_rows, strict=True):
        within = also_folder(Path()) / other.context.run
        for path, table in contents(other, its_rows):
            yield (within / path).as_posix(), table


def read_run(folder: Path) -> Run:
    """The whole run, except its rows."""
    context = read_context(folder)
    written = (context.format_major, context.format_minor)
    needed = workload_of(context.workload).tables
    run = Run(
        context=context,
        cases=_read(folder, "cases", lambda it: tables.CASE_RECORDS.of(upgraded(it, written))),
        samples=_read(folder, "samples", tables.samples_of),
        warnings=_read(folder, "warnings", tables.WARNING_RECORDS.of),
        sessions=_read(folder, "sessions", tables.sessions_of) if "sessions" in needed else [],
        packets=_read_packets(folder) if "packets" in needed else [],
        tunnels=_read(folder, "tunnels", tables.TUNNELED.of) if "tunnels" in needed else [],
        simulations=_read_if_there(folder, "simulations", tables.SIMULATED.of),
        targets=_read_if_there(folder, "targets", tables.SIMULATED_TARGETS.of),
        variants=_read_if_there(folder, "variants", tables.VARIANTS.of),
        beside=_read_if_there(folder, "beside", tables.BESIDE.of),
        **(_read_imported(folder) if "imported" in needed else {}),
        also=[read_run(it) for it in _also(folder)],
        given=dict(_read_if_there(folder, "given", tables.given_of)),
    )
    check_parts(run, lambda table, wrong: parquet.damaged(table_file(folder, table), wrong))
    return run


def read_rows(
    folder: Path, context: Summary | None = None, columns: Sequence[str] | None = None
) -> Table:
    """The rows as they were stored, or of their columns those of these names; `context` is what
    is known of the run already."""
    known = read_summary(folder) if context is None else context
    file = table_file(folder, "rows")
    with parquet.explained(file):
        return upgraded(parquet.read(file, columns), (known.format_major, known.format_minor))


def read_also_rows(folder: Path) -> list[Table]:
    """The rows of the runs that belong to one, in their order."""
    return [read_rows(it) for it in _also(folder)]


def read_context(folder: Path) -> Context:
    """The context alone."""
    return _read_context(folder, tables.CONTEXT, tables.CONTEXTS.one_of)


def read_summary(folder: Path) -> Summary:
    """The summary, several times quicker than the whole context."""
    return _read_context(folder, tables.SUMMARY, tables.SUMMARIES.one_of)


def read_counted(folder: Path) -> Summary:
    """Returns the summary with the cases counted by the stored rows, where they are there.

    Contexts of older runs have the counts of the engine, for which a case of packets has
    converged when all are delivered.
    """
    summary, file = read_summary(folder), table_file(folder, "rows")
    if not file.exists():
        return summary
    try:
        rows = parquet.read(file, COUNTED)
        with parquet.explained(file):
            return counted(summary, rows)
    except WorkError:  # damaged rows are computed anew where they are needed
        return summary


def counted(summary: Described, rows: Table) -> Described:
    """Returns a summary with the counts of its rows, where these settle."""
    if not workload_of(summary.workload).settles:
        return summary
    found = settled_in(rows)
    return msgspec.structs.replace(
        summary, cases=found.cases, converged=found.settled, errors=found.failed
    )


def read_outline(folder: Path) -> Outline:
    """The context without its plan."""
    return _read_context(folder, tables.OUTLINE, tables.OUTLINES.one_of)


def _also(folder: Path) -> list[Path]:
    """The folders of the runs that belong to one, in the order in which they were measured."""
    return [also_folder(folder) / it for it in reversed(run_ids(also_folder(folder)))]


def _read_packets(folder: Path) -> list[contract.PacketsRun]:
    packets = _read(folder, "packets", lambda it: it)
    return _read(folder, "passes", lambda passes: tables.packets_of(packets, passes))


def _read_imported(folder: Path) -> dict[str, Any]:
    return {
        "origin": _read(folder, "origin", tables.ORIGINS.one_of),
        "imported": _read(folder, "imported", tables.IMPORTED.of),
    }


def _read_if_there(
    folder: Path, name: str, decode: Callable[[Table], list[Decoded]]
) -> list[Decoded]:
    return _read(folder, name, decode) if table_file(folder, name).exists() else []


def _read(folder: Path, name: str, decode: Callable[[Table], Decoded]) -> Decoded:
    file = table_file(folder, name)
    with parquet.explained(file):
        if name == "samples":
            return decode(parquet.read(file, most_bytes=parquet.MOST_OF_SAMPLES, as_arrays=True))
        return decode(parquet.read(file))


def _read_context(folder: Path, schema: Schema, decode: Callable[[Table], Described]) -> Described:
    file = table_file(folder, "context")
    with parquet.explained(file):
        table = parquet.read(file, [*schema], parquet.MOST_OF_CONTEXT)
        # Before anything else is decoded: a newer major may have given it another meaning.
        version = tables.VERSIONS.one_of(table)
        check_format(version.format_major, version.format_minor, file)
        decoded = decode(table)
    if decoded.workload not in NAMES:
        raise parquet.damaged(file, f"its workload is {shortened(decoded.workload, 40)!r}")
    return decoded


Fault = tuple[str, str]
"""The table in which something is wrong, and what that is."""


def check_parts(run: Run, explain: Callable[[str, str], Exception]) -> None:
    """Raises what `explain` makes of the first fault: of a table's name and what is wrong in it."""
    for table, wrong in _faults(run):
        raise explain(table, wrong)


def _faults(run: Run) -> Iterator[Fault]:
    yield from _of_context(run)
    yield from _of_cases(run)
    if run.samples["case"].null_count:
        yield "samples", "a sample has no case"
    yield from _of_simulations(run)


def _of_context(run: Run) -> Iterator[Fault]:
    context = run.context
    if not workload_of(context.workload).measured_here:  # nobody has looked at its machine
        return
    for name in ("hello", "cycle_source", "core_hz"):
        if getattr(context, name) is None:
            yield "context", f"it has no {name}"
    if context.core_hz is not None and not (
        math.isfinite(context.core_hz) and context.core_hz >= 0
    ):
        yield "context", f"core_hz is {context.core_hz}"


def _of_cases(run: Run) -> Iterator[Fault]:
    numbers = {it.case.case for it in run.cases}
    if len(numbers) < len(run.cases):
        yield "cases", "several cases have one number"
    workload = workload_of(run.context.workload)
    if not workload.measured_here and numbers != {it.case for it in run.imported}:
        yield "imported", "it has figures of other cases"
    load = workload.load
    if load is not None and any(getattr(it.case, load) is None for it in run.cases):
        yield "cases", f"a case has no {load}"


def _of_simulations(run: Run) -> Iterator[Fault]:
    known = {variant.label for variant in run.variants}
    for it in run.simulations:
        if known and it.case.target not in known:
            yield "simulations", f"it has {it.case.target!r}, which is none of the run's variants"
        if it.metric is None and it.value is not None:
            yield "simulations", "a figure has no metric"


KEYS_OF_LANES = (1, 2)
"""The format from which on `keys` counts those of several lanes, where it was 1 before."""


def upgraded(table: Table, version: tuple[int, int]) -> Table:
    """Cases or rows that were written in a format, as they would be written today."""
    if version >= KEYS_OF_LANES:
        return table
    keys = [
        lanes if operation != "digest" and lanes > 1 else keys
        for operation, lanes, keys in zip(
            table["operation"], table["lanes"], table["keys"], strict=True
        )
    ]
    return table.with_column("keys", keys)
