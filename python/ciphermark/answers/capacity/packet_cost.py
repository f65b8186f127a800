"""What a packet of a profile costs a core by one implementation, and by what we know it.

Costs are nanoseconds on one core. Where a row has cycles they are divided by the clock of the whole
run, since cycles do not feel the clock drifting between two cases; imported rows have times only.

A suite that was not measured as a whole is known by its cipher and its MAC apart. Both see the
packet after each other: the cipher what is encrypted, the MAC that with the header and the IV.
Headers, key look-up and what one can do while the other works are left out, and the packet is in
the cache for the second. How wrong such sums are is asked of the suites that were measured both
ways, where there are some.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from ciphermark.answers.capacity.size_costs import (
    NORMAL,
    SizeCost,
    SizeCosts,
    fixed_share,
    mixing,
)
from ciphermark.plan.names import UNDOING
from ciphermark.statistics.estimate import Estimate, complete, total
from ciphermark.workloads.single.row import Row

if TYPE_CHECKING:
    from ciphermark.plan.profile import Profile


BOTH_WAYS = UNDOING | {"digest": "digest"}
"""What is done to packets that go out, and to those that come in."""

SENDING = ("seal", "encrypt", "mac", "digest", "keystream")
"""Operations on what goes out, in the order in which they are asked for."""


class Candidate(NamedTuple):
    """One implementation of an algorithm, with its rows."""

    algorithm: str
    provider: str
    backend_asked: str
    keys: int
    """Distinct keys in use: of a suite the security associations that were looked up."""
    rows: tuple[Row, ...]
    hz: float | None
    """Core clock of the run."""

    @property
    def backend(self) -> str:
        """The code path that ran."""
        return self.rows[0].backend

    @property
    def operations(self) -> set[str]:
        """Those with messages."""
        return {it.operation for it in self.rows if it.size is not None}

    def costs(self, operation: str, buffers: str = "hot") -> SizeCosts | None:
        """Nanoseconds by size; None where no size was measured."""
        found = [
            SizeCost(it.message_bytes, self.ns(it))
            for it in self.rows
            if (it.operation, it.buffers) == (operation, buffers) and it.message_bytes is not None
        ]
        return SizeCosts(found) if found else None

    def of_profile(self, operation: str, profile: str) -> Row | None:
        """The row of a mix."""
        alike = (it for it in self.rows if (it.operation, it.profile) == (operation, profile))
        return next(alike, None)

    def lacks_interval(self, operations: Sequence[str]) -> bool:
        """Whether a row of one of these did not settle to an interval."""
        return any(
            row.cycles_per_message_low is None or row.cycles_per_message_high is None
            for row in self.rows
            if row.operation in operations
        )

    def setup(self) -> Estimate | None:
        """Nanoseconds from the bytes of a key to a context that is ready."""
        row = next((it for it in self.rows if it.operation == "setup"), None)
        return None if row is None else self.ns(row)

    def ns(self, row: Row) -> Estimate:
        """Nanoseconds of a message."""
        if row.cycles_per_message is None or self.hz is None:
            return Estimate.assumed(row.ns_per_message or math.nan)
        value = row.cycles_per_message / self.hz * 1e9
        low, high = row.cycles_per_message_low, row.cycles_per_message_high
        if low is None or high is None:
            return Estimate.assumed(value)
        return Estimate(value, max(0.0, low / self.hz * 1e9), high / self.hz * 1e9)


def assumption(measured_by: str, *, imported: bool) -> str:
    """Returns the note about figures whose interval is assumed."""
    if imported:
        return "figures of another program: not verified, and without intervals; ±10 % is assumed"
    return (
        "some figures did not settle to an interval, so ±10 % is assumed for them; measure longer, "
        f"or when the machine is quieter: {measured_by} --budget 5m"
    )


def candidates(rows: Iterable[Row], algorithm: str, tunnels: int = 1) -> list[Candidate]:
    """The implementations of an algorithm that have figures; of each the rows whose number of keys
    in use is nearest to that of the tunnels."""
    nearest = [
        min(by_keys, key=lambda it: abs(math.log(it.keys / tunnels)))
        for by_keys in implementations(rows, algorithm)
    ]
    return [it for it in nearest if it.operations]


def keys_in_common(rows: Iterable[Row], suites: Iterable[str], tunnels: int) -> int:
    """Returns the number of keys nearest to the tunnels that all measured suites have; else 1."""
    numbers = {name: set[int]() for name in suites}
    for row in rows:
        if row.algorithm in numbers and is_usual(row) and row.size is not None:
            numbers[row.algorithm].add(row.keys)
    measured = [it for it in numbers.values() if it]
    shared = set.intersection(*measured) if measured else set()
    return min(shared or {1}, key=lambda it: abs(math.log(it / tunnels)))


def with_keys(rows: Iterable[Row], keys: int) -> list[Row]:
    """Returns the rows of suites with so many keys in use, and those of key setups and parts."""
    return [
        row
        for row in rows
        if row.keys == keys or row.operation == "setup" or ":" not in row.algorithm
    ]


def implementations(rows: Iterable[Row], algorithm: str) -> list[list[Candidate]]:
    """Each implementation of an algorithm, with every number of keys in use that it was measured
    with. Of several runs the first that has a size stands."""
    usual = [row for row in rows if row.algorithm == algorithm and is_usual(row)]
    hz = median_hz(usual)
    alike: dict[tuple[str, str], dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in usual:
        alike[row.provider, row.backend_asked][row.keys].append(row)
    found = []
    for names, by_keys in alike.items():
        setups = [row for row in by_keys.get(1, []) if row.operation == "setup"]
        found.append(
            [
                Candidate(algorithm, *names, keys, _once([*own, *setups]), hz)
                for keys, own in by_keys.items()
            ]
        )
    return found


def median_hz(rows: Iterable[Row]) -> float | None:
    """The clock of a run; None where nothing tells it."""
    clocks = [row.core_hz for row in rows if row.core_hz is not None]
    return median(clocks) if clocks else None


def operations(names: Iterable[str], both_ways: bool) -> list[str]:
    """What is done to a packet on its way out, and to one on its way in."""
    there = set(names)
    first = next((it for it in SENDING if it in there), None)
    if first is None:
        return []
    back = BOTH_WAYS.get(first)
    if not both_ways:
        return [first]
    return [first, back] if back in there else []


def _once(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The first row of each operation and size."""
    first: dict[tuple[object, ...], Row] = {}
    for row in rows:
        first.setdefault((row.operation, row.buffers, row.size), row)
    return tuple(first.values())


