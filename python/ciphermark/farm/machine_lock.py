"""One measurement at a time on one machine, whoever asks.

Within a fleet the client sees to that. Two fleets do not know each other, so a worker holds a lock
on a file of its machine while it works. The kernel lets go of the lock when its holder dies.
Containers that do not share `/tmp` do not see each other's.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ciphermark.errors import WorkError
from ciphermark.files.atomic import Writer, current_writer
from ciphermark.files.reading import UNREADABLE

FOLDER = Path("/tmp")
"""Of everybody on the machine, so not the TMPDIR of one of them."""

_TRIES = 100
_PAUSE_S = 0.02
_MOST_BYTES = 4096
"""Size of a file that names its holder, at most."""
"""Two seconds in all: how long a worker that was told to stop takes to do so."""


class Holder(msgspec.Struct, frozen=True):
    """Who holds a lock, as its file says."""

    name: str
    """`fleet 20261122-171016-737b`."""
    pid: int
    user: int
    writer: str = ""
    """The process, as `files.atomic` names it; its number alone may mean another container's."""


class MachineBusy(WorkError):
    """Somebody else is measuring on this machine."""


@contextlib.contextmanager
def held(boot: str, name: str, folder: Path = FOLDER) -> Iterator[None]:
    """Holds the lock of the running system `boot` for the holder of that name.

    Raises `MachineBusy` when another holds it. One that a stopped worker of the same name holds is
    taken from it: what it has measured is not wanted any more.
    """
    file = folder / f"ciphermark-measuring-{boot}"
    for _ in range(_TRIES):
        descriptor = _opened(file)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            _take_from_stopped(file, name)
        else:
            if _is_still_there(file, descriptor):
                break
            os.close(descriptor)
            continue
        time.sleep(_PAUSE_S)
    else:
        raise MachineBusy(_sentence(file))
    try:
        with contextlib.suppress(OSError):  # of another user: it is the lock that counts
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, msgspec.json.encode(_self(name)), 0)
        yield
    finally:
        if _is_still_there(file, descriptor):
            with contextlib.suppress(OSError):  # of another user
                file.unlink()
        os.close(descriptor)


def boot_id() -> str:
    """The kernel's own identifier of this boot, which containers share."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _self(name: str) -> Holder:
    return Holder(name, os.getpid(), os.getuid(), str(current_writer()))


def _opened(file: Path) -> int:
    """Returns a descriptor of the file, which is made if need be; of another user's to read only.

    The name may be planted, since everybody may write there: a link is not followed, a pipe not
    waited for, and a file with another name elsewhere not written. Raises `WorkError`.
    """
    while True:
        with contextlib.suppress(FileExistsError):
            return os.open(file, _OPEN | os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        with contextlib.suppress(FileNotFoundError):
            return _existing(file)


_OPEN = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def _existing(file: Path) -> int:
    """Opens a file that is there: one's own for writing. Raises
    `FileNotFoundError` when it is gone, and `WorkError` where it is planted."""
    is_own = os.lstat(file).st_uid == os.getuid()
    try:
        descriptor = os.open(file, _OPEN | (os.O_RDWR if is_own else os.O_RDONLY))
    except FileNotFoundError:
        raise
    except OSError:
        pass
    else:
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and status.st_nlink <= 1:
            return descriptor
        os.close(descriptor)
    raise WorkError(
        f"{file} is no file of ciphermark, which locks one of that name: remove it and try again"
    )


def _is_still_there(file: Path, descriptor: int) -> bool:
    """Whether the lock is on the file of that name, which another may have replaced meanwhile."""
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.lstat(file), os.fstat(descriptor))
    return False


def _take_from_stopped(file: Path, name: str) -> None:
    holder = _holder(file)
    if holder is not None and holder.name == name and _is_stopped(holder.writer):
        with contextlib.suppress(OSError):
            file.unlink()


def _holder(file: Path) -> Holder | None:
    try:
        descriptor = _existing(file)
        try:
            return msgspec.json.decode(os.pread(descriptor, _MOST_BYTES, 0), type=Holder)
        finally:
            os.close(descriptor)
    except (OSError, WorkError, *UNREADABLE):
        return None


def _is_stopped(writer: str) -> bool:
    """Whether a process that can be seen from here was stopped by a signal, as the third field of
    its stat says."""
    process = Writer.named(writer)
    if process is None or not process.is_seen_from_here:
        return False
    try:
        stat = Path(f"/proc/{process.pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[:1] == ["T"]


def _sentence(file: Path) -> str:
    holder = _holder(file)
    if holder is None:
        return "another measurement is running there: wait until it has ended"
    return (
        f"{holder.name} is measuring there (process {holder.pid} of user {holder.user}): "
        "wait until it has ended"
    )
