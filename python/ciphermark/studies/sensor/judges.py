"""Statements about functions and processors, asked of the paper's table and of simulations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from ciphermark.studies.evidence import between, geometric_mean, percent
from ciphermark.studies.sensor import suspects
from ciphermark.studies.sensor.evidence import Costs, Evidence, Normalised, normalised
from ciphermark.studies.sensor.paper import (
    ATMEGA103,
    AVR,
    CIPHERS,
    HASHES,
    IDEA,
    M16C,
    MD5,
    PLATFORMS,
    PXA250_200,
    PXA250_400,
    RC4,
    RC5,
    SA1110,
    SHA1,
    TITLES,
    ULTRASPARC2,
    WORD_BITS,
    XSCALE,
    Cell,
    cells,
    name,
)
from ciphermark.view import figures
from ciphermark.view.findings import NotTestable, Verdict

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
ONE_BLOCK = [it for it in HASHED if it.blocks == 1]


def rc4_ahead(evidence: Evidence) -> Verdict:
    """By encryption of 16 bytes on each processor of 8 and 16 bits."""
    said, missing = [], []
    for platform in (*AVR, M16C):
        if not evidence.has(platform):
            missing.append(str(evidence.without(platform)))
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
    pairs = [(sha1, md5) for sha1, md5 in product(_of(SHA1), _of(MD5)) if sha1.blocks == md5.blocks]
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
        raise NotTestable("no two lengths with the same number of blocks in this run")
    most = max(worst, key=worst.__getitem__)
    beyond = [it for it in worst.values() if it > SAME]
    shown = (
        f"{len(beyond)} of {len(worst)} comparisons differ by more; the largest by "
        f"{figures.percent(worst[most])}"
    )
    return not beyond, f"{shown}: {most}"


def _alike() -> Iterator[tuple[int, list[Cell]]]:
    """Rows of a hash with as many blocks, by their number."""
    for function, count in product(HASHES, (1, 2)):
        alike = [it for it in _of(function) if it.blocks == count]
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


SIMILAR = 1.25
TWICE = (1.6, 2.5)
"""Two and 1.25 times more or less."""
CLOSE = (0.5, 2.0)
HALF = 0.5
NEGLIGIBLE = 0.05
"""Share of cycles that the speed of memory may change."""
REFERENCES = (ULTRASPARC2, SA1110)
"""The paper's, and one that has cycles wherever the paper's has none."""


def three_classes(evidence: Evidence) -> Verdict:
    """By the geometric mean of rows of each processor."""
    present = evidence.present()
    costs = evidence.costs(present)
    rows = _common(costs)
    means = _means(costs, rows)
    doubted = {it.cell for it in suspects.suspects()}
    sound = _means(costs, [it for it in rows if it not in doubted])
    classes = [means[bits] for bits in sorted(means)]
    ordered = all(min(one) > max(other) for one, other in zip(classes, classes[1:], strict=False))
    shown = f"{_classes(means)} {costs.unit}; without the rows of suspect cells {_classes(sound)}"
    missing = [str(evidence.without(it)) for it in PLATFORMS if it not in present]
    if ordered and len(means) < len(WORD_BITS):
        raise NotTestable("; ".join([shown, *missing]))
    return ordered, shown


def arms_alike(evidence: Evidence) -> Verdict:
    """By the cycles of the SA-1110 over the XScale's."""
    costs = evidence.in_cycles([SA1110, *XSCALE])
    means = [geometric_mean(costs.ratios(SA1110, it).values()) for it in XSCALE]
    alike = all(1 / SIMILAR <= it <= SIMILAR for it in means)
    shown = " and ".join(
        f"{figures.times(mean)} of the XScale's at {evidence.clock_mhz[it]:g} MHz"
        for it, mean in zip(XSCALE, means, strict=True)
    )
    return alike, f"the SA-1110 takes {shown}"


def twice(evidence: Evidence) -> Verdict:
    """By all pairs of a small processor and an ARM."""
    small = [it for it in (*AVR, M16C) if it in evidence.cycles]
    costs = evidence.in_cycles([*small, SA1110, *XSCALE])
    means = {
        one: geometric_mean(
            ratio for other in (SA1110, *XSCALE) for ratio in costs.ratios(one, other).values()
        )
        for one in small
    }
    mean = geometric_mean(means.values())
    each = ", ".join(f"{name(it)} {figures.times(value)}" for it, value in means.items())
    shown = f"{figures.times(mean)} ({each})"
    if not TWICE[0] <= mean <= TWICE[1]:
        return False, shown
    if M16C not in small:
        raise NotTestable(f"{shown}; {_without_cycles(evidence, M16C)}")
    return True, shown


def sparc_ahead(evidence: Evidence) -> Verdict:
    """By the rows in which it takes the least time and the least cycles."""
    present = evidence.present()
    costs = evidence.in_cycles(dict.fromkeys([*present, ULTRASPARC2]))
    times = evidence.times(present)
    rows = _common(costs)
    shares = [
        sum(min(of, key=lambda it: of[it][row]) == ULTRASPARC2 for row in rows)
        for of in (times, costs.of)
    ]
    shown = f"least time in {shares[0]} and least cycles in {shares[1]} of {len(rows)} rows"
    return min(shares) > HALF * len(rows), shown


