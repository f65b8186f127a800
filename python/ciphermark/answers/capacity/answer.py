"""What is asked of a machine's capacity, what is known to answer from, and the answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from ciphermark.answers.advice.uses import measured_by_parts, suite_parts
from ciphermark.answers.capacity import bursts as burst_analysis
from ciphermark.answers.capacity import keys
from ciphermark.answers.capacity.bursts import BurstFigures
from ciphermark.answers.capacity.energy import EnergyUse, energy_use
from ciphermark.answers.capacity.framing import DEFAULT_MTU_BYTES, OnWire, on_wire
from ciphermark.answers.capacity.keys import MANY_MORE, KeyLife, more_than
from ciphermark.answers.capacity.packet_cost import (
    USUAL_ERROR,
    Basis,
    Candidate,
    PacketCost,
    assumption,
    candidates,
    is_same,
    is_usual,
    median_hz,
    operations,
    packet_cost,
    together,
)
from ciphermark.answers.capacity.path import PathCost, Paths
from ciphermark.answers.capacity.suite_costs import by_library, from_parts, usual_library
from ciphermark.contract.others import UNKNOWN_MACHINE
from ciphermark.statistics.estimate import Estimate, complete
from ciphermark.view import figures
from ciphermark.workload import workload_of
from ciphermark.workloads.loaded import CoreRate, SpeedUp, speed_up, whole_tunnels

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.plan.profile import Profile
    from ciphermark.record.run import Context, Summary
    from ciphermark.workloads.single.row import Row


class Question(msgspec.Struct, kw_only=True):
    """Rates are of payload, but for that of the link."""

    profile: Profile
    cores: int
    providers: list[str] = []
    """The libraries that may answer; all where none is named."""
    tunnels: int | None = None
    """None: as many as fill the cores."""
    keep_free: float = 0.0
    """Share of each core that is left to others."""
    rate_bits_per_second: float | None = None
    """What each tunnel is to hold."""
    all_rate_bits_per_second: float | None = None
    """What all tunnels are to hold together."""
    link_bits_per_second: float | None = None
    """Of the link, as its maker says it: all bits of Ethernet count."""
    both_ways: bool = False
    """Whether as much comes in as goes out."""
    mtu_bytes: int = DEFAULT_MTU_BYTES
    peak_bits_per_second: float | None = None
    """Peak rate of a bursty tunnel, in place of the profile's."""
    buffer_bytes: float | None = None

    @property
    def asks_of_bursts(self) -> bool:
        """Whether bursts are asked for."""
        return self.peak_bits_per_second is not None or self.buffer_bytes is not None


class Machine(msgspec.Struct, kw_only=True):
    """The machine that is asked about."""

    name: str
    cpus: int | None
    """Logical CPUs; None where nobody knows."""
    physical_cores: int | None
    note: str | None = None
    """What one must know of how its figures came about."""
    cpu: str = ""
    """The processor's own name."""
    origin: Literal["measured", "imported", "simulated", "predicted"] = "measured"

    @property
    def label(self) -> str:
        """Words for the machine of an answer: `pi (imported)`."""
        name = "an unknown machine" if self.name == UNKNOWN_MACHINE else self.name
        return name if self.origin == "measured" else f"{name} ({self.origin})"


class Source(msgspec.Struct, kw_only=True):
    """Figures of one run, or of a prediction."""

    name: str
    """`run 20261122-…`."""
    kind: Literal["measured", "imported", "predicted"]
    rows: Sequence[Row]
    algorithms: Mapping[str, contract.Algorithm]
    """Facts by name."""
    lengths: Mapping[str, Sequence[int]] = {}
    """What each profile of the run stood for."""
    notes: Sequence[str] = ()
    """Sentences that an answer by these figures repeats."""

    error: float = 0.0
    """Error that all of its figures share, half of the 95 % interval: that of the clock, and of
    scaling or predicting."""


BUILD = "@"
"""Separator of a library and its build: `openssl@new`."""


