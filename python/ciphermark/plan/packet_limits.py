"""Whether the packets of a case fit into the memory of this machine, counted beforehand."""

from __future__ import annotations

from ciphermark import contract
from ciphermark.plan.session_limits import MEMORY_SHARE, mebibytes

ANSWER_BYTES = 16
"""What an answer has more than its packet: a tag."""

PACKET_BYTES = 64
"""Descriptor of a packet, and what its answer is compared with."""


def needed_bytes(case: contract.Case) -> int:
    """Packets and their answers, all of which are there before the clock starts."""
    load = case.packets
    assert load is not None
    message = sum(case.lengths) / len(case.lengths) if case.lengths else case.message_bytes or 0
    answers = 2 if load.then else 1
    each = message + answers * (message + ANSWER_BYTES) + PACKET_BYTES
    return int(load.packets * each)


def too_large(case: contract.Case, memory_bytes: int) -> str | None:
    """Why the packets of a case do not fit, with the arithmetic; None where they do."""
    load = case.packets
    assert load is not None
    room, needed = int(MEMORY_SHARE * memory_bytes), needed_bytes(case)
    if needed <= room:
        return None
    each = case.profile or f"{case.message_bytes} bytes"
    return (
        f"{load.packets} packets of {each} need {mebibytes(needed)} with their answers, and "
        f"{mebibytes(room)} of the memory may be used: write at most --packets "
        f"{load.packets * room // needed}, or shorter --sizes"
    )
