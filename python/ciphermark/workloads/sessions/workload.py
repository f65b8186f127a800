"""Many threads at once, each with a session of its own: `ciphermark sessions`."""

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
    from ciphermark.workloads.sessions.row import SessionRow
    from ciphermark.workloads.sessions.scaling import Scaling
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
        from ciphermark.workloads.core_rate import of_sessions

        return of_sessions(rows)

    def print_rows(self, console: Console, context: Context, rows: list[SessionRow]) -> None:
        from ciphermark.workloads.sessions.columns import print_sessions
        from ciphermark.workloads.sessions.scaling import print_scaling, with_room

        print_sessions(console, rows)
        print_scaling(console, rows, with_room(self._scalings(context, rows)))

    def findings(self, context: Context, rows: list[SessionRow]) -> dict[str, object]:
        from ciphermark.statistics.estimate import in_threes

        found = self._scalings(context, rows)
        return {"scaling": in_threes(found)} if found else {}

    def _scalings(self, context: Context, rows: list[SessionRow]) -> list[Scaling]:
        from ciphermark.workloads.sessions.scaling import scalings

        return scalings(rows, context.engine_hello.environment.state.core_cpus)

    def lines(self, context: Context, rows: list[SessionRow]) -> Lines[SessionRow]:
        from ciphermark.show.column import Lines
        from ciphermark.show.export.pivot import function
        from ciphermark.show.problems import UNSETTLED
        from ciphermark.workloads.sessions import columns, remarks

        measured = [row for row in rows if row.is_measured]
        legend = [] if all(row.valid for row in measured) else [(UNSETTLED, "is not valid")]
        legend += remarks.remarks(rows)
        title = "Core cycles per byte of many sessions at once"
        return Lines(title, list(columns.columns(measured)), measured, legend, function)

    def page(self, run: Run, rows: list[SessionRow]) -> Page:
        from ciphermark.workloads.sessions import plots as sessions
        from ciphermark.workloads.sessions.page import session_page

        said = session_page(run, rows)
        return Page(sessions.plots(run, rows), said, "sessions.html.jinja", [])

    def progress(self, event: contract.Progress, precision: float) -> str:
        return f"{event.done}/{event.total}   {event.converged} valid"

    def loading(self) -> Loading:
        from ciphermark.workloads.sessions.plan import SessionLoading

        return SessionLoading()


WORKLOAD = Sessions()
