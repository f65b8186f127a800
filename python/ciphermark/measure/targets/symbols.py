"""Symbols of images and objects, as the target's own tools print them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ciphermark.measure.targets import process
from ciphermark.measure.targets.target import Target


class Symbol(NamedTuple):
    """A name in an object or an image."""

    name: str
    address: int
    size: int
    is_defined: bool
    is_global: bool
    is_function: bool


def read(prefix: str, file: Path) -> list[Symbol]:
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
        for it in read(target.prefix, image)
        if (it.is_function or it.name.startswith("hal_stack")) and not it.name.startswith("$")
    }
