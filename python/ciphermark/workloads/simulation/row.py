"""The row of a case on a simulated processor: what users see of it, and what it is made of."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ciphermark import contract
from ciphermark.contract.others import Metric, SimulatedTarget, Simulation
from ciphermark.record.run import Run
from ciphermark.record.without_engine import description


class SimulationRow(msgspec.Struct, kw_only=True):
    """One call of a kernel on one target; None where something is not known or not defined.

    All counts are beyond a call of a function that does nothing.
    """

    target: str
    algorithm: str
    operation: str
    backend: str
    keyed_for: str | None
    """Of `setup`: the operation that the key is for, where it is not the sending one."""
    message_bytes: int | None
    seed: int
    metric: Metric | None
    """What `value` is; figures of different metrics are not compared."""
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
        """Whether there is a figure."""
        return self.error is None and self.value is not None


def simulation_rows(run: Run) -> list[SimulationRow]:
    """One row for each case, in the order of the run."""
    clocks = _clocks(run.targets)
    return [_row(it, clocks.get(it.case.target)) for it in run.simulations]


def _clocks(targets: Iterable[SimulatedTarget]) -> dict[str, float]:
    """In MHz, of the targets whose files say it, as the files were then."""
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
