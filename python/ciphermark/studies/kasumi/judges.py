"""Statements that the thesis's tables and this machine are asked alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product
from statistics import median
from typing import NamedTuple

import numpy as np

from ciphermark.statistics import line
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.quantiles import Floats
from ciphermark.statistics.scaling_law import Undetermined
from ciphermark.studies.evidence import (
    Figure,
    all_of,
    any_of,
    at_all_ends,
    between,
    difference,
    highest_over_lowest,
    is_above,
    is_below,
    is_within,
    opposite,
    percent,
    quotient,
)
from ciphermark.studies.kasumi.evidence import ByCores, Evidence, law
from ciphermark.studies.kasumi.paper import (
    ACCELERATOR,
    BLOCKS_OF,
    BOTH,
    CAPACITY,
    CORES,
    DECRYPT,
    ENCRYPT,
    FAST,
    MANY_BYTES,
    SIZES,
    SMALL,
    SOFTWARE,
    TYPICAL,
    Load,
)
from ciphermark.view import figures
from ciphermark.view.findings import Decision, NotTestable, Open, Verdict

MUCH = 2.0
SEVEN = 7.0
TWICE = 1.8
APART = 0.03
"""Share by which two figures differ that are not called the same."""
SIGNIFICANT = 0.1
"""Share by which figures differ between which the thesis would see a change."""

FIVE = 5
LITTLE = 1.1
ENOUGH = 2
CLOSE = 0.1

CAPACITY_LOAD = (BLOCKS_OF[1], MANY_BYTES)
"""Packets and bytes of Table 16."""


def cycles(value: float) -> str:
    """`57.3 million`, or in full where that is short."""
    size, sign = abs(value), "−" if value < 0 else ""
    shown = f"{figures.significant(size / 1e6)} million" if size >= 1e6 else figures.grouped(size)
    return sign + shown


def rate(bits_per_second: float) -> str:
    """`3.44 Gbit/s`."""
    return f"{figures.significant(bits_per_second / 1e9)} Gbit/s"


def slower(evidence: Evidence) -> Verdict:
    """By actual cycles of both implementations at all loads."""
    ratios = _ratios(evidence)
    verdicts = [is_above(ratio, MUCH) for ratio in ratios.values()]
    said = []
    for size in sorted({load.packet_bytes for load in ratios}):
        loads = [load for load in ratios if load.packet_bytes == size]
        gaps = [_gap(evidence, load) for load in loads]
        verdicts += [is_above(difference(*pair[::-1]), 0.0) for pair in pairwise(gaps)]
        said.append(
            f"{size} bytes, {loads[0].packets} and {loads[-1].packets} packets: "
            f"{cycles(gaps[0].value)} and {cycles(gaps[-1].value)} cycles more, "
            f"{figures.times(ratios[loads[0]].value)} and {figures.times(ratios[loads[-1]].value)}"
        )
    return all_of(verdicts), "; ".join(said)


def seven_times(evidence: Evidence) -> Verdict:
    """By the ratio at all numbers of packets of 40 bytes."""
    small = [ratio for load, ratio in _ratios(evidence).items() if load.packet_bytes == SIZES[0]]
    if not small:
        raise NotTestable(f"there are no packets of {SIZES[0]} bytes in this run")
    return all_of(is_above(ratio, SEVEN) for ratio in small), f"{_between(small)} times"


def per_bit_over_size(evidence: Evidence) -> Verdict:
    """By cycles per bit of the same number of packets of each size."""
    return _of_both(evidence, lambda role: _spread(evidence, role, packets=TYPICAL))


def per_bit_over_packets(evidence: Evidence) -> Verdict:
    """By cycles per bit of all numbers of packets of 40 bytes."""
    return _of_both(evidence, lambda role: _spread(evidence, role, packet_bytes=SIZES[0]))


def alike_small(evidence: Evidence) -> Verdict:
    """By decryption over encryption at all loads of small packets."""
    return _of_both(evidence, lambda role: _alike(evidence, role, SMALL))


def hardware_alike(evidence: Evidence) -> Verdict:
    """The same of the accelerator at 1000 bytes."""
    verdict = _alike(evidence, ACCELERATOR, SIZES[-1:])
    if verdict is None:
        raise evidence.without(ACCELERATOR)
    return verdict


def twice(evidence: Evidence) -> Verdict:
    """By decryption over encryption in software at 1000 bytes."""
    ratios = _decryption(evidence, SOFTWARE, SIZES[-1:])
    if not ratios:
        raise evidence.without(SOFTWARE)
    return all_of(is_above(ratio, TWICE) for ratio in ratios), (
        f"decryption takes {_between(ratios, 5)} times encryption"
    )


def more_packets(evidence: Evidence) -> Verdict:
    """By how the cycles of a packet change from the fewest packets to the most."""
    changes = {role: _changes(evidence, role) for role in (ACCELERATOR, SOFTWARE)}
    said = "; ".join(
        f"{role}: "
        + ", ".join(f"{size} bytes {percent(it.value - 1)}" for size, it in by_size.items())
        for role, by_size in changes.items()
        if by_size
    )
    software, accelerator = changes[SOFTWARE], changes[ACCELERATOR]
    if not software:
        raise evidence.without(SOFTWARE)
    profound = [_is_profound(software)]
    if profound == [False]:
        return False, said
    if not accelerator:
        raise NotTestable(f"{said}; {evidence.without(ACCELERATOR)}")
    profound.append(_is_profound(accelerator))
    more = [
        is_above(difference(_change(software[size]), _change(accelerator[size])), 0.0)
        for size in software
        if size in accelerator
    ]
    return all_of([*profound, *more]), said


def share_falls(evidence: Evidence) -> Verdict:
    """By transfer over processing at each size."""
    return _of_both(evidence, lambda role: _transfer_shares(evidence, role))


def dominate(evidence: Evidence) -> Verdict:
    """By the line through actual cycles over size, and transfer."""
    return _of_both(evidence, lambda role: _overheads(evidence, role))


def falls(evidence: Evidence) -> Verdict:
    """By the cycles with each further core, at all loads."""
    said, verdicts = [], []
    for load, by_cores in _swept(evidence):
        first, *_, last = by_cores
        verdicts += [is_above(quotient(*pair), 1.0) for pair in pairwise(by_cores.values())]
        said.append(
            f"{_load(load)}: {cycles(by_cores[first].value)} cycles on "
            f"{figures.counted(first, 'core')}, {cycles(by_cores[last].value)} on {last}"
        )
    return all_of(verdicts), "; ".join(said)


def beyond_five(evidence: Evidence) -> Verdict:
    """By the cycles on five cores over those on all; the law's extrapolation decides nothing."""
    said, verdicts, guessed = [], [], []
    for load, by_cores in _swept(evidence):
        last = max(by_cores)
        if FIVE in by_cores and last > FIVE:
            gain = quotient(by_cores[FIVE], by_cores[last])
            verdicts.append(is_below(gain, LITTLE))
            said.append(f"{_load(load)}: {figures.times(gain.value)} from {FIVE} to {last}")
        else:
            guessed.append(f"{_load(load)}: {_extrapolated(load, by_cores)}")
    if not verdicts:
        raise NotTestable("too few cores here; " + "; ".join(guessed))
    return all_of(verdicts), "; ".join(said)


