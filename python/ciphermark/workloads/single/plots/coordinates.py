"""The axes of plots over message size, the points that are drawn between them, and their hues."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Self

from ciphermark import contract
from ciphermark.view import figures
from ciphermark.view.plots import theme, vegalite
from ciphermark.view.plots.panel import GROUPED, Points, logarithmic
from ciphermark.view.plots.vegalite import Spec
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.sections import Line, Section, lines, packet_bytes

LEGEND_COLUMNS = 2
"""Libraries side by side above a panel: two panels stand abreast, each some 260 pixels wide."""

TICK_ROOM = 44
"""Pixels that the label of a tick on the axis of sizes takes."""

EDGE = 1.12
"""Factor between the outermost values and the ends of their axis, so that marks are whole."""


SAID = {
    "algorithm": "algorithm",
    "operation": "operation",
    "line": "implementation",
    "size": "message",
    "cycles_per_byte": "cycles/byte",
    "throughput": "MB/s",
    "state": "settled",
}
"""Titles of a row's fields."""


@dataclass(frozen=True)
class Measure:
    """Quantity that is drawn over message size."""

    title: str
    """Title of the axis, with the unit."""
    value: Callable[[Row], float | None]
    interval: Callable[[Row], tuple[float | None, float | None]]
    references: dict[str, float]
    """Values of lines to compare with, by name."""
    higher_is_better: bool = False
    said: dict[str, str] = field(default_factory=lambda: dict(SAID))
    """Titles of a point's fields that are shown under the pointer."""

    def points(self, drawn: Iterable[Line]) -> Points:
        """Returns the positive values for a logarithmic axis, line by line, sizes ascending."""
        return [
            self._point(line, size, row, value)
            for line in drawn
            for size, row in line.of_sizes()
            if (value := self.value(row)) is not None and value > 0
        ]

    def _point(self, line: Line, size: int, row: Row, value: float) -> dict[str, Any]:
        low, high = self.interval(row)
        return {
            "bytes": size,
            "size": figures.message_size(size),
            "value": value,
            "low": low,
            "high": high,
            "algorithm": line.algorithm.title,
            "operation": line.operation,
            "provider": line.provider,
            "line": line.implementation,
            "settled": row.converged,
            "cycles_per_byte": _with_interval(row),
            "throughput": row.mbytes_per_second and figures.significant(row.mbytes_per_second),
            "state": "yes" if row.converged else row.not_converged_reason,
        }


@dataclass(frozen=True)
class Coordinates:
    """The axes that all panels of a plot share, so that they can be compared."""

    measure: Measure
    sizes: list[int]
    low: float
    high: float
    providers: list[str]
    over: str = "message size"
    """The title of the horizontal axis."""

    @classmethod
    def around(cls, measure: Measure, points: Points) -> Self:
        """Axes that hold these points."""
        values = [point["value"] for point in points]
        return cls(
            measure=measure,
            sizes=sorted({point["bytes"] for point in points}),
            low=min(values) / EDGE,
            high=max(values) * EDGE,
            providers=list(dict.fromkeys(point["provider"] for point in points)),
        )

    def references(self) -> dict[str, float]:
        """Returns the references of the measure that lie within the picture."""
        known = self.measure.references.items()
        return {name: value for name, value in known if self.low < value < self.high}

    def pixel(self, value: float) -> float:
        """Returns the height of a value in the plotting area, from its top."""
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return theme.PANEL_HEIGHT * (1 - share)

    def value(self, pixel: float) -> float:
        """Returns the value at a height."""
        share = 1 - pixel / theme.PANEL_HEIGHT
        return self.low * math.pow(self.high / self.low, share)

    def x(self) -> Spec:
        """Returns the channel of sizes."""
        limits = [self.sizes[0] / EDGE, self.sizes[-1] * EDGE]
        kib = "datum.value >= 1024 && datum.value % 1024 == 0"
        return vegalite.field(
            "bytes:Q",
            title=self.over,
            scale={"type": "log", "base": 2, "domain": limits, "nice": False},
            axis={
                "values": _ticks(self.sizes),
                "labelExpr": f"{kib} ? datum.value / 1024 + ' KiB' : datum.value + ' B'",
                "labelOverlap": "greedy",
            },
        )

    def y(self, field: str) -> Spec:
        """Returns the channel of a field that has values."""
        return vegalite.field(
            f"{field}:Q",
            title=self.measure.title,
            scale={"type": "log", "domain": [self.low, self.high], "nice": False},
            axis=logarithmic(self.low, self.high),
        )

    def dash(self, present: list[str]) -> Spec:
        """Returns a dash for each provider; of several, a legend explains those present."""
        legend = {
            "title": None,
            "orient": "top",
            "columns": LEGEND_COLUMNS,
            "values": present,
            "symbolType": "stroke",
            "symbolSize": 500,
            "symbolStrokeWidth": 1.8,
            "offset": 2,
        }
        dashes = theme.each(theme.DASHES, self.providers)
        return vegalite.field(
            "provider:N",
            scale={"domain": self.providers, "range": dashes},
            legend=legend if len(self.providers) > 1 else None,
        )


