"""Runs of several machines, made up, with the costs of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from synthetic import synthetic_cases, synthetic_run

SIZES = (64, 1024, 16384)


def machine_run(
    seed: int,
    name: str,
    *,
    slower: Mapping[str, float] | None = None,
    processor: str = "AMD EPYC 9B45",
    machine_id: str | None = None,
    algorithms: Sequence[str] | None = None,
) -> Run:
    """A survey of one machine; `slower` are factors on algorithms."""
    run = synthetic_run(
        synthetic_cases(algorithms, sizes=SIZES), rounds=6, seed=seed, slower=slower, machine=name
    )
    hello = run.context.hello
    assert hello is not None
    machine = hello.environment.machine
    machine.cpu_name = run.context.cpu_name = processor
    if machine_id is not None:
        machine.machine_id = run.context.machine_id = machine_id
    return run


def save(store: Store, *runs: Run) -> None:
    """Stores runs with their rows."""
    for run in runs:
        store.save(run, SINGLE.rows_table(rows(run)))


def few_machines(store: Store) -> None:
    """Two alike, one that is slower at hashing, one of another name and few functions; and of one
    that is alike a run from when a hash was slower."""
    save(
        store,
        machine_run(1, "epyc-a", slower={"sha256": 1.3}),
        machine_run(2, "epyc-a"),
        machine_run(3, "epyc-b", slower={"aes-128-gcm": 1.02}),
        machine_run(
            4,
            "xeon",
            slower={"sha256": 2.0, "hmac-sha256": 2.0},
            processor="Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz",
        ),
        machine_run(5, "small", algorithms=["sha256"], processor="Cortex-A72"),
    )