def source_of(context: Context, rows: Sequence[Row], *, with_builds: bool = True) -> Source:
    """Returns the figures of a run, with or without those of builds that it compares.

    All rows get the clock of the whole run: cycles do not feel a clock that drifts between cases.
    """
    facts = None if context.hello is None else context.hello.environment
    hz = median_hz(row for row in rows if is_usual(row))
    measured_here = workload_of(context.workload).measured_here
    return Source(
        name=f"run {context.run}",
        kind="measured" if measured_here else "imported",
        notes=() if measured_here else context.notes[:1],
        rows=[
            msgspec.structs.replace(row, core_hz=hz) if row.core_hz else row
            for row in rows
            if with_builds or BUILD not in row.provider
        ],
        algorithms={it.name: it for it in context.algorithms},
        lengths={it.profile: it.lengths for it in context.plan.cases if it.profile},
        error=0.0 if facts is None else facts.clocks.core_hz_spread + facts.clocks.cycle_residual,
    )


def machine_of(context: Summary) -> Machine:
    """Returns the machine of a run, of which an imported one or a summary has but the name."""
    hello = getattr(context, "hello", None)
    facts = None if hello is None else hello.environment.machine
    workload = workload_of(context.workload)
    return Machine(
        name=context.machine_name,
        cpus=None if facts is None else facts.cpus_online,
        physical_cores=None if facts is None else facts.cores_physical,
        cpu=context.cpu_name,
        origin="measured" if workload.measured_here else "imported",
    )


class Known(msgspec.Struct, kw_only=True):
    """All that there is to answer from, the most trusted first."""

    machine: Machine
    sources: Sequence[Source]
    facts: Mapping[str, contract.Algorithm] = {}
    """Facts by name, of algorithms that the sources need not have."""
    rates: Sequence[CoreRate] = ()
    """Of several cores."""
    parts_error: float
    """Of sums of parts, as a share."""
    paths: Paths = Paths()
    """Data paths of packets; nothing is known of them unless told or measured."""

    @property
    def all_facts(self) -> dict[str, contract.Algorithm]:
        """Facts by name; those of a run are as they were when it was measured.

        An anonymous run has none of their texts, and those of today stand for them.
        """
        found = dict(self.facts)
        for source in reversed(self.sources):
            for name, facts in source.algorithms.items():
                if facts.sources or name not in self.facts:
                    found[name] = facts
        return found


NOTHING = Known(
    machine=Machine(name="", cpus=None, physical_cores=None), sources=(), parts_error=USUAL_ERROR
)
"""Before any run is read."""


FIXED = "fixed cost per packet"
BYTES = "bytes"
CORES = "cores"
"""Where it was not measured which part of a packet's cost is the larger one."""
LINK = "link"
ONE_EACH = "cores: one for each tunnel"
MEMORY = "memory bandwidth"


class Held(msgspec.Struct, kw_only=True):
    """What a rate that each tunnel is to have takes."""

    rate_bits_per_second: float
    cpu_share: Estimate
    """Of one core, for one tunnel; above 1 no core holds it."""
    tunnels: int
    """How many there can be, of those asked about so many as fit."""
    tunnels_low: int
    tunnels_high: int | None
    """None where a packet may cost next to nothing, so that nothing ends it."""
    limit: str
    """What ends it: the cores, one core, or the link."""


class Demand(msgspec.Struct, kw_only=True):
    """The traffic that is asked about, and whether the cores carry it."""

    rate_bits_per_second: float
    """Of payload in each direction, all tunnels together; of a link as much as fits on it."""
    tunnels: int | None
    of_link: bool
    cores: Estimate
    """CPUs that it uses."""
    headroom: Estimate
    """Times the traffic that the cores carry, whatever the link takes."""
    enough: bool | None
    """None where the interval leaves it open."""


class Keys(msgspec.Struct, kw_only=True):
    """What many keys in use cost, of the suite itself or of another one that was measured so."""

    suite: str
    keys: int
    more: float
    """Cost of a packet with so many keys by that with one, less 1."""


