"""`cryptsetup benchmark`: the kernel's ciphers, asked from user space.

What it does was read in lib/crypto_backend/cipher_check.c and src/cryptsetup.c of cryptsetup 2.4:

    #     Algorithm |       Key |      Encryption |      Decryption
            aes-cbc        128b      1012.4 MiB/s      3210.5 MiB/s
"""

from __future__ import annotations

import re

from ciphermark.workloads.imported.readers.reading import (
    Direction,
    Figure,
    Line,
    Reading,
    Unreadable,
    lines_of,
    positive,
)

BLOCK_BYTES = 65536
"""What is given to the kernel at a time: CIPHER_BLOCK_BYTES."""

_MIB = 2**20
_RATE = r"(?:N/A|\d[\d.,]*\s*MiB/s)"
_ROW = re.compile(rf"\s*(\S+)\s+(\d+)b\s+({_RATE})\s+({_RATE})\s*")
_HEADER = re.compile(r"#[^|]+\|[^|]+\|[^|]+\|[^|]+")
_DERIVATION = re.compile(r"(PBKDF2-|argon2)\S*\s")
_CUT_ROW = re.compile(r"\s*\S+\s+\d+b\b")

TRAPS = (
    f"cryptsetup gives the kernel {BLOCK_BYTES} bytes at a time through a socket: figures are of "
    "long messages, of the call into the kernel too, and of no disk",
    "figures were MiB/s (2^20 bytes), and are MB/s (10^6 bytes) here",
    "the kernel may use several of its threads or a device: wall time divides",
    "the mean of at least a second for all repetitions, warm caches, one key and IV, no spread",
)


def found_in(text: str) -> bool:
    """Whether a file looks like this."""
    return any(_HEADER.fullmatch(it) or _ROW.fullmatch(it) for it in text.splitlines())


def read(text: str) -> Reading:
    """All figures."""
    lines = lines_of(text)
    reading = Reading(
        tool="cryptsetup benchmark", provider="af_alg", divisor="wall-time", traps=list(TRAPS)
    )
    headers = [line for line in lines if _HEADER.fullmatch(line.text)]
    if len(headers) > 1:
        raise Unreadable(
            headers[1].number, "begins a second table: put each into a file of its own"
        )
    for line in lines:
        if row := _ROW.fullmatch(line.text):
            _read_row(line, row, reading)
        elif _DERIVATION.match(line.text):
            reading.skip("key derivations (PBKDF)")
        elif _CUT_ROW.match(line.text):
            raise Unreadable(line.number, "is no whole line of the table")
    if not reading.figures:
        raise Unreadable(lines[-1].number, "ends the file before a cipher has a figure: it is cut")
    return reading


def _read_row(line: Line, row: re.Match[str], reading: Reading) -> None:
    cipher, bits = row[1], row[2]
    rates: dict[Direction, str] = {"forward": row[3], "backward": row[4]}
    for direction, cell in rates.items():
        if cell == "N/A":
            reading.skip("ciphers that the kernel did not have")
            continue
        bytes_per_second = positive(cell.removesuffix("MiB/s"), line.number) * _MIB
        reading.figures.append(
            Figure(
                line=line.number,
                said=f"{cipher} {bits}b",
                names=(_name(cipher, bits),),
                direction=direction,
                message_bytes=BLOCK_BYTES,
                ns=BLOCK_BYTES / bytes_per_second * 1e9,
            )
        )


def _name(cipher: str, bits: str) -> str:
    """`aes-cbc` with 128 bits is `aes-128-cbc`."""
    kind, _, mode = cipher.partition("-")
    return f"{kind}-{bits}-{mode}"
