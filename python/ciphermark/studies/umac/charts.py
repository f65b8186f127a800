"""Cycles per byte over message size, then and now: a panel for each table of the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ciphermark.studies.evidence import implementation
from ciphermark.studies.umac.evidence import Asked, Measured
from ciphermark.studies.umac.paper import (
    COMPARISON,
    PLATFORMS,
    SIZES,
    TAGS,
    Function,
    Section,
    cells,
)
from ciphermark.view.findings import Chart, Curve, Panel, Point

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.single.row import Row


def charts(run: Run, rows: list[Row]) -> list[Chart]:
    measured = Measured(rows)
    return [
        Chart(
            name="umac-then-and-now",
            title="UMAC, UHASH and five functions beside them: then and now",
            explanation=(
                "Lower is better; both axes are logarithmic. UMAC has RC6 for keys and pads "
                "unless a line is labelled AES. Printed figures are rounded to a tenth, and two "
                "of the PowerPC look misprinted (UHASH-2/16). 256 KiB are one small buffer in "
                "the nearest cache, passed repeatedly, except for hash127 and hash127-RC6 in "
                "2000."
            ),
            unit="core cycles per byte",
            panels=[_panel(section, measured) for section in (*TAGS, COMPARISON)],
        )
    ]


def _panel(section: Section, measured: Measured) -> Panel:
    curves = [curve for function in section.functions for curve in _curves(function, measured)]
    return Panel(title=section.title, curves=[curve for curve in curves if curve.points])


def _curves(function: Function, measured: Measured) -> Iterator[Curve]:
    """Ours first: it gets the whole line."""
    yield Curve(name=function.name, origin="here", points=_here(function.algorithm, measured))
    if function.with_aes:
        points = _here(function.with_aes, measured)
        yield Curve(name=function.name, origin="here, AES", points=points)
    for platform, title in PLATFORMS.items():
        yield Curve(name=function.name, origin=title, points=_printed(function, platform))


def _printed(function: Function, platform: str) -> list[Point]:
    found = [cells().get((function.name, platform, size)) for size in SIZES]
    return [
        Point(
            at=it.message_bytes,
            value=it.cycles_per_byte,
            source=f"the page of 2000{it.note and ', ' + it.note}",
        )
        for it in found
        if it
    ]


def _here(algorithm: str, measured: Measured) -> list[Point]:
    found = [measured.fastest(Asked(algorithm, size)) for size in SIZES]
    return [
        Point(
            at=it.message_bytes,
            value=it.cycles.value,
            low=it.cycles.low,
            high=it.cycles.high,
            source=implementation(it.row),
            converged=it.row.converged,
        )
        for it in found
        if it
    ]
