"""From what a user types to a stored run."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from pathlib import Path

from ciphermark.errors import UsageError
from ciphermark.record.layout import table_file

_MOST_NAMED = 5
"""Runs that a message names at most."""


def resolve(name: str, stored: list[str], place: str, started: Callable[[str], int]) -> str:
    """The run meant by `last`, an identifier, a part of one that is unique, or a folder's path.

    `stored` are the runs in `place`, newest first; `started` tells when one began. A run outside of
    them is returned as its absolute path, which stands for an identifier wherever the store takes
    one. Raises `UsageError`.
    """
    if name in stored:
        return name
    if os.path.isfile(table_file(Path(name), "context")):
        return os.path.abspath(name)
    if not stored:
        raise UsageError(
            f"no runs are stored in {place}; measure with 'ciphermark survey', or name the folder "
            "of the runs with --runs DIR"
        )
    return _newest(stored, started) if name == "last" else _only(name, stored)


def _newest(stored: list[str], started: Callable[[str], int]) -> str:
    # Identifiers count whole seconds, in which two short runs may have begun.
    second = stored[0].rpartition("-")[0]
    candidates = [run for run in stored if run.startswith(second)]
    if len(candidates) == 1:
        return candidates[0]
    return max(candidates, key=started)


def _only(name: str, stored: list[str]) -> str:
    matches = _matches(name, stored)
    if len(matches) == 1:
        return matches[0]
    if matches:
        named = ", ".join(matches[:_MOST_NAMED]) + (", …" if len(matches) > _MOST_NAMED else "")
        raise UsageError(
            f"'{name}' means {len(matches)} runs ({named}); type more of the identifier, "
            "or see 'ciphermark list runs'"
        )
    raise UsageError(f"there is no run '{name}'{_near(name, stored)}; see 'ciphermark list runs'")


def _matches(name: str, stored: list[str]) -> list[str]:
    """Runs by their four hex digits, else by any part."""
    by_digits = [run for run in stored if run.endswith(f"-{name}")]
    return by_digits or [run for run in stored if name and name in run]


def _near(name: str, stored: list[str]) -> str:
    digits = {run.rpartition("-")[2]: run for run in stored}
    words = difflib.get_close_matches(name, [*stored, *digits], n=3)
    near = sorted({digits.get(word, word) for word in words}, reverse=True)
    return f"; near it: {', '.join(near)}" if near else ""
