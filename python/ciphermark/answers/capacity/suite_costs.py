"""Implementations of a suite: measured as a whole, or put together from the parts of one library.

Costs are nanoseconds on one core. A sum of parts leaves out the protocol's work beside them
(looking for the key, building headers): such a figure is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from ciphermark.answers.advice.left_out import use_of
from ciphermark.answers.advice.uses import suite_parts
from ciphermark.answers.capacity.framing import filled_bytes
from ciphermark.answers.capacity.packet_cost import (
    BOTH_WAYS,
    CIPHER,
    MAC,
    SENDING,
    USUAL_ERROR,
    Candidate,
    PacketCost,
    candidates,
    packet_cost,
    together,
)
from ciphermark.answers.capacity.size_costs import SizeCosts, fixed_share
from ciphermark.plan.profile import Part, Profile
from ciphermark.statistics.estimate import complete, total
from ciphermark.workloads.single.row import Row

if TYPE_CHECKING:
    from ciphermark import contract

Lengths = Sequence[tuple[int, float]]

WHOLE = "measured"
FROM_PARTS = "from its parts"

SAME_BACK = ("mac", "keystream")
"""Done to incoming packets as well: a tag is computed and compared, a keystream made."""


class Step(NamedTuple):
    """One operation on a packet."""

    candidate: Candidate
    operation: str
    costs: SizeCosts | None
    """Costs by bytes of the packet; None if no size was measured."""


class SuiteCost(NamedTuple):
    """One implementation of a suite."""

    name: str
    provider: str
    backend: str
    """The code path; of parts, those of all."""
    how: str
    """`WHOLE` or `FROM_PARTS`."""
    sending: tuple[Step, ...]
    receiving: tuple[Step, ...]
    """Of each part; empty where it was not measured."""
    switches: dict[str, str]
    memory_bytes: int | None = None
    """Bytes of context and stack; None if unknown, as for libraries."""
    code_bytes: int | None = None
    """Of code and tables."""

    def packet(
        self, mix: Profile, *, both_ways: bool, mixed: bool, error: float = USUAL_ERROR
    ) -> PacketCost | None:
        """Returns the cost of a packet out, and of one in; None where the sizes are not enough.

        `mixed` takes the row of the profile, where there is one; `error` is that of sums of parts,
        as a share. Receiving that was not measured is taken to cost as much as sending.
        """
        found = None
        if both_ways and self.receiving:
            found = self._packet([*self.sending, *self.receiving], mix, mixed, error)
        if found is None:
            found = self._packet(self.sending, mix, mixed, error)
            if found is not None and both_ways:
                return msgspec.structs.replace(
                    found, ns=found.ns.times(2), own=found.own.times(2), assumes_receiving=True
                )
        return found

    @property
    def keys(self) -> int:
        """Distinct keys that were in use."""
        return self.sending[0].candidate.keys

    @property
    def features(self) -> frozenset[str]:
        """Extensions of the processor that it was seen to use; empty where nothing is known."""
        return frozenset(feature for row in self._rows() for feature in row.features)

    @property
    def constant_time(self) -> bool | None:
        times = [step.candidate.rows[0].constant_time for step in self.sending]
        return False if False in times else None if None in times else True

    @property
    def unsettled(self) -> str | None:
        """Why a figure of it did not settle, where one did not."""
        return next(filter(None, (row.not_converged_reason for row in self._rows())), None)

    @property
    def assumed(self) -> bool:
        """True if a row has no interval of its own, and so the one that is assumed."""
        return any(
            it.candidate.lacks_interval([it.operation]) for it in (*self.sending, *self.receiving)
        )

    def covers(self, lengths: Lengths) -> bool:
        """Whether all lengths lie between measured sizes."""
        steps = (*self.sending, *self.receiving)
        return all(step.costs is not None and step.costs.covers(lengths) for step in steps)

    def sizes(self) -> list[int]:
        """The measured sizes that all parts have."""
        found = [{it.message_bytes for it in costs.measured} for costs in self._sent()]
        return sorted(set.intersection(*found)) if found else []

    def _sent(self) -> list[SizeCosts]:
        return complete(step.costs for step in self.sending) or []

    def _rows(self) -> Iterator[Row]:
        for step in self.sending:
            yield from (it for it in step.candidate.rows if it.operation == step.operation)

    def _packet(
        self, steps: Sequence[Step], mix: Profile, mixed: bool, error: float
    ) -> PacketCost | None:
        if self.how == WHOLE:
            apart: dict[int, list[Step]] = {}
            for step in steps:
                apart.setdefault(id(step.candidate), []).append(step)
            each = complete(
                packet_cost(own[0].candidate, [it.operation for it in own], mix, mixed=mixed)
                for own in apart.values()
            )
            if each is None:
                return None
            return each[0] if len(each) == 1 else together(each)
        costs = complete(step.costs for step in steps)
        if costs is None:
            return None
        lengths = list(mix.weighted())
        means = [it.mean(lengths) for it in costs]
        own = total(means)
        setups = complete(step.candidate.setup() for step in self.sending)
        return PacketCost(
            ns=own.wider(error),
            own=own,
            basis="parts",
            operations=["seal", "open"][: 1 + (len(steps) > len(self.sending))],
            provider=self.provider,
            backend=self.backend,
            fixed_share=fixed_share((it.fixed() for it in costs), own.value),
            setup_ns=None if setups is None else total(setups),
            streamed_ns=None,
            keys=self.keys,
            beyond=not all(it.covers(lengths) for it in costs),
            assumed=self.assumed,
        )


Implementation = TypeVar("Implementation", Candidate, SuiteCost)


def by_library(library: str | None, found: Iterable[Implementation]) -> list[Implementation]:
    """Returns the implementations by a library, where it has any; else all."""
    every = list(found)
    return [it for it in every if it.provider == library] or every


def usual_library(name: str) -> str | None:
    """Returns the library of the usual tools of a suite's protocol."""
    use = use_of(suite_parts(name)[0])
    return None if use is None else use.library


