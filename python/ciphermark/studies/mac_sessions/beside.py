"""Figures of other programs as tables: word size, and the libraries' own benchmarks."""

from __future__ import annotations

from typing import NamedTuple

from ciphermark.contract.beside import BesideFigure
from ciphermark.measure.word_size import NARROW, WIDE
from ciphermark.show.findings import Column, Table
from ciphermark.studies.mac_sessions.measured import IN_PIECES, ONCE, Measured
from ciphermark.studies.mac_sessions.others import CRYPTEST, OPENSSL, PROVIDERS
from ciphermark.studies.mac_sessions.paper import BY_ALGORITHM, FUNCTIONS, LARGEST, Function

NS = "ns/byte"

LIKE = {CRYPTEST: (LARGEST, IN_PIECES)}
"""Bytes of messages here, and the pattern, whose cost is like that of a program: `cryptest` feeds
2048 bytes again and again into one message that does not end, so that nothing of it is paid once a
message. Other programs are given whole messages of the same size."""


def by_program(beside: list[BesideFigure], program: str) -> dict[str, float]:
    """Nanoseconds per byte of each algorithm that has a figure."""
    return {
        it.algorithm: it.ns_per_byte
        for it in beside
        if it.program == program and it.ns_per_byte is not None
    }


def word_size(beside: list[BesideFigure]) -> Table | None:
    """Both builds of the portable kernels; None where nobody has asked for them."""
    asked = [it for it in beside if it.program in (NARROW, WIDE)]
    if not asked:
        return None
    narrow, wide = by_program(beside, NARROW), by_program(beside, WIDE)
    table = Table(
        title="Word size: portable kernels of ciphermark in a 32-bit and a 64-bit build, 64 KiB",
        columns=[
            Column(heading="function"),
            *(
                Column(heading=heading, group=group)
                for group in (NARROW, WIDE)
                for heading in (NS, "place")
            ),
            Column(heading="32-bit/64-bit"),
        ],
        notes=["place: 1 is the fastest of its build; CPU time, both builds in turn on one core"],
    )
    for function in FUNCTIONS:
        one, other = (found.get(function.algorithm) for found in (narrow, wide))
        table.rows.append(
            [
                function.name,
                *(one, _place(narrow, function)),
                *(other, _place(wide, function)),
                one and other and one / other,
            ]
        )
    table.notes += dict.fromkeys(
        f"{it.program}: {it.reason or it.detail.rpartition(', ')[0]}" for it in asked
    )
    return table


class Beside(NamedTuple):
    """A figure of a library's own benchmark, and that of one session here."""

    figure: BesideFigure
    function: Function
    like_bytes: int
    """Bytes of the messages here."""
    here: float | None
    """Nanoseconds per byte."""

    @property
    def ratio(self) -> float | None:
        """Here over there."""
        there = self.figure.ns_per_byte
        return self.here / there if self.here and there else None


def own_benchmarks(measured: Measured, beside: list[BesideFigure]) -> list[Beside]:
    """Each figure of the libraries' own benchmarks with ours, which is of one session."""
    found = []
    for figure in beside:
        if figure.program in PROVIDERS:
            function = BY_ALGORITHM[figure.algorithm]
            size, pattern = LIKE.get(figure.program, (figure.message_bytes, ONCE))
            row = measured.alone(function, size, PROVIDERS[figure.program], pattern)
            cost = row and row.core_hz and row.absolute_cycles_per_byte / row.core_hz * 1e9
            found.append(Beside(figure, function, size, cost))
    return found


def harness(measured: Measured, beside: list[BesideFigure]) -> Table | None:
    """The harness against the libraries' own benchmarks; None where nobody has asked them."""
    pairs = own_benchmarks(measured, beside)
    if not pairs:
        return None
    reasons = [f"{it.figure.program}: {it.figure.reason}" for it in pairs if it.figure.reason]
    return Table(
        title="The harness against the libraries' own benchmarks, one core",
        columns=[
            Column(heading="program"),
            Column(heading="function"),
            Column(heading="bytes", group="there"),
            Column(heading=NS, group="there"),
            Column(heading="bytes", group="here"),
            Column(heading=NS, group="here"),
            Column(heading="here/there"),
        ],
        rows=[
            [
                it.figure.program,
                it.function.name,
                *(it.figure.message_bytes, it.figure.ns_per_byte),
                *(it.like_bytes, it.here, it.ratio),
            ]
            for it in pairs
        ],
        notes=[
            "here: CPU time of one session on one CPU, by the same library",
            f"{CRYPTEST} feeds 2048 bytes again and again into one message that does not end, and "
            "rounds to MiB/s; here the same pieces make messages of 64 KiB, each of which ends",
            f"{OPENSSL} begins and ends each message as here, in a loop without nonces or checks",
            *dict.fromkeys(reasons),
        ],
    )


def _place(costs: dict[str, float], function: Function) -> int | None:
    """Counted from 1, the fastest."""
    if function.algorithm not in costs:
        return None
    return 1 + sum(it < costs[function.algorithm] for it in costs.values())
