"""The functions of 3GPP with 1 to 192 packets a call: ours beside the best other library.

In each cell the fastest of our backends is compared with the fastest other library. Either is
called with as many packets or with fewer at a time, whatever is faster. The ratio is paired over
the rounds of one run, with its 95 % interval. Cells whose interval lies above 1.02 are those in
which ours is slower.
"""

from __future__ import annotations

from typing import NamedTuple

from common import (
    benchmark,
    fastest,
    find_engine,
    options,
    ours_and_others,
    print_libraries,
    print_line,
    recorded,
    together,
)

from ciphermark import contract
from ciphermark.plan.build import build
from ciphermark.plan.manner import Manners
from ciphermark.plan.planfile import PlanFile
from ciphermark.plan.selection import Selection
from ciphermark.run.engine import Engine
from ciphermark.statistics.ratio import Ratio
from ciphermark.view import figures
from ciphermark.workloads.single.ratio import Paired, ratios_of
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.rows import rows

ALGORITHMS = ["uea1", "uia1", "uea2", "uia2", "eea3", "eia3"]
LANES = [1, 2, 4, 8, 16, 32, 64, 192]
SIZES, QUICK_SIZES = [40, 88, 256, 500, 1000, 1500], [40, 256, 1500]

BUDGET_S, QUICK_BUDGET_S = 60.0, 15.0
"""For each function."""

TRIES = 3
"""For each function, until a run leaves figures to compare: a neighbour may disturb all of one."""

SLOWER = 1.02
"""Cycles of ours by those of another library, from which on ours is called slower."""


class Cell(NamedTuple):
    """One function, number of packets and size."""

    algorithm: str
    lanes: int
    message_bytes: int
    ours: Row | None
    theirs: Row | None
    ratio: Ratio | None
    """Of cycles; above 1 ours is slower."""

    @property
    def is_slower(self) -> bool:
        return self.ratio is not None and self.ratio.low is not None and self.ratio.low > SLOWER

    @property
    def called(self) -> str:
        assert self.ours is not None
        assert self.theirs is not None
        assert self.ratio is not None
        low, high = (figures.significant(end or 0) for end in (self.ratio.low, self.ratio.high))
        cost = [figures.significant(row.cycles_per_byte or 0) for row in (self.ours, self.theirs)]
        return (
            f"{self.algorithm}, {figures.counted(self.lanes, 'packet')} of {self.message_bytes} "
            f"bytes: {figures.significant(self.ratio.value)} ({low}–{high}), "
            f"{what_ran(self.ours)} {cost[0]}, {what_ran(self.theirs)} {cost[1]}"
        )


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    facts = engine.describe()
    sizes = QUICK_SIZES if chosen.quick else SIZES
    budget_s = QUICK_BUDGET_S if chosen.quick else BUDGET_S
    with benchmark("3GPP by packets a call", engine):
        print_libraries(facts, ALGORITHMS)
        print("\ncycles of ours by those of the best other library; ! slower by its interval")
        found: list[Cell] = []
        for algorithm in ALGORITHMS:
            for _ in range(TRIES):
                of_algorithm = cells(engine, facts, algorithm, sizes, budget_s)
                if any(cell.ratio is not None for cell in of_algorithm):
                    break
            print_cells(algorithm, of_algorithm, sizes)
            found += of_algorithm
        print_slower(found)


def cells(
    engine: Engine,
    facts: contract.Description,
    algorithm: str,
    sizes: list[int],
    budget_s: float,
) -> list[Cell]:
    """All cells of a function, of one run."""
    backends, others = ours_and_others(facts, algorithm)
    file = PlanFile(
        title="3GPP by packets a call",
        workload="single",
        algorithms=[algorithm],
        operations=["encrypt", "mac"],
        sizes=sizes,
        precision=0.01,
        budget_s=budget_s,
        max_cases=2000,
    )
    manners = Manners(lanes=tuple(LANES))
    selections = [Selection(providers=["kernels"], backends=backends, manners=manners)]
    if others:
        selections.append(Selection(providers=others, manners=manners))
    run = recorded(engine, together([build(file, it, facts).plan for it in selections]))
    measured = [row for row in rows(run) if row.cycles_per_byte is not None]
    return [
        cell(algorithm, lanes, size, measured, ratios_of(run)) for lanes in LANES for size in sizes
    ]


def cell(
    algorithm: str, lanes: int, message_bytes: int, measured: list[Row], ratio_of: Paired
) -> Cell:
    """Ours and theirs where they are fastest, and how they compare."""
    own = [row for row in measured if row.provider == "kernels" and row.lanes <= lanes]
    theirs = [row for row in measured if row.provider != "kernels" and row.lanes <= lanes]
    ours, other = fastest(own, message_bytes), fastest(theirs, message_bytes)
    ratio = ratio_of(ours, other) if ours and other else None
    return Cell(
        algorithm, lanes, message_bytes, ours, other, ratio if isinstance(ratio, Ratio) else None
    )


def what_ran(row: Row) -> str:
    """Provider, code path and packets of a call."""
    return f"{row.provider} {row.backend} with {row.lanes} a call"


def print_cells(algorithm: str, found: list[Cell], sizes: list[int]) -> None:
    """A line for each number of packets."""
    print_line(f"\n{algorithm}", [f"{size} B" for size in sizes])
    for lanes in LANES:
        alike = [it for it in found if it.lanes == lanes]
        print_line(f"  {figures.counted(lanes, 'packet')} a call", [shown(it) for it in alike])


def shown(cell: Cell) -> str:
    if cell.ratio is None:
        return "–"
    return ("!" if cell.is_slower else "") + figures.significant(cell.ratio.value)


def print_slower(found: list[Cell]) -> None:
    """Those in which ours is slower, and how many were compared."""
    compared = [it for it in found if it.ratio is not None]
    slower = [it for it in compared if it.is_slower]
    print(f"\nours slower, with an interval above {SLOWER}: {len(slower)} of {len(compared)} cells")
    for it in slower:
        print(f"  {it.called}")
    if missing := len(found) - len(compared):
        print(f"not compared, for want of a figure or of another library: {missing} cells")


if __name__ == "__main__":
    main()
