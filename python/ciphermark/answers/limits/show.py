"""Rates of instructions, and kernels beside their limits, on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
from rich.console import Console
from rich.text import Text

from ciphermark import contract
from ciphermark.answers.limits.asked import MachineLimits
from ciphermark.show import figures
from ciphermark.show.column import Column, of_words, printed
from ciphermark.show.machine import processor
from ciphermark.show.tables import print_groups, print_left_out

GENERAL_BITS = 64
"""Of general registers."""

NOTES = (
    "The limit is the largest of several: the units of each kind of instruction, the units that "
    "kinds share, all vector units, loads, stores, and the instructions that the core can "
    "start. It leaves out instructions that wait for each other, cache misses and the C "
    "library.",
)


class RateLine(msgspec.Struct, kw_only=True):
    """One kind of instruction, in registers of each width."""

    kind: str
    instruction: str
    """Of the widest."""
    cycles: dict[int, float]
    """Core cycles from one to the next, by bits of the registers."""
    vector_cycles: float | None
    """Of all vector units, of the widest."""
    shares: list[str]
    """Other kinds whose unit it takes, of the widest."""


def print_limits(console: Console, found: MachineLimits) -> None:
    """Prints how near kernels come to their limits, the rates, and each kernel beside its limit."""
    limits = found.limits
    if conclusion := nearness(limits.kernels):
        console.print(Text(conclusion, "bold"))
    console.print(Text(f"Limits of {processor(found.machine)}", "bold"))
    if limits.unavailable:
        console.print(Text(f"{limits.unavailable}."))
    lines = rate_lines(limits.rates)
    if lines:
        console.print(Text("\nCore cycles from one instruction of a kind to the next", "bold"))
        print_left_out(
            console, print_groups(console, printed(_rate_columns(lines), lines), [("", lines)])
        )
    console.print(Text("\nOur kernels, cycles per byte", "bold"))
    kernels = limits.kernels
    print_left_out(
        console, print_groups(console, printed(KERNEL_COLUMNS, kernels), [("", kernels)])
    )
    for kernel in kernels:
        if kernel.error:
            console.print(Text(f"{kernel.algorithm} {kernel.backend}: {kernel.error}"))
    console.print()
    for note in NOTES:
        console.print(Text(note, "dim"))


def nearness(kernels: Sequence[contract.KernelLimit]) -> str:
    """Which kernel is the nearest to its limit and which the farthest; empty where none has one."""
    known = sorted(
        ((part, it) for it in kernels if (part := share(it)) is not None), key=lambda one: one[0]
    )
    if not known:
        return ""
    told = [
        f"{it.algorithm} {it.backend}, {it.message_bytes} B: the limit is {figures.percent(part)} "
        "of its time"
        for part, it in (known[-1], known[0])
    ]
    if len(known) == 1:
        return f"{told[0]}."
    return f"Nearest to the limit is {told[0]}; farthest {told[1]}."


def rate_lines(rates: Sequence[contract.Rate]) -> list[RateLine]:
    """A line for each kind, and for each instruction of general registers."""
    lines: dict[tuple[str, str], RateLine] = {}
    for rate in rates:
        is_general = rate.bits == GENERAL_BITS
        line = lines.setdefault(
            (rate.kind, rate.instruction if is_general else ""),
            RateLine(kind=rate.kind, instruction="", cycles={}, vector_cycles=None, shares=[]),
        )
        line.cycles[rate.bits] = rate.cycles
        line.instruction = rate.instruction
        line.vector_cycles = rate.vector_cycles
        line.shares = [other for other in rate.shares if other != rate.kind]
    return list(lines.values())


def share(kernel: contract.KernelLimit) -> float | None:
    """The part of the time that the limit takes."""
    if kernel.limit_cycles is None or not kernel.cycles:
        return None
    return kernel.limit_cycles / kernel.cycles


def _rate_columns(lines: Sequence[RateLine]) -> Iterator[Column[RateLine]]:
    yield of_words("kind", lambda line: line.kind)
    yield of_words("instruction", lambda line: line.instruction, dispensable=1)
    for bits in sorted({bits for line in lines for bits in line.cycles}):
        yield Column(f"{bits} bits", _at(bits), form=_cycles)
    yield Column(
        "of all vector units", lambda line: line.vector_cycles, form=_cycles, dispensable=2
    )
    yield of_words("adds up with", lambda line: ", ".join(line.shares), dispensable=3)


def _at(bits: int) -> Callable[[RateLine], float | None]:
    """The cycles of a line in registers of so many bits."""
    return lambda line: line.cycles.get(bits)


def _cycles(value: float, separator: str) -> str:
    """To a hundredth: no rate is known better."""
    return figures.grouped(value, 2, separator)


KERNEL_COLUMNS: list[Column[contract.KernelLimit]] = [
    of_words("function", lambda kernel: kernel.algorithm),
    of_words("backend", lambda kernel: kernel.backend),
    Column("packets", lambda kernel: kernel.lanes, form=lambda value, _: str(value)),
    Column("bytes", lambda kernel: kernel.message_bytes, form=lambda value, _: str(value)),
    Column("instructions a byte", lambda kernel: kernel.instructions or None, dispensable=3),
    Column("loads", lambda kernel: kernel.loads or None, dispensable=4),
    Column("stores", lambda kernel: kernel.stores or None, dispensable=5),
    Column("limit", lambda kernel: kernel.limit_cycles),
    Column("measured", lambda kernel: kernel.cycles),
    Column("share", share, form=lambda value, _: figures.percent(value)),
    of_words("limited by", lambda kernel: kernel.limited_by or "", dispensable=1),
]
