"""Statements about the order of the functions (figures 4–7)."""

from __future__ import annotations

from collections.abc import Iterable

from scipy import stats

from ciphermark.show import figures
from ciphermark.show.findings import NotTestable, Verdict
from ciphermark.studies.mac_sessions.builds import BUILDS, FULL, PLAIN, SIMD, Build
from ciphermark.studies.mac_sessions.by_size import leaders
from ciphermark.studies.mac_sessions.found import APART, Found
from ciphermark.studies.mac_sessions.paper import (
    FUNCTIONS,
    LARGEST,
    MD5,
    RIJNDAEL,
    SERPENT,
    SHA1,
    SHA256,
    SHA512,
    VMACS,
    Function,
)

LEAST_CORRELATION = 0.9
LEAST_GAIN = 1.1
FEWEST = 5
"""Functions of which an order is compared."""


def alike_across_machines(found: Found) -> Verdict:
    """One run is of one machine."""
    return None, (
        f"this run is of one machine ({found.context.cpu_name}): measure the study on others and "
        "put the tables beside each other"
    )


def alike_across_cores(found: Found) -> Verdict:
    """By the rank correlation of the functions' costs at each size that both have."""
    measured, correlations = found.measured, {}
    for size in measured.sizes:
        pairs = [
            (alone.absolute_cycles_per_byte, loaded.absolute_cycles_per_byte)
            for function in FUNCTIONS
            if (alone := measured.alone(function, size))
            and (loaded := measured.row(function, size))
        ]
        if len(pairs) >= FEWEST:
            correlations[size] = float(stats.spearmanr(*zip(*pairs, strict=True)).statistic)
    if not correlations:
        raise NotTestable("no size was measured both alone and with 100 sessions")
    shown = ", ".join(f"{figures.message_size(at)} {it:.3f}" for at, it in correlations.items())
    return min(correlations.values()) >= LEAST_CORRELATION, f"rank correlation: {shown}"


def changes_with_size(found: Found) -> Verdict:
    """By the leaders at the smallest and the largest size, where they are apart."""
    said, changes = [], False
    for build in BUILDS:
        led = list(leaders(found.measured, build))
        if len(led) < 2:
            continue
        first, last = led[0], led[-1]
        is_apart = first.second_cycles > (1 + APART) * first.cycles
        changes = changes or (is_apart and first.fastest != last.fastest)
        said.append(
            f"{build.title}: {first.fastest.name} at {figures.message_size(first.message_bytes)}, "
            f"{last.fastest.name} at {figures.message_size(last.message_bytes)}"
        )
    if not said:
        raise NotTestable("fewer than two sizes have figures")
    return changes, "; ".join(said)


def vmac_fastest(found: Found) -> Verdict:
    return _extreme(found, VMACS, FULL, fastest=True)


def serpent_slowest(found: Found) -> Verdict:
    return _extreme(found, (SERPENT,), FULL, fastest=False)


def md5_fastest(found: Found) -> Verdict:
    return _with_simd(found, (MD5,), fastest=True)


def sha512_slowest(found: Found) -> Verdict:
    return _with_simd(found, (SHA512,), fastest=False)


def boosted(found: Found) -> Verdict:
    """By the gains of everything over plain C/C++."""
    gains = {
        function: found.measured.firm(function, LARGEST, PLAIN)
        / found.measured.firm(function, LARGEST)
        for function in (RIJNDAEL, SHA1, SHA256, SHA512)
    }
    shown = ", ".join(f"{function.name} {figures.times(it)}" for function, it in gains.items())
    # No processor of the paper's had instructions for SHA-512, and few have today.
    judged = [it for function, it in gains.items() if function is not SHA512]
    return all(it >= LEAST_GAIN for it in judged), f"{shown} of plain C/C++ at 64 KiB"


def _extreme(
    found: Found, functions: Iterable[Function], build: Build, *, fastest: bool
) -> Verdict:
    """Whether the fastest or the slowest function at 64 KiB is one of these, and by how much."""
    functions = tuple(functions)
    costs = {it: found.measured.firm(it, LARGEST, build) for it in FUNCTIONS}
    order = sorted(costs, key=costs.__getitem__, reverse=not fastest)
    first, other = order[0], next(it for it in order if it not in functions)
    own = next(it for it in order if it in functions)
    word = "fastest" if fastest else "slowest"
    shown = (
        f"{build.title} at 64 KiB: {word} {first.name} with "
        f"{figures.significant(costs[first])} cycles/byte; "
    )
    if first in functions:
        shown += f"next {other.name} with {figures.significant(costs[other])}"
    else:
        shown += f"{own.name} has {figures.significant(costs[own])}"
    shown += _doubts(found, build)
    if abs(costs[own] / costs[other] - 1) <= APART:
        return None, f"too close to tell: {shown}"
    return first in functions, shown


def _doubts(found: Found, build: Build) -> str:
    """How many of the figures at 64 KiB are of attempts that do not count: sums of CPU time and of
    bytes suffer little from what spoils these, so that they are judged all the same."""
    rows = [found.measured.row(function, LARGEST, build) for function in FUNCTIONS]
    doubtful = sum(row is not None and not row.valid for row in rows)
    return f" ({doubtful} of {len(rows)} figures had no valid attempt)" if doubtful else ""


def _with_simd(found: Found, functions: tuple[Function, ...], *, fastest: bool) -> Verdict:
    """Judged in plain C/C++; what vectors change is said beside."""
    holds, shown = _extreme(found, functions, PLAIN, fastest=fastest)
    try:
        return holds, f"{shown}. {_extreme(found, functions, SIMD, fastest=fastest)[1]}"
    except NotTestable:
        return holds, shown
