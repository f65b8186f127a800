"""What of a small figure is the harness's: empty functions, functions of known cost, warm-up.

The empty provider goes the whole way of a real one and does nothing, behind each kind of adapter.
What is left of it when the loop's cost, measured apart in the same process, is subtracted should be
zero. Its other functions take a known time: how far their figures are off says how much of the
loop's cost is hidden behind real work.
"""

from __future__ import annotations

import itertools
import statistics
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import msgspec
from common import benchmark, figure, find_engine, measure, options, plan

from ciphermark import contract
from ciphermark.run.engine import Engine
from ciphermark.workloads.single.row import Row

PROCESSES = 5
SMALL_BYTES = 16
REAL = ["sha256", "aes-128-gcm", "hmac-sha256", "chacha20-poly1305"]
SHORT_US = contract.Sampling().slice_us
LONG_US = 150.0
BUDGET_S = 5.0
EMPTY_BUDGET_S = 0.5
"""A figure of zero has no precision of a per cent to converge to, so time ends it."""


ADAPTERS = {"default": "direct", "row": "row of kernel.h"}
"""Backends of the empty provider that do nothing, and what lies before them."""

WAYS = [
    {"operation": "seal"},
    {"operation": "open"},
    {"operation": "setup"},
    {"operation": "seal", "pattern": "rekeyed"},
    {"operation": "seal", "pattern": "incremental", "chunk_bytes": SMALL_BYTES},
    {"operation": "seal", "keys": 64},
    {"operation": "seal", "lanes": 8},
]
"""Each has a loop of its own."""

WORKS = {"dependent": [32, 64, 128, 256, 512], "independent": [128, 256, 512, 1024, 2048]}
"""Additions, one a byte, that wait for each other or do not; as many as short messages cost."""

LONG_WORK = 8192
"""Beside which the loop is nothing: tells what one addition costs."""


class Small(NamedTuple):
    """A case at a small size."""

    algorithm: str
    provider: str
    backend: str
    operation: str
    pattern: str
    keys: int
    lanes: int
    message_bytes: int | None

    @classmethod
    def of(cls, row: Row) -> Small:
        return cls(*(getattr(row, name) for name in cls._fields))

    @property
    def way(self) -> str:
        """How it is called: `seal`, `seal rekeyed`, `seal, 8 lanes`."""
        pattern = "" if self.pattern == "reused-key" else f" {self.pattern}"
        keys = "" if self.keys == 1 else f", {self.keys} keys"
        return f"{self.operation}{pattern}{keys}" + ("" if self.lanes == 1 else ", 8 lanes")


Rows = dict[Small, list[Row]]


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    processes = 2 if chosen.quick else PROCESSES
    with benchmark("The harness's share", engine) as environment:
        real = plan(engine.describe(), REAL, [SMALL_BYTES], BUDGET_S)
        print_empty(repeated(engine, empty_plan(real), processes), processes)
        print_known(repeated(engine, known_plan(real), processes))
        short, long = short_and_long(engine, real, processes)
        print_shares(short)
        print_bias(short, long)
        print_warm_up(environment.state.cpu)


def empty_plan(real: contract.Plan) -> contract.Plan:
    """The loops of the harness around nothing, behind each adapter."""
    cases = [
        empty_case(
            number, backend, size=None if way["operation"] == "setup" else SMALL_BYTES, **way
        )
        for number, (backend, way) in enumerate(itertools.product(ADAPTERS, WAYS))
    ]
    return msgspec.structs.replace(real, cases=cases, optional=[], budget_s=2 * EMPTY_BUDGET_S)


def known_plan(real: contract.Plan) -> contract.Plan:
    """Functions of known cost behind each adapter, and what tells their cost."""
    works = [
        (known_backend(adapter, work), size)
        for work, sizes in WORKS.items()
        for size in [*sizes, LONG_WORK]
        for adapter in ADAPTERS
    ]
    cases = [
        empty_case(number, backend, "seal", size) for number, (backend, size) in enumerate(works)
    ]
    return msgspec.structs.replace(real, cases=cases, optional=[])


def known_backend(adapter: str, work: str) -> str:
    return work if adapter == "default" else f"{adapter}-{work}"


def empty_case(
    number: int, backend: str, operation: str, size: int | None, **way: object
) -> contract.Case:
    return contract.Case(
        case=number,
        algorithm="empty",
        operation=operation,
        provider="empty",
        backend=backend,
        message_bytes=size,
        **way,
    )


