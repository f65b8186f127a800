"""The files of one run: written, and read again part by part.

What cannot be read, or is of a format that is too new, is a `WorkError` that names the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from ciphermark.record import contract, parquet, tables
from ciphermark.record.layout import also_folder, check_format, run_ids, table_file
from ciphermark.record.older import upgraded
from ciphermark.record.run import Context, Run, Summary

Decoded = TypeVar("Decoded")


def write_run(folder: Path, run: Run, rows: pa.Table, also_rows: Sequence[pa.Table] = ()) -> None:
    """Writes all files into an empty folder; `also_rows` are those of the runs that belong to it.
    Raises `OSError`."""
    contents = {
        "context": tables.context_table(run.context),
        "cases": tables.cases_table(run.cases),
        "samples": tables.samples_of(run.samples),
        "warnings": tables.warnings_table(run.warnings),
        "rows": rows,
    }
    if run.context.workload == "sessions":
        contents["sessions"] = tables.sessions_table(run.sessions)
    if run.context.workload == "packets":
        contents["packets"] = tables.packets_table(run.packets)
        contents["passes"] = tables.passes_table(run.packets)
    if run.targets:
        contents["targets"] = tables.targets_table(run.targets)
        contents["simulations"] = tables.simulations_table(run.simulations)
    if run.variants:
        contents["variants"] = tables.variants_table(run.variants)
    if run.origin is not None:
        contents["origin"] = tables.origin_table(run.origin)
        contents["imported"] = tables.imported_table(run.imported)
    if run.beside:
        contents["beside"] = tables.beside_table(run.beside)
    if run.given:
        contents["given"] = tables.given_table(run.given)
    for name, table in contents.items():
        parquet.write(table, table_file(folder, name))
    for other, its_rows in zip(run.also, also_rows, strict=True):
        within = also_folder(folder) / other.context.run
        within.mkdir(parents=True)
        write_run(within, other, its_rows)


def read_run(folder: Path) -> Run:
    """The whole run, but for its rows."""
    context = read_context(folder)
    written = (context.format_major, context.format_minor)
    return Run(
        context=context,
        cases=_read(folder, "cases", lambda it: tables.cases_of(upgraded(it, written))),
        samples=_read(folder, "samples", tables.samples_of),
        warnings=_read(folder, "warnings", tables.warnings_of),
        sessions=(
            _read(folder, "sessions", tables.sessions_of) if context.workload == "sessions" else []
        ),
        packets=_read_packets(folder) if context.workload == "packets" else [],
        simulations=_read_if_there(folder, "simulations", tables.simulations_of),
        targets=_read_if_there(folder, "targets", tables.targets_of),
        variants=_read_if_there(folder, "variants", tables.variants_of),
        beside=_read_if_there(folder, "beside", tables.beside_of),
        **(_read_imported(folder) if context.workload == "imported" else {}),
        also=[read_run(also_folder(folder) / it) for it in reversed(run_ids(also_folder(folder)))],
        given=dict(_read_if_there(folder, "given", tables.given_of)),
    )


def read_rows(folder: Path) -> pa.Table:
    """The rows as they were stored."""
    summary = read_summary(folder)
    file = table_file(folder, "rows")
    with parquet.explained(file):
        return upgraded(parquet.read(file), (summary.format_major, summary.format_minor))


def read_context(folder: Path) -> Context:
    """The context alone."""
    return _read_context(folder, tables.CONTEXT, tables.context_of)


def read_summary(folder: Path) -> Summary:
    """The summary, several times quicker than the whole context."""
    return _read_context(folder, tables.SUMMARY, tables.summary_of)


def _read_packets(folder: Path) -> list[contract.PacketsRun]:
    packets = _read(folder, "packets", lambda it: it)
    return _read(folder, "passes", lambda passes: tables.packets_of(packets, passes))


def _read_imported(folder: Path) -> dict[str, Any]:
    return {
        "origin": _read(folder, "origin", tables.origin_of),
        "imported": _read(folder, "imported", tables.imported_of),
    }


def _read_if_there(
    folder: Path, name: str, decode: Callable[[pa.Table], list[Decoded]]
) -> list[Decoded]:
    return _read(folder, name, decode) if table_file(folder, name).exists() else []


def _read(folder: Path, name: str, decode: Callable[[pa.Table], Decoded]) -> Decoded:
    file = table_file(folder, name)
    with parquet.explained(file):
        return decode(parquet.read(file))


def _read_context(
    folder: Path, schema: pa.Schema, decode: Callable[[pa.Table], Decoded]
) -> Decoded:
    file = table_file(folder, "context")
    with parquet.explained(file):
        table = parquet.read(file, schema.names)
        # Before anything else is decoded: a newer major may have given it another meaning.
        version = tables.version_of(table)
        check_format(version.format_major, version.format_minor, file)
        return decode(table)
