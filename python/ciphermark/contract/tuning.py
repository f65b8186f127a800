"""The ways in which kernels were compiled for a target."""

from __future__ import annotations

import msgspec


class Variant(msgspec.Struct, kw_only=True, frozen=True):
    """One compiler with one set of flags, for one target."""

    target: str
    """Name of its file; `host` of a machine that is measured."""
    name: str
    """Compiler and flags in lower case: `gcc-12-o3`. Unique among those of a target."""
    compiler: str
    """Its command."""
    compiler_name: str
    """Family and version: `gcc-12`."""
    compiler_line: str
    """Its own first line about itself."""
    target_flags: str
    """Those that say what it compiles for, the same for all variants."""
    flags: str
    """Those that are tried."""
    reason: str
    """Why they may be worth it."""
    is_default: bool = False
    """What the others are held against."""
    shippable: bool = True
    """Whether what comes out runs on other processors of its kind."""

    @property
    def label(self) -> str:
        """Unique in a run: the `target` of its cases."""
        return label(self.target, self.name)


def label(target: str, name: str) -> str:
    """`atmega128@gcc-5-o3`."""
    return f"{target}@{name}"
