"""Which cases of many sessions are drawn together, and how they are told from each other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from itertools import islice

from ciphermark.plan.cpu_sets import listed
from ciphermark.show.plots import theme
from ciphermark.show.plots.panel import Points
from ciphermark.workloads import flows
from ciphermark.workloads.flows import together
from ciphermark.workloads.sessions import remarks
from ciphermark.workloads.sessions.row import SessionRow

MOST_PANELS = 12
"""Of a plot: a page of more is not looked at. The table has all figures."""

Groups = dict[str, list[SessionRow]]


def panels(rows: Iterable[SessionRow], title: Callable[[SessionRow], str] | None = None) -> Groups:
    """The rows of each panel, as many as are looked at; by where they ran unless told otherwise."""
    return dict(islice(together(rows, title or where).items(), MOST_PANELS))


def points(
    rows: Iterable[SessionRow], of: Callable[[SessionRow, str], Points]
) -> dict[str, Points]:
    """The points of each panel; `of` has those of a row, whose line has the name given."""
    return {
        title: [point for row in alike for point in of(row, name(row, alike))]
        for title, alike in panels(rows).items()
    }


def where(row: SessionRow) -> str:
    """`100 sessions on CPUs 0-1, rekeyed`."""
    return flows.joined(remarks.where(row), remarks.conditions(row))


def function(row: SessionRow) -> str:
    """`hmac-sha256 mac, openssl`, with the backend where the library does not choose it."""
    asked = "" if row.backend_asked == "default" else f" {row.backend_asked}"
    return f"{row.algorithm} {row.operation}, {row.provider}{asked}"


def name(row: SessionRow, among: list[SessionRow]) -> str:
    """What tells a row from the others of its panel, and no more."""
    parts: list[tuple[str, Callable[[SessionRow], Hashable]]] = [
        (row.algorithm, lambda other: other.algorithm),
        (row.provider, lambda other: other.provider),
        (flows.size(row), lambda other: other.size),
        (remarks.sessions(row), lambda other: other.sessions),
        (f"CPUs {listed(row.cpus)}", lambda other: tuple(other.cpus)),
        (remarks.conditions(row), remarks.conditions),
    ]
    telling = [text for text, of in parts if text and len({of(other) for other in among}) > 1]
    return " · ".join(telling) or row.algorithm


def hues(rows: Iterable[SessionRow]) -> dict[str, str]:
    """The hue of each function, the same wherever it is drawn."""
    functions = dict.fromkeys(map(function, rows))
    return {name: theme.HUES[place % len(theme.HUES)] for place, name in enumerate(functions)}
