"""Table 3, with Figure 2's cycles: what each row took then and takes here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ciphermark.show import figures
from ciphermark.show.findings import Cell as Value
from ciphermark.show.findings import Column, Table
from ciphermark.studies.sensor import printed, suspects
from ciphermark.studies.sensor.evidence import geometric_mean, why
from ciphermark.studies.sensor.measured import Measured
from ciphermark.studies.sensor.paper import (
    AVR,
    M16C,
    PLATFORMS,
    SA1110,
    ULTRASPARC2,
    XSCALE,
    Cell,
    name,
)
from ciphermark.workloads.simulation.remarks import METRICS

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
        for cell in printed.cells():
            groups = [_values(platform, cell, measured) for platform in platforms]
            table.rows.append([*cell.names, *(value for group in groups for value in group)])
        _doubt(table, platforms)
        table.notes += HOW_TO_READ if number == 0 else ()
        table.notes += [*_notes(platforms, measured), *_remarks(platforms, measured)]
        yield table


HOW_TO_READ = (
    "ratio: here / published; 1 would be a reproduction. Our C, compilers and options are not the "
    "paper's, so no ratio tells them from the processor",
    "here: time as cycles / clock; of several lengths the longest. RC4 here is its keystream alone",
    "? contradicts other cells of the table; never corrected, and in no way tuned to",
)


def names() -> list[Column]:
    """What tells a row of Table 3 from the others."""
    return [Column(heading=it) for it in ("function", "bytes", "action")]


def summary(measured: Measured) -> Table:
    """How far each platform is from its printed column."""
    table = Table(
        title="Ours / published by platform",
        columns=[
            Column(heading="platform"),
            Column(heading="here"),
            Column(heading="cells"),
            Column(heading="all", group="geometric mean", decimals=2),
            Column(heading="without ?", group="geometric mean", decimals=2),
            *(Column(heading=f"within ×{it:g}", group="of these") for it in WITHIN),
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
    for cell, cycles in printed.evidence().cycles[platform].items():
        ours = measured.one(platform, cell.work)
        if ours:
            found[cell] = ours.value / cycles
    return found


def _columns(platform: str, measured: Measured) -> list[Column]:
    clock = printed.platforms()[platform].clock_mhz
    group = f"{name(platform).removesuffix(f' {clock:g}')}, {clock:g} MHz"
    headings = ["published", "here", "ratio"]
    if _is_counted(platform, measured):
        headings = ["published", "instructions", "per cycle"]
    return [
        Column(heading=headings[0], group=group),
        Column(heading=headings[1], group=group, digits=4),
        Column(heading=headings[2], group=group, decimals=2),
        *(
            Column(heading=f"cycles, {it}", group=group, decimals=0, detail=True)
            for it in ("published", "here")
        ),
    ]


def _is_counted(platform: str, measured: Measured) -> bool:
    """Whether there are instructions only, of which no time follows."""
    return platform in measured.targets and measured.metric(platform) == "instructions"


def _values(platform: str, cell: Cell, measured: Measured) -> list[Value]:
    time = printed.times()[platform][cell]
    cycles = printed.evidence().cycles[platform][cell]
    ours = measured.one(platform, cell.work)
    if ours is None:
        return [time, None, None, cycles, None]
    if _is_counted(platform, measured):
        return [time, ours.value, ours.value / cycles, cycles, None]
    clock = printed.platforms()[platform].clock_mhz
    return [time, ours.value / clock, ours.value / cycles, cycles, float(ours.value)]


def _doubt(table: Table, platforms: Sequence[str]) -> None:
    """Marks the printed figures that contradict others, and says why."""
    width = (len(table.columns) - len(names())) // len(platforms)
    reasons: dict[str, list[str]] = {}
    for place, platform in enumerate(platforms):
        column = len(names()) + place * width
        for cell, reason in suspects.of_platform(platform).items():
            table.doubtful.append((printed.cells().index(cell), column))
            reasons.setdefault(reason, []).append(name(platform))
    table.notes += [f"? {', '.join(those)}: {reason}" for reason, those in reasons.items()]


def _notes(platforms: Sequence[str], measured: Measured) -> Iterator[str]:
    """What the figures of each platform are, or why there are none."""
    for platform in platforms:
        if platform not in measured.targets:
            yield why(platform, measured.why_none(platform))
        elif _is_counted(platform, measured):
            yield (
                f"{name(platform)}: instructions, and how many for a published cycle; its pipeline "
                "is not modelled, so there is no time to compare"
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
            f"{len(copied)} of {len(printed.cells())} published times of the ATmega128 are the "
            "ATmega103's divided by the clocks, to rounding: they are one measurement"
        )
