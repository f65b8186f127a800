"""How many 95 % intervals hold the median over many surveys, and whether company changes a figure.

Each survey is a run of the engine over the same functions, in an order of its own. The median over
all surveys stands for the truth. A permutation test asks of the stored groups whether the case
before explains what a group costs. Then a few functions are measured alone, beside others, and
among all.
"""

from __future__ import annotations

import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from common import benchmark, cv, figure, find_engine, options, percentile_90, plan, recorded
from msgspec.structs import replace

from ciphermark import contract
from ciphermark.record.run import Run
from ciphermark.run.engine import Engine
from ciphermark.statistics.quantiles import FEWEST_GROUPS, Floats
from ciphermark.statistics.stopping import Observations, Rule
from ciphermark.workloads.single.groups import groups_by_case
from ciphermark.workloads.single.ratio import ratios_of
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.rows import rows

ALGORITHMS = ["hmac-sha256", "aes-128-cmac", "aes-128-gcm", "chacha20-poly1305", "sha256", "md5"]
SIZES = [16, 256, 1500]
PROVIDERS = ["openssl", "rustcrypto", "nettle", "aws-lc"]
SURVEYS = 40
BUDGET_S = 60.0
COMPANIES = (["md5", "sha256", "aes-128-gcm"], ["chacha20-poly1305", "hmac-sha256", "sha512"])
"""The first are compared; the second stand beside them."""
MOVED = 0.03
PERMUTATIONS = 200
REPRODUCIBILITIES = (0.0, 0.002, 0.003, 0.004, 0.005)

Key = tuple[str, str, str, int | None]


class Figure(NamedTuple):
    """A row's figure in one survey, or a ratio's."""

    value: float
    low: float | None
    high: float | None
    converged: bool


Figures = dict[Any, list[Figure]]


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    with benchmark("Coverage of intervals", engine):
        wanted = of_providers(plan(engine.describe(), ALGORITHMS, SIZES, BUDGET_S))
        runs = surveys(engine, wanted, 4 if chosen.quick else SURVEYS)
        figure("cases of a survey", str(len(wanted.cases)))
        singles, ratios = figures_of(runs), ratios_over(runs)
        print_coverage("figures", singles)
        print_parts("by library", singles, lambda key: key[2])
        print_parts("by size", singles, lambda key: str(key[3]))
        print_coverage("ratios of two libraries", ratios)
        print_reproducibility(runs)
        print_spreads(runs, singles)
        print_permutations(runs)
        print_company(engine, 2 if chosen.quick else 5)


def of_providers(wanted: contract.Plan, names: Sequence[str] = PROVIDERS) -> contract.Plan:
    kept = [case for case in wanted.cases if case.provider in names]
    return renumbered(wanted, kept)


def renumbered(wanted: contract.Plan, cases: Iterable[contract.Case]) -> contract.Plan:
    return replace(
        wanted, cases=[replace(it, case=number) for number, it in enumerate(cases)], optional=[]
    )


def surveys(engine: Engine, wanted: contract.Plan, count: int) -> list[Run]:
    """So many, each announced, since beside a neighbour they take a quarter of an hour."""
    runs = []
    for seed in range(count):
        print(f"survey {seed + 1} of {count}", file=sys.stderr, flush=True)
        runs.append(run(engine, wanted, seed))
    return runs


def run(engine: Engine, wanted: contract.Plan, seed: int) -> Run:
    """One survey; the seed makes texts, keys and order its own."""
    return recorded(engine, replace(wanted, seed=1000 + seed))


def key(row: Row) -> Key:
    return row.algorithm, row.operation, row.provider, row.message_bytes


def figures_of(runs: Iterable[Run]) -> Figures:
    found: Figures = defaultdict(list)
    for it in runs:
        for row in rows(it):
            if row.cycles_per_message is not None:
                found[key(row)].append(
                    Figure(
                        row.cycles_per_message,
                        row.cycles_per_message_low,
                        row.cycles_per_message_high,
                        row.converged,
                    )
                )
    return found


def ratios_over(runs: Iterable[Run]) -> Figures:
    """Of each library to the first that has the function, by pairs of processes."""
    found: Figures = defaultdict(list)
    for it in runs:
        ratio = ratios_of(it)
        alike: dict[Any, list[Row]] = defaultdict(list)
        for row in rows(it):
            if row.cycles_per_message_low is not None and row.cycles_per_message_low > 0:
                alike[row.algorithm, row.operation, row.message_bytes].append(row)
        for name, (first, *others) in alike.items():
            for other in others:
                value = ratio(other, first)
                if not isinstance(value, str):
                    converged = first.converged and other.converged
                    found[*name, first.provider, other.provider].append(
                        Figure(value.value, value.low, value.high, converged)
                    )
    return found