def few_cores(evidence: Evidence) -> Verdict:
    """By the fewest cores with the accelerator that are as fast as software on all."""
    load = Load(ACCELERATOR, evidence.operation, BLOCKS_OF[0], MANY_BYTES)
    software = evidence.cores.get(load._replace(role=SOFTWARE), {})
    if load not in evidence.cores or not software:
        raise NotTestable("; ".join([str(evidence.without(ACCELERATOR)), *_alone(evidence)]))
    by_accelerator, most = evidence.cores[load], max(software)
    if most <= ENOUGH:
        raise NotTestable(f"this machine has no more than {figures.counted(most, 'core')}")
    quick = {it: is_above(quotient(software[most], by_accelerator[it]), 1) for it in by_accelerator}
    shown = (
        f"software on {most}: {cycles(software[most].value)} cycles; with the accelerator on "
        + ", ".join(f"{at}: {cycles(it.value)}" for at, it in [*by_accelerator.items()][:4])
    )
    needed = next((at for at, it in by_accelerator.items() if it.value <= software[most].value), 0)
    shown += (
        f": {figures.counted(needed, 'core')} needed"
        if needed
        else (": none of its numbers of cores is enough")
    )
    return any_of(quick[at] for at in quick if at <= ENOUGH), shown


def capacity_printed(evidence: Evidence) -> Verdict:
    """By the printed cycles and the clock."""
    load = Load(ACCELERATOR, BOTH, *CAPACITY_LOAD)
    reached = evidence.rate(load, CORES)
    if reached is None:
        raise evidence.lacks(load)
    took = cycles(evidence.cores[load][CORES].value)
    return is_within(reached.times(1 / CAPACITY), CLOSE), (
        f"{_load(load)} in {took} cycles: {rate(reached.value)}"
    )


