"""Traffic through real tunnels: `ciphermark tunnel`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workload import Page
from ciphermark.workloads.stored import StoredWorkload

if TYPE_CHECKING:
    from rich.console import Console

    from ciphermark.record.run import Context, Run
    from ciphermark.show.column import Lines
    from ciphermark.workloads.tunnel.row import TunnelRow


class Tunnels(StoredWorkload["TunnelRow"]):
    """Its rows are kinds of tunnels with what goes through them."""

    subject = "tunnels"
    settles = False
    may_lack = True
    of_paths = True
    tables = ("tunnels",)

    def row_type(self) -> type[TunnelRow]:
        from ciphermark.workloads.tunnel.row import TunnelRow

        return TunnelRow

    def rows(self, run: Run) -> list[TunnelRow]:
        from ciphermark.workloads.tunnel.row import tunnel_rows

        return tunnel_rows(run)

    def print_rows(self, console: Console, context: Context, rows: list[TunnelRow]) -> None:
        from ciphermark.workloads.tunnel.table import print_tunnels

        print_tunnels(console, context, rows)

    def lines(self, context: Context, rows: list[TunnelRow]) -> Lines[TunnelRow]:
        from ciphermark.show.column import Lines
        from ciphermark.show.problems import REMARK
        from ciphermark.workloads.tunnel.columns import columns
        from ciphermark.workloads.tunnel.remarks import remarks, section

        measured = [row for row in rows if row.is_measured]
        return Lines(
            "Tunnels between network namespaces of one machine",
            list(columns(measured)),
            measured,
            [(REMARK, remark) for remark in remarks(rows)],
            section,
        )

    def page(self, run: Run, rows: list[TunnelRow]) -> Page:
        from ciphermark.workloads.tunnel.page import tunnel_page
        from ciphermark.workloads.tunnel.plots import plots

        return Page(plots(rows), tunnel_page(run, rows), "tunnel.html.jinja", [])


WORKLOAD = Tunnels()
