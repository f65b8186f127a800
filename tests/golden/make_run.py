"""Makes golden runs of the present format, from synthetic samples, executions, passes and counts.

Old formats must stay readable, so a golden run is never made anew: when the format changes, this
makes more. `PYTHONPATH=tests python tests/golden/make_run.py`.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from ciphermark import contract
from ciphermark import workload as workloads
from ciphermark.contract.tunnel import Metered
from ciphermark.record.layout import FORMAT_MAJOR, FORMAT_MINOR
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from energy_tree import RAPL_RANGE_UJ, Made, battery, meter, readings
from imports_example import imported_example
from packets_example import packets_example
from sessions_example import execution, load, session_case, sessions_example, sessions_run
from simulation_example import described, failure, on_a_board, simulated_run, simulations
from synthetic import all_disturbed, synthetic_cases, synthetic_run
from tunnel_example import lacking, tunnel_run, tunnels

FOLDER = Path(__file__).parent


def golden_run() -> Run:
    """A run in which every kind of thing that is stored occurs."""
    cases = synthetic_cases(["aes-128-gcm", "sha256", "hmac-sha256"], sizes=(64,))
    cases[0].switches = {"OPENSSL_ia32cap": "~0x200000200000000"}
    cases[2].pattern, cases[2].chunk_bytes = "incremental", 16
    cases[4].pattern, cases[4].chunk_bytes, cases[4].buffers = "incremental", 16, "repeated"
    cases[5].keys, cases[5].buffers = 1000, "stream"
    cases[3].lanes = cases[3].keys = 2
    cases[6].after = "sha256"
    cases[7].message_bytes, cases[7].profile, cases[7].lengths = None, "imix", [40, 1500]
    crash = contract.Failure(kind="crash", message="the worker process died", signal="SIGSEGV")
    run = synthetic_run(cases, rounds=6, seed=0x7F3A, failed={3: crash})
    ran = run.cases[2].implementation
    ran.backend, ran.backend_evidence = "aesni-clmul-avx", "inferred"
    run.cases[4].implementation.takes_repeats = True
    ran.features, ran.patterns = ["aes", "pclmulqdq"], ["reused-key", "incremental"]
    run.warnings = [contract.Warning(kind="steal", message="3 % of the time was stolen", case=1)]
    run.also = [_of_another_workload()]
    run.given = {"price": 120.0, "watts": 9.5}
    run.context.plan.optional = [5]
    run.context.plan.sampling.settling_ms = 4.0
    run.context.plan.overtime_s = 30.0
    return all_disturbed(run, ["hmac-sha256"], "settling")


def _of_another_workload() -> Run:
    """A short run that belongs to another."""
    every = load()
    ran = execution(every, [1_000_000, 1_000_000], [500_000_000, 490_000_000])
    return sessions_run([session_case(0, every)], [ran], plan_name="survey-cores")


def golden_sessions() -> Run:
    """The same of the workload `sessions`."""
    run, _ = sessions_example()
    every = run.cases[0].case.sessions
    every.life, every.offered_per_s = contract.Life(shortest_ms=500.0, longest_ms=2000.0), 1e4
    every.quota_cpus = 0.5
    run.sessions[0].moments[0].core_hz = 3.7e9
    run.sessions[0].moments[0].temperature_c, run.sessions[0].moments[0].throttles = 61.5, 3
    run.sessions[0].energy = _of_meters()
    run.context.engine_hello.environment.meters = _of_meters().meters
    return run


def _of_meters() -> contract.Readings:
    """A package and a battery that is not always there."""
    made = [
        Made(meter(), lambda at_s: 30.0, start=RAPL_RANGE_UJ - 20_000_000, seconds=2.0),
        Made(battery("energy"), lambda at_s: 30.0, start=41_000_000, seconds=2.0),
    ]
    log = readings(*made, seconds=2.0, apart_s=0.05, idle_s=0.15)
    log.counts[2][1] = None
    return log


def golden_packets() -> Run:
    """The same of the workload `packets`."""
    run, _ = packets_example()
    run.cases = [*run.cases[:2], *run.cases[-2:]]
    kept = {record.case.case for record in run.cases}
    run.packets = [it for it in run.packets if it.case in kept]
    every, there = run.cases[0].case.packets, run.packets[0]
    every.flush_us, every.offered_per_s, every.groups = 50.0, 1e6, [[1]]
    run.cases[0].case.offload, run.cases[0].case.offload_cpus = "cores", [3]
    every.priorities, every.policy = 2, "round-robin"
    for of_pass in there.passes:
        waits = of_pass.latencies
        of_pass.latencies_by_priority = [
            [contract.LatencyCount(ns=factor * it.ns, count=it.count // 2) for it in waits]
            for factor in (1, 3)
        ]
    there.device = "3 other CPUs"
    there.energy, there.passes[1].at_ns = _of_meters(), 700_000_000
    there.passes[1].device = contract.DeviceTimes(submissions=32, in_ns=900.0, wall_ns=5e5)
    return run


def golden_simulation() -> Run:
    """The same of the workload `simulation`."""
    found = [
        it
        for it in simulations(["atmega128", "cortex-m4", "rv32i", "pentium3"])
        if it.case.algorithm != "rc4-128"
    ]
    setup, first = found[0], found[1]
    setup.case = msgspec.structs.replace(setup.case, keyed_for="decrypt", backend="portable")
    first.case = msgspec.structs.replace(first.case, seed=2)
    first.instructions, first.loads, first.stores, first.vectors_passed = 900, 80, 70, 12
    found[-1] = failure(found[-1])
    run = simulated_run([*found, *on_a_board(found, "cortex-m4", 1.25)])
    used = run.targets[0]
    used.compiler, used.flags, used.runner = "avr-gcc 5.4.0", "-mmcu=atmega128 -O2", "simavr 1.6"
    missing = described("m16c")
    missing.reason = "M16C/10 needs its tools: make m16c"
    run.targets.append(missing)
    cases = len(run.simulations)
    run.context.cases, run.context.converged, run.context.errors = cases, cases - 1, 1
    return run


def golden_imported() -> Run:
    """A run of the workload `imported`."""
    run = imported_example("cryptsetup.txt", clock_hz=3.2e9, machine="box")
    run.origin.ticks_hz = 2.2e9
    run.context.ciphermark_version = "0.1.0"
    return run


def golden_tunnel() -> Run:
    """A run of the workload `tunnel`: a kind with a null cipher, and one that is missing."""
    kept = [it for it in tunnels() if it.case.kind == "openvpn"][:4]
    kept[0].trials[-1].energy = Metered(
        readings=_of_meters(), from_ns=200_000_000, to_ns=1_900_000_000
    )
    return tunnel_run([*kept, lacking()])


def write(folder: Path, run: Run) -> None:
    """Stores a run with what it is expected to be read as."""
    if folder.exists():
        raise SystemExit(f"{folder} is there and must stay as it is")
    workload = run.context.workload
    rows = workloads.rows(run)
    table = workloads.rows_table(rows, workload)
    with TemporaryDirectory() as runs:
        also = [workloads.rows_table(workloads.rows(it), it.context.workload) for it in run.also]
        shutil.copytree(Store(Path(runs)).save(run, table, also), folder)
    expected = {
        "context": msgspec.to_builtins(run.context),
        "cases": msgspec.to_builtins(run.cases),
        "warnings": msgspec.to_builtins(run.warnings),
        "samples": run.samples.to_pylist()[:12],
        "sample_count": run.samples.num_rows,
        "sessions": msgspec.to_builtins(run.sessions[:2]),
        "session_count": len(run.sessions),
        "packets": msgspec.to_builtins(run.packets[:2]),
        "packets_count": len(run.packets),
        "simulations": msgspec.to_builtins(run.simulations),
        "targets": msgspec.to_builtins(run.targets),
        "origin": msgspec.to_builtins(run.origin),
        "imported": msgspec.to_builtins(run.imported),
        "tunnels": msgspec.to_builtins(run.tunnels),
        "variants": msgspec.to_builtins(run.variants),
        "also": [
            {
                "context": msgspec.to_builtins(it.context),
                "sessions": msgspec.to_builtins(it.sessions),
                "rows": msgspec.to_builtins(workloads.rows(it)),
            }
            for it in run.also
        ],
        "given": run.given,
        "rows": msgspec.to_builtins(rows),
    }
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


def main() -> None:
    name = f"run-{FORMAT_MAJOR}.{FORMAT_MINOR}"
    write(FOLDER / name, golden_run())
    write(FOLDER / f"{name}-sessions", golden_sessions())
    write(FOLDER / f"{name}-packets", golden_packets())
    write(FOLDER / f"{name}-simulation", golden_simulation())
    write(FOLDER / f"{name}-imported", golden_imported())
    write(FOLDER / f"{name}-tunnel", golden_tunnel())


if __name__ == "__main__":
    main()