class Answer(msgspec.Struct, kw_only=True):
    """What a suite carries of a profile. Rates are of payload, and in each direction."""

    suite: str
    profile: str
    machine: str
    cores: int
    tunnels: int | None
    both_ways: bool
    keep_free: float
    operations: list[str]
    provider: str
    backend: str
    basis: Basis
    source: str
    payload_bits_per_second: float
    low: float
    high: float
    packets_per_second: float
    packets_low: float
    packets_high: float
    mean_packet_bytes: float
    ns_per_packet: Estimate
    """Of one core, all operations, and the data path where that is known."""
    path: PathCost | None = None
    """The data path of a packet, in each direction; None where the figures are of cryptography
    alone."""
    cryptography_share: float = 1.0
    """Of the cost of a packet."""
    wire_bits_per_second: float | None
    """With all headers and what Ethernet adds; None of what has no framing."""
    cores_per_gbit: Estimate
    """Cores for 1 Gbit/s (10^9) of payload."""
    flow: Estimate
    """Payload bits per second of one tunnel, which one core serves."""
    cores_used: float
    """CPUs that this load keeps busy."""
    limit: str
    fixed_share: float | None
    """Of the cost of a packet: what an empty one would cost; None where no sizes were measured."""
    speed_up: SpeedUp
    memory_bits_per_second: float | None
    """The same with packets that come from memory instead of a cache; None where not measured."""
    on_wire: OnWire | None
    held: Held | None
    demand: Demand | None = None
    """What was asked about; None where the question is how much there can be."""
    keys: int = 1
    """Keys that were in use when it was measured."""
    many_keys: Keys | None = None
    """What the keys of many tunnels cost; None where they were not asked about or measured."""
    key: KeyLife | None
    bursts: BurstFigures | None
    energy: EnergyUse | None = None
    """None where no meter was read for what answers."""
    notes: list[str]

    @property
    def carried(self) -> Estimate:
        """Payload bits per second that the cores carry, whatever the link takes."""
        if self.demand is not None:
            return self.demand.headroom.times(self.demand.rate_bits_per_second)
        return Estimate(self.payload_bits_per_second, self.low, self.high)

    @property
    def lacks_keys(self) -> bool:
        """Whether it was measured with so few keys that as many tunnels cost more."""
        return self.tunnels is not None and self.tunnels > MANY_MORE * self.keys


class Unanswered(msgspec.Struct, kw_only=True):
    """A suite of which nothing is known, and what to type."""

    suite: str
    reason: str


MOSTLY = 0.5
"""The share from which on a part of the cost is what limits."""


class Found(NamedTuple):
    """What a suite costs, and by which figures."""

    cost: PacketCost
    source: Source
    suite: contract.Suite | None


class _Rates(NamedTuple):
    """Packets per second."""

    flow: Estimate
    """Of one core, less what is kept free."""
    cpu: Estimate
    """Of all cores that can be used."""
    link: float | None
    """That the link takes."""
    total: Estimate
    """What remains."""


def answer(name: str, question: Question, known: Known) -> Answer | Unanswered:
    """Returns the traffic that a suite, or a plain algorithm, carries."""
    found = suite_cost(name, question, known)
    if found is None:
        return Unanswered(suite=name, reason=_nothing_known(name, question, known))
    return answer_by(name, found, question, known)


