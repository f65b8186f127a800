"""A queue of packets from one core to others: `ciphermark packets`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workload import Page
from ciphermark.workloads.stored import StoredWorkload

if TYPE_CHECKING:
    from rich.console import Console

    from ciphermark import contract
    from ciphermark.plan.working import Loading
    from ciphermark.record.run import Context, Run
    from ciphermark.show.column import Lines
    from ciphermark.workloads.core_rate import CoreRate
    from ciphermark.workloads.packets.row import PacketRow
    from ciphermark.workloads.single.row import Row as MessageRow


class Packets(StoredWorkload["PacketRow"]):
    """Its cases pass a number of packets instead of converging."""

    subject = "packets"
    of_several_cores = True
    compared = "cycles a packet, from the first submission to the last delivery"
    batched = True
    load = "packets"
    tables = ("packets", "passes")
    renamed = {"groups": "cpu_groups", "shares": "cpu_shares"}

    def row_type(self) -> type[PacketRow]:
        from ciphermark.workloads.packets.row import PacketRow

        return PacketRow

    def rows(self, run: Run) -> list[PacketRow]:
        from ciphermark.workloads.packets.figures import packet_rows

        return packet_rows(run)

    def message_rows(self, rows: list[PacketRow]) -> list[MessageRow]:
        from ciphermark.workloads.loaded import of_packets

        return [*of_packets(rows)]

    def core_rates(self, rows: list[PacketRow]) -> list[CoreRate]:
        from ciphermark.workloads.core_rate import of_packets

        return of_packets(rows)

    def print_rows(self, console: Console, context: Context, rows: list[PacketRow]) -> None:
        from ciphermark.workloads.packets.columns import print_packets

        print_packets(console, rows)

    def lines(self, context: Context, rows: list[PacketRow]) -> Lines[PacketRow]:
        from ciphermark.show.column import Lines
        from ciphermark.show.export.pivot import function
        from ciphermark.show.problems import REMARK, UNSETTLED
        from ciphermark.workloads.packets import columns, remarks

        measured = [row for row in rows if row.is_measured]
        legend = [] if all(row.converged for row in measured) else [(UNSETTLED, "did not settle")]
        legend += [(REMARK, remark) for remark in remarks.remarks(rows)]
        title = "Core cycles per packet"
        return Lines(title, list(columns.columns(measured)), measured, legend, function)

    def page(self, run: Run, rows: list[PacketRow]) -> Page:
        from ciphermark.workloads.packets import plots as packets
        from ciphermark.workloads.packets.page import packet_page

        said = packet_page(run, rows)
        return Page(packets.plots(rows), said, "packets.html.jinja", [])

    def progress(self, event: contract.Progress, precision: float) -> str:
        return f"{event.done}/{event.total}   {event.converged} with all packets delivered"

    def loading(self) -> Loading:
        from ciphermark.workloads.packets.plan import PacketLoading

        return PacketLoading()


WORKLOAD = Packets()
