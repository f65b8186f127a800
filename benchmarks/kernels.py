"""Our kernels beside the fastest other implementation of each, in one run; those that have
benchmarks of their own are left to them (`threegpp.py`, `universal_hashes.py`).

Targets are cycles per byte on one core of a Zen 5; on another processor the ratio to the peer's
figure there counts.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from typing import NamedTuple

from common import benchmark, figure, find_engine, measure, options

from ciphermark.plan.build import build
from ciphermark.plan.planfile import PlanFile
from ciphermark.plan.selection import Selection
from ciphermark.run.engine import Engine
from ciphermark.view import figures
from ciphermark.workloads.single.row import Row

BUDGET_S = 10.0
REPEATS = 3
"""Runs of each goal; the medians count."""


class Goal(NamedTuple):
    """What a kernel should cost, and the peer that it is compared with."""

    algorithm: str
    message_bytes: int
    peer: str
    """Provider and algorithm, as in `cryptopp cmac-serpent-128`."""
    ratio: float
    """At most so many times the peer's cycles per byte."""
    cycles_per_byte: float | None = None
    """On a Zen 5."""


GOALS = [
    Goal("cmac-twofish-128", 65536, "cryptopp cmac-twofish-128", 1.3),
    Goal("cmac-serpent-128", 65536, "cryptopp cmac-serpent-128", 1.3),
    # 40 cycles per byte where libtomcrypt's block cipher takes 58.0.
    Goal("uea1", 1500, "libtomcrypt kasumi-ecb", 40 / 58.0, 40),
]


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    with benchmark("Kernels", engine):
        for goal in GOALS:
            runs = [measured(engine, goal) for _ in range(1 if chosen.quick else REPEATS)]
            for backend in backends(goal, runs):
                print_backend(goal, backend, runs)


def measured(engine: Engine, goal: Goal) -> list[Row]:
    """The rows of our backends and of the peer, in one run."""
    peer, algorithm = goal.peer.split()
    file = PlanFile(
        title="kernels",
        workload="single",
        algorithms=sorted({goal.algorithm, algorithm}),
        operations=["encrypt", "mac"],
        # Whole blocks of 8 bytes too, for a peer that takes nothing else.
        sizes=sorted({goal.message_bytes, goal.message_bytes // 8 * 8}),
        precision=0.01,
        budget_s=BUDGET_S,
        max_cases=100,
    )
    chosen = Selection(providers=sorted({"kernels", peer}), backends=["all"])
    return measure(engine, build(file, chosen, engine.describe()).plan).rows


def backends(goal: Goal, runs: list[list[Row]]) -> list[str]:
    """Ours that were measured, in the order of the plan."""
    return list(dict.fromkeys(row.backend for rows in runs for row in rows if is_ours(goal, row)))


def is_ours(goal: Goal, row: Row) -> bool:
    wanted = ("kernels", goal.algorithm, goal.message_bytes)
    return (row.provider, row.algorithm, row.message_bytes) == wanted


def print_backend(goal: Goal, backend: str, runs: list[list[Row]]) -> None:
    """Its cycles per byte and, paired by run, how many times the peer's they are."""
    ours = [figure_of(row for row in rows if is_ours(goal, row) and row.backend == backend)
            for rows in runs]  # fmt: skip
    what = f"{goal.algorithm} {backend}, {goal.message_bytes} bytes"
    aim = f"{goal.cycles_per_byte} c/B on a Zen 5" if goal.cycles_per_byte else ""
    figure(what, median([it for it in ours if it], " c/B"), aim)
    theirs = [figure_of(row for row in rows if is_peer(goal, row)) for rows in runs]
    ratios = [one / other for one, other in zip(ours, theirs, strict=True) if one and other]
    figure(f"  {goal.peer}", median([it for it in theirs if it], " c/B"))
    figure("  ratio", median(ratios), f"at most {goal.ratio:.2f}")


def is_peer(goal: Goal, row: Row) -> bool:
    return f"{row.provider} {row.algorithm}" == goal.peer


def figure_of(rows: Iterable[Row]) -> float | None:
    """The fewest cycles per byte among some rows; absent where every sample was disturbed."""
    return min((row.cycles_per_byte for row in rows if row.cycles_per_byte), default=None)


def median(values: list[float], unit: str = "") -> str:
    return f"{figures.significant(statistics.median(values))}{unit}" if values else "disturbed"


if __name__ == "__main__":
    main()
