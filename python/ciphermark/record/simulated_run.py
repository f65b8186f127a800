"""A run that has nothing but simulations: its context says which machine they were made on."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermark import contract
from ciphermark.contract.simulation import SimulatedTarget, Simulation
from ciphermark.record.run import Context, Run
from ciphermark.record.without_engine import begun, no_plan, no_samples

PLAN_NAME = "simulate"


def run_of(
    simulations: list[Simulation],
    targets: list[SimulatedTarget],
    *,
    description: contract.Description,
    environment: contract.Environment,
    algorithms: Sequence[contract.Algorithm],
    notes: Sequence[str],
    command: str,
    started_unix_ns: int,
    elapsed_s: float,
    interrupted: bool,
) -> Run:
    """The run of these simulations."""
    machine, clocks = environment.machine, environment.clocks
    failed = sum(it.error is not None for it in simulations)
    return Run(
        context=Context(
            **begun(started_unix_ns, command),
            plan_name=PLAN_NAME,
            workload="simulation",
            machine_id=machine.machine_id,
            machine_name=machine.machine_name,
            machine_kind=machine.machine_kind,
            cpu_name=machine.cpu_name,
            cycle_source=clocks.cycle_source,
            core_hz=clocks.core_hz,
            precision=0.0,
            cases=len(simulations),
            converged=len(simulations) - failed,
            errors=failed,
            interrupted=interrupted,
            elapsed_s=elapsed_s,
            plan=no_plan(description.schema),
            hello=contract.Hello(
                schema=description.schema,
                engine=description.engine,
                environment=environment,
                providers=description.providers,
                started_unix_ns=started_unix_ns,
            ),
            bye=None,
            algorithms=list(algorithms),
            notes=list(notes),
        ),
        cases=[],
        samples=no_samples(),
        warnings=[],
        simulations=simulations,
        targets=targets,
    )
