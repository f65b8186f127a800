"""Arrow schemas of structs: one column for each field, in its order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import GenericAlias
from typing import TypeVar

import msgspec
import pyarrow as pa
from msgspec import inspect

Row = TypeVar("Row")

_PLAIN = {
    inspect.BoolType: pa.bool_(),
    inspect.IntType: pa.int64(),
    inspect.FloatType: pa.float64(),
    inspect.StrType: pa.string(),
    inspect.EnumType: pa.string(),
}


def schema_of(struct: type, renamed: Mapping[str, str] | None = None) -> pa.Schema:
    """What is stored of such structs; columns are called as their fields unless renamed."""
    names = renamed or {}
    return pa.schema([(names.get(it.name, it.name), _type(it.type)) for it in _fields(struct)])


def table_of(
    rows: Sequence[Row], kind: type[Row], renamed: Mapping[str, str] | None = None
) -> pa.Table:
    """Structs of this kind as a table with a column for each of their fields."""
    schema = schema_of(kind)
    maps = [field.name for field in schema if pa.types.is_map(field.type)]
    records = [msgspec.to_builtins(row) for row in rows]
    for record in records:
        record |= {name: list(record[name].items()) for name in maps}
    names = schema_of(kind, renamed).names
    return pa.Table.from_pylist(records, schema=schema).rename_columns(names)


def rows_of(
    table: pa.Table, kind: type[Row], renamed: Mapping[str, str] | None = None
) -> list[Row]:
    """What `table_of` made a table of, now or when they had fewer fields."""
    fields = {column: name for name, column in (renamed or {}).items()}
    named = table.rename_columns([fields.get(name, name) for name in table.column_names])
    rows: list[Row] = msgspec.convert(
        named.to_pylist(maps_as_pydicts="strict"), GenericAlias(list, kind)
    )
    return rows


def flat_schema_of(
    *structs: type[msgspec.Struct], without: Collection[str] = (), **columns: pa.DataType
) -> pa.Schema:
    """What is stored of the fields of all these, with text of JSON for what is nested, so that it
    may grow; `columns` are those that are stored otherwise."""
    found: dict[str, pa.DataType] = {}
    for struct in structs:
        for field in _fields(struct):
            if field.name not in (*found, *without):
                found[field.name] = columns.get(field.name) or _flat(_type(field.type))
    return pa.schema(found)


def _fields(struct: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    return info.fields


def _flat(kind: pa.DataType) -> pa.DataType:
    return pa.json_() if pa.types.is_nested(kind) else kind


def _type(kind: inspect.Type) -> pa.DataType:
    """What may be absent is of the type that it has where it is there."""
    match kind:
        case inspect.StructType():
            return pa.struct([pa.field(it.name, _type(it.type)) for it in kind.fields])
        case inspect.ListType():
            return pa.list_(_type(kind.item_type))
        case inspect.DictType():
            return pa.map_(_type(kind.key_type), _type(kind.value_type))
        case inspect.LiteralType():
            return pa.string() if isinstance(kind.values[0], str) else pa.int64()
        case inspect.UnionType():
            (present,) = (it for it in kind.types if not isinstance(it, inspect.NoneType))
            return _type(present)
    return _PLAIN[type(kind)]
