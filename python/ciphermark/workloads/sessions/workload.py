"""Many threads at once, each with a session of its own: `ciphermark sessions`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workload import Page, Workload

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

    from ciphermark.analyse.capacity.several_cores import CoreRate
    from ciphermark.analyse.models.cost_card import CostCard
    from ciphermark.analyse.session_findings import SessionFindings
    from ciphermark.analyse.session_row import SessionRow
    from ciphermark.plan.here import Here
    from ciphermark.plan.planfile import Part
    from ciphermark.plan.selection import Selection
    from ciphermark.plan.session_cases import Placed
    from ciphermark.plan.working import Wanted, Working
    from ciphermark.record import contract
    from ciphermark.record.run import Context, Run
    from ciphermark.show.export.pivot import Pivot
    from ciphermark.studies.study import Findings


class Sessions(Workload):
    """Its cases run for a while instead of converging."""

    subject = "many sessions"
    of_several_cores = True
    answers_wishes = True
    load = "sessions"
    tables = ("sessions",)

    def row_type(self) -> type[SessionRow]:
        from ciphermark.analyse.session_row import SessionRow

        return SessionRow

    def rows(self, run: Run) -> list[SessionRow]:
        from ciphermark.analyse.session_rows import session_rows

        return session_rows(run)

    def rows_table(self, rows: list[SessionRow]) -> pa.Table:
        from ciphermark.analyse.session_table import session_rows_table

        return session_rows_table(rows)

    def rows_from_table(self, table: pa.Table) -> list[SessionRow]:
        from ciphermark.analyse.session_table import session_rows_from_table

        return session_rows_from_table(table)

    def core_rates(self, rows: list[SessionRow]) -> list[CoreRate]:
        from ciphermark.analyse.capacity.several_cores import of_sessions

        return of_sessions(rows)

    def print_rows(
        self,
        console: Console,
        context: Context,
        rows: list[SessionRow],
        findings: SessionFindings | None = None,
    ) -> None:
        from ciphermark.show.session_findings import print_findings
        from ciphermark.show.sessions import print_sessions

        print_sessions(console, rows)
        if findings is not None:
            print_findings(console, rows, findings)

    def pivot(self, context: Context, rows: list[SessionRow], cards: list[CostCard]) -> Pivot:
        from ciphermark.show.export.pivot import of_sessions

        return of_sessions(rows)

    def page(
        self, run: Run, rows: list[SessionRow], cards: list[CostCard], findings: Findings | None
    ) -> Page:
        from ciphermark.show.plots import sessions
        from ciphermark.show.session_page import session_page

        said = session_page(run, rows, findings)
        return Page(sessions.plots(run, rows), said, "sessions.html.jinja")

    def progress(self, event: contract.Progress, precision: float) -> str:
        return f"{event.done}/{event.total}   {event.converged} valid"

    def working(
        self,
        part: Part,
        selection: Selection,
        facts: contract.Description,
        algorithms: list[contract.Algorithm],
        here: Here | None,
    ) -> Working:
        from ciphermark.plan.working import of_sessions

        return of_sessions(part, selection, facts, algorithms, here)

    def placed(
        self,
        found: list[tuple[contract.Case, Wanted]],
        budget_s: float,
        selection: Selection,
        keyless: set[str],
        seed: int,
        here: Here,
    ) -> Placed:
        from ciphermark.plan.session_cases import placed

        return placed(found, budget_s, selection, here)


WORKLOAD = Sessions()
