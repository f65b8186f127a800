"""Whether the cycles of one row are more than so many times those of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ciphermark.analyse.ratio import Ratio, is_above, unpaired_ratio
from ciphermark.analyse.row_ratio import with_interval
from ciphermark.studies.study import Verdict

if TYPE_CHECKING:
    from ciphermark.analyse.packet_row import PacketRow
    from ciphermark.analyse.statistics import Estimate

Which = Literal["actual", "processing"]


def ratio(over: PacketRow, under: PacketRow, which: Which) -> Ratio:
    """Of these cycles of two rows."""
    sides = [(_cycles(row, which), row.pairs - row.disturbed) for row in (over, under)]
    return unpaired_ratio(*sides[0], *sides[1])


def judged(found: Ratio, limit: float, shown: str) -> Verdict:
    """Whether it is above a limit, with what is said of it; None where the intervals leave that
    open."""
    if found.low is None:
        return None, f"{shown}, of figures without an interval, which decides nothing"
    verdict = is_above(found, limit)
    return verdict, f"{shown}, and the intervals do not decide" if verdict is None else shown


def _cycles(row: PacketRow, which: Which) -> Estimate:
    return with_interval(getattr(row, f"{which}_cycles"), getattr(row, f"{which}_interval"))
