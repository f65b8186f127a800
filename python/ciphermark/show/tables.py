"""The table of a run on a terminal, whatever its workload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from ciphermark.analyse.by_workload import AnyRows
    from ciphermark.analyse.session_findings import SessionFindings
    from ciphermark.record.run import Context


def print_rows(
    console: Console, context: Context, rows: AnyRows, findings: SessionFindings | None = None
) -> None:
    """Prints it, of many sessions with what was found in them."""
    if context.workload == "sessions":
        from ciphermark.show.session_findings import print_findings
        from ciphermark.show.sessions import print_sessions

        print_sessions(console, rows)
        if findings is not None:
            print_findings(console, rows, findings)
        return
    if context.workload == "packets":
        from ciphermark.show.packets import print_packets

        print_packets(console, rows)
        return
    if context.workload == "simulation":
        from ciphermark.show.simulation import print_simulations

        print_simulations(console, rows)
        return
    if context.workload == "tuning":
        from ciphermark.show.tuning import print_notes, print_tuning

        print_tuning(console, rows)
        print_notes(console, context.notes)
        return
    if context.workload == "imported":
        from ciphermark.show.imported import print_imported

        print_imported(console, context, rows)
        return
    from ciphermark.analyse.models.cost_card import cost_cards
    from ciphermark.show.table import print_survey

    print_survey(console, context, rows, cost_cards(rows))
