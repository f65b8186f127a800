"""The tables of the study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show.findings import Table
from ciphermark.studies.sensor.caches import caches
from ciphermark.studies.sensor.code_size import code
from ciphermark.studies.sensor.everywhere import everywhere
from ciphermark.studies.sensor.fitted import model
from ciphermark.studies.sensor.lengths import by_step, every_length
from ciphermark.studies.sensor.measured import Measured
from ciphermark.studies.sensor.overheads import overheads
from ciphermark.studies.sensor.rounds import rounds
from ciphermark.studies.sensor.table3 import summary, table3
from ciphermark.studies.sensor.variance import variance

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.single.row import Row


def tables(run: Run, rows: list[Row]) -> list[Table]:
    """Those of the paper in its order, then what it has not; without those that have no rows."""
    measured = Measured(run, rows)
    made = [
        *table3(measured),
        summary(measured),
        rounds(measured),
        *overheads(measured),
        *code(measured),
        model(measured),
        *by_step(measured),
        every_length(measured),
        caches(measured),
        *variance(measured),
        *everywhere(measured),
    ]
    return [table for table in made if table.rows]
