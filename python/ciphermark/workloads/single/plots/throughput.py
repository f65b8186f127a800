"""Throughput over message size, beside the rates of common links."""

from __future__ import annotations

from dataclasses import replace
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
    title="throughput of one core, MB/s",
    value=lambda row: row.mbytes_per_second,
    # Times follow the clock, which moves more than cycles do: they have no interval of their own.
    interval=lambda row: (None, None),
    references={"1 Gbit/s": 125.0, "10 Gbit/s": 1250.0, "100 Gbit/s": 12500.0},
)


def _panels(context: Context, rows: list[Row], cards: list[CostCard]) -> list[Panel]:
    return panels(sections(context, rows, cards), MEASURE)


PLOT = Plot(
    name="throughput",
    title="Throughput over message size",
    explanation=(
        "Higher is better; both axes are logarithmic. One core, one message after the other, at "
        "the clock that the core had; 1 MB is 10⁶ bytes. Dotted lines are the rates of links, "
        "of which headers and other work take their share."
    ),
    hint=HINT,
    panels=_panels,
    columns=2,
)

IMPORTED = replace(
    PLOT,
    explanation=(
        "Higher is better; both axes are logarithmic, 1 MB is 10⁶ bytes. All marks are hollow: "
        "nobody knows how sure these figures are. Dotted lines are the rates of links, of which "
        "headers and other work take their share."
    ),
)
"""The same of the figures of another program."""
