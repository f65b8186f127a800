"""Packets from one core to another: what the way costs, how many pass, and how much of the speed of
KASUMI's kernel is left behind the queue.

The transfer is measured as DPDK's `ring_perf_autotest` measures a ring: one core puts in batches,
another takes them out, each pinned to a physical core, and time is divided by packets. Here it is
the whole way of a packet and not of the ring alone: its batch is made, its delivery is noted, its
latency counted.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from common import CIPHERMARK, benchmark, figure, find_engine, measured_by_hand, options

from ciphermark import contract
from ciphermark.run.engine import Engine
from ciphermark.view import figures
from ciphermark.workloads.packets.figures import packet_rows
from ciphermark.workloads.packets.row import PacketRow

BATCHES = (1, 8, 32, 128)

TARGET_BATCH = 32
"""Of the batches, the one that targets are set for."""

PACKETS = 1_000_000
FEW_PACKETS = 100_000

KASUMI_PACKETS = 64_000
PEERS_PACKETS = 2000
"""Of other libraries, of which some take 25 s for a pass of all: their cycles are those of the
function, beside which the queue is nothing."""

PLAN = """
title = "KASUMI f8 behind a queue"
workload = "packets"
algorithms = ["uea1"]
operations = ["encrypt"]
providers = ["kernels"]
sizes = [512]
precision = 0.05
budget_s = 60
max_cases = 20

[packets]
packets = [{packets}]
cores = [1]
"""
PEERS = """
[[also]]
providers = {providers}
packets.packets = [{packets}]
"""

LONGEST_S = 900

Rows = list[dict[str, Any]]


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    with benchmark("Packets from one core to another", engine) as environment:
        cpus = environment.state.cpus_allowed
        if len(cpus) < 2:
            print("needs two CPUs: one that submits and one that processes")
            return
        print_empty(engine, two_cores(environment), FEW_PACKETS if chosen.quick else PACKETS)
        print_kasumi(engine, KASUMI_PACKETS // 8 if chosen.quick else KASUMI_PACKETS)


def two_cores(environment: contract.Environment) -> tuple[int, int]:
    """One that submits and one that processes, on different physical cores where there are two."""
    firsts = [core[0] for core in environment.state.core_cpus]
    submits, processes = firsts[:2] if len(firsts) > 1 else environment.state.cpus_allowed[:2]
    return submits, processes


def print_empty(engine: Engine, cpus: tuple[int, int], packets: int) -> None:
    """Packets whose work is nothing: what is left is the way."""
    for row in empty_rows(engine, cpus, packets):
        if not row.is_measured or row.transfer_ns_per_packet is None:
            figure(f"empty packets in batches of {row.batch}", str(row.error), "")
            continue
        targets = ("≤ 60 ns", "≥ 15 M/s") if row.batch == TARGET_BATCH else ("", "")
        figure(
            f"transfer of a packet between CPUs {cpus[0]} and {cpus[1]}, batches of {row.batch}",
            f"{row.transfer_ns_per_packet:.1f} ns",
            targets[0],
        )
        figure("  packets per second, transfer", millions(1e9 / row.transfer_ns_per_packet))
        rate = millions(row.packets_per_second or 0)
        figure("  packets per second, empty work", rate, targets[1])


def empty_rows(engine: Engine, cpus: tuple[int, int], packets: int) -> list[PacketRow]:
    submits, processes = cpus
    cases = [
        contract.Case(
            case=number,
            algorithm="empty",
            operation="seal",
            provider="empty",
            backend="default",
            message_bytes=64,
            packets=contract.PacketLoad(
                packets=packets,
                cpus=[processes],
                submit_cpu=submits,
                batch=batch,
                queue_batches=64,
                least_pairs=6,
                measure_ms=2000,
            ),
        )
        for number, batch in enumerate(BATCHES)
    ]
    return packet_rows(measured_by_hand(engine, "packets", cases, budget_s=60))


def print_kasumi(engine: Engine, packets: int) -> None:
    """KASUMI f8 on one worker core by our kernels and by all that have it, in one run."""
    facts = engine.describe({})
    providers = sorted({it.provider for it in facts.implementations if it.algorithm == "uea1"})
    peers = [it for it in providers if it not in ("kernels", "opencl", "af_alg")]
    rows = kasumi_rows(peers, packets)
    measured = [row for row in rows if row["processing_cycles_per_byte"] is not None]
    ours = best(row for row in measured if row["provider"] == "kernels")
    peer = best(row for row in measured if row["provider"] != "kernels")
    print()
    if ours is None:
        print("UEA1 by our kernels has no figure here")
        return
    figure(
        f"UEA1, {figures.grouped(packets)} × 512 B, one worker core: {named(ours)}",
        f"{ours['processing_cycles_per_byte']:.3f} c/B",
        "≤ 1.5 c/B on Zen 5",
    )
    figure("  transfer alone", per_byte(ours, "transfer_cycles"))
    figure("  actual: processing less transfer", per_byte(ours, "actual_cycles"))
    figure("  the kernel alone, hot", cycles(ours["hot_cycles_per_byte"]))
    figure("  the kernel alone, cold", cycles(ours["cold_cycles_per_byte"]))
    if peer is not None:
        name = f"  the fastest peer: {named(peer)}, {figures.grouped(peer['packets'])} packets"
        figure(name, cycles(peer["processing_cycles_per_byte"]))
        ratio = peer["processing_cycles_per_byte"] / ours["processing_cycles_per_byte"]
        figure("  as many times as fast as that", figures.times(ratio))
    for row in rows:
        if row["error"] is not None:
            print(f"  {row['provider']}: {row['error']['message']}")


def kasumi_rows(peers: list[str], packets: int) -> Rows:
    """The rows of one run of the command: our kernels, and the peers with fewer packets."""
    with tempfile.TemporaryDirectory() as runs:
        plan = Path(runs) / "kasumi.toml"
        text = PLAN.format(packets=packets)
        if peers:
            text += PEERS.format(providers=json.dumps(peers), packets=PEERS_PACKETS)
        plan.write_text(text)
        command = [*CIPHERMARK, "packets", "--plan", plan, "--json", "--runs", runs]
        ended = subprocess.run(command, stdout=subprocess.PIPE, check=False, timeout=LONGEST_S)
    if ended.returncode > 1:  # with 1 a case has failed, and the others have figures
        ended.check_returncode()
    return json.loads(ended.stdout)["rows"]


def best(rows: Any) -> dict[str, Any] | None:
    return min(rows, key=lambda row: row["processing_cycles_per_byte"], default=None)


def named(row: dict[str, Any]) -> str:
    return f"{row['provider']} {row['backend']}, {row['lanes']} lanes"


def per_byte(row: dict[str, Any], field: str) -> str:
    return cycles(row[field] / row["packets"] / row["message_bytes"])


def cycles(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f} c/B"


def millions(per_second: float) -> str:
    return f"{per_second / 1e6:.1f} M/s"


if __name__ == "__main__":
    main()
