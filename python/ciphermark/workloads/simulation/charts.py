"""Charts of simulated processors: the cost of a byte, and the size of code.

The cost is that of all functions on each target, and that of each function on all targets. Figures
of several metrics have charts of their own in the first; in the second they share an axis, each
metric with its own hue and shape.
"""

from __future__ import annotations

from collections.abc import Iterator

from ciphermark.contract.others import Metric
from ciphermark.view import figures
from ciphermark.view.blocks import Chart
from ciphermark.view.findings import Mark, MarkChart, MarkPanel
from ciphermark.view.plots import marks, theme, vegalite
from ciphermark.view.plots.panel import Panel, Points
from ciphermark.view.plots.vegalite import Spec, field, layer
from ciphermark.workloads.simulation.row import METRICS, UNITS, Line, sizes

UNDOING = frozenset({"decrypt", "open", "verify"})
"""Operations without a mark, as they cost much the same as those that they undo."""

APART = (
    " Figures of different kinds have different hues and shapes and cannot be compared: "
    "instructions are not cycles."
)

CELL_WIDTH, CELL_HEIGHT = 60, 22
NAME_ROOM = 140
"""Pixels of a field of the picture, and of the names on its left."""

FAINTEST, STRONGEST = 0.06, 0.6
"""Opacity of the smallest and the largest, under figures that must stay readable."""


def charts(shown: list[Line]) -> Iterator[Chart]:
    """Yields costs of a byte by metric and over targets, and the size of code."""
    drawn = [line for line in shown if line.operation not in UNDOING and _lengths(line)]
    kinds = {
        metric: own
        for metric in METRICS
        if (own := [line for line in drawn if line.metric == metric])
    }
    for metric, own in kinds.items():
        yield marks.chart_of(_on_targets(metric, own))
    if len({line.first.target for line in drawn}) > 1:
        yield marks.chart_of(_over_targets(kinds))
    yield _code_size(shown)


def _lengths(line: Line) -> list[int]:
    """Returns the sizes over which a cost can be spread."""
    return [size for size in sizes([line]) if size > 0]


def _on_targets(metric: Metric, shown: list[Line]) -> MarkChart:
    """Returns a panel for each target, the cheapest function at the top."""
    targets = dict.fromkeys(line.first.target for line in shown)
    ordered = sorted(shown, key=lambda line: _per_byte(line, _lengths(line)[-1]))
    return MarkChart(
        name=f"functions-{metric}",
        title=f"Which function is cheap where: {METRICS[metric]}",
        explanation=(
            f"{METRICS[metric].capitalize()} per byte, without key setup, for the shortest and "
            "the longest message. The cheapest function for the longest message is at the top. "
            "The difference of the two marks is the fixed cost of a message."
        ),
        unit=f"{UNITS[metric]} per byte",
        names="message",
        origins="message",
        panels=[
            MarkPanel(
                title=target,
                marks=[
                    mark
                    for line in ordered
                    if line.first.target == target
                    for mark in _at_ends(line)
                ],
            )
            for target in targets
        ],
    )


def _at_ends(line: Line) -> Iterator[Mark]:
    lengths = _lengths(line)
    for name, size in {"longest": lengths[-1], "shortest": lengths[0]}.items():
        yield Mark(
            line=_function(line),
            name=name,
            origin=name,
            value=_per_byte(line, size),
            source=figures.message_size(size),
        )


def _over_targets(kinds: dict[Metric, list[Line]]) -> MarkChart:
    """Returns a panel for each function, with a line for each target, by metric."""
    panels: dict[str, list[Mark]] = {}
    for metric, own in kinds.items():
        for line in own:
            size, kind = _lengths(line)[-1], METRICS[metric]
            title = f"{_function(line)}, {figures.message_size(size)}"
            value = _per_byte(line, size)
            mark = Mark(line=line.first.target, name=kind, origin=kind, value=value)
            panels.setdefault(title, []).append(mark)
    units = dict.fromkeys(UNITS[metric] for metric in kinds)
    return MarkChart(
        name="over-targets",
        title="One function on all targets",
        explanation=f"What a byte of the longest message costs.{APART if len(kinds) > 1 else ''}",
        unit=f"{' or '.join(units)} per byte",
        names="figures",
        origins="figures",
        panels=[MarkPanel(title=title, marks=own) for title, own in panels.items()],
    )


def _function(line: Line) -> str:
    return f"{line.function} {line.operation}"


def _per_byte(line: Line, size: int) -> float:
    value = line.at(size)
    assert value is not None
    return value / size


def _code_size(shown: list[Line]) -> Chart:
    return Chart.of(
        "code-size",
        "Code size",
        "Bytes of flash that each algorithm takes when it is linked alone, with all that it "
        "needs, the compiler's library included.",
        _code_panels(shown),
        columns=1,
    )


def _code_panels(shown: list[Line]) -> list[Panel]:
    points = _code_points(shown)
    if not points:
        return []
    functions, targets = (list(dict.fromkeys(it[name] for it in points)) for name in ("of", "on"))
    data = "code_size"
    cells: Spec = {
        "x": field("on:N", title=None, sort=targets, axis={"labelAngle": -40, "orient": "top"}),
        "y": field("of:N", title=None, sort=functions, axis={"labelLimit": NAME_ROOM}),
        "tooltip": vegalite.tooltip({"of": "algorithm", "on": "target", "shown": "bytes"}),
    }
    shade = {"type": "log", "range": [FAINTEST, STRONGEST]}
    opacity = field("bytes:Q", scale=shade, legend=None)
    chart = vegalite.layers(
        [
            layer("rect", cells | {"opacity": opacity}, color=theme.HUES[0]),
            layer("text", cells | {"text": field("shown:N")}),
        ],
        title="bytes of code",
        width=CELL_WIDTH * len(targets),
        height=CELL_HEIGHT * len(functions),
        data=data,
    )
    return [Panel(chart, NAME_ROOM, {data: points})]


def _code_points(shown: list[Line]) -> Points:
    """Returns the largest code of any operation of a function on a target."""
    most: dict[tuple[str, str], int] = {}
    for line in shown:
        key = (line.function, line.first.target)
        most[key] = max(most.get(key, 0), line.most("code_bytes") or 0)
    return [
        {"of": function, "on": target, "bytes": size, "shown": figures.grouped(size)}
        for (function, target), size in most.items()
        if size
    ]
