"""What the page that compares two runs needs of each: its cases with their figures, and of runs
whose samples are at hand the medians of the groups.

Two of ten thousand runs cannot be compared beforehand. The page does what
`workloads.single.comparison` does, from what is computed here: of each row the standard errors of
the logarithm of its cost (`statistics.ratio`), and of each case the cost in each round.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ciphermark.contract.others import UNKNOWN_MACHINE
from ciphermark.record.case_row import way
from ciphermark.statistics.quantiles import FEWEST_GROUPS, interval_rank, student_quantile
from ciphermark.statistics.ratio import (
    BY_CHANCE,
    Z_CONFIDENCE,
    Z_POWER,
    OrderStatistics,
    interval_quantile,
    standard_errors,
)
from ciphermark.workload import workload_of
from ciphermark.workloads.single.comparison import NO_VERDICT
from ciphermark.workloads.single.ratio import order_statistics

if TYPE_CHECKING:
    import pyarrow as pa

    from ciphermark.record.run import Context
    from ciphermark.workloads.single.row import Row

DIGITS = 10
"""Significant digits of a figure that is compared: its error is far below any interval."""

TEXTS = (
    *("algorithm", "operation", "provider", "backend_asked", "backend", "profile"),
    *("workload", "pattern", "offload", "buffers", "after"),
)
NUMBERS = ("message_bytes", "chunk_bytes", "lanes", "keys")


def cases(context: Context, rows: Sequence[Row]) -> dict[str, Any]:
    """The cases of a run, column by column; texts are numbers of a list of them."""
    workload = workload_of(context.workload)
    texts: dict[str, int] = {}

    def number(text: str | None) -> int:
        return -1 if text is None else texts.setdefault(text, len(texts))

    columns: dict[str, list[Any]] = {
        name: [number(getattr(row, name)) for row in rows] for name in TEXTS
    }
    columns |= {name: [getattr(row, name) for row in rows] for name in NUMBERS}
    errors = [_standard_errors(row) for row in rows]
    columns |= {
        "case": [row.case for row in rows],
        "switches": [number(_switches(row.switches)) for row in rows],
        "way": [number(way(row)) for row in rows],
        "cycles": [_rounded(row.cycles_per_message) for row in rows],
        "low": [_rounded(row.cycles_per_message_low) for row in rows],
        "high": [_rounded(row.cycles_per_message_high) for row in rows],
        "ns": [_rounded(row.ns_per_message) for row in rows],
        "mbytes": [_rounded(row.mbytes_per_second) for row in rows],
        "below": [_rounded(below) for below, _, _ in errors],
        "above": [_rounded(above) for _, above, _ in errors],
        "degrees": [degrees for _, _, degrees in errors],
        "converged": [int(row.converged) for row in rows],
        "error": [number(row.error.message if row.error else None) for row in rows],
        "reason": [number(row.not_converged_reason) for row in rows],
    }
    hello = context.hello
    return {
        "run": context.run,
        "machine": context.machine_name,
        "kind": context.machine_kind,
        "unknown_machine": context.machine_name == UNKNOWN_MACHINE,
        "subject": workload.subject,
        "of_messages": workload.of_messages,
        "measured_here": workload.measured_here,
        "cycle_source": context.cycle_source,
        "engine": msgspec.json.encode(hello.engine).decode() if hello else None,
        "interrupted": context.interrupted,
        "versions": {provider.name: provider.version for provider in hello.providers}
        if hello
        else {},
        "texts": list(texts),
        "columns": columns,
    }


def groups(samples: pa.Table, reproducibility: float) -> dict[str, Any]:
    """Of each case the rounds in which it has an undisturbed group of positive cost, the logarithm
    of that cost, and the process that took it; equal lists are kept once. `reproducibility` is what
    ratios of cases move by from run to run, as `Rule` has it."""
    from ciphermark.workloads.single.groups import groups_by_case

    lists: dict[tuple[int, ...], int] = {}

    def number(values: list[int]) -> int:
        return lists.setdefault(tuple(values), len(lists))

    found: dict[int, list[Any]] = {}
    for case, of in groups_by_case(samples).items():
        kept = of.cycles > 0
        logs = [round(math.log(cost), DIGITS) for cost in of.cycles[kept].tolist()]
        rounds, process = of.rounds[kept].tolist(), of.process[kept].tolist()
        found[case] = [of.processes, number(rounds), number(process), logs]
    return {
        "reproducibility": reproducibility,
        "lists": [list(values) for values in lists],
        "cases": found,
    }


def constants(most: int, most_pairs: int) -> dict[str, Any]:
    """Numbers that the page's arithmetic shares with `statistics.ratio`, with the ranks of medians
    of up to so many values, and Student's quantiles for up to so many pairs of cases."""
    counts = range(FEWEST_GROUPS, most + 1)
    return {
        "fewest": FEWEST_GROUPS,
        "z_confidence": Z_CONFIDENCE,
        "z_power": Z_POWER,
        "by_chance": BY_CHANCE,
        "no_verdict": NO_VERDICT,
        "ranks": [interval_rank(count) for count in counts],
        "quantiles": [interval_quantile(OrderStatistics(count)) for count in counts],
        "students": [
            [student_quantile(share, degrees) for share in (0.975, 0.8)]
            for degrees in range(1, most_pairs)
        ],
    }


def _standard_errors(row: Row) -> tuple[float | None, float | None, int | None]:
    """Of the logarithm of a row's cost, downwards and upwards, and their degrees of freedom."""
    low, high = row.cycles_per_message_low, row.cycles_per_message_high
    cycles = row.cycles_per_message
    if not cycles or cycles <= 0 or low is None or high is None or low <= 0:
        return None, None, None
    of = order_statistics(row)
    below, above = standard_errors(cycles, (low, high), of)
    return below, above, None if of is None else of.observations - 1


def _switches(switches: dict[str, str]) -> str:
    return "" if not switches else msgspec.json.encode(sorted(switches.items())).decode()


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")
