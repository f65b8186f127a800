"""An engine that measures nothing: it tells again what was recorded, as another machine.

With it a fleet can be tried, tested and timed without machines. It never passes for one that
measures: its machines and their kinds are called `replayed`, and every run has the warning.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from ciphermark import contract

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.run.interrupts import Interrupts

_STEP_S = 0.05
"""How soon a replay ends that is asked to."""


class Recording:
    """A run as the events that it was, which any number of machines can tell again."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.records = {_asked(it.case): it for it in run.cases}
        self.samples = _samples(run)


class Replay:
    """Has the interface of `measure.engine.Engine` as far as plans of one thread need it."""

    def __init__(self, recording: Recording, name: str, seconds: float = 0.0) -> None:
        """Tells a recording again as the machine `name`, taking so many seconds."""
        hello = recording.run.context.hello
        assert hello is not None, "an imported run has no events"
        self.name = f"replayed-{name}"
        self._run = recording.run
        self._seconds = seconds
        self._hello = _renamed(hello, self.name)
        self._records = recording.records
        self._samples = recording.samples

    @property
    def boot(self) -> str:
        """Instead of the running system's: each of these is a machine of its own."""
        return self._hello.environment.machine.machine_id

    def describe(self, libraries: dict[str, str] | None = None) -> contract.Description:
        """The implementations that were measured."""
        found: dict[tuple[str, str, str], contract.Implementation] = {}
        for record in self._run.cases:
            it = record.implementation
            if it is not None:
                key = (it.algorithm, it.provider, it.backend)
                operations = found[key].operations if key in found else []
                both = list(dict.fromkeys([*operations, *it.operations, record.case.operation]))
                found[key] = msgspec.structs.replace(it, operations=both)
        return contract.Description(
            schema=contract.SCHEMA,
            engine=self._hello.engine,
            algorithms=self._run.context.algorithms,
            providers=self._hello.providers,
            implementations=[*found.values()],
        )

    def look_at_code_paths(self, *_: object) -> None:
        """Those that ran are in the description."""

    def remember(self, *_: object) -> None:
        """Nothing was seen."""

    def environment(self) -> contract.Environment:
        return self._hello.environment

    def measure(self, plan: contract.Plan, interrupts: Interrupts) -> Iterator[contract.Event]:
        """The recorded events of the plan's cases; an error for those that were not recorded."""
        yield msgspec.structs.replace(self._hello, started_unix_ns=time.time_ns())
        yield contract.Warning(
            kind="replayed",
            message=f"nothing was measured: {self.name} tells run {self._run.context.run} again",
        )
        errors = 0
        for case in plan.cases:
            record = self._records.get(_asked(case))
            if record is None or record.implementation is None:
                errors += 1
                failure = contract.Failure(kind="unsupported", message="this was not recorded")
                yield contract.CaseError(case=case.case, error=failure)
            else:
                yield contract.CaseReady(
                    case=case,
                    implementation=record.implementation,
                    vectors_passed=record.vectors_passed,
                    agrees_with=record.agrees_with,
                )
        self._wait(interrupts)
        told = 0
        for case in plan.cases:
            for sample in self._samples.get(_asked(case), []):
                told += 1
                if sample.case == case.case:
                    yield sample
                else:
                    yield msgspec.structs.replace(sample, case=case.case)
        yield self._bye(len(plan.cases), errors, told, interrupts.requested)

    def _wait(self, interrupts: Interrupts) -> None:
        until = time.monotonic() + self._seconds
        while time.monotonic() < until and not interrupts.requested:
            time.sleep(_STEP_S)

    def _bye(self, cases: int, errors: int, samples: int, interrupted: bool) -> contract.Bye:
        before = self._run.context.bye
        return contract.Bye(
            cases=cases,
            converged=before.converged if before else 0,
            errors=errors,
            samples=samples,
            rounds=before.rounds if before else 0,
            elapsed_s=before.elapsed_s if before else 0.0,
            interrupted=interrupted,
        )


def _renamed(hello: contract.Hello, name: str) -> contract.Hello:
    machine = hello.environment.machine
    told = f"replayed {machine.machine_kind}"
    identity = hashlib.sha256(name.encode()).digest()[:8].hex()
    renamed = msgspec.structs.replace(
        machine,
        machine_id=identity,
        machine_name=name,
        machine_kind=told,
        cpu_name=f"replayed {machine.cpu_name}",
    )
    environment = msgspec.structs.replace(hello.environment, machine=renamed)
    return msgspec.structs.replace(hello, environment=environment)


def _asked(case: contract.Case) -> bytes:
    """What a case asks, whatever its number."""
    return msgspec.json.encode(msgspec.structs.replace(case, case=0))


def _samples(run: Run) -> dict[bytes, list[contract.Sample]]:
    by_number: dict[int, list[contract.Sample]] = {}
    for row in run.samples.to_pylist():
        sample = msgspec.convert(row, contract.Sample)
        by_number.setdefault(sample.case, []).append(sample)
    return {_asked(it.case): by_number.get(it.case.case, []) for it in run.cases}
