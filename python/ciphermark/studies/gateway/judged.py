"""The post's statements with their judges: of its own table, and of this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ciphermark.show.findings import Claim, Statement, Verdict, judge
from ciphermark.studies.asked_twice import Pair, Said, of_machine, of_tables
from ciphermark.studies.gateway import (
    boxes,
    buffers,
    compared,
    ends,
    features,
    links,
    price,
    spreads,
    tunnels,
    without_aes,
)
from ciphermark.studies.gateway import statements as said
from ciphermark.studies.gateway.measured import Measured
from ciphermark.studies.gateway.paper import PRINTED as BOXES
from ciphermark.studies.gateway.paper import Machine

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.single.row import Row

Decide = Callable[[Measured], Verdict]


def _both(decide: Callable[[list[Machine]], Verdict]) -> Pair:
    """The same rule for the boxes and for this machine."""
    return Pair(decide, lambda measured: decide([measured.machine]))


PRINTED_ONLY: dict[Said, Callable[[list[Machine]], Verdict]] = {
    said.UNITS: boxes.units,
    said.SPLIT: boxes.boxes_split,
    said.TIE: boxes.tie,
}
"""Of the boxes alone."""

TWICE: dict[Said, Pair] = {
    said.GCM_SLOWER: _both(compared.gcm_is_slower),
    said.GCM_AGAINST_BOTH: Pair(
        tunnels.gcm_beats_cbc_and_hash_printed, tunnels.gcm_beats_cbc_and_mac
    ),
    said.CAMELLIA: Pair(without_aes.camellia_wins_printed, without_aes.camellia_wins),
    said.MD5_FASTEST: _both(compared.md5_is_fastest),
    said.HASH_ORDER: _both(compared.hashes_in_order),
    said.LONGER_KEYS: _both(compared.longer_keys_cost),
    said.CLOCK: Pair(boxes.clock_matters_little_printed, boxes.clock_matters_little),
    said.MEMORY: Pair(buffers.memory_explains_printed, buffers.memory_explains),
}

OF_THE_TABLE: dict[Said, Claim] = {
    statement: of_tables(statement, decide, BOXES, "post")
    for statement, decide in (
        *PRINTED_ONLY.items(),
        *((statement, pair.by_tables) for statement, pair in TWICE.items()),
    )
}
"""What no run changes."""

ASKED_HERE: dict[Statement, Decide] = {
    said.LINK_SATURATED: links.link_is_saturated,
    said.GCM_DOUBLES: spreads.gcm_doubles,
    said.CBC_CANNOT: spreads.cbc_cannot,
    said.OPTIMISED_SLOWER: without_aes.optimised_is_slower,
    said.NOTHING_SIMILAR: features.nothing_similar,
    said.BOTH_ENDS: ends.same_at_both_ends,
    said.OVERHEAD: tunnels.overhead_is_negligible,
    said.REAL_WORLD: tunnels.close_to_the_real_world,
    said.BIGGER_CORE: without_aes.bigger_core,
    said.HOTTER: price.hotter,
}

JUDGES: dict[Statement, Decide] = {
    of_machine(statement, OF_THE_TABLE[statement]): pair.by_run for statement, pair in TWICE.items()
} | ASKED_HERE

STATEMENTS = (*OF_THE_TABLE.values(), *JUDGES)
"""Those about the table are judged already."""


def claims(run: Run, rows: list[Row]) -> list[Claim]:
    """All statements: the post's table, then what was measured."""
    measured = Measured(run, rows)
    return [
        *OF_THE_TABLE.values(),
        *(judge(statement, decide, measured) for statement, decide in JUDGES.items()),
    ]
