"""The two boxes beside each other and beside this machine: what clocks explain, and the rest."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from ciphermark.show import figures
from ciphermark.show.findings import Cell, Column, NotTestable, Table, Verdict
from ciphermark.studies.gateway.estimates import in_turn
from ciphermark.studies.gateway.measured import LIBRARY, Measured
from ciphermark.studies.gateway.paper import (
    AMD,
    ATOM,
    BOXES,
    CBC,
    GCM,
    HASHES,
    POST,
    PRINTED,
    Box,
    named,
)

if TYPE_CHECKING:
    from ciphermark.workloads.single.row import Row

PLAIN = ("camellia-256-cbc", "camellia-128-cbc", "md5")
"""Functions for which OpenSSL 1.0.2 and today's have no code with special instructions: its own
assembler works on general registers (crypto/camellia/asm, crypto/md5/asm; from memory)."""

SCALAR = ("scalar", "portable", "table", "reference", "default")
"""Code paths that are such code, or may be where nobody could look."""

TIE = 0.05
"""Share by which figures of a tie may differ."""


def clocks(measured: Measured) -> Table:
    """Each ratio of speeds as a ratio of clocks times one of cycles per byte."""
    rows = {it: measured.row(it) for it in POST}
    here_hz = next((row.core_hz for row in rows.values() if row and row.core_hz), None)
    pairs = [("Atom/AMD", ATOM.clock_hz / AMD.clock_hz)]
    pairs += [(f"here/{_short(box)}", here_hz and here_hz / box.clock_hz) for box in BOXES]
    groups = [name if ratio is None else f"{name} {figures.times(ratio)}" for name, ratio in pairs]
    return Table(
        title="What the clock explains: ratio of speeds = ratio of clocks × ratio of cycles",
        columns=[
            Column(heading="function"),
            *(Column(heading=it, group=group) for group in groups for it in ("speed", "cycles")),
        ],
        rows=[[function, *_decomposed(function, row)] for function, row in rows.items()],
        notes=[
            "above: two machines and the ratio of their clocks, of the boxes as they are printed",
            "cycles: how many times fewer cycles a byte takes",
        ],
    )


def clock_matters_little(measured: Measured) -> Verdict:
    """By functions of plain code: whether cycles tell the machines apart more than clocks do."""
    told, holds = [], []
    for function in PLAIN:
        row = measured.firm(function, provider=LIBRARY)
        if row.backend not in SCALAR:
            continue
        for box, published in zip(BOXES, POST[function], strict=True):
            by_clock = row.core_hz / box.clock_hz
            by_cycles = row.mbytes_per_second / published / by_clock
            holds.append(abs(math.log(by_cycles)) > abs(math.log(by_clock)))
            told.append(
                f"{named(function)} against {box.title}: clock {figures.times(by_clock)}, cycles "
                f"{figures.times(by_cycles)}"
            )
    if not told:
        raise NotTestable("no function of plain code was measured")
    return all(holds), "; ".join(told)


def clock_matters_little_printed(_: object = None) -> Verdict:
    """By the boxes: the higher clock makes plain code faster nowhere by as much as it is higher,
    and in the median slower."""
    ratios = sorted((POST[it][0] / POST[it][1], it) for it in PLAIN)
    told = ", ".join(f"{named(it)} {ratio:.2f}" for ratio, it in ratios)
    clock = ATOM.clock_hz / AMD.clock_hz
    middle = ratios[len(ratios) // 2][0]
    return ratios[-1][0] < clock and middle < 1, (
        f"speed of the Atom / of the AMD: {told}; of their clocks {clock:.2f}"
    )


def boxes_split(_: object = None) -> Verdict:
    """By who is ahead at each function."""
    ahead = {it: POST[it][0] > POST[it][1] for it in POST}
    expected = {it: it in GCM or (it in HASHES and it != "sha512") for it in POST}
    factors = {it: max(POST[it]) / min(POST[it]) for it in POST}
    groups = {"GCM": GCM, "CBC": CBC, "hashes": HASHES}
    told = "; ".join(f"{name}: {_who(members, factors)}" for name, members in groups.items())
    return ahead == expected, told


def tie(_: object = None) -> Verdict:
    """By CBC and a hash one after the other, of every key size and hash."""
    ratios = {
        f"{named(cipher)} + {named(mac)}": _one_after_the_other(0, cipher, mac)
        / _one_after_the_other(1, cipher, mac)
        for cipher in CBC
        if cipher.startswith("aes")
        for mac in HASHES
    }
    inside = sum(abs(it - 1) <= TIE for it in ratios.values())
    lowest, highest = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
    return inside == len(ratios), (
        f"speed of the Atom / of the AMD {ratios[lowest]:.2f} ({lowest}) to {ratios[highest]:.2f} "
        f"({highest}); {inside} of {len(ratios)} combinations within {figures.percent(TIE, 1)}"
    )


def units(_: object = None) -> Verdict:
    """By the arithmetic alone."""
    one = POST["aes-128-gcm"][0]
    two = round(2 * one, 2)
    return (
        two == 38.98 and 300 < 8 * two < 330,
        f"2 × {one:.2f} = {two:.2f} MB/s; × 8 bit = {8 * two:.1f} Mbit/s, by MB of 10^6 bytes as "
        "`openssl speed` counts; the other way round, 2 × 100 Mbit/s are 25 MB/s",
    )


def _short(box: Box) -> str:
    return box.title.partition(" ")[0]


def _one_after_the_other(place: int, *functions: str) -> float:
    return in_turn(PRINTED[place].speed(it) for it in functions).value


def _decomposed(function: str, row: Row | None) -> list[Cell]:
    atom, amd = POST[function]
    cells: list[Cell] = [atom / amd, atom / amd / (ATOM.clock_hz / AMD.clock_hz)]
    for box, published in zip(BOXES, POST[function], strict=True):
        if row is None or row.mbytes_per_second is None or row.core_hz is None:
            cells += [None, None]
            continue
        speed = row.mbytes_per_second / published
        cells += [speed, speed / (row.core_hz / box.clock_hz)]
    return cells


def _who(members: tuple[str, ...], factors: dict[str, float]) -> str:
    leader: Callable[[str], str] = lambda it: BOXES[POST[it][0] < POST[it][1]].title  # noqa: E731
    return ", ".join(f"{named(it)} {leader(it)} ×{factors[it]:.2f}" for it in members)
