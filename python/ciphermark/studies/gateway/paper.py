"""The post's table: its boxes and their figures, and which function is what."""

from __future__ import annotations

from typing import Literal

import msgspec

from ciphermark.files import reading
from ciphermark.statistics.estimate import Estimate
from ciphermark.studies.evidence import Evidence, as_printed

MESSAGE_BYTES = 1024

Side = Literal["sending", "receiving"]
"""An end of the tunnel."""


class Box(msgspec.Struct, frozen=True):
    """A machine of the post."""

    cpu: str
    """Its name in the published data."""
    title: str
    clock_hz: float
    """As the post's table states it; what the processor ran at was not measured."""


ATOM = Box("intel-atom-n2600-1600", "Atom N2600", 1.6e9)
AMD = Box("amd-g-t40e-1000", "AMD G-T40E", 1.0e9)
BOXES = (ATOM, AMD)


class Published(msgspec.Struct, kw_only=True):
    """A cell of the post's table."""

    function: str
    cpu: str
    block_bytes: int
    mbytes_per_second: float
    note: str


DECIMALS = 2
"""Decimals of its MB/s."""


def _post() -> dict[str, list[float]]:
    """MB/s of each function in the order of the post, on each of `BOXES`."""
    found: dict[str, dict[str, float]] = {}
    for cell in reading.published("ipfire-2015", Published):
        found.setdefault(cell.function, {})[cell.cpu] = cell.mbytes_per_second
    return {name: [by_cpu[box.cpu] for box in BOXES] for name, by_cpu in found.items()}


POST = _post()

GCM = tuple(name for name in POST if name.endswith("-gcm"))
CBC = tuple(name for name in POST if name.endswith("-cbc"))
AES = tuple(name for name in POST if name.startswith("aes-"))
CIPHERS = (*GCM, *CBC)
HASHES = tuple(name for name in POST if name not in CIPHERS)


class Machine(Evidence[str]):
    """What a statement can be asked of: a box of the post, or this machine. Figures are MB/s of a
    function."""

    title: str


class PrintedBox(Machine):
    """A box, by the post's table."""

    def __init__(self, place: int) -> None:
        self.title, self._place = BOXES[place].title, place

    def figure(self, what: str) -> Estimate | None:
        return as_printed(POST[what][self._place], DECIMALS) if what in POST else None


PRINTED: list[Machine] = [PrintedBox(place) for place in range(len(BOXES))]


def operation(function: str, side: Side) -> str:
    """What an end of a tunnel does with a function; a hash is the same at both."""
    pair = ("digest", "digest")
    if function.endswith("-gcm") or ":" in function:
        pair = ("seal", "open")
    elif function in CBC:
        pair = ("encrypt", "decrypt")
    elif function.startswith("hmac-"):
        pair = ("mac", "verify")
    return pair[side == "receiving"]


def named(function: str) -> str:
    """As people write it: `AES-128-CBC`, `HMAC-SHA1`."""
    return function.upper().replace("CAMELLIA", "Camellia")
