"""A run as one line of JSON: what is left where no disk takes it, and how it comes back.

The files are those of a stored run, encoded; the rows stand beside for people and other programs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

from ciphermark.errors import UsageError, WorkError
from ciphermark.record.layout import is_run_id

if TYPE_CHECKING:
    import pyarrow as pa

    from ciphermark.record.run import Run

_BEGIN = b'{"ciphermark_run":'
_FILE = re.compile(r"(also/(?P<also>[^/]+)/)?[a-z]{1,20}\.parquet")


class _Printed(msgspec.Struct):
    ciphermark_run: str
    """Its identifier."""
    files: dict[str, bytes]
    """By their path in the run's folder; base64 in JSON."""
    rows: list[dict[str, object]] = []


def printed(run: Run, rows: pa.Table, also_rows: Sequence[pa.Table] = ()) -> bytes:
    """The line, without its end."""
    from ciphermark.record import parquet
    from ciphermark.record.run_folder import contents

    files = {
        path: parquet.encoded(table).to_pybytes() for path, table in contents(run, rows, also_rows)
    }
    return msgspec.json.encode(_Printed(run.context.run, files, rows.to_pylist()))


def is_one(content: bytes) -> bool:
    """Whether a file, or a line of what a command has printed, begins like one."""
    return content.startswith(_BEGIN) or b"\n" + _BEGIN in content


def read(content: bytes, path: Path) -> tuple[Run, pa.Table, list[pa.Table]]:
    """The run of a file, its rows, and those of the runs that belong to it.

    Raises `UsageError` where it is cut or changed.
    """
    from ciphermark.record.run_folder import read_also_rows, read_rows, read_run

    found = _decoded(content, path)
    with TemporaryDirectory(prefix="ciphermark-printed-") as place:
        folder = Path(place, found.ciphermark_run)
        for name, file in found.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(file)
        try:
            return read_run(folder), read_rows(folder), read_also_rows(folder)
        except WorkError as error:
            raise UsageError(f"{path} has no whole run: {error}") from error


def _decoded(content: bytes, path: Path) -> _Printed:
    line = content[content.index(_BEGIN) :].splitlines()[0]
    try:
        found = msgspec.json.decode(line, type=_Printed)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise UsageError(f"{path} has no whole run, it may be cut short ({error})") from None
    runs = {found.ciphermark_run, *map(_run_of, found.files)} - {""}
    if not all(run is not None and is_run_id(run) for run in runs):
        raise UsageError(f"{path} has no whole run: its files have names that no run has")
    return found


def _run_of(file: str) -> str | None:
    """The run within the run that a file is of, empty for the run itself; None for no such file."""
    name = _FILE.fullmatch(file)
    return None if name is None else name["also"] or ""