def xscale_and_sparc(evidence: Evidence) -> Verdict:
    """By the cycles of SHA-1's and IDEA's rows."""
    costs = evidence.in_cycles([*XSCALE, ULTRASPARC2])
    found = {
        f"{cell}": [costs.ratios(it, ULTRASPARC2)[cell] for it in XSCALE]
        for cell in _common(costs)
        if cell.function == SHA1 or (cell.function == IDEA and "init" not in cell.action)
    }
    ahead = [max(ratios) < 1 for ratios in found.values()]
    each = ", ".join(f"{cell} {between(ratios)}" for cell, ratios in found.items())
    return all(ahead), f"XScale over SPARC: {each}"


def slowest(evidence: Evidence) -> Verdict:
    """By the time of every row."""
    timed = [it for it in PLATFORMS if it in evidence.cycles]
    times = evidence.times(timed) if timed else {}
    if ATMEGA103 not in times:
        raise evidence.without(ATMEGA103)
    longer = [
        f"{cell} on {name(it)}: {figures.grouped(by_cell[cell])} against {figures.grouped(time)} µs"
        for cell, time in times[ATMEGA103].items()
        for it, by_cell in times.items()
        if by_cell.get(cell, 0.0) > time
    ]
    shown = f"slowest of {len(times)} processors in all {len(times[ATMEGA103])} rows"
    return not longer, "; ".join(longer) or shown


def close(evidence: Evidence) -> Verdict:
    """By the share of normalised overheads near the reference's."""
    found = _normalised(evidence)
    every = [ratio for by_cell in found.of.values() for ratio in by_cell.values()]
    near = sum(CLOSE[0] <= it <= CLOSE[1] for it in every)
    return near > HALF * len(every), (
        f"{near} of {len(every)} within; all {between([min(every), max(every)])} of "
        f"{name(found.reference)}"
    )


def avr_lowest(evidence: Evidence) -> Verdict:
    """By the mean of each function's rows."""
    found = _normalised(evidence)
    lowest = {}
    for function in (MD5, IDEA, RC4):
        means = _of_function(found, function)
        lowest[function] = min(means, key=means.__getitem__)
    each = ", ".join(
        f"{TITLES[function]} {name(it)} ({figures.significant(_of_function(found, function)[it])})"
        for function, it in lowest.items()
    )
    return {*lowest.values()} <= {*AVR}, f"lowest, {name(found.reference)} = 1: {each}"


def m16c_and_sha1(evidence: Evidence) -> Verdict:
    """By the mean of SHA-1's rows."""
    if not evidence.has(M16C):
        raise evidence.without(M16C)
    found = _normalised(evidence, M16C)
    means = _of_function(found, SHA1)
    each = ", ".join(f"{name(it)} {figures.significant(mean)}" for it, mean in means.items())
    return max(means, key=means.__getitem__) == M16C, f"{name(found.reference)} = 1: {each}"


def clocks(evidence: Evidence) -> Verdict:
    """By the cycles of the XScale at its lower clock over those at the higher."""
    ratios = evidence.in_cycles(XSCALE).ratios(PXA250_200, PXA250_400)
    mean = geometric_mean(ratios.values())
    low, high = min(ratios.values()) - 1, max(ratios.values()) - 1
    shown = (
        f"at 200 MHz {percent(mean - 1)} cycles in the mean ({percent(low)} to {percent(high)}); "
        "a cache miss would cost fewer cycles there"
    )
    return abs(mean - 1) <= NEGLIGIBLE, shown


def _common(costs: Costs) -> list[Cell]:
    """The rows that all platforms have."""
    first, *others = costs.of.values()
    return [cell for cell in first if all(cell in it for it in others)]


def _means(costs: Costs, rows: list[Cell]) -> dict[int, list[float]]:
    """The mean of the rows of each processor, by word size."""
    return {
        bits: found
        for bits, platforms in WORD_BITS.items()
        if (
            found := [
                geometric_mean(costs.of[it][cell] for cell in rows)
                for it in platforms
                if it in costs.of
            ]
        )
    }


def _classes(means: dict[int, list[float]]) -> str:
    return ", ".join(f"{bits} bits {between(it)}" for bits, it in means.items())


def _normalised(evidence: Evidence, *needed: str) -> Normalised:
    """Against the paper's reference, or where that has no cycles against one that has."""
    for reference in REFERENCES:
        found = normalised(evidence, reference) if reference in evidence.cycles else None
        if found:
            if all(it in found.of for it in needed):
                return found
            raise NotTestable("; ".join(_without_cycles(evidence, it) for it in needed))
    raise evidence.without(REFERENCES[-1])


def _without_cycles(evidence: Evidence, platform: str) -> str:
    """Why a platform has none."""
    if evidence.has(platform):
        return f"{name(platform)}: instructions only, no cycles"
    return str(evidence.without(platform))


def _of_function(found: Normalised, function: str) -> dict[str, float]:
    return {
        platform: geometric_mean(
            ratio for cell, ratio in by_cell.items() if cell.function == function
        )
        for platform, by_cell in found.of.items()
    }
