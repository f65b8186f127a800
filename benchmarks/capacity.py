"""Capacity predicted against done: what a mix of packets costs, from single sizes, beside the same
mix measured in the same interleaved run.

For every suite and both directions. *at its sizes* has the sizes of the mix measured one by one;
*between sizes* has others, from 16 bytes to 2 KiB, and the mix lies between them, which is what a
user has whose mix was not thought of; *by default* has those that `ciphermark esp` measures unless
told otherwise. A cell is covered when the interval of the prediction has the
measured figure in it.
"""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from common import benchmark, figure, find_engine, measure, options, together

from ciphermark import contract
from ciphermark.answers.capacity.packet_cost import Candidate, candidates, packet_cost
from ciphermark.plan import planfile, profiles
from ciphermark.plan.build import build
from ciphermark.plan.planfile import PlanFile
from ciphermark.plan.profile import Profile
from ciphermark.plan.selection import Selection
from ciphermark.run.engine import Engine
from ciphermark.view import figures
from ciphermark.workloads.single.row import Row

BETWEEN = (16, 64, 128, 256, 512, 1024, 1280, 2048)
"""Sizes of no mix: powers of two, and one more where packets of tunnels are."""

MIXES = ("imix", "packets-40-1500")

PLAN = "esp"
"""The default plan whose suites are those of a quick pass."""

SECONDS_PER_CASE = 0.4
TOGETHER = 4
"""Suites in one run: what is compared is interleaved, and a run stays short."""

FIRST_ASKED = "openssl"
"""Of the libraries that have a suite; else the first that is listed."""

WITHIN = 0.05


class Cell(NamedTuple):
    """One mix of one suite in one direction."""

    name: str
    way: str
    error: float
    covered: bool
    half: float
    """Half of the interval, as a share."""
    settled: bool


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    with benchmark("Capacity: predicted against done", engine):
        mixes = profiles.from_option(",".join(MIXES[:1] if chosen.quick else MIXES))
        rows = measured(engine, mixes, chosen.quick)
        ways = {
            "at its sizes": of(mixes),
            "between sizes": set(BETWEEN),
            "by default": set(planfile.default(PLAN).sizes),
        }
        for way, sizes in ways.items():
            report(way, cells(rows, mixes, sizes, way))


def of(mixes: Iterable[Profile]) -> set[int]:
    """Sizes that mixes are made of; of a range its ends."""
    return {end for mix in mixes for part in mix.parts for end in part.ends}


def measured(engine: Engine, mixes: list[Profile], quick: bool) -> list[list[Row]]:
    """All sizes and all mixes of a few suites in each run; the rows of each run."""
    facts = engine.describe()
    usual = planfile.default(PLAN)
    wanted = usual.algorithms if quick else None
    sizes = sorted(of(mixes) | set(BETWEEN) | set(usual.sizes))
    found = []
    for provider, names in batches(facts, wanted):
        plans = [
            build(plan_file(names, sizes, provider), selection(some), facts).plan
            for some in (None, mixes)
        ]
        plan = together(plans)
        plan.budget_s = SECONDS_PER_CASE * len(plan.cases)
        print(f"measuring {len(plan.cases)} cases of {', '.join(names)}", flush=True)
        found.append(measure(engine, plan).rows)
    return found


def batches(
    facts: contract.Description, wanted: Collection[str] | None
) -> Iterator[tuple[str, list[str]]]:
    """Suites a few at a time, with the library that has them."""
    by_provider: dict[str, list[str]] = {}
    for it in facts.algorithms:
        if it.suite is not None and (wanted is None or it.name in wanted):
            having = [i.provider for i in facts.implementations if i.algorithm == it.name]
            if having:
                provider = FIRST_ASKED if FIRST_ASKED in having else having[0]
                by_provider.setdefault(provider, []).append(it.name)
    for provider, names in by_provider.items():
        for begin in range(0, len(names), TOGETHER):
            yield provider, names[begin : begin + TOGETHER]


def plan_file(names: list[str], sizes: list[int], provider: str) -> PlanFile:
    return PlanFile(
        title="benchmark",
        workload="single",
        algorithms=names,
        operations=["seal", "open"],
        sizes=sizes,
        providers=[provider],
        precision=0.01,
        budget_s=60,
        max_cases=4000,
    )


def selection(mixes: list[Profile] | None) -> Selection:
    chosen = Selection()
    chosen.profiles = mixes
    return chosen


def cells(runs: list[list[Row]], mixes: list[Profile], sizes: set[int], way: str) -> list[Cell]:
    """Prints a line for each suite and direction, and returns what is in it."""
    found = []
    print(f"\n{way:46}" + "".join(f"{it.name:>20}" for it in mixes))
    for rows in runs:
        kept = [row for row in rows if row.message_bytes is None or row.message_bytes in sizes]
        for name in dict.fromkeys(row.algorithm for row in rows):
            for candidate in candidates(kept, name):
                for operation in sorted(candidate.operations):
                    line = [cell(candidate, operation, mix) for mix in mixes]
                    found += [it for it in line if it is not None]
                    text = f"{name} {operation}, {candidate.provider}"
                    print(f"{text:46}" + "".join(f"{shown(it):>20}" for it in line))
    return found


def cell(candidate: Candidate, operation: str, mix: Profile) -> Cell | None:
    done = candidate.of_profile(operation, mix.name)
    predicted = packet_cost(candidate, [operation], mix, mixed=False)
    if done is None or predicted is None:
        return None
    truth = candidate.ns(done)
    return Cell(
        name=f"{candidate.algorithm} {operation}, {mix.name}",
        way=mix.name,
        error=predicted.ns.value / truth.value - 1,
        covered=predicted.ns.low <= truth.value <= predicted.ns.high,
        half=predicted.ns.share,
        settled=done.converged,
    )


def shown(it: Cell | None) -> str:
    if it is None:
        return "–"
    mark = "" if it.settled else "~"
    outside = "" if it.covered else " !"
    return f"{mark}{100 * it.error:+.1f} ±{100 * it.half:.1f} %{outside}"


def report(way: str, found: list[Cell]) -> None:
    """How good all cells together are, and those of which the mix is known to ±1 %."""
    print(f"\n{way}: ~ the mix itself did not settle, ! it is outside the interval")
    print_figures("all", found)
    print_figures("settled", [it for it in found if it.settled])


def print_figures(which: str, found: list[Cell]) -> None:
    if not found:
        figure(f"{which} cells", "0")
        return
    errors = [abs(it.error) for it in found]
    worst = max(found, key=lambda it: abs(it.error))
    figure(f"{which} cells", figures.grouped(len(found)))
    figure("  median error", figures.percent(statistics.median(errors)))
    figure(f"  largest, {worst.name}", f"{100 * worst.error:+.1f} %")
    share = sum(it <= WITHIN for it in errors) / len(found)
    figure(f"  within {100 * WITHIN:.0f} %", figures.percent(share, 3), "100 %")
    covered = sum(it.covered for it in found) / len(found)
    figure("  intervals with the truth in them", figures.percent(covered, 3), "≥ 90 %")
    half = statistics.median(it.half for it in found)
    figure("  median half-width of the intervals", figures.percent(half))


if __name__ == "__main__":
    main()
