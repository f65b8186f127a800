"""What a packet costs before its bytes do (3.1), and the memory of all (conclusion 6)."""

from __future__ import annotations

from ciphermark.show.findings import Column, Table
from ciphermark.studies.kasumi import printed
from ciphermark.studies.kasumi.evidence import ROLES, Evidence
from ciphermark.studies.kasumi.judged_single import parted
from ciphermark.studies.kasumi.measured import Measured
from ciphermark.studies.kasumi.paper import BLOCKS_OF, ENCRYPT, TYPICAL


def overheads(here: Evidence) -> Table:
    """Transfer and the fixed part of the function against what bytes cost."""
    table = Table(
        title=f"Overheads of a packet (3.1), {ENCRYPT}, {TYPICAL} packets on one core",
        columns=[
            *(Column(heading=it) for it in ("where", "implementation", "bytes")),
            *(
                Column(heading=it, group="cycles a packet", digits=4)
                for it in ("transfer", "fixed", "for its bytes")
            ),
            Column(heading="overheads, %", decimals=1),
        ],
        notes=["fixed and for its bytes: a and b·n of the line through actual cycles over size"],
    )
    for where, evidence in (("the thesis", printed.evidence()), ("here", here)):
        for role in ROLES:
            for size, parts in (parted(evidence, role) or {}).items():
                share = 100 * parts.overhead / sum(parts)
                table.rows.append([where, evidence.names[role], size, *parts, share])
    return table


def memory(measured: Measured) -> Table:
    """What was allocated for the packets of Tables 15 to 17."""
    table = Table(
        title="Memory of packets, answers and queues, allocated before the clock starts",
        columns=[
            Column(heading="packets"),
            Column(heading="bytes"),
            *(Column(heading=it, group="MB") for it in ("of the packets", "allocated")),
            Column(heading="bytes each", decimals=0),
        ],
        notes=["MB: 10^6 bytes"],
    )
    found = {
        (row.packets, row.packet_bytes): row.buffer_bytes
        for row in measured.with_figures
        if row.buffer_bytes and row.packet_bytes and row.packets in BLOCKS_OF
    }
    for (packets, size), allocated in sorted(found.items()):
        own = packets * size / 1e6
        table.rows.append([packets, size, own, allocated / 1e6, allocated / packets])
    return table
