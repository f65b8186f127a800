"""Loops that `openssl speed` times, by version and function (`openssl_loops.toml`)."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import msgspec

from ciphermark import contract
from ciphermark.files import toml_file

Version = tuple[int, int, int]


class Loop(msgspec.Struct, kw_only=True):
    """A loop over messages of one size."""

    times: str
    """Work that is timed for each message."""
    here: contract.Pattern | None = None
    """Our calling pattern with the same calls; None where there is none."""


class Rule(msgspec.Struct, kw_only=True):
    """The loop of some functions."""

    functions: str
    keyed: bool | None = None
    aead: bool | None = None
    loop: str


class Loops(msgspec.Struct, kw_only=True):
    """All loops and the versions in which they changed."""

    keyed_since: list[str]
    aead_since: str
    loops: dict[str, Loop]
    rules: list[Rule]


@cache
def loops() -> Loops:
    """Returns the table of the loops."""
    return toml_file.read_as(Path(__file__).with_suffix(".toml"), "the loops", Loops)


def loop_name(said: str, version: str, aead: bool) -> str:
    """Returns the name of the loop of a function as a version spells it; `aead`: by -aead."""
    table, function, number = loops(), said.lower(), _version(version)
    libressl = version.startswith("LibreSSL")
    if libressl and re.search(r" (gcm|poly1305)$", function):
        return "unknown"
    if number is None and re.search(r"-(gcm|ccm|ocb|siv)$", function):
        return "unknown"
    since = [_of(it) for it in table.keyed_since]
    keyed = number is not None and (
        number >= since[-1] or any(it[:2] == number[:2] and it <= number for it in since)
    )
    facts = {
        "keyed": keyed and not libressl,
        "aead": aead and (number is None or number >= _of(table.aead_since)),
    }
    return next(
        rule.loop
        for rule in table.rules
        if re.fullmatch(rule.functions, function)
        and all(getattr(rule, name) in (None, value) for name, value in facts.items())
    )


def _version(text: str) -> Version | None:
    version = re.search(r"(\d+\.\d+\.\d+)", text)
    return None if version is None else _of(version[1])


def _of(text: str) -> Version:
    major, minor, patch = map(int, text.split("."))
    return major, minor, patch
