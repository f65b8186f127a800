"""What a command puts away at its end, however it ends."""

from __future__ import annotations

from contextlib import ExitStack

at_end = ExitStack()
"""Closed by `main` when the command has ended; what is put on it is put away then."""
