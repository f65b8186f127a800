"""How a cost card is shown: its figures, its marks, and what these mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ciphermark.show import figures

if TYPE_CHECKING:
    from ciphermark.statistics.estimate import Estimate
    from ciphermark.statistics.line import Line
    from ciphermark.workloads.single.cost_card import CostCard

CURVED, NOTHING, FROM = "?", "≈0", "from"
"""Marks: of what is no straight line, of a fixed cost that may be nothing, and of a card that holds
from a size on."""


def mark(card: CostCard) -> str:
    """Before the fixed cost."""
    return CURVED if card.is_curved else ""


def remark(card: CostCard) -> str:
    """Where a card that is no straight line is off, and by how much."""
    if not card.is_curved:
        return ""
    return (
        f"the line is off by {100 * card.largest_residual:.0f} % at {card.largest_residual_bytes} "
        "bytes: do not read it between the measured sizes"
    )


def fixed_cost(line: Line, separator: str = " ") -> str:
    """Cycles per message; a cost below zero only where its interval excludes zero."""
    if line.fixed.value < 0 and not _is_negative(line):
        return NOTHING
    return figures.significant(line.fixed.value, separator=separator)


def half_width(estimate: Estimate, separator: str = " ") -> str:
    """Half of the interval; nothing where there is none."""
    if estimate.low is None or estimate.high is None:
        return ""
    return figures.half_width(*estimate, separator)


def start(card: CostCard) -> str:
    """From which size on the line of long messages holds, where another one does below it."""
    return figures.message_size(int(card.long.start)) if len(card.lines) > 1 else ""


def legend(cards: Iterable[CostCard | None]) -> Iterator[tuple[str, str]]:
    """The marks that occur in the lines of long messages, each with what it means."""
    shown = [card for card in cards if card is not None]
    if any(card.long.fixed.low is None for card in shown):
        yield "no ±", "a cost card needs four sizes to say how wrong it may be"
    if any(len(card.lines) > 1 for card in shown):
        yield FROM, "the line holds from this size on; the report also has that of shorter messages"
    if any(card.long.fixed.value < 0 and not _is_negative(card.long) for card in shown):
        yield NOTHING, "a fixed cost that cannot be told from zero"
    if any(_is_negative(card.long) for card in shown):
        yield (
            "cost < 0",
            "short messages cost less than their bytes say: one begins before the last has ended",
        )
    if any(card.is_curved for card in shown):
        yield CURVED, "no straight line over size: do not read its cost between the measured sizes"


def _is_negative(line: Line) -> bool:
    return line.fixed.high is not None and line.fixed.high < 0
