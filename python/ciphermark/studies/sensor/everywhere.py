"""All functions on all targets: those of the paper, of its future work, and of today."""

from __future__ import annotations

from collections.abc import Iterator

from ciphermark.contract.simulation import Metric
from ciphermark.show.findings import Cell, Column, Table
from ciphermark.studies.sensor.cases import OTHER_LENGTHS
from ciphermark.studies.sensor.measured import Measured
from ciphermark.studies.sensor.paper import (
    FUNCTIONS,
    FUTURE,
    HASHES,
    SETUP,
    TODAY,
    Work,
    name,
    sending,
    title,
)
from ciphermark.workloads.simulation.remarks import METRICS

BESIDE = 5
"""Targets that have room beside each other on a terminal."""
SHOWN_BYTES = (OTHER_LENGTHS[0], OTHER_LENGTHS[-1])

GROUPS = {"paper": FUNCTIONS, "its future work": FUTURE, "today": TODAY}


def everywhere(measured: Measured) -> Iterator[Table]:
    """One kind of figures after the other, never beside each other."""
    for metric, targets in measured.beside_each_other(BESIDE):
        yield _table(measured, metric, targets)


def _table(measured: Measured, metric: Metric, targets: list[str]) -> Table:
    table = Table(
        title=f"All functions, {METRICS[metric]}: {', '.join(map(name, targets))}",
        columns=[
            Column(heading="of", detail=True),
            *(Column(heading=it) for it in ("function", "operation", "bytes")),
            *(Column(heading=name(it)) for it in targets),
        ],
    )
    for group, algorithms in GROUPS.items():
        for work in _works(algorithms):
            found = [measured.one(target, work) for target in targets]
            if any(found):
                values: list[Cell] = [it and it.value for it in found]
                names = [group, title(work.algorithm), work.operation, work.message_bytes]
                table.rows.append([*names, *values])
    every = [algorithm for algorithms in GROUPS.values() for algorithm in algorithms]
    table.notes += dict.fromkeys(
        f"{title(algorithm)}: {measured.errors[target, algorithm]}"
        for algorithm in every
        for target in targets
        if (target, algorithm) in measured.errors
    )
    return table


def _works(algorithms: tuple[str, ...]) -> Iterator[Work]:
    for algorithm in algorithms:
        if algorithm not in (*HASHES, "sha256"):
            yield Work(algorithm, SETUP)
        for size in SHOWN_BYTES:
            yield Work(algorithm, sending(algorithm), size)
