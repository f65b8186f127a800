"""Lines over message size: one line an implementation.

Of few libraries there is one panel for each kind and operation, where an algorithm has a hue and a
library a dash. Of many there is one for each algorithm and operation, where each line has the name
of its library beside it. Of a single size there are bars. Drawn are cycles per byte, which show how
the fixed cost of a message wears off, and throughput, beside the rates of common links.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from ciphermark.view.blocks import Chart
from ciphermark.view.plots import theme, vegalite
from ciphermark.view.plots.panel import Panel, Points
from ciphermark.view.plots.vegalite import Spec, brought_out, field, layer
from ciphermark.workloads.single.plots import bars
from ciphermark.workloads.single.plots.coordinates import (
    Coordinates,
    Measure,
    by_algorithm,
    hues_of,
    parts,
)
from ciphermark.workloads.single.sections import Section, lines

if TYPE_CHECKING:
    pass


AXIS_ROOM = 62
LABEL_ROOM = 34
CHARACTER = 6.2
"""Pixels: the axis on the left, the leader to a label, a character of a label."""

MOST_DASHES = 4
"""Libraries in one panel whose dashes can be distinguished."""

Named = Literal["algorithm", "line"]
"""Source of the hue and name of a line in a panel: the algorithm, or the implementation."""

HINT = (
    "Click a line to bring out all of its name, a name in the legend to bring out a provider; "
    "double-click to go back. Drag to move, Ctrl and wheel to zoom."
)


def panels(arranged: list[Section], measure: Measure) -> list[Panel]:
    """Returns the panels of a plot over message size."""
    points = measure.points(lines(arranged))
    if not points:
        return []
    coordinates = Coordinates.around(measure, points)
    has_many = len(coordinates.providers) > MOST_DASHES
    is_single = len(coordinates.sizes) == 1
    drawn = [
        (title, part_points)
        for section in arranged
        for title, part in (by_algorithm if has_many or is_single else parts)(section)
        if (part_points := measure.points(part))
    ]
    if is_single:
        return [bars.panel(number, *it, measure) for number, it in enumerate(drawn)]
    if not has_many:
        hues = hues_of(arranged)
        return [panel(number, *it, coordinates, hues) for number, it in enumerate(drawn)]
    names = list(dict.fromkeys(point["line"] for point in points))
    hues = dict(zip(names, theme.each(theme.HUES, names), strict=True))
    return [panel(number, *it, coordinates, hues, by="line") for number, it in enumerate(drawn)]


def panel(
    number: int,
    title: str,
    points: Points,
    coordinates: Coordinates,
    hues: dict[str, str],
    *,
    by: Named = "algorithm",
) -> Panel:
    """Returns one panel, with hues by names.

    `number` distinguishes its data from that of the others.
    """
    data = {
        f"points_{number}": points,
        f"labels_{number}": labels(points, coordinates, by),
        f"references_{number}": [{"value": it} for it in coordinates.references().values()],
    }
    of_points, of_labels, of_references = data
    picked, provider, zoomed = (f"{name}_{number}" for name in (by, "provider", "zoom"))
    click: Spec = {"type": "point", "fields": [by], "on": "click", "clear": "dblclick"}
    # The plain wheel scrolls the page; with Ctrl, which a pinch also sends, it zooms.
    zoom: Spec = {"type": "interval", "encodings": ["y"], "zoom": "wheel![event.ctrlKey]"}
    colour = _colour(points, hues, by)
    dash = _dash(hues) if by == "line" else coordinates.dash(_providers(points))
    chart = vegalite.layers(
        [
            _reference_lines(of_references, coordinates),
            *_curves(coordinates, dash, colour, brought_out(picked, provider)),
            *label_marks(of_labels, coordinates, colour, _label_opacity(picked, zoomed)),
        ],
        title=title,
        width=theme.PANEL_WIDTH,
        height=theme.PANEL_HEIGHT,
        data=of_points,
        params=[
            {"name": picked, "select": click},
            vegalite.picked_in_legend(provider, "provider"),
            {"name": zoomed, "select": zoom, "bind": "scales"},
        ],
    )
    longest = max(len(label["text"]) for label in data[of_labels])
    return Panel(chart, AXIS_ROOM + LABEL_ROOM + math.ceil(CHARACTER * longest), data)


def _colour(points: Points, hues: dict[str, str], by: Named) -> Spec:
    names = list(dict.fromkeys(point[by] for point in points))
    scale = {"domain": names, "range": [hues[name] for name in names]}
    return field(f"{by}:N", legend=None, scale=scale)


def _dash(hues: dict[str, str]) -> Spec:
    """Returns a dash for each line of the same hue, repeated when there are more.

    Names stand at the lines and need no legend.
    """
    rounds = [place // len(theme.HUES) for place in range(len(hues))]
    dashes = [theme.DASHES[number % len(theme.DASHES)] for number in rounds]
    return field("line:N", scale={"domain": list(hues), "range": dashes}, legend=None)


def _label_opacity(picked: str, zoomed: str) -> Spec:
    """Labels outside the panel cannot be cut off, so those that zooming moves there vanish."""
    outside = f"isValid({zoomed}.value) && !inrange(datum.label, {zoomed}.value)"
    conditions = [{"test": outside, "value": 0}, {"param": picked, "value": 1}]
    return {"condition": conditions, "value": theme.FAINT}


def _providers(points: Points) -> list[str]:
    return list(dict.fromkeys(point["provider"] for point in points))


def _curves(coordinates: Coordinates, dash: Spec, colour: Spec, opacity: Spec) -> Iterator[Spec]:
    """Bands of intervals, lines, and marks at the measured sizes, hollow where not settled."""
    base: Spec = {"x": coordinates.x(), "color": colour, "opacity": opacity}
    value, by_line = coordinates.y("value"), [field("line:N")]
    band = base | {"y": coordinates.y("low"), "y2": {"field": "high"}, "detail": by_line}
    yield layer("area", band, where="isValid(datum.low)", fillOpacity=0.25, clip=True)
    line = base | {"y": value, "strokeDash": dash, "detail": by_line}
    yield layer("line", line, strokeWidth=1.8, clip=True)
    point = base | {"y": value, "tooltip": vegalite.tooltip(coordinates.measure.said)}
    marked = "datum.marked !== false"
    settled, hollow = f"{marked} && datum.settled", f"{marked} && !datum.settled"
    yield layer("point", point, where=settled, filled=True, size=34, clip=True)
    yield layer("point", point, where=hollow, size=70, strokeWidth=1.6, clip=True)
    # Not to be seen, but under the pointer they have their names.
    unseen: Spec = {"filled": True, "size": 34, "fillOpacity": 0, "strokeOpacity": 0, "clip": True}
    yield layer("point", point, where="datum.marked === false", **unseen)


def _reference_lines(data: str, coordinates: Coordinates) -> Spec:
    """Returns thin lines to compare with."""
    encoding = {"y": coordinates.y("value")}
    return layer("rule", encoding, data=data, strokeDash=[2, 3], strokeWidth=0.8, clip=True)


Block = list[int]


def labels(points: Points, coordinates: Coordinates, by: Named = "algorithm") -> Points:
    """Returns the labels at the right edge and their values: of lines and references."""
    with_references = _names(points, coordinates, by) + [
        {"text": name, "value": value} for name, value in coordinates.references().items()
    ]
    wanted = [coordinates.pixel(label["value"]) for label in with_references]
    places = spread(wanted, theme.LABEL_GAP, 0, theme.PANEL_HEIGHT)
    return [
        label | {"label": coordinates.value(place)}
        for label, place in zip(with_references, places, strict=True)
    ]


def label_marks(data: str, coordinates: Coordinates, colour: Spec, opacity: Spec) -> Iterator[Spec]:
    """Yields the labels; a thin line in the hue of a line leads to its name."""
    edge: Spec = {"value": "width"}
    leader = {
        "opacity": opacity,
        "x": coordinates.x(),
        "x2": edge,
        "y": coordinates.y("value"),
        "y2": {"field": "label"},
        "color": colour,
    }
    words = {"opacity": opacity, "x": edge, "y": coordinates.y("label"), "text": field("text:N")}
    # The marks lie outside the plotting area, where they would be cut off.
    beyond: Spec = {"data": data, "clip": False}
    beside: Spec = beyond | {"align": "left", "baseline": "middle", "dx": 24}
    of_lines, of_references = "isValid(datum.bytes)", "!isValid(datum.bytes)"
    yield layer("rule", leader, where=of_lines, strokeWidth=1, xOffset=5, x2Offset=20, **beyond)
    yield layer("text", words, where=of_lines, **beside)
    yield layer("text", words, where=of_references, fontStyle="italic", fillOpacity=0.7, **beside)


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Returns the places nearest to `wanted`, in order and at least a gap apart.

    Labels that would overlap become a block, centred where its labels want to be on average; a
    block that then overlaps its neighbour joins it. All are from `low` to `high`; more labels than
    there is room for go on beyond `high`.
    """

    def places(block: Block) -> list[float]:
        middle = sum(wanted[label] for label in block) / len(block)
        length = gap * (len(block) - 1)
        first = max(low, min(middle - length / 2, high - length))
        return [first + gap * place for place in range(len(block))]

    blocks: list[Block] = []
    for label in sorted(range(len(wanted)), key=lambda label: wanted[label]):
        blocks.append([label])
        while len(blocks) > 1 and places(blocks[-1])[0] - places(blocks[-2])[-1] < gap:
            last = blocks.pop()
            blocks[-1] += last
    placed = {
        label: place for block in blocks for label, place in zip(block, places(block), strict=True)
    }
    return [placed[label] for label in range(len(wanted))]


