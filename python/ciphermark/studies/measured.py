"""What several studies say of the rows that they show."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow
    from ciphermark.workloads.packets.terms import PacketTerms
    from ciphermark.workloads.single.row import Row


def implementation(row: Row | PacketRow | PacketTerms) -> str:
    """Provider and code path: `kernels avx2`."""
    return row.provider if row.backend == "default" else f"{row.provider} {row.backend}"


def why_none(rows: list[Row]) -> str:
    """Why none of these rows has a figure."""
    reasons = [
        f"{row.provider}: {row.error.message if row.error else 'not measured'}" for row in rows
    ]
    return "; ".join(dict.fromkeys(reasons)) or "no provider has it"