def answer_by(name: str, found: Found, question: Question, known: Known) -> Answer:
    """Returns the traffic that a suite carries at this cost of a packet."""
    cost, suite = found.cost, found.suite
    wire = None if suite is None else on_wire(suite, question.profile, question.mtu_bytes)
    used = question.cores if question.tunnels is None else min(question.cores, question.tunnels)
    parts = [] if suite is None else [it for it in (suite.cipher, suite.integrity) if it]
    more = speed_up(used, known.rates, [name, *parts], known.machine.physical_cores)
    ns = cost.ns.wider(found.source.error)
    path = known.paths.of(name, question.profile.mean_bytes)
    alone_ns = ns.value
    if path is not None:
        cost, ns = _with_path(cost, ns, path)
    rates = _rates(ns, more, wire, question)
    payload = 8 * question.profile.mean_bytes
    total, flow = rates.total.times(payload), rates.flow.times(payload)
    low, high = _ends(total)
    packets_low, packets_high = _ends(rates.total)
    each = _each(rates, question)
    key = keys.life(
        keys.limits(name, suite),
        each,
        each * (question.profile.mean_bytes if wire is None else wire.packet_bytes),
        question.tunnels or question.cores,
        cost.setup_ns,
    )
    cores_used = rates.total.value * ns.value * 1e-9 * used / more.factor.value
    held = _held(rates, ns, more, payload, question)
    demand = _demand(rates, ns.times(used / more.factor.value), payload, held, question)
    return Answer(
        suite=name,
        profile=question.profile.name,
        machine=known.machine.name,
        cores=question.cores,
        tunnels=question.tunnels,
        both_ways=question.both_ways,
        keep_free=question.keep_free,
        operations=cost.operations,
        provider=cost.provider,
        backend=cost.backend,
        basis=cost.basis,
        source=found.source.name,
        payload_bits_per_second=total.value,
        low=low,
        high=high,
        packets_per_second=rates.total.value,
        packets_low=packets_low,
        packets_high=packets_high,
        mean_packet_bytes=question.profile.mean_bytes,
        ns_per_packet=ns,
        path=path,
        cryptography_share=min(1.0, alone_ns / ns.value),
        wire_bits_per_second=None if wire is None else 8 * wire.link_bytes * rates.total.value,
        cores_per_gbit=ns.times(1 / payload),
        flow=flow,
        cores_used=cores_used,
        limit=_limit(cost, rates, used, question),
        fixed_share=cost.fixed_share,
        speed_up=more,
        memory_bits_per_second=_from_memory(cost, rates, payload),
        on_wire=wire,
        held=held,
        demand=demand,
        keys=cost.keys,
        many_keys=(many := _many_keys(name, found, question, known)),
        key=key,
        bursts=_bursts(question, each * payload),
        energy=energy_use(
            found.source.rows,
            [name, *parts],
            cost.provider,
            ns,
            question.profile.mean_bytes,
            Estimate.exact(cores_used) if demand is None else demand.cores,
        ),
        notes=[*_of_keys(name, key), *_notes(name, found, more, many, question, known)],
    )


def _with_path(cost: PacketCost, ns: Estimate, path: PathCost) -> tuple[PacketCost, Estimate]:
    """The cost of a packet, and its time on a core, with the data path of each direction."""
    ways = len(cost.operations)
    whole = path.with_suite(ns, ways)
    fixed = cost.fixed_share
    if fixed is not None:
        fixed = path.fixed_share(fixed * ns.value, whole.value, ways)
    streamed = None
    if cost.streamed_ns is not None and not path.has_cryptography:
        streamed = path.with_suite(cost.streamed_ns, ways)
    changed = msgspec.structs.replace(
        cost, ns=path.with_suite(cost.ns, ways), fixed_share=fixed, streamed_ns=streamed
    )
    return changed, whole


def _ends(figure: Estimate) -> tuple[float, float]:
    """Of capacity all has an interval: what was measured without gets one that is assumed."""
    return figure.interval or (figure.value, figure.value)


def suite_cost(name: str, question: Question, known: Known) -> Found | None:
    """Returns the cost by the most trusted source: of the suite itself, else of its parts."""
    suite = suite_of(name, known)
    best = _best(name, known.sources, question)
    if best is not None:
        return Found(*best, suite)
    for source in known.sources:
        rows = [row for row in source.rows if _may_answer(row.provider, question)]
        cost = sum_of_parts(rows, name, suite, question, known.parts_error)
        if cost is not None:
            return Found(cost, source, suite)
    return None


def _best(
    name: str, sources: Sequence[Source], question: Question
) -> tuple[PacketCost, Source] | None:
    """Returns the cost by the first source that has this mix or several sizes, else by the first.

    Its fixed share is that of the first source that has several sizes.
    """
    found = [
        (cost, source)
        for source in sources
        if (cost := whole_cost(name, source, question)) is not None
    ]
    several = [it for it in found if it[0].fixed_share is not None]
    of_mix = (it for it in found if it[0].basis == "profile" or it in several)
    best = next(of_mix, found[0] if found else None)
    if best is not None and several:
        best[0].fixed_share = several[0][0].fixed_share
    return best


def rows_of(known: Known, question: Question) -> list[Row]:
    """Returns the rows of each function, of the source that `suite_cost` takes for it.

    Rows of another mix with the name of the question's are left out.
    """
    having: dict[str, list[Source]] = {}
    for source in known.sources:
        for name in {row.algorithm for row in source.rows}:
            having.setdefault(name, []).append(source)
    one_way = msgspec.structs.replace(question, both_ways=False)
    chosen = {}
    for name, sources in having.items():
        best = None
        if len(sources) > 1:
            best = _best(name, sources, question) or _best(name, sources, one_way)
        chosen[name] = sources[0] if best is None else best[1]
    return [
        row
        for source in known.sources
        for row in source.rows
        if chosen[row.algorithm] is source
        and (row.profile != question.profile.name or is_same(question.profile, source.lengths))
    ]


