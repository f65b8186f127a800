"""Checks tables of a file that people write against a type, and says in one sentence what is wrong:
file, field, value, and what is allowed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from ciphermark.errors import UsageError

_WORDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    NoneType: "nothing",
}
_BOUNDS = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}


def check(
    file: Path, table: Mapping[str, Any], kind: type[msgspec.Struct], within: str = ""
) -> None:
    """Refuses a table that is not of that kind; `within` is where it stands, with a full stop."""
    fields = _fields(kind)
    for name in table:
        if name not in fields:
            raise UsageError(f"{file}: {_unknown(within, name, fields)}")
    for name, field in fields.items():
        if name in table:
            _check_value(file, table[name], field.type, within + name)
        elif field.required:
            raise UsageError(f"{file} lacks {within + name}: {allowed(field.type)}")


def refuse(file: Path, field: str, value: object, wanted: str) -> UsageError:
    """The sentence about a value that is of the right type, and impossible."""
    return UsageError(f"{file}: {field} is {_written(value)}, and must be {wanted}")


def allowed(kind: Any) -> str:
    """What can stand in a field of that type."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        bounds = [
            f"{word} {getattr(meta, bound):g}"
            for meta in inner[1:]
            for bound, word in _BOUNDS.items()
            if getattr(meta, bound) is not None
        ]
        return f"{allowed(inner[0])}, {' and '.join(bounds)}"
    if origin is Literal:
        return " or ".join(map(_written, inner))
    if origin in (Union, UnionType):
        return " or ".join(allowed(it) for it in inner if it is not NoneType)
    if origin in (list, tuple):
        return f"a list, each {allowed(inner[0])}"
    return _WORDS.get(kind, "a table")


@cache
def _fields(kind: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    return {it.name: it for it in msgspec.structs.fields(kind)}


def _check_value(file: Path, value: object, kind: Any, name: str) -> None:
    table = _table_kind(kind)
    if isinstance(value, dict) and table is not None:
        check(file, value, table, f"{name}.")
    elif isinstance(value, dict) and get_origin(kind) is dict:
        for key, inner in value.items():
            _check_value(file, inner, get_args(kind)[1], f"{name}.{key}")
    else:
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError:
            raise refuse(file, name, value, allowed(kind)) from None


def _table_kind(kind: Any) -> type[msgspec.Struct] | None:
    """The structure that a field may be, whatever else it may be."""
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    return next(
        (it for it in kinds if isinstance(it, type) and issubclass(it, msgspec.Struct)), None
    )


def _unknown(within: str, name: str, fields: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(fields), n=2)
    hint = (
        f"near: {', '.join(within + it for it in near)}" if near else f"known: {', '.join(fields)}"
    )
    return f"{within + name} is no field; {hint}"


def _written(value: object) -> str:
    """As TOML has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
