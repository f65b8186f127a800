"""The columns of a stored run, and the way between them and the types of `record.run`.

Numbers and names that people select by are columns of their own; nested messages are columns of
JSON text, so that nothing is lost when the contract grows. All integers are 64 bits wide: Parquet
packs them as tightly as narrow ones, and differences of unsigned columns would wrap.

What is read back is checked against the types; a mismatch is a `msgspec.ValidationError`, a wrong
number of rows a `ValueError`. Columns that are not known are ignored, those that are lacking get
their defaults.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import GenericAlias
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np
from msgspec import inspect

from ciphermark import contract
from ciphermark.contract.others import (
    BesideFigure,
    ImportedFigure,
    ImportOrigin,
    SimulatedCase,
    SimulatedTarget,
    Simulation,
    Variant,
)
from ciphermark.contract.tunnel import Tunnel, TunnelCase
from ciphermark.record.run import CaseRecord, Context, Outline, Summary
from ciphermark.record.table import (
    FLAG,
    INTEGER,
    JSON,
    NUMBER,
    TEXT,
    Column,
    Schema,
    Table,
    Values,
    is_nested,
)

Row = TypeVar("Row")

_PLAIN = {
    inspect.BoolType: FLAG,
    inspect.IntType: INTEGER,
    inspect.FloatType: NUMBER,
    inspect.StrType: TEXT,
    inspect.EnumType: TEXT,
}


def schema_of(struct: type, renamed: Mapping[str, str] | None = None) -> Schema:
    """What is stored of such structs; columns are called as their fields unless renamed."""
    names = renamed or {}
    return {names.get(field.name, field.name): _type(field.type) for field in _fields(struct)}


def table_of(
    rows: Sequence[Row], kind: type[Row], renamed: Mapping[str, str] | None = None
) -> Table:
    """Structs of this kind as a table with a column for each of their fields."""
    return Table.of_rows(map(msgspec.to_builtins, rows), schema_of(kind)).renamed(renamed or {})


def rows_of(table: Table, kind: type[Row], renamed: Mapping[str, str] | None = None) -> list[Row]:
    """What `table_of` made a table of, now or when they had fewer fields."""
    fields = {column: name for name, column in (renamed or {}).items()}
    rows: list[Row] = msgspec.convert(table.renamed(fields).to_pylist(), GenericAlias(list, kind))
    return rows


def flat_schema_of(
    *structs: type[msgspec.Struct], without: Collection[str] = (), **columns: str
) -> Schema:
    """What is stored of the fields of all these, with text of JSON for what is nested, so that it
    may grow; `columns` are those that are stored otherwise."""
    found: Schema = {}
    for struct in structs:
        for field in _fields(struct):
            if field.name not in (*found, *without):
                found[field.name] = columns.get(field.name) or _flat(_type(field.type))
    return found


def _fields(struct: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    return info.fields


def _flat(kind: str) -> str:
    return JSON if is_nested(kind) else kind


def _type(kind: inspect.Type) -> str:
    """What may be absent is of the type that it has where it is there."""
    match kind:
        case inspect.StructType():
            fields = (f'"{field.name}" {_type(field.type)}' for field in kind.fields)
            return f"STRUCT({', '.join(fields)})"
        case inspect.ListType():
            return f"{_type(kind.item_type)}[]"
        case inspect.DictType():
            return f"MAP({_type(kind.key_type)}, {_type(kind.value_type)})"
        case inspect.LiteralType():
            return TEXT if isinstance(kind.values[0], str) else INTEGER
        case inspect.UnionType():
            (present,) = (it for it in kind.types if not isinstance(it, inspect.NoneType))
            return _type(present)
    return _PLAIN[type(kind)]


Record = TypeVar("Record", bound=msgspec.Struct)

_INTEGERS = "BIGINT[]"
_LATENCIES = 'STRUCT("ns" BIGINT, "count" BIGINT)[]'

SUMMARY = flat_schema_of(Summary)
"""The fields of `Summary`, which are the first columns of every context."""

_VERSION = {name: SUMMARY[name] for name in ("format_major", "format_minor")}

CONTEXT = SUMMARY | dict.fromkeys(("plan", "hello", "bye", "algorithms", "notes"), JSON)

OUTLINE = {name: CONTEXT[name] for name in Outline.__struct_fields__}

CASES = flat_schema_of(contract.Case, CaseRecord, offload_cpus=_INTEGERS)
"""The fields of `contract.Case`, then those of `CaseRecord`."""

SAMPLES = flat_schema_of(contract.Sample, disturbed="VARCHAR[]")

_OF_EVERY_SAMPLE = ("case", "round", "slice", "at_ns", "messages", "wall_ns")

_OF_A_SESSION = ("messages", "bytes", "cpu_ns", "begun", "preemptions", "waits", "migrations")

SESSIONS = flat_schema_of(
    contract.SessionsRun, without=("figures",), latencies=_LATENCIES
) | dict.fromkeys(_OF_A_SESSION, _INTEGERS)
"""The fields of `contract.SessionsRun`, then those of its figures, each a list with an entry for
every session."""

PACKETS = flat_schema_of(contract.PacketsRun, without=("passes",))
"""The fields of `contract.PacketsRun`, except its passes."""

PASSES = {"case": INTEGER} | flat_schema_of(contract.Pass, latencies=_LATENCIES)
"""The case of a pass, then the fields of `contract.Pass`; in the order in which they were made."""

SIMULATIONS = flat_schema_of(SimulatedCase, Simulation, without=("case",))
"""The fields of `SimulatedCase`, then those of `Simulation`."""

TARGETS = flat_schema_of(SimulatedTarget)

TUNNELS = flat_schema_of(TunnelCase, Tunnel, without=("case",), lengths=_INTEGERS)
"""The fields of `TunnelCase`, then those of `Tunnel`."""

GIVEN = {"name": TEXT, "value": NUMBER}

WARNINGS = flat_schema_of(contract.Warning)


class Version(msgspec.Struct):
    """The format that a run was written in."""

    format_major: int
    format_minor: int


class Records(Generic[Record]):
    """A table with a row for each record of a kind, and a column for each field; the fields of its
    struct `within`, where it has one, are columns like its own."""

    def __init__(self, kind: type[Record], schema: Schema, within: str = "") -> None:
        self.schema = schema
        self._kind, self._within = kind, within

    def table(self, records: Iterable[Record]) -> Table:
        """The records as they are stored."""
        rows = [msgspec.to_builtins(record) for record in records]
        if self._within:
            rows = [row | row[self._within] for row in rows]
        return _to_table(rows, self.schema)

    def of(self, table: Table) -> list[Record]:
        """The inverse of `table`."""
        rows = _to_rows(table, self.schema)
        if self._within:
            rows = [row | {self._within: row} for row in rows]
        records: list[Record] = msgspec.convert(rows, GenericAlias(list, (self._kind,)))
        return records

    def one_of(self, table: Table) -> Record:
        """The only one. Raises `ValueError` where there is none or several are."""
        records = self.of(table)
        if len(records) != 1:
            raise ValueError(f"{len(records)} rows where one belongs")
        return records[0]


VERSIONS = Records(Version, _VERSION)
"""The formats of contexts, of which nothing else is looked at."""

SUMMARIES = Records(Summary, SUMMARY)
CONTEXTS = Records(Context, CONTEXT)
OUTLINES = Records(Outline, OUTLINE)
CASE_RECORDS = Records(CaseRecord, CASES, within="case")
SIMULATED = Records(Simulation, SIMULATIONS, within="case")
TUNNELED = Records(Tunnel, TUNNELS, within="case")
SIMULATED_TARGETS = Records(SimulatedTarget, TARGETS)
VARIANTS = Records(Variant, flat_schema_of(Variant))
BESIDE = Records(BesideFigure, flat_schema_of(BesideFigure))
ORIGINS = Records(ImportOrigin, flat_schema_of(ImportOrigin))
IMPORTED = Records(ImportedFigure, flat_schema_of(ImportedFigure))
WARNING_RECORDS = Records(contract.Warning, WARNINGS)


def sessions_table(executions: Iterable[contract.SessionsRun]) -> Table:
    """One row for each execution."""
    rows = [msgspec.to_builtins(execution) for execution in executions]
    return _to_table([row | row["figures"] for row in rows], SESSIONS)


def sessions_of(table: Table) -> list[contract.SessionsRun]:
    """The inverse of `sessions_table`."""
    rows = _to_rows(table, SESSIONS)
    # The tag tells events from each other where they cross a process boundary.
    tagged = [row | {"event": "sessions", "figures": row} for row in rows]
    return msgspec.convert(tagged, list[contract.SessionsRun])


def packets_table(runs: Iterable[contract.PacketsRun]) -> Table:
    """One row for each case."""
    return _to_table([msgspec.to_builtins(run) for run in runs], PACKETS)


def passes_table(runs: Iterable[contract.PacketsRun]) -> Table:
    """One row for each pass."""
    rows = [{"case": run.case} | msgspec.to_builtins(it) for run in runs for it in run.passes]
    return _to_table(rows, PASSES)


def packets_of(packets: Table, passes: Table) -> list[contract.PacketsRun]:
    """The inverse of `packets_table` and `passes_table` together."""
    by_case: dict[int, list[dict[str, Any]]] = {}
    for row in _to_rows(passes, PASSES):
        by_case.setdefault(row["case"], []).append(row)
    tagged = [
        row | {"event": "packets", "passes": by_case.get(row["case"], [])}
        for row in _to_rows(packets, PACKETS)
    ]
    return msgspec.convert(tagged, list[contract.PacketsRun])


def given_table(given: dict[str, float]) -> Table:
    """One row for each thing that the user told."""
    return _to_table([{"name": name, "value": value} for name, value in given.items()], GIVEN)


def given_of(table: Table) -> list[tuple[str, float]]:
    """The inverse of `given_table`, as pairs."""
    rows = [(row["name"], row["value"]) for row in _to_rows(table, GIVEN)]
    return msgspec.convert(rows, list[tuple[str, float]])


def samples_of(table: Table) -> Table:
    """The columns of `SAMPLES`; those that older formats lack are null. Raises `ValueError` where
    one is missing that every format has."""
    gaps: list[Any] = [None] * table.num_rows
    columns = {
        name: _cast(table[name], kind) if name in table.schema else gaps
        for name, kind in SAMPLES.items()
    }
    found = Table(SAMPLES, columns)
    for name in _OF_EVERY_SAMPLE:
        if found[name].null_count:
            raise ValueError(f"a sample has no {name}")
    return found


_NUMBERS = {f"{sign}{kind}" for sign in ("", "U") for kind in ("TINYINT", "SMALLINT", "INTEGER")}
_NUMBERS |= {"BIGINT", "UBIGINT", "FLOAT", "DOUBLE"}


def _cast(column: Column, kind: str) -> Values:
    """Returns the values of a column as this type. Raises `ValueError` where that changes them."""
    if column.kind == kind:
        return column.values
    if column.null_count == len(column):
        return column.values
    if kind not in (INTEGER, NUMBER) or column.kind not in _NUMBERS:
        raise ValueError(f"samples have {column.kind} where {kind} belongs")
    values = np.asarray(column.to_numpy())
    cast = values.astype(np.int64 if kind == INTEGER else np.float64)
    if not np.array_equal(values, cast):
        raise ValueError(f"samples have numbers that are no {kind}")
    return cast


def _to_table(rows: list[dict[str, Any]], schema: Schema) -> Table:
    columns = {name: _cells([row.get(name) for row in rows], kind) for name, kind in schema.items()}
    return Table(schema, columns)


def _to_rows(table: Table, schema: Schema) -> list[dict[str, Any]]:
    """The known columns of each row; a column that the table lacks is a key that is absent."""
    names = [name for name in schema if name in table.schema]
    columns = [_values(table[name], schema[name]) for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _cells(values: list[Any], kind: str) -> list[Any]:
    if kind != JSON:
        return values
    return [None if it is None else msgspec.json.encode(it).decode() for it in values]


def _values(column: Column, kind: str) -> list[Any]:
    values = column.to_pylist()
    if kind != JSON:
        return values
    return [None if text is None else msgspec.json.decode(text) for text in values]
