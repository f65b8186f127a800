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
from ciphermark.show.plots.axes import logarithmic
from ciphermark.show.plots.labels import spread
from ciphermark.show.plots.panel import Panel, inline
from ciphermark.show.sections import Line, Section, lines, packet_bytes, sizes

AXIS_ROOM = 62
LABEL_ROOM = 34
CHARACTER = 6.2
"""Pixels: the axis on the left, the leader to a label, a character of a label."""

TICK_ROOM = 44
"""Pixels that the label of a tick on the axis of sizes takes."""


EDGE = 1.12
"""Factor between the outermost sizes and the ends of their axis, so that marks are whole."""


@dataclass(frozen=True)
class Measure:
    """What is drawn over message size."""

    title: str
    """Of the axis, with the unit."""
    value: Callable[[Row], float | None]
    interval: Callable[[Row], tuple[float | None, float | None]]
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

    def references(self) -> dict[str, float]:
        """Those of the measure that lie within the picture."""
        within = self.measure.references.items()
        return {name: value for name, value in within if self.low < value < self.high}

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
    parts = [part for section in shown for part in _parts(section)]
    return [_panel(number, title, part, frame, hues) for number, (title, part) in enumerate(parts)]


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


def _panel(
    number: int, title: str, part: list[Line], frame: Frame, hues: dict[str, str]
) -> Panel:
    picked = alt.selection_point(
        f"algorithm_{number}", fields=["algorithm"], on="click", clear="dblclick"
    )
    provider = alt.selection_point(f"provider_{number}", fields=["provider"], bind="legend")
    # The plain wheel scrolls the page; with Ctrl, which a pinch also sends, it zooms.
    zoomed = alt.selection_interval(f"zoom_{number}", bind="scales", zoom="wheel![event.ctrlKey]")
    opacity = alt.when(picked & provider).then(alt.value(1)).otherwise(alt.value(0.12))
    titles = list(dict.fromkeys(line.algorithm.title for line in part))
    colour = alt.Color(
        "algorithm:N",
        legend=None,
        scale=alt.Scale(domain=titles, range=[hues[title] for title in titles]),
    )
    labels = _labels(part, frame)
    within = f"!isValid({zoomed.name}.value) || inrange(datum.label, {zoomed.name}.value)"
    visible = alt.when(within).then(alt.value(1)).otherwise(alt.value(0))
    chart = (
        alt.layer(
            *_reference_lines(frame),
            *_curves(frame, colour, opacity),
            *_label_marks(labels, frame, colour, visible),
            data=inline([point for line in part for point in _points(line, frame.measure)]),
        )
        .add_params(picked, provider, zoomed)
        .properties(title=title, width=theme.PANEL_WIDTH, height=theme.PANEL_HEIGHT)
    )
    longest = max(len(label["text"]) for label in labels)
    return Panel(chart, AXIS_ROOM + LABEL_ROOM + math.ceil(CHARACTER * longest))


def _curves(frame: Frame, colour: alt.Color, opacity: Any) -> Iterator[alt.Chart]:
    """Bands of intervals, lines, and marks at the measured sizes, hollow where not settled."""
    base = alt.Chart().encode(x=_x(frame), color=colour, opacity=opacity)
    yield base.mark_area(fillOpacity=0.25, clip=True).encode(
        y=_y(frame, "low"), y2="high", detail=["line:N"]
    ).transform_filter("isValid(datum.low)")
    yield base.mark_line(strokeWidth=1.8, clip=True).encode(
        y=_y(frame, "value"), strokeDash=_dash(frame), detail=["line:N"]
    )
    marks = base.encode(y=_y(frame, "value"), tooltip=_tooltip())
    yield marks.mark_point(filled=True, size=34, clip=True).transform_filter("datum.settled")
    yield marks.mark_point(size=70, strokeWidth=1.6, clip=True).transform_filter("!datum.settled")


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


def _tooltip() -> list[alt.Tooltip]:
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
    ends = [frame.sizes[0] / EDGE, frame.sizes[-1] * EDGE]
    kib = "datum.value >= 1024 && datum.value % 1024 == 0"
    return alt.X(
        "bytes:Q",
        title="message size",
        scale=alt.Scale(type="log", base=2, domain=ends, nice=False),
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
        axis=logarithmic(frame.low, frame.high),
    )


def _dash(frame: Frame) -> alt.StrokeDash:
    legend = alt.Legend(
        title=None,
        orient="top",
        symbolType="stroke",
        symbolSize=500,
        symbolStrokeWidth=1.8,
        offset=2,
    )
    dashes = [theme.DASHES[place % len(theme.DASHES)] for place in range(len(frame.providers))]
    return alt.StrokeDash(
        "provider:N",
        scale=alt.Scale(domain=frame.providers, range=dashes),
        legend=legend if len(frame.providers) > 1 else None,
    )


def _reference_lines(frame: Frame) -> Iterator[alt.Chart]:
    """Thin lines to compare with."""
    values = [{"value": value} for value in frame.references().values()]
    if values:
        chart = alt.Chart(inline(values)).encode(y=_y(frame, "value"))
        yield chart.mark_rule(strokeDash=[2, 3], strokeWidth=0.8, clip=True)


def _labels(part: list[Line], frame: Frame) -> list[dict[str, Any]]:
    """What is said beside the right edge and at which value: the names of lines and references."""
    labels = _names(part, frame) + [
        {"text": name, "value": value} for name, value in frame.references().items()
    ]
    wanted = [frame.pixel(label["value"]) for label in labels]
    places = spread(wanted, theme.LABEL_GAP, 0, theme.PANEL_HEIGHT)
    for label, place in zip(labels, places, strict=True):
        label["label"] = frame.value(place)
    return labels


def _names(part: list[Line], frame: Frame) -> list[dict[str, Any]]:
    """The last point of each line; ends of one algorithm that are a label apart or less are one."""
    ends = [points[-1] for line in part if (points := list(_points(line, frame.measure)))]
    names: list[dict[str, Any]] = []
    for end in sorted(ends, key=lambda end: (end["algorithm"], end["value"])):
        last = names[-1] if names else None
        distance = frame.pixel(last["value"]) - frame.pixel(end["value"]) if last else 0
        if not last or last["algorithm"] != end["algorithm"] or distance > theme.LABEL_GAP:
            same = ("algorithm", "bytes", "value")
            names.append({"text": end["algorithm"]} | {field: end[field] for field in same})
    return names


def _label_marks(
    labels: list[dict[str, Any]], frame: Frame, colour: alt.Color, opacity: Any
) -> Iterator[alt.Chart]:
    """The labels; a thin line in the hue of an algorithm leads to its name."""
    base = alt.Chart(inline(labels)).encode(opacity=opacity)
    names = base.transform_filter("isValid(datum.algorithm)")
    yield names.mark_rule(strokeWidth=1, xOffset=5, x2Offset=20, clip=False).encode(
        x=_x(frame), x2=alt.X2Value("width"), y=_y(frame, "value"), y2="label", color=colour
    )
    words = {"align": "left", "baseline": "middle", "dx": 24, "clip": False}
    place = {"x": alt.XValue("width"), "y": _y(frame, "label"), "text": "text:N"}
    yield names.mark_text(**words).encode(**place)
    yield base.mark_text(**words, fontStyle="italic", fillOpacity=0.7).encode(
        **place
    ).transform_filter("!isValid(datum.algorithm)")
