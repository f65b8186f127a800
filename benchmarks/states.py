"""How many functions have no one cost, or not at once: called for long in one process, undisturbed.

Every case of the default survey is called for some 7 ms at a stretch, in a few processes. Where the
slices at the beginning of a stretch cost more or less than those at its end, the function settles
late. Where the middle half of the slices at its end is wider than the ±1 % that a survey asks for,
no survey of a minute settles it: what changes is neither the process nor a neighbour that can be
seen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from common import benchmark, figure, find_engine, options, recorded
from msgspec.structs import replace

from ciphermark import contract
from ciphermark.plan.build import build
from ciphermark.plan.planfile import default
from ciphermark.plan.selection import Selection
from ciphermark.record.run import Run
from ciphermark.statistics.quantiles import Floats

Flags = npt.NDArray[np.bool_]

SLICES = 320
"""Of a stretch, each some 23 µs with the look at the clock beside it."""
END = 150
"""Slices of its end; most of those of a stretch that counts are undisturbed."""
FEWEST_SLICES = 75
FROM_SLICES = (0, 5, 20, 40, 80, 170)
"""Where parts of a stretch begin that are compared with its end, each up to the next."""
FEWEST_OF_PART = 2
FAR = (0.01, 0.03)
NEVER = 1e-6
"""A precision that none reaches, so that all are measured to the end."""
WIDE = 0.02
"""The whole width of ±1 %."""
MOST_NAMES = 12


class Stretches(NamedTuple):
    """What the stretches of a case tell."""

    case: contract.Case
    width: float
    """Of the middle half of the end over its median: the median of all stretches."""
    parts: list[float]
    """Of each part of a stretch its median less that of the end, over the latter: the median of all
    stretches. NaN where no part had enough undisturbed slices."""
    after_ms: list[float]
    """When each part begins, since the stretch began: the median of all stretches."""


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    with benchmark("Functions without one cost", engine):
        survey = build(default("survey"), Selection(), engine.describe()).plan
        sampling = replace(
            survey.sampling, slices_per_group=SLICES, rounds_per_process=1, settling_ms=0.0
        )
        budget_s = 20.0 if chosen.quick else 60.0
        asked = replace(survey, sampling=sampling, precision=NEVER, budget_s=budget_s, optional=[])
        found = stretches(recorded(engine, asked))
        wide = [it for it in found if it.width > WIDE]
        figure("cases with an undisturbed stretch", f"{len(found)} of {len(asked.cases)}")
        figure("whose middle half is wider than ±1 %", share(len(wide), len(found)))
        print_parts("by library", found, lambda case: case.provider)
        print_parts("by function", found, lambda case: case.algorithm)
        print("\ncost of a stretch's parts beside that of its end")
        print_settling(found)


def stretches(run: Run) -> list[Stretches]:
    """Of each case that has a stretch in which enough slices are undisturbed."""
    samples = run.samples
    numbers, rounds = samples["case"].to_numpy(), samples["round"].to_numpy()
    per_message = samples["cycles"].to_numpy() / samples["messages"].to_numpy()
    cycles = per_message - samples["loop_cycles"].to_numpy()
    at_ms = samples["at_ns"].to_numpy() / 1e6
    is_quiet = np.array([not reasons for reasons in samples["disturbed"].to_pylist()])
    told: dict[int, list[tuple[float, list[float], list[float]]]] = defaultdict(list)
    order = np.lexsort((samples["slice"].to_numpy(), rounds, numbers))
    changes = np.flatnonzero(np.diff(numbers[order]) | np.diff(rounds[order])) + 1
    for stretch in np.split(order, changes):
        end = stretch[-END:]
        quiet = cycles[end[is_quiet[end]]]
        if len(stretch) == SLICES and len(quiet) >= FEWEST_SLICES:
            low, middle, high = np.quantile(quiet, (0.25, 0.5, 0.75))
            parts = [
                part_median(cycles[part], is_quiet[part]) / middle - 1
                for part in np.split(stretch, FROM_SLICES[1:])
            ]
            began = [at_ms[stretch[at]] - at_ms[stretch[0]] for at in FROM_SLICES]
            told[int(numbers[stretch[0]])].append(((high - low) / middle, parts, began))
    case_of = {record.case.case: record.case for record in run.cases}
    return [
        Stretches(
            case_of[number],
            float(np.median([width for width, _, _ in of_case])),
            [median_of_known(column) for column in zip(*(it for _, it, _ in of_case), strict=True)],
            [
                float(np.median(column))
                for column in zip(*(it for _, _, it in of_case), strict=True)
            ],
        )
        for number, of_case in told.items()
    ]


def part_median(cycles: Floats, is_quiet: Flags) -> float:
    quiet = cycles[is_quiet]
    return float(np.median(quiet)) if len(quiet) >= FEWEST_OF_PART else np.nan


def median_of_known(values: Sequence[float]) -> float:
    known = [it for it in values if not np.isnan(it)]
    return float(np.median(known)) if known else np.nan


def print_settling(found: Sequence[Stretches]) -> None:
    """How many cases cost otherwise than in the end, by the time since the stretch began."""
    for part in range(len(FROM_SLICES) - 1):
        differ = [abs(it.parts[part]) for it in found if not np.isnan(it.parts[part])]
        began, ended = (np.median([it.after_ms[at] for it in found]) for at in (part, part + 1))
        shares = ", ".join(share(sum(it > far for it in differ), len(differ)) for far in FAR)
        figure(f"from {began:.1f} to {ended:.1f} ms it differs by over 1 %, by over 3 %", shares)


def print_parts(what: str, found: list[Stretches], name: Callable[[contract.Case], str]) -> None:
    """The share of each part, the largest first."""
    parts: dict[str, list[bool]] = defaultdict(list)
    for it in found:
        parts[name(it.case)].append(it.width > WIDE)
    largest = sorted(parts.items(), key=lambda part: -sum(part[1]) / len(part[1]))
    for part, are_wide in largest[:MOST_NAMES]:
        figure(f"  {what}: {part}", share(sum(are_wide), len(are_wide)))


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} % of {whole}" if whole else "–"


if __name__ == "__main__":
    main()
