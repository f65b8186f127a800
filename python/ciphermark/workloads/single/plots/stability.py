"""Plot of each figure's certainty, with the cases that did not settle and the reasons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ciphermark.view import figures
from ciphermark.view.blocks import Chart
from ciphermark.view.plots import theme, vegalite
from ciphermark.view.plots.panel import Panel, Points
from ciphermark.view.plots.vegalite import Spec, field, layer
from ciphermark.view.problems import unsettled
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.sections import Line, Section, sections, sizes

if TYPE_CHECKING:
    from ciphermark.record.run import Context
    from ciphermark.workloads.single.cost_card import CostCard

ROW_HEIGHT = 20
NAMES_ROOM = 190
EDGE_ROOM = 20
"""Pixels: a row of a panel, the names on its left, and the room beside it."""

SETUP = "key setup"
"""Column of rows without a message."""

NUMBER_ROOM = 56
"""Pixels of a cell that a share and a number need, as in `25.1 (257)`."""

NOTED = 12
"""Unsettled cases that are named in the picture; the page names all."""


def _panels(context: Context, rows: list[Row], cards: list[CostCard]) -> list[Panel]:
    arranged = sections(context, rows, cards)
    numbers = {problem.rows[0].case: place for place, problem in enumerate(unsettled(rows), 1)}
    columns = [figures.message_size(size) for size in sizes(arranged)]
    if any(line.setup for section in arranged for line in section.lines):
        columns.insert(0, SETUP)
    panels = []
    for number, section in enumerate(arranged):
        names = _names(section)
        cells = [
            cell
            for line, name in zip(section.lines, names, strict=True)
            for cell in _cells(line, name, numbers)
        ]
        if cells:
            panels.append(_panel(f"cells_{number}", section, cells, columns, context.precision))
    return panels


def _panel(
    data: str, section: Section, cells: Points, columns: list[str], precision: float
) -> Panel:
    names = list(dict.fromkeys(cell["line"] for cell in cells))
    base: Spec = {
        "x": field(
            "column:O",
            title=None,
            scale={"domain": columns, "paddingInner": 0.06},
            axis={"orient": "top", "labelAngle": 0, "domain": False, "ticks": False},
        ),
        "y": field(
            "line:N",
            title=None,
            scale={"domain": names, "paddingInner": 0.12},
            axis={
                "domain": False,
                "ticks": False,
                "labelLimit": NAMES_ROOM,
                "labelPadding": 8,
                "minExtent": NAMES_ROOM,
            },
        ),
    }
    said = base | {"tooltip": vegalite.tooltip(SAID)}
    frame: Spec = {"filled": False, "stroke": theme.ALARM, "strokeWidth": 2, "cornerRadius": 2}
    share = said | {"fillOpacity": _opacity(precision)}
    chart = vegalite.layers(
        [
            layer("rect", share, color=theme.HUES[0], cornerRadius=2),
            layer("rect", said, where="!datum.settled", **frame),
            layer("text", base, fontSize=10, text=_shown(len(columns))),
        ],
        title=section.title,
        width=theme.PANEL_WIDTH,
        height=ROW_HEIGHT * len(names),
        data=data,
    )
    return Panel(chart, NAMES_ROOM + EDGE_ROOM, {data: cells})


def _names(section: Section) -> list[str]:
    """Returns algorithm and provider of each line, with the backend of ambiguous ones."""
    short = [f"{line.algorithm.title} · {line.provider}" for line in section.lines]
    return [
        name if short.count(name) == 1 else f"{line.algorithm.title} · {line.implementation}"
        for name, line in zip(short, section.lines, strict=True)
    ]


def _cells(line: Line, name: str, numbers: dict[int, int]) -> Iterator[dict[str, Any]]:
    measured = [(SETUP, line.setup)] if line.setup else []
    ascending = sorted(line.by_size, key=figures.size_order)
    measured += [(figures.message_size(size), line.by_size[size]) for size in ascending]
    for column, row in measured:
        share = _half_width(row)
        number = numbers.get(row.case)
        shown = "?" if share is None else f"{100 * share:.1f}"
        yield {
            "line": name,
            "column": column,
            "share": share,
            "text": shown,
            "number": "" if number is None else f" ({number})",
            "settled": row.converged,
            "interval": "" if share is None else f"±{figures.percent(share)}",
            "disturbed": f"{row.disturbed} of {row.samples} samples",
            "state": "yes" if row.converged else row.not_converged_reason,
            "implementation": line.implementation,
        }


def _shown(columns: int) -> Spec:
    """Returns the text of a cell: the share, and in wide cells the number of the reason."""
    wide = f"width > {NUMBER_ROOM * columns}"
    return {"expr": f"datum.text + ({wide} ? datum.number : '')"}


def _half_width(row: Row) -> float | None:
    """Returns half of the 95 % interval as a share of the figure."""
    value = row.cycles_per_message
    low, high = row.cycles_per_message_low, row.cycles_per_message_high
    if not value or low is None or high is None:
        return None
    return (high - low) / 2 / abs(value)


def _opacity(precision: float) -> Spec:
    """Returns an opacity that is deeper with less certainty.

    It has no legend, as the number stands in the cell.
    """
    scale = {"domain": [0, 2 * precision], "range": [0.06, 0.75], "clamp": True}
    return field("share:Q", scale=scale, legend=None)


SAID = {
    "line": "case",
    "implementation": "implementation",
    "column": "message",
    "interval": "95 % interval",
    "disturbed": "disturbed",
    "state": "settled",
}
"""Fields of a cell that are shown under the pointer."""


def _notes(rows: list[Row]) -> list[str]:
    problems = unsettled(rows)
    notes = [
        f"({number}) {problem.what}: {problem.why}"
        for number, problem in enumerate(problems[:NOTED], 1)
    ]
    if len(problems) > NOTED:
        notes.append(f"and {len(problems) - NOTED} more")
    return notes


def chart(context: Context, rows: list[Row], cards: list[CostCard]) -> Chart:
    """Returns the picture of a run."""
    return Chart.of(
        "stability",
        "Uncertainty of each figure: half of its 95 % interval, in per cent",
        "The deeper the colour, the larger the uncertainty. A framed case did not settle; a number "
        "in brackets, where there is room, is that of its reason in the list below.",
        _panels(context, rows, cards),
        notes=_notes(rows),
    )
