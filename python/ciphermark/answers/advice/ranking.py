"""Which candidate is best by what matters, by how much, and whether that is more than noise.

And what a suite carries: its rate, and what share of a core a rate takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from ciphermark.answers.advice.candidates import Candidate
from ciphermark.answers.advice.facts import Facts
from ciphermark.answers.advice.uses import By, Traffic, Use, Wishes
from ciphermark.answers.capacity.answer import Found, Known, Source, answer_by, suite_of
from ciphermark.answers.capacity.answer import Question as Scenario
from ciphermark.answers.capacity.keys import KeyLife
from ciphermark.answers.capacity.packet_cost import USUAL_ERROR, PacketCost
from ciphermark.answers.capacity.path import PathCost
from ciphermark.answers.capacity.suite_costs import SuiteCost, one_size
from ciphermark.answers.protocols import nodes
from ciphermark.answers.protocols.nodes import Node
from ciphermark.answers.protocols.protocols import Protocol
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.ratio import Ratio, is_above, unpaired_ratio
from ciphermark.workloads.single.code_paths import MATTERS

NEAR = 1.1
"""Of what is tied with the cheapest, the best facts decide among what costs less than this."""


class Load(NamedTuple):
    """The traffic that is asked about."""

    traffic: Traffic
    both_ways: bool
    by: By
    profile: str | None
    """Its name in rows, where it is a profile."""
    watts: float | None = None
    """Of one core that is busy."""
    node: Node | None = None
    """Whose simulated processor computes and whose radio sends."""
    protocol: Protocol | None = None
    """Protocol of the node's frames, where the use has one."""

    @property
    def needs_both_ways(self) -> bool:
        return self.both_ways or self.by == "latency"

    def packet(
        self, cost: SuiteCost, *, both_ways: bool | None = None, error: float = USUAL_ERROR
    ) -> PacketCost | None:
        """Returns the cost of a packet, or of one each way; None where no figure is of the mix."""
        ways = self.both_ways if both_ways is None else both_ways
        mixed = self.profile is not None
        return cost.packet(self.traffic.mix, both_ways=ways, mixed=mixed, error=error)

    def packet_ns(self, cost: SuiteCost) -> Estimate:
        """Returns nanoseconds of one core for a packet, or for one each way."""
        found = self.packet(cost)
        assert found is not None, "of a cost that is ranked"
        return found.own

    def knows(self, cost: SuiteCost) -> bool:
        """Returns whether there is a figure for this traffic."""
        return self.packet(cost) is not None

    def assumes_receiving(self, cost: SuiteCost) -> bool:
        """Returns whether both directions are asked about, and only sending was measured."""
        found = self.packet(cost, both_ways=True) if self.needs_both_ways else None
        return found is not None and found.assumes_receiving

    def measure(self, it: Facts, cost: SuiteCost) -> Estimate:
        """What the ranking is by: nanoseconds, or with a power nanojoules; less is better. The
        delay is that of the longest packet, once protected and once taken out again."""
        if self.by == "latency":
            return self.longest_ns(cost)
        energy = self.nanojoules(it, cost) if self.by == "energy" else None
        return self.packet_ns(cost) if energy is None else energy

    def nanojoules(self, it: Facts, cost: SuiteCost, share: float = 1.0) -> Estimate | None:
        """Of a packet, or of a share of it: the core's, and on a node the radio's for the message
        and its tag. None without a power."""
        if self.watts is None:
            return None
        computed = self.packet_ns(cost).times(self.watts)
        if self.node is None:
            return computed.times(share)
        sent = sum(
            part * 1e3 * nodes.radio_uj(self.node, self.frame_bytes(it, length))
            for length, part in self.traffic.sizes
        )
        return computed.mapped(lambda end: end + sent).times(share)

    def frame_bytes(self, it: Facts, payload_bytes: int) -> int:
        """Returns the bytes that a node sends for a payload: its protocol's frame, or the payload
        and a tag."""
        if self.protocol is not None and it.kind == "suite":
            return self.protocol.secured_bytes(payload_bytes)
        return payload_bytes + it.tag_bytes

    def longest_ns(self, cost: SuiteCost) -> Estimate:
        """What protecting and taking out the longest packet adds to its way."""
        longest = one_size(self.traffic.largest_bytes)
        found = cost.packet(longest, both_ways=True, mixed=False)
        found = found or self.packet(cost, both_ways=True)
        assert found is not None, "of a cost that is ranked"
        return found.own


