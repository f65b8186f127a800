"""Tables of what the paper prints no figures of, and of what it has not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from ciphermark.contract.others import Metric
from ciphermark.studies.evidence import value as value_of
from ciphermark.studies.sensor.cases import OTHER_LENGTHS, varying
from ciphermark.studies.sensor.evidence import (
    BUFFERS,
    MEMORY,
    NEAREST,
    NOTHING,
    Facts,
    Measured,
    by_message,
    ratio_of_buffers,
)
from ciphermark.studies.sensor.paper import (
    FUNCTIONS,
    FUTURE,
    HASHES,
    IDEA,
    LONGEST,
    RC5,
    SETUP,
    TITLES,
    TODAY,
    Work,
    hash_blocks,
    name,
    sending,
    title,
)
from ciphermark.view.findings import Cell, Column, Table, columns
from ciphermark.workloads.simulation.row import METRICS

if TYPE_CHECKING:
    pass


def caches(measured: Measured) -> Table:
    """The same kernels as on the targets, on this machine, by where messages lie."""
    table = Table(
        title="Caches: the same C on this machine, by the place of messages",
        columns=[
            *columns("function", "operation", "bytes"),
            *columns(*BUFFERS.values(), group="cycles a message", digits=4),
            *columns(
                *(BUFFERS[it] for it in (MEMORY, NOTHING)),
                group=f"over {BUFFERS[NEAREST]}",
                decimals=2,
            ),
        ],
        notes=[
            "cold: before each message all caches are filled with other data, so code, tables "
            "and key come from memory too",
            "cycles of the simulated processors are those of cached code and data; the next "
            "table has their cache misses",
        ],
    )
    for (algorithm, operation, size), rows in by_message(measured.rows).items():
        if any(not row.converged for row in rows.values()):
            table.unsettled.append(len(table.rows))
        cycles = [rows[it].cycles_per_message if it in rows else None for it in BUFFERS]
        ratios = [ratio_of_buffers(rows, it) for it in (MEMORY, NOTHING)]
        shown = [value_of(it) for it in ratios]
        table.rows.append([TITLES[algorithm], operation, size, *cycles, *shown])
    return table


Sizes = dict[str, dict[str, int]]
"""Bytes by target and algorithm."""


def code_bytes(measured: Measured, algorithms: tuple[str, ...] = FUNCTIONS) -> Sizes:
    """Flash of each algorithm with all of its operations, linked alone."""
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
    yield _table_of_code(measured, heading, {"the paper": FUNCTIONS, "its future work": FUTURE})
    yield _table_of_code(measured, f"{heading}: functions of today", {"": TODAY})


def _table_of_code(measured: Measured, heading: str, groups: dict[str, tuple[str, ...]]) -> Table:
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
            "flash that the function adds to a program when it is linked alone, functions of the "
            "compiler's library included, such as multiplication on processors without one"
        ],
    )
    for target, sizes in code_bytes(measured, algorithms).items():
        if sizes:
            values: list[Cell] = [sizes.get(algorithm) for algorithm in algorithms]
            table.rows.append([name(target), *values])
    return table


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
    found = [measured.cost(target, work._replace(message_bytes=it)) for it in step.lengths]
    return [cost for cost in found if cost is not None]


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
        notes=[
            (
                "a text that is no whole number of blocks is padded; an empty text has no block to "
                "encrypt"
            )
        ],
        detail=True,
    )
    for size in range(LONGEST + 1):
        works = [Work(algorithm, sending(algorithm), size) for algorithm in FUNCTIONS]
        costs = [measured.cost(target, work) for target in measured.targets for work in works]
        if any(costs):
            table.rows.append([size, *costs])
    return table


def _metric(measured: Measured, target: str) -> str:
    return METRICS[measured.metric(target)]


def _of_steps(measured: Measured, kind: str, targets: Sequence[str]) -> Table:
    table = Table(
        title=f"Hashes by length, {kind}",
        columns=[
            *columns("function", "bytes", "blocks"),
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


FUNCTIONS_BESIDE = 5
"""Targets that have room beside each other on a terminal."""
SHOWN_BYTES = (OTHER_LENGTHS[0], OTHER_LENGTHS[-1])

GROUPS = {"paper": FUNCTIONS, "its future work": FUTURE, "today": TODAY}


def everywhere(measured: Measured) -> Iterator[Table]:
    """One kind of figures after the other, never beside each other."""
    for metric, targets in measured.beside_each_other(FUNCTIONS_BESIDE):
        yield _table_of_functions(measured, metric, targets)


def _table_of_functions(measured: Measured, metric: Metric, targets: list[str]) -> Table:
    table = Table(
        title=f"All functions, {METRICS[metric]}: {', '.join(map(name, targets))}",
        columns=[
            Column(heading="of", detail=True),
            *columns("function", "operation", "bytes", *(name(it) for it in targets)),
        ],
    )
    for group, algorithms in GROUPS.items():
        for work in _works(algorithms):
            costs = [measured.cost(target, work) for target in targets]
            if any(costs):
                names = [group, title(work.algorithm), work.operation, work.message_bytes]
                table.rows.append([*names, *costs])
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


KEY_ROTATIONS, DATA_ROTATIONS = "rotations by key", "rotations by data"
MULTIPLICATION, BRANCHES = "multiplication", "branches"
CAUSES = {
    KEY_ROTATIONS: (
        "by distances that follow from the key, where no instruction shifts a word by any "
        "distance in the same time"
    ),
    DATA_ROTATIONS: (
        "by distances that follow from key and text, where no instruction shifts in the same time"
    ),
    MULTIPLICATION: (
        "without an instruction for it: a loop over the bits of a factor, which also inverts the "
        "key for decryption"
    ),
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
        Spread(target, work, {it.case.seed: it.value or 0 for it in measured.seeds(target, work)})
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
            yield _table_of_variance(measured, METRICS[metric], of_metric)


def cause(work: Work, facts: Facts) -> str:
    """One of `CAUSES`, by what is known of the code and the processor."""
    if work.algorithm == RC5 and not facts.has_variable_shift:
        return KEY_ROTATIONS if work.operation == SETUP else DATA_ROTATIONS
    if work.algorithm == IDEA and not facts.multiply_bits:
        return MULTIPLICATION
    return BRANCHES


def _table_of_variance(measured: Measured, kind: str, found: list[Spread]) -> Table:
    seeds = max(len(it.by_seed) for it in found)
    table = Table(
        title=f"Variance over {seeds} random keys and inputs, {kind}",
        columns=[
            *columns("target", "function", "operation"),
            *columns("least", "median", "most", decimals=0),
            Column(heading="spread, %", decimals=2),
            *columns("worst seed", "depends on data"),
        ],
    )
    for it in sorted(found, key=lambda it: -it.share):
        if it.share:
            table.rows.append(_values_of_spread(it, measured.facts(it.target)))
    shown = {row[-1] for row in table.rows}
    alike = [it for it in found if not it.share]
    if alike:
        those = f"{len(alike)} of {len(found)}"
        table.notes.append(
            f"{those} functions and operations on a target always take the same time"
        )
    table.notes += [
        "spread: (most − least) / median; the worst case that was seen, not the worst possible",
        *(f"{cause}: {why}" for cause, why in CAUSES.items() if cause in shown),
    ]
    return table


def _values_of_spread(it: Spread, facts: Facts) -> list[Cell]:
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
