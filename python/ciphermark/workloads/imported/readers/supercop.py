"""Lines of SUPERCOP's database, the file `data` of a machine (do-part, measure-anything.c).

    20240107 host amd64 20240201 crypto_hash sha256 implementation crypto_hash/sha256/avx2 -
    20240107 host amd64 20240201 crypto_hash sha256 cpucycles_persecond 2400000000
    20240107 host amd64 20240201 crypto_hash sha256 cpucycles_implementation amd64-pmc
    20240107 host amd64 20240201 crypto_hash sha256 cycles 64 531 529 531 …

Every line begins with version, host, ABI, date, operation and primitive, the primitive perhaps with
`/timingleaks` or `/constbranchindex`. Of `cycles` the first number is the bytes of a message (with
a million for each byte of associated data) and the second the median.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from statistics import median

from ciphermark.workloads.imported.readers.reading import (
    Direction,
    Figure,
    Line,
    Reading,
    Unreadable,
    lines_of,
    positive,
    respelt,
    whole,
)

ASSOCIATED = 1_000_000
"""What a byte of associated data adds to the number of bytes that an AEAD is given."""
OTHER_SIZES = {43, 576, 1420, 1500}
"""Kept besides powers of two from 16 on, and the largest."""

_HEAD = 6
_OPERATIONS = {"crypto_hash", "crypto_stream", "crypto_aead", "crypto_auth", "crypto_onetimeauth"}
_MEASUREMENTS: dict[str, Direction] = {
    "cycles": "forward",
    "encrypt_cycles": "forward",
    "decrypt_cycles": "backward",
    "verify_cycles": "backward",
}
_COUNTS_CORE_CYCLES = re.compile(r"pmc|perfevent|rdcycle")
"""Ways of cpucycles that read a counter of the core; the others read one of constant rate."""
_VERSION = re.compile(r"\d{8}")

_RULES = (
    (r"^aes(\d+)(gcm|ocb|ccm|ctr|cbc)(?:v1)?$", r"aes-\1-\2"),
    (r"^aeadaes(\d+)(gcm|ocb|ccm).*$", r"aes-\1-\2"),
    (r"^hmac(sha\d+)$", r"hmac-\1"),
    (r"^chacha20poly1305$", "chacha20-poly1305"),
    (r"^ascon128v12$|^asconaead128$", "ascon-aead128"),
    (r"^ascon(?:hash|hash256)$", "ascon-hash256"),
    (r"^(sha3)(\d+)$", r"\1-\2"),
    (r"^keccakc\d+.*$", ""),
)

TICKS = (
    "SUPERCOP's cpucycles read a counter of constant rate ({how}): ticks, which are no core "
    "cycles, made time by its rate of {rate:g} a second"
)
COUNTED = "core cycles were counted by the processor ({how}); time is theirs at {rate:g} a second"
ONE_SHOT = (
    "a call of SUPERCOP's makes the key schedule, or takes the nonce, anew for each message: that "
    "is in the figure"
)
BEST = (
    "the figure is of the fastest implementation and compiler of each primitive, the median of 15 "
    "or 16 calls in a row with warm caches"
)


@dataclass
class _Block:
    """What was told of one primitive."""

    implementation: str = ""
    persecond: float | None = None
    how: str = ""
    figures: dict[tuple[Direction, int], list[tuple[int, float]]] = field(default_factory=dict)


def found_in(text: str) -> bool:
    """Whether a file looks like this."""
    first = next((it for it in text.splitlines() if it.strip()), "").split()
    return len(first) > _HEAD and bool(_VERSION.fullmatch(first[0])) and first[4][:7] == "crypto_"


def read(text: str) -> Reading:
    """All figures without associated data, at the sizes that are kept."""
    lines = lines_of(text)
    reading = Reading(tool="supercop", provider="supercop", divisor="ticks")
    blocks: dict[tuple[str, str], _Block] = {}
    for line in lines:
        if line.text.strip():
            _read_line(line, blocks, reading)
    for (operation, primitive), block in blocks.items():
        if block.figures:
            _add(operation, primitive, block, reading)
    if not reading.figures:
        raise Unreadable(
            lines[-1].number,
            "ends the file before there are cycles of a hash, stream, AEAD or MAC: it is cut, or "
            "has none",
        )
    reading.traps += [ONE_SHOT, BEST]
    return reading


def _read_line(line: Line, blocks: dict[tuple[str, str], _Block], reading: Reading) -> None:
    words = line.text.split()
    if line.text.startswith("+ "):  # the log, which do-part appends
        reading.skip("lines of the log")
        return
    if len(words) <= _HEAD or not _VERSION.fullmatch(words[0]):
        raise Unreadable(line.number, "is no line of SUPERCOP's database")
    version, host, abi, date, operation, primitive, what, *rest = words
    machine = {"host": host, "abi": abi}
    if reading.told and machine != reading.told:
        raise Unreadable(
            line.number, f"is of {host} {abi} and those before are not: import each from a file"
        )
    reading.told, reading.version = machine, f"supercop-{version}"
    if operation not in _OPERATIONS:
        reading.skip(f"lines of {operation}")
        return
    block = blocks.setdefault((operation, primitive), _Block())
    match what:
        case "implementation" if rest:
            block.implementation = rest[0]
        case "cpucycles_persecond" if rest:
            block.persecond = positive(rest[0], line.number)
        case "cpucycles_implementation" if rest:
            block.how = rest[0]
        case _ if what in _MEASUREMENTS:
            _read_cycles(line, what, rest, block, reading, operation == "crypto_aead")
        case _:
            reading.skip("lines that are no cycles")


def _read_cycles(
    line: Line, what: str, rest: list[str], block: _Block, reading: Reading, is_aead: bool
) -> None:
    if len(rest) < 2:
        raise Unreadable(line.number, "has no median of its cycles: it is cut")
    message_bytes, cycles = whole(rest[0], line.number), positive(rest[1], line.number)
    if is_aead and message_bytes >= ASSOCIATED:
        reading.skip("figures with associated data")
        return
    found = block.figures.setdefault((_MEASUREMENTS[what], message_bytes), [])
    found.append((line.number, cycles))


def _add(operation: str, primitive: str, block: _Block, reading: Reading) -> None:
    name, _, security = primitive.partition("/")
    kept = _kept({size for _, size in block.figures})
    first = min(at for found in block.figures.values() for at, _ in found)
    if block.persecond is None:
        raise Unreadable(first, "has cycles whose rate, cpucycles_persecond, is not stated before")
    counted = _COUNTS_CORE_CYCLES.search(block.how) is not None
    trap = (COUNTED if counted else TICKS).format(how=block.how or "unknown", rate=block.persecond)
    if trap not in reading.traps:
        reading.traps.append(trap)
    if counted:
        reading.divisor, reading.counted = "core-cycles", "pmu"
    else:
        reading.ticks_hz = block.persecond
    for (direction, size), found in block.figures.items():
        if size not in kept:
            reading.skip("figures at other sizes")
            continue
        cycles = median(value for _, value in found)
        reading.figures.append(
            Figure(
                line=found[0][0],
                said=f"{operation}/{primitive}",
                names=_names(operation, name),
                direction=direction,
                message_bytes=size,
                ns=cycles / block.persecond * 1e9,
                core_cycles=cycles if counted else None,
                backend=block.implementation.removeprefix(f"{operation}/{name}/") or None,
                asked=security or None,
                pattern="reused-key" if operation == "crypto_hash" else "one-shot",
            )
        )


def _kept(sizes: set[int]) -> set[int]:
    """SUPERCOP measures hundreds of sizes; these are those that people compare at."""
    usual = {size for size in sizes if size >= 16 and size & (size - 1) == 0}
    return usual | (sizes & OTHER_SIZES) | ({max(sizes)} - {0})


def _names(operation: str, primitive: str) -> tuple[str, ...]:
    return (respelt(primitive, _RULES),) if operation in _OPERATIONS else ()
