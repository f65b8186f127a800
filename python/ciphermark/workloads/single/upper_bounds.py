"""Upper bounds in the place of figures, where every sample was disturbed."""

from __future__ import annotations

from collections.abc import Iterable

from ciphermark.show import figures
from ciphermark.workloads.single.row import Row

AT_MOST = "≤"
"""Mark before an upper bound."""

MEANING = "at most: every sample was disturbed, so there is no figure; measure when it is quieter"


def bound(row: Row | None, separator: str = " ") -> str:
    """`≤ 12.1` cycles per byte, of a row without bytes per message; nothing of a row that has no
    bound."""
    if row is None:
        return ""
    value = row.cycles_per_byte_upper_bound if row.size else row.cycles_upper_bound
    if value is None:
        return ""
    return f"{AT_MOST}{separator}{figures.significant(value, separator=separator)}"


def has_bounds(rows: Iterable[Row]) -> bool:
    """Whether the mark occurs."""
    return any(row.cycles_upper_bound is not None for row in rows)
