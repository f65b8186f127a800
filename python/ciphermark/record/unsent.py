"""Runs that could not be stored in their place: kept on this machine until they can.

USER DATA/unsent/PLACE/RUN/              the usual folder
TMPDIR/ciphermark-unsent-PLACE-*/RUN/    where that one takes nothing either: on the same full disk

PLACE is a hash of the folder or address that the runs belong to. The next run that is stored there
takes them along.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from ciphermark.errors import KeptElsewhere, NotStored
from ciphermark.files.atomic import remove
from ciphermark.record.layout import run_ids

if TYPE_CHECKING:
    import pyarrow as pa

    from ciphermark.record.run import Run

_USUAL_TEMPORARY = (Path("/tmp"), Path("/var/tmp"))


class Unsent:
    """The runs of one place that wait here."""

    def __init__(self, place: str) -> None:
        """`place` has no password in it: with another one it is the same place."""
        self.name = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        """The place as the name of a folder."""
        self.folder = platformdirs.user_data_path("ciphermark") / "unsent" / self.name
        """The usual folder of runs that wait."""

    def run_ids(self) -> list[str]:
        """The runs that wait."""
        return [run.name for run in self.runs()]

    def runs(self) -> Iterator[Path]:
        """The folders of the runs that wait, the newest first in each place."""
        for folder in (self.folder, *self._temporary()):
            with contextlib.suppress(OSError):
                yield from [folder / run for run in run_ids(folder)]

    def keep(
        self, reason: str, run: Run, rows: pa.Table, also_rows: Sequence[pa.Table] = ()
    ) -> Path:
        """Keeps a run, and returns its folder. Raises `NotStored` where nothing takes it, after the
        reason why it is kept here."""
        from ciphermark.record.printed_run import printed
        from ciphermark.record.run_folder import add_run

        reasons = [reason]
        for place in (self._usual, self._new_temporary):
            folder: Path | None = None
            try:
                folder = place()
                return add_run(folder, run, rows, also_rows)
            except OSError as error:
                if folder is not None:
                    with contextlib.suppress(OSError):
                        folder.rmdir()  # made in vain
                reasons.append(f"{folder or 'a folder for temporary files'} ({error.strerror})")
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
