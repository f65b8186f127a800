"""What both forms of `openssl speed` have in common: names, and what the figures do not say.

What is timed was read in apps/speed.c of OpenSSL 1.1.1, 3.0 and 3.5.

The table of `openssl speed`, with or without the lines that it writes while it measures.

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

from ciphermark.contract.others import Divisor
from ciphermark.workloads.imported.readers.reading import (
    Figure,
    Line,
    Reading,
    Unreadable,
    lines_of,
    positive,
    respelt,
    start_of_table,
    whole,
)

TOOL, PROVIDER = "openssl speed", "openssl"

ELAPSED = "You have chosen to measure elapsed time"

_RULES = (
    (r"[ _]", "-"),
    (r"^hmac\((.*)\)$", r"hmac-\1"),
    (r"^cmac\((.*)-cbc\)$", r"cmac-\1"),
    (r"^id-", ""),
)

_AUTHENTICATED = re.compile(r"-(gcm|ccm|ocb)$")
_CIPHER = re.compile(
    r"[ -](ecb|cbc|ctr|gcm|ccm|ocb|xts|cfb\d*|ofb|ede3|poly1305)$|^(rc4|chacha20)$"
)
"""Names that OpenSSL has for them: `aes-128 cbc`, `AES-128-GCM`."""

FIXED_COST = (
    "openssl speed makes keys and contexts before it times and sets no IV for each message of a "
    "cipher: what a message costs beyond its bytes is less than in use"
)
UNAUTHENTICATED = (
    "OpenSSL 1.1.1 and 3.0 time GCM, CCM and OCB without a tag, an IV or associated data for each "
    "message, unless -aead is given; later versions give each message all of them"
)
DIRECTION = "the output does not say whether -decrypt was given: figures are taken as encryption"
CPU_TIME = (
    "figures are divided by user CPU time: what the kernel did, an engine or another thread, is "
    "not in it, so more than wall time allows can come out; --elapsed says that -elapsed was given"
)
WALL_TIME = (
    "figures are divided by wall time: other work of the CPU in that time counts against them"
)
UNKNOWN_TIME = (
    "the output does not say what divides, CPU time or wall time: say it with --elapsed or "
    "--no-elapsed"
)
WARM = "one buffer again and again, in the nearest cache; the mean over all repetitions, no spread"

MULTI = "is of openssl speed -multi, which adds up several processes: import a run without -multi"


def names_of(said: str) -> tuple[str, ...]:
    """Spellings of a function that OpenSSL names: `aes-128 cbc`, `hmac(md5)`, `AES-128-GCM`."""
    return (respelt(said.lower(), _RULES),)


def traps_of(divisor: Divisor, said: set[str]) -> list[str]:
    """What the figures of these functions do not say."""
    time = {"cpu-time": CPU_TIME, "wall-time": WALL_TIME}.get(divisor, UNKNOWN_TIME)
    found = [time, WARM]
    if any(_CIPHER.search(it.lower()) for it in said):
        found += [FIXED_COST, DIRECTION]
    if any(_AUTHENTICATED.search(it.lower()) for it in said):
        found.append(UNAUTHENTICATED)
    return found


def divisor_of(elapsed: bool | None) -> Divisor:
    """What divides, None where nobody has said."""
    return "unknown" if elapsed is None else "wall-time" if elapsed else "cpu-time"


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
    start = start_of_table(lines, lambda text: text.startswith("type "))
    reading = Reading(tool=TOOL, provider=PROVIDER, divisor="unknown")
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
    told = any(line.text.startswith(ELAPSED) for line in lines)
    known = True if told else False if measured else None
    reading.divisor = divisor_of(known if elapsed is None else elapsed)
    reading.traps = traps_of(reading.divisor, {it.said for it in reading.figures})
    return reading


def _sizes(line: Line) -> list[int]:
    match = _SIZES.fullmatch(line.text)
    if match is None:
        raise Unreadable(line.number, "should have the sizes of the messages: `type  16 bytes …`")
    return [whole(size, line.number) for size in re.findall(r"(\d+) bytes", match[1])]


def _read_before(line: Line, reading: Reading) -> str | None:
    """Takes in a line above the table, and returns the function that it says was measured."""
    if line.text.startswith(_MULTI):
        raise Unreadable(line.number, MULTI)
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
        elif line.text.startswith(ELAPSED) or not line.text.strip() or "$" in line.text[:1]:
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
    return Figure(line=line, said=said, names=names_of(said), message_bytes=message_bytes, ns=ns)
