"""Calls of kernels that an image makes between its marks, and what it says of them."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ciphermark.contract import Algorithm
from ciphermark.contract.simulation import SimulatedCase
from ciphermark.errors import WorkError
from ciphermark.measure.targets.rows import OPERATIONS, Row

SENDING = ("seal", "encrypt", "mac", "keystream")
"""Operations that a key is prepared for unless another is named."""

MAKERS = {"decrypt": "encrypt", "open": "seal"}
"""What makes the input of an operation that undoes another."""

_SET_KEY, _PROCESS, _VERIFY = range(3)
"""The ways of calling in `kernels/firmware/measure.c`."""

_SETUP_MESSAGE_BYTES = 64
"""Of the message by which a prepared key is seen to be right: whole blocks of every cipher."""


class Call(NamedTuple):
    """A case, and the rows that it goes to."""

    case: SimulatedCase
    row: Row
    maker: Row
    key_bytes: int
    nonce_bytes: int

    def request(self) -> bytes:
        """As `kernels/firmware/measure.c` reads it."""
        return struct.pack(
            ">8I",
            *(self.row.group, self.row.number, self.maker.number, self.way),
            *(self.key_bytes, self.nonce_bytes, self.message_bytes, self.case.seed),
        )

    @property
    def way(self) -> int:
        """How the kernel is called."""
        match self.case.operation:
            case "setup":
                return _SET_KEY
            case "verify":
                return _VERIFY
            case _:
                return _PROCESS

    @property
    def message_bytes(self) -> int:
        """Of the message that the firmware makes."""
        given = self.case.message_bytes
        return _SETUP_MESSAGE_BYTES if given is None else given


def call_of(case: SimulatedCase, rows: Iterable[Row], facts: Algorithm) -> Call | None:
    """The call of a case; None where none of these rows has it."""
    own = [
        row
        for row in rows
        if row.algorithm == case.algorithm and row.backend == case.backend and row.variant is None
    ]
    by_operation = {OPERATIONS[row.operation]: row for row in own}
    row = _row(case, by_operation)
    if row is None:
        return None
    maker = by_operation.get(MAKERS.get(OPERATIONS[row.operation], ""), row)
    return Call(
        case,
        row,
        maker,
        _within(row.key_bytes, facts.key_bytes),
        _within(row.nonce_bytes, facts.nonce_bytes),
    )


def data(calls: Sequence[Call]) -> bytes:
    """What the image carries."""
    return struct.pack(">I", len(calls)) + b"".join(call.request() for call in calls)


class Outcome(NamedTuple):
    """What came of one call."""

    kind: str
    """`done`, `refused` or `left_out`."""
    told: int | None
    """Digest of what a call wrote, or the kernel's own status."""


def outcomes(lines: Sequence[str], calls: Sequence[Call]) -> list[Outcome]:
    """What an image wrote. Raises `WorkError` where it is not one line for each call in order."""
    found = []
    for number, line in enumerate(lines):
        kind, place, *told = line.split() or [""] * 2
        if place != str(number):
            break
        found.append(Outcome(kind, int(told[0]) if told else None))
    if len(found) != len(calls):
        raise WorkError(f"the image told of {len(found)} calls and not of {len(calls)}")
    return found


def _row(case: SimulatedCase, by_operation: dict[str, Row]) -> Row | None:
    match case.operation:
        case "setup":
            wanted = [case.keyed_for] if case.keyed_for else SENDING
            found = next((by_operation[it] for it in wanted if it in by_operation), None)
            return found if found is not None and found.key_bytes[1] > 0 else None
        case "verify":
            return by_operation.get("mac")
        case operation:
            return by_operation.get(operation)


def _within(bounds: tuple[int, int], wanted: int) -> int:
    least, most = bounds
    return max(least, min(wanted, most))
