"""The thesis's statements with their judges: asked of its own tables, then of this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ciphermark.studies.kasumi import judged_cores as cores
from ciphermark.studies.kasumi import judged_queue as queue
from ciphermark.studies.kasumi import judged_single as single
from ciphermark.studies.kasumi import printed
from ciphermark.studies.kasumi import statements as said
from ciphermark.studies.kasumi.evidence import Evidence, Verdict
from ciphermark.studies.kasumi.measured import Measured
from ciphermark.studies.study import Claim, Statement, judge

if TYPE_CHECKING:
    from ciphermark.analyse.packet_row import PacketRow
    from ciphermark.record.run import Run

VERDICTS = {True: "holds", False: "does not hold", None: "not to be told"}

Judge = Callable[[Measured], Verdict]


class Pair(NamedTuple):
    """How a statement is judged by the thesis's tables, and how by a run."""

    by_tables: Callable[[Evidence], Verdict]
    by_run: Judge


def _both(decide: Callable[[Evidence], Verdict]) -> Pair:
    """The same question of both."""
    return Pair(decide, lambda measured: decide(measured.evidence()))


ASKED_TWICE: dict[said.Said, Pair] = {
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


def _of_tables(statement: said.Said, pair: Pair) -> Claim:
    """What the thesis's own tables say of a statement."""
    asked = Statement(
        claim=f"{statement.claim}-printed",
        text=f"By the thesis's own tables: {statement.text}",
        place=statement.place,
        published=statement.tables,
    )
    return judge(asked, pair.by_tables, printed.evidence())


def _of_machine(statement: said.Said, by_tables: Claim) -> Statement:
    """The same statement about a machine, beside what the tables say."""
    return Statement(
        claim=statement.claim,
        text=statement.text,
        place=statement.place,
        published=f"{statement.tables}: {VERDICTS[by_tables.holds]}; {by_tables.here}",
    )


PRINTED = {statement: _of_tables(statement, pair) for statement, pair in ASKED_TWICE.items()}
"""The claims that no run changes."""

_JUDGES: dict[Statement, Judge] = {
    _of_machine(statement, PRINTED[statement]): pair.by_run
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
