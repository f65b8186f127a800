"""What a run holds that other programs than the engine have said: compilers and simulators, whose
kernels we call, and benchmarks that we import.

What is imported was said by the other program, and is weaker than a run of our own. Nothing of it
was verified: not the answers, not the code path, not the machine.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from ciphermark import contract


class BesideFigure(msgspec.Struct, kw_only=True):
    """A figure of one function by another program, on the same machine just before the run."""

    program: str
    """Its name: `openssl speed`, `cryptest`, `32-bit build`."""
    detail: str = ""
    """How it was called or made."""
    algorithm: str
    message_bytes: int
    ns_per_byte: float | None = None
    """CPU time."""
    reason: str = ""
    """Why there is no figure."""


UNKNOWN_MACHINE = "unknown"
"""Name and kind of a machine of which nothing is known."""

Divisor = Literal["cpu-time", "wall-time", "ticks", "core-cycles", "unknown"]
"""What the program has divided by.

- `cpu-time`: CPU time of its process, and of that perhaps only what was spent outside the kernel.
- `wall-time`: time that went by, whatever else the CPU did in it.
- `ticks`: ticks of a counter of constant rate (the TSC of x86), which are no core cycles.
- `core-cycles`: cycles of the core, counted by the processor.
- `unknown`: its output does not say.
"""


class ImportOrigin(msgspec.Struct, kw_only=True):
    """Where the figures of an imported run come from."""

    tool: str
    """The program: `openssl speed`."""
    format: str
    """The form of its output, as `--format` names it."""
    tool_version: str = ""
    """As its output tells it; empty where it does not."""
    tool_command: str = ""
    """How it was called, as far as its output tells; else empty."""
    file: str
    """Name of the file."""
    sha256: str
    """Of the file's bytes."""
    divisor: Divisor
    clock_hz: float | None = None
    """Core clock that the user gave; cycles are time times this."""
    ticks_hz: float | None = None
    """Rate of the counter, where figures are ticks, as far as it is known."""
    told: dict[str, str] = {}
    """What else the output says of the machine and the build."""
    skipped: dict[str, int] = {}
    """Lines that were left out, by what is in them."""
    traps: list[str] = []
    """What the figures do not say, one sentence each."""
    cautions: list[str] = []
    """Facts that every screen repeats which uses the figures, one clause each."""
    timed: dict[str, str] = {}
    """Loop of `openssl speed` by function: `keyed`, `update`; see `readers/openssl_loops.toml`."""
    part: str = ""
    """Name of the figures within a file that has several runs: a core, `table 2`."""
    processes: int = 1
    """Processes at once whose rates were added up: `lanes` of the cases."""


class ImportedFigure(msgspec.Struct, kw_only=True):
    """One figure of another program."""

    case: int
    line: int
    """Where it stands in the file, counted from 1."""
    said: str
    """What was measured, in the program's own words."""
    ns_per_message: float | None = None
    ns_per_byte: float | None = None
    """Of a program that tells the cost of a further byte alone."""
    core_cycles_per_message: float | None = None
    """Where it has counted them."""
    core_cycles_per_byte: float | None = None


Metric = Literal["cycles-measured", "cycles-simulated", "cycles-model", "instructions"]
"""What a figure of a processor is; figures of different metrics are never put together.

- `cycles-measured`: the processor itself has counted them, on a board.
- `cycles-simulated`: a simulator of the processor counted its cycles.
- `cycles-model`: a stated model of the pipeline, over the exact instructions that were executed.
- `instructions`: how many were executed, where no model of the pipeline is known to be right.
"""


_ON_BOARD = "@board"


def board_label(target: str) -> str:
    """`atmega328p@board`: the `target` of cases that a board with it has measured."""
    return target + _ON_BOARD


def target_of_board(label: str) -> str | None:
    """The target whose board has measured the cases of this label; None of one that is
    simulated."""
    return label.removesuffix(_ON_BOARD) if label.endswith(_ON_BOARD) else None


class SimulatedCase(msgspec.Struct, kw_only=True, frozen=True):
    """One call of a kernel on one target."""

    target: str
    """Name of its file; of a board `board_label` of it, of a variant `Variant.label`."""
    algorithm: str
    operation: str
    """`setup`, `seal`, `open`, `encrypt`, `decrypt`, `mac`, `verify`, `digest` or `keystream`."""
    backend: str = "reference"
    message_bytes: int | None = None
    """None for `setup`."""
    keyed_for: Literal["decrypt", "open"] | None = None
    """Of `setup`: the operation that the key is prepared for, where it is not the sending one."""
    seed: int = 1
    """Of key, nonce and message, not 0; the same one gives the same bytes on all targets."""


class Simulation(msgspec.Struct, kw_only=True):
    """What became of a case. Beyond a call of a function that does nothing, which is subtracted."""

    case: SimulatedCase
    metric: Metric | None = None
    value: int | None = None
    """In the metric's unit; None where there is an error."""
    instructions: int | None = None
    """Executed, in every metric."""
    loads: int | None = None
    """Of data memory, where the runner sees them."""
    stores: int | None = None
    instruction_misses: int | None = None
    """Lines of code that were fetched from memory, of caches that were empty before the call; of
    targets whose caches are described, as the next two."""
    data_misses: int | None = None
    """The same of loads."""
    evictions: int | None = None
    """Lines that gave way to others: where there are none, a second call misses nothing."""
    stack_bytes: int | None = None
    """The most below the caller's, by what was written there or by the stack pointer."""
    code_bytes: int | None = None
    """Flash that the algorithm takes when it is linked alone, the compiler's library with it; of
    variants on hosts, all of the files that it needs."""
    context_bytes: int | None = None
    """Of memory for a key."""
    operations: dict[str, int] | None = None
    """How often the processor did what, by kinds of instruction, where the target's instructions
    are counted so."""
    vectors_passed: int = 0
    """On the target, of this row."""
    error: contract.Failure | None = None


class SimulatedTarget(msgspec.Struct, kw_only=True):
    """A target as it was used."""

    target: str
    title: str
    compiler: str
    """Its own first line about itself; empty where it is missing."""
    flags: str
    """With the optimisation, of all files but those of `other_flags`."""
    runner: str
    """The simulator, as it names itself; of a board its counter of cycles."""
    description: str = ""
    """The file of the target, as it was then."""
    other_flags: dict[str, str] = {}
    """Of files that the compiler failed on: what they were given in addition."""
    reason: str = ""
    """Why nothing was simulated, and what to type; else empty."""


class Variant(msgspec.Struct, kw_only=True, frozen=True):
    """One compiler with one set of flags, for one target."""

    target: str
    """Name of its file; `host` of a machine that is measured."""
    name: str
    """Compiler and flags in lower case: `gcc-12-o3`. Unique among those of a target."""
    compiler: str
    """Its command."""
    compiler_name: str
    """Family and version: `gcc-12`."""
    compiler_line: str
    """Its own first line about itself."""
    target_flags: str
    """Those that say what it compiles for, the same for all variants."""
    flags: str
    """Those that are tried."""
    reason: str
    """Why they may be worth it."""
    is_default: bool = False
    """What the others are compared with."""
    shippable: bool = True
    """Whether what comes out runs on other processors of its kind."""

    @property
    def label(self) -> str:
        """Unique in a run: the `target` of its cases."""
        return f"{self.target}@{self.name}"
