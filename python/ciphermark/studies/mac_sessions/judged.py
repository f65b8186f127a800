"""The paper's statements with their judges."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ciphermark.show.findings import Claim, Statement, Verdict, judge
from ciphermark.studies.mac_sessions import by_offload as offload
from ciphermark.studies.mac_sessions import judged_beside as beside
from ciphermark.studies.mac_sessions import judged_cores as cores
from ciphermark.studies.mac_sessions import judged_functions as functions
from ciphermark.studies.mac_sessions import statements as said
from ciphermark.studies.mac_sessions.found import Found
from ciphermark.studies.mac_sessions.measured import Measured

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.sessions.row import SessionRow

JUDGES: dict[Statement, Callable[[Found], Verdict]] = {
    said.ALIKE_ACROSS_MACHINES: functions.alike_across_machines,
    said.ALIKE_ACROSS_CORES: functions.alike_across_cores,
    said.CHANGES_WITH_SIZE: functions.changes_with_size,
    said.VMAC_FASTEST: functions.vmac_fastest,
    said.SERPENT_SLOWEST: functions.serpent_slowest,
    said.MD5_FASTEST: functions.md5_fastest,
    said.SHA512_SLOWEST: functions.sha512_slowest,
    said.BOOSTED: functions.boosted,
    said.WORD_SIZE: beside.word_size,
    said.MIRRORS: cores.mirrors,
    said.FALLS: cores.falls,
    said.RISES: cores.rises,
    said.LEAST_HIGHER: cores.least_higher,
    said.SIBLINGS: cores.siblings,
    said.OFFLOAD: offload.offload,
    said.CLOCKS: cores.clocks,
    said.ESTIMATE: cores.estimate,
    said.UNEVEN: cores.uneven,
    said.OWN_BENCHMARK: beside.own_benchmark,
}

STATEMENTS = tuple(JUDGES)


def claims(run: Run, rows: list[SessionRow]) -> list[Claim]:
    """All statements, judged by a run."""
    found = Found(Measured(rows), run.beside, run.context)
    return [judge(statement, decide, found) for statement, decide in JUDGES.items()]
