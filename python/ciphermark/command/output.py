"""What commands print, and what they put away at their end."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from typing import Any

from ciphermark.messages import say as say

_runs: str | None = None
"""The `--runs` of this command."""


def note_runs(runs: str | None) -> str | None:
    """Takes note of `--runs`, as commands that are told to people need it too."""
    global _runs
    _runs = runs
    return runs


def show_command(run: str) -> str:
    """What shows a run that this command has kept."""
    return f"ciphermark show {run}" + (f" --runs {shlex.quote(_runs)}" if _runs else "")


def print_json(document: Any) -> None:
    """Prints one JSON document on standard output; msgspec structs are encoded field by field."""
    import msgspec

    print(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())


at_end = ExitStack()
"""Closed by `main` when the command has ended; what is put on it is put away then."""
