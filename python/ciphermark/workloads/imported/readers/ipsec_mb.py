"""Programs of the Intel multi-buffer library: `imb-perf` (once `ipsec_perf`) and `imb-speed.py`.

The table of `imb-perf` has a column for each variant and a line for each size (`print_times` in
perf/ipsec_perf.c of 0.49 to 2.0); `ipsec_diff_tool.py -a` makes a line of each column:

    ARCH       SSE         AVX512        NO  ARCH  CIPHER  DIR  HASH  KEYSZ  SLOPE A  INTERCEPT A
    CIPHER     CBC         CBC           1   SSE   CBC     …
    DIR        ENCRYPT     ENCRYPT
    HASH_ALG   NULL_HASH   NULL_HASH
    KEY_SIZE   128         128           (AES-128 up to 1.4)
    64         512         301
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ciphermark.workloads.imported.readers.lines import Program, Values, direction_of
from ciphermark.workloads.imported.readers.names import spellings
from ciphermark.workloads.imported.readers.reading import (
    Figure,
    Line,
    Reading,
    Unreadable,
    bounded,
    lines_of,
    positive,
    whole,
)

HEADINGS = ("ARCH", "CIPHER", "DIR", "HASH_ALG", "KEY_SIZE")
_TABLE = re.compile(r"ARCH\s+\S")
_VERSION = re.compile(r"(?:Tool|Library) version: (?:.*?\s)?v?((\d+)\.(\d+)\S*)")
_SLOPE = re.compile(r"\s*NO\s+ARCH\s+CIPHER\s+DIR\s+HASH\s+KEYSZ\s+(\S.*)")
LINE_BYTES = (64, 1024)
"""Sizes at which a line of `ipsec_diff_tool.py` is read; its fit is two points."""

_WORDS = {
    "CNTR": "ctr",
    "SNOW3G_UEA2_BITLEN": "uea2",
    "KASUMI_UEA1_BITLEN": "uea1",
    "CHACHA20_AEAD": "chacha20-poly1305",
    "POLY1305_AEAD": "chacha20-poly1305",
    "CMAC": "cmac-aes-128",
    "CMAC_256": "cmac-aes-256",
    "GMAC-128": "gmac-aes-128",
    "GMAC-256": "gmac-aes-256",
    "ZUC_EIA3_BITLEN": "eia3",
    "SNOW3G_UIA2_BITLEN": "uia2",
    "KASUMI_UIA1": "uia1",
    "MD5": "hmac-md5",
}
_OF_AES = ("CBC", "CNTR", "ECB", "GCM", "CCM")
_HMAC = re.compile(r"(SHA_?\d+|SM3)_HMAC")
_SHA = re.compile(r"SHA_?\d+")
_SINCE_1_3 = re.compile(r"_HMAC|CRC\d|GHASH")
"""Names of hashes that 1.3 brought, when plain hashes came and the HMACs got their suffix."""

TRAPS = (
    "ipsec_perf counts ticks of the TSC, which are no core cycles: time is ticks by the rate that "
    "--clock gives, unless --unhalted-cycles was used, when --clock is the core clock",
    "many messages are under way at once in the lanes of the library: one alone takes longer",
    "keys are made before; the mean of the middle half of the runs, warm caches unless -c, no "
    "spread",
)
FITTED = (
    "ipsec_diff_tool.py has fitted a line over the sizes: figures are read off it at "
    f"{' and '.join(map(str, LINE_BYTES))} bytes, and how well it fits is not known"
)
OLD_HASHES = (
    "SHA1 to SHA_512 are taken as HMACs, which these names are up to version 1.2: versions 1.3 and "
    "1.4 print the same for plain hashes if no other hash was measured"
)


class _Variant(NamedTuple):
    arch: str
    cipher: str
    direction: str
    hash: str
    bits: str


def found_in(text: str) -> bool:
    """Checks whether a text has one of both tables."""
    return any(_TABLE.match(it) or _SLOPE.fullmatch(it) for it in text.splitlines())


def read(text: str) -> list[Reading]:
    """Returns a reading of each table, in ticks."""
    readings: list[Reading] = []
    table: list[Line] = []
    version = None
    for line in lines_of(text):
        if line.text.startswith("Measurement mode: Throughput"):
            raise Unreadable(line.number, "is of --throughput: run imb-perf without it")
        version = _VERSION.match(line.text) or version
        if _TABLE.match(line.text) or _SLOPE.fullmatch(line.text):
            readings += _of_table(table, version)
            table = []
        table.append(line)
    readings += _of_table(table, version)
    if not readings:
        raise Unreadable(table[-1].number, "ends the file before a table with its line ARCH")
    if len(readings) > 1:
        for number, reading in enumerate(readings, start=1):
            reading.part = f"table {number}"
    return readings


def _of_table(lines: list[Line], version: re.Match[str] | None) -> Iterator[Reading]:
    """Yields the reading of the lines from a table's head on."""
    if not lines:
        return
    slope = _SLOPE.fullmatch(lines[0].text)
    if not (slope or _TABLE.match(lines[0].text)):
        return
    reading = Reading(tool="ipsec_perf", provider="ipsec-mb", divisor="ticks", traps=list(TRAPS))
    reading.version = version[1] if version else ""
    if slope:
        reading.traps.append(FITTED)
        figures_read = _fitted(lines, slope[1])
    else:
        figures_read = _columns(lines)
    rows = list(bounded(figures_read, lambda row: row[0].number))
    if not rows:
        raise Unreadable(lines[-1].number, "ends a table without a figure: the file is cut")
    is_new = version and (int(version[2]), int(version[3])) >= (1, 3)
    are_old = (
        not is_new
        and any(variant.bits.startswith("AES-") for _, variant, _, _ in rows)
        and not any(_SINCE_1_3.search(variant.hash) for _, variant, _, _ in rows)
    )
    if are_old and any(_SHA.fullmatch(variant.hash) for _, variant, _, _ in rows):
        reading.traps.append(OLD_HASHES)
    reading.figures = [_figure(*row, are_old=are_old) for row in rows]
    yield reading


