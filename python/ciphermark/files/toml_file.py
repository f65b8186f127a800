"""Reads TOML that people write: plans, profiles, nodes, protocols, targets, sets of flags.

A file is read as a type of ours. What is wrong in it is said in one sentence: the file, the field,
its value, and what can stand there.

Python's reader takes minutes for a name of many parts, calls itself for each list within a list,
and has no end of digits. What nobody writes by hand is therefore refused before it is read, with
the line where it stands.
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec

from ciphermark.errors import UsageError, shortened
from ciphermark.files import reading

Kind = TypeVar("Kind")

MOST_BYTES = 512 * 2**10
"""A profile of some thousand sizes has a third of that; it is read in half a second."""

DEEPEST = 16
"""Lists and tables within each other, and parts of a name; ours have 4."""

MOST_DIGITS = 400
"""Of a number as it is written. The longest of 64 bits has 64, in base 2."""

_OF_REASON = 200
"""Characters that are shown of what a reader says is wrong."""

_WORDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    NoneType: "nothing",
}
_BOUNDS = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}
_LENGTHS = {"min_length": "at least", "max_length": "at most"}

# Each alternative takes all that it begins, so that no text is looked at twice. Possessive
# quantifiers would say so, but those of groups give wrong matches up to Python 3.11.4.
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.?|"(?!""))*(?:"{3,5}|\Z)|'
    r"'''(?:[^']|'(?!''))*(?:'{3,5}|\Z)|"
    r'(?P<string>"(?:[^"\\\n]|\\.)*"?|'
    r"'[^'\n]*+'?)|"
    r"#[^\n]*+|"
    r"(?P<word>[A-Za-z0-9_+:-]++)|"
    r"(?P<dot>\.)|(?P<open>[\[{])|(?P<close>[\]}])|(?P<blank>[ \t]++)|[^\w]",
    re.DOTALL,
)


class _Refused(Exception):
    """What a file has that nobody writes by hand."""


def read(path: Path, what: str) -> dict[str, Any]:
    """What stands in a file; `what` says of what kind it is: `the plan`. Raises `UsageError`."""
    return table_of(text_of(path, what), f"{what} {path}")


def read_as(path: Path, what: str, kind: type[Kind], **given: object) -> Kind:
    """The same as a type of ours, whose bounds hold; `given` are fields that the file does not say.
    Raises `UsageError`."""
    return as_kind(read(path, what) | given, f"{what} {path}", kind)


def text_of(path: Path, what: str) -> str:
    """The text of a file. Raises `UsageError` for what is not there, no text, or very long."""
    return reading.text(path, f"{what} {path}", MOST_BYTES)


def table_of(text: str, whose: str) -> dict[str, Any]:
    """What a text says. Raises `UsageError`, in which `whose` names it: `the plan mine.toml`."""
    try:
        _check_text(text)
        table = tomllib.loads(text)
        _check_value(table)
    except _Refused as refused:
        raise UsageError(f"{whose} is not valid: {refused}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{whose} is not valid: {reason(error)}") from None
    return table


def as_kind(value: object, whose: str, kind: type[Kind]) -> Kind:
    """A value as a type of ours. Raises `UsageError` with the field that is wrong, its value, and
    what can stand there."""
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise UsageError(f"{whose} is not valid: {fault(value, kind) or reason(error)}") from None


def fault(value: object, kind: Any, name: str = "") -> str | None:
    """What is wrong in a value that is to be of a kind; `name` is where it stands. None where
    nothing is."""
    tables = _table_kinds(kind)
    if isinstance(value, dict) and tables:
        return _fault_of_one_table(value, tables, f"{name}." if name else "")
    faults: Iterator[str | None] = iter(())
    if isinstance(value, dict) and get_origin(kind) is dict:
        items = get_args(kind)[1]
        faults = (fault(item, items, f"{name}.{key}") for key, item in value.items())
    elif isinstance(value, list) and (items := _item_kind(kind, len(value))) is not None:
        faults = (fault(item, items, f"{name}[{place}]") for place, item in enumerate(value))
    if (first := next(filter(None, faults), None)) is not None:
        return first
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return impossible(name, value, allowed(kind))
    return None


def impossible(name: str, value: object, wanted: str) -> str:
    """What is wrong with a value that cannot stand in a field."""
    return f"{name} is {shortened(_written(value), _OF_REASON)}, and must be {wanted}"


def allowed(kind: Any, items: str = "") -> str:
    """What can stand in a field of that type; `items` says how many, of a list."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        of_list = allowed(inner[0], _bounded(inner[1:], _LENGTHS))
        return ", ".join(filter(None, [of_list, _bounded(inner[1:], _BOUNDS)]))
    if origin is Literal:
        return " or ".join(map(_written, inner))
    if origin in (Union, UnionType):
        return " or ".join(allowed(it) for it in inner if it is not NoneType)
    if origin in (list, tuple):
        return f"a list{items and f' of {items}'}, each {allowed(inner[0])}"
    return _WORDS.get(kind, "a table")


def _bounded(metas: Iterable[msgspec.Meta], words: Mapping[str, str]) -> str:
    """The bounds that these set, of those that there are words for."""
    bounds = [(word, getattr(meta, name)) for meta in metas for name, word in words.items()]
    return " and ".join(f"{word} {bound:,}" for word, bound in bounds if bound is not None)


