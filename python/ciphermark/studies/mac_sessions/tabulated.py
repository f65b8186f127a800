"""The tables of the study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show.findings import Table
from ciphermark.studies.mac_sessions.beside import harness, word_size
from ciphermark.studies.mac_sessions.by_cores import by_cores
from ciphermark.studies.mac_sessions.by_offload import by_offload
from ciphermark.studies.mac_sessions.by_size import both_keys, by_size, crossings, gains
from ciphermark.studies.mac_sessions.measured import Measured

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.sessions.row import SessionRow


def tables(run: Run, rows: list[SessionRow]) -> list[Table]:
    """Those that have rows."""
    measured = Measured(rows)
    made = [
        by_size(measured),
        crossings(measured),
        gains(measured),
        by_cores(measured),
        by_offload(measured),
        both_keys(measured),
        word_size(run.beside),
        harness(measured, run.beside),
    ]
    return [table for table in made if table and table.rows]