class Ranked(msgspec.Struct, kw_only=True):
    """One candidate by its best implementation."""

    facts: Facts
    cost: SuiteCost
    ns: Estimate
    """By what the ranking is: nanoseconds, or nanojoules."""
    packet_ns: Estimate
    """Of one core, for a packet, or for one each way."""
    others: list[tuple[SuiteCost, Estimate]]
    """Its other implementations, the cheapest first."""
    ratio: Estimate
    """Cost by that of the first."""
    tied: bool
    """No difference: the ratio's interval has 1 in it, or it is below 2 %. Assumed receiving ties
    with none that was measured."""
    cut_source: str = ""
    assumes_receiving: bool = False
    """Whether both directions are asked about and only sending was measured, so that receiving is
    taken to cost as much."""

    @property
    def implementation(self) -> str:
        """`openssl, vaes-avx512`."""
        return f"{self.cost.provider}, {self.cost.backend}"


def ranking(them: Sequence[Candidate], load: Load) -> list[Ranked]:
    """The candidates with a figure, the best first.

    Of those that are tied with the cheapest, the one with the better facts comes first: a tie is
    no reason for the weaker one. Where both directions are asked about, suites of which both were
    measured come before those whose receiving is assumed.
    """
    costed = [it for it in (_costed(candidate, load) for candidate in them) if it is not None]
    costed.sort(key=lambda it: (it.assumes_receiving(load), it.ns.value))
    level = [it for it in costed if _is_level(it, costed[0], load)]
    level.sort(key=lambda it: preference(it.candidate.facts))
    ordered = [*level, *(it for it in costed if it not in level)]
    ranked = [_ranked(it, ordered[0], load) for it in ordered]
    for first in ranked[:1]:
        first.tied = False  # with itself
    return ranked


def cheapest(them: Sequence[Ranked]) -> Ranked:
    """Returns the cheapest, first of those measured in all directions that are asked about."""
    return min(them, key=lambda it: (it.assumes_receiving, it.ns.value))


def same(first: Estimate, second: Estimate) -> bool:
    """Returns whether two costs differ by no more than their intervals, or by less than 2 %."""
    low, high = sorted((first, second), key=lambda it: it.value)
    return high.value < MATTERS * low.value or is_above(_ratio(high, low), 1.0) is None


def is_over(cost: Estimate, other: Estimate) -> bool | None:
    """Whether a whole interval lies above another; None where they overlap, or one is missing."""
    ends, other_ends = cost.interval, other.interval
    if ends is None or other_ends is None:
        return None
    if ends[0] > other_ends[1]:
        return True
    return False if ends[1] <= other_ends[0] else None


def _is_level(it: _Costed, first: _Costed, load: Load) -> bool:
    """Whether two costs are near each other, and equally well measured."""
    alike = it.assumes_receiving(load) is first.assumes_receiving(load)
    return alike and _near(first.ns, it.ns)


def _near(first: Estimate, second: Estimate) -> bool:
    """Whether the better facts may decide: the noise hides the difference, and it is no large one
    that is hidden only because much is unknown."""
    return same(first, second) and second.value < NEAR * first.value


def preference(it: Facts) -> tuple[int, int, bool, int, str]:
    """Of what costs the same: the better status, then what the standard does not forbid, then the
    higher strength, what FIPS approves, the longer tag."""
    return (-it.rank, -it.strength_bits, not it.fips_approved, -it.tag_bytes, it.name)


PREFERENCE = (
    "the better status, then the higher strength, then approval by FIPS, then the longer tag"
)


def quotient(cost: Estimate, by: Estimate) -> Estimate:
    """How many times as much, by the rule of all ratios."""
    return Estimate(*_ratio(cost, by))


def _ratio(cost: Estimate, by: Estimate) -> Ratio:
    return unpaired_ratio(cost, None, by, None)


class _Costed(NamedTuple):
    """A candidate with its implementations, the best first, and what the ranking is by."""

    candidate: Candidate
    costs: list[tuple[SuiteCost, Estimate]]

    @property
    def ns(self) -> Estimate:
        return self.costs[0][1]

    def assumes_receiving(self, load: Load) -> bool:
        """Whether receiving is asked about, and was not measured of the best implementation."""
        return load.assumes_receiving(self.costs[0][0])


def _costed(it: Candidate, load: Load) -> _Costed | None:
    """Returns None without a figure."""
    usable = [cost for cost in it.costs if load.knows(cost)]
    # A library that only sends would else win by what was not measured of it.
    usable = [cost for cost in usable if not load.assumes_receiving(cost)] or usable
    costs = [(cost, load.measure(it.facts, cost)) for cost in usable]
    costs.sort(key=lambda pair: pair[1].value)
    return _Costed(it, costs) if costs else None


