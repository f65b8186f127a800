"""How execution times vary with keys and inputs."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import NamedTuple

from ciphermark.show.findings import Cell, Column, Table
from ciphermark.studies.sensor.cases import varying
from ciphermark.studies.sensor.measured import Facts, Measured
from ciphermark.studies.sensor.paper import IDEA, RC5, SETUP, TITLES, Work, name
from ciphermark.workloads.simulation.remarks import METRICS

KEY_ROTATIONS, DATA_ROTATIONS = "rotations by key", "rotations by data"
MULTIPLICATION, BRANCHES = "multiplication", "branches"
CAUSES = {
    KEY_ROTATIONS: "by distances that follow from the key, where no instruction shifts a word by "
    "any distance in the same time",
    DATA_ROTATIONS: "the same by distances that follow from key and text",
    MULTIPLICATION: "without an instruction, a loop over the bits of a factor; for decryption it "
    "inverts the key too",
    BRANCHES: "of the code, or of a library that it calls",
}
"""What depends on keys and inputs."""


class Spread(NamedTuple):
    """One work with several random keys and inputs on a target."""

    target: str
    work: Work
    by_seed: dict[int, int]

    @property
    def least(self) -> int:
        return min(self.by_seed.values())

    @property
    def most(self) -> int:
        return max(self.by_seed.values())

    @property
    def middle(self) -> float:
        """The median."""
        return median(self.by_seed.values())

    @property
    def share(self) -> float:
        """How far the least and the most are apart, of the median."""
        return (self.most - self.least) / self.middle


def spreads(measured: Measured) -> list[Spread]:
    """Of all that was simulated with several seeds."""
    found = [
        Spread(target, work, {it.case.seed: it.value for it in measured.seeds(target, work)})
        for target in measured.targets
        for work in varying()
    ]
    return [it for it in found if len(it.by_seed) > 1]


def variance(measured: Measured) -> Iterator[Table]:
    """Those that vary, with what depends on data; the others are counted."""
    found = spreads(measured)
    for metric in METRICS:
        of_metric = [it for it in found if measured.metric(it.target) == metric]
        if of_metric:
            yield _table(measured, METRICS[metric], of_metric)


def cause(work: Work, facts: Facts) -> str:
    """One of `CAUSES`, by what is known of the code and the processor."""
    if work.algorithm == RC5 and not facts.has_variable_shift:
        return KEY_ROTATIONS if work.operation == SETUP else DATA_ROTATIONS
    if work.algorithm == IDEA and not facts.multiply_bits:
        return MULTIPLICATION
    return BRANCHES


def _table(measured: Measured, kind: str, found: list[Spread]) -> Table:
    seeds = max(len(it.by_seed) for it in found)
    table = Table(
        title=f"Variance over {seeds} random keys and inputs, {kind}",
        columns=[
            *(Column(heading=it) for it in ("target", "function", "operation")),
            *(Column(heading=it, decimals=0) for it in ("least", "median", "most")),
            Column(heading="spread, %", decimals=2),
            Column(heading="worst seed"),
            Column(heading="depends on data"),
        ],
    )
    for it in sorted(found, key=lambda it: -it.share):
        if it.share:
            table.rows.append(_values(it, measured.facts(it.target)))
    shown = {row[-1] for row in table.rows}
    alike = [it for it in found if not it.share]
    if alike:
        those = f"{len(alike)} of {len(found)}"
        table.notes.append(f"{those} functions and operations on a target take always the same")
    table.notes += [
        "spread: (most − least) / median; the worst case seen, not the worst there is",
        *(f"{cause}: {why}" for cause, why in CAUSES.items() if cause in shown),
    ]
    return table


def _values(it: Spread, facts: Facts) -> list[Cell]:
    return [
        name(it.target),
        TITLES[it.work.algorithm],
        f"init-{it.work.keyed_for}" if it.work.keyed_for else it.work.operation,
        it.least,
        it.middle,
        it.most,
        100 * it.share,
        next(seed for seed, value in it.by_seed.items() if value == it.most),
        cause(it.work, facts),
    ]
