"""Cells of Table 3 that contradict others of it, found by rule and never corrected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ciphermark.studies.sensor import paper
from ciphermark.studies.sensor.evidence import printed
from ciphermark.studies.sensor.paper import (
    ATMEGA103,
    ATMEGA128,
    AVR,
    IDEA,
    M16C,
    RC4,
    SHA1,
    WORD_BITS,
    Cell,
)

APART = 0.25
"""How far a ratio may be from what blocks explain, before it is suspect."""


class Suspect(NamedTuple):
    """A printed cell, and why it is doubted."""

    platform: str
    cell: Cell
    reason: str


def suspects() -> list[Suspect]:
    """All of them, in the order of their reasons."""
    return [*_hashes(), *_set_up_by_words(), *_divided()]


def of_platform(platform: str) -> dict[Cell, str]:
    """The suspect cells of a platform with their reasons."""
    return {it.cell: it.reason for it in suspects() if it.platform == platform}


def copied() -> list[Cell]:
    """Rows in which the ATmega128's time is the ATmega103's divided by their clocks, to rounding:
    its column holds no measurement of its own there."""
    slow, fast = (paper.times()[it] for it in AVR)
    clocks = [paper.platforms()[it].clock_mhz for it in AVR]
    return [cell for cell in slow if abs(slow[cell] * clocks[0] / clocks[1] - fast[cell]) <= 0.5]


def _hashes() -> Iterator[Suspect]:
    """SHA-1 against the blocks that its padding needs, the time of 1 byte being right."""
    for platform, by_cell in paper.times().items():
        first, *others = [cell for cell in by_cell if cell.function == SHA1]
        for cell in others:
            blocks = cell.blocks
            ratio = by_cell[cell] / by_cell[first]
            # As much as half of the cost of one block may not depend on their number.
            if not (1 + blocks) / 2 - APART <= ratio <= blocks + APART:
                yield Suspect(platform, cell, _why_blocks(cell, blocks, ratio))


def _why_blocks(cell: Cell, blocks: int, ratio: float) -> str:
    needed = "one block as 1 byte does" if blocks == 1 else f"{blocks} blocks and 1 byte needs one"
    return f"{cell} needs {needed}, but takes {ratio:.2f} times as long"


def _set_up_by_words() -> Iterator[Suspect]:
    """The key setup of RC4, the same 256 steps on bytes everywhere."""
    [cell] = [it for it in paper.cells() if it.function == RC4 and it.action == "init"]
    cycles = printed().cycles
    least = cycles[ATMEGA103][cell]
    for platform in (M16C, *WORD_BITS[32]):
        ratio = cycles[platform][cell] / least
        yield Suspect(
            platform,
            cell,
            f"{cell} is 256 steps on bytes everywhere, but takes {ratio:.1f} times the cycles of "
            "the ATmega103",
        )


def _divided() -> Iterator[Suspect]:
    """IDEA's keys for decryption are found by multiplying, which the ATmega128 has an instruction
    for."""
    for cell in copied():
        if (cell.function, cell.action) == (IDEA, "init-decrypt"):
            reason = f"{cell} multiplies, but takes the cycles of the ATmega103, which cannot"
            yield Suspect(ATMEGA128, cell, reason)
