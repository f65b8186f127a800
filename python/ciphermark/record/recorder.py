"""Turns the events of one engine into a run."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping

import msgspec
import numpy as np

from ciphermark import contract
from ciphermark.contract.others import BesideFigure, SimulatedTarget, Simulation
from ciphermark.errors import WorkError
from ciphermark.record.run import CaseRecord, Context, Run, begun, of_machine
from ciphermark.record.table import INTEGER, NUMBER, Table
from ciphermark.record.tables import SAMPLES


class Begun(msgspec.Struct, kw_only=True):
    """What is known of a run before its first event: all that `Recorder` needs but the events."""

    command: str
    plan_name: str
    plan: contract.Plan
    algorithms: list[contract.Algorithm]
    notes: list[str] = []
    beside: list[BesideFigure] = []
    given: dict[str, float] = {}
    simulations: list[Simulation] = []
    targets: list[SimulatedTarget] = []


class Recorder:
    """Takes events one by one; `finish` gives what they amount to, whenever it is called."""

    def __init__(
        self,
        command: str,
        plan_name: str,
        plan: contract.Plan,
        algorithms: Iterable[contract.Algorithm],
        notes: Iterable[str],
        beside: Iterable[BesideFigure] = (),
        given: Mapping[str, float] | None = None,
    ) -> None:
        measured = {case.algorithm for case in plan.cases}
        self._command = command
        self._plan_name = plan_name
        self._plan = plan
        self._algorithms = [facts for facts in algorithms if facts.name in measured]
        self._notes = list(notes)
        self._beside = list(beside)
        self._given = dict(given or {})
        self._simulations: list[Simulation] = []
        self._targets: list[SimulatedTarget] = []
        self._cases = {case.case: CaseRecord(case=case) for case in plan.cases}
        self._samples = SampleColumns()
        self._sessions: list[contract.SessionsRun] = []
        self._packets: list[contract.PacketsRun] = []
        self._warnings: list[contract.Warning] = []
        self._hello: contract.Hello | None = None
        self._progress: contract.Progress | None = None
        self._bye: contract.Bye | None = None

    @classmethod
    def of(cls, begun: Begun) -> Recorder:
        """One that goes on where another process has begun."""
        told = (begun.command, begun.plan_name, begun.plan, begun.algorithms, begun.notes)
        recorder = cls(*told, begun.beside, begun.given)
        recorder.add_simulations(begun.targets, begun.simulations)
        return recorder

    def begun(self) -> Begun:
        """What another process needs to store the run from its events."""
        return Begun(
            command=self._command,
            plan_name=self._plan_name,
            plan=self._plan,
            algorithms=self._algorithms,
            notes=self._notes,
            beside=self._beside,
            given=self._given,
            simulations=self._simulations,
            targets=self._targets,
        )

    def feed(self, event: contract.Event) -> None:
        """Takes in one event. A case that the plan does not have is a `KeyError`."""
        match event:
            case contract.Sample():
                self._samples.append(event)
            case contract.SessionsRun():
                self._sessions.append(event)
            case contract.PacketsRun():
                self._packets.append(event)
            case contract.Progress():
                self._progress = event
            case contract.CaseReady():
                record = self._cases[event.case.case]
                record.implementation = event.implementation
                record.vectors_passed = event.vectors_passed
                record.agrees_with = event.agrees_with
            case contract.CaseError():
                self._cases[event.case].error = event.error
            case contract.Warning():
                self._warnings.append(event)
            case contract.Hello():
                self._hello = event
            case contract.Bye():
                self._bye = event

    def add_simulations(
        self, targets: Iterable[SimulatedTarget], simulations: Iterable[Simulation]
    ) -> None:
        """Takes in what was simulated beside what the engine measures."""
        self._targets += targets
        self._simulations += simulations

    def finish(self, interrupted: bool = False) -> Run:
        """The run so far. Without a farewell of the engine it counts as interrupted.

        Raises `WorkError` when the engine ended before it had told what machine this is.
        """
        if self._hello is None:
            raise WorkError("the engine ended before it began to measure; nothing was stored")
        cases = list(self._cases.values())
        return Run(
            context=self._context(self._hello, cases, interrupted),
            cases=cases,
            samples=self._samples.table(),
            sessions=self._sessions,
            packets=self._packets,
            warnings=self._warnings,
            simulations=self._simulations,
            targets=self._targets,
            beside=self._beside,
            given=self._given,
        )

    def _context(
        self, hello: contract.Hello, cases: list[CaseRecord], interrupted: bool
    ) -> Context:
        last = self._bye or self._progress
        return Context(
            **begun(hello.started_unix_ns, self._command),
            **of_machine(hello.environment),
            plan_name=self._plan_name,
            workload=self._plan.workload,
            precision=self._plan.precision,
            cases=len(cases),
            converged=last.converged if last else 0,
            errors=sum(record.error is not None for record in cases),
            interrupted=interrupted or self._bye is None or self._bye.interrupted,
            elapsed_s=last.elapsed_s if last else 0.0,
            plan=self._plan,
            hello=hello,
            bye=self._bye,
            algorithms=self._algorithms,
            notes=self._notes,
        )


_TYPE_CODES = {INTEGER: "q", NUMBER: "d"}


class SampleColumns:
    """Samples by column, 100 bytes each: a run has up to some hundred thousand.

    While they arrive the machine is being measured, so that taking one in must cost little.
    """

    def __init__(self) -> None:
        self._numbers = {
            name: array(_TYPE_CODES[kind]) for name, kind in SAMPLES.items() if kind in _TYPE_CODES
        }
        self._disturbed: list[list[contract.Disturbance]] = []

    def append(self, sample: contract.Sample) -> None:
        for name, column in self._numbers.items():
            column.append(getattr(sample, name))
        self._disturbed.append(sample.disturbed)

    def table(self) -> Table:
        """The columns of `tables.SAMPLES`, in the order of arrival."""
        numbers = {name: np.array(column) for name, column in self._numbers.items()}
        return Table(SAMPLES, {**numbers, "disturbed": list(self._disturbed)})
