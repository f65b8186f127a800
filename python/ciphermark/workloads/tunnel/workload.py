"""Traffic through real tunnels: `ciphermark tunnel`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workloads.stored import StoredWorkload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ciphermark.record.run import Context, Run
    from ciphermark.view.blocks import Block
    from ciphermark.workloads.tunnel.row import TunnelRow


class Tunnels(StoredWorkload["TunnelRow"]):
    """Workload with rows of kinds of tunnels and the traffic through them."""

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

    def blocks(self, context: Context, rows: list[TunnelRow], run: Run | None) -> Iterator[Block]:
        from ciphermark.workloads.tunnel.document import blocks

        return blocks(context, rows, run)

    def page_title(self, run: Run) -> str:
        from ciphermark.view.machine import processor

        machine = run.context.engine_hello.environment.machine
        return f"What tunnels carry on {processor(machine)}"


WORKLOAD = Tunnels()
