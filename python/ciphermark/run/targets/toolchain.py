"""Compiles the kernels for a target, and links firmwares to them; which targets' tools are here.

The same sources, by the same compiler with the same flags, are compiled once: into a folder of the
user's cache that is named by what it is made of. A few of each target are kept; older ones belong
to sources that have changed since.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

import ciphermark
from ciphermark.contract.others import Metric
from ciphermark.errors import WorkError
from ciphermark.files import extras, rebuildable, user_folders
from ciphermark.files.atomic import replaced_file
from ciphermark.run.targets import process
from ciphermark.run.targets.target import Target, simulated

WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror")
_FOLDERS = ("include", "common", "modes", "reference", "lanes", "universal", "hal", "firmware")
JOBS = 2
"""Compilers and simulators at a time."""

_BARE = (
    *("-ffreestanding", "-fbuiltin", "-nostdlib", "-static", "-fno-pic", "-no-pie"),
    *("-fno-stack-protector", "-fno-asynchronous-unwind-tables"),
)
"""For a program that has nothing beneath it: no start files, no library, no tables for unwinding.

What memcpy does is still known to the compiler, as where there is a library: without `-fbuiltin`
each word that a kernel loads by it would be a call.
"""

_WITHOUT_LIBRARY = ("bare", "m16c")
"""Folders of `kernels/hal` for programs without a C library, of which `bare` has what they need."""

_PROBE = "#include <string.h>\nint main(void) { return 0; }\n"
_SIMAVR_PROBE = "#include <libelf.h>\n#include <simavr/sim_avr.h>\n"


def kernel_sources() -> Path:
    """The C of the kernels: within the package where it is installed, else in the source tree."""
    package = Path(ciphermark.__file__).parent
    places = [package / "kernels", package.parents[1] / "kernels"]
    found = next((path for path in places if (path / "firmware").is_dir()), None)
    if found is None:
        raise WorkError(f"the C of the kernels is not at {places[0]}: install ciphermark again")
    return found


class Toolchain:
    """The tools of one target, with a folder for what they make."""

    def __init__(
        self,
        target: Target,
        kernels: Path,
        folder: Path,
        jobs: int = JOBS,
        images: Path | None = None,
    ) -> None:
        """`kernels` is the folder of the C sources; so many compilers work at a time. Images go to
        a folder of their own where others use `folder` at the same time."""
        self.target = target
        self._jobs = jobs
        self.images = images or folder
        self.kernels = kernels
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def compiler(self) -> str:
        """Its command."""
        return self.target.prefix + self.target.compiler

    def missing(self) -> str | None:
        """What has to be installed before anything can be compiled and run, in a sentence."""
        for probe in (self._probe_compiler, self._probe_simulator):
            try:
                probe()
            except WorkError:
                return self.lacking()
        processor = self.target.processor
        if processor and processor.pipeline and not extras.is_installed("simulate"):
            return extras.lacking("simulate")
        return None

    def lacking(self) -> str:
        """The sentence about tools that are missing."""
        _, tried, flags = self.target.name.partition("@-")
        if tried:
            return f"{self.target.title} is not compiled with -{flags}: its compiler refuses that"
        typed = self.target.built_by or f"apt-get install {' '.join(self.target.packages)}"
        return f"{self.target.title} needs its tools: {typed}"

    def build(self) -> None:
        """Compiles everything that images are linked of; a warning is an error."""
        self.archive(self.sources())
        firmwares = ("rows.c", "vectors.c", "measure.c")
        self.compile(self.kernels / "firmware" / name for name in firmwares)

    def archive(self, sources: Iterable[Path]) -> None:
        """Compiles what is linked into images as far as they need it: these sources, and what all
        images share."""
        pieces = [*sources, self.kernels / "firmware" / "print.c"]
        hal = self.compile(self._hal_sources(), *self._hal_flags())
        objects = [*self.compile(pieces), *hal]
        with replaced_file(self._archive) as partial:
            # Files of two folders may have one name: both are appended.
            process.check(f"{self.target.prefix}ar", "qcs", partial, *objects)

    def sources(self) -> list[Path]:
        """The C of the kernels, with what they share and the list of all."""
        folders = (".", "common", "modes", *self.target.kernels)
        return [path for folder in folders for path in sorted((self.kernels / folder).glob("*.c"))]

    def compile(self, sources: Iterable[Path], *flags: str) -> list[Path]:
        """The objects of these sources; a warning is an error."""
        with ThreadPoolExecutor(self._jobs) as jobs:
            return list(jobs.map(lambda source: self._object(source, flags), sources))

    def pieces(self) -> list[tuple[Path, Path]]:
        """The sources of the kernels, each with what it was compiled to."""
        sources = self.sources()
        return [*zip(sources, self.compile(sources), strict=True)]

    def preprocessed(self, source: Path) -> str:
        """A source as the compiler reads it."""
        return process.check(*self._command(), "-E", source)

    def link(self, firmware: str, name: str, groups: Sequence[str], data: bytes = b"") -> Path:
        """The image of that name, in which a firmware works on groups, named by their symbols, with
        the data that it reads.

        Of the kernels only what those groups need is in it.
        """
        image = self.images / f"{firmware}-{name}.elf"
        carried, listed = image.with_suffix(".data"), image.with_suffix(".c")
        carried.write_bytes(data)
        listed.write_text(list_of(groups))
        linked = [
            self.built(self.kernels / "firmware" / f"{firmware}.c"),
            listed,
            self.kernels / "hal" / "data.S",
            *self._start(),
            self._archive,
        ]
        own = (f'-DDATA="{carried}"', "-o", image)
        process.check(*self._command(), *own, *linked, *self._link_flags())
        return image

    def built(self, source: Path) -> Path:
        """Where the object of a source is."""
        return self.folder / source.parent.name / source.with_suffix(".o").name

    @property
    def _archive(self) -> Path:
        """Only what is needed is linked from it."""
        return self.folder / "pieces.a"

    def _object(self, source: Path, flags: Iterable[str]) -> Path:
        """One that is there was made by another call, or by another process, of the same things."""
        built = self.built(source)
        built.parent.mkdir(exist_ok=True)
        command = [*self.command_for(source), *flags, "-c", str(source), "-o"]
        told = self._told_of(source)
        return rebuildable.made(built, lambda partial: self._compile([*command, partial], told))

    def command_for(self, source: Path) -> list[str]:
        """What compiles a source, except its name and that of what comes out."""
        return self._command()

    def other_flags(self) -> dict[str, str]:
        """What files were given in addition that the compiler failed on, of those compiled."""
        told = ((source.name, self._told_of(source)) for source in self.sources())
        return {name: file.read_text("utf-8") for name, file in told if file.exists()}

    def _told_of(self, source: Path) -> Path:
        """The file beside an object that says so."""
        return self.built(source).with_suffix(".flags")

    def link_alone(self, image: Path, objects: Sequence[Path], flags: Sequence[str]) -> None:
        """Links objects with what stands beneath them, and nothing else of the kernels."""
        hal = [self.built(source) for source in self._hal_sources() if source.parent.name == "bare"]
        linked: list[str | Path] = [*objects, *hal, *self._link_flags()]
        process.check(*self._command(), *flags, "-o", image, *linked)

    def compile_by(self, command: Sequence[str | Path], built: Path) -> None:
        """Compiles by a whole command, with other flags in addition where the compiler fails."""
        self._compile(command, built.with_suffix(".flags"))

    def _compile(self, command: Sequence[str | Path], told: Path) -> None:
        """With other flags in addition where the compiler fails, which `told` then says."""
        *attempts, last = ("", *self.target.otherwise)
        for flags in attempts:
            if process.run(*command, *flags.split()).status == 0:
                break
        else:
            flags = last
            process.check(*command, *last.split())
        if flags:
            rebuildable.write_bytes(told, flags.encode())

    def _command(self) -> list[str]:
        target = self.target
        return [
            self.compiler,
            *target.flags,
            *target.optimise.split(),
            *WARNINGS,
            *language(target, self.kernels),
        ]

    def _link_flags(self) -> list[str]:
        script = self.kernels / "hal" / str(self.target.hal) / "image.ld"
        return [
            *self.target.link_flags,
            *(["-static"] if self.target.hal == "linux" else []),
            *(["-T", str(script)] if script.exists() else []),
        ]

    def _hal_sources(self) -> list[Path]:
        hal = self.kernels / "hal"
        own = {*(hal / str(self.target.hal)).glob("*.c")}
        shared = {hal / "bare" / "memory.c"} if self.target.hal in _WITHOUT_LIBRARY else set()
        return sorted(own | shared)

    def _hal_flags(self) -> list[str]:
        """Sizes, and what keeps a loop of memcpy from becoming a call of memcpy."""
        target = self.target
        sizes = {"STACK": target.stack_bytes, "MEMORY": target.memory_bytes}
        macros = [f"-DHAL_{name}_BYTES={size}" for name, size in sizes.items() if size is not None]
        has_library = target.hal not in _WITHOUT_LIBRARY
        return macros if has_library else ["-fno-tree-loop-distribute-patterns", *macros]

    def _start(self) -> list[Path]:
        """Where the program begins, where no library has that."""
        start = self.kernels / "hal" / str(self.target.hal) / "start.S"
        return [start] if start.exists() else []

    def _probe_compiler(self) -> None:
        source = self.folder / "probe.c"
        source.write_text(_PROBE)
        process.check(*self._command(), source, *self._link_flags(), "-o", source.with_suffix(""))

    def _probe_simulator(self) -> None:
        if self.target.simulator == "simavr":
            source = self.folder / "probe.c"
            source.write_text(_SIMAVR_PROBE)
            process.check("cc", "-fsyntax-only", source)
        elif self.target.simulator == "m32c":
            process.check("test", "-e", self.target.tools_folder / "simulator" / "libsim.a")
        elif self.target.simulator is not None:
            process.check(self.target.simulator, "-version")


def language(target: Target, kernels: Path) -> list[str]:
    """The flags that every compiler of a target is given: what the sources are written in, what
    stands beneath them, and where their headers are."""
    folders = [f"-I{kernels / folder}" for folder in _FOLDERS]
    if target.hal not in _WITHOUT_LIBRARY:
        return ["-std=c99", *folders]
    return ["-std=c99", *_BARE, f"-I{kernels / 'hal' / 'bare' / 'include'}", *folders]


def list_of(groups: Sequence[str]) -> str:
    """The C of `kernels/firmware/groups.h`."""
    declared = "".join(f"extern const struct ciphermark_kernels {it};\n" for it in groups)
    addresses = ", ".join(f"&{it}" for it in groups)
    return (
        f'#include "groups.h"\n{declared}'
        f"const struct ciphermark_kernels *const firmware_groups[] = {{{addresses}}};\n"
        f"const size_t firmware_group_count = {len(groups)};\n"
    )


_TOO_LARGE = ("will not fit in region", "is not within region", "overflowed by")
"""What linkers say of a program that is larger than the memory of its processor."""


def is_too_large(error: WorkError) -> bool:
    """Whether a program could not be linked since it is larger than the memory."""
    return any(words in str(error) for words in _TOO_LARGE)


KEPT = 3
"""Folders of one target."""

_SOURCES = ("*.c", "*.h", "*.S", "*.ld")


def cached_toolchain(
    target: Target, images: Path, jobs: int = 1, root: Path | None = None
) -> Toolchain:
    """The tools of a target, with the folder in the cache that fits them and the kernels' sources,
    and one of the caller's own for images.

    Raises `WorkError` where the compiler is missing.
    """
    kernels = kernel_sources()
    return Toolchain(target, kernels, cached_folder(target, kernels, root), jobs, images)


def cached_folder(target: Target, kernels: Path, root: Path | None = None) -> Path:
    """The folder in the cache for what is made of these sources for a target.

    Raises `WorkError` where the compiler is missing.
    """
    root = root or user_folders.cache_folder() / "targets"
    folder = root / f"{target.name}-{_content(target, kernels)}"
    _make_room(root, target, folder)
    folder.mkdir(parents=True, exist_ok=True)
    folder.touch()
    return folder


def compiler_line(target: Target) -> str:
    """The first line of what the compiler says of itself."""
    return process.check(target.prefix + target.compiler, "--version").splitlines()[0]


def _content(target: Target, kernels: Path) -> str:
    """Of all that decides what comes out."""
    content = hashlib.sha256(msgspec.json.encode(target))
    content.update(compiler_line(target).encode())
    for path in sorted(path for kind in _SOURCES for path in kernels.rglob(kind)):
        content.update(f"{path.relative_to(kernels)}\n".encode())
        content.update(path.read_bytes())
    return content.hexdigest()[:16]


def _make_room(root: Path, target: Target, kept: Path) -> None:
    """Removes the folders of a target that were not used for longest."""
    others = [path for path in root.glob(f"{target.name}-*") if path != kept]
    own = [path for path in others if len(path.name) == len(kept.name)]
    for path in sorted(own, key=lambda it: it.stat().st_mtime)[: -(KEPT - 1)]:
        shutil.rmtree(path, ignore_errors=True)


class TargetSummary(msgspec.Struct, kw_only=True):
    """A target in a list."""

    target: str
    """Its name, as `ciphermark simulate` takes it."""
    title: str
    word_bits: int | None
    clock_mhz: float
    multiply_bits: int
    metric: Metric
    """What its figures are."""
    usable: bool
    reason: str
    """What to type for the tools that it lacks; empty when usable."""


def summaries() -> list[TargetSummary]:
    """All targets that describe a processor and have a simulator, by name."""
    with tempfile.TemporaryDirectory(prefix="ciphermark-") as folder:
        return [_summary(target, Path(folder) / target.name) for target in simulated()]


def _summary(target: Target, folder: Path) -> TargetSummary:
    processor = target.processor
    assert processor is not None
    missing = Toolchain(target, kernel_sources(), folder).missing()
    return TargetSummary(
        target=target.name,
        title=target.title,
        word_bits=target.word_bits,
        clock_mhz=processor.clock_mhz,
        multiply_bits=processor.multiply_bits,
        metric=processor.metric,
        usable=missing is None,
        reason=missing or "",
    )
