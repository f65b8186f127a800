"""Rates of this processor's instructions, and ciphermark's kernels beside the limits that follow.

The limit of a kernel is the largest of several: the units of each kind of instruction, units that
kinds share, all vector units, loads, stores, and the instructions that the core can start. It
leaves out instructions that wait for each other, cache misses and the C library.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from common import benchmark, find_engine

from ciphermark import contract
from ciphermark.errors import UsageError, WorkError
from ciphermark.plan import names, quantities
from ciphermark.view import figures

LANES = 192
"""Packets of a call, as in docs/3gpp.md."""

MOST_LANES = 4096
LARGEST_BYTES = 1 << 20
"""Bounds of the engine."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--algorithms", help="names or patterns; default: those of 3GPP and the universal hashes"
    )
    parser.add_argument("--backends", default="", help="default: the fastest of each algorithm")
    parser.add_argument("--sizes", default="", help="message sizes, as 40,1500 or 4K")
    parser.add_argument("--lanes", type=int, default=LANES, help="packets of a call; default: 192")
    parser.add_argument("--quick", action="store_true", help="messages of 64 bytes alone")
    chosen = parser.parse_args()
    sizes = "64" if chosen.quick else chosen.sizes
    lengths = [size for part in names.split(sizes) for size in quantities.sizes(part)]
    if not all(0 < size <= LARGEST_BYTES for size in lengths):
        raise UsageError(f"--sizes {sizes} is not a list of sizes from 1 byte to 1M")
    if not 0 < chosen.lanes <= MOST_LANES:
        raise UsageError(
            f"--lanes {chosen.lanes} is not a number of packets from 1 to {MOST_LANES}"
        )
    engine = find_engine()
    with benchmark("Limits of this processor", engine):
        algorithms = chosen.algorithms and names.algorithm_names(
            chosen.algorithms, engine.describe()
        )
        backends = names.split(chosen.backends)
        found = engine.processor_limits(algorithms or (), backends, lengths, chosen.lanes)
        print_rates(found)
        print_kernels(found.kernels)


def print_rates(limits: contract.Limits) -> None:
    """Prints core cycles by kind of instruction and width of its registers."""
    if limits.unavailable:
        print(f"{limits.unavailable}.")
        return
    print("Core cycles from one instruction of a kind to the next")
    print(f"{'kind':30}{'instruction':14}{'bits':>6}{'cycles':>8}{'of all vector units':>21}")
    for rate in limits.rates:
        units = "" if rate.vector_cycles is None else figures.grouped(rate.vector_cycles, 2)
        cells = f"{rate.bits:>6}{figures.grouped(rate.cycles, 2):>8}{units:>21}"
        others = ", ".join(other for other in rate.shares if other != rate.kind)
        shared = f"  adds up with {others}" if others else ""
        print(f"{rate.kind:30}{rate.instruction:14}{cells}{shared}".rstrip())


def print_kernels(kernels: Sequence[contract.KernelLimit]) -> None:
    """Prints each kernel's time beside its limit, in cycles per byte."""
    print("\nKernels of ciphermark, per byte")
    heads = ("packets", "bytes", "instr.", "loads", "stores", "limit", "time", "share")
    print(f"{'function':18}{'backend':20}{''.join(f'{head:>8}' for head in heads)}  limited by")
    for kernel in kernels:
        share = (
            figures.percent(kernel.limit_cycles / kernel.cycles)
            if kernel.limit_cycles and kernel.cycles
            else ""
        )
        costs = (
            *(kernel.instructions or None, kernel.loads or None, kernel.stores or None),
            *(kernel.limit_cycles, kernel.cycles),
        )
        shown = ["" if cost is None else figures.significant(cost) for cost in costs]
        cells = [str(kernel.lanes), str(kernel.message_bytes), *shown, share]
        line = f"{kernel.algorithm:18}{kernel.backend:20}{''.join(f'{it:>8}' for it in cells)}"
        print(f"{line}  {kernel.limited_by or kernel.error or ''}")
    if not kernels:
        print("none with this name: ciphermark list kernels prints all")


if __name__ == "__main__":
    try:
        main()
    except (UsageError, WorkError) as error:
        sys.exit(f"limits.py: {error}")
