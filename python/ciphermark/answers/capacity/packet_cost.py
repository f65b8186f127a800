"""What a packet of a profile costs a core by one implementation, and by what we know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from ciphermark.answers.capacity.candidates import Candidate
from ciphermark.answers.capacity.mixing import mixing
from ciphermark.answers.capacity.size_costs import SizeCosts
from ciphermark.statistics.estimate import Estimate, total

if TYPE_CHECKING:
    from ciphermark.plan.profile import Profile

Basis = Literal["profile", "sizes", "parts", "imported", "predicted"]
"""Measured with this very mix; with single sizes; its cipher and its MAC apart; by another program;
or not at all."""


class PacketCost(msgspec.Struct, kw_only=True):
    """Nanoseconds of one core for a packet, all that is done to it."""

    ns: Estimate
    basis: Basis
    operations: list[str]
    provider: str
    backend: str
    fixed_share: float | None
    """Of the cost: what an empty packet would cost, by the line through the measured sizes; None
    where there are none."""
    setup_ns: Estimate | None
    streamed_ns: Estimate | None
    """With packets that come from memory; None where that was not measured."""
    keys: int
    """Security associations, or keys, that were in use."""
    beyond: bool = False
    """Whether the profile has lengths outside of what was measured."""


Lengths = Mapping[str, Sequence[int]]
"""By the name of each profile of a run, the lengths that it stood for there."""


def packet_cost(
    candidate: Candidate,
    operations: Sequence[str],
    profile: Profile,
    measured: Lengths,
    *,
    own_row: bool = True,
) -> PacketCost | None:
    """The cost by the row of the profile, else by the sizes; None where there is neither.

    `own_row=False` leaves the profile's own row out, to see how good the other way is.
    """
    mixed = own_row and _is_same(profile, measured)
    rows = [candidate.of_profile(it, profile.name) if mixed else None for it in operations]
    by_size = [candidate.costs(it) for it in operations]
    lengths = list(profile.weighted())
    if all(row is not None for row in rows):
        ns, basis = total(candidate.ns(row) for row in rows), "profile"
    elif all(it is not None for it in by_size):
        ns = total(mixing(it.mean(lengths), lengths, candidate.hz) for it in by_size)
        basis = "sizes"
    else:
        return None
    streamed = [candidate.costs(it, "stream") for it in operations]
    return PacketCost(
        ns=ns,
        basis=basis,
        operations=list(operations),
        provider=candidate.provider,
        backend=candidate.backend,
        fixed_share=_fixed_share(by_size, lengths),
        setup_ns=candidate.setup(),
        streamed_ns=total(it.mean(lengths) for it in streamed) if all(streamed) else None,
        keys=candidate.keys,
        beyond=basis == "sizes" and not all(it.covers(lengths) for it in by_size),
    )


def together(parts: Sequence[PacketCost]) -> PacketCost:
    """What is done by several implementations, one after the other."""
    setups = [it.setup_ns for it in parts if it.setup_ns is not None]
    streamed = [it.streamed_ns for it in parts if it.streamed_ns is not None]
    return PacketCost(
        ns=total(it.ns for it in parts),
        basis="sizes" if any(it.basis == "sizes" for it in parts) else parts[0].basis,
        operations=[name for it in parts for name in it.operations],
        provider=" + ".join(dict.fromkeys(it.provider for it in parts)),
        backend=" + ".join(dict.fromkeys(it.backend for it in parts)),
        fixed_share=_mean_share(parts),
        setup_ns=total(setups) if len(setups) == len(parts) else None,
        streamed_ns=total(streamed) if len(streamed) == len(parts) else None,
        keys=min(it.keys for it in parts),
        beyond=any(it.beyond for it in parts),
    )


def _fixed_share(
    by_size: Sequence[SizeCosts | None], lengths: Sequence[tuple[int, float]]
) -> float | None:
    fixed = [None if it is None else it.fixed() for it in by_size]
    if None in fixed:
        return None
    return min(1.0, sum(fixed) / sum(it.mean(lengths).value for it in by_size))


def _mean_share(parts: Sequence[PacketCost]) -> float | None:
    if any(it.fixed_share is None for it in parts):
        return None
    fixed = sum(it.fixed_share * it.ns.value for it in parts)
    return fixed / sum(it.ns.value for it in parts)


def _is_same(profile: Profile, measured: Lengths) -> bool:
    """Whether the run's profile of that name has the same mix: files of one name may differ."""
    known = measured.get(profile.name)
    if not known:
        return False
    return (
        abs(sum(known) / len(known) / max(profile.mean_bytes, 1) - 1) < 0.02
        and max(known) <= profile.largest_bytes
    )
