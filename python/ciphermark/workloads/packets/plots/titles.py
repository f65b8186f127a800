"""What curves of packets are called in plots: what they share in the title, what differs on the
line."""

from __future__ import annotations

from collections.abc import Iterable

from ciphermark.show.plots import theme
from ciphermark.show.plots.over_count import Picture, Series
from ciphermark.workloads.packets import remarks as packet_words
from ciphermark.workloads.packets.row import PacketRow

MOST_PANELS = 12
"""Of a plot: a page of more is not looked at. The table has all figures."""


def line(row: PacketRow) -> str:
    """`uea1 encrypt, kernels, 64 B`."""
    return ", ".join(filter(None, [packet_words.function(row), packet_words.size(row)]))


def pictures(series: Iterable[tuple[str, Series]], counted: str) -> list[Picture]:
    """Pictures of series under their titles, as many lines in each as there are hues."""
    alike: dict[str, list[Series]] = {}
    for title, it in series:
        alike.setdefault(title, []).append(it)
    parts = [
        Picture(title, counted, group[first : first + len(theme.HUES)])
        for title, group in alike.items()
        for first in range(0, len(group), len(theme.HUES))
    ]
    return parts[:MOST_PANELS]
