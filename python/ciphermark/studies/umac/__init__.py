"""The `umac` study: UMAC and UHASH of the year 2000 and five functions beside them.

The page has cycles per byte of a Pentium III and a PowerPC 7400. Here each function is shown in its
fastest implementation, UMAC with RC6, which its authors' code of that month used, and with AES.
Both processors are simulated beside that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.studies.statements import Questions
from ciphermark.studies.umac.charts import charts
from ciphermark.studies.umac.evidence import Measured, Printed
from ciphermark.studies.umac.judges import BY_TABLES, JUDGES, QUOTED
from ciphermark.studies.umac.processors import simulated
from ciphermark.studies.umac.tables import tables
from ciphermark.view.findings import Claim

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.single.row import Row

__all__ = ["QUESTIONS", "charts", "claims", "simulated", "tables"]

QUESTIONS: Questions[Measured, Printed] = Questions(__file__, JUDGES, BY_TABLES, Printed, QUOTED)


def claims(run: Run, rows: list[Row]) -> list[Claim]:
    """The statements of the page, judged by its own tables, then by a run."""
    return QUESTIONS.claims(Measured(rows, run))
