"""How long one case takes to ±1 %, beside what one figure takes with the tools of other libraries.

Every question (algorithm and size) is a run of its own: both providers are verified, their answers
are compared, and both are measured until they have converged. Half of that time is one case's.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable
from itertools import product

from common import (
    Measured,
    benchmark,
    figure,
    find_engine,
    measure,
    milliseconds,
    options,
    percentile_90,
    plan,
    spreads,
)
from peers import OPENSSL, Cell, Peer, Reading, installed

from ciphermark import contract
from ciphermark.run.engine import Engine

SIZES = [16, 256, 1024, 16384]
PEER_SIZES = [16, 1024]
REPEATS = 5
BUDGET_S = 1.0
"""For a question: what has not converged by then counts as it is."""

Ours = dict[Cell, list[Measured]]
Theirs = dict[Cell, list[Reading]]


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    repeats = 2 if chosen.quick else REPEATS
    questions = [Cell(*it) for it in product(OPENSSL, [16, 1024] if chosen.quick else SIZES)]
    asked = [Cell(*it) for it in product(OPENSSL, [1024] if chosen.quick else PEER_SIZES)]
    with benchmark("Time of one case", engine) as environment:
        peers = installed(environment.state.cpu)
        ours, theirs = interleaved(engine, questions, peers, asked, repeats)
        print_questions(ours)
        print_case(ours)
        print_tools(ours, peers, theirs, repeats)


def interleaved(
    engine: Engine, questions: list[Cell], peers: list[Peer], asked: list[Cell], repeats: int
) -> tuple[Ours, dict[str, Theirs]]:
    """All questions and all peers in turn, so that other load hits all alike."""
    description = engine.describe()
    ours: Ours = defaultdict(list)
    theirs: dict[str, Theirs] = {peer.title: defaultdict(list) for peer in peers}
    for _ in range(repeats):
        for question in questions:
            ours[question].append(ask(engine, description, question))
        for peer in peers:
            for cell, reading in peer.read(asked).items():
                theirs[peer.title][cell].append(reading)
    return ours, theirs


def ask(engine: Engine, description: contract.Description, question: Cell) -> Measured:
    algorithms, sizes = [question.algorithm], [question.message_bytes]
    return measure(engine, plan(description, algorithms, sizes, BUDGET_S))


def print_questions(ours: Ours) -> None:
    """The phases of each question, medians of its repeats."""
    print(f"{'two providers, ms':30} {'verifying':>10} {'measuring':>10} {'groups':>8} {'±1 %':>8}")
    for question, measured in ours.items():
        verifying = statistics.median(it.seconds.verifying for it in measured) * 1e3
        measuring = statistics.median(it.seconds.measuring for it in measured) * 1e3
        rows = [row for it in measured for row in it.rows]
        groups = statistics.median(row.groups for row in rows) if rows else 0
        converged = f"{sum(row.converged for row in rows)}/{sum(it.cases for it in measured)}"
        print(f"{question!s:30} {verifying:10.1f} {measuring:10.1f} {groups:8g} {converged:>8}")


def print_case(ours: Ours) -> None:
    every = runs(ours)
    per_case = [it.seconds_per_case for it in every]
    print(f"\n{len(ours)} questions, {len(every)} runs, {sum(it.cases for it in every)} cases")
    figure("one case, cross-checks included: median", median_ms(per_case), "at most 20 ms")
    figure("  90th percentile", milliseconds(percentile_90(per_case)))
    figure("  of it verification, median", median_ms(it.seconds.verifying / 2 for it in every))
    figure("  of it measuring, median", median_ms(it.seconds.measuring / 2 for it in every))
    figure("once per run: process start, clocks", median_ms(it.seconds.opening for it in every))


def print_tools(ours: Ours, peers: list[Peer], theirs: dict[str, Theirs], repeats: int) -> None:
    """Time per cell and run-to-run spread of every tool."""
    print(f"\n{'tool':14} {'cells':>6} {'time per cell':>14} {'CV, median':>12} {'CV, p90':>10}")
    seconds = [it.seconds_per_case for it in runs(ours)]
    print_tool("ciphermark", seconds, spreads(figures_of_openssl(ours)))
    for peer in peers:
        cells = theirs[peer.title].values()
        times = [reading.seconds for readings in cells for reading in readings]
        rates = [[reading.bytes_per_second for reading in readings] for readings in cells]
        print_tool(peer.title, times, spreads(rates))
    print(f"CV of the reported rate (ciphermark: cycles per byte) over {repeats} repeats")
    for peer in peers:
        print(f"{peer.title}: {peer.command}")


def runs(ours: Ours) -> list[Measured]:
    return [it for measured in ours.values() for it in measured]


def figures_of_openssl(ours: Ours) -> list[list[float]]:
    """Cycles per byte of the same library that `openssl speed` measures, by question."""
    return [
        [row.cycles_per_byte for it in measured for row in it.rows if row.provider == "openssl"]
        for measured in ours.values()
    ]


def print_tool(title: str, seconds: list[float], spreads: list[float]) -> None:
    time = milliseconds(statistics.median(seconds))
    median, high = statistics.median(spreads), percentile_90(spreads)
    print(f"{title:14} {len(spreads):6} {time:>14} {100 * median:10.2f} % {100 * high:8.2f} %")


def median_ms(values: Iterable[float]) -> str:
    return milliseconds(statistics.median(values))


if __name__ == "__main__":
    main()
