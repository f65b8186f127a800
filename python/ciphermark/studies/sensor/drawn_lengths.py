"""Figure 5, and every function over the length of the text."""

from __future__ import annotations

from collections.abc import Iterator

from ciphermark.answers.models.fits import ModelFits
from ciphermark.show.findings import Chart, Curve, Panel, Point
from ciphermark.studies.sensor import fitted, printed
from ciphermark.studies.sensor.evidence import Evidence
from ciphermark.studies.sensor.measured import Measured
from ciphermark.studies.sensor.paper import (
    FUNCTIONS,
    LONGEST,
    MD5,
    PLATFORMS,
    PXA250_200,
    TITLES,
    Work,
    name,
    sending,
)
from ciphermark.workloads.simulation.remarks import METRICS

MEASURED, MODEL = "measured", "model"
LENGTHS = range(LONGEST + 1)
DRAWN = tuple(it for it in PLATFORMS if it != PXA250_200)
"""One of the two clocks of the XScale, so that each processor has a hue of its own."""


def model_over_lengths(measured: Measured) -> Chart:
    """Figure 5."""
    found = fitted.fits(measured)
    panels = [Panel(title="published", curves=list(_published(found[fitted.PUBLISHED])))]
    if fitted.CYCLES in found:
        curves = list(_here(measured, found[fitted.CYCLES]))
        panels.append(Panel(title="here, simulated", curves=curves))
    return Chart(
        name="sensor-model",
        title="MD5 over the length of the text: measured and by the paper's model",
        explanation=(
            "Figure 5. Published: the rows of Table 3 and the parameters of Table 4, which count "
            "no padding; here: parameters fitted to what was simulated, with the rule for blocks "
            "that is nearer. The vertical axis is logarithmic."
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
            "A text of a cipher of blocks is padded to whole ones; encryption is without key "
            "setup. Hashes take another block from 56 and from 120 bytes on. The vertical axis is "
            "logarithmic."
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
    evidence = printed.evidence()
    for platform in DRAWN:
        points = [
            Point(at=size, value=float(time), source="Table 3")
            for cell, time in printed.times()[platform].items()
            if cell.function == MD5
            for size in cell.ends
        ]
        yield Curve(name=name(platform), origin=MEASURED, points=points)
        yield _by_model(evidence, platform, found, is_printed=True)


def _here(measured: Measured, found: ModelFits) -> Iterator[Curve]:
    evidence = measured.evidence()
    for platform in DRAWN:
        if platform in evidence.cycles:
            clock = evidence.clock_mhz[platform]
            points = _over_lengths(measured, platform, MD5, clock)
            yield Curve(name=name(platform), origin=MEASURED, points=points, marked=False)
            yield _by_model(evidence, platform, found, is_printed=False)


def _by_model(evidence: Evidence, platform: str, found: ModelFits, *, is_printed: bool) -> Curve:
    """Microseconds at every length."""
    model = fitted.predicted(found, MD5, printed=is_printed)
    scale = evidence.clock_mhz[platform] * evidence.bus_width_bits[platform]
    points = [
        Point(at=size, value=fitted.cost(*model, MD5, size) / scale, source=MODEL)
        for size in (LENGTHS if model else ())
    ]
    return Curve(name=name(platform), origin=MODEL, points=points, marked=False)


def _over_lengths(measured: Measured, target: str, algorithm: str, clock_mhz: float) -> list[Point]:
    """Figures of every length that was simulated, over the clock."""
    works = [Work(algorithm, sending(algorithm), size) for size in LENGTHS]
    return [
        Point(at=work.message_bytes, value=it.value / clock_mhz, source="simulated")
        for work in works
        if (it := measured.one(target, work))
    ]
