"""Runs of many sessions as they could have come out, made up from figures that are easy to check.

`execution` has round numbers: a core clock of 1 GHz and messages of 1000 bytes, so that a
nanosecond is a cycle.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
import numpy as np

from ciphermark import contract
from ciphermark.plan.loads import USUAL_NICE
from ciphermark.record.run import Run
from ciphermark.workloads.sessions.figures import session_rows
from ciphermark.workloads.sessions.row import SessionRow
from synthetic import load_events, recorded_run

HZ = 1e9
MESSAGE_BYTES = 1000
UNEVEN = contract.Objection(
    kind="uneven", message="CPU time differs by 31 % between the sessions, where 10 % may be"
)
NEVER_RAN = contract.Objection(
    kind="never-ran", message="1 of 100 sessions did not run, where all must"
)


def load(sessions: int = 2, cpus: Sequence[int] = (0, 1), **fields: Any) -> contract.SessionLoad:
    """Sessions with a window of one second."""
    usual = {"execution_ms": 1300.0, "opens_ms": 200.0, "closes_ms": 1200.0}
    usual |= {"look_ms": 13.0, "most_attempts": 3, "nice": USUAL_NICE}
    return contract.SessionLoad(sessions=sessions, cpus=list(cpus), **usual | fields)


def execution(
    wanted: contract.SessionLoad,
    messages: Sequence[int],
    cpu_ns: Sequence[int],
    *,
    case: int = 0,
    attempt: int = 0,
    **fields: Any,
) -> contract.SessionsRun:
    """What sessions did that had these messages and this CPU time in a window of one second."""
    nothing = [0] * len(messages)
    usual = {
        "opened_ns": 200_000_000,
        "closed_ns": 1_200_000_000,
        "threads": len(messages),
        "threads_late": 0,
        "session_bytes": 70_000,
        "core_clocks": [
            contract.CoreClock(cpu=cpu, alone_hz=HZ, loaded_hz=HZ, offset_ns=0.0)
            for cpu in wanted.cpus
        ],
        "shares": contract.CpuShares(busy=1.0, workload=0.98, steal=0.0, idle=0.0),
        "timed_every": 1,
        "latencies": [contract.LatencyCount(ns=500, count=sum(messages))],
        "moments": [],
        "figures": contract.SessionFigures(
            messages=list(messages),
            bytes=[MESSAGE_BYTES * it for it in messages],
            cpu_ns=list(cpu_ns),
            begun=[1] * len(messages),
            preemptions=nothing,
            waits=nothing,
            migrations=nothing,
        ),
        "objections": [],
    }
    return contract.SessionsRun(case=case, attempt=attempt, load=wanted, at_ns=0, **usual | fields)


def steady(
    case: contract.Case, messages_per_second: float = 1e6, **fields: Any
) -> contract.SessionsRun:
    """What sessions did that finished so many messages a second on each of their CPUs."""
    wanted = case.sessions
    assert wanted is not None
    share = len(wanted.cpus) / wanted.sessions
    messages, cpu_ns = int(messages_per_second * share), int(0.98e9 * share)
    each, nothing = [messages] * wanted.sessions, [0] * wanted.sessions
    return execution(
        wanted,
        each,
        [cpu_ns] * wanted.sessions,
        case=case.case,
        figures=contract.SessionFigures(
            messages=each,
            bytes=[messages * (case.message_bytes or 0)] * wanted.sessions,
            cpu_ns=[cpu_ns] * wanted.sessions,
            begun=[1] * wanted.sessions,
            preemptions=nothing,
            waits=nothing,
            migrations=nothing,
        ),
        **fields,
    )


def session_case(number: int, wanted: contract.SessionLoad, **fields: Any) -> contract.Case:
    """A case of HMAC-SHA256 at 1000 bytes, unless told otherwise."""
    usual = {
        "algorithm": "hmac-sha256",
        "operation": "mac",
        "provider": "openssl",
        "backend": "default",
        "message_bytes": MESSAGE_BYTES,
    }
    return contract.Case(case=number, sessions=wanted, **usual | fields)


def sessions_events(
    cases: Collection[contract.Case],
    executions: Collection[contract.SessionsRun],
    failed: dict[int, contract.Failure] | None = None,
) -> list[contract.Event]:
    """What an engine writes."""
    valid = {it.case for it in executions if not it.objections}
    reported = {"backend": "avx512", "backend_evidence": "reported", "constant_time": True}
    ended = (len(valid), 0, len(executions))
    return load_events(cases, executions, failed, ended, default=True, **reported)


def sessions_run(
    cases: Sequence[contract.Case],
    executions: Sequence[contract.SessionsRun],
    failed: dict[int, contract.Failure] | None = None,
    plan_name: str = "sessions",
) -> Run:
    """The run that is recorded of it."""
    events = sessions_events(cases, executions, failed)
    return recorded_run(
        "sessions", plan_name, cases, events, precision=0.01, run="20261121-091500-5e55"
    )


def sessions_example() -> tuple[Run, list[SessionRow]]:
    """HMAC-SHA256 and AES-128-GCM at three sizes on one and on two CPUs, a thousand
    sessions that are multiplexed; one case is not valid in the end, and one has crashed."""
    cases, executions = [], []
    for algorithm, operation, cost in (("hmac-sha256", "mac", 2.0), ("aes-128-gcm", "seal", 0.7)):
        for size in (64, 1024, 16384):
            for cpus in ((0,), (0, 1)):
                case = session_case(
                    len(cases),
                    load(100, cpus),
                    algorithm=algorithm,
                    operation=operation,
                    message_bytes=size,
                )
                cases.append(case)
                executions.append(_likely(case, 600 + cost * size))
    many = session_case(len(cases), load(1000, (0, 1), threads="per-cpu"), message_bytes=1024)
    cases.append(many)
    executions.append(_likely(many, 2650.0))
    executions[0] = msgspec.structs.replace(executions[0], objections=[UNEVEN])
    executions.append(msgspec.structs.replace(_likely(cases[0], 728.0), attempt=1))
    executions[1] = msgspec.structs.replace(executions[1], objections=[NEVER_RAN])
    crashed = session_case(len(cases), load(100), provider="rustcrypto", message_bytes=64)
    failure = contract.Failure(kind="crash", message="the worker died", signal="SIGSEGV")
    run = sessions_run([*cases, crashed], executions, {crashed.case: failure})
    return run, session_rows(run)


def soak_example() -> tuple[Run, list[SessionRow]]:
    """A minute and a half in which the clock falls from 3.8 to 3.4 GHz, and the rate with it."""
    case = session_case(0, load(4, look_ms=1000.0, most_attempts=1))
    rates = [1e6] * 45 + [0.9e6] * 45
    messages = np.cumsum(rates).astype(int).tolist()
    moments = [
        contract.Moment(
            at_ns=(second + 1) * 10**9,
            messages=messages[second],
            core_hz=3.8e9 if second < 45 else 3.4e9,
            temperature_c=50.0 + second / 3,
            throttles=7 + second // 30,
        )
        for second in range(90)
    ]
    seen = execution(case.sessions, [300_000] * 4, [450_000_000] * 4, moments=moments)
    run = sessions_run([case], [seen], plan_name="sessions-soak")
    return run, session_rows(run)


def _likely(case: contract.Case, cycles: float) -> contract.SessionsRun:
    """An execution on a core of 3.8 GHz that falls to 3.6 with two CPUs at work."""
    assert case.sessions is not None and case.message_bytes is not None
    sessions, cpus = case.sessions.sessions, case.sessions.cpus
    noise = np.random.default_rng(case.case)
    clock = 3.8e9 - 0.2e9 * (len(cpus) - 1)
    cpu_ns = (0.98e9 * len(cpus) / sessions * noise.normal(1, 0.04, sessions)).astype(int)
    messages = (cpu_ns / 1e9 * clock / cycles).astype(int)
    ns = cycles / clock * 1e9
    spread = {1.0: 0.9, 1.2: 0.08, 3.0: 0.018, 8000.0: 0.002}
    figures = contract.SessionFigures(
        messages=messages.tolist(),
        bytes=(messages * case.message_bytes).tolist(),
        cpu_ns=cpu_ns.tolist(),
        begun=[1] * sessions,
        preemptions=[7] * sessions,
        waits=[0] * sessions,
        migrations=[len(cpus) - 1] * sessions,
    )
    total = int(messages.sum())
    return execution(
        case.sessions,
        figures.messages,
        figures.cpu_ns,
        case=case.case,
        figures=figures,
        threads=len(cpus) if case.sessions.threads == "per-cpu" else sessions,
        core_clocks=[
            contract.CoreClock(cpu=cpu, alone_hz=3.8e9, loaded_hz=clock, offset_ns=12.0 * cpu)
            for cpu in cpus
        ],
        shares=contract.CpuShares(busy=0.995, workload=0.985, steal=0.002, idle=0.003),
        latencies=[
            contract.LatencyCount(ns=int(ns * factor), count=int(total * share))
            for factor, share in spread.items()
        ],
        moments=[
            contract.Moment(at_ns=13_000_000 * step, messages=total * step // 80)
            for step in range(1, 100)
        ],
    )