def _ranked(it: _Costed, first: _Costed, load: Load) -> Ranked:
    cost, ns = it.costs[0]
    ratio = quotient(ns, first.ns)
    assumed = it.assumes_receiving(load)
    alike = assumed is first.assumes_receiving(load)
    return Ranked(
        facts=it.candidate.facts,
        cost=cost,
        ns=ns,
        packet_ns=load.packet_ns(cost),
        others=it.costs[1:],
        ratio=ratio,
        tied=alike and same(first.ns, ns),
        cut_source=it.candidate.cut_source,
        assumes_receiving=assumed,
    )


class Question(NamedTuple):
    """What is asked."""

    use: Use
    load: Load
    wishes: Wishes
    known: Known
    """The machine, its cores and data paths, and the runs that figures are of."""
    cores: int = 1
    tunnels: int | None = None
    """Number of tunnels, each with a key of its own; None if not given."""
    payload_bits_per_second: float | None = None
    """In each direction that there is, of all tunnels together."""
    link_bits_per_second: float | None = None
    """Of an Ethernet line that is to be full, instead."""
    messages_per_second: float | None = None
    """That an attacker can send; else as many as the rate holds."""
    attempts: float | None = None
    peer: str | None = None
    more: tuple[str, ...] = ()
    """Algorithms that are named besides."""
    only: tuple[str, ...] = ()
    """Suites that are judged alone; all where there are none."""

    @property
    def scenario(self) -> Scenario:
        """Returns the question in the form of `ciphermark capacity`."""
        rate, tunnels = self.payload_bits_per_second, self.tunnels
        return Scenario(
            profile=self.load.traffic.mix,
            cores=self.cores,
            tunnels=tunnels,
            rate_bits_per_second=None if rate is None or tunnels is None else rate / tunnels,
            all_rate_bits_per_second=rate,
            link_bits_per_second=self.link_bits_per_second,
            both_ways=self.load.both_ways,
        )

    def source(self, cost: SuiteCost) -> Source:
        """Returns the run that a cost is of."""
        own = cost.sending[0].candidate.rows[0]
        of_it = (it for it in self.known.sources if any(row is own for row in it.rows))
        return next(of_it, Source(name="", kind="measured", rows=[], algorithms={}))


class Carried(msgspec.Struct, kw_only=True):
    """What a suite carries here, in each direction that there is."""

    bits_per_second: Estimate
    """Of payload, on all cores."""
    packets_per_second: Estimate
    longest_ns: Estimate
    """What protecting and taking out the longest packet takes."""
    rate_bits_per_second: float | None
    """Of payload, as it is asked for or as much as fits on the line; None without a rate."""
    cpu_share: Estimate | None
    """Of one core, at that rate."""
    holds: bool | None
    """True if the cores hold the rate, None if the interval leaves it open."""
    nanojoules_per_byte: Estimate | None
    """With the power of a core; on a node with what its radio takes."""
    fixed_share: float | None
    """Of the cost: what every packet costs, however short."""
    path: PathCost | None = None
    """The data path of a packet, in each direction; None where the figures are of cryptography
    alone."""
    cryptography_share: float = 1.0
    """Of the cost of a packet."""
    key: KeyLife | None = None
    """Seconds for which one key lasts at that rate; None without a known limit."""
    source: str = ""
    """The run that the figures are of, or the prediction."""


def carried(it: Ranked, question: Question) -> Carried:
    """Returns the traffic that one suite carries, as `ciphermark capacity` computes it."""
    load, known = question.load, question.known
    packet = load.packet(it.cost, error=known.parts_error)
    assert packet is not None, "of a cost that is ranked"
    found = Found(packet, question.source(it.cost), suite_of(it.facts.name, known))
    answer = answer_by(it.facts.name, found, question.scenario, known)
    demand, mean = answer.demand, load.traffic.mean_bytes
    bits = answer.carried
    return Carried(
        bits_per_second=bits,
        packets_per_second=bits.times(1 / (8 * mean)),
        longest_ns=load.longest_ns(it.cost),
        rate_bits_per_second=None if demand is None else demand.rate_bits_per_second,
        cpu_share=None if demand is None else demand.cores,
        holds=None if demand is None else demand.enough,
        nanojoules_per_byte=load.nanojoules(it.facts, it.cost, 1 / mean),
        fixed_share=answer.fixed_share,
        path=answer.path,
        cryptography_share=answer.cryptography_share,
        key=answer.key,
        source=found.source.name,
    )
