"""What another build of the engine makes of the same cases, and how long it takes.

    python benchmarks/engines.py OTHER [--passes 5] [--algorithms …] [--providers …] [--budget 60]

Both engines measure the same plan in turn, again and again, so that what wanders on the machine
concerns both; of each case the medians over all passes are compared.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from pathlib import Path

import msgspec
from common import Measured, benchmark, figure, find_engine, measure, percentile_90, plan

from ciphermark.run.engine import Engine
from ciphermark.view import figures
from ciphermark.workloads.single.row import Row

ALGORITHMS = ["aes-128-gcm", "chacha20-poly1305", "hmac-sha256", "md5", "sha256", "cmac-aes-128"]
PROVIDERS = ["openssl", "rustcrypto", "nettle", "kernels"]
SIZES = [16, 256, 1500]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="the engine to compare with")
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--algorithms", nargs="+", default=ALGORITHMS)
    parser.add_argument("--providers", nargs="+", default=PROVIDERS)
    parser.add_argument("--budget", type=float, default=60, help="seconds of a pass, at most")
    chosen = parser.parse_args()
    engines = {"this": find_engine(), "other": Engine(chosen.other)}
    with benchmark("Two builds of the engine", engines["this"]):
        report(engines, chosen)


def report(engines: dict[str, Engine], chosen: argparse.Namespace) -> None:
    description = engines["this"].describe()
    asked = plan(description, chosen.algorithms, SIZES, chosen.budget)
    cases = [it for it in asked.cases if it.provider in chosen.providers]
    asked = msgspec.structs.replace(asked, cases=cases, optional=[])
    cycles: dict[str, dict[tuple, list[float]]] = {name: defaultdict(list) for name in engines}
    seconds: dict[str, list[float]] = defaultdict(list)
    settled: dict[str, list[float]] = defaultdict(list)
    for number in range(chosen.passes):
        for name in sorted(engines, reverse=number % 2 == 1):
            measured: Measured = measure(engines[name], asked)
            seconds[name].append(measured.seconds.total)
            settled[name].append(sum(row.converged for row in measured.rows) / len(cases))
            for row in measured.rows:
                cycles[name][key(row)].append(row.cycles_per_message)
    ratios: dict[int | str | None, list[float]] = defaultdict(list)
    differences: dict[int | str | None, list[float]] = defaultdict(list)
    for case in sorted(cycles["this"].keys() & cycles["other"].keys(), key=str):
        this, other = (statistics.median(cycles[name][case]) for name in ("this", "other"))
        ratios[case[-1]].append(this / other)
        differences[case[-1]].append(this - other)
        algorithm, provider, size = case
        print(
            f"{algorithm:20} {provider:28} {size:>6} bytes  {this:10.1f} {other:10.1f} cycles"
            f"  {this - other:+7.1f} {100 * (this / other - 1):+6.2f} %",
            flush=True,
        )
    every = [ratio for of_size in ratios.values() for ratio in of_size]
    by_size = ((f"{size} bytes", of_size) for size, of_size in ratios.items())
    for name, of_size in [("of all sizes", every), *by_size]:
        figure(f"{name}: this / other, median of {len(of_size)} cases", signed(of_size), "±1 %")
        moved = [abs(ratio - 1) for ratio in of_size]
        figure("    moved by, 90th percentile", f"{100 * percentile_90(moved):.2f} %")
    for size, of_size in differences.items():
        median = statistics.median(of_size)
        figure(f"{size} bytes: this − other, cycles a message", f"{median:+.1f}")
    for name in engines:
        figure(f"{name}: seconds, median", figures.significant(statistics.median(seconds[name])))
        figure(f"{name}: settled", f"{100 * statistics.median(settled[name]):.1f} %")
    together = [a / b for a, b in zip(seconds["this"], seconds["other"], strict=True)]
    figure("time, this / other", signed(together), "at most +10 %")


def key(row: Row) -> tuple[str, str, int | str | None]:
    return row.algorithm, f"{row.provider} {row.backend}", row.size


def signed(ratios: list[float]) -> str:
    return f"{100 * (statistics.median(ratios) - 1):+.2f} %"


if __name__ == "__main__":
    main()
