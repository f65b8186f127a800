"""The gateway study: ten functions of a VPN on one core and on all, beside the boxes of the post.

The post (2015) asks which of two cheap processors makes the better VPN gateway, finds that a
library's optimised code is the slower one on one of them, and turns MB/s into lines that can be
filled. Its figures are of `openssl speed -elapsed -evp` with messages of 1024 bytes; here each
function is shown in its fastest implementation, features of the processor are hidden one by one,
and what it says is asked of its own table and of this machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ciphermark.studies.gateway import capacity, judges, shuffles, tunnels
from ciphermark.studies.gateway.capacity import ASKED as given
from ciphermark.studies.gateway.charts import charts
from ciphermark.studies.gateway.command import aside
from ciphermark.studies.gateway.evidence import Measured
from ciphermark.studies.gateway.paper import PRINTED, Machine
from ciphermark.studies.gateway.tables import tables
from ciphermark.studies.gateway.through import besides
from ciphermark.studies.statements import Questions
from ciphermark.view.findings import Claim, Verdict

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.single.row import Row

__all__ = ["QUESTIONS", "aside", "besides", "charts", "claims", "given", "tables"]

BOTH: dict[str, Callable[[list[Machine]], Verdict]] = {
    "gcm-slower-than-cbc": judges.gcm_is_slower,
    "md5-fastest-of-all": judges.md5_is_fastest,
    "order-of-hashes": judges.hashes_in_order,
    "longer-keys-cost": judges.longer_keys_cost,
}
"""The same rule for the boxes and for this machine."""

BY_TABLES: dict[str, Callable[[list[Machine]], Verdict]] = BOTH | {
    "units-of-the-post": judges.units,
    "boxes-split-by-function": judges.boxes_split,
    "cbc-and-hash-are-a-tie": judges.tie,
    "gcm-faster-than-cbc-and-hash": tunnels.gcm_beats_cbc_and_hash_printed,
    "camellia-beats-aes": judges.camellia_wins_printed,
    "clock-matters-little": judges.clock_matters_little_printed,
    "memory-explains-hashes": judges.memory_explains_printed,
    "the-atom-is-the-winner": capacity.winner_printed,
    "ssse3-in-a-decent-time": shuffles.gains_printed,
}


def _here(decide: Callable[[list[Machine]], Verdict]) -> Callable[[Measured], Verdict]:
    return lambda measured: decide([measured])


HERE: dict[str, Callable[[Measured], Verdict]] = {
    **{claim: _here(decide) for claim, decide in BOTH.items()},
    "gcm-faster-than-cbc-and-hash": tunnels.gcm_beats_cbc_and_mac,
    "camellia-beats-aes": judges.camellia_wins,
    "clock-matters-little": judges.clock_matters_little,
    "memory-explains-hashes": judges.memory_explains,
    "aes-128-gcm-fills-100m-link": capacity.link_is_saturated,
    "gcm-doubles-on-two-cores": capacity.gcm_doubles,
    "cbc-cannot-use-a-second-core": capacity.cbc_cannot,
    "optimised-version-slower": judges.optimised_is_slower,
    "nothing-similar-elsewhere": judges.nothing_similar,
    "both-ends-cost-the-same": judges.same_at_both_ends,
    "tunnel-overhead-negligible": tunnels.overhead_is_negligible,
    "gcm-benchmark-close-to-real-world": tunnels.close_to_the_real_world,
    "bigger-core-three-times-as-fast": judges.bigger_core,
    "apu-consumes-more-power": capacity.hotter,
}

QUESTIONS: Questions[Measured, list[Machine]] = Questions(
    __file__,
    HERE,
    BY_TABLES,
    lambda: PRINTED,
    {"aes-128-gcm-fills-100m-link": capacity.filled_by_the_box},
)


def claims(run: Run, rows: list[Row]) -> list[Claim]:
    """All statements: the post's table, then what was measured."""
    return QUESTIONS.claims(Measured(run, rows))
