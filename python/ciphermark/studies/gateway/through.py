"""What real tunnels of this machine carry, in packets of 1024 bytes, beside cryptography alone."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ciphermark.contract import Failure
from ciphermark.contract.tunnel import Tunnel
from ciphermark.plan.planfile import Effort
from ciphermark.run.tunnels.bed import Bed, BedError
from ciphermark.studies.gateway.evidence import LIBRARY, Measured
from ciphermark.studies.gateway.paper import MESSAGE_BYTES
from ciphermark.view.findings import Cell, Column, Table
from ciphermark.workloads.tunnel.document import ROLES, missing

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.run.engine import Engine
    from ciphermark.run.interrupts import Interrupts
    from ciphermark.statistics.estimate import Estimate
    from ciphermark.workloads.tunnel.plan import Planned
    from ciphermark.workloads.tunnel.row import TunnelRow

KINDS = "plain,openvpn,wireguard-go,esp,wireguard"
OTHER = "chacha20-poly1305"
"""The post has it not: only where a tunnel has nothing else."""

SUITES = f"aes-128-gcm,aes-128-cbc+hmac-sha256*,{OTHER}"


def planned() -> Planned:
    """Packets of one size alone: nothing is predicted from them."""
    from ciphermark.workloads.tunnel import plan

    found = plan.plan(
        plan.load(quick=True),
        kinds=KINDS,
        suites=SUITES,
        sizes=str(MESSAGE_BYTES),
        traffic="udp",
    )
    for (kind, suite), cases in [*found.groups.items()]:
        if suite == OTHER and len(kind.suites) > 1:
            del found.groups[kind, suite]
        else:
            found.groups[kind, suite] = [case for case in cases if not case.is_calibration]
    return found


def besides(engine: Engine, effort: Effort, interrupts: Interrupts) -> list[Run]:
    """A run of tunnels; with `--quick` none. Where namespaces are refused, its cases say so."""
    from ciphermark.command.measuring import command_line
    from ciphermark.messages import say
    from ciphermark.record.without_engine import Circumstances, tunnel_run
    from ciphermark.view.terminal import message_console
    from ciphermark.workloads.tunnel.measuring import TunnelProgress, measure, steps

    if effort == "quick":
        return []
    wanted, began, began_unix_ns = planned(), time.monotonic(), time.time_ns()
    say(f"then real tunnels: about {wanted.expected_s:.0f} s")
    try:
        with Bed(wanted.load.mtu):
            pass
    except BedError as error:
        refused = Failure(kind="unsupported", message=str(error))
        found = [Tunnel(case=case, error=refused) for case in wanted.cases]
    else:
        with TunnelProgress(message_console(), len(wanted.cases), steps(wanted)) as progress:
            found = measure(wanted, engine.path, interrupts, progress.step, say)
    came_about = Circumstances(
        description=engine.describe(),
        environment=engine.environment(),
        algorithms=[],
        notes=wanted.notes,
        command=command_line(),
        started_unix_ns=began_unix_ns,
        elapsed_s=time.monotonic() - began,
        interrupted=interrupts.requested,
    )
    return [tunnel_run(found, came_about)]


def table(measured: Measured) -> Table:
    """Each tunnel beside its suite alone; what is missing here is said."""
    shown = Table(
        title="Real tunnels: packets of 1024 bytes, Mbit/s one way",
        columns=[
            Column(heading="tunnel"),
            Column(heading="arrives"),
            Column(heading="a gateway's core"),
            *(Column(heading=it, group="a gateway's core", detail=True) for it in ("low", "high")),
            Column(heading="cryptography %"),
            Column(heading="packets of ESP alone"),
        ],
        notes=[
            ROLES,
            "packets of ESP alone: what one core seals by OpenSSL, without receiving, copying and "
            "sending",
            *missing(measured.tunnels),
        ],
    )
    for row in measured.tunnels:
        if row.is_measured:
            shown.rows.append(_cells(measured, row))
    if not shown.rows and measured.tunnels:
        shown.rows.append(["none could be set up", *[None] * (len(shown.columns) - 1)])
    return shown


def _cells(measured: Measured, row: TunnelRow) -> list[Cell]:
    core, share = row.gateway_bits_per_second, row.cryptography_share
    alone = measured.row(f"esp:{_of_esp(row.suite)}", provider=LIBRARY)
    return [
        row.title,
        _mbits(row.payload_bits_per_second),
        _mbits(core),
        *(None if end is None else end / 1e6 for end in ((core.low, core.high) if core else ())),
        *([None, None] if core is None else []),
        None if share is None else 100 * share,
        8 * alone.mbytes_per_second if alone and alone.mbytes_per_second else None,
    ]


def _of_esp(suite: str) -> str:
    """ESP cuts HMAC-SHA-256 to 128 bits (RFC 4868)."""
    return f"{suite}-128" if suite.endswith("hmac-sha256") else suite


def _mbits(rate: Estimate | None) -> float | None:
    return None if rate is None else rate.value / 1e6