def sum_of_parts(
    rows: Sequence[Row], name: str, suite: contract.Suite | None, question: Question, error: float
) -> PacketCost | None:
    """Returns the cost of cipher and MAC by the fastest library that has both, with this error."""
    _, cipher, integrity = suite_parts(name)
    framing = None
    if suite is not None:
        cipher, integrity, framing = suite.cipher, suite.integrity, suite.framing
    parts = [cipher, *([integrity] if integrity else [])]
    mix = question.profile
    lengths = list(mix.weighted())
    costs = (
        it.packet(mix, both_ways=question.both_ways, mixed=False, error=error)
        for it in by_library(usual_library(name), from_parts(rows, name, parts, framing, lengths))
    )
    sure = (it for it in costs if it is not None and not it.assumes_receiving)
    return min(sure, key=lambda it: it.ns.value, default=None)


def whole_cost(name: str, source: Source, question: Question) -> PacketCost | None:
    """Returns the cost by the fastest implementation that does all that is needed.

    Where none was measured at everything, it is by the fastest at each. The library of the usual
    tools comes before all others.
    """
    every = candidates(source.rows, name, question.tunnels or 1)
    may = (it for it in every if _may_answer(it.provider, question))
    found = by_library(usual_library(name), may)
    wanted = operations((it for one in found for it in one.operations), question.both_ways)
    if not wanted:
        return None
    best = _cheapest(found, wanted, source, question)
    if best is None and len(wanted) > 1:
        each = complete(_cheapest(found, [it], source, question) for it in wanted)
        best = None if each is None else together(each)
    if best is not None and source.kind != "measured":
        best.basis = source.kind
    return best


def _may_answer(provider: str, question: Question) -> bool:
    return not question.providers or provider in question.providers


def _cheapest(
    found: Sequence[Candidate], wanted: Sequence[str], source: Source, question: Question
) -> PacketCost | None:
    mixed = is_same(question.profile, source.lengths)
    costs = (packet_cost(it, wanted, question.profile, mixed=mixed) for it in found)
    return min(filter(None, costs), key=lambda it: it.ns.value, default=None)


def suite_of(name: str, known: Known) -> contract.Suite | None:
    known_by = (it.algorithms for it in known.sources)
    facts = next((it[name] for it in (*known_by, known.facts) if name in it), None)
    return None if facts is None else facts.suite


def _rates(ns: Estimate, more: SpeedUp, wire: OnWire | None, question: Question) -> _Rates:
    flow = ns.under(Estimate.exact(1e9 * (1 - question.keep_free)))
    cpu = flow.by(more.factor)
    if question.link_bits_per_second is None:
        return _Rates(flow, cpu, None, cpu)
    bytes_ = question.profile.mean_bytes if wire is None else wire.link_bytes
    link = question.link_bits_per_second / (8 * bytes_)
    total = cpu.mapped(lambda end: min(end, link))
    return _Rates(flow, cpu, link, total)


def _each(rates: _Rates, question: Question) -> float:
    """Packets per second of each tunnel: what is asked of it, else its share, one core at most."""
    if question.rate_bits_per_second is not None:
        return question.rate_bits_per_second / (8 * question.profile.mean_bytes)
    tunnels = question.tunnels or question.cores
    return min(rates.flow.value, rates.total.value / tunnels)


def _limit(cost: PacketCost, rates: _Rates, used: int, question: Question) -> str:
    if rates.link is not None and rates.link < rates.cpu.value:
        return LINK
    if used < question.cores:
        return ONE_EACH
    if cost.streamed_ns is not None and cost.ns.value < MOSTLY * cost.streamed_ns.value:
        return MEMORY
    if cost.fixed_share is None:
        return CORES
    return FIXED if cost.fixed_share > MOSTLY else BYTES


def _from_memory(cost: PacketCost, rates: _Rates, payload_bits: float) -> float | None:
    """As if each core had memory to itself, which is the most that can be."""
    if cost.streamed_ns is None:
        return None
    slower = rates.cpu.value * cost.ns.value / cost.streamed_ns.value
    return payload_bits * (slower if rates.link is None else min(slower, rates.link))