def one_size(message_bytes: int) -> Profile:
    """Returns the mix of messages of one size."""
    return Profile(str(message_bytes), "", (Part(bytes=message_bytes, weight=1),))


def whole(
    rows: Iterable[Row], name: str, named: str | None = None, tunnels: int = 1
) -> list[SuiteCost]:
    """Returns the implementations of an algorithm or suite with figures.

    Each is with as many keys in use as is nearest to the number of tunnels, and has another name
    where one is given. Where none does both directions, one sends and another one receives.
    """
    every = candidates(rows, name, tunnels)
    found = [cost for it in every if (cost := _cost(it, named or name)) is not None]
    if any(it.receiving for it in found):
        return found
    return found + [_received_by(it, other) for it in found for other in _receivers(it, every)]


def _receivers(cost: SuiteCost, every: Sequence[Candidate]) -> list[Candidate]:
    back = BOTH_WAYS.get(cost.sending[0].operation)
    return [it for it in every if back in it.operations]


def _received_by(cost: SuiteCost, other: Candidate) -> SuiteCost:
    back = BOTH_WAYS[cost.sending[0].operation]
    return cost._replace(
        provider=" + ".join(dict.fromkeys((cost.provider, other.provider))),
        backend=" + ".join(dict.fromkeys((cost.backend, other.backend))),
        receiving=(Step(other, back, other.costs(back)),),
    )


def from_parts(
    rows: Sequence[Row],
    name: str,
    parts: Sequence[str],
    framing: contract.Framing | None = None,
    lengths: Lengths = ((1024, 1.0),),
) -> list[SuiteCost]:
    """Returns the parts of each library that has all of them, by its fastest code path.

    `lengths` decide between code paths. The cipher sees the packet with padding, and the MAC that
    with the header and the IV.
    """

    def encrypted(message_bytes: int) -> int:
        return message_bytes if framing is None else filled_bytes(framing, message_bytes)

    def authenticated(message_bytes: int) -> int:
        around = 0 if framing is None else framing.header_bytes + framing.iv_bytes
        return around + encrypted(message_bytes)

    by_part = [candidates(rows, part) for part in parts]
    found = []
    for provider in dict.fromkeys(it.provider for it in by_part[0]) if by_part else ():
        own = [[it for it in part if it.provider == provider] for part in by_part]
        ways = []
        for way in ("seal", "open"):
            steps = []
            for place, part in enumerate(own):
                seen = authenticated if place else encrypted
                done = [*CIPHER[way], *MAC[way]]
                choices = [
                    Step(it, operation, SizeCosts(costs.measured, seen))
                    for it in part
                    for operation in done
                    if (costs := it.costs(operation)) is not None
                ]
                steps.append(min(choices, key=lambda it: _mean(it, lengths), default=None))
            ways.append(tuple(complete(steps) or ()))
        sending, receiving = ways
        if sending:
            found.append(_together(name, provider, sending, receiving))
    return found


def _mean(step: Step, lengths: Lengths) -> float:
    return step.costs.mean(lengths).value if step.costs is not None else float("inf")


def masked(rows: Sequence[Row], name: str, parts: Sequence[str]) -> list[SuiteCost]:
    """Returns every way in which features of the processor were hidden from the libraries.

    Those are the libraries of a suite, or of all of its parts.
    """
    alike: dict[tuple[str, tuple[tuple[str, str], ...]], list[Row]] = {}
    for row in rows:
        if row.switches and row.algorithm in (name, *parts):
            hidden = (row.provider, tuple(sorted(row.switches.items())))
            alike.setdefault(hidden, []).append(msgspec.structs.replace(row, switches={}))
    found = []
    for (_, switches), own in alike.items():
        costs = whole(own, name) or (from_parts(own, name, parts) if parts else [])
        found += [it._replace(switches=dict(switches)) for it in costs]
    return found


def _cost(it: Candidate, name: str) -> SuiteCost | None:
    first = next((op for op in SENDING if op in it.operations), None)
    if first is None:
        return None
    back = BOTH_WAYS.get(first, first)
    if first in SAME_BACK and back not in it.operations:
        back = first
    receiving = (Step(it, back, it.costs(back)),) if back in it.operations else ()
    return SuiteCost(
        name=name,
        provider=it.provider,
        backend=it.backend,
        how=WHOLE,
        sending=(Step(it, first, it.costs(first)),),
        receiving=receiving,
        switches={},
    )


def _together(
    name: str, provider: str, sending: tuple[Step, ...], receiving: tuple[Step, ...]
) -> SuiteCost:
    backends = dict.fromkeys(step.candidate.backend for step in (*sending, *receiving))
    return SuiteCost(
        name=name,
        provider=provider,
        backend=" + ".join(backends),
        how=FROM_PARTS,
        sending=sending,
        receiving=receiving,
        switches={},
    )
