"""What object files and images tell: their symbols, the groups of kernels that they define, and how
large a kernel is, code and constant tables.

The rows by which a kernel is called and the names in them are scaffolding and do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ciphermark.run.targets import process
from ciphermark.run.targets.target import Target
from ciphermark.run.targets.toolchain import Toolchain


class Symbol(NamedTuple):
    """A name in an object or an image."""

    name: str
    address: int
    size: int
    is_defined: bool
    is_global: bool
    is_function: bool


def symbols_of(prefix: str, file: Path) -> list[Symbol]:
    """All symbols of a file, by the `nm` of that prefix."""
    symbols = []
    for line in process.check(f"{prefix}nm", "--format=posix", file).splitlines():
        # Name, kind, and where there is one: place and size.
        name, kind, *place = line.split()
        address, size = (int(it, 16) for it in [*place, "0", "0"][:2])
        is_global = kind.isupper() and kind != "A"
        symbols.append(Symbol(name, address, size, kind != "U", is_global, kind in "tTwW"))
    return symbols


def addresses(target: Target, image: Path) -> dict[str, int]:
    """Where the functions of an image lie, and the ends of its stack.

    Names of ARM's tools for places where data and instructions begin are left out; of functions in
    Thumb the lowest bit, which says so, is not part of the address.
    """
    is_thumb = "-mthumb" in target.flags
    return {
        it.name: it.address & ~1 if is_thumb else it.address
        for it in symbols_of(target.prefix, image)
        if (it.is_function or it.name.startswith("hal_stack")) and not it.name.startswith("$")
    }


_LISTED = re.compile(r"extern const struct ciphermark_kernels (\w+);")
_DEFINED = re.compile(r"^KERNELS(?:_WHERE)?\((\w+),\s+(\w+)(?:,\s+\w+)?\);", re.MULTILINE)


class Group(NamedTuple):
    """Rows that one file defines."""

    symbol: str
    """Its name in C: `ciphermark_md5_reference_rows`."""
    source: Path

    @property
    def name(self) -> str:
        """As people read it: `md5_reference`."""
        return self.symbol.removeprefix("ciphermark_").removesuffix("_rows")


def groups(toolchain: Toolchain) -> list[Group]:
    """The groups of the folders of kernels that are compiled for a target, in their order."""
    sources = toolchain.sources()
    defined = {symbol: source for source in sources for symbol, _ in definitions(source)}
    symbols = listed(toolchain.preprocessed(toolchain.kernels / "dispatch.c"))
    return [Group(symbol, defined[symbol]) for symbol in symbols if symbol in defined]


def listed(dispatch: str) -> list[str]:
    """The groups that `kernels/dispatch.c` lists, once it is preprocessed."""
    return _LISTED.findall(dispatch)


def definitions(source: Path) -> list[tuple[str, str]]:
    """The groups that a file defines, each with the name of its array of rows."""
    return _DEFINED.findall(source.read_text("utf-8"))


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
    sections, named = sections_of(prefix, compiled), symbols_of(prefix, compiled)
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


def sections_of(prefix: str, compiled: Path) -> list[tuple[str, int]]:
    """The sections of an object or an image with their sizes in bytes."""
    printed = process.check(f"{prefix}size", "-A", compiled)
    return [(name, int(size)) for name, size in re.findall(r"^(\.\S+)\s+(\d+)", printed, re.M)]
