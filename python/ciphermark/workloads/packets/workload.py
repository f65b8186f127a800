"""A queue of packets from one core to others: `ciphermark packets`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workloads.stored import StoredWorkload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ciphermark import contract
    from ciphermark.plan.working import Loading
    from ciphermark.record.run import Context, Run
    from ciphermark.view.blocks import Block
    from ciphermark.workloads.loaded import CoreRate
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
        from ciphermark.workloads.loaded import packet_rates

        return packet_rates(rows)

    def blocks(self, context: Context, rows: list[PacketRow], run: Run | None) -> Iterator[Block]:
        from ciphermark.workloads.packets.document import blocks

        return blocks(context, rows, run)

    def progress(self, event: contract.Progress, precision: float) -> str:
        return f"{event.done}/{event.total}   {event.converged} with all packets delivered"

    def loading(self) -> Loading:
        from ciphermark.workloads.packets.plan import PacketLoading

        return PacketLoading()


WORKLOAD = Packets()
