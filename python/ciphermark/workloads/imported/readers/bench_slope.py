"""`bench-slope` of libgcrypt's tests, plain or with --csv (tests/bench-slope.c of libgcrypt 1.11).

    cipher,AES,CBC enc,,,0.763,ns/B,1250,MiB/s,2.90,c/B,3800,Mhz

    Cipher:
     AES            |  nanosecs/byte   mebibytes/sec   cycles/byte  auto Mhz
            CBC enc |     0.763 ns/B      1250 MiB/s      2.90 c/B      3800±3
                    =

It measures sizes up to 4 KiB and tells the slope alone: what a further byte costs.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ciphermark.workloads.imported.readers.reading import (
    Direction,
    Figure,
    Line,
    Reading,
    Unreadable,
    lines_of,
    positive,
)

SECTIONS = {"hash", "mac", "cipher"}

_CSV = re.compile(r"([a-z]+),([^,]*),([^,]*),,,([^,]*),ns/B,[^,]*,MiB/s,([^,]*),c/B(.*)")
_CSV_MHZ = re.compile(r",([\d.]+),Mhz(,[\d.]+,Mhz-diff)?")
_ITERATIONS = re.compile(r"[a-z-]+,[^,]*,[^,]*,,,,,,,,,.*")
_SECTION = re.compile(r"([A-Z][A-Za-z-]*)(?: \(.*\))?:")
_HEAD = re.compile(r"\s(.{0,40}?)\s*\|\s+nanosecs/byte\s+mebibytes/sec\s+cycles/byte(.*)")
_ROW = re.compile(
    r"\s(.{0,40}?)\s*\|\s+(\S+) ns/B\s+\S+ MiB/s\s+(\S+) c/B(?:\s+([\d.]+)(?:±\d+)?|\s+-)?\s*"
)
_OTHER_ROW = re.compile(r"\s.{0,60}\|.*")
_FOOT = re.compile(r"\s+=")

_WORDS: dict[str, Direction] = {"enc": "forward", "dec": "backward"}
_BITS = re.compile(r"(AES|SERPENT|TWOFISH|CAMELLIA)(\d*)")
_OWN_BITS = {"AES": "128", "TWOFISH": "256"}
"""What a name without bits means in libgcrypt: AES and AES192, TWOFISH and TWOFISH128."""

FIXED_COST = (
    "bench-slope prints the cost of a further byte: a message's fixed cost is fitted away and not "
    "printed, so throughput at any size is below these figures"
)
CALIBRATED = "the clock was found by a chain of additions beside each figure (--cpu-mhz auto)"
ROUNDED = "figures have two or three digits; at each size the median of 64 repetitions counts"
WARM = "keys are made before; one buffer, in the nearest cache"


class _Head(NamedTuple):
    section: str
    algorithm: str


def found_in(text: str) -> bool:
    """Whether a file looks like this."""
    return any(_CSV.fullmatch(it) or _HEAD.fullmatch(it) for it in text.splitlines())


def read(text: str) -> Reading:
    """All figures."""
    lines = lines_of(text)
    reading = Reading(tool="bench-slope", provider="libgcrypt", divisor="wall-time")
    if any(_CSV.fullmatch(line.text) or _ITERATIONS.fullmatch(line.text) for line in lines):
        _read_csv(lines, reading)
    else:
        _read_plain(lines, reading)
    reading.check_not_cut(lines)
    calibrated = [it for it in reading.figures if it.core_cycles is not None]
    reading.counted = "calibrated" if calibrated else None
    reading.traps = [FIXED_COST, ROUNDED, WARM, *([CALIBRATED] if calibrated else [])]
    return reading


def _read_csv(lines: list[Line], reading: Reading) -> None:
    for line in lines:
        row = _CSV.fullmatch(line.text)
        if row is None:
            if not _ITERATIONS.fullmatch(line.text) and line.text.strip():
                raise Unreadable(line.number, "is no line of bench-slope --csv")
            reading.skip("operations without bytes")
            continue
        section, algorithm, mode, ns, cycles, rest = row.groups()
        mhz = _CSV_MHZ.fullmatch(rest)
        if rest and mhz is None:
            raise Unreadable(line.number, "is no whole line of bench-slope --csv")
        _add(reading, line, _Head(section, algorithm), mode, ns, cycles if mhz else None)


def _read_plain(lines: list[Line], reading: Reading) -> None:
    section, head, is_open = "", None, False
    for line in lines:
        if match := _SECTION.fullmatch(line.text):
            section, head = match[1].lower(), None
        elif match := _HEAD.fullmatch(line.text):
            head, is_open = _Head(section, match[1].strip()), True
        elif _FOOT.fullmatch(line.text):
            is_open = False
        elif match := _ROW.fullmatch(line.text):
            if head is None:
                raise Unreadable(line.number, "is of a table that has no head")
            of = head if head.algorithm else _Head(section, match[1].strip())
            mode = match[1].strip() if head.algorithm else ""
            _add(reading, line, of, mode, match[2], match[3] if match[4] else None)
        elif _OTHER_ROW.fullmatch(line.text) and section not in SECTIONS:
            reading.skip("operations without bytes")
        elif line.text.strip() and not line.text.startswith("Note:"):
            raise Unreadable(line.number, "is no line of bench-slope")
    if is_open:
        raise Unreadable(lines[-1].number, "ends the file within a table: it is cut")


def _add(reading: Reading, line: Line, of: _Head, mode: str, ns: str, cycles: str | None) -> None:
    if of.section not in SECTIONS:
        reading.skip(f"lines of the section {of.section}")
        return
    name, _, word = mode.rpartition(" ") if of.section == "cipher" else ("", "", "enc")
    if word not in _WORDS:
        reading.skip("associated data alone")
        return
    reading.figures.append(
        Figure(
            line=line.number,
            said=" ".join(filter(None, (of.algorithm, mode if of.section == "cipher" else ""))),
            names=_names(of, name),
            direction=_WORDS[word],
            message_bytes=None,
            ns=positive(ns, line.number),
            core_cycles=None if cycles is None else positive(cycles, line.number),
        )
    )


def _names(of: _Head, mode: str) -> tuple[str, ...]:
    if of.section == "mac":
        return _mac(of.algorithm)
    name = of.algorithm.lower().replace("_", "-")
    if of.section == "hash":
        return (name, name.replace("rmd", "ripemd"))
    if mode == "POLY1305":
        return (f"{name}-poly1305",)
    if mode == "STREAM":
        return ("rc4-128",) if of.algorithm == "ARCFOUR" else (name,)
    if cipher := _cipher(of.algorithm):
        return (f"{cipher}-{mode.lower()}",)
    return (f"{name}-{mode.lower()}",)


def _cipher(algorithm: str) -> str | None:
    """`AES192` is `aes-192`."""
    match = _BITS.fullmatch(algorithm)
    return f"{match[1].lower()}-{match[2] or _OWN_BITS.get(match[1], '')}" if match else None


def _mac(algorithm: str) -> tuple[str, ...]:
    """`CMAC_AES` takes a key of 128 bits here unless libgcrypt says otherwise."""
    kind, _, of = algorithm.partition("_")
    cipher = _cipher(of)
    if kind in ("CMAC", "GMAC"):
        return (f"{kind.lower()}-{cipher}",) if cipher == "aes-128" else ()
    return (algorithm.lower().replace("_", "-"),)
