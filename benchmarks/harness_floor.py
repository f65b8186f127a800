"""What of a small figure is the harness's: an empty provider, the loop's cost, the slice's length.

The empty provider goes the whole way of a real one and does nothing. What is left of it when the
loop's cost, measured apart in the same process, is subtracted should be zero.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import NamedTuple

import msgspec
from common import benchmark, figure, find_engine, measure, options, plan

from ciphermark.analyse.row import Row
from ciphermark.measure.engine import Engine
from ciphermark.record import contract

PROCESSES = 5
SMALL_BYTES = 16
REAL = ["sha256", "aes-128-gcm", "hmac-sha256", "chacha20-poly1305"]
SHORT_US = contract.Sampling().slice_us
LONG_US = 150.0
BUDGET_S = 5.0
EMPTY_BUDGET_S = 0.5
"""A figure of zero has no precision of a per cent to converge to, so time ends it."""


class Small(NamedTuple):
    """A case at the smallest size."""

    algorithm: str
    provider: str
    operation: str

    @classmethod
    def of(cls, row: Row) -> Small:
        return cls(row.algorithm, row.provider, row.operation)


Rows = dict[Small, list[Row]]


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    processes = 2 if chosen.quick else PROCESSES
    with benchmark("The harness's share", engine):
        real = plan(engine.describe(), REAL, [SMALL_BYTES], BUDGET_S)
        print_empty(repeated(engine, empty_plan(real), processes), processes)
        short, long = short_and_long(engine, real, processes)
        print_shares(short)
        print_bias(short, long)


def empty_plan(real: contract.Plan) -> contract.Plan:
    """The three loops of the harness: replayed messages, fresh nonces, key setup."""
    operations = {"setup": None, "seal": SMALL_BYTES, "open": SMALL_BYTES}
    cases = [
        contract.Case(
            case=number,
            algorithm="empty",
            operation=operation,
            provider="empty",
            backend="default",
            message_bytes=size,
        )
        for number, (operation, size) in enumerate(operations.items())
    ]
    return msgspec.structs.replace(real, cases=cases, budget_s=EMPTY_BUDGET_S)


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
    print(f"empty provider, {SMALL_BYTES} B, cycles per message: median of {processes} engine runs")
    for case, rows in empty.items():
        left = [row.cycles_per_message for row in rows]
        loop = statistics.median(row.loop_cycles for row in rows)
        figure(f"{case.operation}: the loop's cost, measured apart", f"{loop:.2f}")
        figure("  left when it is subtracted", f"{statistics.median(left):+.2f}", "within ±2")
        figure("  lowest and highest run", f"{min(left):+.2f} {max(left):+.2f}", "within ±2")


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
    figure("median difference", f"{100 * statistics.median(differences):+.2f} %")


def median_cycles(rows: list[Row]) -> float:
    return statistics.median(row.cycles_per_message for row in rows)


if __name__ == "__main__":
    main()
