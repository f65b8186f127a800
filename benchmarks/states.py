"""How many functions have no one cost: called again and again in one process, undisturbed.

Every case of the default survey is called for some 2 ms at a stretch, in a few processes. Where the
middle half of the slices of such a stretch is wider than the ±1 % that a survey asks for, no survey
of a minute settles it: what changes is neither the process nor a neighbour that can be seen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from common import benchmark, figure, find_engine, options, recorded
from msgspec.structs import replace

from ciphermark import contract
from ciphermark.plan.build import build
from ciphermark.plan.planfile import default
from ciphermark.plan.selection import Selection
from ciphermark.record.run import Run

SLICES = 150
"""Of a stretch; most of those of a stretch that counts are undisturbed."""
FEWEST_SLICES = 75
NEVER = 1e-6
"""A precision that none reaches, so that all are measured to the end."""
WIDE = 0.02
"""The whole width of ±1 %."""
MOST_NAMES = 12


class Stretches(NamedTuple):
    """What the stretches of a case tell."""

    case: contract.Case
    width: float
    """Of the middle half of a stretch over its median: the median of all stretches."""


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    with benchmark("Functions without one cost", engine):
        survey = build(default("survey"), Selection(), engine.describe()).plan
        sampling = replace(survey.sampling, slices_per_group=SLICES, rounds_per_process=1)
        budget_s = 20.0 if chosen.quick else 60.0
        asked = replace(survey, sampling=sampling, precision=NEVER, budget_s=budget_s, optional=[])
        found = stretches(recorded(engine, asked))
        wide = [it for it in found if it.width > WIDE]
        figure("cases with an undisturbed stretch", f"{len(found)} of {len(asked.cases)}")
        figure("whose middle half is wider than ±1 %", share(len(wide), len(found)))
        print_parts("by library", found, lambda case: case.provider)
        print_parts("by function", found, lambda case: case.algorithm)


def stretches(run: Run) -> list[Stretches]:
    """Of each case that has a stretch in which enough slices are undisturbed."""
    samples = run.samples
    numbers, rounds = samples["case"].to_numpy(), samples["round"].to_numpy()
    per_message = samples["cycles"].to_numpy() / samples["messages"].to_numpy()
    cycles = per_message - samples["loop_cycles"].to_numpy()
    is_quiet = np.array([not reasons for reasons in samples["disturbed"].to_pylist()])
    widths: dict[int, list[float]] = defaultdict(list)
    order = np.lexsort((rounds, numbers))
    changes = np.flatnonzero(np.diff(numbers[order]) | np.diff(rounds[order])) + 1
    for stretch in np.split(order, changes):
        quiet = cycles[stretch[is_quiet[stretch]]]
        if len(quiet) >= FEWEST_SLICES:
            low, middle, high = np.quantile(quiet, (0.25, 0.5, 0.75))
            widths[int(numbers[stretch[0]])].append((high - low) / middle)
    case_of = {record.case.case: record.case for record in run.cases}
    return [Stretches(case_of[it], float(np.median(of_case))) for it, of_case in widths.items()]


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