def is_usual(row: Row) -> bool:
    """One message a call, its key at hand, on the calling core."""
    usual = (row.lanes, row.pattern, row.offload, row.chunk_bytes, row.after, row.switches)
    return (
        usual == (1, "reused-key", "none", None, None, {})
        and row.buffers in ("hot", "stream")
        and (row.ns_per_message or 0) > 0
        and (row.cycles_per_message is None or row.cycles_per_message > 0)
    )


Basis = Literal["profile", "sizes", "parts", "imported", "predicted"]
"""Measured with this very mix; with single sizes; its cipher and its MAC apart; by another program;
or not at all."""


class PacketCost(msgspec.Struct, kw_only=True):
    """Nanoseconds of one core for a packet, all that is done to it."""

    ns: Estimate
    own: Estimate
    """Cost without the errors that all suites share, for comparisons."""
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
    assumed: bool = False
    """Whether a row has no interval of its own, and so the one that is assumed."""
    assumes_receiving: bool = False
    """True if only sending was measured, and receiving is taken to cost as much."""


Lengths = Mapping[str, Sequence[int]]
"""By the name of each profile of a run, the lengths that it stood for there."""


def packet_cost(
    candidate: Candidate, operations: Sequence[str], profile: Profile, *, mixed: bool
) -> PacketCost | None:
    """Returns the cost by the row of the profile, else by the sizes; None where there is neither.

    `mixed` takes the profile's row, where there is one of each operation.
    """
    rows = complete(candidate.of_profile(it, profile.name) for it in operations) if mixed else None
    by_size = complete(candidate.costs(it) for it in operations)
    lengths = list(profile.weighted())
    basis: Basis = "sizes" if rows is None else "profile"
    if rows is not None:
        own = ns = total(candidate.ns(row) for row in rows)
    elif by_size is not None:
        means = [it.mean(lengths) for it in by_size]
        ns = total(mixing(it, lengths, candidate.hz) for it in means)
        alone = total(means)
        own = alone.plus(Estimate.exact(ns.value - alone.value))
    else:
        return None
    streamed = complete(candidate.costs(it, "stream") for it in operations)
    return PacketCost(
        ns=ns,
        own=own,
        basis=basis,
        operations=list(operations),
        provider=candidate.provider,
        backend=candidate.backend,
        fixed_share=None
        if by_size is None
        else fixed_share(
            (it.fixed() for it in by_size), sum(it.mean(lengths).value for it in by_size)
        ),
        setup_ns=candidate.setup(),
        streamed_ns=None if streamed is None else total(it.mean(lengths) for it in streamed),
        keys=candidate.keys,
        beyond=rows is None and not all(it.covers(lengths) for it in by_size or ()),
        assumed=candidate.lacks_interval(operations),
    )