def held(found: Figures, converged: bool) -> list[bool]:
    """Whether each interval of rows that have converged, or have not, holds the median of all
    surveys."""
    return [
        it.low <= statistics.median(other.value for other in alike) <= it.high
        for alike in found.values()
        for it in alike
        if it.converged is converged and it.low is not None and it.high is not None
    ]


def share(these: Sequence[bool]) -> str:
    return f"{100 * sum(these) / len(these):.1f} % of {len(these)}" if these else "–"


def print_coverage(what: str, found: Figures) -> None:
    every = [it for alike in found.values() for it in alike]
    converged = [it for it in every if it.converged]
    print(f"\n{what}")
    figure("have converged to ±1 %", share([it.converged for it in every]), "95 %")
    figure("of these, intervals that hold the median", share(held(found, True)), "at least 93 %")
    figure("of the others", share(held(found, False)))
    widths = [(it.high - it.low) / 2 / it.value for it in converged if it.low is not None]
    if widths:
        figure("half-width of those that converged, median", f"{100 * np.median(widths):.2f} %")


def print_reproducibility(runs: Sequence[Run]) -> None:
    """The same share by the processes of each survey, for several values of what figures move by
    from survey to survey."""
    observed: dict[Key, list[Observations]] = defaultdict(list)
    for it in runs:
        case_of = {record.case.case: record.case for record in it.cases}
        rule = Rule.of(it.context.plan)
        for number, groups in groups_by_case(it.samples).items():
            observations = groups.observations(rule)
            if observations.missing(rule) is None:
                case = case_of[number]
                name = (case.algorithm, case.operation, case.provider, case.message_bytes)
                observed[name].append(observations)
    print("\nintervals that hold the median, by reproducibility")
    for moved in REPRODUCIBILITIES:
        figures: Figures = defaultdict(list)
        for name, alike in observed.items():
            for observations in alike:
                estimate = observations.estimate(Rule(0.01, 6, 0.0, 6, moved))
                if estimate is not None:
                    figures[name].append(Figure(*estimate, converged=True))
        figure(f"  ±{100 * moved:.1f} %", share(held(figures, True)))


def print_parts(what: str, found: Figures, name: Any) -> None:
    parts: dict[str, Figures] = defaultdict(dict)
    for case, alike in found.items():
        parts[name(case)][case] = alike
    for part, of_part in parts.items():
        figure(f"  {what}: {part}", share(held(of_part, True)))


def print_spreads(runs: Sequence[Run], singles: Figures) -> None:
    between = [
        cv(processes.tolist())
        for it in runs
        for processes in processes_of(it)
        if len(processes) >= FEWEST_GROUPS
    ]
    print("\nspread")
    figure(
        "CV between processes of a survey, median (90th percentile)",
        f"{100 * np.median(between):.2f} % ({100 * percentile_90(between):.2f} %)",
    )
    over = [
        cv(it.value for it in alike if it.converged)
        for alike in singles.values()
        if sum(it.converged for it in alike) > 1
    ]
    if over:
        figure(
            "CV of converged figures over surveys",
            f"{100 * np.median(over):.2f} % ({100 * percentile_90(over):.2f} %)",
            "at most 0.5 and 1.5 %",
        )
    print_excess(runs)


def print_excess(runs: Sequence[Run]) -> None:
    """How many times as much the medians of surveys differ as their processes tell: more than once
    where a state of the machine outlasts a survey."""
    medians: dict[Key, list[float]] = defaultdict(list)
    told: dict[Key, list[float]] = defaultdict(list)
    for it in runs:
        rule = Rule.of(it.context.plan)
        case_of = {record.case.case: record.case for record in it.cases}
        for number, groups in groups_by_case(it.samples).items():
            processes = groups.observed("cycles", rule)
            if len(processes) < FEWEST_GROUPS:
                continue
            case = case_of[number]
            name = (case.algorithm, case.operation, case.provider, case.message_bytes)
            medians[name].append(float(np.median(processes)))
            # The standard error of a median is some 1.25 times that of a mean.
            told[name].append(1.25 * np.std(processes, ddof=1) / len(processes) ** 0.5)
    for size in SIZES:
        excess = [
            float(np.std(medians[name], ddof=1) / np.mean(told[name]))
            for name in medians
            if name[3] == size and len(medians[name]) > 1
        ]
        figure(
            f"medians of surveys at {size} B differ, times what processes tell",
            f"{np.median(excess):.2f}, most {max(excess):.1f}",
        )


