"""The image of a board: all firmwares that it can be asked for, over the kernels of some groups."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ciphermark.errors import WorkError
from ciphermark.files import rebuildable
from ciphermark.run.targets import process
from ciphermark.run.targets.target import Board
from ciphermark.run.targets.toolchain import Toolchain, is_too_large, list_of

FIRMWARES = ("rows", "vectors", "measure")
"""Each has the function `firmware_` and its name in the image."""


class BoardImage(NamedTuple):
    """An image, and what the board says that holds it."""

    file: Path
    build: str

    def commands(self, board: Board, serial: str) -> list[list[str]]:
        """What brings the image to a board, word for word."""
        places = {"image": str(self.file), "serial": serial}
        return [[word.format_map(places) for word in shlex.split(it)] for it in board.flash]


class BoardToolchain(Toolchain):
    """The tools of a target, for its board. `target` is that of `on_board`."""

    def build(self) -> None:
        self.archive(self.sources())
        for name in FIRMWARES:
            source = self.kernels / "firmware" / f"{name}.c"
            self.compile([source], f"-Dfirmware=firmware_{name}", "-DHAL_HAS_MARKS")
        self.compile([self._main])

    def link(self, firmware: str, name: str, groups: Sequence[str], data: bytes = b"") -> Path:
        """Nothing is linked for a question: what a `BoardRunner` asks a firmware of the image that
        the board holds."""
        asked = self.images / f"{firmware}-{name}.elf"
        asked.with_suffix(".data").write_bytes(data)
        return asked

    def image(self, groups: Sequence[str]) -> BoardImage:
        """The image with groups, named by their symbols; where it is there, as it is.

        Raises `WorkError` where it does not fit the board.
        """
        content = " ".join([self.folder.name, *groups])
        build = hashlib.sha256(content.encode()).hexdigest()[:16]
        file = self.folder / f"board-{build}.elf"
        listed = self.folder / f"board-{build}.c"
        named = {"target": self.target.name.partition("@")[0], "build": build}
        texts = "".join(f'const char board_{name}[] = "{it}";\n' for name, it in named.items())
        declared = "".join(f"extern const char board_{name}[];\n" for name in named)
        listed.write_text(list_of(groups) + declared + texts, "utf-8")
        firmwares = [self.built(self.kernels / "firmware" / f"{it}.c") for it in FIRMWARES]
        linked = [self.built(self._main), *firmwares, listed, *self._start(), self._archive]

        def link(partial: Path) -> None:
            process.check(*self._command(), "-o", partial, *linked, *self._link_flags())

        try:
            return BoardImage(rebuildable.made(file, link), build)
        except WorkError as error:
            if not is_too_large(error):
                raise
            raise WorkError(
                f"{len(groups)} groups of kernels do not fit {self._board.title}: choose fewer "
                "--algorithms"
            ) from None

    @property
    def _board(self) -> Board:
        assert self.target.board is not None
        return self.target.board

    @property
    def _main(self) -> Path:
        return self.kernels / "firmware" / "board.c"

    def _hal(self) -> list[Path]:
        return [self.kernels / "hal" / it for it in ("boards/line.c", *self._board.hal)]

    def _hal_sources(self) -> list[Path]:
        own = [it for path in self._hal() for it in (sorted(path.glob("*.c")) or [path])]
        shared = [self.kernels / "hal" / "bare" / "memory.c"] if self.target.hal == "bare" else []
        return [it for it in [*own, *shared] if it.suffix == ".c"]

    def _hal_flags(self) -> list[str]:
        numbers = {"CLOCK_HZ": self._board.clock_hz, "BAUD": self._board.baud}
        return [*super()._hal_flags(), *(f"-DHAL_{it}={number}u" for it, number in numbers.items())]

    def _start(self) -> list[Path]:
        return [it for path in self._hal() for it in sorted(path.glob("*.S"))]

    def _link_flags(self) -> list[str]:
        script = self._hal()[-1] / "image.ld"
        common = self.kernels / "hal" / "boards" / "bare"
        scripts = ["-T", str(script), f"-L{common}"] if script.exists() else []
        return [*self.target.link_flags, *scripts]
