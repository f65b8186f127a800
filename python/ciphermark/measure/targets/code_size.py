"""How large a kernel is: code and constant tables, read from its object files.

The rows by which it is called and the names in them are scaffolding and do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ciphermark.measure.targets import process, symbols
from ciphermark.measure.targets.groups import definitions
from ciphermark.measure.targets.toolchain import Toolchain

_CODE = (".text", ".rodata", ".progmem", ".data.rel.ro")
_MEMORY = (".data", ".bss", ".rodata")
"""Where AVR's compiler puts what lies in memory; constants are copied there too."""

_STRINGS = re.compile(r"\.rodata.*\.str")


class Object(NamedTuple):
    """One compiled file."""

    source: Path
    code_bytes: int
    memory_bytes: int
    """Of an AVR: variables and what is copied to them at the start, rows and names included."""
    defines: set[str]
    needs: set[str]


def look_at(toolchain: Toolchain) -> list[Object]:
    """All kernels of a target, compiled, and what its own tools say of them."""
    prefix = toolchain.target.prefix
    return [_look_at(prefix, *both) for both in toolchain.pieces()]


def linked(objects: Iterable[Object], first: Object) -> list[Object]:
    """An object and all those that a linker would add for it."""
    by_symbol = {symbol: it for it in objects for symbol in it.defines}
    found = {first.source: first}
    waiting = [first]
    while waiting:
        for symbol in waiting.pop().needs:
            needed = by_symbol.get(symbol)
            if needed is not None and needed.source not in found:
                found[needed.source] = needed
                waiting.append(needed)
    return list(found.values())


def _look_at(prefix: str, source: Path, compiled: Path) -> Object:
    sections, named = _sections(prefix, compiled), symbols.read(prefix, compiled)
    rows = {name for both in definitions(source) for name in both}
    code = sum(
        size for name, size in sections if name.startswith(_CODE) and not _STRINGS.match(name)
    )
    return Object(
        source,
        code - sum(symbol.size for symbol in named if symbol.name in rows),
        sum(size for name, size in sections if name.startswith(_MEMORY)),
        {symbol.name for symbol in named if symbol.is_global and symbol.is_defined},
        {symbol.name for symbol in named if not symbol.is_defined},
    )


def _sections(prefix: str, compiled: Path) -> list[tuple[str, int]]:
    printed = process.check(f"{prefix}size", "-A", compiled)
    return [(name, int(size)) for name, size in re.findall(r"^(\.\S+)\s+(\d+)", printed, re.M)]
