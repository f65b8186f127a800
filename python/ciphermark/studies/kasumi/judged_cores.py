"""Statements about several cores, each asked of the thesis's tables and of this machine alike."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ciphermark.show import figures
from ciphermark.show.findings import NotTestable, Verdict
from ciphermark.statistics.scaling_law import Undetermined
from ciphermark.studies.kasumi.evidence import ACCELERATOR, FAST, SOFTWARE, Evidence, Load
from ciphermark.studies.kasumi.extrapolated import law
from ciphermark.studies.kasumi.paper import BLOCKS_OF, BOTH, CAPACITY, CORES, MANY_BYTES
from ciphermark.studies.kasumi.words import cycles, rate

FIVE = 5
LITTLE = 1.1
ENOUGH = 2
CLOSE = 0.1

CAPACITY_LOAD = (BLOCKS_OF[1], MANY_BYTES)
"""Packets and bytes of Table 16."""


def falls(evidence: Evidence) -> Verdict:
    """By the cycles with each further core, at all loads."""
    said, holds = [], True
    for load, by_cores in _swept(evidence):
        first, *_, last = by_cores
        holds = holds and all(one > other for one, other in pairwise(by_cores.values()))
        said.append(
            f"{_load(load)}: {cycles(by_cores[first])} cycles on {figures.counted(first, 'core')}, "
            f"{cycles(by_cores[last])} on {last}"
        )
    return holds, "; ".join(said)


def beyond_five(evidence: Evidence) -> Verdict:
    """By the cycles on five cores over those on all; the law's extrapolation decides nothing."""
    said, gains, guessed = [], [], []
    for load, by_cores in _swept(evidence):
        last = max(by_cores)
        if FIVE in by_cores and last > FIVE:
            gains.append(by_cores[FIVE] / by_cores[last])
            said.append(f"{_load(load)}: {figures.times(gains[-1])} from {FIVE} to {last}")
        else:
            guessed.append(f"{_load(load)}: {_extrapolated(load, by_cores)}")
    if not gains:
        raise NotTestable("too few cores here; " + "; ".join(guessed))
    return max(gains) < LITTLE, "; ".join(said)


def few_cores(evidence: Evidence) -> Verdict:
    """By the fewest cores with the accelerator that are as fast as software on all."""
    load = Load(ACCELERATOR, evidence.operation, BLOCKS_OF[0], MANY_BYTES)
    software = evidence.cores.get(load._replace(role=SOFTWARE), {})
    if load not in evidence.cores or not software:
        raise NotTestable("; ".join([str(evidence.lacks(ACCELERATOR)), *_without(evidence)]))
    by_accelerator, most = evidence.cores[load], max(software)
    if most <= ENOUGH:
        raise NotTestable(f"this machine has no more than {figures.counted(most, 'core')}")
    needed = next((cores for cores, it in by_accelerator.items() if it <= software[most]), None)
    shown = f"software on {most}: {cycles(software[most])} cycles; with the accelerator on " + (
        ", ".join(f"{cores}: {cycles(it)}" for cores, it in [*by_accelerator.items()][:4])
    )
    if needed is None:
        return False, f"{shown}: none of its numbers of cores is enough"
    return needed <= ENOUGH, f"{shown}: {figures.counted(needed, 'core')} needed"


def capacity_printed(evidence: Evidence) -> Verdict:
    """By the printed cycles and the clock."""
    load = Load(ACCELERATOR, BOTH, *CAPACITY_LOAD)
    found = evidence.rate(load, CORES)
    shown = f"{_load(load)} in {cycles(evidence.cores[load][CORES])} cycles: {rate(found)}"
    return abs(found / CAPACITY - 1) <= CLOSE, shown


def capacity_here(evidence: Evidence) -> Verdict:
    """By the best rate of any implementation on any number of CPUs."""
    found = [
        (evidence.rate(load, cores), f"{evidence.names[role]} on {figures.counted(cores, 'CPU')}")
        for role in (ACCELERATOR, FAST, SOFTWARE)
        if (load := evidence.on_cores(role, *CAPACITY_LOAD))
        for cores in evidence.cores[load]
    ]
    known = [(it, shown) for it, shown in found if it]
    if not known:
        packets, size = CAPACITY_LOAD
        raise NotTestable(f"{figures.grouped(packets)} packets of {size} bytes have no figure here")
    best, shown = max(known)
    return best >= CAPACITY, f"{rate(best)} with {shown}"


def _swept(evidence: Evidence) -> list[tuple[Load, dict[int, float]]]:
    """The loads of both implementations that ran on several numbers of cores."""
    found = [
        (load, by_cores)
        for load, by_cores in evidence.cores.items()
        if load.role in (ACCELERATOR, SOFTWARE)
        and load.packet_bytes == MANY_BYTES
        and len(by_cores) > 1
    ]
    if not found:
        raise NotTestable("no load ran on more than one number of cores")
    return found


def _extrapolated(load: Load, by_cores: dict[int, float]) -> str:
    try:
        found = law(load, by_cores)
    except Undetermined as reason:
        return str(reason)
    gain = found.throughput(CORES).value / found.throughput(FIVE).value
    return (
        f"extrapolated from {min(by_cores)} to {max(by_cores)} by Amdahl's law "
        f"{figures.times(gain)} from {FIVE} to {CORES}"
    )


def _without(evidence: Evidence) -> Iterator[str]:
    """What one core does without an accelerator."""
    for role in (SOFTWARE, FAST):
        load = Load(role, BOTH, BLOCKS_OF[0], MANY_BYTES)
        found = evidence.rate(load, 1)
        if found:
            yield f"{evidence.names[role]} on one CPU without it: {rate(found)}"


def _load(load: Load) -> str:
    packets = f"{figures.grouped(load.packets)} packets of {load.packet_bytes} bytes"
    return f"{load.role}, {load.operation}, {packets}"
