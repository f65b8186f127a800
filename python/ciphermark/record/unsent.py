"""Runs that could not be stored in their place: kept on this machine until they can.

USER DATA/unsent/PLACE/RUN/ the usual folder TMPDIR/ciphermark-unsent-PLACE-*/RUN/ where that one
takes nothing either: on the same full disk

PLACE is a hash of the folder or address that the runs belong to. The next run that is stored there
takes them along.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

from ciphermark.errors import KeptElsewhere, NotStored, UsageError, WorkError
from ciphermark.files import user_folders
from ciphermark.files.atomic import remove
from ciphermark.record.layout import is_run_id, run_ids

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.record.table import Table


_BEGIN = b'{"ciphermark_run":'
_FILE = re.compile(r"(also/(?P<also>[^/]+)/)?[a-z]{1,20}\.parquet")


class _Printed(msgspec.Struct):
    ciphermark_run: str
    """Its identifier."""
    files: dict[str, bytes]
    """By their path in the run's folder; base64 in JSON."""
    rows: list[dict[str, object]] = []


def printed(run: Run, rows: Table, also_rows: Sequence[Table] = ()) -> bytes:
    """The line, without its end."""
    from ciphermark.record import parquet
    from ciphermark.record.run_folder import contents

    files = {path: parquet.encoded(table) for path, table in contents(run, rows, also_rows)}
    return msgspec.json.encode(_Printed(run.context.run, files, rows.to_pylist()))


def is_printed(content: bytes) -> bool:
    """Whether a file, or a line of what a command has printed, begins like one."""
    return content.startswith(_BEGIN) or b"\n" + _BEGIN in content


def read_printed(content: bytes, path: Path) -> tuple[Run, Table, list[Table]]:
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


_USUAL_TEMPORARY = (Path("/tmp"), Path("/var/tmp"))


class Unsent:
    """The runs of one place that wait here."""

    def __init__(self, place: str) -> None:
        """`place` has no password in it: with another one it is the same place."""
        self.name = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        """The place as the name of a folder."""
        self.folder = user_folders.data_folder() / "unsent" / self.name
        """The usual folder of runs that wait."""

    def run_ids(self) -> list[str]:
        """The runs that wait."""
        return [run.name for run in self.runs()]

    def runs(self) -> Iterator[Path]:
        """The folders of the runs that wait, the newest first in each place."""
        for folder in (self.folder, *self._temporary()):
            with contextlib.suppress(OSError):
                yield from [folder / run for run in run_ids(folder)]

    def keep(self, reason: str, run: Run, rows: Table, also_rows: Sequence[Table] = ()) -> Path:
        """Keeps a run, and returns its folder. Raises `NotStored` where nothing takes it, after the
        reason why it is kept here."""
        from ciphermark.record.run_folder import add_run

        reasons = [reason]
        for place in (self._usual, self._new_temporary):
            folder: Path | None = None
            try:
                folder = place()
                return add_run(folder, run, rows, also_rows)
            except Exception as error:
                if folder is not None:
                    with contextlib.suppress(OSError):
                        folder.rmdir()  # made in vain
                why = error.strerror if isinstance(error, OSError) else repr(error)
                reasons.append(f"{folder or 'a folder for temporary files'} ({why})")
        raise NotStored(", nor in ".join(reasons), run.context.run, printed(run, rows, also_rows))

    def told(self, reason: str, run: Path) -> KeptElsewhere:
        """What the user is told of a run that was kept for this reason."""
        folder = run.parent
        return KeptElsewhere(
            f"{reason}; it is kept in {folder}, and the next run that is stored takes it along: "
            f"see it with ciphermark show {run.name} --runs {folder}"
        )

    def forget(self, run: Path) -> None:
        """Removes a run that waits no more."""
        remove(run)
        if not run_ids(run.parent):  # with what commands have left beside the runs
            shutil.rmtree(run.parent, ignore_errors=True)

    def _usual(self) -> Path:
        return self.folder

    def _new_temporary(self) -> Path:
        """A new folder of our own, that nobody can have made before us."""
        return Path(tempfile.mkdtemp(prefix=self._prefix))

    def _temporary(self) -> list[Path]:
        """The folders of earlier calls; of nobody else, since everybody may write there."""
        found = [path for it in _temporary_folders() for path in it.glob(f"{self._prefix}*")]
        return [folder for folder in sorted(found) if _is_our_own(folder)]

    @property
    def _prefix(self) -> str:
        return f"ciphermark-unsent-{self.name}-"


def _temporary_folders() -> set[Path]:
    """Where `tempfile` may have made some: while one folder was full, it took another."""
    with contextlib.suppress(OSError):
        return {Path(tempfile.gettempdir()), *_USUAL_TEMPORARY}
    return {*_USUAL_TEMPORARY}


def _is_our_own(folder: Path) -> bool:
    try:
        facts = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid()
