"""Our kernels beside the fastest other implementation of each, in one run.

Targets are cycles per byte on one core of a Zen 5; on another processor the ratio to the peer's
figure there counts.
"""

from __future__ import annotations

from typing import NamedTuple

from common import benchmark, figure, find_engine, measure, options

from ciphermark.analyse.row import Row
from ciphermark.measure.engine import Engine
from ciphermark.plan.build import build
from ciphermark.plan.planfile import PlanFile
from ciphermark.plan.selection import Selection
from ciphermark.show import figures

BUDGET_S = 20.0
QUICK_BUDGET_S = 5.0


class Goal(NamedTuple):
    """What a kernel should cost, and the peer that it is compared with."""

    algorithm: str
    message_bytes: int
    peer: str | None
    """Provider and algorithm, as in `cryptopp cmac-serpent-128`."""
    ratio: float | None
    """At most so many times the peer's cycles per byte."""
    cycles_per_byte: float | None = None
    """On a Zen 5."""


GOALS = [
    Goal("cmac-twofish-128", 65536, "cryptopp cmac-twofish-128", 1.3),
    Goal("cmac-serpent-128", 65536, "cryptopp cmac-serpent-128", 1.3),
    # 40 cycles per byte where libtomcrypt's block cipher takes 58.0.
    Goal("uea1", 1500, "libtomcrypt kasumi-ecb", 40 / 58.0, 40),
    # 0.26 where Crypto++'s takes 0.187.
    Goal("vmac-64", 65536, "cryptopp vmac-64", 0.26 / 0.187, 0.26),
    # 0.30 where Nettle's takes 0.241.
    Goal("umac-64", 65536, "nettle umac-64", 0.30 / 0.241, 0.30),
    Goal("hash127", 65536, None, None, 0.6),
]


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    with benchmark("Kernels", engine):
        budget_s = QUICK_BUDGET_S if chosen.quick else BUDGET_S
        for goal in GOALS:
            print_goal(goal, measured(engine, goal, budget_s))


def measured(engine: Engine, goal: Goal, budget_s: float) -> list[Row]:
    """The rows of our backends and of the peer, in one run."""
    peer, algorithm = goal.peer.split() if goal.peer else ("kernels", goal.algorithm)
    # Whole blocks of the peer's cipher.
    sizes = [goal.message_bytes, goal.message_bytes // 8 * 8]
    file = PlanFile(
        title="kernels",
        workload="single",
        algorithms=sorted({goal.algorithm, algorithm}),
        operations=["encrypt", "mac"],
        sizes=sorted(set(sizes)),
        precision=0.01,
        budget_s=budget_s,
        max_cases=100,
    )
    chosen = Selection(providers=sorted({"kernels", peer}), backends=["all"])
    return measure(engine, build(file, chosen, engine.describe()).plan).rows


def print_goal(goal: Goal, rows: list[Row]) -> None:
    """One line for each of our backends."""
    theirs = peer_figure(goal, rows)
    for row in rows:
        if (row.provider, row.algorithm) != ("kernels", goal.algorithm):
            continue
        if row.message_bytes != goal.message_bytes or row.cycles_per_byte is None:
            continue
        what = f"{goal.algorithm} {row.backend}, {goal.message_bytes} bytes"
        value = f"{figures.significant(row.cycles_per_byte)} c/B"
        figure(what, value, target(goal))
        if theirs and goal.peer:
            figure(f"  beside {goal.peer}", f"{figures.significant(theirs)} c/B")
            figure("  ratio", figures.significant(row.cycles_per_byte / theirs))


def peer_figure(goal: Goal, rows: list[Row]) -> float | None:
    """The peer's cycles per byte, by its default backend."""
    if goal.peer is None:
        return None
    found = [row for row in rows if f"{row.provider} {row.algorithm}" == goal.peer]
    values = [row.cycles_per_byte for row in found if row.cycles_per_byte is not None]
    return min(values, default=None)


def target(goal: Goal) -> str:
    said = []
    if goal.cycles_per_byte:
        said.append(f"{goal.cycles_per_byte} c/B on a Zen 5")
    if goal.ratio:
        said.append(f"a ratio of at most {goal.ratio:.2f}")
    return ", ".join(said)


if __name__ == "__main__":
    main()
