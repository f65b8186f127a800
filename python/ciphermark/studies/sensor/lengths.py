"""Every length from 0 to 130 bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ciphermark.show.findings import Column, Table
from ciphermark.studies.sensor.measured import Measured
from ciphermark.studies.sensor.paper import (
    FUNCTIONS,
    HASHES,
    LONGEST,
    TITLES,
    Work,
    hash_blocks,
    name,
    sending,
)
from ciphermark.workloads.simulation.remarks import METRICS

BESIDE = 4
"""Targets that have room beside each other on a terminal."""


class Step(NamedTuple):
    """Lengths for which a function does the same number of steps."""

    algorithm: str
    lengths: range


def steps(algorithm: str) -> list[Step]:
    """Of a hash the lengths with as many blocks."""
    ends = [size for size in range(LONGEST) if hash_blocks(size) < hash_blocks(size + 1)]
    starts = [0, *(end + 1 for end in ends)]
    return [
        Step(algorithm, range(first, last + 1))
        for first, last in zip(starts, [*ends, LONGEST], strict=True)
    ]


def costs_of(measured: Measured, target: str, step: Step) -> list[int]:
    """What the lengths of a step cost that were simulated."""
    work = Work(step.algorithm, sending(step.algorithm))
    found = [measured.one(target, work._replace(message_bytes=it)) for it in step.lengths]
    return [it.value for it in found if it]


def by_step(measured: Measured) -> Iterator[Table]:
    """Least and most within each step of the hashes."""
    for metric, targets in measured.beside_each_other(BESIDE):
        yield _of_steps(measured, METRICS[metric], targets)


def every_length(measured: Measured) -> Table:
    """All of the paper's functions at every length: for programs, and for who looks one up."""
    table = Table(
        title=f"Every length, 0 to {LONGEST} bytes",
        columns=[
            Column(heading="bytes"),
            *(
                Column(
                    heading=TITLES[algorithm], group=f"{name(target)}, {_metric(measured, target)}"
                )
                for target in measured.targets
                for algorithm in FUNCTIONS
            ),
        ],
        notes=["a text that is no whole blocks is padded to them; no text, no blocks to encrypt"],
        detail=True,
    )
    for size in range(LONGEST + 1):
        works = [Work(algorithm, sending(algorithm), size) for algorithm in FUNCTIONS]
        found = [measured.one(target, work) for target in measured.targets for work in works]
        if any(found):
            table.rows.append([size, *(it and it.value for it in found)])
    return table


def _metric(measured: Measured, target: str) -> str:
    return METRICS[measured.metric(target)]


def _of_steps(measured: Measured, kind: str, targets: Sequence[str]) -> Table:
    table = Table(
        title=f"Hashes by length, {kind}",
        columns=[
            Column(heading="function"),
            Column(heading="bytes"),
            Column(heading="blocks"),
            *(
                Column(heading=it, group=name(target))
                for target in targets
                for it in ("from", "to")
            ),
        ],
    )
    for step in (step for algorithm in HASHES for step in steps(algorithm)):
        found = [costs_of(measured, target, step) for target in targets]
        if any(found):
            ends = [end for it in found for end in ((min(it), max(it)) if it else (None, None))]
            span = f"{step.lengths[0]}–{step.lengths[-1]}"
            blocks = hash_blocks(step.lengths[0])
            table.rows.append([TITLES[step.algorithm], span, blocks, *ends])
    return table