def together(parts: Sequence[PacketCost]) -> PacketCost:
    """What is done by several implementations, one after the other."""
    setups = complete(it.setup_ns for it in parts)
    streamed = complete(it.streamed_ns for it in parts)
    shares = complete(it.fixed_share for it in parts)
    mean_share = None
    if shares is not None:
        fixed = sum(share * it.ns.value for share, it in zip(shares, parts, strict=True))
        mean_share = fixed / sum(it.ns.value for it in parts)
    return PacketCost(
        ns=total(it.ns for it in parts),
        own=total(it.own for it in parts),
        basis="sizes" if any(it.basis == "sizes" for it in parts) else parts[0].basis,
        operations=[name for it in parts for name in it.operations],
        provider=" + ".join(dict.fromkeys(it.provider for it in parts)),
        backend=" + ".join(dict.fromkeys(it.backend for it in parts)),
        fixed_share=mean_share,
        setup_ns=None if setups is None else total(setups),
        streamed_ns=None if streamed is None else total(streamed),
        keys=min(it.keys for it in parts),
        beyond=any(it.beyond for it in parts),
        assumed=any(it.assumed for it in parts),
    )


SAME_PROFILE_SHARE = 0.02
"""By which the mean of a run's lengths may differ from that of the mix that they stand for."""


def is_same(profile: Profile, measured: Lengths) -> bool:
    """Whether the run's profile of that name has the same mix: files of one name may differ."""
    known = measured.get(profile.name)
    if not known:
        return False
    return (
        abs(sum(known) / len(known) / max(profile.mean_bytes, 1) - 1) < SAME_PROFILE_SHARE
        and max(known) <= profile.largest_bytes
    )


USUAL_ERROR = 0.25
"""Half-width of a sum of parts as a share, where nothing was measured both ways. An assumption."""


CIPHER = {
    "seal": ("seal", "encrypt", "keystream"),
    "open": ("open", "decrypt", "keystream"),
}
MAC = {"seal": ("mac",), "open": ("verify", "mac")}
"""Work of a cipher and a MAC on a packet, out and in, as parts of a suite."""


def usual_error(pairs: Iterable[tuple[float, float]]) -> float:
    """Half-width, as a share, of sums of parts by those of which the whole is known too."""
    errors = [parts / whole - 1 for parts, whole in pairs if whole > 0]
    if not errors:
        return USUAL_ERROR
    # Of one or two suites the scatter tells little: they stand beside the assumption.
    mean_square = (sum(it**2 for it in errors) + (USUAL_ERROR / NORMAL) ** 2) / (len(errors) + 1)
    return NORMAL * math.sqrt(mean_square)
