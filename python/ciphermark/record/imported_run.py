"""A run whose figures another program has measured: what is not known of it stays empty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ciphermark import contract
from ciphermark.contract.imported import UNKNOWN_MACHINE, ImportedFigure, ImportOrigin
from ciphermark.record.run import CaseRecord, Context, Run, Summary
from ciphermark.record.without_engine import begun, no_plan, no_samples

WORKLOAD = "imported"
PLAN_NAME = "import"


def run_of(
    cases: Sequence[CaseRecord],
    figures: Sequence[ImportedFigure],
    origin: ImportOrigin,
    *,
    machine: Summary | str | None,
    cycle_source: contract.CycleSource | None,
    algorithms: Sequence[contract.Algorithm],
    notes: Sequence[str],
    command: str,
    started_unix_ns: int,
) -> Run:
    """The run of these figures, one for each case.

    `machine` is a stored run of the machine that they are of, its name alone where nothing is
    stored of it, or None.
    """
    return Run(
        context=Context(
            **begun(started_unix_ns, command),
            plan_name=PLAN_NAME,
            workload=WORKLOAD,
            **_machine(machine),
            cycle_source=cycle_source,
            core_hz=origin.clock_hz,
            precision=0.0,
            cases=len(cases),
            converged=0,
            errors=0,
            interrupted=False,
            elapsed_s=0.0,
            plan=no_plan(cases=[record.case for record in cases]),
            hello=None,
            bye=None,
            algorithms=list(algorithms),
            notes=list(notes),
        ),
        cases=list(cases),
        samples=no_samples(),
        warnings=[],
        origin=origin,
        imported=list(figures),
    )


def _machine(machine: Summary | str | None) -> dict[str, Any]:
    """What a context says of the machine.

    A kind is what `compare` goes by: machines of the same name that only the user has given count
    as one, and an unknown one is like no other.
    """
    if isinstance(machine, Summary):
        names = ("machine_id", "machine_name", "machine_kind", "cpu_name")
        return {name: getattr(machine, name) for name in names}
    name = machine or UNKNOWN_MACHINE
    kind = f"called {machine}" if machine else UNKNOWN_MACHINE
    return {"machine_id": "", "machine_name": name, "machine_kind": kind, "cpu_name": ""}
