"""Plot of the cost card: cost of a key, a message and a byte, each with its interval."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ciphermark.statistics.estimate import is_cost
from ciphermark.view import figures
from ciphermark.view.blocks import Chart
from ciphermark.view.plots import theme, vegalite
from ciphermark.view.plots.panel import Panel, Points, logarithmic
from ciphermark.view.plots.vegalite import Spec, brought_out, field, layer
from ciphermark.workloads.single import cost_card
from ciphermark.workloads.single.plots.coordinates import hues_of
from ciphermark.workloads.single.row import cycles
from ciphermark.workloads.single.sections import Line, Section, sections

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.statistics.estimate import Estimate
    from ciphermark.workloads.single.cost_card import CostCard
    from ciphermark.workloads.single.row import Row

WIDTH = 210
ROW_HEIGHT = 19
NAMES_ROOM = 125
EDGE_ROOM = 30
"""Pixels: a panel, a row of it, the names on its left, and the room beside it."""

MARGIN = 1.4
"""Factor between the outermost costs and the ends of their axis."""

SEPARATOR = "|"
"""Parts the section of a row from its name in the value of the axis, which must be unique."""


@dataclass(frozen=True)
class Cost:
    """One thing that is paid for."""

    title: str
    unit: str
    of: Callable[[Line], Estimate | None]
    once: bool = False
    """True if it is the same for all operations of an algorithm, and so shown for the first."""


def _setup(line: Line) -> Estimate | None:
    row = line.setup
    if row is None or row.cycles_per_message is None:
        return None
    return cycles(row)


def _message(line: Line) -> Estimate | None:
    return None if line.card is None else line.card.long.fixed


def _byte(line: Line) -> Estimate | None:
    return None if line.card is None else line.card.long.slope


COSTS = (
    Cost("Fixed cost of a message", "core cycles per message", _message),
    Cost("Cost of each byte", "core cycles per byte", _byte),
    Cost("Key setup", "core cycles per key", _setup, once=True),
)


def _panels(context: Context, rows: list[Row], cards: list[CostCard]) -> list[Panel]:
    arranged = sections(context, rows, cards)
    providers = list(dict.fromkeys(row.provider for row in rows))
    hues = hues_of(arranged)
    panels = [_panel(number, cost, arranged, providers, hues) for number, cost in enumerate(COSTS)]
    return [panel for panel in panels if panel is not None]


def _panel(
    number: int,
    cost: Cost,
    arranged: list[Section],
    providers: list[str],
    hues: dict[str, str],
) -> Panel | None:
    shown = _first_of_kind(arranged) if cost.once else arranged
    points: Points = [point for section in shown for point in _points(section, cost)]
    positive = [point["value"] for point in points if point["value"] > 0]
    if not positive:
        return None
    limits = (min(positive) / MARGIN, max(positive) * MARGIN)
    names = list(_names(shown, {point["row"] for point in points}))
    provider, data = f"cost_provider_{number}", f"costs_{number}"
    scale = {"domain": list(hues), "range": list(hues.values())}
    base = {
        "y": _y(names),
        "color": field("algorithm:N", legend=None, scale=scale),
        "opacity": brought_out(provider),
    }
    chart = vegalite.layers(
        list(_marks(base, cost, providers, limits)),
        title=cost.title,
        width=WIDTH,
        height=ROW_HEIGHT * len(names),
        data=data,
        params=[vegalite.picked_in_legend(provider, "provider")],
    )
    drawn = [point | _drawn(point, *limits) for point in points]
    return Panel(chart, NAMES_ROOM + EDGE_ROOM, {data: drawn})


def _marks(
    base: Spec, cost: Cost, providers: list[str], ends: tuple[float, float]
) -> Iterator[Spec]:
    """Yields a thin line over the providers, a thick one for each interval, and marks."""
    x = partial(_x, cost, *ends)
    yield layer("line", base | {"x": x("drawn"), "detail": field("row:N")}, strokeWidth=1)
    yield layer("rule", base | {"x": x("from"), "x2": {"field": "to"}}, strokeWidth=3)
    marks = base | {
        "x": x("drawn"),
        "shape": _shape(providers),
        "tooltip": vegalite.tooltip(SAID | {"shown": cost.unit}),
    }
    yield layer("point", marks, where="datum.value > 0", filled=True, size=60)
    yield layer("point", marks, where="datum.value <= 0", size=60, strokeWidth=1.6)


def _drawn(point: dict[str, Any], low: float, high: float) -> dict[str, float]:
    """Returns where a cost and its interval are drawn; beyond the axis, at its end."""

    def within(value: float | None) -> float:
        return min(high, max(low, point["value"] if value is None else value))

    return {
        "drawn": within(point["value"]),
        "from": within(point["low"]),
        "to": within(point["high"]),
    }


def _first_of_kind(arranged: list[Section]) -> list[Section]:
    firsts: dict[str, Section] = {}
    for section in arranged:
        firsts.setdefault(section.kind, section)
    return list(firsts.values())


def _points(section: Section, cost: Cost) -> Iterator[dict[str, Any]]:
    for line in section.lines:
        estimate = cost.of(line)
        if estimate is None or not is_cost(estimate):
            continue
        value, interval = estimate.value, cost_card.half_width(estimate)
        yield {
            "row": f"{section.title}{SEPARATOR}{line.algorithm.title}",
            "algorithm": line.algorithm.title,
            "operation": line.operation,
            "provider": line.provider,
            "line": line.implementation,
            "value": value,
            "low": estimate.low,
            "high": estimate.high,
            "shown": f"{figures.significant(value)} {interval}",
        }


def _names(arranged: list[Section], used: set[str]) -> Iterator[str]:
    """Yields the rows of the axis: a heading for each section with points, then algorithms."""
    for section in arranged:
        names = [f"{section.title}{SEPARATOR}{line.algorithm.title}" for line in section.lines]
        present = [name for name in dict.fromkeys(names) if name in used]
        if present:
            yield section.title
            yield from present


def _y(names: list[str]) -> Spec:
    is_heading = f"indexof(datum.label, '{SEPARATOR}') < 0"
    return field(
        "row:N",
        title=None,
        scale={"domain": names},
        axis={
            "domain": False,
            "grid": True,
            "gridDash": [1, 3],
            "ticks": False,
            "labelExpr": f"slice(datum.label, indexof(datum.label, '{SEPARATOR}') + 1)",
            "labelFontWeight": {"condition": {"test": is_heading, "value": 600}, "value": 400},
            "labelLimit": NAMES_ROOM,
            "labelPadding": 8,
            "minExtent": NAMES_ROOM,
        },
    )


def _x(cost: Cost, low: float, high: float, drawn: str) -> Spec:
    scale = {"type": "log", "domain": [low, high], "nice": False}
    axis = logarithmic(low, high, WIDTH)
    return field(f"{drawn}:Q", title=cost.unit, scale=scale, axis=axis)


def _shape(providers: list[str]) -> Spec:
    columns = theme.legend_columns(NAMES_ROOM + WIDTH)
    legend = {"title": None, "orient": "top", "symbolSize": 60, "offset": 2, "columns": columns}
    return field(
        "provider:N",
        scale={"domain": providers, "range": theme.each(theme.SHAPES, providers)},
        legend=legend if len(providers) > 1 else None,
    )


SAID = {"algorithm": "algorithm", "operation": "operation", "line": "implementation"}
"""Fields of a mark that are shown under the pointer, beside its cost."""


def chart(context: Context, rows: list[Row], cards: list[CostCard]) -> Chart:
    """Returns the picture of a run."""
    return Chart.of(
        "cost-card",
        "The cost card: cycles = fixed cost + bytes × cost of a byte",
        "The cost of a key, a message and each of its bytes, fitted over the measured sizes, "
        "with 95 % intervals where they are wider than the mark. Left is better. A hollow mark "
        "is at or below zero, which no logarithmic axis can show. Where an interval is wide, "
        "the cost is no straight line over size.",
        _panels(context, rows, cards),
        "Click a provider in the legend to bring it out.",
        columns=3,
    )
