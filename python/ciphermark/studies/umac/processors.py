"""The page's processors, simulated: instructions of our kernels beside its cycles.

Neither has a model of its pipeline here. The page's code was MMX and AltiVec by hand; ours is C,
with AltiVec where words of 2 bytes gain by it, so that a quotient of both is no reproduction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ciphermark.contract.others import SimulatedCase
from ciphermark.plan.planfile import Effort
from ciphermark.studies.evidence import over
from ciphermark.studies.simulations import Call
from ciphermark.studies.umac.paper import (
    CBC_RC6,
    FUNCTIONS,
    HASH127,
    HASH127_RC6,
    PENTIUM,
    PLATFORMS,
    POWERPC,
    SIZES,
    Function,
    measured_bytes,
    published,
)
from ciphermark.view.findings import Cell, Column, NotTestable, Table, columns

if TYPE_CHECKING:
    from ciphermark.studies.umac.evidence import Measured

TARGETS = {PENTIUM: "pentium3", POWERPC: "ppc7400"}
"""By the page's platforms."""

DOUBLES = "doubles"


def backends(function: Function, platform: str) -> tuple[str, ...]:
    """Our kernels of a function that may be the quickest there."""
    if function is CBC_RC6:
        return ("reference",)
    if function in (HASH127, HASH127_RC6):
        return ("portable", DOUBLES)
    has_altivec = platform == POWERPC and "-2/" in function.name
    return ("portable", "altivec") if has_altivec else ("portable",)


def _cells(platform: str) -> Iterator[tuple[Function, int]]:
    """Functions and sizes that the page has of it."""
    for function in FUNCTIONS:
        for size in SIZES:
            if published(function, size, platform) is not None:
                yield function, size


def _call(function: Function, size: int, backend: str) -> Call:
    operation = "digest" if function.algorithm == "sha1" else "mac"
    return Call(function.algorithm, operation, backend, measured_bytes(function.algorithm, size))


def simulated(effort: Effort) -> list[SimulatedCase]:
    """Every cell of the page's tables, with every effort: it is a matter of seconds."""
    return [
        _call(function, size, backend).on(target)
        for platform, target in TARGETS.items()
        for function, size in _cells(platform)
        for backend in backends(function, platform)
    ]


class Executed(NamedTuple):
    """What a message takes by one kernel."""

    backend: str
    a_byte: float
    """Instructions, over the bytes of the message as the page counts them."""


def _executed(
    measured: Measured, platform: str, function: Function, size: int
) -> Iterator[Executed]:
    for backend in backends(function, platform):
        call = _call(function, size, backend)
        found = measured.simulations.instructions(TARGETS[platform], call)
        if found is not None:
            yield Executed(backend, found / size)


def fewest(measured: Measured, function: Function, size: int, platform: str = POWERPC) -> Executed:
    """By the kernel that takes fewest; NotTestable with the reason where none was counted."""
    found = [*_executed(measured, platform, function, size)]
    if not found:
        call = _call(function, size, backends(function, platform)[0])
        raise NotTestable(measured.simulations.why_none(TARGETS[platform], call))
    return min(found, key=lambda it: it.a_byte)


def tables(measured: Measured) -> list[Table]:
    """One for each of the page's processors that was simulated."""
    made = [_of_platform(measured, platform) for platform in TARGETS]
    return [table for table in made if table.rows]


def _of_platform(measured: Measured, platform: str) -> Table:
    table = Table(
        title=f"The page's {PLATFORMS[platform]}, simulated: instructions of our kernels",
        columns=[
            *columns("function", "bytes"),
            Column(heading="published, cycles/byte", decimals=1),
            *columns("kernel", "instructions/byte"),
            Column(heading="for each published cycle", decimals=2),
        ],
        notes=[
            "instructions are no times: instructions per published cycle are no ratio of times",
            "portable: plain C for words of 32 bits; the page's code for words of 2 bytes was "
            "MMX and AltiVec, whose instructions multiply four and eight of them",
        ],
    )
    for function, size in _cells(platform):
        cycles = published(function, size, platform)
        for one in _shown(measured, platform, function, size):
            row: list[Cell] = [function.name, size, cycles, one.backend, one.a_byte]
            table.rows.append([*row, over(one.a_byte, cycles)])
    if table.rows:
        table.notes.append(f"compiled by {measured.simulations.compiler(TARGETS[platform])}")
    return table


def _shown(measured: Measured, platform: str, function: Function, size: int) -> list[Executed]:
    """The kernel of fewest instructions; of hash127 integers and doubles, as the page's were."""
    found = [*_executed(measured, platform, function, size)]
    if DOUBLES in backends(function, platform) or not found:
        return found
    return [min(found, key=lambda it: it.a_byte)]
