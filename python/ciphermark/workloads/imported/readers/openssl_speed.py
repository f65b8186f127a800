"""The table of `openssl speed`, with or without the lines that it writes while it measures.

Its forms were read in apps/speed.c of OpenSSL 1.0.2, 1.1.1, 3.0 and 3.5:

    Doing aes-128-cbc for 3s on 16 size blocks: 977706 aes-128-cbc's in 2.96s
    version: 3.0.19
    The 'numbers' are in 1000s of bytes per second processed.
    type             16 bytes     64 bytes
    aes-128-cbc      90345.06k   140108.84k

A figure that ends in k is thousands of bytes per second, one that does not is bytes.
"""

from __future__ import annotations

import re

from ciphermark.workloads.imported.readers import openssl_words as words
from ciphermark.workloads.imported.readers.cells import lines_of, positive, whole
from ciphermark.workloads.imported.readers.reading import (
    Figure,
    Line,
    Reading,
    Unreadable,
    check_once,
)

LONGEST_LINE = 4096
"""Characters of a line, which are looked through several times over."""

NUMBERS = "The 'numbers' are in 1000s of bytes per second processed."

_SIZES = re.compile(r"type\s+((?:\d+ bytes\s*)+)")
_ROW = re.compile(r"(?P<name>\S.*?)\s+(?P<values>\d[\d.,]*k?(?:\s+\d[\d.,]*k?)*)\s*")
_DOING = re.compile(r"Doing (?P<name>.+?) (?:ops )?for \d+s on \d+ size blocks: .*")
_TOLD = re.compile(r"(built on|options|compiler|CPUINFO): ?(.*)")
_VERSION = re.compile(r"(?:version: .+|(?:Open|Libre|Boring)SSL \S+.*)")
_PUBLIC_KEY = re.compile(r"\s+(sign|op|keygens?|encaps?)\s")
_COMMAND = re.compile(r"\S*[$#>] ?(\S*openssl speed.*)")
_MULTI = ("Forked child", "Got: ", "+DT:", "+R:")


def found_in(text: str) -> bool:
    """Whether a file looks like this."""
    return NUMBERS in text


def read(text: str, elapsed: bool | None) -> Reading:
    """All figures of the table; `elapsed` is what the user says about -elapsed."""
    lines = lines_of(text, LONGEST_LINE)
    start = _start_of_table(lines)
    reading = Reading(tool=words.TOOL, provider=words.PROVIDER, divisor="unknown")
    measured = [name for line in lines[:start] if (name := _read_before(line, reading))]
    sizes = _sizes(lines[start])
    rows = _read_table(lines[start + 1 :], sizes, reading)
    missing = len(set(measured)) - rows
    if missing > 0:
        raise Unreadable(
            lines[-1].number,
            f"ends a table of {rows} functions of which {len(set(measured))} were measured: the "
            "file is cut",
        )
    check_once(reading.figures)
    told = any(line.text.startswith(words.ELAPSED) for line in lines)
    known = True if told else False if measured else None
    reading.divisor = words.divisor(known if elapsed is None else elapsed)
    reading.traps = words.traps(reading.divisor, {it.said for it in reading.figures})
    return reading


def _start_of_table(lines: list[Line]) -> int:
    """Where the line with the sizes is."""
    starts = [at for at, line in enumerate(lines) if line.text.startswith("type ")]
    if not starts:
        raise Unreadable(lines[-1].number, "ends the file before the table begins: it is cut")
    if len(starts) > 1:
        raise Unreadable(
            lines[starts[1]].number, "begins a second table: put each into a file of its own"
        )
    return starts[0]


def _sizes(line: Line) -> list[int]:
    match = _SIZES.fullmatch(line.text)
    if match is None:
        raise Unreadable(line.number, "should have the sizes of the messages: `type  16 bytes …`")
    return [whole(size, line.number) for size in re.findall(r"(\d+) bytes", match[1])]


def _read_before(line: Line, reading: Reading) -> str | None:
    """Takes in a line above the table, and returns the function that it says was measured."""
    if line.text.startswith(_MULTI):
        raise Unreadable(line.number, words.MULTI)
    if doing := _DOING.fullmatch(line.text):
        return doing["name"].lower().replace(" ", "-")
    if command := _COMMAND.fullmatch(line.text):
        reading.command = command[1]
    elif _VERSION.fullmatch(line.text):
        reading.version = line.text.replace("version: ", "OpenSSL ")
    elif told := _TOLD.fullmatch(line.text):
        reading.told[told[1]] = told[2]
    return None


def _read_table(lines: list[Line], sizes: list[int], reading: Reading) -> int:
    """Takes in the lines below the sizes; returns how many functions there are."""
    rows, public_key = 0, False
    for line in lines:
        if _PUBLIC_KEY.match(line.text):
            public_key = True
        elif line.text.startswith(words.ELAPSED) or not line.text.strip() or "$" in line.text[:1]:
            continue
        elif public_key:
            reading.skip("public-key operations")
        else:
            _read_row(line, sizes, reading)
            rows += 1
    if not rows:
        raise Unreadable(lines[-1].number if lines else 1, "ends a table without a figure")
    return rows


def _read_row(line: Line, sizes: list[int], reading: Reading) -> None:
    row = _ROW.fullmatch(line.text)
    if row is None:
        raise Unreadable(line.number, "is no line of the table")
    values = row["values"].split()
    if len(values) != len(sizes):
        raise Unreadable(
            line.number, f"has {len(values)} figures and the table {len(sizes)} sizes: it is cut"
        )
    for size, value in zip(sizes, values, strict=True):
        figure = _figure(line.number, row["name"], size, value)
        if figure is None:
            reading.skip("figures of 0")
        else:
            reading.figures.append(figure)


def _figure(line: int, said: str, message_bytes: int, value: str) -> Figure | None:
    if value == "0.00":
        return None
    thousands = value.endswith("k")
    bytes_per_second = positive(value.removesuffix("k"), line) * (1e3 if thousands else 1)
    ns = message_bytes / bytes_per_second * 1e9
    return Figure(line=line, said=said, names=words.names(said), message_bytes=message_bytes, ns=ns)
