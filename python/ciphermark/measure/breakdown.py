"""Which functions of our kernels' source the instructions of a call come from.

The kernels are compiled here as the engine's own are, with line tables besides, which change no
instruction: functions stay inlined where they were. The engine executes calls of them step by step
and counts; for each address the tables tell the function that the instruction comes from, and those
that it was inlined into. What is counted is therefore the code itself, and no build with functions
kept apart. That the code is the engine's own is checked by the length of a call of both.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import msgspec

from ciphermark import contract
from ciphermark.errors import WorkError
from ciphermark.measure.engine import Engine
from ciphermark.measure.targets import process
from ciphermark.measure.targets.object_files import Group, groups
from ciphermark.measure.targets.target import TARGETS
from ciphermark.measure.targets.toolchain import JOBS, Toolchain, kernel_sources

OWN = "kernels"
"""The provider of the engine's own build."""

QUEUE = "queue"
"""What stands for the algorithm where packets pass and nothing is done to them."""

BUILD = "kernel"
"""The provider of what is compiled here."""

_FLAGS = ("-fPIC", "-g1")
_FAST = ("portable", "x86", "arm")
"""Folders that kernels/build.rs compiles for speed, so that loops become vectors."""

_UNKNOWN = "??"
"""What addr2line says of code without a line table: jumps between libraries."""


class Frame(NamedTuple):
    """A function of the source."""

    file: str
    """With its folder: `reference/kasumi.c`."""
    function: str


class Place(msgspec.Struct, frozen=True):
    """Where instructions come from."""

    of: str
    """`kernel`, `engine` for the way to it, `library` for the C library, or `queue`."""
    frames: tuple[Frame, ...] = ()
    """In a kernel the function that they are of, then those that it was inlined into."""


class Counted(msgspec.Struct, kw_only=True):
    """The instructions of one call."""

    algorithm: str
    operation: str
    backend: str
    message_bytes: int | None
    """None for `setup`."""
    lanes: int
    instructions: int = 0
    own_instructions: int | None = None
    """Of the same call of the engine's own build, where that was counted."""
    places: dict[Place, int] = {}
    """Sums up to `instructions`."""
    error: str | None = None


def count(engine: Engine, algorithms: Sequence[str], sizes: Sequence[int]) -> list[Counted]:
    """Counts the setting of a key, and messages of these bytes, of all our kernels for one message
    and of the one that is used for several.

    A step takes up to 60 µs in a virtual machine: 1000 bytes of the reference of UEA1 take some
    seconds. Raises `WorkError` where the kernels cannot be compiled.
    """
    backends = _backends(engine, algorithms)
    with tempfile.TemporaryDirectory(prefix="ciphermark-") as folder:
        libraries = _libraries(Path(folder), algorithms)
        found = engine.breakdown(algorithms, libraries, backends, sizes, libraries).calls
        calls = [_counted(call, engine.path, libraries) for call in found]
    own = engine.breakdown(algorithms, [OWN], backends, [min(sizes)])
    lengths = {_key(call): call.instructions for call in own.calls if call.error is None}
    for call in calls:
        call.own_instructions = lengths.get(_key(call))
    return [*calls, _queue(own.queue)]


def _queue(found: contract.QueueInstructions) -> Counted:
    """Packets that pass through the queue and that nothing is done to."""
    return Counted(
        algorithm=QUEUE,
        operation="transfer",
        backend=f"batches of {found.batch}",
        message_bytes=None,
        lanes=found.packets,
        instructions=found.instructions,
        places={} if found.error else {Place(QUEUE): found.instructions},
        error=found.error.message if found.error else None,
    )


def _backends(engine: Engine, algorithms: Iterable[str]) -> list[str]:
    """Those for one message, and of those for several the first of each algorithm."""
    chosen: dict[str, None] = {}
    own = [it for it in engine.describe().implementations if it.provider == OWN]
    for algorithm in algorithms:
        there = [it for it in own if it.algorithm == algorithm]
        several = [it.backend for it in there if it.most_lanes > 1][:1]
        for backend in [*(it.backend for it in there if it.most_lanes == 1), *several]:
            chosen[backend] = None
    if not chosen:
        raise WorkError(f"none of our kernels has {', '.join(algorithms)}")
    return list(chosen)


