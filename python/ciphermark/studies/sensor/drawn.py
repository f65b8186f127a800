"""Figures 1 to 4 of the paper, and the functions that it does not have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ciphermark.show.findings import AnyChart, Mark, MarkChart, MarkPanel
from ciphermark.studies.sensor import printed
from ciphermark.studies.sensor.code_size import code_bytes
from ciphermark.studies.sensor.drawn_lengths import every_length, model_over_lengths
from ciphermark.studies.sensor.evidence import ByPlatform
from ciphermark.studies.sensor.measured import Measured
from ciphermark.studies.sensor.overheads import Normalised, normalised
from ciphermark.studies.sensor.paper import (
    AVR,
    FUNCTIONS,
    FUTURE,
    M16C,
    PLATFORMS,
    SA1110,
    TEXT_BYTES,
    TODAY,
    ULTRASPARC2,
    WORD_BITS,
    Work,
    name,
    sending,
    title,
)
from ciphermark.workloads.simulation.remarks import METRICS

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.single.row import Row

PUBLISHED, HERE = "published", "here"
HUES = "A hue is a word size, a shape a processor."
LOWER = "Lower is better; the axis is logarithmic."


def charts(run: Run, rows: list[Row]) -> list[AnyChart]:
    """All figures of the paper, then what it has not."""
    measured = Measured(run, rows)
    return [
        _times(measured),
        _cycles(measured),
        _overheads(measured),
        _code(measured),
        model_over_lengths(measured),
        every_length(measured),
        _today(measured),
    ]


def _times(measured: Measured) -> MarkChart:
    """Figure 1."""
    here = measured.evidence()
    of = {
        PUBLISHED: printed.evidence().times(PLATFORMS),
        HERE: here.times(here.cycles) if here.cycles else {},
    }
    parts = {"8 and 16 bits": (*AVR, M16C), "32 bits": WORD_BITS[32]}
    return MarkChart(
        name="sensor-times",
        title="Execution times, then and here",
        explanation=(
            "Figure 1 and Table 3. Targets of which only instructions are counted have no time "
            f"here. {LOWER}"
        ),
        unit="microseconds",
        names="processor",
        panels=[
            MarkPanel(
                title=part,
                marks=[
                    Mark(line=str(cell), name=name(it), origin=where, value=by_platform[it][cell])
                    for cell in printed.cells()
                    for it in platforms
                    for where, by_platform in of.items()
                    if cell in by_platform.get(it, {})
                ],
            )
            for part, platforms in parts.items()
        ],
    )


def _cycles(measured: Measured) -> MarkChart:
    """Figure 2."""
    here = measured.evidence()
    parts = {
        "published, clock cycles": printed.evidence().cycles,
        "here, cycles (simulated and model)": here.cycles,
        "here, instructions": here.instructions,
    }
    return MarkChart(
        name="sensor-cycles",
        title="Clock cycles by word size",
        explanation=(
            "Figure 2: times multiplied by the clock, in which the paper sees three classes by "
            f"word size. {HUES} {LOWER}"
        ),
        unit="clock cycles or instructions",
        names="word size",
        origins="processor",
        panels=[
            MarkPanel(title=part, marks=list(_by_class(by_platform)))
            for part, by_platform in parts.items()
        ],
    )


def _overheads(measured: Measured) -> MarkChart:
    """Figure 3."""
    here = measured.evidence()
    found = {
        PUBLISHED: normalised(printed.evidence(), ULTRASPARC2),
        HERE: normalised(here, SA1110),
        "here, all": normalised(here, ULTRASPARC2),
    }
    return MarkChart(
        name="sensor-overheads",
        title="Overhead normalised by clock and bus width",
        explanation=(
            "Figure 3: below 1, a processor makes more of its word width than the one that it is "
            f"compared with. {HUES} {LOWER}"
        ),
        unit="cycles or instructions × bus width, of the reference processor's",
        names="word size",
        origins="processor",
        reference=1.0,
        panels=[_normalised(where, it) for where, it in found.items() if it],
    )


def _normalised(where: str, found: Normalised) -> MarkPanel:
    heading = f"{where}: {found.kind}, {name(found.reference)} = 1"
    return MarkPanel(title=heading, marks=list(_by_class(found.of)))


def _code(measured: Measured) -> MarkChart:
    """Figure 4."""
    return MarkChart(
        name="sensor-code",
        title="Code size",
        explanation=(
            "Figure 4, of which no numbers are printed: instructions and constant tables without "
            f"libraries. {LOWER}"
        ),
        unit="bytes",
        names="function",
        panels=[
            MarkPanel(
                title="the paper's functions",
                marks=[
                    Mark(line=name(target), name=title(algorithm), origin=HERE, value=size)
                    for target, sizes in code_bytes(measured).items()
                    for algorithm, size in sizes.items()
                ],
            )
        ],
    )


def _today(measured: Measured) -> MarkChart:
    """What the paper does not have."""
    return MarkChart(
        name="sensor-functions",
        title=f"{TEXT_BYTES} bytes by every function",
        explanation=(
            "The paper's functions, those of its future work and those that a node would use now, "
            f"without key setup. Kinds of figures are not compared with each other. {LOWER}"
        ),
        unit="cycles or instructions",
        names="processor",
        origins="processor",
        panels=[
            MarkPanel(title=kind, marks=list(_of_targets(measured, measured.of_metric(metric))))
            for metric, kind in METRICS.items()
        ],
    )


def _of_targets(measured: Measured, targets: Iterable[str]) -> Iterator[Mark]:
    for algorithm in (*FUNCTIONS, *FUTURE, *TODAY):
        work = Work(algorithm, sending(algorithm), TEXT_BYTES)
        for target in targets:
            if found := measured.one(target, work):
                yield Mark(
                    line=title(algorithm),
                    name=name(target),
                    origin=name(target),
                    value=found.value,
                )


def _by_class(of: ByPlatform) -> Iterator[Mark]:
    """Rows of Table 3 by word size and processor."""
    for cell in printed.cells():
        for bits, platforms in WORD_BITS.items():
            for it in platforms:
                if value := of.get(it, {}).get(cell):
                    yield Mark(line=str(cell), name=f"{bits} bits", origin=name(it), value=value)
