"""The folder of a site: ours alone, each file whole, and written only where it changed.

Nothing outside the folder is written: a folder that holds other things is refused, and so is one in
which a folder of ours is a link.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Collection, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from ciphermark.command.output import json_in_page
from ciphermark.errors import UsageError, WorkError
from ciphermark.files.atomic import remove_leftovers, replaced_file

STATE = "site.json"
"""Name of the record of the pages, so that the next site writes only the rest."""

FILES = ".files"
"""Names of all files that a site has made, a line each, after its first line."""

FIRST_LINE = "files of ciphermark site, which alone it replaces and removes"

LOCK = ".lock"
FOLDERS = ("assets", "data", "download")
MOST_NAMED = 3
"""Strange files that a refusal names at most."""


class Folder:
    """Folder of the files of a site."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.written = 0
        """Number of files that are new or changed."""

    @cached_property
    def _own(self) -> set[str]:
        """Returns the names of files that sites have made here; those of another process may
        lack."""
        with contextlib.suppress(OSError, UnicodeDecodeError):
            first, *names = self.path(FILES).read_text("utf-8").splitlines() or [""]
            if first == FIRST_LINE:
                return set(names)
        return set()

    def _claim(self, name: str) -> None:
        """Notes a file before it is made. Raises `WorkError` where it is there and another's."""
        if name in self._own:
            return
        if os.path.lexists(self.path(name)):
            raise WorkError(
                f"{self.path(name)} was not made by ciphermark site: move it away, or name another "
                "folder"
            )
        with self.path(FILES).open("a", encoding="utf-8") as names:
            names.write(f"{name}\n")
        self._own.add(name)

    def check(self, pages: Collection[str]) -> None:
        """Refuses, as a `UsageError`, a folder that is not a site's or holds other things.

        `pages` are the names of files that a site has at its top.
        """
        if not self.root.exists():
            return
        if not self.root.is_dir():
            raise UsageError(f"{self.root} is a file: name a folder for the site")
        there = sorted(os.listdir(self.root))
        ours = {FILES, LOCK, *FOLDERS, *self._own.intersection({STATE, *pages})}
        strange = [name for name in there if name not in ours and not name.startswith(".new-")]
        if there and not self._own:
            strange = strange or there
        if strange:
            more = ", …" if len(strange) > MOST_NAMED else ""
            named = ", ".join(map(repr, strange[:MOST_NAMED]))
            raise UsageError(
                f"{self.root} holds other things than a site ({named}{more}): move them away, or "
                "name a new or empty folder"
            )
        for folder in self._folders():
            if folder.is_symlink():
                raise UsageError(
                    f"{folder} is a link, and a site writes nothing outside its folder: remove it"
                )

    def _folders(self) -> Iterator[Path]:
        """Yields the folders within it, also links to folders, which are not followed."""
        for place, names, _ in os.walk(self.root):
            yield from (Path(place, name) for name in names)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Makes the folder ours for the block. Raises `WorkError` where another process writes."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.root / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
        except OSError as error:
            raise unwritable(self.root, error) from error
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise WorkError(
                    f"another ciphermark site is writing to {self.root}: wait until it has ended"
                ) from None
            except OSError:
                pass  # a filesystem without locks: each file is whole all the same
            if not self._own:
                self.path(FILES).write_text(f"{FIRST_LINE}\n", "utf-8")
                self._claim(STATE)  # so that what is left of a first site that ends early is ours
            for folder in (self.root, *self._folders()):
                remove_leftovers(folder)
            yield
        finally:
            os.close(lock)

    def path(self, name: str) -> Path:
        """Returns the path of a file of the site."""
        return self.root / name

    def write(self, name: str, content: bytes) -> bool:
        """Writes a file, whole or not at all, unless it has this content; returns whether it did.

        Raises `WorkError`.
        """
        target = self.path(name)
        try:
            self._claim(name)
            if _holds(target, content):
                return False
            target.parent.mkdir(parents=True, exist_ok=True)
            with replaced_file(target) as partial:
                partial.write_bytes(content)
        except OSError as error:
            raise unwritable(target, error) from error
        self.written += 1
        return True

    def write_data(self, name: str, document: Any) -> bool:
        """Writes data as a script for the pages, which browsers load from `file://` too."""
        return self.write(data_file(name), script(name, document))

    def has_data(self, name: str) -> bool:
        """Returns whether this data is there."""
        return self.path(data_file(name)).is_file()

    def keep_only(self, folder: str, names: Collection[str]) -> None:
        """Removes the files of a site in a folder, except those of these names."""
        of_folder = [it for it in self._own if os.path.dirname(it) == folder]
        self.remove([it for it in of_folder if os.path.basename(it) not in names])

    def remove(self, names: Collection[str]) -> None:
        """Removes files of these names that a site has made."""
        for name in self._own.intersection(names):
            with contextlib.suppress(OSError):
                os.unlink(self.path(name))


def data_file(name: str) -> str:
    """Returns the name of the file of some data in a site."""
    return f"data/{name}.js"


def script(name: str, document: Any) -> bytes:
    """Returns a script that calls the one function which takes data."""
    return f"ciphermark.receive({json_in_page(name)},{json_in_page(document)});\n".encode()


def unwritable(path: Path, error: OSError) -> WorkError:
    """Returns the error for a file that cannot be written."""
    return WorkError(
        f"{path} could not be written ({error.strerror}): make room there, or name another folder"
    )


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False
