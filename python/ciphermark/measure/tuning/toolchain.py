"""The kernels of a variant, compiled beside what all variants of a target share."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from ciphermark.measure.targets import process
from ciphermark.measure.targets.toolchain import Toolchain, language
from ciphermark.measure.tuning.kernels import AROUND
from ciphermark.measure.tuning.variants import Way, optimise

_QUIET = ("-w", "-Werror=implicit-function-declaration")
"""Warnings are for who writes kernels: other levels warn of what is right."""

_HEEDED = ("-Werror=ignored-optimization-argument",)
"""clang passes over flags that only gcc has: then nothing was tried."""

_AS_ONE = ("-r", "-nostdlib")
"""The files of a kernel become one object, of instructions: what gcc from 9 on has to be told."""
_OF_INSTRUCTIONS = "-flinker-output=nolto-rel"
_TOLD_FROM = 9


class VariantToolchain(Toolchain):
    """Compiles the kernels as a variant does; what stands around them, and links, is as always."""

    def __init__(
        self,
        base: Toolchain,
        way: Way,
        sources: Sequence[str],
        folder: Path,
        flags: Sequence[str] = (),
    ) -> None:
        """`base` has what all variants share, already compiled; `sources` are the kernels' files,
        within the folder of the kernels, and `flags` are given for all of them. Several kernels of
        a variant may be compiled in one folder, one after the other."""
        super().__init__(base.target, base.kernels, folder, jobs=1)
        self._way = way
        self._flags = flags
        self._sources = [base.kernels / it for it in sources]
        # Copied: the cache makes room for others while this works.
        for runner in base.folder.glob("runner-*"):
            shutil.copy(runner, folder)
        for shared in filter(Path.is_dir, map(base.folder.joinpath, self._shared)):
            (folder / shared.name).mkdir(exist_ok=True)
            for compiled in shared.glob("[!.]*.o"):
                shutil.copy(compiled, folder / shared.name)

    @property
    def _shared(self) -> list[str]:
        """Folders of what stands around the kernels."""
        return ["firmware", str(self.target.hal), "bare", self.kernels.name]

    def sources(self) -> list[Path]:
        """Those of the kernels that are looked at, and what they need."""
        return self._sources

    def command_for(self, source: Path) -> list[str]:
        """The variant's for kernels."""
        if source.parent.name in self._shared:
            return super().command_for(source)
        heeded = _HEEDED if "clang" in self._way.variant.compiler_name else ()
        command = [*self._way.command, *self._flags, *_QUIET, *heeded]
        command += language(self.target, self.kernels)
        if self._way.variant.is_default:
            command.insert(1, optimise(self.target, source.parent.name))
        return command

    def archive(self, sources: Iterable[Path]) -> None:
        """With the checked calls that firmwares make."""
        super().archive([*sources, *(self.kernels / it for it in AROUND)])

    def collect(self, objects: Iterable[Path]) -> None:
        """Where all are compiled as one, the kernels' are one object."""
        if not self._way.links_at_once:
            super().collect(objects)
            return
        own = {self.built(source) for source in self._sources}
        super().collect([self._as_one(), *(it for it in objects if it not in own)])

    def pieces(self) -> list[tuple[Path, Path]]:
        """Where all are compiled as one, each source with all."""
        if not self._way.links_at_once:
            return super().pieces()
        whole = self._as_one()
        return [(source, whole) for source in self._sources]

    def _as_one(self) -> Path:
        named = hashlib.sha256(" ".join(map(str, self._sources)).encode()).hexdigest()[:16]
        whole = self.folder / f"whole-{named}.o"
        if not whole.exists():
            objects = self.compile(self._sources)
            family, _, version = self._way.variant.compiler_name.partition("-")
            is_told = family == "gcc" and int(version.partition("-")[0]) >= _TOLD_FROM
            told = [_OF_INSTRUCTIONS] if is_told else []
            process.check(*self._way.command, *_AS_ONE, *told, "-o", whole, *objects)
        return whole
