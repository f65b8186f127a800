"""What a judge is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ciphermark.contract.beside import BesideFigure
from ciphermark.studies.mac_sessions.measured import Measured

if TYPE_CHECKING:
    from ciphermark.record.run import Context

APART = 0.03
"""Share by which two figures differ that are not called the same: twice the spread of the absolute
figure that is allowed from run to run."""


class Found(NamedTuple):
    """All that was found out."""

    measured: Measured
    beside: list[BesideFigure]
    """By other programs."""
    context: Context


def percent(share: float) -> str:
    """`+1.2 %`, with its sign."""
    return f"{100 * share:+.1f} %".replace("-", "−")
