"""Runs of packets as they could have come out, made up from figures that are easy to check.

`passed` has round numbers: a core clock of 1 GHz, so that a nanosecond is a cycle, and 1000 packets
of 100 bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ciphermark import contract
from ciphermark.record.run import Run
from ciphermark.workloads.packets.figures import packet_rows
from ciphermark.workloads.packets.row import PacketRow
from synthetic import CRASH, load_events, recorded_run

HZ = 1e9
PACKETS = 1000
PACKET_BYTES = 100


def load(cpus: Sequence[int] = (1,), **fields: Any) -> contract.PacketLoad:
    """Packets that CPU 0 submits."""
    usual = {"packets": PACKETS, "submit_cpu": 0, "batch": 32, "queue_batches": 64}
    usual |= {"least_pairs": 6, "measure_ms": 1000.0}
    return contract.PacketLoad(cpus=list(cpus), **usual | fields)


def packet_case(number: int, wanted: contract.PacketLoad, **fields: Any) -> contract.Case:
    """A case of AES-128-GCM at 100 bytes, unless told otherwise."""
    usual = {
        "algorithm": "aes-128-gcm",
        "operation": "seal",
        "provider": "openssl",
        "backend": "default",
        "message_bytes": PACKET_BYTES,
        "keys": 16,
    }
    return contract.Case(case=number, packets=wanted, **usual | fields)


def one_pass(
    kind: contract.PassKind,
    wall_ns: float,
    wanted: contract.PacketLoad | None = None,
    *,
    cores: list[contract.CoreFigures] | None = None,
    **fields: Any,
) -> contract.Pass:
    """A pass in which every CPU worked all the time, on as many packets as the others."""
    wanted = wanted or load()
    usual = {
        "core_hz": HZ,
        "latencies": [contract.LatencyCount(ns=2000 if kind == "transfer" else 5000, count=64)],
        **dict.fromkeys(("lost", "duplicated", "out_of_order", "queue_full", "flushed"), 0),
    }
    if cores is None:
        cores = [core(wanted.submit_cpu, wanted.packets, wall_ns)]
        share = wanted.packets // len(wanted.cpus)
        if wanted.submit_cpu in wanted.cpus:  # one thread, counted where it processes
            cores[0].cpu_ns = 0
        cores += [core(cpu, share, wall_ns) for cpu in wanted.cpus]
    return contract.Pass(kind=kind, wall_ns=wall_ns, cores=cores, **usual | fields)


def core(cpu: int, packets: int, cpu_ns: float, **fields: Any) -> contract.CoreFigures:
    """What one CPU did that was never disturbed."""
    usual = {"batches": -(-packets // 32), "preemptions": 0, "waits": 0, "useful_cycles": 0.0}
    return contract.CoreFigures(cpu=cpu, packets=packets, cpu_ns=int(cpu_ns), **usual | fields)


def pairs_of(
    wanted: contract.PacketLoad,
    transfer_ns: float = 60_000.0,
    processing_ns: float = 500_000.0,
    count: int = 8,
) -> list[contract.Pass]:
    """Pairs that differ by a thousandth from each other, each other one the other way round."""
    passes = []
    for number in range(count):
        slower = 1 + 0.001 * (number - count // 2)
        pair = [
            one_pass("transfer", transfer_ns * slower, wanted),
            one_pass("processing", processing_ns * slower, wanted),
        ]
        passes += pair[:: -1 if number % 2 else 1]
    return passes


def passed(
    wanted: contract.PacketLoad,
    passes: Sequence[contract.Pass] | None = None,
    *,
    case: int = 0,
    **fields: Any,
) -> contract.PacketsRun:
    """All passes of a case."""
    usual = {
        "at_ns": 0,
        "buffer_bytes": 1 << 20,
        "core_clocks": [
            contract.CoreClock(cpu=cpu, alone_hz=HZ, loaded_hz=HZ, offset_ns=0.0)
            for cpu in dict.fromkeys([wanted.submit_cpu, *wanted.cpus])
        ],
        "shares": contract.CpuShares(busy=1.0, workload=0.98, steal=0.0, idle=0.0),
        "alone": contract.Alone(hot_cycles=200_000.0, cold_cycles=250_000.0),
        "checked_against": "rustcrypto",
    }
    passes = pairs_of(wanted) if passes is None else passes
    return contract.PacketsRun(case=case, load=wanted, passes=list(passes), **usual | fields)


def packets_events(
    cases: Collection[contract.Case],
    runs: Collection[contract.PacketsRun],
    failed: dict[int, contract.Failure] | None = None,
) -> list[contract.Event]:
    """What an engine writes."""
    samples = sum(len(it.passes) for it in runs)
    return load_events(cases, runs, failed, (len(runs), samples, 1), default=True)


def packets_run(
    cases: Sequence[contract.Case],
    runs: Sequence[contract.PacketsRun],
    failed: dict[int, contract.Failure] | None = None,
    plan_name: str = "packets",
) -> Run:
    """The run that is recorded of it."""
    events = packets_events(cases, runs, failed)
    return recorded_run(
        "packets", plan_name, cases, events, precision=0.05, run="20261122-091500-9ac4"
    )


def one_row(
    wanted: contract.PacketLoad | None = None,
    passes: Sequence[contract.Pass] | None = None,
    case: dict[str, Any] | None = None,
    **fields: Any,
) -> PacketRow:
    """The row of a single case."""
    wanted = wanted or load()
    run = packets_run([packet_case(0, wanted, **case or {})], [passed(wanted, passes, **fields)])
    (row,) = packet_rows(run)
    return row


def packets_example() -> tuple[Run, list[PacketRow]]:
    """AES-128-GCM and HMAC-SHA256 at two sizes, over packets, cores and batches; one case did not
    settle and one has crashed."""
    cases, runs = [], []

    def add(wanted: contract.PacketLoad, passes: list[contract.Pass], **fields: Any) -> None:
        cases.append(packet_case(len(cases), wanted, **fields))
        runs.append(passed(wanted, passes, case=len(runs)))

    for algorithm, operation, cost in (("aes-128-gcm", "seal", 0.9), ("hmac-sha256", "mac", 3.0)):
        for size in (64, 512):
            work = 300 + cost * size
            of = {"algorithm": algorithm, "operation": operation, "message_bytes": size}
            for packets in (1000, 8000, 64_000):
                for cpus in ((1,), (1, 2), (1, 2, 3)):
                    wanted = load(cpus, packets=packets)
                    moved = 3000 + packets * 55.0
                    done = moved + packets * work / len(cpus) ** 0.95
                    add(wanted, pairs_of(wanted, moved, done), **of)
            for batch in (1, 8, 128):
                wanted = load(packets=64_000, batch=batch)
                moved = 64_000 * (40 + 150.0 / batch)
                passes = pairs_of(wanted, moved, moved + 64_000 * work)
                for it in passes:
                    waits = int(batch * work + 900 * batch**0.5)
                    it.latencies = [
                        contract.LatencyCount(ns=waits, count=98),
                        contract.LatencyCount(ns=2 * waits, count=2),
                    ]
                add(wanted, passes, **of)
    restless = pairs_of(load())
    for it in restless[:10]:
        it.cores[1].cpu_ns //= 2
    add(load(), restless, algorithm="sha256", operation="digest", keys=1)
    cases.append(packet_case(len(cases), load(), operation="open"))
    run = packets_run(cases, runs, {cases[-1].case: CRASH})
    return run, packet_rows(run)
