"""Statements about what the paper prints no figures of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ciphermark.studies.evidence import (
    Figure,
    between,
    geometric_mean,
    is_below,
    mean_figure,
)
from ciphermark.studies.sensor.evidence import (
    MEMORY,
    NOTHING,
    Measured,
    by_message,
    ratio_of_buffers,
)
from ciphermark.studies.sensor.judges import NEGLIGIBLE, SAME
from ciphermark.studies.sensor.paper import (
    AVR,
    FUNCTIONS,
    HASHES,
    MD5,
    PLATFORMS,
    RC4,
    SA1110,
    TEXT_BYTES,
    TITLES,
    WORD_BITS,
    XSCALE,
    cells,
    name,
    sending,
)
from ciphermark.studies.sensor.tables_here import Sizes, code_bytes, costs_of, spreads, steps
from ciphermark.view import figures
from ciphermark.view.findings import NotTestable, Verdict

if TYPE_CHECKING:
    pass


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
        raise NotTestable("no two lengths with the same number of blocks in this run")
    most = max(found, key=found.__getitem__)
    beyond = sum(it > SAME for it in found.values())
    return not beyond, (
        f"{beyond} of {len(found)} comparisons differ by more; the largest by "
        f"{figures.percent(found[most])}: {most}"
    )


def md5_largest(measured: Measured) -> Verdict:
    """By every target."""
    return _extreme(measured, MD5, largest=True)


def rc4_smallest(measured: Measured) -> Verdict:
    """By every target."""
    return _extreme(measured, RC4, largest=False)


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


def _extreme(measured: Measured, wanted: str, *, largest: bool) -> Verdict:
    sizes = _sizes(measured, measured.targets)
    order = {
        target: sorted(by_name, key=by_name.__getitem__, reverse=largest)
        for target, by_name in sizes.items()
    }
    found = {target: names[0] for target, names in order.items()}
    others = [f"{name(it)} {TITLES[found[it]]}" for it in found if found[it] != wanted]
    following = {at: next(it for it in names if it != wanted) for at, names in order.items()}
    shares = [of[wanted] / of[following[target]] for target, of in sizes.items()]
    shown = (
        f"on {len(found) - len(others)} of {len(found)} targets; {TITLES[wanted]} takes "
        f"{between(shares)} times the next"
    )
    return not others, "; ".join([shown, *others])


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


def negligible(measured: Measured) -> Verdict:
    """By texts of 16 bytes from memory; what it costs with nothing cached is said beside it."""
    found = _ratios(measured, MEMORY)
    if not found:
        raise NotTestable(f"no function was measured with {TEXT_BYTES} bytes from memory")
    mean = mean_figure(found.values())
    each = ", ".join(f"{TITLES[it]} {figures.times(ratio.value)}" for it, ratio in found.items())
    shown = f"memory over nearest cache {figures.times(mean.value)} in the mean ({each})"
    if cold := _ratios(measured, NOTHING):
        of_cold = geometric_mean(ratio.value for ratio in cold.values())
        shown += f"; with nothing cached {figures.times(of_cold)}"
    shown += _simulated(measured)
    return is_below(mean, 1 + NEGLIGIBLE), shown


def _simulated(measured: Measured) -> str:
    """What the XScale's caches cost at its two clocks, as the paper asks it."""
    found = {}
    for target in XSCALE:
        firsts = {it: measured.first_call(target, it.work) for it in cells()}
        cached = {it: measured.cost(target, it.work) for it in cells()}
        ratios = [
            first / cached_ for it, first in firsts.items() if first and (cached_ := cached[it])
        ]
        if not ratios:
            return ""
        found[target] = geometric_mean(ratios)
    each = ", ".join(f"{figures.times(it)} on {name(target)}" for target, it in found.items())
    return f"; a first call with empty caches, simulated: {each}"


def _ratios(measured: Measured, buffers: str) -> dict[str, Figure]:
    """Of texts of 16 bytes over those in the nearest cache, by function."""
    return {
        algorithm: ratio
        for (algorithm, operation, size), rows in by_message(measured.rows).items()
        if size == TEXT_BYTES
        and operation == sending(algorithm)
        and (ratio := ratio_of_buffers(rows, buffers)) is not None
    }
