"""Where a kernel spends its instructions: parts of an algorithm, of calls that were counted."""

from __future__ import annotations

from collections import Counter

import msgspec

from ciphermark.measure.breakdown import QUEUE, Counted, Place
from ciphermark.workloads.packets.kernel_parts import KEY_SCHEDULE, part_of

CALL = "call"
"""The engine's way to the function: lengths are checked, a structure is filled."""

C_LIBRARY = "C library"

_OUTSIDE = {"engine": CALL, "library": C_LIBRARY, QUEUE: QUEUE}


class Part(msgspec.Struct, kw_only=True):
    """Instructions of one part, without those of other parts that it calls."""

    part: str
    instructions: int
    """Of the call: those of all parts are those of the call, exactly."""
    per_packet: float
    per_byte: float | None
    """None for `setup`, and for empty messages."""
    share: float
    """Of the call."""


class Breakdown(msgspec.Struct, kw_only=True):
    """One call of a kernel, by parts."""

    algorithm: str
    operation: str
    """`setup` for the setting of a key."""
    backend: str
    message_bytes: int | None
    lanes: int
    """Packets of the call."""
    instructions: int = 0
    own_instructions: int | None = None
    """The same call of the engine's own build, where that was counted."""
    ratio: float | None = None
    """`instructions` over `own_instructions`: 1 where both compilers made the same code."""
    parts: list[Part] = []
    """The largest first."""
    error: str | None = None


def broken_down(counted: Counted) -> Breakdown:
    """A call by its parts."""
    own = counted.own_instructions
    return Breakdown(
        algorithm=counted.algorithm,
        operation=counted.operation,
        backend=counted.backend,
        message_bytes=counted.message_bytes,
        lanes=counted.lanes,
        instructions=counted.instructions,
        own_instructions=own,
        ratio=counted.instructions / own if own and counted.error is None else None,
        parts=_parts(counted),
        error=counted.error,
    )


def _parts(counted: Counted) -> list[Part]:
    sums: Counter[str] = Counter()
    for place, instructions in counted.places.items():
        sums[_part(place, counted.operation)] += instructions
    return [_figures(part, sums[part], counted) for part, _ in sums.most_common()]


def _part(place: Place, operation: str) -> str:
    if place.of in _OUTSIDE:
        return _OUTSIDE[place.of]
    return KEY_SCHEDULE if operation == "setup" else part_of(place.frames)


def _figures(part: str, instructions: int, counted: Counted) -> Part:
    per_packet = instructions / counted.lanes
    return Part(
        part=part,
        instructions=instructions,
        per_packet=per_packet,
        per_byte=per_packet / counted.message_bytes if counted.message_bytes else None,
        share=instructions / counted.instructions,
    )
