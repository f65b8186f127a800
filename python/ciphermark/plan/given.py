"""What people tell that cannot be measured: `price=120,watts=10`."""

from __future__ import annotations

from collections.abc import Mapping

from ciphermark.errors import UsageError
from ciphermark.plan import names, quantities

OPTION = "--given"


def read(text: str, known: Mapping[str, str], study: str) -> dict[str, float]:
    """The numbers by name; `known` says which names the study has, and what they are."""
    if not known:
        raise UsageError(
            f"the study {study} asks for nothing that could be told: leave out {OPTION}"
        )
    listed = "; ".join(f"{name} ({what})" for name, what in known.items())
    found: dict[str, float] = {}
    for part in names.split(text):
        name, separator, number = (it.strip() for it in part.partition("="))
        if not separator:
            raise UsageError(f"{OPTION} {part!r} is no NAME=NUMBER: write {next(iter(known))}=120")
        if name.lower() not in known:
            raise UsageError(
                f"{OPTION} {name!r} is nothing that the study {study} asks for; it takes {listed}"
            )
        found[name.lower()] = quantities.amount(number, f"{OPTION} {name}=")
    if not found:
        raise UsageError(f"{OPTION} {text!r} tells nothing: it takes {listed}")
    return found
