"""The engine that a box gets: copied there, where nothing runs that has not the right hash, and
asked whether it starts.

What a machine tells of itself does not say whether each library that an engine needs is there.
Where this machine's engine does not start, the static one takes its place.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from pathlib import Path

from ciphermark.errors import UsageError, WorkError
from ciphermark.run import engine_choice
from ciphermark.run.remote.box import answers
from ciphermark.run.remote.client import last_line
from ciphermark.run.remote.connection import Connection

SECONDS = 900
"""A big engine over a line of 150 kbit/s."""


def needs_copy(connection: Connection, name: str, file: Path) -> bool:
    """Whether the box has another file of this name, or none."""
    return _sum(connection.ask("sum", name).stdout) != _hash(file.read_bytes())


def copy(connection: Connection, name: str, file: Path) -> None:
    """Makes a program in the folder there, of the file here. Raises WorkError when it comes out
    as another one."""
    content = file.read_bytes()
    packed = bool(connection.box.unpacks)
    # The quickest way makes a third of an engine, and lines are what takes long.
    given = gzip.compress(content, 1) if packed else content
    how = "packed" if packed else "plain"
    done = connection.ask("put", name, how, given=given, seconds=SECONDS)
    wanted, found = _hash(content), _sum(done.stdout)
    if not found:
        # No tool for it there: what has arrived is looked at here.
        found = _hash(connection.ask("get", name, seconds=SECONDS).stdout)
    if found != wanted:
        raise WorkError(
            f"{file.name} arrived changed on {connection.name} (SHA-256 {found[:12]}… instead of "
            f"{wanted[:12]}…), so it was not run: check its memory and its disk"
        )


def _sum(told: bytes) -> str:
    return answers(told.decode("utf-8", "replace").splitlines()).get("sum", "")


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


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
            "one is used, which measures the libraries compiled into it"
        )
        if said := _try(connection, other, tell):
            engine_choice.instead(asked, other, said)


def _try(connection: Connection, program: Path, tell: Callable[[str], None]) -> str:
    """Copies an engine; why it does not start there, or nothing where it does."""
    if needs_copy(connection, "engine", program):
        tell(f"copying the engine to {connection.name}, {program.stat().st_size / 1e6:.0f} MB")
        copy(connection, "engine", program)
    started = connection.ask("ask", _START_SECONDS, "--version")
    if started.returncode == 0:
        return ""
    said = last_line(started.stderr.decode("utf-8", "replace"))
    return said.removeprefix("./engine: ") or f"it ends with code {started.returncode}"
