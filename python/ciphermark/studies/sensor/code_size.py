"""Figure 4: code size."""

from __future__ import annotations

from collections.abc import Iterator

from ciphermark.show.findings import Cell, Column, Table
from ciphermark.studies.sensor.measured import Measured
from ciphermark.studies.sensor.paper import FUNCTIONS, FUTURE, TODAY, name, title

Sizes = dict[str, dict[str, int]]
"""Bytes by target and algorithm."""


def code_bytes(measured: Measured, algorithms: tuple[str, ...] = FUNCTIONS) -> Sizes:
    """Instructions and constant tables of each algorithm with all of its operations."""
    found: Sizes = {}
    for target in measured.targets:
        by_algorithm = measured.of_algorithms(target, algorithms)
        found[target] = {
            algorithm: max(sizes)
            for algorithm in algorithms
            if (sizes := [it.code_bytes for it in by_algorithm.get(algorithm, []) if it.code_bytes])
        }
    return found


def code(measured: Measured) -> Iterator[Table]:
    """Of the paper's functions, which it drew without numbers, and of the others."""
    heading = "Figure 4: code size, bytes"
    yield _table(measured, heading, {"the paper": FUNCTIONS, "its future work": FUTURE})
    yield _table(measured, f"{heading}: functions of today", {"": TODAY})


def _table(measured: Measured, heading: str, groups: dict[str, tuple[str, ...]]) -> Table:
    algorithms = tuple(it for group in groups.values() for it in group)
    table = Table(
        title=heading,
        columns=[
            Column(heading="target"),
            *(
                Column(heading=title(algorithm), group=group)
                for group, those in groups.items()
                for algorithm in those
            ),
        ],
        notes=[
            "instructions and constant tables of the function alone, without libraries: what a "
            "processor without a multiplier calls to multiply is not in it"
        ],
    )
    for target, sizes in code_bytes(measured, algorithms).items():
        if sizes:
            values: list[Cell] = [sizes.get(algorithm) for algorithm in algorithms]
            table.rows.append([name(target), *values])
    return table