def _held(
    rates: _Rates, ns: Estimate, more: SpeedUp, payload_bits: float, question: Question
) -> Held | None:
    rate = question.rate_bits_per_second
    if rate is None:
        return None
    factors = (more.factor.value, *_ends(more.factor))
    flows = (rates.flow.value, *_ends(rates.flow))
    # A tunnel stays on its core, so that each core holds a whole number of them.
    by_cores = [
        math.inf
        if math.isinf(flow)
        else math.floor(factor * whole_tunnels(payload_bits * flow, rate))
        for flow, factor in zip(flows, factors, strict=True)
    ]
    by_link = math.inf if rates.link is None else whole_tunnels(payload_bits * rates.link, rate)
    held, least, most = (min(it, by_link) for it in by_cores)
    limit = LINK if by_link < by_cores[0] else "one core" if by_cores[0] == 0 else "cores"
    return Held(
        rate_bits_per_second=rate,
        cpu_share=ns.times(rate / payload_bits * 1e-9),
        tunnels=int(held),
        tunnels_low=int(least),
        tunnels_high=None if math.isinf(most) else int(most),
        limit=limit,
    )


def _demand(
    rates: _Rates,
    busy_ns: Estimate,
    payload_bits: float,
    held: Held | None,
    question: Question,
) -> Demand | None:
    """`busy_ns` are nanoseconds of CPU for a packet, by all cores together."""
    tunnels, each = question.tunnels, question.rate_bits_per_second
    rate = question.all_rate_bits_per_second
    if rate is None and tunnels is not None and each is not None:
        rate = tunnels * each
    of_link = rate is None and each is None and rates.link is not None
    if of_link:
        assert rates.link is not None
        rate = payload_bits * rates.link
    if rate is None:
        return None
    packets = rate / payload_bits
    low, high = _ends(rates.cpu)
    enough = _reaches(low, high, packets)
    if held is not None and tunnels is not None:
        # A tunnel stays on its core, and the link may end it.
        most = math.inf if held.tunnels_high is None else held.tunnels_high
        enough = _reaches(held.tunnels_low, most, tunnels)
    elif rates.link is not None and not of_link and rates.link < packets:
        enough = False
    return Demand(
        rate_bits_per_second=rate,
        tunnels=tunnels,
        of_link=of_link,
        cores=busy_ns.times(packets * 1e-9),
        headroom=rates.cpu.times(1 / packets),
        enough=enough,
    )


def _reaches(low: float, high: float, wanted: float) -> bool | None:
    low, high = sorted((low, high))
    if low >= wanted:
        return True
    return False if high < wanted else None


def _many_keys(name: str, found: Found, question: Question, known: Known) -> Keys | None:
    """How much more a packet costs with many keys in use than with one: of this suite, else of the
    first that was measured with both. Both are of one source."""
    if question.tunnels is None or question.tunnels <= MANY_MORE:
        return None
    one = msgspec.structs.replace(question, tunnels=None)
    for source in (found.source, *known.sources):
        several = {row.algorithm for row in source.rows if row.keys > MANY_MORE}
        for suite in sorted(several, key=lambda it: it != name):
            many = whole_cost(suite, source, question)
            few = whole_cost(suite, source, one)
            if many is None or few is None or many.keys <= MANY_MORE or few.keys != 1:
                continue
            if many.provider == few.provider:
                more = many.ns.value / few.ns.value - 1
                return Keys(suite=suite, keys=many.keys, more=more)
    return None


def _bursts(question: Question, served_bits_per_second: float) -> BurstFigures | None:
    if not question.asks_of_bursts or question.profile.bursts is None:
        return None
    bursts = question.profile.bursts
    if question.peak_bits_per_second is not None:
        bursts = bursts.at_peak(question.peak_bits_per_second)
    return burst_analysis.figures(bursts, served_bits_per_second, question.buffer_bytes)


def _of_keys(name: str, key: keys.KeyLife | None) -> Iterator[str]:
    if key is not None and key.hurried:
        yield (
            f"one key of {name} lasts {key.seconds:.2g} s at this rate ({key.limit.source}), "
            "less than a key exchange needs: use another suite, or less traffic in one tunnel"
        )


