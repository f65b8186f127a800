"""What another program has measured, as it said it: weaker than a run of our own.

Nothing here was verified: not the answers, not the code path, not the machine.
"""

from __future__ import annotations

from typing import Literal

import msgspec

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
