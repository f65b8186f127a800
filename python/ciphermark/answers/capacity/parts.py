"""A suite that was not measured as a whole, by its cipher and its MAC apart.

Both see the packet after each other: the cipher what is encrypted, the MAC that with the header and
the IV. Headers, key look-up and what one can do while the other works are left out, and the packet
is in the cache for the second. How wrong such sums are is asked of the suites that were measured
both ways, where there are some.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ciphermark.answers.capacity.candidates import Candidate, candidates
from ciphermark.answers.capacity.framing import filled_bytes
from ciphermark.answers.capacity.packet_cost import PacketCost
from ciphermark.answers.capacity.size_costs import NORMAL
from ciphermark.statistics.estimate import Estimate, total

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.plan.profile import Profile
    from ciphermark.workloads.single.row import Row

USUAL_ERROR = 0.25
"""Half-width of a sum of parts as a share, where nothing was measured both ways. An assumption."""

_Part = tuple[Estimate, Candidate, float | None]
"""Mean cost, implementation, and cost of an empty message where it is known."""

_CIPHER = {"seal": ("seal", "encrypt"), "open": ("open", "decrypt")}
_MAC = {"seal": ("mac",), "open": ("verify", "mac")}


def sum_of_parts(
    rows: Sequence[Row], suite: contract.Suite, profile: Profile, both_ways: bool, error: float
) -> PacketCost | None:
    """The cost of the fastest cipher and the fastest MAC; None where one of them is missing."""
    wanted = ["seal", "open"] if both_ways else ["seal"]
    ciphers = [
        _cheapest(rows, suite.cipher, _CIPHER[it], _encrypted(suite, profile)) for it in wanted
    ]
    macs = []
    if suite.integrity is not None:
        macs = [
            _cheapest(rows, suite.integrity, _MAC[it], _authenticated(suite, profile))
            for it in wanted
        ]
    parts = [*ciphers, *macs]
    if None in parts:
        return None
    names = [it[1] for it in parts]
    setups = [it.setup() for it in (names[0], *names[len(wanted) : len(wanted) + 1])]
    return PacketCost(
        ns=total(it[0] for it in parts).wider(error),
        basis="parts",
        operations=wanted,
        provider="+".join(dict.fromkeys(it.provider for it in names)),
        backend="+".join(dict.fromkeys(it.backend for it in names)),
        fixed_share=_fixed_share(parts),
        setup_ns=None if None in setups else total(setups),
        streamed_ns=None,
        keys=1,
    )


def usual_error(pairs: Iterable[tuple[float, float]]) -> float:
    """Half-width, as a share, of sums of parts by those of which the whole is known too."""
    errors = [parts / whole - 1 for parts, whole in pairs if whole > 0]
    if not errors:
        return USUAL_ERROR
    # Of one or two suites the scatter tells little: they stand beside the assumption.
    mean_square = (sum(it**2 for it in errors) + (USUAL_ERROR / NORMAL) ** 2) / (len(errors) + 1)
    return NORMAL * math.sqrt(mean_square)


def _cheapest(
    rows: Sequence[Row],
    algorithm: str,
    operations: Sequence[str],
    lengths: Sequence[tuple[int, float]],
) -> _Part | None:
    """The implementation that costs the least."""
    found = [
        (costs.mean(lengths), it, costs.fixed())
        for it in candidates(rows, algorithm)
        for operation in operations
        if (costs := it.costs(operation)) is not None
    ]
    return min(found, key=lambda it: it[0].value, default=None)


def _fixed_share(parts: Sequence[_Part]) -> float | None:
    fixed = [cost for _, _, cost in parts]
    if None in fixed:
        return None
    return min(1.0, sum(fixed) / sum(mean.value for mean, _, _ in parts))


def _encrypted(suite: contract.Suite, profile: Profile) -> list[tuple[int, float]]:
    return [(filled_bytes(suite.framing, n), share) for n, share in profile.weighted()]


def _authenticated(suite: contract.Suite, profile: Profile) -> list[tuple[int, float]]:
    around = suite.framing.header_bytes + suite.framing.iv_bytes
    return [(around + n, share) for n, share in _encrypted(suite, profile)]
