"""Names of algorithms, providers and operations that the engine knows, by what people type."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import get_args

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import names

UNDOING = {"encrypt": "decrypt", "seal": "open", "mac": "verify"}
"""What gives an answer back for what it was made of, or says that it is right."""


def algorithm_names(text: str | list[str] | None, facts: contract.Description) -> list[str]:
    """Canonical names of the algorithms listed; aliases are accepted, and patterns of names."""
    known = {alias: it.name for it in facts.algorithms for alias in [it.name, *it.aliases]}
    return found_names(text, known, "algorithm", "ciphermark list algorithms")


def provider_names(text: str | list[str] | None, facts: contract.Description) -> list[str]:
    """Names of the providers listed, usable or not."""
    known = {it.name: it.name for it in facts.providers}
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
    typed = names.split(text) if isinstance(text, str) else text or []
    found = [it for name in typed for it in _meant(name, known, what, listing)]
    return list(dict.fromkeys(found))


def _meant(name: str, known: dict[str, str], what: str, listing: str) -> list[str]:
    """What a name means, or all whose own names a pattern of a shell fits: `cmac-*`."""
    if len(name) > names.LONGEST or not any(sign in name for sign in "*?["):
        return [names.find(name, known, what, listing)]
    # Suites, whose names have a colon, are meant by patterns with one only.
    fitting = [
        it
        for it in known.values()
        if fnmatchcase(it, name.lower()) and (":" in name or ":" not in it)
    ]
    if not fitting:
        raise UsageError(f"{name!r} fits no {what}; see: {listing}")
    return fitting
