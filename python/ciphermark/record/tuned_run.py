"""A run of kernels that were compiled in several ways: simulated, measured, or both."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ciphermark import contract
from ciphermark.contract.simulation import SimulatedTarget, Simulation
from ciphermark.contract.tuning import Variant
from ciphermark.record.run import Run
from ciphermark.record.simulated_run import run_of as simulated_run_of

WORKLOAD = "tuning"
PLAN_NAME = "tune"


def run_of(
    variants: Sequence[Variant],
    simulations: list[Simulation],
    targets: list[SimulatedTarget],
    measured: Sequence[Run],
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
    """The run of all variants. What machines measured are runs that belong to it, as each has
    clocks and a state of its own."""
    run = simulated_run_of(
        simulations,
        targets,
        description=description,
        environment=environment,
        algorithms=algorithms,
        notes=notes,
        command=command,
        started_unix_ns=started_unix_ns,
        elapsed_s=elapsed_s,
        interrupted=interrupted or any(it.context.interrupted for it in measured),
    )
    run.variants = list(variants)
    run.also = list(measured)
    failed = sum(case.error is not None for it in measured for case in it.cases)
    run.context = msgspec.structs.replace(
        run.context,
        plan_name=PLAN_NAME,
        workload=WORKLOAD,
        errors=run.context.errors + failed,
        converged=run.context.converged - failed,
    )
    return run
