"""Files and folders that appear whole or not at all, and who is writing what is unfinished.

The name of what is unfinished has its writer, so that another process can tell whether that one
still lives. A folder of runs may be shared by machines and containers, whose process numbers mean
nothing to each other. A process is judged only by those that see it: of the same boot and PID
namespace.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_FORM = re.compile(r"(?P<pid>\d{1,10})\.(?P<started>\d{1,20})\.(?P<space>[0-9a-f]{16})")

NOBODY = "0" * 16
"""The space of a process that cannot tell its own; nobody is judged by it."""


class Writer(NamedTuple):
    """A process, as the names of its unfinished files say."""

    pid: int
    started: int
    """In clock ticks since boot: a process number is used again, but not with the same start."""
    space: str
    """Of boot and PID namespace together: where the number means that process."""

    def __str__(self) -> str:
        return f"{self.pid}.{self.started}.{self.space}"

    @classmethod
    def named(cls, text: str) -> Writer | None:
        """The writer that a name ends with; None where it tells of none."""
        form = _FORM.fullmatch(text)
        return form and cls(int(form["pid"]), int(form["started"]), form["space"])

    @property
    def is_seen_from_here(self) -> bool:
        """Whether its number means the same process to this one."""
        return self.space == current_writer().space != NOBODY

    @property
    def is_known_dead(self) -> bool:
        """Whether this process can tell that the writer has ended."""
        if not self.is_seen_from_here:
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except (PermissionError, OverflowError):
            pass  # of another user; its start is told all the same
        return _started(str(self.pid)) not in (self.started, None)


def current_writer() -> Writer:
    """This process."""
    return _writer_of(os.getpid())  # again after a fork


@functools.lru_cache(maxsize=1)
def _writer_of(pid: int) -> Writer:
    started, space = _started("self"), _space(pid)
    return Writer(pid, started or 0, space if started is not None else NOBODY)


def _space(pid: int) -> str:
    try:
        # In a namespace without a /proc of its own, that of the parent has other numbers.
        if os.readlink("/proc/self") != str(pid):
            return NOBODY
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        both = f"{boot} {os.readlink('/proc/self/ns/pid')}"
    except (OSError, ValueError):
        return NOBODY
    return hashlib.sha256(both.encode()).hexdigest()[:16]


def _started(process: str) -> int | None:
    """The 22nd field of its stat; None where that cannot be read."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text("utf-8", "replace")
        return int(stat.rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None


_PARTIAL = re.compile(r"\.new-.+?-(?:(?P<writer>\d+\.\d+\.[0-9a-f]{16})-[0-9a-f]{8}|\d{1,9})")
"""Older versions wrote a process number alone."""

_NAME_LENGTH = 48
"""Of the target's name in that of its beginnings, which must not become too long."""

ABANDONED_S = 86_400.0
"""Age from which what a writer that cannot be asked has left is nobody's, by the clock of the
filesystem. To write a run takes seconds, and each of its files makes it young again."""


@contextlib.contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder to fill, which becomes `target` at the end of the block.

    Nothing is left of it when the block fails. Raises `FileExistsError` when `target` is there.
    """
    partial = unfinished(target)
    partial.mkdir()
    try:
        yield partial
        _sync_folder(partial)
        _rename_to_new(partial, target)
        _sync_folder(target.parent)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


@contextlib.contextmanager
def replaced_file(target: Path) -> Iterator[Path]:
    """A file to write, which replaces `target` at the end of the block."""
    partial = unfinished(target)
    try:
        yield partial
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def remove_leftovers(root: Path) -> None:
    """Removes what writers that died have left half-written in a folder.

    Of a writer that can be seen from here, whether it has died is known; of another machine,
    another container or an older ciphermark, what nobody has written to for `ABANDONED_S` is
    removed.
    """
    now: float | None = None
    for path in root.glob(".new-*"):
        name = _PARTIAL.fullmatch(path.name)
        if name is None:
            continue
        writer = Writer.named(name["writer"] or "")
        if writer is None or not writer.is_known_dead:
            now = _clock_of(root) if now is None else now
            if now is None or now - _last_written(path) < ABANDONED_S:
                continue
        remove(path)


def remove(path: Path) -> None:
    """Removes a file or a folder, at once for whoever looks there; nothing where that is forbidden.

    It gets a name of its own first: a writer that was only asleep finds nothing rather than half.
    """
    gone = path.with_name(f".new-removed-{current_writer()}-{secrets.token_hex(4)}")
    with contextlib.suppress(OSError):
        path.rename(gone)
        if gone.is_dir():
            shutil.rmtree(gone, ignore_errors=True)
        else:
            gone.unlink(missing_ok=True)


def _clock_of(root: Path) -> float | None:
    """The filesystem's time, which a server may tell otherwise than this machine; None where
    nothing can be written."""
    with contextlib.suppress(OSError), tempfile.TemporaryFile(dir=root) as probe:
        probe.write(b".")
        probe.flush()
        return os.fstat(probe.fileno()).st_mtime
    return None


def _last_written(path: Path) -> float:
    """When something was written there last; never long ago where that cannot be told."""
    try:
        return max(it.lstat().st_mtime for it in (path, *path.rglob("*")))
    except OSError:
        return float("inf")


def write_synced(path: Path, content: bytes | memoryview) -> None:
    """Writes a new file and waits until the disk has it."""
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def unfinished(target: Path) -> Path:
    """A name beside `target` for what is to become it; `remove_leftovers` knows it."""
    # Two threads may write the same, and two processes that cannot tell who they are.
    name = target.name[:_NAME_LENGTH]
    return target.with_name(f".new-{name}-{current_writer()}-{secrets.token_hex(4)}")


def _rename_to_new(partial: Path, target: Path) -> None:
    # rename() refuses a folder that holds something, but would replace an empty one.
    if target.exists():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    partial.rename(target)


def _sync_folder(folder: Path) -> None:
    # Some network file systems cannot sync a folder; the files in it are synced by then.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
