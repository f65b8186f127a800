"""Tunnels on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show.column import printed
from ciphermark.show.frame import print_sentences
from ciphermark.show.tables import print_groups, print_left_out
from ciphermark.workloads.tunnel.columns import columns
from ciphermark.workloads.tunnel.remarks import missing, remarks, section
from ciphermark.workloads.tunnel.row import TunnelRow

if TYPE_CHECKING:
    from rich.console import Console

    from ciphermark.record.run import Context
    from ciphermark.workloads.tunnel.plan import Planned


def print_tunnels(console: Console, context: Context, rows: list[TunnelRow]) -> None:
    """A group for each kind and suite, and what is missing."""
    shown = [row for row in rows if row.is_measured]
    if shown:
        groups: dict[str, list[TunnelRow]] = {}
        for row in shown:
            groups.setdefault(section(row), []).append(row)
        print_left_out(
            console, print_groups(console, printed(columns(shown), shown), [*groups.items()])
        )
        console.print()
    for sentence in remarks(rows):
        print_sentences(console, [sentence], "dim")
    lacking = list(missing(rows))
    if lacking:
        console.print()
        console.print("Not run here", style="bold")
        print_sentences(console, lacking)
    print_sentences(console, context.notes, "yellow")


def print_plan(console: Console, planned: Planned) -> None:
    """What would be run."""
    for (kind, suite), cases in planned.groups.items():
        named = ", ".join(f"{it.profile} ({it.traffic})" for it in cases)
        console.print(f"{kind.name} {suite}: {named}")
    console.print()
    console.print(f"{len(planned.cases)} cases, about {planned.expected_s:.0f} s")
