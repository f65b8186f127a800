"""Names beside the ends of lines, moved apart where they would overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from ciphermark.show.plots import theme
from ciphermark.show.plots.panel import Points
from ciphermark.workloads.single.plots.coordinates import Coordinates

Block = list[int]


def labels(points: Points, coordinates: Coordinates) -> Points:
    """What is said beside the right edge and at which value: the names of lines and references."""
    found = _names(points, coordinates) + [
        {"text": name, "value": value} for name, value in coordinates.references().items()
    ]
    wanted = [coordinates.pixel(label["value"]) for label in found]
    places = spread(wanted, theme.LABEL_GAP, 0, theme.PANEL_HEIGHT)
    return [
        label | {"label": coordinates.value(place)}
        for label, place in zip(found, places, strict=True)
    ]


def label_marks(
    data: alt.NamedData, coordinates: Coordinates, colour: alt.Color, opacity: Any
) -> Iterator[alt.Chart]:
    """The labels; a thin line in the hue of an algorithm leads to its name."""
    base = alt.Chart(data).encode(opacity=opacity)
    names = base.transform_filter("isValid(datum.algorithm)")
    references = base.transform_filter("!isValid(datum.algorithm)")
    # The marks lie outside the plotting area, where they would be cut off.
    yield names.mark_rule(strokeWidth=1, xOffset=5, x2Offset=20, clip=False).encode(
        x=coordinates.x(),
        x2=alt.X2Value("width"),
        y=coordinates.y("value"),
        y2="label",
        color=colour,
    )
    words = {"align": "left", "baseline": "middle", "dx": 24, "clip": False}
    place = {"x": alt.XValue("width"), "y": coordinates.y("label"), "text": alt.Text("text:N")}
    yield names.mark_text(**words).encode(**place)
    yield references.mark_text(**words, fontStyle="italic", fillOpacity=0.7).encode(**place)


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """The places nearest to those wanted, in their order, a gap or more apart, from low to high.

    Labels that would overlap become a block, centred where its labels want to be on average; a
    block that then overlaps its neighbour joins it. More labels than there is room for go on
    beyond `high`.
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


def _names(points: Points, coordinates: Coordinates) -> Points:
    """The last point of each line; ends of one algorithm that are a label apart or less are one."""
    ends = {(point["algorithm"], point["line"]): point for point in points}
    names: Points = []
    for end in sorted(ends.values(), key=lambda end: (end["algorithm"], end["value"])):
        pixel = coordinates.pixel(end["value"])
        last = names[-1] if names and names[-1]["algorithm"] == end["algorithm"] else None
        if last and coordinates.pixel(last["value"]) - pixel <= theme.LABEL_GAP:
            continue
        same = {field: end[field] for field in ("algorithm", "bytes", "value")}
        names.append(same | {"text": end["algorithm"]})
    return names
