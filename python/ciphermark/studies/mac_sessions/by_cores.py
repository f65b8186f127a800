"""Figures 8–11 as a table: VMAC-AES128 on one core, on two and on all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show import figures
from ciphermark.show.findings import Cell, Column, Table
from ciphermark.studies.mac_sessions.measured import NOT_VALID, Measured
from ciphermark.studies.mac_sessions.paper import PACKET, SESSIONS, VMACS

if TYPE_CHECKING:
    from ciphermark.workloads.sessions.row import SessionRow

CYCLES = "cycles/byte"
OF_SESSIONS = "over the sessions"


def by_cores(measured: Measured) -> Table:
    """The three figures of a workload, and what the paper suspects behind them."""
    table = Table(
        title=(
            f"VMAC-AES128, {SESSIONS} sessions of messages of {figures.message_size(PACKET)}, by "
            "number of CPUs (figures 8–11)"
        ),
        columns=[
            Column(heading="function"),
            Column(heading="CPUs"),
            Column(heading="sessions", detail=True),
            Column(heading="wall", group=CYCLES),
            Column(heading="absolute", group=CYCLES, digits=4),
            Column(heading="apparent", group=CYCLES, digits=4),
            Column(heading="estimated", group=CYCLES, digits=4, detail=True),
            Column(heading="parallelism", digits=4),
            Column(heading="preemptions", group="per second"),
            Column(heading="migrations", group="per second"),
            Column(heading="Jain", group=OF_SESSIONS, digits=4),
            Column(heading="spread", group=OF_SESSIONS),
            Column(heading="MHz", detail=True),
        ],
        notes=[
            "wall: of one session, the median; absolute and apparent: of the workload",
            "estimated: absolute by the apparent one and the kernel's accounts of the CPUs",
            "parallelism: CPUs busy with the sessions; preemptions and migrations: of all threads",
            "Jain's index of bytes done; spread: (90th − 10th percentile) / median of CPU time",
            "the paper does not state the size of the messages of its figures 8–11",
        ],
    )
    for function in VMACS:
        for cores, row in measured.on_cores(function, PACKET).items():
            if not row.valid:
                table.doubtful.append((len(table.rows), 1))
            table.rows.append([function.name, cores, row.sessions, *_figures(row)])
    if table.doubtful:
        table.notes.append(NOT_VALID)
    return table


def per_second(count: int | None, row: SessionRow) -> float | None:
    """How often something happened within the window."""
    if count is None or not row.window_ms:
        return None
    return count / row.window_ms * 1e3


def _figures(row: SessionRow) -> list[Cell]:
    return [
        row.wall_cycles_per_byte,
        row.absolute_cycles_per_byte,
        row.apparent_cycles_per_byte,
        row.estimated_cycles_per_byte,
        row.parallelism,
        per_second(row.preemptions, row),
        per_second(row.migrations, row),
        row.fairness,
        row.cpu_spread,
        row.core_hz and row.core_hz / 1e6,
    ]
