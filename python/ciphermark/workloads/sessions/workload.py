"""Many threads at once, each with a session of its own: `ciphermark sessions`."""

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
    from ciphermark.workloads.sessions.row import SessionRow
    from ciphermark.workloads.single.row import Row as MessageRow


class Sessions(StoredWorkload["SessionRow"]):
    """Its cases run for a while instead of converging."""

    subject = "many sessions"
    of_several_cores = True
    compared = "absolute cycles a message"
    load = "sessions"
    tables = ("sessions",)

    def row_type(self) -> type[SessionRow]:
        from ciphermark.workloads.sessions.row import SessionRow

        return SessionRow

    def rows(self, run: Run) -> list[SessionRow]:
        from ciphermark.workloads.sessions.figures import session_rows

        return session_rows(run)

    def message_rows(self, rows: list[SessionRow]) -> list[MessageRow]:
        from ciphermark.workloads.loaded import of_sessions

        return [*of_sessions(rows)]

    def core_rates(self, rows: list[SessionRow]) -> list[CoreRate]:
        from ciphermark.workloads.loaded import session_rates

        return session_rates(rows)

    def blocks(self, context: Context, rows: list[SessionRow], run: Run | None) -> Iterator[Block]:
        from ciphermark.workloads.sessions.document import blocks

        return blocks(context, rows, run)

    def findings(self, context: Context, rows: list[SessionRow]) -> dict[str, object]:
        from ciphermark.statistics.estimate import in_threes
        from ciphermark.workloads.sessions.scaling import scalings

        curves = scalings(rows, context.engine_hello.environment.state.core_cpus)
        return {"scaling": in_threes(curves)} if curves else {}

    def progress(self, event: contract.Progress, precision: float) -> str:
        return f"{event.done}/{event.total}   {event.converged} valid"

    def loading(self) -> Loading:
        from ciphermark.workloads.sessions.plan import SessionLoading

        return SessionLoading()


WORKLOAD = Sessions()