def _notes(
    suite: str,
    found: Found,
    more: SpeedUp,
    many: Keys | None,
    question: Question,
    known: Known,
) -> Iterator[str]:
    """What one must know to judge the answer, a sentence each."""
    cost = found.cost
    yield from _of_the_cost(suite, found, known, question.profile.name)
    if known.machine.note:
        yield known.machine.note
    if known.machine.cpus is not None and question.cores > known.machine.cpus:
        here = f"{known.machine.name} has {known.machine.cpus} CPUs"
        yield f"{here}, and --cores asks for {question.cores}"
    if more.basis == "assumed":
        yield "cores are assumed not to disturb each other; measure with: ciphermark sessions"
    elif more.basis == "extrapolated":
        yield (
            f"{more.cores} cores are extrapolated from the {more.largest_measured} that were "
            "measured; measure them with: ciphermark sessions"
        )
    if question.tunnels is not None:
        yield from _of_many_keys(suite, cost, many, question.tunnels)
    if cost.streamed_ns is None:
        yield "packets are assumed to be in a cache; the cost of memory was not measured"


def _of_many_keys(suite: str, cost: PacketCost, many: Keys | None, tunnels: int) -> Iterator[str]:
    """The cost of finding the key of one of many tunnels, and whether the figures have it."""
    lacks_keys = tunnels > MANY_MORE * cost.keys
    measured = f"measured with {figures.counted(cost.keys, 'key')} in use"
    if many is None and lacks_keys:
        yield (
            f"{measured}; the cost of finding the key of one of {tunnels} tunnels is not in the "
            f"figures: measure it with ciphermark esp --keys 1,{tunnels}"
        )
    elif many is not None and lacks_keys:
        yield (
            f"{suite}: {measured}; with {figures.grouped(many.keys)} a packet of {many.suite} "
            f"costs {more_than(many.more, 'with one')}, which these figures leave out"
        )
    elif many is not None:
        yield f"{measured}: a packet of {suite} costs {more_than(many.more, 'with one')}"


def _of_the_cost(suite: str, found: Found, known: Known, profile: str) -> Iterator[str]:
    cost, source = found.cost, found.source
    if cost.basis == "parts":
        apart = "cipher and MAC, which were measured separately"
        protocol, _, integrity = suite_parts(suite)
        if integrity is None:
            apart = "its cipher, without the protocol's own work"
        hint = f"; measure the whole suite with: ciphermark esp --suites {protocol}"
        yield (
            f"estimated from {apart}: the error is at most {100 * known.parts_error:.0f} % in 95 "
            f"of 100 cases{'' if protocol in measured_by_parts() else hint}"
        )
    imported = source.kind == "imported"
    if imported or (cost.assumed and cost.basis != "predicted"):
        yield assumption("ciphermark esp", imported=imported)
    yield from source.notes
    if cost.beyond:
        yield (
            "the profile has packets outside the measured sizes: measure it with ciphermark esp "
            f"--profile {profile}"
        )


def measuring(name: str) -> str:
    """Returns the command that measures a suite or a plain algorithm."""
    by_parts = measured_by_parts().get(name.partition(":")[0])
    if by_parts is not None:
        return by_parts
    return f"ciphermark {'esp --suites' if ':' in name else 'survey --algorithms'} {name}"


def _nothing_known(name: str, question: Question, known: Known) -> str:
    both = " and ".join(_both(name, known)) if question.both_ways else ""
    asked = f" for both directions ({both})" if both else ""
    runs = ", ".join(it.name for it in known.sources[:3]) or "no run"
    library = f" with {' or '.join(question.providers)}" if question.providers else ""
    rows = [it for source in known.sources for it in source.rows if it.algorithm == name]
    if (at_once := min((it.lanes for it in rows), default=1)) > 1:
        return (
            f"figures of {name} ({runs}) are rates of {at_once} messages at once, by processes or "
            f"lanes, from which no cost of one core follows: {measuring(name)}"
        )
    return (
        f"{name} was not measured{library}{asked} at sizes that cover {question.profile.name} "
        f"({runs}): {measuring(name)}"
    )


def _both(name: str, known: Known) -> Sequence[str]:
    """Operations of the algorithm that are there, of which one may be missing."""
    there = {it.operation for source in known.sources for it in source.rows if it.algorithm == name}
    return sorted(there - {"setup"})
