"""The performance program of the Intel multi-buffer library, `ipsec_perf` (today `imb-perf`).

Its table has a column for each variant and a line for each size (`print_times` in
perf/ipsec_perf.c); `ipsec_diff_tool.py -a` makes a line of each column:

    ARCH       SSE         AVX512        NO  ARCH  CIPHER  DIR  HASH  KEYSZ  SLOPE_A  INTERCEPT_A
    CIPHER     CBC         CBC           1   SSE   CBC     …
    DIR        ENCRYPT     ENCRYPT
    HASH_ALG   NULL_HASH   NULL_HASH
    KEY_SIZE   128         128
    64         512         301
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ciphermark.workloads.imported.readers.reading import (
    Figure,
    Line,
    Reading,
    Unreadable,
    lines_of,
    positive,
    whole,
)

HEADINGS = ("ARCH", "CIPHER", "DIR", "HASH_ALG", "KEY_SIZE")
SLOPE_HEADINGS = ("NO", "ARCH", "CIPHER", "DIR", "HASH", "KEYSZ", "SLOPE_A", "INTERCEPT_A")
LINE_BYTES = (64, 1024)
"""Where a line is read that `ipsec_diff_tool.py` has fitted: two points are all that it is."""

_NONE = ("NULL_CIPHER", "NULL_HASH")
_CIPHERS = {
    "CBC": "aes-{bits}-cbc",
    "CNTR": "aes-{bits}-ctr",
    "ECB": "aes-{bits}-ecb",
    "GCM": "aes-{bits}-gcm",
    "CCM": "aes-{bits}-ccm",
    "ZUC_EEA3": "eea3",
    "SNOW3G_UEA2_BITLEN": "uea2",
    "KASUMI_UEA1_BITLEN": "uea1",
    "CHACHA20": "chacha20",
    "CHACHA20_AEAD": "chacha20-poly1305",
    "SM4_ECB": "sm4-ecb",
    "SM4_CBC": "sm4-cbc",
    "SM4_CTR": "sm4-ctr",
    "SM4_GCM": "sm4-gcm",
}
_OWN_HASHES = {"GCM": "GCM", "CCM": "CCM", "CHACHA20_AEAD": "POLY1305_AEAD", "SM4_GCM": "SM4_GCM"}
"""Ciphers that are authenticated with the hash that is named beside them."""
_HASHES = {
    "CMAC": "cmac-aes-128",
    "CMAC_256": "cmac-aes-256",
    "GMAC-128": "gmac-aes-128",
    "GMAC-256": "gmac-aes-256",
    "POLY1305": "poly1305",
    "ZUC_EIA3_BITLEN": "eia3",
    "SNOW3G_UIA2_BITLEN": "uia2",
    "KASUMI_UIA1": "uia1",
    "SM3": "sm3",
    "MD5": "hmac-md5",
}
_HMAC = re.compile(r"SHA_?(\d+)_HMAC")
_SHA = re.compile(r"SHA(3_)?_?(\d+)")

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


class _Variant(NamedTuple):
    arch: str
    cipher: str
    direction: str
    hash: str
    bits: str


def found_in(text: str) -> bool:
    """Whether a file looks like this."""
    return text.startswith("ARCH\t") or "\nARCH\t" in text or _is_of_lines(text)


def read(text: str) -> Reading:
    """All figures, in ticks."""
    lines = [line for line in lines_of(text) if line.text.strip()]
    reading = Reading(tool="ipsec_perf", provider="ipsec-mb", divisor="ticks", traps=list(TRAPS))
    if _is_of_lines(text):
        reading.traps.append(FITTED)
        _read_fitted(lines, reading)
    else:
        _read_table(lines, reading)
    reading.check_not_cut(lines)
    return reading


def _is_of_lines(text: str) -> bool:
    return any(line.split()[:2] == ["NO", "ARCH"] for line in text.splitlines())


def _read_table(lines: list[Line], reading: Reading) -> None:
    while lines and not lines[0].text.startswith("ARCH\t"):
        lines = lines[1:]
    heads = lines[: len(HEADINGS)]
    table = [line.text.split("\t") for line in heads]
    if tuple(row[0] for row in table) != HEADINGS or len({len(row) for row in table}) != 1:
        raise Unreadable(
            heads[-1].number, f"should end the headings {', '.join(HEADINGS)}, all of one length"
        )
    variants = [_Variant(*column) for column in zip(*(row[1:] for row in table), strict=True)]
    for line in lines[len(HEADINGS) :]:
        if line.text.startswith("ARCH\t"):
            raise Unreadable(line.number, "begins a second table: put each into its own file")
        size, *cells = line.text.split("\t")
        if len(cells) != len(variants):
            raise Unreadable(
                line.number, f"has {len(cells)} figures for {len(variants)} variants: it is cut"
            )
        message_bytes = whole(size, line.number)
        for variant, cell in zip(variants, cells, strict=True):
            ticks = positive(cell, line.number)
            reading.figures.append(_figure(line, variant, message_bytes, ticks))


def _read_fitted(lines: list[Line], reading: Reading) -> None:
    start = next(at for at, line in enumerate(lines) if line.text.split()[:2] == ["NO", "ARCH"])
    if tuple(lines[start].text.split()) != SLOPE_HEADINGS:
        raise Unreadable(
            lines[start].number,
            "is of a comparison or of one size: import the output of ipsec_perf itself, or of "
            "ipsec_diff_tool.py -a",
        )
    for line in lines[start + 1 :]:
        cells = line.text.split()
        if len(cells) != len(SLOPE_HEADINGS):
            raise Unreadable(line.number, f"has {len(cells)} columns and not 8: it is cut")
        slope, intercept = positive(cells[6], line.number), _signed(cells[7], line.number)
        for size in LINE_BYTES:
            ticks = intercept + slope * size
            if ticks <= 0:
                raise Unreadable(line.number, f"has a line that is below 0 at {size} bytes")
            reading.figures.append(_figure(line, _Variant(*cells[1:6]), size, ticks))


def _signed(text: str, line: int) -> float:
    """A fitted cost of nothing may come out below 0."""
    if text.startswith("-"):
        return -positive(text[1:], line)
    return positive(text, line)


def _figure(line: Line, variant: _Variant, message_bytes: int, ticks: float) -> Figure:
    parts = [it for it in (variant.cipher, variant.hash) if it not in _NONE]
    return Figure(
        line=line.number,
        said=f"{' and '.join(parts)}, {variant.bits} bits, {variant.arch}",
        names=_names(variant),
        direction="backward" if variant.direction == "DECRYPT" else "forward",
        message_bytes=message_bytes,
        ticks=ticks,
        backend=variant.arch.lower(),
        asked=variant.arch.lower(),
    )


def _names(variant: _Variant) -> tuple[str, ...]:
    """None where cipher and hash are measured together: that is no function of ours."""
    cipher, hash_ = variant.cipher, variant.hash
    if hash_ in (_OWN_HASHES.get(cipher), "NULL_HASH"):
        name = _CIPHERS.get(cipher)
        return (name.format(bits=variant.bits),) if name else ()
    if cipher != "NULL_CIPHER":
        return ()
    if match := _HMAC.fullmatch(hash_):
        return (f"hmac-sha{match[1]}",)
    if match := _SHA.fullmatch(hash_):
        return (f"sha3-{match[2]}" if match[1] else f"sha{match[2]}",)
    return (_HASHES[hash_],) if hash_ in _HASHES else ()
