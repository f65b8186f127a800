"""Charts of a survey. To add one, write a file that makes it and name it here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ciphermark.view.blocks import Chart
from ciphermark.workloads.single.plots import cost, over_size, stability
from ciphermark.workloads.single.sections import sections

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workloads.single.cost_card import CostCard
    from ciphermark.workloads.single.row import Row


def charts(context: Context, rows: list[Row], cards: list[CostCard]) -> Iterator[Chart]:
    """Yields the charts of a report."""
    arranged = sections(context, rows, cards)
    yield over_size.cycles_chart(arranged)
    yield over_size.throughput_chart(arranged)
    yield cost.chart(context, rows, cards)
    yield stability.chart(context, rows, cards)
