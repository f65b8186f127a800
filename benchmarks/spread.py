"""How far figures of separate processes lie apart, beside those of `openssl speed`.

Each repeat is one engine process that measures every cell to ±1 %, and one `openssl speed` process
of 1 s for each cell. What is compared is the same library on the same CPU, in turn.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from itertools import product

from common import (
    Measured,
    benchmark,
    cv,
    figure,
    find_engine,
    measure,
    milliseconds,
    options,
    percentile_90,
    plan,
    spreads,
)
from peers import Cell, Peer, installed

from ciphermark.run.engine import Engine

ALGORITHMS = ["sha256", "aes-128-cbc", "aes-128-gcm"]
SIZES = [16, 256, 1024, 16384]
PROCESSES = 10
BUDGET_S = 10.0

Figures = dict[Cell, list[float]]


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    processes = 3 if chosen.quick else PROCESSES
    with benchmark("Spread between processes", engine) as environment:
        peers = {peer.title: peer for peer in installed(environment.state.cpu)}
        ours, theirs = in_turn(engine, peers.get("OpenSSL"), processes)
        print_cells(ours, theirs)
        print_summary(ours, theirs, processes)


def in_turn(engine: Engine, openssl: Peer | None, processes: int) -> tuple[Ours, Figures]:
    """One engine process and one `openssl speed` per cell, repeated."""
    description = engine.describe()
    ours, theirs = Ours(), defaultdict(list)
    cells = [Cell(*it) for it in product(ALGORITHMS, SIZES)]
    for _ in range(processes):
        ours.add(measure(engine, plan(description, ALGORITHMS, SIZES, BUDGET_S)))
        for cell, reading in (openssl.read(cells) if openssl else {}).items():
            theirs[cell].append(reading.bytes_per_second)
    return ours, theirs


class Ours:
    """Cycles per byte of every cell in each process, by provider."""

    def __init__(self) -> None:
        self.by_provider: dict[str, Figures] = defaultdict(lambda: defaultdict(list))
        self.seconds_per_case: list[float] = []
        self.cases = self.converged = 0

    def add(self, measured: Measured) -> None:
        self.seconds_per_case.append(measured.seconds.total / measured.cases)
        self.cases += measured.cases
        for row in measured.rows:
            cell = Cell(row.algorithm, row.message_bytes)
            self.by_provider[row.provider][cell].append(row.cycles_per_byte)
            self.converged += row.converged


def print_cells(ours: Ours, theirs: Figures) -> None:
    """The spread of each cell, in per cent."""
    columns = [*ours.by_provider, "openssl speed"]
    figures = [*ours.by_provider.values(), theirs]
    print(f"{'CV in %':24}" + "".join(f"{name:>16}" for name in columns))
    for cell in next(iter(ours.by_provider.values())):
        print(f"{cell!s:24}" + "".join(f"{spread_text(it[cell]):>16}" for it in figures))


def spread_text(values: list[float]) -> str:
    return f"{100 * cv(values):.2f}" if len(values) > 1 else "-"


def print_summary(ours: Ours, theirs: Figures, processes: int) -> None:
    cells = len(next(iter(ours.by_provider.values())))
    print(f"\nCV over {processes} processes, median of {cells} cells (90th percentile)")
    for provider, figures in ours.by_provider.items():
        figure(f"ciphermark, {provider}, cycles per byte", spread_of(figures))
    if theirs:
        figure("taskset -c CPU openssl speed -mr -seconds 1 -bytes …, bytes/s", spread_of(theirs))
        ratio = median_cv(ours.by_provider["openssl"]) / median_cv(theirs)
        figure("ciphermark's median over that of openssl speed", f"{ratio:.2f}", "at most 0.5")
    seconds = statistics.median(ours.seconds_per_case)
    figure("time per case, process start included", milliseconds(seconds))
    figure("cases converged", f"{ours.converged} of {ours.cases}")


def spread_of(figures: Figures) -> str:
    high = percentile_90(spreads(figures.values()))
    return f"{100 * median_cv(figures):.2f} % ({100 * high:.2f} %)"


def median_cv(figures: Figures) -> float:
    return statistics.median(spreads(figures.values()))


if __name__ == "__main__":
    main()
