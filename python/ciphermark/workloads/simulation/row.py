"""Rows of cases on simulated processors, and lines of rows over message sizes."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import msgspec

from ciphermark import contract
from ciphermark.contract.others import Metric, SimulatedTarget, Simulation
from ciphermark.record.run import Run
from ciphermark.record.without_engine import description

METRICS: dict[Metric, str] = {
    "cycles-measured": "cycles (measured)",
    "cycles-simulated": "cycles (simulated)",
    "cycles-model": "cycles (model)",
    "instructions": "instructions",
}
"""Titles of metrics, the surest first."""

MEANINGS: dict[Metric, str] = {
    "cycles-measured": "the processor itself counted them, on a board",
    "cycles-simulated": "a simulator of the processor counted its cycles",
    "cycles-model": "a model of the pipeline, over the exact instructions that were executed",
    "instructions": "the number executed, where no correct model of the pipeline is known",
}

UNITS: dict[Metric, str] = {name: title.partition(" ")[0] for name, title in METRICS.items()}


class SimulationRow(msgspec.Struct, kw_only=True):
    """One call of a kernel on one target; None where something is not known or not defined.

    All counts are beyond a call of a function that does nothing.
    """

    target: str
    algorithm: str
    operation: str
    backend: str
    keyed_for: str | None
    """Operation that the key of a `setup` is for, where it is not the sending one."""
    message_bytes: int | None
    seed: int
    metric: Metric | None
    """Metric of `value`; figures of different metrics are not compared."""
    value: int | None
    value_per_byte: float | None
    microseconds: float | None
    """At the clock of the target; None where `value` is not cycles."""
    instructions: int | None
    loads: int | None
    stores: int | None
    stack_bytes: int | None
    code_bytes: int | None
    context_bytes: int | None
    vectors_passed: int
    error: contract.Failure | None

    @property
    def is_measured(self) -> bool:
        """Returns whether there is a figure."""
        return self.error is None and self.value is not None


def simulation_rows(run: Run) -> list[SimulationRow]:
    """Returns one row for each case, in the order of the run."""
    clocks = _clocks(run.targets)
    return [_row(it, clocks.get(it.case.target)) for it in run.simulations]


def metrics(rows: Iterable[SimulationRow]) -> list[Metric]:
    """Returns the metrics that occur, the surest first."""
    present = {row.metric for row in rows if row.is_measured}
    return [metric for metric in METRICS if metric in present]


def _clocks(targets: Iterable[SimulatedTarget]) -> dict[str, float]:
    """Returns clocks in MHz from the targets' stored files, where these have one."""
    described = {it.target: description(it).get("processor") for it in targets}
    return {name: it["clock_mhz"] for name, it in described.items() if it is not None}


def _row(simulation: Simulation, clock_mhz: float | None) -> SimulationRow:
    case, value = simulation.case, simulation.value
    is_time = simulation.metric != "instructions"
    return SimulationRow(
        target=case.target,
        algorithm=case.algorithm,
        operation=case.operation,
        backend=case.backend,
        keyed_for=case.keyed_for,
        message_bytes=case.message_bytes,
        seed=case.seed,
        metric=simulation.metric,
        value=value,
        value_per_byte=value / case.message_bytes if value and case.message_bytes else None,
        microseconds=value / clock_mhz if is_time and value is not None and clock_mhz else None,
        instructions=simulation.instructions,
        loads=simulation.loads,
        stores=simulation.stores,
        stack_bytes=simulation.stack_bytes,
        code_bytes=simulation.code_bytes,
        context_bytes=simulation.context_bytes,
        vectors_passed=simulation.vectors_passed,
        error=simulation.error,
    )


@dataclass(frozen=True)
class Line:
    """Operation of an implementation on one target, with the key setup that it needs."""

    own: list[SimulationRow]
    setup: list[SimulationRow] = field(default_factory=list)

    @property
    def first(self) -> SimulationRow:
        return self.own[0]

    @property
    def metric(self) -> Metric:
        assert self.first.metric is not None, "lines are of rows with a figure"
        return self.first.metric

    @property
    def function(self) -> str:
        """Returns the algorithm with its kernel: `aes-128-ecb table`."""
        return f"{self.first.algorithm} {self.first.backend}"

    @property
    def operation(self) -> str:
        """Returns the operation: `encrypt`; of a setup without one, `setup for decrypt`."""
        keyed_for = self.first.keyed_for
        return f"{self.first.operation} for {keyed_for}" if keyed_for else self.first.operation

    def at(self, message_bytes: int) -> int | None:
        """Returns the median over seeds; None if nothing was simulated."""
        return _middle(row for row in self.own if row.message_bytes == message_bytes)

    def of_setup(self) -> int | None:
        """Returns the median of the key setup over seeds; None if the function has none."""
        return _middle(self.setup)

    def most(self, name: str) -> int | None:
        """Returns the maximum of a field over all calls, the key setup among them."""
        values = (getattr(row, name) for row in [*self.own, *self.setup])
        return max((it for it in values if it is not None), default=None)


def _middle(rows: Iterable[SimulationRow]) -> int | None:
    """Returns the lower median of the figures."""
    values = [row.value for row in rows if row.value is not None]
    return statistics.median_low(values) if values else None


def lines(rows: Iterable[SimulationRow]) -> list[Line]:
    """Returns a line for each operation with a figure, in the order of the run."""
    grouped: dict[tuple[str, str, str], list[SimulationRow]] = {}
    for row in rows:
        if row.is_measured:
            grouped.setdefault((row.target, row.algorithm, row.backend), []).append(row)
    return [line for alike in grouped.values() for line in _lines(alike)]


def _lines(rows: list[SimulationRow]) -> Iterator[Line]:
    """Yields lines of one kernel; setups that no operation needs have their own."""
    setups: dict[str | None, list[SimulationRow]] = {}
    operations: dict[str, list[SimulationRow]] = {}
    for row in rows:
        if row.operation == "setup":
            setups.setdefault(row.keyed_for, []).append(row)
        else:
            operations.setdefault(row.operation, []).append(row)
    needed = {name: name if name in setups else None for name in operations}
    for keyed_for, own in setups.items():
        if keyed_for not in needed.values():
            yield Line(own, own)
    for name, own in operations.items():
        yield Line(own, setups.get(needed[name], []))


def sizes(shown: Iterable[Line]) -> list[int]:
    """Returns the sizes of messages, ascending."""
    present = {row.message_bytes for line in shown for row in line.own}
    return sorted(size for size in present if size is not None)