@dataclass(frozen=True)
class CountCoordinates(Coordinates):
    """Coordinates over numbers other than sizes, from the first on, evenly spaced."""

    def x(self) -> Spec:
        return vegalite.field(
            "bytes:Q",
            title=self.over,
            scale={"domain": [self.sizes[0], self.sizes[-1]], "nice": False},
            axis={"labelExpr": GROUPED},
        )


def _with_interval(row: Row) -> str:
    if row.cycles_per_byte is None:
        return ""
    figure = figures.significant(row.cycles_per_byte)
    if row.ci_low is None or row.ci_high is None:
        return figure
    return f"{figure} {figures.half_width(row.cycles_per_byte, row.ci_low, row.ci_high)}"


def _ticks(measured: list[int]) -> list[int]:
    """Returns sizes whose labels do not overlap; the ends and a packet come first."""
    octaves = math.log2(measured[-1] / measured[0]) or 1
    least = octaves * TICK_ROOM / theme.PANEL_WIDTH
    chosen: list[int] = []
    for size in [measured[0], measured[-1], packet_bytes(measured), *measured]:
        if size and all(abs(math.log2(size / other)) >= least for other in chosen):
            chosen.append(size)
    return sorted(chosen)


def hues_of(shown: list[Section]) -> dict[str, str]:
    """Returns the hue of each algorithm, the same in all plots.

    Algorithms of a kind have successive hues.
    """
    algorithms: dict[contract.Kind, list[str]] = {}
    for line in lines(shown):
        of_kind = algorithms.setdefault(line.algorithm.kind, [])
        if line.algorithm.title not in of_kind:
            of_kind.append(line.algorithm.title)
    return {
        title: theme.HUES[place % len(theme.HUES)]
        for of_kind in algorithms.values()
        for place, title in enumerate(of_kind)
    }


MOST_LINES = 20
"""Most lines of an algorithm in one panel: so many names have room beside it, with those of links.
"""


def by_algorithm(section: Section) -> Iterator[tuple[str, list[Line]]]:
    """Yields a section by algorithms; one of many implementations in equal parts."""
    for title in dict.fromkeys(line.algorithm.title for line in section.lines):
        own = [line for line in section.lines if line.algorithm.title == title]
        count = math.ceil(len(own) / MOST_LINES)
        for number in range(count):
            suffix = f" ({number + 1} of {count})" if count > 1 else ""
            part = own[number * len(own) // count : (number + 1) * len(own) // count]
            yield f"{title} · {part[0].operation}{suffix}", part


def parts(section: Section) -> Iterator[tuple[str, list[Line]]]:
    """Yields a section in about equal parts with at most one algorithm per hue."""
    titles = list(dict.fromkeys(line.algorithm.title for line in section.lines))
    count = math.ceil(len(titles) / len(theme.HUES))
    for number in range(count):
        part = titles[number * len(titles) // count : (number + 1) * len(titles) // count]
        suffix = f" ({number + 1} of {count})" if count > 1 else ""
        yield section.title + suffix, [it for it in section.lines if it.algorithm.title in part]
