"""Statements about one core, each asked of the thesis's tables and of this machine alike."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from statistics import median
from typing import NamedTuple

import numpy as np

from ciphermark.show import figures
from ciphermark.show.findings import NotTestable, Verdict
from ciphermark.statistics import line
from ciphermark.studies.kasumi.evidence import ACCELERATOR, SOFTWARE, Evidence, Load, ratios
from ciphermark.studies.kasumi.paper import DECRYPT, ENCRYPT, SIZES, SMALL, TYPICAL
from ciphermark.studies.kasumi.words import cycles
from ciphermark.studies.words import between, percent

MUCH = 2.0
SEVEN = 7.0
TWICE = 1.8
APART = 0.03
"""Share by which two figures differ that are not called the same."""
SIGNIFICANT = 0.1
"""Share by which figures differ between which the thesis would see a change."""


def slower(evidence: Evidence) -> Verdict:
    """By actual cycles of both implementations at all loads."""
    found = _ratios(evidence)
    said, grows = [], True
    for size in sorted({load.packet_bytes for load in found}):
        loads = [load for load in found if load.packet_bytes == size]
        gaps = [_gap(evidence, load) for load in loads]
        grows = grows and all(one < other for one, other in pairwise(gaps))
        said.append(
            f"{size} bytes, {loads[0].packets} and {loads[-1].packets} packets: "
            f"{cycles(gaps[0])} and {cycles(gaps[-1])} cycles more, "
            f"{figures.times(found[loads[0]])} and {figures.times(found[loads[-1]])}"
        )
    return grows and min(found.values()) >= MUCH, "; ".join(said)


def seven_times(evidence: Evidence) -> Verdict:
    """By the ratio at all numbers of packets of 40 bytes."""
    found = _ratios(evidence)
    small = [ratio for load, ratio in found.items() if load.packet_bytes == SIZES[0]]
    if not small:
        raise NotTestable(f"there are no packets of {SIZES[0]} bytes in this run")
    return min(small) > SEVEN, f"{between(small)} times"


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
    found = _alike(evidence, ACCELERATOR, SIZES[-1:])
    if found is None:
        raise evidence.lacks(ACCELERATOR)
    return found


def twice(evidence: Evidence) -> Verdict:
    """By decryption over encryption in software at 1000 bytes."""
    found = _decryption(evidence, SOFTWARE, SIZES[-1:])
    if not found:
        raise evidence.lacks(SOFTWARE)
    return min(found) >= TWICE, f"decryption takes {between(found, 5)} times encryption"


def more_packets(evidence: Evidence) -> Verdict:
    """By how the cycles of a packet change from the fewest packets to the most."""
    changes = {role: _changes(evidence, role) for role in (ACCELERATOR, SOFTWARE)}
    said = "; ".join(
        f"{role}: " + ", ".join(f"{size} bytes {percent(it)}" for size, it in found.items())
        for role, found in changes.items()
        if found
    )
    software, accelerator = changes[SOFTWARE], changes[ACCELERATOR]
    if not software:
        raise evidence.lacks(SOFTWARE)
    if max(map(abs, software.values())) <= SIGNIFICANT:
        return False, said
    if not accelerator:
        raise NotTestable(f"{said}; {evidence.lacks(ACCELERATOR)}")
    profound = max(map(abs, accelerator.values())) > SIGNIFICANT
    more = all(abs(software[it]) > abs(accelerator[it]) for it in software if it in accelerator)
    return profound and more, said


def share_falls(evidence: Evidence) -> Verdict:
    """By transfer over processing at each size."""
    return _of_both(evidence, lambda role: _transfer_shares(evidence, role))


def dominate(evidence: Evidence) -> Verdict:
    """By the line through actual cycles over size, and transfer."""
    return _of_both(evidence, lambda role: _overheads(evidence, role))


class Parts(NamedTuple):
    """Cycles of a packet."""

    transfer: float
    fixed: float
    """a of a + b·n."""
    grown: float
    """b·n."""

    @property
    def overhead(self) -> float:
        """What is not for its bytes."""
        return self.transfer + self.fixed


def parted(evidence: Evidence, role: str) -> dict[int, Parts] | None:
    """An encrypted packet of each size; None where there are fewer than three sizes."""
    loads = evidence.loads(role, ENCRYPT, packets=TYPICAL)
    if len(loads) < 3:
        return None
    sizes = np.array([load.packet_bytes for load in loads], dtype=float)
    costs = np.array([evidence.actual(load) / load.packets for load in loads])
    fit = line.fitted(sizes, costs, costs, np.zeros_like(costs))
    return {
        load.packet_bytes: Parts(
            evidence.single[load].transfer / load.packets,
            fit.a,
            fit.b * load.packet_bytes,
        )
        for load in loads
    }


def _of_both(evidence: Evidence, ask: Callable[[str], Verdict | None]) -> Verdict:
    """Holds where it does of both implementations; where one is missing the other can refute it
    alone."""
    found = {role: ask(role) for role in (ACCELERATOR, SOFTWARE)}
    said = "; ".join(f"{role}: {it[1]}" for role, it in found.items() if it)
    missing = [role for role, it in found.items() if it is None]
    if any(it and it[0] is False for it in found.values()):
        return False, said
    if missing:
        reasons = "; ".join(str(evidence.lacks(role)) for role in missing)
        raise NotTestable(f"{said}; {reasons}" if said else reasons)
    return True, said


def _ratios(evidence: Evidence) -> dict[Load, float]:
    """Software over accelerator; else NotTestable."""
    every = ratios(evidence, SOFTWARE, ACCELERATOR)
    found = {load: ratio for load, ratio in every.items() if load.packet_bytes in SIZES}
    if not found:
        raise evidence.lacks(ACCELERATOR)
    return found


def _gap(evidence: Evidence, load: Load) -> float:
    return evidence.actual(load._replace(role=SOFTWARE)) - evidence.actual(load)


def _spread(evidence: Evidence, role: str, **fields: int) -> Verdict | None:
    costs = [evidence.per_bit(load) for load in evidence.loads(role, evidence.operation, **fields)]
    if len(costs) < 2:
        return None
    most = max(costs) / min(costs) - 1
    return most <= SIGNIFICANT, f"{between(costs)} cycles/bit, {percent(most)}"


def _decryption(evidence: Evidence, role: str, sizes: tuple[int, ...]) -> list[float]:
    """Decryption over encryption at all numbers of packets of these sizes."""
    pairs = [
        (evidence.actual(load), evidence.actual(load._replace(operation=ENCRYPT)))
        for size in sizes
        for load in evidence.loads(role, DECRYPT, packet_bytes=size)
    ]
    return [one / other for one, other in pairs if one and other]


def _alike(evidence: Evidence, role: str, sizes: tuple[int, ...]) -> Verdict | None:
    found = _decryption(evidence, role, sizes)
    if not found:
        return None
    middle, most = median(found) - 1, max((it - 1 for it in found), key=abs)
    shown = (
        f"decryption against encryption {percent(middle)} in the median of {len(found)} loads, "
        f"{percent(most)} at most"
    )
    return abs(middle) <= APART, shown


def _changes(evidence: Evidence, role: str) -> dict[int, float]:
    """By size the change of a packet's cycles from the fewest to the most packets."""
    found = {}
    for size in SIZES:
        loads = evidence.loads(role, evidence.operation, packet_bytes=size)
        if len(loads) > 1:
            first, *_, last = (evidence.actual(load) / load.packets for load in loads)
            found[size] = last / first - 1
    return found


def _transfer_shares(evidence: Evidence, role: str) -> Verdict | None:
    shares = {}
    for load in evidence.loads(role, ENCRYPT, packets=TYPICAL):
        ticks = evidence.single[load]
        shares[load.packet_bytes] = ticks.transfer / (ticks.transfer + ticks.actual)
    if len(shares) < 2:
        return None
    shown = ", ".join(f"{size} bytes {figures.percent(it)}" for size, it in shares.items())
    return all(one > other for one, other in pairwise(shares.values())), shown


def _overheads(evidence: Evidence, role: str) -> Verdict | None:
    found = parted(evidence, role)
    if not found:
        return None
    small, large = found[min(found)], found[max(found)]
    said = ", ".join(
        f"{size} bytes {figures.grouped(it.transfer)} + {figures.grouped(it.fixed)} against "
        f"{figures.grouped(it.grown)} cycles a packet"
        for size, it in ((min(found), small), (max(found), large))
    )
    return small.overhead > small.grown and large.overhead < large.grown, said