_Row = tuple[Line, _Variant, int, float]


def _columns(lines: list[Line]) -> Iterator[_Row]:
    """Yields each cell of a table whose columns are variants."""
    table = [line.text.split() for line in lines[: len(HEADINGS)]]
    headings = tuple(row[0] for row in table if row)
    if headings != HEADINGS or len({len(row) for row in table}) != 1:
        at = lines[: len(HEADINGS)][-1].number
        raise Unreadable(at, f"should end the headings {', '.join(HEADINGS)}, all of one length")
    variants = [_Variant(*column) for column in zip(*(row[1:] for row in table), strict=True)]
    for line in lines[len(HEADINGS) :]:
        size, *cells = line.text.split() or [""]
        if not size.isdecimal():
            continue
        if len(cells) != len(variants):
            raise Unreadable(
                line.number, f"has {len(cells)} figures for {len(variants)} variants: it is cut"
            )
        for variant, cell in zip(variants, cells, strict=True):
            yield line, variant, whole(size, line.number), positive(cell, line.number)


def _fitted(lines: list[Line], columns: str) -> Iterator[_Row]:
    """Yields two points of each line that was fitted."""
    if columns.replace("_", " ").split() != ["SLOPE", "A", "INTERCEPT", "A"]:
        raise Unreadable(
            lines[0].number,
            "is of a comparison or of one size: import the output of ipsec_perf itself, or of "
            "ipsec_diff_tool.py -a",
        )
    for line in lines[1:]:
        cells = line.text.split()
        if not cells or not cells[0].isdecimal():
            continue
        if len(cells) != 8:
            raise Unreadable(line.number, f"has {len(cells)} columns and not 8: it is cut")
        slope = positive(cells[6], line.number)
        sign = -1 if cells[7].startswith("-") else 1
        intercept = sign * positive(cells[7].removeprefix("-"), line.number)
        for size in LINE_BYTES:
            ticks = intercept + slope * size
            if ticks <= 0:
                raise Unreadable(line.number, f"has a line that is below 0 at {size} bytes")
            yield line, _Variant(*cells[1:6]), size, ticks


def _figure(line: Line, variant: _Variant, size: int, ticks: float, *, are_old: bool) -> Figure:
    parts = [it for it in (variant.cipher, variant.hash) if not it.startswith("NULL_")]
    bits = variant.bits.removeprefix("AES-")
    return Figure(
        line=line.number,
        said=f"{' and '.join(parts)}, {bits} bits, {variant.arch}",
        names=_names(tuple(parts), bits, are_old=are_old),
        direction=direction_of(variant.direction),
        message_bytes=size,
        ticks=ticks,
        backend=variant.arch.lower(),
        asked=variant.arch.lower(),
    )


@lru_cache(maxsize=1000)
def _names(parts: tuple[str, ...], bits: str, *, are_old: bool = False) -> tuple[str, ...]:
    """Returns no name where cipher and hash are measured together: that is no function here."""
    names = {_WORDS.get(part, part.lower()) for part in parts}
    if len(names) != 1:
        return ()
    (name,) = names
    part = parts[0]
    if part in _OF_AES:
        return spellings(f"aes-{name}", bits)
    if part == "ZUC_EEA3":
        return ("eea3",) if bits == "128" else ()
    if match := _HMAC.fullmatch(part):
        return spellings(f"hmac-{match[1]}")
    if are_old and _SHA.fullmatch(part):
        return spellings(f"hmac-{part}")
    return spellings(name)


def _speed(values: Values) -> Values | str:
    names = _names((values["name"],), values.get("bits", "128"))
    if "bits" not in values:  # a hash, which -decrypt does not change
        values = values | {"op": "encrypt"}
    return values | {"plain": names[0] if names else f"no function {values['name']}"}


SPEED = Program(  # perf/imb-speed.py of 2.0
    name="imb-speed",
    tool="imb-speed.py",
    provider="ipsec-mb",
    mark="k",
    state=(r"^Type +(?P<sizes>\d+ bytes.*)$", r"^\s*Direction: (?P<op>encrypt|decrypt)"),
    rows=(
        r"^(?P<name>[A-Z][A-Z0-9_+-]{0,40})(?: <bits>)? (?P<code>SSE|AVX\w*) +"
        r"(?P<rates>\d[\d.]*k(?: +\d[\d.]*k)*)\s*$",
    ),
    cut=(r"^[A-Z][A-Z0-9_+-]*(?: \d+)? (?:SSE|AVX\w*) ",),
    own={"unit_bytes": "1000"},
    settle=_speed,
    traps=(*TRAPS[1:2], "bytes within a timebox, of 1000 bytes per second"),
)
