"""Statements about functions, each asked of the paper's table and of the simulations alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from ciphermark.show import figures
from ciphermark.show.findings import NotTestable, Verdict
from ciphermark.studies.sensor.evidence import Evidence, geometric_mean
from ciphermark.studies.sensor.paper import (
    ATMEGA103,
    AVR,
    CIPHERS,
    HASHES,
    IDEA,
    M16C,
    MD5,
    RC4,
    RC5,
    SA1110,
    SHA1,
    Cell,
    hash_blocks,
    name,
)
from ciphermark.studies.sensor.printed import cells

THREE = (2.4, 3.75)
ONE_AND_A_HALF = (1.2, 1.875)
"""A number and 1.25 times more or less."""
FASTER = 1.1
HALVED = 1.8
SEVERAL = 3.0
TENFOLD = (7.0, 14.0)
"""Ten and 1.4 times more or less."""
SAME = 0.05


def cell(function: str, action: str) -> Cell:
    """The row of a cipher."""
    return next(it for it in cells() if (it.function, it.action) == (function, action))


RC4_ENCRYPT, RC5_ENCRYPT = cell(RC4, "encrypt"), cell(RC5, "encrypt")
IDEA_ENCRYPT = cell(IDEA, "encrypt")
PREPARED = [
    (cell(RC5, "init"), RC5_ENCRYPT),
    (cell(IDEA, "init-encrypt"), IDEA_ENCRYPT),
    (cell(IDEA, "init-decrypt"), cell(IDEA, "decrypt")),
    (cell(RC4, "init"), RC4_ENCRYPT),
]
"""Each initialisation with what it is for."""
ENCRYPTED = [cell(it, "encrypt") for it in CIPHERS]
HASHED = [it for it in cells() if it.function in HASHES]
ONE_BLOCK = [it for it in HASHED if hash_blocks(it.work.message_bytes) == 1]


def rc4_ahead(evidence: Evidence) -> Verdict:
    """By encryption of 16 bytes on each processor of 8 and 16 bits."""
    said, missing = [], []
    for platform in (*AVR, M16C):
        if not evidence.has(platform):
            missing.append(str(evidence.lacks(platform)))
            continue
        ratio = _ratio(evidence, platform, RC5_ENCRYPT, RC4_ENCRYPT)
        said.append(
            f"{name(platform)}: RC5 takes {figures.times(ratio)}"
            f"{_without_copy(evidence, platform, lambda rc4, rc5: rc5 / rc4)}"
        )
        if ratio <= 1:
            return False, said[-1]
    if missing:
        raise NotTestable("; ".join([*said, *missing]))
    return True, "; ".join(said)


def rc5_on_strongarm(evidence: Evidence) -> Verdict:
    """By encryption of 16 bytes."""
    ratio = _ratio(evidence, SA1110, RC4_ENCRYPT, RC5_ENCRYPT)
    beside = _without_copy(evidence, SA1110, lambda rc4, rc5: rc4 / rc5)
    return _between(ratio, THREE), f"RC4 takes {figures.times(ratio)} RC5's cycles{beside}"


def md5_ahead(evidence: Evidence) -> Verdict:
    """By all pairs of rows of as many blocks."""
    pairs = [
        (sha1, md5)
        for sha1, md5 in product(_of(SHA1), _of(MD5))
        if hash_blocks(sha1.work.message_bytes) == hash_blocks(md5.work.message_bytes)
    ]
    return _everywhere(evidence, pairs, FASTER, "SHA-1 over MD5")


def rc5_and_idea(evidence: Evidence) -> Verdict:
    """By encryption of 16 bytes on the ATmega103."""
    ratio = _ratio(evidence, ATMEGA103, IDEA_ENCRYPT, RC5_ENCRYPT)
    return _between(ratio, ONE_AND_A_HALF), f"IDEA takes {figures.times(ratio)} RC5's cycles"


def rc5_ahead(evidence: Evidence) -> Verdict:
    """By encryption of 16 bytes on every processor."""
    return _everywhere(evidence, [(IDEA_ENCRYPT, RC5_ENCRYPT)], 1.0, "IDEA over RC5")


def multiplier(evidence: Evidence) -> Verdict:
    """By encryption of 16 bytes on both ATmegas."""
    costs = evidence.in_cycles(AVR)
    without, with_it = (costs.at(it, IDEA_ENCRYPT) for it in AVR)
    ratio = without / with_it
    shown = f"{figures.grouped(without)} against {figures.grouped(with_it)} cycles"
    return ratio >= HALVED, f"{shown}, {figures.times(ratio)}"


def several_times(evidence: Evidence) -> Verdict:
    """By one block of both hashes over 16 bytes of each cipher."""
    means = {it: geometric_mean(_hashed(evidence, it)) for it in evidence.present()}
    shown = ", ".join(f"{name(it)} {figures.times(mean)}" for it, mean in means.items())
    return min(means.values()) >= SEVERAL, shown


def tenfold(evidence: Evidence) -> Verdict:
    """By the mean of the same over all processors."""
    every = [ratio for it in evidence.present() for ratio in _hashed(evidence, it)]
    mean = geometric_mean(every)
    shown = (
        f"{figures.times(mean)} in the mean, {figures.times(min(every))} to "
        f"{figures.times(max(every))}"
    )
    return _between(mean, TENFOLD), shown


def initialisation(evidence: Evidence) -> Verdict:
    """By each initialisation over 16 bytes of what it is for."""
    return _everywhere(evidence, PREPARED, 1.0, "init over 16 bytes")


def same_lengths(evidence: Evidence) -> Verdict:
    """By the least and the most of rows of as many blocks."""
    worst: dict[str, float] = {}
    for platform in evidence.present():
        cost = _costs(evidence, platform)
        worst |= {
            f"{name(platform)} {alike[0].names[0]}, {figures.counted(count, 'block')}": apart
            for count, alike in _alike()
            if (apart := _apart([cost[it] for it in alike if it in cost])) is not None
        }
    if not worst:
        raise NotTestable("no two lengths of as many blocks in this run")
    most = max(worst, key=worst.__getitem__)
    beyond = [it for it in worst.values() if it > SAME]
    shown = (
        f"{len(beyond)} of {len(worst)} differ by more; the most, {figures.percent(worst[most])}"
    )
    return not beyond, f"{shown}: {most}"


def _alike() -> Iterator[tuple[int, list[Cell]]]:
    """Rows of a hash with as many blocks, by their number."""
    for function, count in product(HASHES, (1, 2)):
        alike = [it for it in _of(function) if hash_blocks(it.work.message_bytes) == count]
        if len(alike) > 1:
            yield count, alike


def _apart(costs: Sequence[float]) -> float | None:
    return max(costs) / min(costs) - 1 if len(costs) > 1 else None


def _everywhere(
    evidence: Evidence, pairs: Sequence[tuple[Cell, Cell]], limit: float, what: str
) -> Verdict:
    """Whether one row costs at least so many times the other in all pairs on all processors."""
    found = {
        f"{over} on {name(platform)}": costs[over] / costs[under]
        for platform in evidence.present()
        for costs in [_costs(evidence, platform)]
        for over, under in pairs
        if over in costs and under in costs
    }
    if not found:
        raise NotTestable("no figures of both in this run")
    least = min(found, key=found.__getitem__)
    below = [it for it in found.values() if it < limit]
    shown = (
        f"{what}: {figures.times(found[least])} ({least}) to {figures.times(max(found.values()))}"
    )
    return not below, f"{shown}; {len(below)} of {len(found)} below {limit:g}" if below else shown


def _hashed(evidence: Evidence, platform: str) -> list[float]:
    """One block of each hash over encryption of 16 bytes by each cipher."""
    costs = _costs(evidence, platform)
    hashed = [costs[cell] for cell in ONE_BLOCK if cell in costs]
    encrypted = [costs[cell] for cell in ENCRYPTED if cell in costs]
    return [one / other for one, other in product(hashed, encrypted)]


def _without_copy(evidence: Evidence, platform: str, ratio: Callable[[float, float], float]) -> str:
    """The ratio of a running keystream: here a text begins with a copy of RC4's keyed state."""
    if platform not in evidence.further_rc4:
        return ""
    rc5 = evidence.costs([platform]).at(platform, RC5_ENCRYPT)
    shown = figures.times(ratio(evidence.further_rc4[platform], rc5))
    return f" ({shown} without the copy of RC4's state)"


def _ratio(evidence: Evidence, platform: str, over: Cell, under: Cell) -> float:
    costs = evidence.costs([platform])
    return costs.at(platform, over) / costs.at(platform, under)


def _costs(evidence: Evidence, platform: str) -> dict[Cell, float]:
    """On one processor all figures are of one kind."""
    return evidence.costs([platform]).of[platform]


def _of(function: str) -> list[Cell]:
    return [it for it in HASHED if it.function == function]


def _between(ratio: float, limits: tuple[float, float]) -> bool:
    return limits[0] <= ratio <= limits[1]
