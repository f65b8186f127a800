"""The two places a command speaks to: results on standard output, all else on standard error."""

from __future__ import annotations

import os

from rich.console import Console

PIPED_COLUMNS = 200
"""Columns where there is no terminal, which would say how many: room for every column of a table.
The variable COLUMNS has precedence."""


def output_console() -> Console:
    """Where results go; plain where it is no terminal or NO_COLOR is set."""
    return _console(stderr=False)


def message_console() -> Console:
    """Where progress and warnings go."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPED_COLUMNS
    return console