def _names(points: Points, coordinates: Coordinates, by: Named) -> Points:
    """Returns the last point of each line, with its name.

    Points of one name that are a label apart or less are one. Those that are further apart have the
    name of the line too.
    """
    last_points = {(point["algorithm"], point["line"]): point for point in points}
    named: Points = []
    for end in sorted(last_points.values(), key=lambda end: (end[by], end["value"])):
        pixel = coordinates.pixel(end["value"])
        last = named[-1] if named and named[-1][by] == end[by] else None
        if last and coordinates.pixel(last["value"]) - pixel <= theme.LABEL_GAP:
            continue
        named.append(end)
    often = Counter(end[by] for end in named)
    return [
        {field: end[field] for field in (by, "bytes", "value")}
        | {"text": end[by] if often[end[by]] == 1 else f"{end[by]}, {end['line']}"}
        for end in named
    ]


CYCLES = Measure(
    title="core cycles per byte",
    value=lambda row: row.cycles_per_byte,
    interval=lambda row: (row.ci_low, row.ci_high),
    references={},
)

THROUGHPUT = Measure(
    title="throughput of one core, MB/s",
    value=lambda row: row.mbytes_per_second,
    # Times follow the clock, which moves more than cycles do: they have no interval.
    interval=lambda row: (None, None),
    references={"1 Gbit/s": 125.0, "10 Gbit/s": 1250.0, "100 Gbit/s": 12500.0},
    higher_is_better=True,
)

LINKS = "Dotted lines are the rates of links, of which headers and other work take a share."


def cycles_chart(arranged: list[Section]) -> Chart:
    """Returns the picture of cycles per byte."""
    return Chart.of(
        "cycles-per-byte",
        "Cycles per byte over message size",
        "Lower is better; axes over size are logarithmic. Small messages cost more per byte "
        "because each has a fixed cost. Bands are 95 % intervals, mostly narrower than the line; "
        "a hollow mark did not settle.",
        panels(arranged, CYCLES),
        HINT,
    )


def throughput_chart(arranged: list[Section], *, imported: bool = False) -> Chart:
    """Returns the picture of throughput, also of figures of another program."""
    measured = (
        "axes over size are logarithmic. One core, one message after the other, at the clock of "
        "that core; 1 MB is 10⁶ bytes."
    )
    explanation = (
        "both axes are logarithmic, 1 MB is 10⁶ bytes. All marks are hollow: the uncertainty of "
        "these figures is unknown."
    )
    return Chart.of(
        "throughput",
        "Throughput over message size",
        f"Higher is better; {explanation if imported else measured} {LINKS}",
        panels(arranged, THROUGHPUT),
        HINT,
    )
