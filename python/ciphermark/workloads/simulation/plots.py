"""The plots of a run of simulated processors: what a byte costs, and how large code is.

A byte is shown of all functions on each target, and of each function on all targets. Figures of
several metrics have plots of their own in the first; in the second they share an axis, each metric
with its own hue and shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ciphermark.contract.others import Metric
from ciphermark.show import figures
from ciphermark.show.findings import Mark, MarkChart, MarkPanel
from ciphermark.show.plots import marks, theme, vegalite
from ciphermark.show.plots.panel import Panel, Plot, Points
from ciphermark.show.plots.vegalite import Spec, field, layer
from ciphermark.workloads.simulation.columns import Line, lines, sizes
from ciphermark.workloads.simulation.remarks import METRICS, UNITS
from ciphermark.workloads.simulation.row import SimulationRow

UNDOING = frozenset({"decrypt", "open", "verify"})
"""Operations that are left out: they cost much the same as those that they undo."""

APART = (
    " Figures of different kinds have different hues and shapes and cannot be compared: "
    "instructions are not cycles."
)

CELL_WIDTH, CELL_HEIGHT = 60, 22
NAME_ROOM = 140
"""Pixels: a field of the picture, and the names on its left."""

FAINTEST, STRONGEST = 0.06, 0.6
"""Opacity of the smallest and the largest, under figures that must stay readable."""


def plots(rows: list[SimulationRow]) -> list[Plot]:
    """Those that have something to show."""
    shown = lines(rows)
    return [*_per_byte_plots(shown), _code_size(shown)]


def _per_byte_plots(shown: Iterable[Line]) -> list[Plot]:
    """Those of the metrics that occur, and that of all where there are several targets."""
    order = list(METRICS)
    drawn = [line for line in shown if line.operation not in UNDOING and _lengths(line)]
    drawn.sort(key=lambda line: order.index(line.metric))
    on_targets = [_on_targets(metric, own) for metric, own in _by_metric(drawn).items()]
    several = len({line.first.target for line in drawn}) > 1
    charts = [*on_targets, _over_targets(drawn)] if several else on_targets
    return [marks.plot(chart) for chart in charts]


def _lengths(line: Line) -> list[int]:
    """Those over which a cost can be spread."""
    return [size for size in sizes([line]) if size > 0]


def _by_metric(shown: Iterable[Line]) -> dict[Metric, list[Line]]:
    found: dict[Metric, list[Line]] = {}
    for line in shown:
        found.setdefault(line.metric, []).append(line)
    return found


def _on_targets(metric: Metric, shown: list[Line]) -> MarkChart:
    """A panel for each target, the cheapest function at the top."""
    targets = dict.fromkeys(line.first.target for line in shown)
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
        panels=[_of_target(target, shown) for target in targets],
    )


def _of_target(target: str, shown: Iterable[Line]) -> MarkPanel:
    own = [line for line in shown if line.first.target == target]
    own.sort(key=lambda line: _per_byte(line, _lengths(line)[-1]))
    return MarkPanel(title=target, marks=[mark for line in own for mark in _at_ends(line)])


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


def _over_targets(shown: list[Line]) -> MarkChart:
    """A panel for each function, a line for each target, those of a metric together."""
    kinds = _by_metric(shown)
    units = dict.fromkeys(UNITS[metric] for metric in kinds)
    panels: dict[str, list[Mark]] = {}
    for line in shown:
        size, kind = _lengths(line)[-1], METRICS[line.metric]
        title = f"{_function(line)}, {figures.message_size(size)}"
        value = _per_byte(line, size)
        mark = Mark(line=line.first.target, name=kind, origin=kind, value=value)
        panels.setdefault(title, []).append(mark)
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


def _code_size(shown: list[Line]) -> Plot:
    """The plot of all targets."""
    return Plot(
        name="code-size",
        title="Code size",
        explanation=(
            "Bytes of flash that each algorithm takes when it is linked alone, with all that it "
            "needs, the compiler's library included."
        ),
        hint="",
        panels=lambda context, rows, cards: _code_panels(shown),
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
    """The most of any operation of a function on a target."""
    most: dict[tuple[str, str], int] = {}
    for line in shown:
        key = (line.function, line.first.target)
        most[key] = max(most.get(key, 0), line.most("code_bytes") or 0)
    return [
        {"of": function, "on": target, "bytes": size, "shown": figures.grouped(size)}
        for (function, target), size in most.items()
        if size
    ]
