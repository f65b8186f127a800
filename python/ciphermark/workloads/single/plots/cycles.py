"""Cycles per byte over message size: how the fixed cost of a message wears off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show.plots.panel import Panel, Plot
from ciphermark.workloads.single.plots.coordinates import Measure
from ciphermark.workloads.single.plots.over_size import HINT, panels
from ciphermark.workloads.single.sections import sections

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workloads.single.cost_card import CostCard
    from ciphermark.workloads.single.row import Row

MEASURE = Measure(
    title="core cycles per byte",
    value=lambda row: row.cycles_per_byte,
    interval=lambda row: (row.ci_low, row.ci_high),
    references={},
)


def _panels(context: Context, rows: list[Row], cards: list[CostCard]) -> list[Panel]:
    return panels(sections(context, rows, cards), MEASURE)


PLOT = Plot(
    name="cycles-per-byte",
    title="Cycles per byte over message size",
    explanation=(
        "Lower is better; both axes are logarithmic. Small messages are dear because each has a "
        "fixed cost, which wears off with size. Bands are 95 % intervals, mostly narrower than the "
        "line; a hollow mark did not settle."
    ),
    hint=HINT,
    panels=_panels,
    columns=2,
)
