"""A file is copied to a box, and nothing runs there that has not the right hash."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

from ciphermark.errors import WorkError
from ciphermark.measure.remote.box import answers
from ciphermark.measure.remote.connection import Connection

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
            f"{file.name} has become another file on {connection.name} (SHA-256 {found[:12]}… "
            f"instead of {wanted[:12]}…), so it was not run: look at its memory and its disk"
        )


def _sum(told: bytes) -> str:
    return answers(told.decode("utf-8", "replace").splitlines()).get("sum", "")


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
