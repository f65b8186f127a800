"""Runs for which the engine measured nothing: imported, simulated, and of tunnels.

What is not known of them stays empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ciphermark import contract
from ciphermark.contract.others import (
    UNKNOWN_MACHINE,
    ImportedFigure,
    ImportOrigin,
    SimulatedTarget,
    Simulation,
)
from ciphermark.contract.tunnel import Tunnel
from ciphermark.errors import UsageError, WorkError
from ciphermark.files import toml_file
from ciphermark.record import tables
from ciphermark.record.run import CaseRecord, Context, Run, Summary, begun, of_machine
from ciphermark.record.table import Table


@dataclass(frozen=True, kw_only=True)
class Circumstances:
    """How a run came about that the workbench has made itself: where, from what, and when."""

    description: contract.Description
    environment: contract.Environment
    algorithms: Sequence[contract.Algorithm]
    notes: Sequence[str]
    command: str
    started_unix_ns: int
    elapsed_s: float
    interrupted: bool


def context_here(
    workload: str, plan_name: str, came_about: Circumstances, *, cases: int, failed: int
) -> Context:
    """The context of a run of which the engine has told nothing but which machine this is."""
    description, environment = came_about.description, came_about.environment
    return Context(
        **begun(came_about.started_unix_ns, came_about.command),
        **of_machine(environment),
        plan_name=plan_name,
        workload=workload,
        precision=0.0,
        cases=cases,
        converged=cases - failed,
        errors=failed,
        interrupted=came_about.interrupted,
        elapsed_s=came_about.elapsed_s,
        plan=no_plan(description.schema),
        hello=contract.Hello(
            schema=description.schema,
            engine=description.engine,
            environment=environment,
            providers=description.providers,
            started_unix_ns=came_about.started_unix_ns,
        ),
        bye=None,
        algorithms=list(came_about.algorithms),
        notes=list(came_about.notes),
    )


def no_plan(
    schema: contract.SchemaVersion = contract.SCHEMA, cases: Sequence[contract.Case] = ()
) -> contract.Plan:
    """A plan that nobody was asked to carry out."""
    return contract.Plan(
        schema=schema, workload="single", seed=0, precision=0.0, budget_s=0.0, cases=list(cases)
    )


def no_samples() -> Table:
    """The columns of samples, empty."""
    return Table.of_rows([], tables.SAMPLES)


def imported_run(
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
            plan_name="import",
            workload="imported",
            **_machine_of(machine),
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


def _machine_of(machine: Summary | str | None) -> dict[str, Any]:
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


def simulated_run(
    simulations: list[Simulation], targets: list[SimulatedTarget], came_about: Circumstances
) -> Run:
    """The run of these simulations."""
    return Run(
        context=context_here(
            "simulation",
            "simulate",
            came_about,
            cases=len(simulations),
            failed=sum(it.error is not None for it in simulations),
        ),
        cases=[],
        samples=no_samples(),
        warnings=[],
        simulations=simulations,
        targets=targets,
    )


def tunnel_run(tunnels: list[Tunnel], came_about: Circumstances, also: Sequence[Run] = ()) -> Run:
    """The run of these tunnels; `also` are those of their suites by themselves."""
    return Run(
        context=context_here(
            "tunnel",
            "tunnel",
            came_about,
            cases=len(tunnels),
            failed=sum(it.error is not None for it in tunnels),
        ),
        cases=[],
        samples=no_samples(),
        warnings=[],
        tunnels=tunnels,
        also=list(also),
    )


_OF_PROCESSORS: dict[str, type | tuple[type, ...]] = {
    "metric": str,
    "clock_mhz": (int, float),
    "bus_width_bits": int,
}
"""What every description of a processor has."""


def description(target: SimulatedTarget) -> dict[str, Any]:
    """What stood in the file. Raises `WorkError` where that is damaged."""
    whose = f"the stored description of the target {target.target}"
    try:
        table = toml_file.table_of(target.description, whose)
    except UsageError as error:
        raise WorkError(str(error)) from None
    processor = table.get("processor")
    if processor is not None and not _describes(processor):
        raise WorkError(f"{whose} is not valid: its table [processor] lacks what each has")
    return table


def _describes(processor: object) -> bool:
    return isinstance(processor, dict) and all(
        isinstance(processor.get(name), kind) for name, kind in _OF_PROCESSORS.items()
    )
