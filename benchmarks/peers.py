"""The benchmark tools that come with other libraries, each run on one question."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from ciphermark.run import speed_tools


class Cell(NamedTuple):
    """What one figure of a peer is about."""

    algorithm: str
    message_bytes: int

    def __str__(self) -> str:
        return f"{self.algorithm} {self.message_bytes} B"


class Reading(NamedTuple):
    bytes_per_second: float
    seconds: float
    """Wall time that the tool took for this cell."""


Readings = dict[Cell, Reading]

OPENSSL = {
    "sha256": ["-evp", "sha256"],
    "hmac-sha256": ["-hmac", "sha256"],
    "aes-128-cbc": ["-evp", "aes-128-cbc"],
    "aes-128-gcm": ["-evp", "aes-128-gcm"],
    "camellia-128-cbc": ["-evp", "camellia-128-cbc"],
    "chacha20-poly1305": ["-evp", "chacha20-poly1305"],
}
BOTAN = {
    "sha256": "SHA-256",
    "hmac-sha256": "HMAC(SHA-256)",
    "aes-128-cbc": "AES-128/CBC/NoPadding",
    "aes-128-gcm": "AES-128/GCM",
    "camellia-128-cbc": "Camellia-128/CBC/NoPadding",
    "chacha20-poly1305": "ChaCha20Poly1305",
}
CRYPTOPP = {
    "sha256": "SHA-256",
    "hmac-sha256": "HMAC(SHA-256) (128-bit key)",
    "aes-128-cbc": "AES/CBC (128-bit key)",
    "aes-128-gcm": "AES/GCM",
    "chacha20-poly1305": "ChaCha20/Poly1305 (256-bit key)",
}
"""There is no Camellia-CBC among its rows."""

CRYPTOPP_SECONDS = 0.03
"""Per row; the default of 1 s would take over two minutes a repeat, for all rows come together."""
_TIMEOUT_S = 120


class Peer(NamedTuple):
    """A tool that is installed."""

    title: str
    command: str
    """As typed, with the parts that vary in capitals."""
    read: Callable[[Iterable[Cell]], Readings]
    """Runs the tool on these cells; those it does not have are left out."""


def installed(cpu: int) -> list[Peer]:
    """The tools that are here, each bound to one CPU as the engine is."""
    pinned = ["taskset", "-c", str(cpu)]
    known = [
        Peer(
            "OpenSSL",
            "openssl speed -mr -seconds 1 -bytes SIZE -evp NAME",
            lambda cells: {cell: openssl_speed(cell, pinned) for cell in cells},
        ),
        Peer(
            "Botan",
            "botan speed --format=json --buf-size=SIZE NAME",
            lambda cells: {cell: botan_speed(cell, pinned) for cell in cells},
        ),
        Peer(
            "Crypto++",
            f"cryptest b1 {CRYPTOPP_SECONDS}; cryptest b2 …",
            lambda cells: cryptest(cells, pinned),
        ),
    ]
    return [peer for peer in known if shutil.which(peer.command.split()[0])]


def openssl_speed(cell: Cell, pinned: list[str]) -> Reading:
    """One second."""
    started = time.perf_counter()
    rate = speed_tools.openssl_speed(OPENSSL[cell.algorithm], cell.message_bytes, pinned)
    return Reading(rate, time.perf_counter() - started)


def botan_speed(cell: Cell, pinned: list[str]) -> Reading:
    """Half a second for each direction; the rate is that of the sending side."""
    arguments = ["--format=json", f"--buf-size={cell.message_bytes}", BOTAN[cell.algorithm]]
    text, seconds = _run([*pinned, "botan", "speed", *arguments])
    sending = [row for row in msgspec.json.decode(text) if row["op"] in ("encrypt", "hash", "mac")]
    return Reading(sending[0]["events"] / sending[0]["nanos"] * 1e9, seconds)


def cryptest(cells: Iterable[Cell], pinned: list[str]) -> Readings:
    """All rows of Crypto++, of which those of the cells are kept, at the one size that it has."""
    rates: dict[str, float] = {}
    started = time.perf_counter()
    for group in ("b1", "b2"):  # without keys, with a shared key
        rates |= speed_tools.cryptest(group, CRYPTOPP_SECONDS, pinned)
    seconds = (time.perf_counter() - started) / len(rates)
    kept = {cell.algorithm for cell in cells} & CRYPTOPP.keys()
    return {
        Cell(name, speed_tools.CRYPTEST_BYTES): Reading(rates[CRYPTOPP[name]], seconds)
        for name in sorted(kept)
    }


def _run(command: list[str]) -> tuple[str, float]:
    """Standard output and wall time."""
    started = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=_TIMEOUT_S)
    return done.stdout, time.perf_counter() - started