def capacity(evidence: Evidence) -> Verdict:
    """By the best rate of any implementation on any number of CPUs."""
    rates = [
        (reached, f"{evidence.names[role]} on {figures.counted(cores, 'CPU')}")
        for role in (ACCELERATOR, FAST, SOFTWARE)
        if (load := evidence.on_cores(role, *CAPACITY_LOAD))
        for cores in evidence.cores[load]
        if (reached := evidence.rate(load, cores))
    ]
    if not rates:
        packets, size = CAPACITY_LOAD
        raise NotTestable(f"{figures.grouped(packets)} packets of {size} bytes have no figure here")
    best, shown = max(rates, key=lambda it: (it[0].value, it[1]))
    return any_of(is_above(it, CAPACITY) for it, _ in rates), f"{rate(best.value)} with {shown}"


class Parts(NamedTuple):
    """Cycles of a packet."""

    transfer: Estimate
    fixed: Estimate
    """a of a + b·n."""
    grown: Estimate
    """b·n."""

    @property
    def overhead(self) -> Estimate:
        """What is not for its bytes."""
        return at_all_ends(sum, (self.transfer, self.fixed))


def parted(evidence: Evidence, role: str) -> dict[int, Parts] | None:
    """An encrypted packet of each size; None where there are fewer than three sizes."""
    loads = evidence.loads(role, ENCRYPT, packets=TYPICAL)
    if len(loads) < 3:
        return None
    sizes = np.array([load.packet_bytes for load in loads], dtype=float)
    fixed, slope = _line(sizes, [evidence.actual(load).times(1 / load.packets) for load in loads])
    return {
        load.packet_bytes: Parts(
            evidence.single[load].transfer.times(1 / load.packets),
            fixed,
            slope.times(load.packet_bytes),
        )
        for load in loads
    }


def _line(sizes: Floats, costs: list[Estimate]) -> tuple[Estimate, Estimate]:
    """Fits a + b·n; the intervals reach over the fits of all ends of the costs."""
    units, nothing = np.array([cost.value for cost in costs]), np.zeros_like(sizes)
    fit = line.fitted(sizes, units, units, nothing)
    if all(cost.half == 0 for cost in costs):  # printed: the line is that of these figures
        return Estimate.exact(fit.a), Estimate.exact(fit.b)
    corners = product(*(cost.interval or () for cost in costs))
    fits = [line.fitted(sizes, np.array(corner), units, nothing) for corner in corners]
    inputs = at_all_ends(sum, costs).inputs
    parts = ([it.fixed for it in fits], [it.slope for it in fits])
    found = [[end for it in part for end in it.interval or ()] for part in parts]
    fixed, slope = (
        Figure(value, min(ends, default=None), max(ends, default=None), inputs)
        for value, ends in zip((fit.a, fit.b), found, strict=True)
    )
    return fixed, slope


def _of_both(evidence: Evidence, ask: Callable[[str], Verdict | None]) -> Verdict:
    """Holds where it does of both implementations; where one is missing the other can refute it
    alone."""
    answers = {role: ask(role) for role in (ACCELERATOR, SOFTWARE)}
    verdicts = {role: answer for role, answer in answers.items() if answer is not None}
    said = "; ".join(f"{role}: {shown}" for role, (_, shown) in verdicts.items())
    holds = all_of(it for it, _ in verdicts.values()) if verdicts else Open()
    if holds is not False and len(verdicts) < len(answers):
        reasons = "; ".join(str(evidence.without(it)) for it in answers if it not in verdicts)
        raise NotTestable(f"{said}; {reasons}" if said else reasons)
    return holds, said


def _between(ratios: Sequence[Estimate], digits: int = 3) -> str:
    return between([ratio.value for ratio in ratios], digits)


def _ratios(evidence: Evidence) -> dict[Load, Figure]:
    """Software over accelerator; else NotTestable."""
    ratios = {
        load: quotient(software, evidence.actual(load))
        for load in evidence.loads(ACCELERATOR, evidence.operation)
        if load.packet_bytes in SIZES
        and (software := evidence.figure(load._replace(role=SOFTWARE)))
    }
    if not ratios:
        raise evidence.without(ACCELERATOR)
    return ratios


def _gap(evidence: Evidence, load: Load) -> Estimate:
    return difference(evidence.actual(load._replace(role=SOFTWARE)), evidence.actual(load))


def _spread(evidence: Evidence, role: str, **fields: int) -> Verdict | None:
    loads = evidence.loads(role, evidence.operation, **fields)
    costs = [cost for load in loads if (cost := evidence.per_bit(load))]
    if len(costs) < 2:
        return None
    most = highest_over_lowest(costs)
    return is_below(most, 1 + SIGNIFICANT), (
        f"{_between(costs)} cycles/bit, {percent(most.value - 1)}"
    )


