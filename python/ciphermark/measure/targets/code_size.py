"""How large a kernel is: code and constant tables, read from its object files.

The rows by which it is called and the names in them are scaffolding and do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ciphermark.measure.targets import process
from ciphermark.measure.targets.target import Target

_CODE = (".text", ".rodata", ".progmem", ".data.rel.ro")
_MEMORY = (".data", ".bss", ".rodata")
"""Where AVR's compiler puts what lies in memory; constants are copied there too."""

_STRINGS = re.compile(r"\.rodata.*\.str")
_ROWS = re.compile(r"(^|_)rows$")


class Object(NamedTuple):
    """One object file."""

    path: Path
    code_bytes: int
    memory_bytes: int
    """Of an AVR: variables and what is copied to them at the start, rows and names included."""
    defines: set[str]
    needs: set[str]


def look_at(target: Target, objects: Iterable[Path]) -> list[Object]:
    """What the target's own tools say of object files."""
    return [_look_at(target, path) for path in objects]


def linked(objects: Iterable[Object], first: Object) -> list[Object]:
    """An object and all those that a linker would add for it."""
    by_symbol = {symbol: it for it in objects for symbol in it.defines}
    found = {first.path: first}
    waiting = [first]
    while waiting:
        for symbol in waiting.pop().needs:
            needed = by_symbol.get(symbol)
            if needed is not None and needed.path not in found:
                found[needed.path] = needed
                waiting.append(needed)
    return list(found.values())


def _look_at(target: Target, path: Path) -> Object:
    sections, symbols = _sections(target, path), _symbols(target, path)
    code = sum(
        size
        for name, size in sections
        if name.startswith(_CODE) and not _STRINGS.match(name)
    )
    return Object(
        path,
        code - sum(symbol.size for symbol in symbols if _ROWS.search(symbol.name)),
        sum(size for name, size in sections if name.startswith(_MEMORY)),
        {symbol.name for symbol in symbols if symbol.is_global and symbol.is_defined},
        {symbol.name for symbol in symbols if not symbol.is_defined},
    )


class _Symbol(NamedTuple):
    name: str
    is_defined: bool
    is_global: bool
    size: int


def _sections(target: Target, path: Path) -> list[tuple[str, int]]:
    printed = process.check(f"{target.prefix}size", "-A", path)
    return [(name, int(size)) for name, size in re.findall(r"^(\.\S+)\s+(\d+)", printed, re.M)]


def _symbols(target: Target, path: Path) -> list[_Symbol]:
    printed = process.check(f"{target.prefix}nm", "--format=posix", path)
    symbols = []
    for line in printed.splitlines():
        # Name, kind, and where there is one: place and size.
        name, kind, *place = line.split()
        size = int(place[1], 16) if len(place) == 2 else 0
        symbols.append(_Symbol(name, kind != "U", kind.isupper() and kind != "A", size))
    return symbols
