"""Runs of several machines, made up: what each costs by, and which features they hide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from synthetic import synthetic_cases, synthetic_run

MASK = {"OPENSSL_ia32cap": "~0x200000200000000"}
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


def masked_run(seed: int, name: str, factors: Mapping[str, float]) -> Run:
    """A run in which openssl has AES instructions hidden: cycles then are `factors` of those with
    all of them, by algorithm."""
    plain = [
        it
        for it in synthetic_cases(list(factors), ["openssl"], (1024,))
        if it.message_bytes is not None
    ]
    cases = [
        msgspec.structs.replace(it, case=2 * number + hidden, switches=MASK if hidden else {})
        for number, it in enumerate(plain)
        for hidden in (0, 1)
    ]
    run = synthetic_run(cases, rounds=8, seed=seed, machine=name)
    assert run.context.hello is not None
    run.context.hello.providers[0].switches = {"aes": MASK}
    scale(run, {it.case: factors[it.algorithm] for it in cases if it.switches})
    return run


def scale(run: Run, factors: Mapping[int, float]) -> None:
    """Makes cases dearer by a factor, the cost of the loop aside."""
    import pyarrow as pa

    samples = run.samples.to_pylist()
    for it in samples:
        loop = it["loop_cycles"] * it["messages"]
        factor = factors.get(it["case"], 1.0)
        it["cycles"] = (it["cycles"] - loop) * factor + loop
    run.samples = pa.Table.from_pylist(samples, schema=run.samples.schema)


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
