"""The tables of the paper, and those that it has not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ciphermark.studies.evidence import geometric_mean
from ciphermark.studies.sensor import paper, suspects
from ciphermark.studies.sensor.evidence import Measured, Normalised, normalised, printed, why
from ciphermark.studies.sensor.model import model
from ciphermark.studies.sensor.paper import (
    AVR,
    M16C,
    PLATFORMS,
    RC5,
    RC5_OF,
    SA1110,
    ULTRASPARC2,
    XSCALE,
    Cell,
    name,
)
from ciphermark.studies.sensor.tables_here import (
    by_step,
    caches,
    code,
    every_length,
    everywhere,
    variance,
)
from ciphermark.studies.sensor.tables_targets import compiled, first_calls, memory, optimisation
from ciphermark.view import figures
from ciphermark.view.findings import Cell as Value
from ciphermark.view.findings import Column, Table, columns
from ciphermark.workloads.simulation.row import METRICS

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.single.row import Row


PARTS = {
    "8 bits": AVR,
    "16 bits": (M16C,),
    "32 bits": (SA1110, ULTRASPARC2),
    "32 bits at two clocks": XSCALE,
}
"""Platforms that have room beside each other on a terminal."""

WITHIN = (1.5, 2.0)
"""Factors that cells are counted within."""


def table3(measured: Measured) -> Iterator[Table]:
    """All cells: microseconds, and cycles where there is room."""
    for number, (part, platforms) in enumerate(PARTS.items()):
        table = Table(
            title=f"Table 3, {part}: time of each action, µs",
            columns=[
                *names(),
                *(column for platform in platforms for column in _columns(platform, measured)),
            ],
        )
        for cell in paper.cells():
            groups = [_values(platform, cell, measured) for platform in platforms]
            table.rows.append([*cell.names, *(value for group in groups for value in group)])
        _doubt(table, platforms)
        table.notes += HOW_TO_READ if number == 0 else ()
        table.notes += [*_notes(platforms, measured), *_remarks(platforms, measured)]
        yield table


HOW_TO_READ = (
    "ratio: here / published; 1 is an exact reproduction. Our C, compilers and options differ "
    "from the paper's, so a ratio does not separate them from the processor",
    "here: time as cycles / clock; of several lengths the longest. RC4 here is its keystream alone",
    "? contradicts other cells of the table; never corrected, and nothing is tuned to it",
)


def names() -> list[Column]:
    """What tells a row of Table 3 from the others."""
    return [Column(heading=it) for it in ("function", "bytes", "action")]


def summary(measured: Measured) -> Table:
    """How far each platform is from its printed column."""
    table = Table(
        title="Ours / published by platform",
        columns=[
            *columns("platform", "here", "cells"),
            *columns("all", "without ?", group="geometric mean", decimals=2),
            *columns(*(f"within ×{it:g}" for it in WITHIN), group="of these"),
        ],
        notes=["instructions / cycles is no estimate of a ratio of times"],
    )
    for platform in PLATFORMS:
        found = ratios(platform, measured)
        if found:
            doubted = suspects.of_platform(platform)
            sound = [ratio for cell, ratio in found.items() if cell not in doubted]
            within = [sum(1 / it <= ratio <= it for ratio in found.values()) for it in WITHIN]
            means = [geometric_mean(found.values()), geometric_mean(sound) if sound else None]
            here = METRICS[measured.metric(platform)]
            table.rows.append([name(platform), here, len(found), *means, *within])
    return table


def ratios(platform: str, measured: Measured) -> dict[Cell, float]:
    """Ours over the published, both in cycles, or our instructions over its cycles."""
    found = {}
    for cell, cycles in printed().cycles[platform].items():
        ours = measured.cost(platform, cell.work)
        if ours:
            found[cell] = ours / cycles
    return found


def _columns(platform: str, measured: Measured) -> list[Column]:
    clock = paper.platforms()[platform].clock_mhz
    group = f"{name(platform).removesuffix(f' {clock:g}')}, {clock:g} MHz"
    headings = ["published", "here", "ratio"]
    if _is_counted(platform, measured):
        headings = ["published", "instructions", "per cycle"]
    return [
        Column(heading=headings[0], group=group),
        Column(heading=headings[1], group=group, digits=4),
        Column(heading=headings[2], group=group, decimals=2),
        *columns(
            *(f"cycles, {it}" for it in ("published", "here")), group=group, decimals=0, detail=True
        ),
    ]


def _is_counted(platform: str, measured: Measured) -> bool:
    """Whether there are instructions only, of which no time follows."""
    return platform in measured.targets and measured.metric(platform) == "instructions"


def _values(platform: str, cell: Cell, measured: Measured) -> list[Value]:
    time = paper.times()[platform][cell]
    cycles = printed().cycles[platform][cell]
    ours = measured.cost(platform, cell.work)
    if ours is None:
        return [time, None, None, cycles, None]
    if _is_counted(platform, measured):
        return [time, ours, ours / cycles, cycles, None]
    clock = paper.platforms()[platform].clock_mhz
    return [time, ours / clock, ours / cycles, cycles, float(ours)]


def _doubt(table: Table, platforms: Sequence[str]) -> None:
    """Marks the printed figures that contradict others, and says why."""
    width = (len(table.columns) - len(names())) // len(platforms)
    reasons: dict[str, list[str]] = {}
    for place, platform in enumerate(platforms):
        column = len(names()) + place * width
        for cell, reason in suspects.of_platform(platform).items():
            table.doubtful.append((paper.cells().index(cell), column))
            reasons.setdefault(reason, []).append(name(platform))
    table.notes += [f"? {', '.join(those)}: {reason}" for reason, those in reasons.items()]


def _notes(platforms: Sequence[str], measured: Measured) -> Iterator[str]:
    """What the figures of each platform are, or why there are none."""
    for platform in platforms:
        if platform not in measured.targets:
            yield why(platform, measured.why_none(platform))
        elif _is_counted(platform, measured):
            yield (
                f"{name(platform)}: instructions, and instructions per published cycle; its "
                "pipeline is not modelled, so it has no time to compare"
            )
        else:
            yield f"{name(platform)}: {METRICS[measured.metric(platform)]}"


def _remarks(platforms: Sequence[str], measured: Measured) -> Iterator[str]:
    """Where the same words are not the same work, or not another measurement."""
    further = [
        f"{figures.grouped(cost)} {METRICS[measured.metric(it)]} on {name(it)}"
        for it in platforms
        if (cost := measured.further_keystream(it))
    ]
    if further:
        yield (
            "a text begins here with a copy of RC4's keyed state; without it 16 bytes take "
            + ", ".join(further)
        )
    if platforms == AVR:
        copied = suspects.copied()
        yield (
            f"{len(copied)} of {len(paper.cells())} published times of the ATmega128 are the "
            "ATmega103's divided by the clocks, to rounding: they are one measurement"
        )


def overheads(measured: Measured) -> Iterator[Table]:
    """The paper's, then ours against its own reference, by instructions, and by cycles against one
    that has them."""
    published = normalised(printed(), ULTRASPARC2)
    if published:
        yield _table_of_overheads("published", published)
    for reference in (ULTRASPARC2, SA1110):
        found = normalised(measured.evidence, reference)
        if found:
            yield _table_of_overheads("here", found, _kinds(measured, found))


def _table_of_overheads(where: str, found: Normalised, notes: tuple[str, ...] = ()) -> Table:
    table = Table(
        title=f"Figure 3, {where}: {found.kind} × bus width, {name(found.reference)} = 1",
        columns=[*names(), *columns(*(name(it) for it in found.of), decimals=2)],
        notes=["below 1: better use of its word width than the reference", *notes],
    )
    for cell in paper.cells():
        table.rows.append([*cell.names, *(of.get(cell) for of in found.of.values())])
    return table


def _kinds(measured: Measured, found: Normalised) -> tuple[str, ...]:
    """What the figures are that are compared."""
    if found.kind == "instructions":
        return (
            f"instructions of all processors, since {name(found.reference)} has no cycles: a "
            "processor that takes several cycles for an instruction looks better than it is",
        )
    by_kind = [
        f"{METRICS[metric]} of {', '.join(map(name, those))}"
        for metric in METRICS
        if (those := [it for it in measured.of_metric(metric) if it in {*found.of, SA1110}])
    ]
    return ("; ".join(by_kind),)


def rounds(measured: Measured) -> Table:
    """What the paper printed, beside 8, 12 and 16 rounds."""
    table = Table(
        title="RC5: the paper does not print its rounds",
        columns=[
            *columns("platform", "action"),
            Column(heading="published", group="cycles", decimals=0),
            *columns(*(f"{it} rounds" for it in RC5_OF), group="here / published", decimals=2),
            Column(heading="nearest"),
            *columns(*(f"{it}" for it in RC5_OF), group="here", decimals=0, detail=True),
        ],
        notes=[
            f"elsewhere RC5 has {rounds_of(RC5)} rounds, the nominal number; this table did not "
            "decide that",
            "no nearest number where there are instructions and no cycles",
        ],
    )
    for platform in PLATFORMS:
        for cell in paper.cells():
            if cell.function == RC5 and platform in measured.targets:
                table.rows.append(_values_of_rounds(platform, cell, measured))
    return table


def nearest(measured: Measured, platform: str, cell: Cell) -> int | None:
    """The number of rounds whose cycles are nearest to the printed ones, by ratio."""
    if measured.metric(platform) == "instructions":
        return None
    known = {
        it: abs(math.log(ratio))
        for it, ratio in _ratios_of_rounds(measured, platform, cell).items()
    }
    return min(known, key=known.__getitem__, default=None)


def rounds_of(algorithm: str) -> int:
    """The number in its name."""
    return next(it for it, named in RC5_OF.items() if named == algorithm)


def _values_of_rounds(platform: str, cell: Cell, measured: Measured) -> list[Value]:
    ratios = _ratios_of_rounds(measured, platform, cell)
    cycles = printed().cycles[platform][cell]
    return [
        name(platform),
        cell.action,
        cycles,
        *(ratios.get(it) for it in RC5_OF),
        nearest(measured, platform, cell),
        *(ratios[it] * cycles if it in ratios else None for it in RC5_OF),
    ]


def _ratios_of_rounds(measured: Measured, platform: str, cell: Cell) -> dict[int, float]:
    """Ours over the published by the number of rounds."""
    cycles = printed().cycles[platform][cell]
    costs = {
        it: measured.cost(platform, cell.work._replace(algorithm=algorithm))
        for it, algorithm in RC5_OF.items()
    }
    return {it: cost / cycles for it, cost in costs.items() if cost}


def tables(run: Run, rows: list[Row]) -> list[Table]:
    """Those of the paper in its order, then what it has not; without those that have no rows."""
    measured = Measured(run, rows)
    made = [
        *table3(measured),
        summary(measured),
        rounds(measured),
        *overheads(measured),
        *code(measured),
        model(measured),
        *by_step(measured),
        every_length(measured),
        caches(measured),
        first_calls(measured),
        *variance(measured),
        *everywhere(measured),
        memory(measured),
        compiled(measured),
        optimisation(measured),
    ]
    return [table for table in made if table.rows]
