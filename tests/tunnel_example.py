"""Tunnels made up from known costs: what a packet takes of each gateway, and what arrives.

`tunnel_run` is a run that can be stored; nothing was sent for it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

import msgspec

from ciphermark import contract
from ciphermark.contract.tunnel import RoleTime, Tunnel, TunnelCase, TunnelTrial
from ciphermark.record.run import Run
from ciphermark.run.tunnels.kinds import KINDS
from ciphermark.workloads.tunnel.plan import GROUPS, Load, plan
from synthetic import synthetic_run

SECONDS = 0.5
CLOCK_HZ = 4e9

PATHS = {"plain": (600.0, 0.1), "openvpn": (4000.0, 0.5), "wireguard-go": (6000.0, 2.5)}
"""Nanoseconds of a packet and of each of its bytes on the way through a gateway, without a cipher;
of wireguard-go with it."""

SUITES = {"aes-128-gcm": (250.0, 0.3), "chacha20-poly1305": (400.0, 0.9)}
"""The same of a suite by itself."""

MISSING = "this kernel has no WireGuard: load it with `modprobe wireguard`"


def cost_ns(kind: str, suite: str, bytes_: float) -> float:
    """What a packet costs a gateway."""
    each, per_byte = PATHS[kind]
    if suite in SUITES and kind == "openvpn":
        more, more_per_byte = SUITES[suite]
        each, per_byte = each + more, per_byte + more_per_byte
    return each + per_byte * bytes_


def trial(
    case: TunnelCase, cost: float, purpose: str = "measured", loss: float = 0.0
) -> TunnelTrial:
    """Half a second at 10,000 packets a second."""
    sent = round(10_000 * SECONDS)
    received = round(sent * (1 - loss))
    program = None if case.kind == "plain" else round(0.8 * cost * received)
    kernel = round(cost * received) - (program or 0)
    gateway = RoleTime(program=program, kernel=kernel)
    ends = RoleTime(program=900 * received, kernel=300 * received)
    return TunnelTrial(
        purpose=purpose,  # type: ignore[arg-type]
        asked_per_second=10_000,
        wall_ns=round(SECONDS * 1e9),
        sent_packets=sent,
        received_packets=received,
        received_bytes=round(received * case.mean_bytes),
        latency_p50_ns=200_000,
        latency_p99_ns=900_000,
        cpu={"sender": ends, "gateway-1": gateway, "gateway-2": gateway, "receiver": ends},
        softirq_share=[0.1, 0.2],
    )


def tunnels(seed: int = 1, noise: float = 0.01) -> list[Tunnel]:
    """Of all kinds that have a cost, on trials that differ by the noise."""
    chance = random.Random(seed)
    planned = plan(
        Load(), kinds=",".join(PATHS), suites="none,aes-128-gcm,chacha20-poly1305", traffic="udp"
    )
    found = []
    for case in planned.cases:
        cost = cost_ns(case.kind, case.suite, case.mean_bytes)
        trials = [trial(case, cost * chance.gauss(1, noise)) for _ in range(GROUPS)]
        searched = [trial(case, cost, "search")] if not case.is_calibration else []
        found.append(
            Tunnel(
                case=case,
                version=f"{KINDS[case.kind].title} 1.0",
                manner="root",
                mtu=1700,
                trials=[*searched, *trials],
            )
        )
    return found


def lacking() -> Tunnel:
    """A kind that this machine does not have."""
    (case, *_) = plan(Load(), kinds="wireguard", traffic="udp").cases
    return Tunnel(case=case, error=contract.Failure(kind="unsupported", message=MISSING))


def tunnel_run(found: Iterable[Tunnel] | None = None, seed: int = 0) -> Run:
    """A run that has nothing but these, and no suites by themselves."""
    kept = [*tunnels(), lacking()] if found is None else list(found)
    empty = synthetic_run([], rounds=0, seed=seed)
    context = msgspec.structs.replace(
        empty.context,
        workload="tunnel",
        plan_name="tunnel",
        core_hz=CLOCK_HZ,
        cases=len(kept),
        errors=sum(it.error is not None for it in kept),
    )
    return msgspec.structs.replace(empty, context=context, tunnels=kept)
