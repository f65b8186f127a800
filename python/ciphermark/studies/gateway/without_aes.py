"""AES without instructions for it, as the boxes of the post have none: the post's own question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show.findings import Cell, Column, NotTestable, Table, Verdict
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.ratio import is_above
from ciphermark.studies.gateway.estimates import all_of, quotient, shown
from ciphermark.studies.gateway.measured import LIBRARY, Measured
from ciphermark.studies.gateway.paper import AES, ATOM, CBC, POST, PRINTED, Machine, named
from ciphermark.workloads.single.code_paths import MATTERS

if TYPE_CHECKING:
    from ciphermark.workloads.single.row import Row

INSTRUCTIONS = ("aes",)
"""What the boxes do not have."""

SHUFFLES = ("aes", "ssse3")
"""What the post took from the AMD besides."""

CBC_OF_AES = tuple(name for name in CBC if name in AES)
BIGGER_CORE = 3.0
"""“Three or four times as fast.”"""


def without_instructions(measured: Measured) -> Table:
    """Cycles per byte with all, without AES instructions, and without SSSE3 as well."""
    table = Table(
        title="AES as on the boxes, which have no instructions for it, cycles/byte",
        columns=[
            *(Column(heading=it) for it in ("function", "library", "with all")),
            Column(heading="cycles/byte", group="without aes"),
            Column(heading="path", group="without aes", detail=True),
            Column(heading="cycles/byte", group="nor ssse3"),
            Column(heading="path", group="nor ssse3", detail=True),
            Column(heading="times", group="nor ssse3"),
            Column(heading="low", group="nor ssse3", detail=True),
            Column(heading="high", group="nor ssse3", detail=True),
        ],
        notes=[
            "times: cycles without SSSE3 / with it; below 1 the optimised version is slower",
            "Camellia, which has no such instructions, to compare",
        ],
    )
    libraries = sorted({row.provider for it in AES for row in measured.rows(it)})
    for library in sorted(libraries, key=lambda it: it != LIBRARY):
        lines = [_line(measured, it, library) for it in (*AES, *_camellia(CBC))]
        # A library that cannot be told has nothing to say here.
        if any(line and (line[3] or line[5]) for line in lines):
            table.rows += [line for line in lines if line]
    return table


def _line(measured: Measured, function: str, library: str) -> list[Cell] | None:
    row = measured.row(function, provider=library)
    if row is None:
        return None
    bare, shuffles = (_or_none(measured, function, it, library) for it in (INSTRUCTIONS, SHUFFLES))
    if shuffles is bare:  # a library that knows no SSSE3, or a processor that has none
        shuffles = None
    ratio = measured.ratio(shuffles, bare) if bare and shuffles else (None, None, None)
    of_paths = [
        cell for it in (bare, shuffles) for cell in (it and it.cycles_per_byte, it and it.backend)
    ]
    return [function, library, row.cycles_per_byte, *of_paths, *ratio]


def optimised_is_slower(measured: Measured) -> Verdict:
    """By AES-CBC with both key sizes, as the post measured it: SSSE3 hidden or not."""
    found = {
        function: quotient(
            Estimate.exact(1.0),
            measured.ratio(
                measured.without(function, SHUFFLES), measured.without(function, INSTRUCTIONS)
            ),
        )
        for function in CBC_OF_AES
    }
    told = ", ".join(f"{named(it)} {shown(gain)}" for it, gain in found.items())
    by = " ".join(f"{name}={value}" for name, value in measured.hiding(SHUFFLES).items())
    return all_of(is_above(it, MATTERS) for it in found.values()), (
        f"without AES instructions, hiding SSSE3 makes OpenSSL this many times as fast: {told}; by "
        f"{by}"
    )


def camellia_wins_printed(boxes: list[Machine]) -> Verdict:
    """By the four pairs of the post's table."""
    found = [
        (f"{box.title} {named(aes)}", quotient(box.speed(other), box.speed(aes)))
        for box in boxes
        for aes, other in zip(CBC_OF_AES, _camellia(CBC), strict=True)
    ]
    return _camellia_wins(found)


def camellia_wins(measured: Measured) -> Verdict:
    """By OpenSSL without AES instructions, in the version of AES that it then takes."""
    found = []
    for aes, other in zip(CBC_OF_AES, _camellia(CBC), strict=True):
        camellia = measured.firm(other, provider=LIBRARY)
        bare = measured.without(aes, INSTRUCTIONS)
        found.append((f"{named(aes)} ({bare.backend})", measured.ratio(bare, camellia)))
        shuffles = measured.without(aes, SHUFFLES)
        if shuffles.backend != bare.backend:
            found.append((f"{named(aes)} ({shuffles.backend})", measured.ratio(shuffles, camellia)))
    return _camellia_wins(found)


def bigger_core(measured: Measured) -> Verdict:
    """By cycles per byte, in which equal clocks are equal."""
    place = next(number for number, box in enumerate(PRINTED) if box.title == ATOM.title)
    found, with_all = {}, []
    for function in CBC_OF_AES:
        there = Estimate.exact(ATOM.clock_hz / (POST[function][place] * 1e6))
        found[function] = quotient(there, _per_byte(measured.without(function, INSTRUCTIONS)))
        by_itself = quotient(there, _per_byte(measured.firm(function, provider=LIBRARY)))
        with_all.append(shown(by_itself))
    told = ", ".join(f"{named(it)} {shown(ratio)}" for it, ratio in found.items())
    return all_of(is_above(it, BIGGER_CORE) for it in found.values()), (
        f"cycles/byte of the Atom / here without AES instructions: {told}; with them "
        f"{', '.join(with_all)}"
    )


def _camellia_wins(found: list[tuple[str, Estimate]]) -> Verdict:
    told = ", ".join(f"{name} {shown(ratio)}" for name, ratio in found)
    return all_of(is_above(ratio, 1.0) for _, ratio in found), (
        f"Camellia is this many times as fast as AES: {told}"
    )


def _camellia(functions: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in functions if name.startswith("camellia"))


def _per_byte(row: Row) -> Estimate:
    return Estimate(row.cycles_per_byte, row.ci_low, row.ci_high)


def _or_none(
    measured: Measured, function: str, features: tuple[str, ...], library: str
) -> Row | None:
    try:
        return measured.without(function, features, library)
    except NotTestable:
        return None
