"""Lines over message size: one panel for each kind and operation, one line an implementation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import altair as alt

from ciphermark.analyse.row import Row
from ciphermark.record import contract
from ciphermark.show import figures
from ciphermark.show.plots import theme
from ciphermark.show.plots.labels import spread
from ciphermark.show.plots.panel import Panel, inline
from ciphermark.show.sections import Line, Section, lines, packet_bytes, sizes

AXIS_ROOM = 62
LABEL_ROOM = 34
CHARACTER = 6.2
"""Pixels: the axis on the left, the leader to a label, a character of a label."""

TICK_ROOM = 44
"""Pixels that the label of a tick on the axis of sizes takes."""


@dataclass(frozen=True)
class Measure:
    """What is drawn over message size."""

    title: str
    """Of the axis, with the unit."""
    value: Callable[[Row], float | None]
    interval: Callable[[Row], tuple[float | None, float | None]]
    format: str
    """Of the axis, in the notation of d3-format."""
    references: dict[str, float]
    """Lines to compare with, by what they are called."""


@dataclass(frozen=True)
class Frame:
    """What all panels of a plot share."""

    measure: Measure
    sizes: list[int]
    low: float
    high: float
    providers: list[str]

    def pixel(self, value: float) -> float:
        """Height of a value in the plotting area, from its top."""
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return theme.PANEL_HEIGHT * (1 - share)

    def value(self, pixel: float) -> float:
        """The value at a height."""
        return self.low * (self.high / self.low) ** (1 - pixel / theme.PANEL_HEIGHT)


def panels(arranged: list[Section], measure: Measure) -> list[Panel]:
    """The panels of a plot, all with the same axes so that they can be compared."""
    shown = [section for section in arranged if any(line.by_size for line in section.lines)]
    values = [
        value
        for line in lines(shown)
        for row in line.by_size.values()
        if (value := measure.value(row)) is not None and value > 0
    ]
    if not values:
        return []
    frame = Frame(
        measure=measure,
        sizes=sizes(shown),
        low=min(values) / 1.15,
        high=max(values) * 1.15,
        providers=list(dict.fromkeys(line.provider for line in lines(shown))),
    )
    hues = hues_of(shown)
    return [
        _panel(title, part, frame, hues) for section in shown for title, part in _parts(section)
    ]


def hues_of(shown: list[Section]) -> dict[str, str]:
    """The hue of each algorithm: the same wherever it is drawn, the next for the next of a kind."""
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


def _parts(section: Section) -> Iterator[tuple[str, list[Line]]]:
    """A section in parts of at most as many algorithms as there are hues, of about equal size."""
    titles = list(dict.fromkeys(line.algorithm.title for line in section.lines))
    count = math.ceil(len(titles) / len(theme.HUES))
    for number in range(count):
        part = titles[number * len(titles) // count : (number + 1) * len(titles) // count]
        suffix = f" ({number + 1} of {count})" if count > 1 else ""
        yield section.title + suffix, [it for it in section.lines if it.algorithm.title in part]


def _panel(title: str, part: list[Line], frame: Frame, hues: dict[str, str]) -> Panel:
    ends = _ends(part, frame)
    points = inline([point for line in part for point in _points(line, frame.measure)])
    picked = alt.selection_point(fields=["algorithm"], on="click", clear="dblclick")
    provider = alt.selection_point(fields=["provider"], bind="legend")
    # The plain wheel scrolls the page; with Ctrl, which a pinch also sends, it zooms.
    zoomed = alt.selection_interval(bind="scales", zoom="wheel![event.ctrlKey]")
    opacity = alt.when(picked & provider).then(alt.value(1)).otherwise(alt.value(0.12))
    titles = list(dict.fromkeys(line.algorithm.title for line in part))
    colour = alt.Color(
        "algorithm:N",
        legend=None,
        scale=alt.Scale(domain=titles, range=[hues[title] for title in titles]),
    )
    base = alt.Chart(points).encode(x=_x(frame), color=colour, opacity=opacity)
    layers = [
        *_references(frame),
        base.mark_area(opacity=0.25, clip=True).encode(
            y=_y(frame, "low"), y2="high", detail=["line:N"]
        ).transform_filter("isValid(datum.low)"),
        base.mark_line(strokeWidth=1.8, clip=True).encode(
            y=_y(frame, "value"), strokeDash=_dash(frame), detail=["line:N"]
        ),
        base.mark_point(filled=True, size=34, clip=True).encode(
            y=_y(frame, "value"), shape=_shape(frame), tooltip=_tooltip(frame)
        ).transform_filter("datum.settled"),
        base.mark_point(size=46, strokeWidth=1.6, clip=True).encode(
            y=_y(frame, "value"), shape=_shape(frame), tooltip=_tooltip(frame)
        ).transform_filter("!datum.settled"),
        *_labels(ends, colour, opacity, frame),
    ]
    chart = (
        alt.layer(*layers)
        .add_params(picked, provider, zoomed)
        .properties(title=title, width=theme.PANEL_WIDTH, height=theme.PANEL_HEIGHT)
    )
    longest = max(len(end["algorithm"]) for end in ends)
    return Panel(chart, AXIS_ROOM + LABEL_ROOM + math.ceil(CHARACTER * longest))


def _points(line: Line, measure: Measure) -> Iterator[dict[str, Any]]:
    for size, row in sorted(line.by_size.items()):
        value = measure.value(row)
        if value is None or value <= 0:
            continue
        low, high = measure.interval(row)
        yield {
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


def _with_interval(row: Row) -> str:
    if row.cycles_per_byte is None:
        return ""
    figure = figures.significant(row.cycles_per_byte)
    if row.ci_low is None or row.ci_high is None:
        return figure
    return f"{figure} {figures.half_width(row.cycles_per_byte, row.ci_low, row.ci_high)}"


def _tooltip(frame: Frame) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("algorithm:N"),
        alt.Tooltip("operation:N"),
        alt.Tooltip("line:N", title="implementation"),
        alt.Tooltip("size:N", title="message"),
        alt.Tooltip("cycles_per_byte:N", title="cycles/byte"),
        alt.Tooltip("throughput:N", title="MB/s"),
        alt.Tooltip("state:N", title="settled"),
    ]


def _x(frame: Frame) -> alt.X:
    kib = "datum.value >= 1024 && datum.value % 1024 == 0"
    return alt.X(
        "bytes:Q",
        title="message size",
        scale=alt.Scale(type="log", base=2, domain=[frame.sizes[0], frame.sizes[-1]], nice=False),
        axis=alt.Axis(
            values=_ticks(frame.sizes),
            labelExpr=f"{kib} ? datum.value / 1024 + ' KiB' : datum.value + ' B'",
            labelOverlap="greedy",
        ),
    )


def _ticks(measured: list[int]) -> list[int]:
    """The sizes whose labels do not overlap; the ends and a packet come before the others."""
    octaves = math.log2(measured[-1] / measured[0]) or 1
    least = octaves * TICK_ROOM / theme.PANEL_WIDTH
    chosen: list[int] = []
    for size in [measured[0], measured[-1], packet_bytes(measured), *measured]:
        if size and all(abs(math.log2(size / other)) >= least for other in chosen):
            chosen.append(size)
    return sorted(chosen)


def _y(frame: Frame, field: str) -> alt.Y:
    return alt.Y(
        f"{field}:Q",
        title=frame.measure.title,
        scale=alt.Scale(type="log", domain=[frame.low, frame.high], nice=False),
        axis=alt.Axis(format=frame.measure.format, tickCount=6),
    )


def _dash(frame: Frame) -> alt.StrokeDash:
    dashes = [theme.DASHES[place % len(theme.DASHES)] for place in range(len(frame.providers))]
    return alt.StrokeDash(
        "provider:N",
        scale=alt.Scale(domain=frame.providers, range=dashes),
        legend=_legend(frame),
    )


def _shape(frame: Frame) -> alt.Shape:
    shapes = [theme.SHAPES[place % len(theme.SHAPES)] for place in range(len(frame.providers))]
    return alt.Shape(
        "provider:N",
        scale=alt.Scale(domain=frame.providers, range=shapes),
        legend=_legend(frame),
    )


def _legend(frame: Frame) -> alt.Legend | None:
    if len(frame.providers) == 1:
        return None
    return alt.Legend(title=None, orient="top", symbolSize=90, symbolStrokeWidth=1.8, offset=4)


def _references(frame: Frame) -> Iterator[alt.Chart]:
    """Thin lines to compare with, where they are within the picture."""
    within = [
        {"name": name, "value": value}
        for name, value in frame.measure.references.items()
        if frame.low < value < frame.high
    ]
    if not within:
        return
    base = alt.Chart(inline(within)).encode(y=_y(frame, "value"))
    yield base.mark_rule(strokeDash=[2, 3], strokeWidth=0.8, clip=True)
    yield base.mark_text(align="left", dx=4, dy=-6, fontSize=10, opacity=0.7).encode(
        x=alt.value(0), text="name:N"
    )


def _ends(part: list[Line], frame: Frame) -> list[dict[str, Any]]:
    """Where each line ends and where its label goes; near ends of one algorithm share a label."""
    ends: list[dict[str, Any]] = []
    for line in part:
        last = list(_points(line, frame.measure))[-1:]
        if last:
            ends.append(last[0] | {"pixel": frame.pixel(last[0]["value"])})
    labels = _merged(ends)
    places = spread([label["pixel"] for label in labels], theme.LABEL_GAP)
    for label, place in zip(labels, places, strict=True):
        label["label"] = frame.value(place)
    return labels


def _merged(ends: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One end for those of an algorithm that lie within the height of a label."""
    merged: list[dict[str, Any]] = []
    for end in sorted(ends, key=lambda end: (end["algorithm"], end["pixel"])):
        before = merged[-1] if merged else None
        if (
            before
            and before["algorithm"] == end["algorithm"]
            and end["pixel"] - before["pixel"] < theme.LABEL_GAP
        ):
            continue
        merged.append(dict(end))
    return merged


def _labels(
    ends: list[dict[str, Any]], colour: alt.Color, opacity: Any, frame: Frame
) -> Iterator[alt.Chart]:
    """The names beside the ends of the lines, each led to by a thin line in its hue."""
    base = alt.Chart(inline(ends)).encode(opacity=opacity)
    yield base.mark_rule(strokeWidth=1, xOffset=5, x2Offset=20).encode(
        x=_x(frame), x2=alt.X2Value("width"), y=_y(frame, "value"), y2="label", color=colour
    )
    yield base.mark_text(align="left", baseline="middle", dx=24).encode(
        x=alt.XValue("width"), y=_y(frame, "label"), text="algorithm:N"
    )
