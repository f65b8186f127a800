"""Files that only spare work: indexes and caches, of which none is ever the truth.

The first line has the SHA-256 of the rest, so that one changed byte is seen also where the rest
could still be read. What is not whole is thrown away and made again, which is said once; what
another version has written is made again too. A file that cannot be written is done without.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ciphermark.files.atomic import remove, replaced_file
from ciphermark.files.reading import UNREADABLE
from ciphermark.messages import say_once

T = TypeVar("T")

MOST_BYTES = 2**28
"""Bytes of a file: an index of 10,000 runs has a tenth."""


class NotWhole(ValueError):
    """A file is cut short, changed, or none of ours."""


def sealed(content: bytes) -> bytes:
    """The content with its checksum before it."""
    return b'{"sha256":"%s"}\n%s' % (hashlib.sha256(content).hexdigest().encode(), content)


def unsealed(file: bytes) -> bytes:
    """The inverse of `sealed`. Raises `NotWhole`."""
    content = file.partition(b"\n")[2]
    if file != sealed(content):
        raise NotWhole("its checksum does not fit")
    return content


def read(path: Path, kind: type[T], dec_hook: Callable[[type, Any], Any] | None = None) -> T | None:
    """What a file holds as JSON; None where there is none of this version."""
    content = read_bytes(path)
    if content is None:
        return None
    with contextlib.suppress(*UNREADABLE):  # of another version
        return msgspec.json.decode(content, type=kind, dec_hook=dec_hook)
    return None


def read_bytes(path: Path) -> bytes | None:
    """What a file holds; None where it is missing or not whole."""
    try:
        return unsealed(_content(path))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, NotWhole) as error:
        throw_away(path, getattr(error, "strerror", None) or str(error))
        return None


def _content(path: Path) -> bytes:
    """Returns the bytes of a file. Raises `NotWhole` for pipes and devices, which may not end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise NotWhole("it is no file")
        with open(descriptor, "rb", closefd=False) as file:
            content = file.read(MOST_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(content) > MOST_BYTES:
        raise NotWhole(f"it is longer than {MOST_BYTES // 2**20} MiB")
    return content


def write(path: Path, content: Any, enc_hook: Callable[[Any], Any] | None = None) -> None:
    """Writes what `read` reads."""
    write_bytes(path, msgspec.json.encode(content, enc_hook=enc_hook))


def write_bytes(path: Path, content: bytes) -> None:
    """Writes what `read_bytes` reads."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replaced_file(path) as partial:
            partial.write_bytes(sealed(content))


def made(path: Path, make: Callable[[Path], object]) -> Path:
    """A file that another program makes, as a compiler; its checksum is in a file beside it. It is
    made again where it is not whole. Raises what `make` does, and `OSError`."""
    beside = path.with_name(f"{path.name}.sha256")
    with contextlib.suppress(OSError):
        if beside.read_bytes() == _checksum(path):
            return path
        throw_away(path, "its checksum does not fit")
    with replaced_file(path) as partial:
        make(partial)
        checksum = _checksum(partial)
    with contextlib.suppress(OSError), replaced_file(beside) as partial:
        partial.write_bytes(checksum)
    return path


def _checksum(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest().encode()


def throw_away(path: Path, reason: str) -> None:
    """Removes a file that cannot be read, and says so once for all files of the process. A folder
    at the place of a file is not of ciphermark, and stays."""
    if not path.is_dir():
        remove(path)
    say_once("rebuildable", f"{path} cannot be read ({reason}) and is made anew")
