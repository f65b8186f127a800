"""The thesis's own processor, simulated: instructions of our kernels beside its software's cycles.

No model of its pipeline is known to be right. It begins two instructions in a cycle at most, so
that half of the instructions are the fewest cycles that a kernel can take.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ciphermark.contract.others import SimulatedCase
from ciphermark.plan.planfile import Effort
from ciphermark.studies.evidence import over, value
from ciphermark.studies.kasumi.evidence import Measured, printed
from ciphermark.studies.kasumi.paper import (
    ENCRYPT,
    MAC,
    SIZES,
    SOFTWARE,
    TYPICAL,
    UEA1,
    UIA1,
    Load,
)
from ciphermark.studies.simulations import SETUP, Call, calls
from ciphermark.view import figures
from ciphermark.view.findings import Cell, Column, NotTestable, Table, Verdict, columns

if TYPE_CHECKING:
    from collections.abc import Iterator

OCTEON = "octeon"
ISSUED = 2
"""Instructions that it begins in a cycle at most: `issue` in its file, with the source."""

BY_LINE, BY_TABLES = "reference", "table"
"""Kernels of the specification line by line, and with tables, which stand for its software."""

HALF = 2.0
"""How many times fewer cycles are “significantly optimized”."""

_FUNCTIONS = ((UEA1, ENCRYPT), (UIA1, MAC))


def simulated(effort: Effort) -> list[SimulatedCase]:
    """f8, f9 and their key setups by both kernels, with every effort: it is a matter of seconds."""
    setups = [(algorithm, SETUP) for algorithm, _ in _FUNCTIONS]
    every = [
        *calls(_FUNCTIONS, (BY_LINE, BY_TABLES), SIZES),
        *calls(setups, (BY_LINE, BY_TABLES), (None,)),
    ]
    return [call.on(OCTEON) for call in every]


class Beside(NamedTuple):
    """Encryption of packets of one size, a byte."""

    packet_bytes: int
    published: float
    """Cycles of the thesis's software."""
    executed: dict[str, float | None]
    """Instructions of our kernels."""

    def fewest(self, backend: str) -> float | None:
        """Cycles with two instructions in each."""
        return over(self.executed[backend], ISSUED)


def beside(measured: Measured) -> Iterator[Beside]:
    """Tables A9 to A12 at the number of packets that all of them have, with our kernels."""
    for size in SIZES:
        cost = value(printed().per_bit(Load(SOFTWARE, ENCRYPT, TYPICAL, size)))
        if cost is not None:
            executed = {it: _executed(measured, Call(UEA1, ENCRYPT, it, size)) for it in KERNELS}
            yield Beside(size, 8 * cost, executed)


KERNELS = (BY_LINE, BY_TABLES)


def _executed(measured: Measured, call: Call) -> float | None:
    return over(measured.simulations.instructions(OCTEON, call), call.message_bytes)


def table(measured: Measured) -> Table:
    """Instructions a byte, and what they are at least in cycles."""
    shown = Table(
        title="Tables A9 to A12 on a simulated OCTEON, one core, per byte",
        columns=[
            *columns("function", "bytes"),
            Column(heading="cycles", group="the thesis, software"),
            *columns(*KERNELS, group="instructions here"),
            *columns(*KERNELS, group="fewest cycles here"),
            Column(heading="reference/table", decimals=2),
        ],
        notes=[
            f"fewest cycles: {ISSUED} instructions a cycle, the most that the processor issues; "
            "cache misses and dependences add to them",
        ],
    )
    published = {it.packet_bytes: it for it in beside(measured)}
    for algorithm, operation in _FUNCTIONS:
        for size in SIZES:
            executed = [_executed(measured, Call(algorithm, operation, it, size)) for it in KERNELS]
            if any(executed):
                cycles = published[size].published if algorithm == UEA1 else None
                row: list[Cell] = [f"{algorithm} {operation}", size, cycles, *executed]
                shown.rows.append([*row, *(over(it, ISSUED) for it in executed), over(*executed)])
    if shown.rows:
        shown.notes += _notes(measured)
    return shown


def _notes(measured: Measured) -> Iterator[str]:
    setups = {it: _instructions_of_setup(measured, it) for it in KERNELS}
    if all(setups.values()):
        told = ", ".join(f"{it} {figures.grouped(count or 0)}" for it, count in setups.items())
        yield f"key setup, instructions: {told}"
    yield f"compiled by {measured.simulations.compiler(OCTEON)}"


def _instructions_of_setup(measured: Measured, backend: str) -> int | None:
    return measured.simulations.instructions(OCTEON, Call(UEA1, SETUP, backend))


def as_published(measured: Measured) -> Verdict:
    """By the fewest cycles of the kernel that stands for its software, at each size."""
    rows = _firm(measured)
    return all(row.published >= (row.fewest(BY_TABLES) or 0) for row in rows), "; ".join(
        f"{row.packet_bytes} bytes: {_said(row)}" for row in rows
    )


def optimisable(measured: Measured) -> Verdict:
    """By the fewest cycles of the kernel with tables, which it may well exceed: they can refute."""
    row = _firm(measured)[-1]
    fewest = row.fewest(BY_TABLES) or 0.0
    wanted = row.published / HALF
    shown = (
        f"{row.packet_bytes} bytes, {_said(row)}; half of the thesis's cycles is "
        f"{figures.significant(wanted)}"
    )
    if fewest <= wanted:
        raise NotTestable(f"{shown}; the pipeline decides, and no model of it exists")
    return False, shown


def _said(row: Beside) -> str:
    """`table 112 instructions a byte, 56.2 cycles at least`."""
    told = [
        f"{it} {figures.significant(row.executed[it] or 0)} instructions a byte" for it in KERNELS
    ]
    fewest = figures.significant(row.fewest(BY_TABLES) or 0)
    return f"{', '.join(told)}, the latter {fewest} cycles at least"


def _firm(measured: Measured) -> list[Beside]:
    """All sizes; NotTestable where one was not counted."""
    for size in SIZES:
        for backend in KERNELS:
            measured.simulations.firm(OCTEON, Call(UEA1, ENCRYPT, backend, size))
    return [*beside(measured)]
