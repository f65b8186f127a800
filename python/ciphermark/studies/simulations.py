"""What simulators have counted of our kernels, as studies look it up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from ciphermark.contract.others import SimulatedCase, Simulation
from ciphermark.view.findings import NotTestable

if TYPE_CHECKING:
    from ciphermark.record.run import Run

SETUP = "setup"


class Call(NamedTuple):
    """One call of a kernel, on whatever target."""

    algorithm: str
    operation: str
    backend: str
    message_bytes: int | None = None
    """None for `setup`."""

    def on(self, target: str) -> SimulatedCase:
        """The case of a target."""
        return SimulatedCase(
            target=target,
            algorithm=self.algorithm,
            operation=self.operation,
            backend=self.backend,
            message_bytes=self.message_bytes,
        )


def calls(
    functions: Iterable[tuple[str, str]], backends: Iterable[str], sizes: Iterable[int | None]
) -> Iterator[Call]:
    """Every function, an algorithm with an operation, by every backend at every size."""
    for (algorithm, operation), backend, size in product(functions, backends, sizes):
        yield Call(algorithm, operation, backend, size)


class Simulations:
    """The figures of a run by target and call."""

    def __init__(self, run: Run | None) -> None:
        self._found = {} if run is None else {it.case: it for it in run.simulations}
        self._targets = {} if run is None else {it.target: it for it in run.targets}

    def has(self, target: str) -> bool:
        """Whether anything was counted on a target."""
        return any(
            case.target == target and it.value is not None for case, it in self._found.items()
        )

    def at(self, target: str, call: Call) -> Simulation | None:
        """What was counted of a call; None where there is no figure."""
        simulation = self._found.get(call.on(target))
        return simulation if simulation is not None and simulation.value is not None else None

    def instructions(self, target: str, call: Call) -> int | None:
        """How many were executed."""
        simulation = self.at(target, call)
        return None if simulation is None else simulation.instructions

    def firm(self, target: str, call: Call) -> int:
        """The same; NotTestable with the reason where nothing was counted."""
        executed = self.instructions(target, call)
        if executed is None:
            raise NotTestable(self.why_none(target, call))
        return executed

    def why_none(self, target: str, call: Call) -> str:
        """Why a call has no figure."""
        told, simulation = self._targets.get(target), self._found.get(call.on(target))
        if told is not None and told.reason:
            return told.reason
        if simulation is not None and simulation.error is not None:
            return f"{target}: {simulation.error.message}"
        return f"no {target} is simulated in this run"

    def compiler(self, target: str) -> str:
        """With its flags: `gcc 12.2.0 -O2`; empty where nothing was compiled."""
        told = self._targets.get(target)
        return "" if told is None or not told.compiler else f"{told.compiler} {told.flags}"
