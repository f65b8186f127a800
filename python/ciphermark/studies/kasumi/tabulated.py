"""The tables of the study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show.findings import Table
from ciphermark.studies.kasumi.by_cores import by_cores, few_cores
from ciphermark.studies.kasumi.by_packets import by_packets, directions, per_bit
from ciphermark.studies.kasumi.costs import memory, overheads
from ciphermark.studies.kasumi.functions import integrity, successors
from ciphermark.studies.kasumi.keys import key_generation, modes
from ciphermark.studies.kasumi.measured import Measured
from ciphermark.studies.kasumi.offloaded import accelerators
from ciphermark.studies.kasumi.terms import terms
from ciphermark.studies.kasumi.ways import ways

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.packets.row import PacketRow


def tables(run: Run, rows: list[PacketRow]) -> list[Table]:
    """Those of the thesis in its order, then what it has not; without those that have no rows."""
    measured = Measured(rows)
    here = measured.evidence()
    made = [
        *by_packets(here),
        per_bit(here),
        *directions(here),
        *by_cores(here),
        few_cores(here),
        key_generation(measured),
        modes(measured),
        integrity(measured),
        successors(measured),
        accelerators(measured),
        overheads(here),
        terms(run, measured),
        ways(measured),
        memory(measured),
    ]
    return [table for table in made if table.rows]
