"""Files and folders that appear whole or not at all.

What is written goes beside its place, under a name that begins with `.new-` and ends with the
writer's process number, and is renamed when it is complete.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

_PARTIAL = re.compile(r"\.new-.+-(?P<pid>\d{1,9})")


@contextlib.contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder to fill, which becomes `target` at the end of the block.

    Nothing is left of it when the block fails. Raises `FileExistsError` when `target` is there.
    """
    partial = _partial(target)
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
    partial = _partial(target)
    try:
        yield partial
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def remove_leftovers(root: Path) -> None:
    """Removes what processes that died, of this machine, left half-written in a folder."""
    for path in root.glob(".new-*"):
        name = _PARTIAL.fullmatch(path.name)
        if name is None or _is_running(int(name["pid"])):
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def write_synced(path: Path, content: bytes | memoryview) -> None:
    """Writes a new file and waits until the disk has it."""
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _partial(target: Path) -> Path:
    return target.with_name(f".new-{target.name}-{os.getpid()}")


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


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
