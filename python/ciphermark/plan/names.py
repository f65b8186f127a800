"""Names that people type: found with their aliases, or refused with the names that are near."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, TypeVar, get_args

from ciphermark import contract
from ciphermark.errors import UsageError

LONGEST = 200
"""Characters of a name or of a pattern of names; ours have a third. Looking for what a long one
resembles, or fits, takes minutes."""


def split(text: str) -> list[str]:
    """`"a, b,c"` as a list; empty parts are dropped."""
    return [part.strip() for part in text.split(",") if part.strip()]


def find(name: str, known: Mapping[str, str], what: str, listing: str) -> str:
    """The canonical name of `name` in `known` (name or alias → canonical name).

    `what` names the kind of thing, `listing` the command that lists them.
    """
    canonical = known.get(name.lower())
    if canonical is None:
        raise UsageError(unknown(name, known, what, listing))
    return canonical


def unknown(name: str, known: Iterable[str], what: str, listing: str) -> str:
    """The sentence about a name that is not known."""
    typed = name.lower() if len(name) <= LONGEST else ""
    near = difflib.get_close_matches(typed, list(known), n=3, cutoff=0.5)
    hint = f"near: {', '.join(near)}" if near else f"see: {listing}"
    kind, within, where = what.partition(" in ")
    return f"there is no {kind} {name!r}{within}{where}; {hint}"


Value = TypeVar("Value")


def each(text: str | None, read: Callable[[str], Value]) -> tuple[Value, ...] | None:
    """Every part of a list, once; None where nothing was given."""
    if text is None:
        return None
    return tuple(dict.fromkeys(read(part) for part in split(text) or [text]))


def name_of(kind: object, what: str, see: str) -> Callable[[str], Any]:
    """Reads one of the names that a `Literal` has; who types another is told them all, and the
    command to see."""
    known = {name: name for name in get_args(kind)}
    listing = f"{', '.join(known)} ({see})"
    return lambda text: find(text.strip(), known, what, listing)


UNDOING = {"encrypt": "decrypt", "seal": "open", "mac": "verify"}
"""What gives an answer back for what it was made of, or says that it is right."""


def algorithm_names(text: str | list[str] | None, facts: contract.Description) -> list[str]:
    """Canonical names of the algorithms listed; aliases are accepted, and patterns of names."""
    known = {
        alias: algorithm.name
        for algorithm in facts.algorithms
        for alias in [algorithm.name, *algorithm.aliases]
    }
    return found_names(text, known, "algorithm", "ciphermark list algorithms")


def provider_names(text: str | list[str] | None, facts: contract.Description) -> list[str]:
    """Names of the providers listed, usable or not."""
    known = {provider.name: provider.name for provider in facts.providers}
    return found_names(text, known, "provider", "ciphermark list providers")


def check_usable(named: list[str], facts: contract.Description) -> None:
    """Refuses a provider that the user named, by a list or by a path, and that cannot be used."""
    found = provider_names(named, facts)
    for provider in facts.providers:
        if provider.name in found and not provider.usable:
            raise UsageError(f"{provider.name} cannot be used: {provider.reason}")


def operation_names(text: str | list[str] | None) -> list[str]:
    """The operations listed."""
    known = {name: name for name in get_args(contract.Operation)}
    return found_names(text, known, "operation", "ciphermark list algorithms")


def packet_operation_names(text: str | list[str] | None) -> list[str]:
    """The operations listed that packets can go through, alone or with what undoes them."""
    known = [name for name in get_args(contract.Operation) if name != "setup"]
    known += [f"{name}+{undoing}" for name, undoing in UNDOING.items()]
    return found_names(
        text, {name: name for name in known}, "operation of packets", ", ".join(known)
    )


def backend_names(
    text: str | list[str] | None, offered: list[contract.Implementation]
) -> list[str]:
    """The backends listed, among those of these implementations."""
    names_of = [name for it in offered for name in (it.backend, it.path) if name]
    known = {name: name for name in names_of}
    return found_names(text, known, "backend", "ciphermark list implementations")


def found_names(
    text: str | list[str] | None, known: dict[str, str], what: str, listing: str
) -> list[str]:
    """The names listed, and those that patterns in the list fit, each once.

    `known` has canonical names by what people type, `what` says what they name.
    """
    typed = split(text) if isinstance(text, str) else text or []
    found = [it for name in typed for it in _meant(name, known, what, listing)]
    return list(dict.fromkeys(found))


def is_pattern(name: str) -> bool:
    """Whether it is a pattern of a shell, such as `cmac-*`."""
    return len(name) <= LONGEST and any(sign in name for sign in "*?[")


def _meant(name: str, known: dict[str, str], what: str, listing: str) -> list[str]:
    """What a name means, or all whose own names a pattern of a shell fits: `cmac-*`."""
    if not is_pattern(name):
        return [find(name, known, what, listing)]
    # Suites, whose names have a colon, are meant by patterns with one only.
    fitting = [
        it
        for it in known.values()
        if fnmatchcase(it, name.lower()) and (":" in name or ":" not in it)
    ]
    if not fitting:
        raise UsageError(f"{name!r} fits no {what}; see: {listing}")
    return fitting