def _libraries(folder: Path, algorithms: Sequence[str]) -> dict[str, str]:
    """A shared object for each group of kernels of these algorithms, by the provider that it is."""
    toolchain = Toolchain(TARGETS.named("host"), kernel_sources(), folder)
    if missing := toolchain.missing():
        raise WorkError(missing)
    every = groups(toolchain)
    chosen = _chosen(toolchain, every, algorithms)
    # Sources without rows of their own are what others call.
    unwanted = {group.source for group in every} - {group.source for group in chosen}
    fast: list[Path] = []
    plain = [toolchain.kernels / "firmware" / "library.c"]
    for source in toolchain.sources():
        is_fast = source.parent.name in _FAST
        if not is_fast or source not in unwanted:
            (fast if is_fast else plain).append(source)
    plainly = toolchain.compile(plain, *_FLAGS)
    toolchain.collect([*plainly, *toolchain.compile(fast, *_FLAGS, "-O3")])
    return {f"{BUILD}@{group.name}": str(toolchain.shared_object(group.symbol)) for group in chosen}


def _chosen(toolchain: Toolchain, every: Sequence[Group], algorithms: Sequence[str]) -> list[Group]:
    """Those with rows of these algorithms."""
    with ThreadPoolExecutor(JOBS) as jobs:
        texts = jobs.map(toolchain.preprocessed, [group.source for group in every])
        return [
            group
            for group, text in zip(every, texts, strict=True)
            if any(f'"{algorithm}"' in text for algorithm in algorithms)
        ]


def _key(call: contract.ExecutedCall | Counted) -> tuple[str, str, str, int | None]:
    return call.algorithm, call.backend, call.operation, call.message_bytes


def _counted(call: contract.ExecutedCall, engine: Path, libraries: dict[str, str]) -> Counted:
    counted = Counted(
        algorithm=call.algorithm,
        operation=call.operation,
        backend=call.backend,
        message_bytes=call.message_bytes,
        lanes=call.lanes,
        instructions=call.instructions,
    )
    if call.error is not None:
        counted.error = call.error.message
    elif call.cut:
        counted.error = (
            f"it executes more than {call.instructions} instructions, the most that are followed"
        )
    else:
        counted.places = _places(call.files, engine, libraries[call.provider])
    return counted


def _places(
    files: Iterable[contract.InstructionsOfFile], engine: Path, library: str
) -> dict[Place, int]:
    places: Counter[Place] = Counter()
    for file in files:
        if file.file == library:
            frames = frames_of(Path(library), file.addresses)
            for address, times in zip(file.addresses, file.times, strict=True):
                places[Place("kernel", frames[address])] += times
        else:
            of = "engine" if file.file == str(engine.resolve()) else "library"
            places[Place(of)] += sum(file.times)
    return dict(places)


_ADDRESS = re.compile(r"^0x[0-9a-f]+$", re.MULTILINE)


def frames_of(library: Path, addresses: Sequence[int]) -> dict[int, tuple[Frame, ...]]:
    """The functions that the instructions at these addresses come from, by the line tables."""
    asked = library.with_suffix(".addresses")
    asked.write_text("".join(f"{address:#x}\n" for address in addresses))
    printed = process.check("addr2line", "-a", "-f", "-i", "-e", library, f"@{asked}")
    frames = (tuple(_frames(lines)) for lines in _ADDRESS.split(printed)[1:])
    return dict(zip(addresses, frames, strict=True))


def _frames(lines: str) -> Iterator[Frame]:
    """Of pairs of lines: a function, and where it is."""
    words = lines.split("\n")[1:-1]
    for function, place in zip(words[::2], words[1::2], strict=True):
        if function != _UNKNOWN:
            file = Path(place.rsplit(":", 1)[0])
            yield Frame(f"{file.parent.name}/{file.name}", function)
