"""What a packet's cost is made of, by the influences that the thesis names in 3.1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show.findings import Cell, Column, Table
from ciphermark.studies.kasumi.keys import FUNCTIONS
from ciphermark.studies.kasumi.measured import Measured
from ciphermark.studies.measured import implementation
from ciphermark.workloads.packets.terms import PacketTerms, Term, packet_terms

if TYPE_CHECKING:
    from ciphermark.record.run import Run


def terms(run: Run, measured: Measured) -> Table:
    """Each influence as a term in cycles, of the smallest and of the largest packets."""
    table = Table(
        title="Influences on the cost of a packet (3.1), one core",
        columns=[
            *(Column(heading=it) for it in ("function", "implementation", "influence", "term")),
            *(
                Column(heading=heading, group=f"{which} packets", decimals=decimals)
                for which in ("smallest", "largest")
                for heading, decimals in (("bytes", None), ("cycles", 0), ("%", 1))
            ),
            Column(heading="says", detail=True),
        ],
        notes=["%: of all that such a packet costs; some terms contain others"],
    )
    rows = [
        row
        for row in measured.with_figures
        if (row.algorithm, row.operation) in FUNCTIONS and row.cores == 1 and measured.role(row)
    ]
    clocks = run.context.engine_hello.environment.clocks
    for found in packet_terms(rows, clocks.wall_read_ns):
        table.rows += [_cells(found, term) for term in found.terms]
        table.notes += [f"{found.algorithm}, {_name(found)}: {why}" for why in found.lacking]
    return table


def _cells(found: PacketTerms, term: Term) -> list[Cell]:
    shown: list[Cell] = [found.algorithm, _name(found), term.influence, term.term]
    for size in (found.sizes[0], found.sizes[-1]):
        share = term.shares.get(size)
        shown += [size, term.cycles.get(size), None if share is None else 100 * share]
    return [*shown, term.note]


def _name(found: PacketTerms) -> str:
    where = "" if found.offload == "none" else f" by {found.offload}"
    return implementation(found) + where
