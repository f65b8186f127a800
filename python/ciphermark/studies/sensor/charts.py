"""Figures 1 to 5 of the paper, and the functions that it does not have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ciphermark.answers.models.fits import ModelFits
from ciphermark.studies.sensor import model, paper
from ciphermark.studies.sensor.evidence import (
    ByPlatform,
    Evidence,
    Measured,
    Normalised,
    normalised,
    printed,
)
from ciphermark.studies.sensor.paper import (
    AVR,
    FUNCTIONS,
    FUTURE,
    LONGEST,
    M16C,
    MD5,
    PLATFORMS,
    PXA250_200,
    SA1110,
    TEXT_BYTES,
    TITLES,
    TODAY,
    ULTRASPARC2,
    WORD_BITS,
    Work,
    name,
    sending,
    title,
)
from ciphermark.studies.sensor.tables_here import code_bytes
from ciphermark.view.findings import (
    AnyChart,
    Chart,
    Curve,
    Mark,
    MarkChart,
    MarkPanel,
    Panel,
    Point,
)
from ciphermark.workloads.simulation.row import METRICS

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
    here = measured.evidence
    of = {
        PUBLISHED: printed().times(PLATFORMS),
        HERE: here.times(here.cycles) if here.cycles else {},
    }
    parts = {"8 and 16 bits": (*AVR, M16C), "32 bits": WORD_BITS[32]}
    return MarkChart(
        name="sensor-times",
        title="Execution times, then and here",
        explanation=(
            "Figure 1 and Table 3. Targets with instruction counts alone have no time here. "
            f"{LOWER}"
        ),
        unit="microseconds",
        names="processor",
        panels=[
            MarkPanel(
                title=part,
                marks=[
                    Mark(line=str(cell), name=name(it), origin=where, value=by_platform[it][cell])
                    for cell in paper.cells()
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
    here = measured.evidence
    parts = {
        "published, clock cycles": printed().cycles,
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
    here = measured.evidence
    found = {
        PUBLISHED: normalised(printed(), ULTRASPARC2),
        HERE: normalised(here, SA1110),
        "here, all": normalised(here, ULTRASPARC2),
    }
    return MarkChart(
        name="sensor-overheads",
        title="Overhead normalised by clock and bus width",
        explanation=(
            "Figure 3: below 1, a processor makes better use of its word width than the "
            f"reference. {HUES} {LOWER}"
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
            "Figure 4, for which the paper prints no numbers: flash of each function linked "
            f"alone. {LOWER}"
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
            "The paper's functions, those of its future work and those of a node of today, "
            f"without key setup. Kinds of figures are not compared with each other. {LOWER}"
        ),
        unit="cycles or instructions",
        names="processor",
        origins="processor",
        panels=[
            MarkPanel(title=kind, marks=marks)
            for metric, kind in METRICS.items()
            if (marks := list(_of_targets(measured, measured.of_metric(metric))))
        ],
    )


def _of_targets(measured: Measured, targets: Iterable[str]) -> Iterator[Mark]:
    for algorithm in (*FUNCTIONS, *FUTURE, *TODAY):
        work = Work(algorithm, sending(algorithm), TEXT_BYTES)
        for target in targets:
            if cost := measured.cost(target, work):
                yield Mark(
                    line=title(algorithm),
                    name=name(target),
                    origin=name(target),
                    value=cost,
                )


def _by_class(of: ByPlatform) -> Iterator[Mark]:
    """Rows of Table 3 by word size and processor."""
    for cell in paper.cells():
        for bits, platforms in WORD_BITS.items():
            for it in platforms:
                if value := of.get(it, {}).get(cell):
                    yield Mark(line=str(cell), name=f"{bits} bits", origin=name(it), value=value)


MEASURED, MODEL = "measured", "model"
LENGTHS = range(LONGEST + 1)
DRAWN = tuple(it for it in PLATFORMS if it != PXA250_200)
"""One of the two clocks of the XScale, so that each processor has a hue of its own."""


def model_over_lengths(measured: Measured) -> Chart:
    """Figure 5."""
    found = model.fits(measured)
    panels = [Panel(title="published", curves=list(_published(found[model.PUBLISHED])))]
    if model.CYCLES in found:
        curves = list(_here(measured, found[model.CYCLES]))
        panels.append(Panel(title="here, simulated", curves=curves))
    return Chart(
        name="sensor-model",
        title="MD5 over the length of the text: measured and by the paper's model",
        explanation=(
            "Figure 5. Published: the rows of Table 3 and the parameters of Table 4, which count "
            "no padding; here: parameters fitted to the simulated figures, by the nearer rule "
            "for blocks. The vertical axis is logarithmic."
        ),
        unit="microseconds",
        over="length",
        origin="figure",
        panels=panels,
    )


def every_length(measured: Measured) -> Chart:
    """All functions of the paper on its processors."""
    return Chart(
        name="sensor-lengths",
        title=f"Every length from 0 to {LONGEST} bytes",
        explanation=(
            "A text of a block cipher is padded to whole blocks; encryption is without key "
            "setup. Hashes take another block from 56 and from 120 bytes on. The vertical axis "
            "is logarithmic."
        ),
        unit="cycles or instructions",
        over="length",
        panels=[
            Panel(
                title=f"{name(target)}, {METRICS[measured.metric(target)]}",
                curves=[it for it in _of_target(measured, target) if it.points],
            )
            for target in DRAWN
            if target in measured.targets
        ],
    )


def _of_target(measured: Measured, target: str) -> Iterator[Curve]:
    for algorithm in FUNCTIONS:
        yield Curve(
            name=TITLES[algorithm],
            origin="here",
            points=_over_lengths(measured, target, algorithm, 1.0),
            marked=False,
        )


def _published(found: ModelFits) -> Iterator[Curve]:
    """The rows of MD5, and the model between them."""
    evidence = printed()
    for platform in DRAWN:
        points = [
            Point(at=size, value=float(time), source="Table 3")
            for cell, time in paper.times()[platform].items()
            if cell.function == MD5
            for size in cell.ends
        ]
        yield Curve(name=name(platform), origin=MEASURED, points=points)
        yield _by_model(evidence, platform, found, is_printed=True)


def _here(measured: Measured, found: ModelFits) -> Iterator[Curve]:
    evidence = measured.evidence
    for platform in DRAWN:
        if platform in evidence.cycles:
            clock = evidence.clock_mhz[platform]
            points = _over_lengths(measured, platform, MD5, clock)
            yield Curve(name=name(platform), origin=MEASURED, points=points, marked=False)
            yield _by_model(evidence, platform, found, is_printed=False)


def _by_model(evidence: Evidence, platform: str, found: ModelFits, *, is_printed: bool) -> Curve:
    """Microseconds at every length."""
    fit = model.predicted(found, MD5, printed=is_printed)
    scale = evidence.clock_mhz[platform] * evidence.bus_width_bits[platform]
    points = [
        Point(at=size, value=model.cost(*parameters, MD5, size) / scale, source=MODEL)
        for parameters in filter(None, [fit])
        for size in LENGTHS
    ]
    return Curve(name=name(platform), origin=MODEL, points=points, marked=False)


def _over_lengths(measured: Measured, target: str, algorithm: str, clock_mhz: float) -> list[Point]:
    """Figures of every length that was simulated, over the clock."""
    return [
        Point(at=size, value=cost / clock_mhz, source="simulated")
        for size in LENGTHS
        if (cost := measured.cost(target, Work(algorithm, sending(algorithm), size)))
    ]
