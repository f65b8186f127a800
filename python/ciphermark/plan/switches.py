"""Switches that hide several features of the processor at once from a library."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ciphermark import contract

_MASKS = re.compile(r"~0x[0-9a-f]+(:~0x[0-9a-f]+)*")
"""Words of bits that are cleared: `OPENSSL_ia32cap` (OPENSSL_ia32cap(3))."""

_NAMES = re.compile(r"[a-z0-9_]+(,[a-z0-9_]+)*")
"""Names of what is left alone: `BOTAN_CLEAR_CPUID`, and the variables of ciphermark's own."""


def together(features: Iterable[str], provider: contract.Provider) -> dict[str, str] | None:
    """The variables that hide these features, as far as the processor has them and the library can
    be told; None where nothing can be hidden, or where one of them cannot be hidden with another.
    """
    found: dict[str, str] = {}
    for feature in features:
        for variable, value in provider.switches.get(feature, {}).items():
            both = _both(found[variable], value) if variable in found else value
            if both is None:
                return None
            found[variable] = both
    return found or None


def _both(one: str, other: str) -> str | None:
    """A value that hides what both hide."""
    if _MASKS.fullmatch(one) and _MASKS.fullmatch(other):
        pairs = zip(_words(one), _words(other), strict=True)
        return ":".join(f"~{a | b:#x}" for a, b in pairs)
    if _NAMES.fullmatch(one) and _NAMES.fullmatch(other):
        return ",".join(dict.fromkeys([*one.split(","), *other.split(",")]))
    return None


def _words(masks: str) -> list[int]:
    return [int(word.removeprefix("~"), 16) for word in masks.split(":")]