def repeated(engine: Engine, plan: contract.Plan, processes: int) -> Rows:
    """The rows of so many engine processes, by case."""
    found: Rows = defaultdict(list)
    for _ in range(processes):
        for row in measure(engine, plan).rows:
            found[Small.of(row)].append(row)
    return found


def short_and_long(engine: Engine, real: contract.Plan, processes: int) -> tuple[Rows, Rows]:
    """The same cases with slices of the usual length and with long ones, in turn."""
    short, long = defaultdict(list), defaultdict(list)
    slow = msgspec.structs.replace(
        real, sampling=msgspec.structs.replace(real.sampling, slice_us=LONG_US)
    )
    for _ in range(processes):
        for measured, rows in ((real, short), (slow, long)):
            for case, found in repeated(engine, measured, processes=1).items():
                rows[case] += found
    return short, long


def print_empty(empty: Rows, processes: int) -> None:
    print(
        f"empty functions, {SMALL_BYTES} B, cycles per message: median of {processes} engine runs"
    )
    print(
        "the loop's cost, measured apart; what is left when it is subtracted; lowest, highest run"
    )
    for case, rows in empty.items():
        left = [row.cycles_per_message for row in rows]
        loop = [row.loop_cycles for row in rows]
        figure(
            f"{ADAPTERS[case.backend]}, {case.way}: {statistics.median(loop):.2f}",
            f"{statistics.median(left):+.2f} ({min(left):+.2f} {max(left):+.2f})",
            "within ±2",
        )


def print_known(known: Rows) -> None:
    print("\nfunctions of known cost, cycles per message: known, printed, and the difference")
    print("the loop's whole cost is subtracted, so what is hidden of it is missing from the figure")
    for work, sizes in WORKS.items():
        for adapter, name in ADAPTERS.items():
            there = {
                case.message_bytes: rows
                for case, rows in known.items()
                if case.backend == known_backend(adapter, work)
            }
            if LONG_WORK not in there:
                continue
            one = median_cycles(there[LONG_WORK]) / LONG_WORK
            for size in (it for it in sizes if it in there):
                loop = statistics.median(row.loop_cycles for row in there[size])
                printed = median_cycles(there[size])
                figure(
                    f"{name}, {size} {work} additions: {size * one:.1f}, {printed:.1f}",
                    f"{printed - size * one:+.2f}",
                    f"within −{loop:.1f} … 0, the loop's cost",
                )


def print_shares(real: Rows) -> None:
    print(f"\nthe loop at {SMALL_BYTES} B: its part of loop and function together")
    for case, rows in real.items():
        loop = statistics.median(row.loop_cycles for row in rows)
        function = median_cycles(rows)
        share = f"{loop:.1f} of {loop + function:.0f}, {100 * loop / (loop + function):.1f} %"
        figure(f"{case.algorithm} {case.operation}, {case.provider}", share)


def print_bias(short: Rows, long: Rows) -> None:
    print(
        f"\nslices of {SHORT_US:g} µs against {LONG_US:g} µs at {SMALL_BYTES} B, cycles per message"
    )
    differences = []
    for case in [it for it in short if it in long]:
        brief, slow = median_cycles(short[case]), median_cycles(long[case])
        differences.append(brief / slow - 1)
        text = f"{brief:.1f} / {slow:.1f}, {100 * differences[-1]:+.1f} %"
        figure(f"{case.algorithm} {case.operation}, {case.provider}", text)
    if differences:
        figure("median difference", f"{100 * statistics.median(differences):+.2f} %")
    else:
        print("every slice of one length or the other was disturbed")


def print_warm_up(cpu: int) -> None:
    """The first slices of wide vector code after a pause."""
    print("\nslices of 12 µs after a pause of 10 ms, % over later ones; the first is not timed")
    print("slices of 1 µs in which the core stops, right after a look at the clock and not")
    cargo = ["cargo", "run", "--release", "--quiet", "--locked", "-p", "ciphermark-harness"]
    done = subprocess.run(
        [*cargo, "--example", "warm_up", str(cpu)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent.parent,
        timeout=600,
    )
    print(done.stdout.rstrip() if done.returncode == 0 else "not here: cargo cannot build it")


def median_cycles(rows: list[Row]) -> float:
    return statistics.median(row.cycles_per_message for row in rows)


if __name__ == "__main__":
    main()
