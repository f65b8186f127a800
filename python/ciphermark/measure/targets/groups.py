"""Groups of kernels: rows that stand together, as `kernels/dispatch.c` lists them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from ciphermark.measure.targets.toolchain import Toolchain

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
