"""What a packet costs with a suite: measured as a whole, or put together from its parts.

Costs are nanoseconds on one core, as `capacity` has them. A suite that the run has is taken as a
whole. Else the costs of its parts are added, which leaves out what the protocol does beside them
(headers, padding, looking for the key): such a figure is a lower bound, and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ciphermark.answers.capacity.packet_cost import (
    BOTH_WAYS,
    SENDING,
    USUAL_ERROR,
    Candidate,
    candidates,
)
from ciphermark.answers.capacity.size_costs import MIXED_SHARE, SizeCosts, fixed_share, mean_ns
from ciphermark.statistics.estimate import Estimate, total
from ciphermark.workloads.single.row import Row

Lengths = Sequence[tuple[int, float]]

WHOLE = "measured"
FROM_PARTS = "from its parts"
ALIKE = "as a like one"

SAME_BACK = ("mac", "keystream")
"""What is done to what comes in as well: a tag is computed and compared, a keystream made."""


class SuiteCost(NamedTuple):
    """One implementation of a suite."""

    name: str
    provider: str
    backend: str
    """The code path; of parts, those of all."""
    how: str
    """`WHOLE`, `FROM_PARTS` or `ALIKE`."""
    sending: tuple[SizeCosts, ...]
    receiving: tuple[SizeCosts, ...]
    """Of each part; empty where it was not measured."""
    mixes: dict[str, tuple[Estimate, Estimate | None]]
    """What was measured with a profile: sending, receiving."""
    features: frozenset[str]
    """Extensions of the processor that it was seen to use; empty where nobody looked."""
    constant_time: bool | None
    switches: dict[str, str]
    hz: float | None
    unsettled: str | None
    """Why a figure of it did not settle, where one did not."""
    assumed: bool = False
    """Whether a row has no interval of its own, and so the one that is assumed."""
    memory_bytes: int | None = None
    """Of context and stack; None where nobody knows, as of libraries."""
    code_bytes: int | None = None
    """Of code and tables."""
    keys: int = 1
    """Distinct keys that were in use."""

    def one_way(self, lengths: Lengths, profile: str | None = None) -> Estimate:
        """Nanoseconds of a packet that goes out."""
        return self._both(lengths, profile)[0]

    def both_ways(self, lengths: Lengths, profile: str | None = None) -> Estimate:
        """Nanoseconds of a packet out and one in."""
        sent, received = self._both(lengths, profile)
        return sent.times(2) if received is None else sent.plus(received)

    def fixed_share(self, lengths: Lengths) -> float | None:
        """Of what sending costs: what an empty packet costs too. None with one size only."""
        if not self.sending:
            return None
        whole_ns = self._sum(self.sending, lengths).value
        return fixed_share((part.fixed() for part in self.sending), whole_ns)

    def knows(self, profile: str | None) -> bool:
        """Whether there is a figure for this mix, or for sizes."""
        return bool(self.sending) or profile in self.mixes

    def knows_both_ways(self, profile: str | None) -> bool:
        """Whether receiving was measured too; else it is taken to cost what sending does."""
        if profile in self.mixes:
            return self.mixes[profile][1] is not None
        return bool(self.receiving)

    def error(self, lengths: Lengths, profile: str | None = None) -> float:
        """Half-width, as a share, of what its figures leave out: parts that were measured apart,
        and a mix that was put together from single sizes. Suites share it, so that it says nothing
        of which is the better one."""
        if self.how != WHOLE:
            return USUAL_ERROR
        return MIXED_SHARE if len(lengths) > 1 and profile not in self.mixes else 0.0

    def covers(self, lengths: Lengths) -> bool:
        """Whether all lengths lie between measured sizes."""
        return all(part.covers(lengths) for part in (*self.sending, *self.receiving))

    def sizes(self) -> list[int]:
        """The measured sizes that all parts have."""
        found = [{it.message_bytes for it in part.measured} for part in self.sending]
        return sorted(set.intersection(*found)) if found else []

    def _both(self, lengths: Lengths, profile: str | None) -> tuple[Estimate, Estimate | None]:
        if profile in self.mixes:
            return self.mixes[profile]
        received = self._mixed(self.receiving, lengths) if self.receiving else None
        return self._mixed(self.sending, lengths), received

    def _mixed(self, parts: Sequence[SizeCosts], lengths: Lengths) -> Estimate:
        """With what a mix costs beyond its sizes, as `capacity` has it; how sure that is, `error`
        says for all suites alike."""
        beyond_ns = mean_ns(lengths, self.hz) if self.how == WHOLE else 0.0
        return self._sum(parts, lengths).plus(Estimate.exact(beyond_ns))

    @staticmethod
    def _sum(parts: Sequence[SizeCosts], lengths: Lengths) -> Estimate:
        return total(part.mean(lengths) for part in parts)


def whole(
    rows: Iterable[Row], name: str, named: str | None = None, tunnels: int = 1
) -> list[SuiteCost]:
    """The implementations of an algorithm or suite with figures, in its own name or another, each
    with as many keys in use as is nearest to the number of tunnels."""
    found = [_cost(it, named or name) for it in candidates(rows, name, tunnels)]
    return [it for it in found if it is not None]


def from_parts(rows: Sequence[Row], name: str, parts: Sequence[str]) -> list[SuiteCost]:
    """The parts of each library that has all of them, each by its fastest code path."""
    by_part = [whole(rows, part) for part in parts]
    providers = dict.fromkeys(it.provider for it in by_part[0]) if by_part else {}
    found = []
    for provider in providers:
        own = [[it for it in costs if it.provider == provider] for costs in by_part]
        if all(own):
            found.append(_together(name, [min(it, key=_at_a_packet) for it in own]))
    return found


def masked(rows: Sequence[Row], name: str, parts: Sequence[str]) -> list[SuiteCost]:
    """Every way in which features of the processor were hidden from the libraries of a suite, or
    from those of all of its parts."""
    found = _masked(rows, name)
    if found or not parts:
        return found
    first, *rest = (_masked(rows, part) for part in parts)
    for it in first:
        alike = [[other for other in own if _hides_the_same(it, other)] for own in rest]
        if all(alike):
            together = _together(name, [it, *(min(own, key=_at_a_packet) for own in alike)])
            found.append(together._replace(switches=it.switches))
    return found


def _hides_the_same(one: SuiteCost, other: SuiteCost) -> bool:
    return (one.provider, one.switches) == (other.provider, other.switches)


def _masked(rows: Sequence[Row], name: str) -> list[SuiteCost]:
    alike: dict[tuple[str, tuple[tuple[str, str], ...]], list[Row]] = {}
    for row in rows:
        if row.algorithm == name and row.switches:
            alike.setdefault((row.provider, tuple(sorted(row.switches.items()))), []).append(row)
    found = []
    for (_, switches), own in alike.items():
        plain = [_without_switches(row) for row in own]
        for it in whole(plain, name):
            found.append(it._replace(switches=dict(switches)))
    return found


def _without_switches(row: Row) -> Row:
    import msgspec

    return msgspec.structs.replace(row, switches={})


def _cost(it: Candidate, name: str) -> SuiteCost | None:
    first = next((op for op in SENDING if op in it.operations), None)
    if first is None:
        return None
    sending = it.costs(first)
    back = BOTH_WAYS.get(first, first)
    if first in SAME_BACK and back not in it.operations:
        back = first
    receiving = it.costs(back) if back in it.operations else None
    mixes = _mixes(it, first, back)
    if sending is None and not mixes:
        return None
    own = [row for row in it.rows if row.operation == first]
    return SuiteCost(
        name=name,
        provider=it.provider,
        backend=it.backend,
        how=WHOLE,
        sending=() if sending is None else (sending,),
        receiving=() if receiving is None else (receiving,),
        mixes=mixes,
        features=frozenset(feature for row in own for feature in row.features),
        constant_time=own[0].constant_time,
        switches={},
        hz=it.hz,
        keys=it.keys,
        unsettled=next(filter(None, (row.not_converged_reason for row in own)), None),
        assumed=it.lacks_interval([first, back]),
    )


def _mixes(it: Candidate, first: str, back: str) -> dict[str, tuple[Estimate, Estimate | None]]:
    found = {}
    for profile in dict.fromkeys(row.profile for row in it.rows if row.profile is not None):
        sent = it.of_profile(first, profile)
        received = it.of_profile(back, profile)
        if sent is not None:
            found[profile] = (it.ns(sent), None if received is None else it.ns(received))
    return found


def _together(name: str, parts: Sequence[SuiteCost]) -> SuiteCost:
    receiving = all(it.receiving for it in parts)
    times = [it.constant_time for it in parts]
    return SuiteCost(
        name=name,
        provider=parts[0].provider,
        backend=" + ".join(dict.fromkeys(it.backend for it in parts)),
        how=FROM_PARTS,
        sending=tuple(costs for it in parts for costs in it.sending),
        receiving=tuple(costs for it in parts for costs in it.receiving) if receiving else (),
        mixes={},
        features=frozenset().union(*(it.features for it in parts)),
        constant_time=False if False in times else None if None in times else True,
        switches={},
        hz=parts[0].hz,
        unsettled=next((it.unsettled for it in parts if it.unsettled), None),
        assumed=any(it.assumed for it in parts),
    )


_A_PACKET_BYTES = 1024
"""To choose between code paths of one library, before it is known what is carried."""


def _at_a_packet(it: SuiteCost) -> float:
    return it.one_way([(_A_PACKET_BYTES, 1.0)]).value if it.sending else float("inf")
