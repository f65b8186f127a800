"""The targets: one file each in the folder `targets` of this package, checked when it is read.

What a file cannot say is refused in one sentence that names file and field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

import ciphermark
from ciphermark.contract.others import Metric, board_label
from ciphermark.errors import UsageError
from ciphermark.files import toml_file, user_folders
from ciphermark.plan.catalogue import Catalogue
from ciphermark.run.targets.pipelines.cores import CORES

Kilobytes = Annotated[float, msgspec.Meta(ge=0, le=1e9)]

UNVERIFIED = "unverified"
"""The source of a parameter that has not been looked up."""


class Caches(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Caches of code and data of one core, whose sizes are `icache_kb` and `dcache_kb`: the line
    that came first gives way, and a store that misses takes no line."""

    line_bytes: Annotated[int, msgspec.Meta(ge=4, le=1024)]
    ways: Annotated[int, msgspec.Meta(ge=1, le=64)]
    memory_ns: Annotated[float, msgspec.Meta(gt=0, le=10_000)]
    """From a miss to the word that was asked for, whatever the clock of the core."""


class Processor(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A processor's description: the table `[processor]` of a target's file."""

    clock_mhz: Annotated[float, msgspec.Meta(gt=0, le=100_000)]
    bus_width_bits: Literal[8, 16, 32, 64]
    """Of data, as the processor computes: the word size that its published figures are normalised
    by."""
    isa: Literal["risc", "cisc"]
    multiply_bits: Literal[0, 8, 16, 32, 64]
    """Widest factors of a multiply instruction; 0 without one."""
    has_divide: bool
    has_rotate: bool
    """Of a whole word by a constant, in one instruction."""
    has_variable_shift: bool
    """By a register, in a time that does not grow with the distance."""
    registers: Annotated[int, msgspec.Meta(ge=1, le=1024)]
    """For general use."""
    issue: Annotated[int, msgspec.Meta(ge=1, le=64)]
    """Most instructions that are begun in a cycle."""
    out_of_order: bool = False
    icache_kb: Kilobytes
    dcache_kb: Kilobytes
    flash_kb: Kilobytes | None = None
    """Of a microcontroller."""
    ram_kb: Kilobytes | None = None
    caches: Caches | None = None
    """How they are organised, of a processor whose misses are to be counted."""
    metric: Metric
    """What its simulation gives."""
    pipeline: str | None = None
    """The model of its cycles, by name; None unless `metric` is `cycles-model`."""
    cycles: dict[str, int] = {}
    """The parameters of that model; see `measure/targets/pipelines/`."""
    sources: dict[str, str]
    """Of every fact above, and of every parameter of the model (`cycles.load_result`): document and
    place, or `unverified`."""


Table = Mapping[str, Any]

_OF_EVERY_TARGET = frozenset(
    {"name", "title", "word_bits", "byte_order", "processor", "variant_of"}
)
"""The other fields are of a toolchain."""

_WITHOUT_SOURCES = frozenset({"metric", "pipeline", "cycles", "caches", "sources"})
"""Fields of a processor that say how it is simulated, or have sources of their own."""


def _faults(given: Table) -> Iterator[str]:
    """What a target's file must not say, though each field is of its kind."""
    yield from _faults_of_toolchain(given)
    if processor := given.get("processor"):
        yield from _faults_of_model(processor)
        yield from _faults_of_sources(processor)
        yield from _faults_of_metric(given)
        yield from _faults_of_caches(given)


def _faults_of_toolchain(given: Table) -> Iterator[str]:
    if "hal" not in given:
        if extra := next((name for name in given if name not in _OF_EVERY_TARGET), None):
            yield f"it has {extra}, but no hal, the folder of kernels/hal for it"
        if "processor" not in given:
            yield "it has neither a toolchain (hal) nor the table [processor]"
        return
    if given["hal"] == "avr" and "stack_bytes" not in given:
        yield "it lacks stack_bytes: how much memory a controller keeps for it"
    if given.get("simulator") == "simavr" and "cpu" not in given:
        yield "it lacks cpu: the controller that simavr is to simulate"
    if "board" in given and given["hal"] not in ("avr", "bare"):
        yield 'it has a table [board], but not hal = "avr" or "bare"'
    if "cpu" in given and "simulator" not in given:
        yield "it has cpu, but no simulator that it could be of"


def _faults_of_metric(given: Table) -> Iterator[str]:
    metric = given["processor"]["metric"]
    if metric == "cycles-measured":
        yield 'it has processor.metric = "cycles-measured", which boards give and no simulator'
    counts_cycles = given.get("simulator") == "simavr"
    if "simulator" in given and counts_cycles != (metric == "cycles-simulated"):
        wanted = '"cycles-simulated"' if counts_cycles else '"cycles-model" or "instructions"'
        gives = f"{wanted}: what {given['simulator']} gives"
        yield toml_file.impossible("processor.metric", metric, gives)


def _faults_of_caches(given: Table) -> Iterator[str]:
    processor = given["processor"]
    if "caches" not in processor:
        return
    if not given.get("simulator", "qemu-").startswith("qemu-"):
        yield "it has processor.caches, whose misses QEMU alone counts here"
    if not (processor["icache_kb"] and processor["dcache_kb"]):
        yield "it has processor.caches, but not both icache_kb and dcache_kb"


def _faults_of_model(processor: Table) -> Iterator[str]:
    pipeline = processor.get("pipeline")
    if processor["metric"] != "cycles-model":
        for field in ("pipeline", "cycles"):
            if field in processor:
                yield f'it has processor.{field}, but not metric = "cycles-model"'
        return
    known = " or ".join(f'"{core}"' for core in CORES)
    if pipeline is None:
        yield f"it lacks processor.pipeline: {known}"
    elif pipeline not in CORES:
        yield toml_file.impossible("processor.pipeline", pipeline, known)
    else:
        cycles, parameters = processor.get("cycles", {}), CORES[pipeline].Parameters
        if (wrong := toml_file.fault(cycles, parameters, "processor.cycles")) is not None:
            yield wrong


def _faults_of_sources(processor: Table) -> Iterator[str]:
    facts = [name for name in Processor.__struct_fields__ if name in processor]
    wanted = [name for name in facts if name not in _WITHOUT_SOURCES]
    for table in ("cycles", "caches"):
        wanted += [f"{table}.{name}" for name in processor.get(table, {})]
    for field in wanted:
        if not processor["sources"].get(field, "").strip():
            place = "write under [processor.sources] where it stands"
            yield f'it lacks a source of processor.{field}: {place}, or "unverified"'
    for field in processor["sources"]:
        if field not in wanted:
            yield f"it has a source of processor.{field}, which it does not state"


Folder = Literal["reference", "portable", "lanes", "x86", "arm", "powerpc"]
"""Of kernels."""

Bytes = Annotated[int, msgspec.Meta(gt=0, le=1 << 40)]


class Board(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A board with the processor, which answers over a serial port: the table `[board]`."""

    title: str
    """What it is, and on which pins its port lies."""
    hal: Annotated[list[str], msgspec.Meta(min_length=1)]
    """Folders and files of `kernels/hal`, the last folder with the script `image.ld` where the
    compiler has none of its own."""
    flags: list[str] = []
    """In addition to those of the target."""
    clock_hz: Annotated[int, msgspec.Meta(gt=0, le=10**10)]
    """While it measures: one by which flash has no wait states."""
    baud: Literal[9600, 19200, 38400, 57600, 115200]
    memory_bytes: Bytes
    """For contexts and messages; of an AVR all of it."""
    stack_bytes: Bytes | None = None
    flash: Annotated[list[str], msgspec.Meta(min_length=1)]
    """The user's own commands that bring an image to the board, with {image} and {serial}."""


class Target(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A processor, and the tools that compile and run programs for it; or a processor alone, of
    which there is only a description."""

    name: str = ""
    """That of its file."""
    title: str
    word_bits: Literal[8, 16, 32, 64] | None = None
    """Unknown, as the order of bytes, where the target is whatever machine this is."""
    byte_order: Literal["little", "big"] | None = None

    processor: Processor | None = None
    """What models know of it; None of a target that only proves kernels."""

    variant_of: str | None = None
    """The target with the same processor and other flags, which models take for both."""

    hal: Literal["linux", "avr", "bare", "m16c"] | None = None
    """The folder of `kernels/hal`; None where nothing can be compiled, so that nothing below is
    given."""
    kernels: tuple[Folder, ...] = (
        *("reference", "portable"),
        *("lanes", "x86", "arm", "powerpc"),
    )
    """Folders of kernels that are compiled for it."""
    prefix: str = ""
    """Of the names of compiler and archiver; with their folder where they are built here."""
    compiler: str = "gcc"
    flags: list[str] = []
    link_flags: list[str] = []
    optimise: str = "-O2"
    otherwise: list[str] = []
    """Flags in addition for a file that the compiler fails on: the first of these that it takes."""

    simulator: str | None = None
    """A program that runs images; `simavr` is the one of `kernels/runners`."""
    cpu: str | None = None
    """What the simulator is to simulate, in its own words."""

    memory_bytes: Bytes = 4 << 20
    """Of a process: for a question, its answer and the kernel's context. Of a controller: all."""
    stack_bytes: Bytes | None = None
    """Of a microcontroller: how much of its memory is kept for the stack."""
    data_bytes: Bytes | None = None
    """Of a microcontroller: how many bytes of questions an image can carry."""
    board: Board | None = None
    """How the processor itself is asked, where there is a board with it."""
    packages: list[str] = []
    """Debian's packages of the tools."""
    built_by: str = ""
    """Of tools that no package has: what to type for them. They are in `tools_folder`."""

    @property
    def tools_folder(self) -> Path:
        """Where the tools are that are built on this machine."""
        return user_folders.cache_folder() / (self.variant_of or self.name)


def read(path: Path) -> Target:
    """The target that a file describes; one that cannot be is refused with a `UsageError`."""
    given = toml_file.read(path, "the target")
    target = toml_file.as_kind(given | {"name": path.stem}, f"the target {path}", Target)
    if (wrong := next(_faults(given), None)) is not None:
        raise UsageError(f"the target {path} is not valid: {wrong}")
    if target.built_by:
        target.prefix = str(target.tools_folder / "bin" / target.prefix)
    return target


FOLDER = Path(ciphermark.__file__).parent / "targets"

TARGETS = Catalogue(FOLDER, "target", read, "ciphermark list targets", order=lambda path: path.stem)


_FLAGS = re.compile(r"-[\w=.+-]+( -[\w=.+-]+)*", re.ASCII)
_OF_OUTPUT = re.compile(
    r"-([cSEMox].*|shared|static|fsyntax-only|save-temps.*|.*=native|Ofast|flto.*)"
)


def with_flags(name: str, flags: str) -> str:
    """Returns the label of a target under other flags: `rv32i@-O3`. Raises `UsageError`."""
    words = flags.split()
    if not _FLAGS.fullmatch(" ".join(words)):
        raise UsageError(
            f"--flags {flags!r} are no flags: write for example --flags='-O3 -fno-inline'"
        )
    if wrong := next(filter(_OF_OUTPUT.fullmatch, words), None):
        raise UsageError(f"{wrong} of --flags does not go with a simulated target: leave it out")
    return f"{name}@{' '.join(words)}"


def labelled(label: str) -> Target:
    """Returns the target of a name, or of a name with flags in place of its optimisation."""
    name, _, flags = label.partition("@")
    target = TARGETS.named(name)
    if not flags:
        return target
    variant_of = target.variant_of or name
    return msgspec.structs.replace(target, name=label, variant_of=variant_of, optimise=flags)


def on_board(target: Target, kernels: Iterable[str]) -> Target:
    """The target as programs for its board are compiled, with these folders of kernels alone.

    Raises `UsageError` where its file describes none.
    """
    if (board := target.board) is None:
        named = ", ".join(it.name for it in TARGETS.all() if it.board is not None)
        raise UsageError(
            f"the target {target.name} has no table [board], as {named} have: see docs/boards.md"
        )
    return msgspec.structs.replace(
        target,
        name=board_label(target.name),
        kernels=tuple(it for it in target.kernels if it in kernels),
        flags=[*target.flags, *board.flags],
        memory_bytes=board.memory_bytes,
        stack_bytes=board.stack_bytes,
        data_bytes=None,
        simulator=None,
        cpu=None,
    )


def simulated() -> list[Target]:
    """The targets that describe a processor and can be run; the others only prove kernels."""
    return [it for it in TARGETS.all() if it.processor is not None and it.simulator is not None]