def _decryption(evidence: Evidence, role: str, sizes: tuple[int, ...]) -> list[Estimate]:
    """Decryption over encryption at all numbers of packets of these sizes."""
    return [
        quotient(evidence.actual(load), encryption)
        for size in sizes
        for load in evidence.loads(role, DECRYPT, packet_bytes=size)
        if (encryption := evidence.figure(load._replace(operation=ENCRYPT)))
    ]


def _alike(evidence: Evidence, role: str, sizes: tuple[int, ...]) -> Verdict | None:
    ratios = _decryption(evidence, role, sizes)
    if not ratios:
        return None
    middle = at_all_ends(median, ratios)
    most = max((ratio.value - 1 for ratio in ratios), key=abs)
    return is_within(middle, APART), (
        f"decryption against encryption {percent(middle.value - 1)} in the median of "
        f"{figures.counted(len(ratios), 'load')}, {percent(most)} at most"
    )


def _changes(evidence: Evidence, role: str) -> dict[int, Figure]:
    """By size how many times a packet's cycles are with the most packets."""
    changes = {}
    for size in SIZES:
        loads = evidence.loads(role, evidence.operation, packet_bytes=size)
        if len(loads) > 1:
            few, *_, many = (evidence.actual(load).times(1 / load.packets) for load in loads)
            changes[size] = quotient(many, few)
    return changes


def _is_profound(changes: dict[int, Figure]) -> Decision:
    return any_of(opposite(is_within(change, SIGNIFICANT)) for change in changes.values())


def _change(ratio: Figure) -> Figure:
    """Returns the distance from 1, to whichever side."""
    distance = abs(ratio.value - 1)
    if ratio.low is None or ratio.high is None:
        return Figure(distance, inputs=ratio.inputs)
    ends = sorted((abs(ratio.low - 1), abs(ratio.high - 1)))
    least = 0.0 if ratio.low < 1 < ratio.high else ends[0]
    return Figure(distance, least, ends[1], ratio.inputs)


def _transfer_shares(evidence: Evidence, role: str) -> Verdict | None:
    shares = {}
    for load in evidence.loads(role, ENCRYPT, packets=TYPICAL):
        ticks = evidence.single[load]
        shares[load.packet_bytes] = quotient(ticks.transfer, ticks.actual)
    if len(shares) < 2:
        return None
    shown = ", ".join(
        f"{size} bytes {figures.percent(it.value / (1 + it.value))}" for size, it in shares.items()
    )
    # The share of the whole falls where the quotient of its parts does.
    return all_of(is_above(quotient(*pair), 1.0) for pair in pairwise(shares.values())), shown


def _overheads(evidence: Evidence, role: str) -> Verdict | None:
    by_size = parted(evidence, role)
    if not by_size:
        return None
    small, large = by_size[min(by_size)], by_size[max(by_size)]
    said = ", ".join(
        f"{size} bytes {figures.grouped(it.transfer.value)} + {figures.grouped(it.fixed.value)} "
        f"against {figures.grouped(it.grown.value)} cycles a packet"
        for size, it in ((min(by_size), small), (max(by_size), large))
    )
    verdicts = (
        is_above(difference(small.overhead, small.grown), 0.0),
        is_above(difference(large.grown, large.overhead), 0.0),
    )
    return all_of(verdicts), said


def _swept(evidence: Evidence) -> list[tuple[Load, ByCores]]:
    """The loads of both implementations that ran on several numbers of cores."""
    swept = [
        (load, by_cores)
        for load, by_cores in evidence.cores.items()
        if load.role in (ACCELERATOR, SOFTWARE)
        and load.packet_bytes == MANY_BYTES
        and len(by_cores) > 1
    ]
    if not swept:
        raise NotTestable("no load ran on more than one number of cores")
    return swept


def _extrapolated(load: Load, by_cores: ByCores) -> str:
    try:
        of_packets = law(load, by_cores)
    except Undetermined as reason:
        return str(reason)
    gain = of_packets.throughput(CORES).value / of_packets.throughput(FIVE).value
    return (
        f"extrapolated from {min(by_cores)} to {max(by_cores)} by Amdahl's law "
        f"{figures.times(gain)} from {FIVE} to {CORES}"
    )


def _alone(evidence: Evidence) -> Iterator[str]:
    """What one core does without an accelerator."""
    for role in (SOFTWARE, FAST):
        reached = evidence.rate(Load(role, BOTH, BLOCKS_OF[0], MANY_BYTES), 1)
        if reached:
            yield f"{evidence.names[role]} on one CPU without it: {rate(reached.value)}"


def _load(load: Load) -> str:
    packets = f"{figures.grouped(load.packets)} packets of {load.packet_bytes} bytes"
    return f"{load.role}, {load.operation}, {packets}"
