"""Costs by blocks from a few simulated sizes beside the simulated costs at other sizes: how many of
the intervals hold, how wide they are, and how far the figures are off."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from common import CIPHERMARK, benchmark, figure, find_engine, options

from ciphermark.answers.models.block_model import passes_of
from ciphermark.answers.models.own_costs import by_blocks
from ciphermark.view import figures

TARGETS = ("cortex-m0", "atmega128", "cortex-m4", "rv32imc")
SIZES = (*range(1, 81), 96, 100, 120, 127, 128, 129, 160, 200, 255, 256)
KNOWN = ((32,), (16, 32), (16, 64), (20, 50), (16, 32, 64), (8, 16, 24, 64, 128))
"""Sizes that predictions are from; what is not a size of a function is left out."""

HELD = 0.95
LONGEST_S = 1800

Kernel = tuple[str, str, str, str]
"""Target, algorithm, operation and backend."""


class Compared(NamedTuple):
    """One prediction beside the simulated cost."""

    kernel: Kernel
    holds: bool
    half_width: float
    """Of the interval, as a share of the cost."""
    error: float


def main() -> None:
    chosen = options(__doc__)
    targets = TARGETS[:1] if chosen.quick else TARGETS
    with benchmark("Costs by blocks", find_engine()):
        costs = _simulated(targets)
        figure("kernels and operations", figures.grouped(len(costs)))
        for backend in ("reference", "table", "portable"):
            for known in KNOWN:
                found = [it for it in _compared(costs, known) if it.kernel[3] == backend]
                if found:
                    _print(f"{backend} from {', '.join(map(str, known))} bytes", found)
        missed: dict[Kernel, int] = defaultdict(int)
        for it in (it for known in KNOWN for it in _compared(costs, known)):
            missed[it.kernel] += not it.holds
        for kernel in sorted(missed, key=lambda it: -missed[it])[:5]:
            figure(f"intervals that miss, {' '.join(kernel)}", str(missed[kernel]))


def _print(name: str, found: list[Compared]) -> None:
    held = float(np.mean([it.holds for it in found]))
    figure(f"{name}: intervals that hold", figures.percent(held), f"at least {HELD:.0%}")
    widths, errors = ([getattr(it, field) for it in found] for field in ("half_width", "error"))
    figure("  median half-width", figures.percent(float(np.median(widths))))
    figure("  median and 90 % error", _quantiles(errors))


def _quantiles(values: list[float]) -> str:
    return ", ".join(figures.percent(float(np.quantile(values, it))) for it in (0.5, 0.9))


def _compared(costs: dict[Kernel, dict[int, float]], sizes: tuple[int, ...]) -> Iterator[Compared]:
    for kernel, of_sizes in costs.items():
        _, algorithm, _, backend = kernel
        known = {size: of_sizes[size] for size in sizes if size in of_sizes}
        for size, cost in of_sizes.items():
            found = by_blocks(known, passes_of(algorithm, backend), size) if known else None
            if size not in known and found is not None:
                yield Compared(
                    kernel,
                    found.low <= cost <= found.high,
                    (found.high - found.low) / 2 / cost,
                    abs(found.cycles / cost - 1),
                )


def _simulated(targets: tuple[str, ...]) -> dict[Kernel, dict[int, float]]:
    sizes = ",".join(map(str, SIZES))
    with tempfile.TemporaryDirectory(prefix="ciphermark-") as runs:
        command = ["simulate", ",".join(targets), "--backends", "reference,table,portable"]
        ended = subprocess.run(
            [*CIPHERMARK, *command, "--sizes", sizes, "--json", "--runs", runs],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=LONGEST_S,
            check=False,
        )
    found: dict[Kernel, dict[int, float]] = defaultdict(dict)
    for row in json.loads(ended.stdout)["rows"]:
        if row["message_bytes"] is not None and row["value"]:
            kernel = (row["target"], row["algorithm"], row["operation"], row["backend"])
            found[kernel][row["message_bytes"]] = row["value"]
    return found


if __name__ == "__main__":
    main()