def processes_of(it: Run) -> Iterator[Floats]:
    """What each process has found of each case, cycles per message."""
    rule = Rule.of(it.context.plan)
    for groups in groups_by_case(it.samples).values():
        yield groups.observed("cycles", rule)


def print_permutations(runs: Sequence[Run]) -> None:
    """Of each case: do groups that follow a case of the same process differ from the others, by
    the case that they follow? Few cases should have less than 1 % by chance."""
    random = np.random.default_rng(1)
    chances = []
    for it in runs:
        before = cases_before(it)
        for number, groups in groups_by_case(it.samples).items():
            followed = [before.get((number, r)) for r in groups.rounds.tolist()]
            processes = {p: np.median(groups.cycles[groups.process == p]) for p in groups.process}
            costs = groups.cycles / np.array([processes[p] for p in groups.process])
            chances.append(chance(costs, followed, random))
    known = [it for it in chances if it is not None]
    print("\nthe case before, in the same process")
    few = sum(it < 0.01 for it in known)
    figure(
        "cases that it explains with p < 1 %",
        f"{few} of {len(known)}",
        f"{0.01 * len(known):.0f} by chance",
    )


def cases_before(it: Run) -> dict[tuple[int, int], str]:
    """By case and round, the algorithm that its library's process worked on before."""
    provider = {record.case.case: record.case.provider for record in it.cases}
    algorithm = {record.case.case: record.case.algorithm for record in it.cases}
    first = it.samples.filter(np.equal(it.samples["slice"].to_numpy(), 0))
    numbers, rounds, at = (first[name].to_numpy() for name in ("case", "round", "at_ns"))
    last: dict[str, int] = {}
    found = {}
    for place in np.argsort(at):
        number, at_round = int(numbers[place]), int(rounds[place])
        library = provider[number]
        if library in last:
            found[number, at_round] = algorithm[last[library]]
        last[library] = number
    return found


def chance(costs: Floats, followed: list[str | None], random: np.random.Generator) -> float | None:
    """Probability, under permutation, of means by the algorithm before that differ so much."""
    names = sorted({it for it in followed if it is not None})
    if len(costs) < 9 or len(names) < 2:
        return None
    of = np.array([names.index(it) if it is not None else len(names) for it in followed])

    def between(order: np.ndarray) -> float:
        sums = np.bincount(of, weights=costs[order], minlength=len(names) + 1)
        counts = np.bincount(of, minlength=len(names) + 1)
        return float(np.sum(sums[counts > 0] ** 2 / counts[counts > 0]))

    seen = between(np.arange(len(costs)))
    as_far = sum(between(random.permutation(len(costs))) >= seen for _ in range(PERMUTATIONS))
    return (as_far + 1) / (PERMUTATIONS + 1)


def print_company(engine: Engine, repeats: int) -> None:
    """The same functions in surveys of 3, of 6 and of all of the benchmark's algorithms."""
    few, beside = COMPANIES
    found: dict[Key, list[Figure]] = defaultdict(list)
    for seed in range(repeats):
        for names in (few, few + beside, sorted({*few, *beside, *ALGORITHMS})):
            wanted = of_providers(plan(engine.describe(), names, SIZES, BUDGET_S))
            for name, of_run in figures_of([run(engine, wanted, seed)]).items():
                if name[0] in few:
                    found[name] += of_run
    moved = {
        name: max(it.value for it in settled) / min(it.value for it in settled) - 1
        for name, alike in found.items()
        if len(settled := [it for it in alike if it.converged]) > 1
    }
    print("\nthe same functions in a survey of 3, of 6 and of all")
    are_moved = [difference > MOVED for difference in moved.values()]
    figure("converged figures that differ by more than 3 %", share(are_moved), "at most 1 %")
    for (algorithm, _, provider, size), difference in sorted(moved.items()):
        if difference > MOVED:
            figure(f"  {algorithm} by {provider} at {size} B", f"{100 * difference:.1f} %")


if __name__ == "__main__":
    main()
