"""Catalogues: folders of files, one for each thing of a kind, that people choose from by name."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from ciphermark.plan import names

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Catalogue(Generic[Thing]):
    """The files that come with ciphermark, each called as what it describes (TOML)."""

    folder: Path
    what: str
    """What one is called in sentences: `node`."""
    read: Callable[[Path], Thing]
    """Reads a file, also one of the user's own; raises `UsageError`."""
    see: str = ""
    """Where the names can be seen, said of one that there is not; the names themselves unless
    given. """

    order: Callable[[Path], str] = os.fspath
    """What the files are sorted by: `imix-v6.toml` comes before `imix.toml`, and its name after."""
    endings: tuple[str, ...] = (".toml",)
    """Of files of the user's own."""
    aliases: tuple[tuple[str, str], ...] = ()
    """Earlier names, with the names of today."""

    def files(self) -> dict[str, Path]:
        """The files by name, in their order."""
        return {path.stem: path for path in sorted(self.folder.glob("*.toml"), key=self.order)}

    def all(self) -> list[Thing]:
        """Everything that comes with ciphermark, in the order of the files."""
        return [self.read(path) for path in self.files().values()]

    def named(self, name: str, or_else: str = "") -> Thing:
        """The one of that name. Raises `UsageError` with the names that are near, or where all can
        be seen and what else can be typed."""
        files = self.files()
        see = (self.see or ", ".join(files)) + or_else
        known = {it: it for it in files} | dict(self.aliases)
        return self.read(files[names.find(name, known, self.what, see)])

    def own_file(self, text: str) -> Path | None:
        """The path of a file of the user's own, if a text looks like one."""
        is_path = "/" in text or text.endswith(self.endings)
        return Path(os.path.expanduser(text)) if is_path else None

    def from_option(
        self, text: str, or_else: str = ", or write the path of a file of your own"
    ) -> Thing:
        """The one of a name, or that of a file of your own. Raises `UsageError`."""
        path = self.own_file(text)
        return self.named(text, or_else) if path is None else self.read(path)
