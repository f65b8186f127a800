"""Runs made without an engine: believable samples, the same for the same seed.

`synthetic_events` is what an engine would write, `synthetic_run` what is recorded of it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ciphermark import contract
from ciphermark.plan.sampling import sampling
from ciphermark.record.recorder import Recorder
from ciphermark.record.run import Run

CRASH = contract.Failure(kind="crash", message="the library crashed", signal="SIGSEGV")

ALGORITHMS = Path(__file__).resolve().parent.parent / "algorithms"

# Cycles of one message and of each of its bytes, of the order that such functions have on a
# processor of today: (algorithm, operation) → provider → (a, b) of a + b·n.
COSTS: dict[tuple[str, contract.Operation], dict[str, tuple[float, float]]] = {
    ("aes-128-gcm", "setup"): {"openssl": (420.0, 0.0), "rustcrypto": (310.0, 0.0)},
    ("aes-128-gcm", "seal"): {"openssl": (610.0, 0.62), "rustcrypto": (380.0, 2.1)},
    ("chacha20-poly1305", "seal"): {"openssl": (900.0, 0.84), "rustcrypto": (700.0, 2.4)},
    ("hmac-sha256", "mac"): {"openssl": (1100.0, 1.9), "rustcrypto": (640.0, 2.0)},
    ("sha256", "digest"): {"openssl": (330.0, 1.8), "rustcrypto": (210.0, 1.9)},
}
PROVIDERS = ("openssl", "rustcrypto")
SIZES = (64, 1024, 16384)

STARTED_UNIX_NS = 1_795_252_500 * 10**9
"""Start of the run of seed 0; each next seed starts a minute later."""
CORE_HZ = 3.82e9
LOOP_CYCLES = 2.5
SLICE_NOISE = 0.004
GROUP_NOISE = 0.002
DISTURBED_SHARE = 0.02
CALIBRATION_NS = 4000


def synthetic_cases(
    algorithms: Collection[str] | None = None,
    providers: Sequence[str] = PROVIDERS,
    sizes: Sequence[int] = SIZES,
) -> list[contract.Case]:
    """The cases of `COSTS`, of all algorithms or of the named ones."""
    wanted = [
        (algorithm, operation, provider, size)
        for algorithm, operation in COSTS
        if algorithms is None or algorithm in algorithms
        for provider in providers
        for size in ((None,) if operation == "setup" else sizes)
    ]
    return [
        contract.Case(
            case=number,
            algorithm=algorithm,
            operation=operation,
            provider=provider,
            backend="default",
            message_bytes=size,
        )
        for number, (algorithm, operation, provider, size) in enumerate(wanted)
    ]


def synthetic_plan(cases: list[contract.Case] | None = None, seed: int = 0) -> contract.Plan:
    """A plan of these cases, or of all that `synthetic_cases` has."""
    return contract.Plan(
        schema=contract.SCHEMA,
        workload="single",
        seed=seed,
        precision=0.01,
        budget_s=60.0,
        sampling=sampling(),
        cases=synthetic_cases() if cases is None else cases,
    )


def synthetic_events(
    plan: contract.Plan,
    rounds: int = 8,
    *,
    failed: Mapping[int, contract.Failure] | None = None,
    slower: Mapping[str, float] | None = None,
    machine: str = "epyc-9b45-kvm",
) -> Iterator[contract.Event]:
    """What an engine writes for a plan.

    `failed` has the errors of the cases that fail, `slower` a factor on the cost of an algorithm.
    """
    failed, slower = failed or {}, slower or {}
    good = [case for case in plan.cases if case.case not in failed]
    yield synthetic_hello(plan.seed, machine)
    for case in good:
        yield ready(case)
    for number, error in failed.items():
        yield contract.CaseError(case=number, error=error)
    samples = 0
    last_ns = 0
    for sample in _samples(good, plan, rounds, slower):
        samples, last_ns = samples + 1, sample.at_ns
        yield sample
    yield bye(len(plan.cases), len(good), len(failed), samples, rounds, elapsed_s=last_ns / 1e9)


def synthetic_run(
    cases: list[contract.Case] | None = None,
    rounds: int = 8,
    seed: int = 0,
    *,
    failed: Mapping[int, contract.Failure] | None = None,
    slower: Mapping[str, float] | None = None,
    machine: str = "epyc-9b45-kvm",
) -> Run:
    """The run that is recorded from `synthetic_events`, its identifier given by the seed."""
    plan = synthetic_plan(cases, seed)
    recorder = Recorder(
        "ciphermark survey", "survey", plan, synthetic_algorithms(), ["synthetic, not measured"]
    )
    for event in synthetic_events(plan, rounds, failed=failed, slower=slower, machine=machine):
        recorder.feed(event)
    run = recorder.finish()
    start = run.context.run.rpartition("-")[0]
    run.context.run = f"{start}-{seed % 2**16:04x}"
    return run


def all_disturbed(
    run: Run, algorithms: Collection[str] | None = None, mark: contract.Disturbance = "shared"
) -> Run:
    """The run as it would have been beside a neighbour that never rests: each sample of these
    algorithms, or of all, has the mark `shared`, or another."""
    meant = {
        it.case.case for it in run.cases if algorithms is None or it.case.algorithm in algorithms
    }
    marks = [
        [mark] if case in meant else marked
        for case, marked in zip(
            run.samples["case"].to_pylist(), run.samples["disturbed"].to_pylist(), strict=True
        )
    ]
    return msgspec.structs.replace(run, samples=run.samples.with_column("disturbed", marks))


@cache
def synthetic_algorithms() -> tuple[contract.Algorithm, ...]:
    """The facts of the algorithms in `COSTS`."""
    names = sorted({algorithm for algorithm, _ in COSTS})
    return tuple(
        msgspec.convert(
            tomllib.loads((ALGORITHMS / f"{name}.toml").read_text()), contract.Algorithm
        )
        for name in names
    )


def synthetic_hello(seed: int = 0, machine: str = "epyc-9b45-kvm") -> contract.Hello:
    """The greeting of an engine on a machine of this name."""
    return contract.Hello(
        schema=contract.SCHEMA,
        engine=contract.EngineBuild(
            version="0.1.0",
            target="x86_64-unknown-linux-gnu",
            rustc="rustc 1.89.0",
            profile="release",
            rustflags="",
        ),
        environment=contract.Environment(
            machine=a_machine(machine), state=a_state(), clocks=some_clocks()
        ),
        providers=[
            _provider("openssl", "OpenSSL", "3.0.17"),
            _provider("rustcrypto", "RustCrypto", ""),
        ],
        started_unix_ns=STARTED_UNIX_NS + seed * 60 * 10**9,
    )


def ready(case: contract.Case, **fields: Any) -> contract.CaseReady:
    """What an engine says of a case before it measures it; `fields` are of the implementation."""
    usual = {
        "default": case.backend == "default",
        "backend_evidence": "unknown",
        "constant_time": None,
    }
    implementation = {
        "algorithm": case.algorithm,
        "provider": case.provider,
        "backend": case.backend,
        "operations": [case.operation],
    }
    known = COSTS.get((case.algorithm, case.operation), PROVIDERS)
    others = [name for name in known if name != case.provider]
    return contract.CaseReady(
        case=case,
        implementation=contract.Implementation(**implementation | usual | fields),
        vectors_passed=12,
        agrees_with=others,
    )


def bye(
    cases: int, converged: int, errors: int, samples: int, rounds: int, **fields: Any
) -> contract.Bye:
    """The last that an engine says."""
    usual = {"elapsed_s": 12.5, "interrupted": False, "steal_share": 0.001}
    return contract.Bye(
        cases=cases,
        converged=converged,
        errors=errors,
        samples=samples,
        rounds=rounds,
        **usual | fields,
    )


def load_events(
    cases: Collection[contract.Case],
    runs: Collection[contract.SessionsRun] | Collection[contract.PacketsRun],
    failed: Mapping[int, contract.Failure] | None,
    ended: tuple[int, int, int],
    **implementation: Any,
) -> list[contract.Event]:
    """What an engine writes of loads; `ended` are cases that converged, samples and rounds."""
    failed = failed or {}
    said = [ready(case, **implementation) for case in cases if case.case not in failed]
    errors = [contract.CaseError(case=number, error=it) for number, it in failed.items()]
    converged, samples, rounds = ended
    last = bye(len(cases), converged, len(failed), samples, rounds)
    return [synthetic_hello(), *said, *errors, *runs, last]


def _samples(
    cases: Sequence[contract.Case],
    plan: contract.Plan,
    rounds: int,
    slower: Mapping[str, float],
) -> Iterator[contract.Sample]:
    """Rounds of shuffled groups, one after the other in time, each by processes of its own."""
    random = np.random.default_rng(plan.seed)
    at_ns = 0
    for number in range(rounds):
        for index in random.permutation(len(cases)):
            case = cases[index]
            cost = _cycles(case) * slower.get(case.algorithm, 1.0)
            for sample in _group(case.case, cost, number, at_ns, plan.sampling, random):
                at_ns = sample.at_ns + int(sample.wall_ns) + CALIBRATION_NS
                yield sample


def _cycles(case: contract.Case) -> float:
    per_message, per_byte = COSTS[case.algorithm, case.operation][case.provider]
    return per_message + per_byte * (case.message_bytes or 0)


def _group(
    case: int,
    cost: float,
    number: int,
    start_ns: int,
    sampling: contract.Sampling,
    random: np.random.Generator,
) -> list[contract.Sample]:
    core_hz = CORE_HZ * random.normal(1, 0.001)
    per_message = cost * random.normal(1, GROUP_NOISE) + LOOP_CYCLES
    needed = sampling.slice_us * 1e-6 * core_hz / per_message
    messages = 1 << max(0, int(np.ceil(np.log2(needed))))
    disturbed = random.random(sampling.slices_per_group) < DISTURBED_SHARE
    noise = random.normal(1, SLICE_NOISE, sampling.slices_per_group) + 0.3 * disturbed
    cycles = messages * per_message * noise
    wall_ns = cycles / core_hz * 1e9
    starts = start_ns + np.concatenate(([0.0], np.cumsum(wall_ns + CALIBRATION_NS)))
    group_ns = int(starts[-1]) - start_ns
    return [
        contract.Sample(
            case=case,
            round=number,
            process=number,
            cpu=1,
            slice=slice_number,
            at_ns=int(starts[slice_number]),
            messages=messages,
            wall_ns=float(wall_ns[slice_number]),
            cycles=float(cycles[slice_number]),
            loop_cycles=LOOP_CYCLES,
            core_hz=float(core_hz),
            group_cpu_ns=group_ns - 200,
            group_wall_ns=group_ns,
            disturbed=["steal"] if disturbed[slice_number] else [],
        )
        for slice_number in range(sampling.slices_per_group)
    ]


def a_machine(name: str = "epyc-9b45-kvm", **changes: Any) -> contract.Machine:
    """A guest with two cores."""
    facts: dict[str, Any] = dict(
        machine_id=f"{sum(name.encode()):016x}",
        machine_name=name,
        machine_kind=f"{name}, 2 cores",
        architecture="x86_64",
        cpu_vendor="AuthenticAMD",
        cpu_name="AMD EPYC 9B45",
        cpu_family=26,
        cpu_model=2,
        cpu_stepping=1,
        cpu_features=["aes", "avx2", "avx512f", "pclmulqdq", "sha_ni", "vaes"],
        cpus_online=2,
        cores_physical=2,
        l1d_cache_bytes=48 * 1024,
        l2_cache_bytes=1024**2,
        memory_bytes=24 * 1024**3,
        virtualisation="kvm",
        operating_system="Debian GNU/Linux 12",
        kernel="6.1.0",
    )
    return contract.Machine(**facts | changes)


def a_state(**changes: Any) -> contract.State:
    facts: dict[str, Any] = dict(
        cpus_allowed=[0, 1],
        cpu=1,
        smt_siblings=[],
        load_1min=0.1,
        steal_share_since_boot=0.001,
        perf_event_paranoid=2,
        pmu=contract.Pmu(usable=False, reason="the hypervisor shows none"),
        clocksource="tsc",
    )
    return contract.State(**facts | changes)


def some_clocks(**changes: Any) -> contract.Clocks:
    facts: dict[str, Any] = dict(
        cycle_source="calibrated",
        cycle_residual=0.001,
        wall_source="tsc",
        wall_ticks_per_ns=2.7,
        slice_cost_ns=18.0,
        wall_read_ns=9.0,
        thread_cpu_read_ns=400.0,
        core_hz=CORE_HZ,
        core_hz_spread=0.002,
        chain_additions=2048,
    )
    return contract.Clocks(**facts | changes)


def _provider(name: str, title: str, version: str) -> contract.Provider:
    return contract.Provider(
        name=name,
        title=title,
        usable=True,
        reason="",
        version=version,
        location="/usr/lib/libcrypto.so.3" if version else "compiled into the engine",
        build="",
    )


def recorded_run(
    workload: contract.Workload,
    plan_name: str,
    cases: Sequence[contract.Case],
    events: Sequence[contract.Event],
    *,
    precision: float,
    run: str,
) -> Run:
    """What is recorded of the events of a workload with threads."""
    plan = contract.Plan(
        schema=contract.SCHEMA,
        workload=workload,
        seed=1,
        precision=precision,
        budget_s=60.0,
        cases=list(cases),
    )
    command = f"ciphermark {workload}"
    recorder = Recorder(command, plan_name, plan, synthetic_algorithms(), ["a note"])
    for event in events:
        recorder.feed(event)
    recorded = recorder.finish()
    recorded.context.run = run
    return recorded