def _fault_of_one_table(
    value: dict[str, Any], kinds: list[type[msgspec.Struct]], within: str
) -> str | None:
    """What is wrong in a table of one of these kinds, which a field of it tells apart."""
    if len(kinds) == 1:
        return _fault_of_table(value, kinds[0], within)
    tags = {it.__struct_config__.tag: it for it in kinds}
    field = kinds[0].__struct_config__.tag_field or "type"
    if isinstance(tag := value.get(field), str) and tag in tags:
        return _fault_of_table(value, tags[tag], within)
    wanted = " or ".join(map(_written, tags))
    if tag is None:
        return f"it lacks {within + field}: {wanted}"
    return impossible(within + field, tag, wanted)


def _fault_of_table(value: dict[str, Any], kind: type[msgspec.Struct], within: str) -> str | None:
    fields = {it.name: it for it in msgspec.structs.fields(kind)}
    tag = kind.__struct_config__.tag_field
    for name in value:
        if name not in fields and name != tag:
            near = difflib.get_close_matches(name, [*fields], n=2)
            hint = f"near: {', '.join(within + it for it in near)}"
            known = f"known: {', '.join(fields)}"
            return f"{shortened(within + name)} is no field; {hint if near else known}"
    for name, inner in value.items():
        if name != tag and (wrong := fault(inner, fields[name].type, within + name)) is not None:
            return wrong
    missing = [it for it in fields.values() if it.required and it.name not in value]
    if not missing:
        return None
    if len(missing) == 1:
        return f"it lacks {within + missing[0].name}: {allowed(missing[0].type)}"
    return "it lacks " + ", ".join(f"{within + it.name} ({allowed(it.type)})" for it in missing)


def _table_kinds(kind: Any) -> list[type[msgspec.Struct]]:
    """The structures that a value may be if it is a table."""
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    return [it for it in kinds if isinstance(it, type) and issubclass(it, msgspec.Struct)]


def _item_kind(kind: Any, count: int) -> Any:
    """What the items of a list must be; None where that is open, or it may not have so many."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        most = [it.max_length for it in inner[1:] if it.max_length is not None]
        return _item_kind(inner[0], count) if count <= min(most, default=count) else None
    if origin is tuple and inner[1:] != (...,):
        return None
    return inner[0] if origin in (list, tuple) else None


def _written(value: object) -> str:
    """As TOML has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def reason(error: Exception) -> str:
    """What a reader says, which may quote all of a text, as it can stand in a sentence."""
    return shortened(" ".join(str(error).split()), _OF_REASON)


def _check_text(text: str) -> None:
    """Refuses what is deep or long by its form, which is what costs Python's reader its time."""
    depth = parts = 0
    was_part = False
    for token in _TOKEN.finditer(text):
        match token.lastgroup:
            case "word" | "string":
                parts = parts if was_part else parts + 1
                was_part = True
                if token.lastgroup == "word":
                    _check_word(text, token)
            case "dot":
                was_part = False
                if parts >= DEEPEST:
                    raise _Refused(
                        f"line {_line(text, token)} has a name of more than {DEEPEST} parts: write "
                        "a name without dots below the header of its table"
                    )
            case "blank":
                pass
            case kind:
                depth += (kind == "open") - (kind == "close")
                depth, parts, was_part = max(depth, 0), 0, False
                if depth > DEEPEST:
                    raise _Refused(
                        f"line {_line(text, token)} nests lists and tables more than {DEEPEST} "
                        "deep: write them one after the other"
                    )


def _check_word(text: str, token: re.Match[str]) -> None:
    word = token[0]
    if len(word) > MOST_DIGITS and (word[0].isdecimal() or word[0] in "+-"):
        digits = sum(map(str.isalnum, word))
        raise _Refused(
            f"line {_line(text, token)} has a number of {digits} digits: write one of at most 18"
        )


def _check_value(table: dict[str, Any]) -> None:
    """Refuses numbers that none of ours can be, and what is nested by names."""
    waiting: list[tuple[_Place, Any]] = [(_Place(None, ""), table)]
    while waiting:
        place, value = waiting.pop()
        if place.depth > DEEPEST:
            raise _Refused(f"{place} is nested more than {DEEPEST} deep: write it flat")
        if isinstance(value, dict):
            waiting += ((_Place(place, key), it) for key, it in value.items())
        elif isinstance(value, list):
            waiting += ((_Place(place, ""), it) for it in value)
        elif isinstance(value, float) and not math.isfinite(value):
            raise _Refused(f"{place} is {value}, and must be a number that is finite")
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            digits = len(str(abs(value)))
            raise _Refused(f"{place} is a number of {digits} digits: write one of at most 18")


class _Place:
    """Where a value stands. Its name is made when it is asked for: below a long one there may be
    many values."""

    __slots__ = ("depth", "key", "within")

    def __init__(self, within: _Place | None, key: str) -> None:
        self.within = within
        self.key = key
        self.depth: int = 0 if within is None else within.depth + 1

    def __str__(self) -> str:
        keys: list[str] = []
        place: _Place | None = self
        while place is not None:
            keys.append(place.key)
            place = place.within
        return shortened(".".join(filter(None, reversed(keys))))


def _line(text: str, token: re.Match[str]) -> int:
    return text.count("\n", 0, token.start()) + 1
