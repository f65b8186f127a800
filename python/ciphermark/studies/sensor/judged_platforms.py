"""Statements about processors, each asked of the paper's table and of the simulations alike."""

from __future__ import annotations

from ciphermark.show import figures
from ciphermark.show.findings import NotTestable, Verdict
from ciphermark.studies.sensor import suspects
from ciphermark.studies.sensor.evidence import Costs, Evidence, geometric_mean
from ciphermark.studies.sensor.overheads import Normalised, normalised
from ciphermark.studies.sensor.paper import (
    ATMEGA103,
    AVR,
    IDEA,
    M16C,
    MD5,
    PLATFORMS,
    PXA250_200,
    PXA250_400,
    RC4,
    SA1110,
    SHA1,
    TITLES,
    ULTRASPARC2,
    WORD_BITS,
    XSCALE,
    Cell,
    name,
)
from ciphermark.studies.words import between, percent

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
    missing = [str(evidence.lacks(it)) for it in PLATFORMS if it not in present]
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
        raise evidence.lacks(ATMEGA103)
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
        raise evidence.lacks(M16C)
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
        f"at 200 MHz {percent(mean - 1)} cycles in the mean ({percent(low)} to {percent(high)}); a "
        "miss would cost fewer there"
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
        if reference in evidence.cycles:
            found = normalised(evidence, reference)
            if all(it in found.of for it in needed):
                return found
            raise NotTestable("; ".join(_without_cycles(evidence, it) for it in needed))
    raise evidence.lacks(REFERENCES[-1])


def _without_cycles(evidence: Evidence, platform: str) -> str:
    """Why a platform has none."""
    if evidence.has(platform):
        return f"{name(platform)}: instructions only, no cycles"
    return str(evidence.lacks(platform))


def _of_function(found: Normalised, function: str) -> dict[str, float]:
    return {
        platform: geometric_mean(
            ratio for cell, ratio in by_cell.items() if cell.function == function
        )
        for platform, by_cell in found.of.items()
    }
