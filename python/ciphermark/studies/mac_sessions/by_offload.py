"""MACs that a device computes beside those of the calling CPU: a table, and what is said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show import figures
from ciphermark.show.findings import Cell, Column, NotTestable, Table, Verdict
from ciphermark.studies.mac_sessions.found import Found
from ciphermark.studies.mac_sessions.measured import NOT_VALID, Measured
from ciphermark.studies.mac_sessions.paper import BY_ALGORITHM, SESSIONS

if TYPE_CHECKING:
    from ciphermark.workloads.sessions.row import SessionRow

CYCLES = "cycles/byte"

LEFT_OUT = 0.10
"""Share of the apparent figure on one CPU that an absolute figure must leave out to mislead: three
times what overhead alone makes of it there."""


def by_offload(measured: Measured) -> Table:
    """The same sessions without a device and with one, and what each figure has of its work."""
    table = Table(
        title=f"{SESSIONS} sessions whose MACs a device computes",
        columns=[
            Column(heading="function"),
            Column(heading="message", detail=True),
            Column(heading="work by"),
            Column(heading="CPUs"),
            Column(heading="absolute", group=CYCLES, digits=4),
            Column(heading="apparent", group=CYCLES, digits=4),
            Column(heading="device", group=CYCLES, digits=4),
            Column(heading="MB/s"),
        ],
        notes=[
            "absolute: CPU time of the sessions alone; apparent: the time that passes, with what "
            "the device does meanwhile",
            "device: CPU time of its own threads, looking for work included, by the clock of the "
            "sessions' CPUs",
        ],
    )
    shown: dict[int, SessionRow] = {}
    for beside, row in measured.offloaded():
        shown |= {beside.case: beside, row.case: row}
    for row in sorted(shown.values(), key=lambda it: (it.algorithm, it.message_bytes or 0)):
        if not row.valid:
            table.doubtful.append((len(table.rows), 4))
        table.rows.append(_cells(row))
    if table.doubtful:
        table.notes.append(NOT_VALID)
    return table


def offload(found: Found) -> Verdict:
    """By what the absolute figure leaves out where sessions on one CPU have their longest messages
    computed by a device."""
    pairs = [row for _, row in found.measured.offloaded() if row.cores == 1]
    if not pairs:
        raise NotTestable(
            "no session had its work done by a device: it takes a second CPU, an OpenCL device or "
            "AF_ALG"
        )
    longest = max(row.message_bytes or 0 for row in pairs)
    rows = [row for row in pairs if row.message_bytes == longest]
    shown = "; ".join(
        f"{BY_ALGORITHM[row.algorithm].name} by {row.device}: absolute "
        f"{figures.significant(row.absolute_cycles_per_byte, 4)}, apparent "
        f"{figures.significant(row.apparent_cycles_per_byte, 4)} cycles/byte"
        for row in rows
    )
    return all(_left_out(row) > LEFT_OUT for row in rows), shown


def _left_out(row: SessionRow) -> float:
    """Share of the apparent figure that the absolute one does not have."""
    return 1 - row.absolute_cycles_per_byte / row.apparent_cycles_per_byte


def _cells(row: SessionRow) -> list[Cell]:
    busy = row.device_cpus
    return [
        BY_ALGORITHM[row.algorithm].name,
        figures.message_size(row.message_bytes),
        row.device or "the CPU that calls",
        row.cores,
        row.absolute_cycles_per_byte,
        row.apparent_cycles_per_byte,
        None if busy is None else busy * row.apparent_cycles_per_byte,
        row.mbytes_per_second,
    ]
