"""The engine that a box gets: copied there, and asked whether it starts.

What a machine tells of itself does not say whether each library that an engine needs is there.
Where this machine's engine does not start, the static one takes its place.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ciphermark.errors import UsageError
from ciphermark.measure import engine_choice
from ciphermark.measure.remote import transfer
from ciphermark.measure.remote.connection import Connection
from ciphermark.measure.remote.refusals import last_line

_START_SECONDS = 60
"""For its version, which it says at once."""


def bring_engine(connection: Connection, own: Path | None, tell: Callable[[str], None]) -> None:
    """Copies an engine that starts there: `own`, else the one that fits. `tell` is told which.

    Raises UsageError for another processor, a kernel that is too old, an engine that is not here,
    and one that does not start.
    """
    if own is not None:
        if said := _try(connection, own, tell):
            raise UsageError(f"the engine {own} does not start on {connection.name}: {said}")
        return
    asked = engine_choice.facts("\n".join(connection.box.facts), connection.name)
    program = engine_choice.choose(asked)
    if said := _try(connection, program, tell):
        other = engine_choice.instead(asked, program, said)
        tell(
            f"this machine's engine does not start on {connection.name} ({said}), so the static "
            "one is taken, which measures what is compiled into it"
        )
        if said := _try(connection, other, tell):
            engine_choice.instead(asked, other, said)


def _try(connection: Connection, program: Path, tell: Callable[[str], None]) -> str:
    """Copies an engine; why it does not start there, or nothing where it does."""
    if transfer.needs_copy(connection, "engine", program):
        tell(f"copying the engine to {connection.name}, {program.stat().st_size / 1e6:.0f} MB")
        transfer.copy(connection, "engine", program)
    started = connection.ask("ask", _START_SECONDS, "--version")
    if started.returncode == 0:
        return ""
    said = last_line(started.stderr.decode("utf-8", "replace"))
    return said.removeprefix("./engine: ") or f"it ends with code {started.returncode}"
