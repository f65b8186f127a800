"""Statements about what the paper prints no figures of."""

from __future__ import annotations

from collections.abc import Iterable

from ciphermark.show import figures
from ciphermark.show.findings import NotTestable, Verdict
from ciphermark.studies.sensor.code_size import Sizes, code_bytes
from ciphermark.studies.sensor.evidence import geometric_mean
from ciphermark.studies.sensor.judged_functions import SAME
from ciphermark.studies.sensor.lengths import costs_of, steps
from ciphermark.studies.sensor.measured import Measured
from ciphermark.studies.sensor.paper import (
    AVR,
    FUNCTIONS,
    HASHES,
    MD5,
    PLATFORMS,
    RC4,
    SA1110,
    TITLES,
    WORD_BITS,
    name,
)
from ciphermark.studies.sensor.variance import spreads
from ciphermark.studies.words import between

VARIES = 0.01
RARELY = 0.25
MORE = 1.25


def variance_rare(measured: Measured) -> Verdict:
    """By the share of functions and operations on targets that vary."""
    found = spreads(measured)
    if not found:
        raise NotTestable("nothing was simulated with several keys and inputs")
    varying = [it for it in found if it.share > VARIES]
    shown = f"{len(varying)} of {len(found)} vary by more"
    if varying:
        worst = max(varying, key=lambda it: it.share)
        shown += (
            f", the most {TITLES[worst.work.algorithm]} {worst.work.operation} on "
            f"{name(worst.target)}: {figures.percent(worst.share)} of the median"
        )
    return len(varying) < RARELY * len(found), shown


def same_lengths(measured: Measured) -> Verdict:
    """By all lengths of as many blocks, on every target."""
    found = {
        f"{TITLES[step.algorithm]} of {step.lengths[0]} to {step.lengths[-1]} bytes on "
        f"{name(target)}": max(costs) / min(costs) - 1
        for target in measured.targets
        for algorithm in HASHES
        for step in steps(algorithm)
        if len(costs := costs_of(measured, target, step)) > 1
    }
    if not found:
        raise NotTestable("no two lengths of as many blocks in this run")
    most = max(found, key=found.__getitem__)
    beyond = sum(it > SAME for it in found.values())
    return not beyond, (
        f"{beyond} of {len(found)} differ by more; the most, {figures.percent(found[most])}: {most}"
    )


def md5_largest(measured: Measured) -> Verdict:
    """By every target."""
    return _extreme(measured, MD5, max)


def rc4_smallest(measured: Measured) -> Verdict:
    """By every target."""
    return _extreme(measured, RC4, min)


def avr_more(measured: Measured) -> Verdict:
    """By the paper's processors."""
    sizes = _sizes(measured, PLATFORMS)
    others = [it for it in sizes if it not in AVR]
    return _larger(sizes, [it for it in AVR if it in sizes], others)


def strongarm_more(measured: Measured) -> Verdict:
    """By the paper's processors of 32 bits."""
    sizes = _sizes(measured, WORD_BITS[32])
    return _larger(
        sizes, [it for it in sizes if it == SA1110], [it for it in sizes if it != SA1110]
    )


def _extreme(measured: Measured, wanted: str, most: type[max]) -> Verdict:
    sizes = _sizes(measured, measured.targets)
    found = {target: most(by_name, key=by_name.__getitem__) for target, by_name in sizes.items()}
    others = [f"{name(it)} {TITLES[found[it]]}" for it in found if found[it] != wanted]
    shares = [of[wanted] / _next(of, wanted, most) for of in sizes.values()]
    shown = (
        f"on {len(found) - len(others)} of {len(found)} targets; {TITLES[wanted]} takes "
        f"{between(shares)} times the next"
    )
    return not others, "; ".join([shown, *others])


def _next(by_name: dict[str, int], wanted: str, most: type[max]) -> int:
    return most(size for it, size in by_name.items() if it != wanted)


def _larger(sizes: Sizes, ours: Iterable[str], others: Iterable[str]) -> Verdict:
    """Whether each of some targets takes more than each of the others."""
    means = {
        (one, other): geometric_mean(sizes[one][it] / sizes[other][it] for it in FUNCTIONS)
        for one in ours
        for other in others
    }
    if not means:
        raise NotTestable("there is no code of both to compare in this run")
    low, high = (choose(means, key=means.__getitem__) for choose in (min, max))
    shown = "; ".join(
        f"{name(one)} {figures.times(means[one, other])} of {name(other)}"
        for one, other in (low, high)
    )
    return min(means.values()) >= MORE, f"least and most: {shown}"


def _sizes(measured: Measured, targets: Iterable[str]) -> Sizes:
    """Of the targets that have the code of all functions."""
    every = code_bytes(measured)
    found = {it: every[it] for it in targets if len(every.get(it, {})) == len(FUNCTIONS)}
    if not found:
        raise NotTestable("no target has the code of all functions in this run")
    return found
