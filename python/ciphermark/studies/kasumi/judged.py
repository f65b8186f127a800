"""The thesis's statements with their judges: asked of its own tables, then of this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ciphermark.studies.asked_twice import Pair, Said, of_machine, of_tables
from ciphermark.studies.kasumi import judged_cores as cores
from ciphermark.studies.kasumi import judged_queue as queue
from ciphermark.studies.kasumi import judged_single as single
from ciphermark.studies.kasumi import printed
from ciphermark.studies.kasumi import statements as said
from ciphermark.studies.kasumi.evidence import Evidence
from ciphermark.studies.kasumi.measured import Measured
from ciphermark.studies.study import Claim, Statement, Verdict, judge

if TYPE_CHECKING:
    from ciphermark.analyse.packet_row import PacketRow
    from ciphermark.record.run import Run

Judge = Callable[[Measured], Verdict]


def _both(decide: Callable[[Evidence], Verdict]) -> Pair:
    """The same question of both."""
    return Pair(decide, lambda measured: decide(measured.evidence()))


ASKED_TWICE: dict[Said, Pair] = {
    said.SLOWER: _both(single.slower),
    said.SEVEN_TIMES: _both(single.seven_times),
    said.PER_BIT_OVER_SIZE: _both(single.per_bit_over_size),
    said.PER_BIT_OVER_PACKETS: _both(single.per_bit_over_packets),
    said.ALIKE_SMALL: _both(single.alike_small),
    said.HARDWARE_ALIKE: _both(single.hardware_alike),
    said.TWICE: _both(single.twice),
    said.MORE_PACKETS: _both(single.more_packets),
    said.FALLS: _both(cores.falls),
    said.BEYOND_FIVE: _both(cores.beyond_five),
    said.MEMORY: Pair(queue.memory_printed, queue.memory),
    said.FEW_CORES: _both(cores.few_cores),
    said.CAPACITY: Pair(
        cores.capacity_printed, lambda measured: cores.capacity_here(measured.evidence())
    ),
    said.SHARE_FALLS: _both(single.share_falls),
    said.DOMINATE: _both(single.dominate),
}

ASKED_HERE: dict[Statement, Judge] = {
    said.KEY_SETUP: queue.key_setup,
    said.OPTIMISABLE: queue.optimisable,
    said.POLLING: queue.polling,
    said.FREE_PIPELINE: queue.free_pipeline,
    said.ORDERED: queue.ordered,
    said.GROUPS: queue.groups,
    said.PRIORITIES: queue.priorities,
    said.OCTEON: queue.instructions,
}


PRINTED = {
    statement: of_tables(statement, pair.by_tables, printed.evidence(), "thesis")
    for statement, pair in ASKED_TWICE.items()
}
"""The claims that no run changes."""

_JUDGES: dict[Statement, Judge] = {
    of_machine(statement, PRINTED[statement]): pair.by_run
    for statement, pair in ASKED_TWICE.items()
} | ASKED_HERE

STATEMENTS = (*PRINTED.values(), *_JUDGES)
"""Those about the tables are judged already."""


def claims(run: Run, rows: list[PacketRow]) -> list[Claim]:
    """All statements: the thesis's tables, then this machine."""
    measured = Measured(rows)
    return [
        *PRINTED.values(),
        *(judge(statement, decide, measured) for statement, decide in _JUDGES.items()),
    ]
