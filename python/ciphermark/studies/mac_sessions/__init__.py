"""The `mac-sessions` study: ten MACs with many sessions at once.

The paper shows absolute cycles per byte over message size by build of its library, and wall-clock,
absolute and apparent cycles of each of 100 sessions by number of cores. It prints plots alone, so
what is judged here are its sentences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.studies.mac_sessions.charts import charts
from ciphermark.studies.mac_sessions.evidence import Measured
from ciphermark.studies.mac_sessions.judges import JUDGES
from ciphermark.studies.mac_sessions.others import aside
from ciphermark.studies.mac_sessions.phone import simulated
from ciphermark.studies.mac_sessions.tables import tables
from ciphermark.studies.statements import Questions
from ciphermark.view.findings import Claim

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.sessions.row import SessionRow

__all__ = ["QUESTIONS", "aside", "charts", "claims", "over_machines", "simulated", "tables"]

over_machines = True

QUESTIONS: Questions[Measured, None] = Questions(__file__, JUDGES)


def claims(run: Run, rows: list[SessionRow]) -> list[Claim]:
    """All statements, judged by a run."""
    return QUESTIONS.claims(Measured(run, rows))
