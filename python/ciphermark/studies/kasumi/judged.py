"""The thesis's statements with their judges: asked of its own tables, then of this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ciphermark.show.findings import Claim, Statement, Verdict
from ciphermark.studies.asked_twice import Pair, Said, questions, same
from ciphermark.studies.kasumi import judged_cores as cores
from ciphermark.studies.kasumi import judged_queue as queue
from ciphermark.studies.kasumi import judged_single as single
from ciphermark.studies.kasumi import printed
from ciphermark.studies.kasumi import statements as said
from ciphermark.studies.kasumi.measured import Measured

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.packets.row import PacketRow

Judge = Callable[[Measured], Verdict]


ASKED_TWICE: dict[Said, Pair] = {
    said.SLOWER: same(single.slower),
    said.SEVEN_TIMES: same(single.seven_times),
    said.PER_BIT_OVER_SIZE: same(single.per_bit_over_size),
    said.PER_BIT_OVER_PACKETS: same(single.per_bit_over_packets),
    said.ALIKE_SMALL: same(single.alike_small),
    said.HARDWARE_ALIKE: same(single.hardware_alike),
    said.TWICE: same(single.twice),
    said.MORE_PACKETS: same(single.more_packets),
    said.FALLS: same(cores.falls),
    said.BEYOND_FIVE: same(cores.beyond_five),
    said.MEMORY: Pair(queue.memory_printed, queue.memory),
    said.FEW_CORES: same(cores.few_cores),
    said.CAPACITY: Pair(
        cores.capacity_printed, lambda measured: cores.capacity_here(measured.evidence())
    ),
    said.SHARE_FALLS: same(single.share_falls),
    said.DOMINATE: same(single.dominate),
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

QUESTIONS = questions(ASKED_TWICE, ASKED_HERE, printed.evidence(), "thesis")
STATEMENTS = QUESTIONS.statements


def claims(run: Run, rows: list[PacketRow]) -> list[Claim]:
    """All statements: the thesis's tables, then this machine."""
    return QUESTIONS.claims(Measured(rows))
