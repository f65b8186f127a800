"""What the machine's meters show while traffic goes through a bed.

`ciphermark-engine energy` reads them in a process of its own, outside of the bed, until its input
is closed. Its times are those of the monotonic clock, which this process reads too.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import msgspec

from ciphermark import contract
from ciphermark.contract.tunnel import Metered
from ciphermark.run.tunnels.bed import BedError

IDLE_S = 0.5
"""With nothing sent, before the traffic."""

EDGE_SHARE = 0.1
"""Of the traffic's time, at its beginning and end: senders start and end there."""

_ENDING_S = 10.0


@cache
def has_meters(engine: Path) -> bool:
    """Whether any meter can be read here."""
    return bool(_ended(_started(engine)).meters)


class Metering:
    """The readings of a trial, which are there when it is over."""

    def __init__(self) -> None:
        self.metered: Metered | None = None
        self._span = (0, 0)

    def send(self, seconds: float) -> None:
        """Says that traffic begins, and for how long."""
        now, lasts = time.monotonic_ns(), 1e9 * seconds
        self._span = (round(now + EDGE_SHARE * lasts), round(now + (1 - EDGE_SHARE) * lasts))

    def end(self, readings: contract.Readings, idle_until_ns: int) -> None:
        """Notes what was read."""
        readings.idle_until_ns = idle_until_ns
        self.metered = Metered(readings=readings, from_ns=self._span[0], to_ns=self._span[1])


@contextmanager
def metering(engine: Path) -> Iterator[Metering]:
    """Reads the meters within the block, after a while in which nothing is sent; nothing where
    none can be read. Raises `BedError`."""
    found = Metering()
    if not has_meters(engine):
        yield found
        return
    process = _started(engine)
    try:
        time.sleep(IDLE_S)
        idle_until_ns = time.monotonic_ns()
        yield found
        found.end(_ended(process), idle_until_ns)
    finally:
        process.kill()
        process.communicate()


def _started(engine: Path) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [str(engine), "energy"], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
    )


def _ended(process: subprocess.Popen[str]) -> contract.Readings:
    try:
        output, _ = process.communicate(timeout=_ENDING_S)
        return msgspec.json.decode(output, type=contract.Readings)
    except subprocess.TimeoutExpired:
        process.kill()
        raise BedError("the engine did not end when it was to read meters no more") from None
    except msgspec.MsgspecError:
        raise BedError("what the engine printed are no readings of meters") from None
