"""What share of the packets each core processed."""

from __future__ import annotations

from collections.abc import Iterable

import altair as alt

from ciphermark.show import figures
from ciphermark.show.plots import theme
from ciphermark.show.plots.panel import Panel, Plot, Points
from ciphermark.workloads import flows
from ciphermark.workloads.flows import together
from ciphermark.workloads.packets import remarks
from ciphermark.workloads.packets.plots.curves import MOST_PANELS
from ciphermark.workloads.packets.row import PacketRow

BAR = 22
"""Pixels from one bar to the next."""

NAME_ROOM = 250
"""Pixels of a name beside its bar."""


def plot(rows: Iterable[PacketRow]) -> Plot:
    """The plot of all cases that several CPUs worked on."""
    several = [row for row in rows if row.cores > 1]
    alike = together(several, lambda row: flows.cpus(row.cpus))
    return Plot.of(
        "core-shares",
        "Packets by the core that processed them",
        "Equal parts are what cores of equal speed do. A CPU that submits packets as well has "
        "less time for them; groups and flows of which one has more packets make parts uneven.",
        lambda: [
            _panel(number, cpus, group)
            for number, (cpus, group) in enumerate([*alike.items()][:MOST_PANELS])
        ],
    )


def _panel(number: int, title: str, rows: list[PacketRow]) -> Panel:
    data = f"shares_{number}"
    points = [point for row in rows for point in _points(row)]
    cpus = sorted({point["cpu"] for point in points}, key=int)
    scale = alt.Scale(domain=cpus, range=theme.each(theme.HUES, cpus))
    bars = (
        alt.Chart()
        .mark_bar(clip=True)
        .encode(
            x=alt.X("percent:Q", title="% of the packets", scale=alt.Scale(domain=[0, 100])),
            y=alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=NAME_ROOM)),
            color=alt.Color("cpu:N", title="CPU", scale=scale, legend=alt.Legend(orient="top")),
            order=alt.Order("place:Q"),
            tooltip=[
                alt.Tooltip("name:N", title="case"),
                alt.Tooltip("cpu:N", title="CPU"),
                alt.Tooltip("shown:N", title="share"),
            ],
        )
    )
    height = BAR * len({point["name"] for point in points})
    chart = alt.LayerChart(
        layer=[bars], data=alt.NamedData(data), title=title, width=theme.PANEL_WIDTH, height=height
    )
    return Panel(chart, NAME_ROOM, {data: points})


def _points(row: PacketRow) -> Points:
    name = f"{remarks.messages(row)}, {figures.grouped(row.packets)}"
    return [
        {
            "name": name,
            "cpu": str(share.cpu),
            "place": place,
            "percent": 100 * share.share,
            "shown": figures.percent(share.share, 3),
        }
        for place, share in enumerate(it for it in row.shares if it.cpu in row.cpus)
    ]
