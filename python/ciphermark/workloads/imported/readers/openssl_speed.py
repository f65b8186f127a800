"""`openssl speed` as people paste it: several commands, and other text around them.

The forms are those of apps/speed.c of OpenSSL 0.9.7 to 4.0, and of LibreSSL:

    $ taskset -c 2 openssl speed -evp aes-128-cbc
    Doing aes-128-cbc for 3s on 16 size blocks: 977706 aes-128-cbc's in 2.96s
    version: 3.0.19
    The 'numbers' are in 1000s of bytes per second processed.
    type             16 bytes     64 bytes
    aes-128-cbc      90345.06k   140108.84k

and with -mr

    +DT:sha256:1:64                          a function, seconds, and the size of its messages
    +R:2365676:sha256:0.960000               how many were done, and in how many seconds
    +H:64:256                                the sizes
    +F:25:sha256:157711733.33:303711733.33   a function, and bytes per second at each size

A figure that ends in k is thousands of bytes per second, one that does not is bytes.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ciphermark.contract.others import Divisor
from ciphermark.workloads.imported.readers.reading import (
    Figure,
    Line,
    Reading,
    Unreadable,
    lines_of,
    number,
    respelt,
    whole,
)

TOOL = "openssl speed"

LEAST_CPU_SHARE = 0.25
"""Share of the wall time below which CPU time does not divide a count; a busy machine has more."""

LEAST_CPU_SHARE_OF_ENGINE = 0.9
"""The same where an engine works, in the kernel or a device: user CPU time leaves it out."""

LONGEST_LINE = 4096
"""Characters; a longer line is none of this program."""

_OWN_PROVIDERS = ("default", "legacy", "base", "fips", "null")

_RULES = (
    (r"[ _]", "-"),
    (r"^hmac\((.*)\)$", r"hmac-\1"),
    (r"^cmac\((.*?)(-cbc)?\)$", r"cmac-\1"),
    (r"^(hmac-)?sha2-(\d+)(?:/(\d+))?$", r"\1sha\2-\3"),
    (r"-$", ""),
    (r"^id-", ""),
    (r"^(aes|camellia)(\d{3})", r"\1-\2"),
    (r"^(rmd|ripemd-?)160$", "ripemd160"),
    (r"^rc4$", "rc4-128"),
    (r"^rc5-(32/12-)?cbc$", "rc5-32-12-16-cbc"),
)

_CIPHER = re.compile(
    r"-(ecb|cbc|ctr|gcm|ccm|ocb|siv|xts|cfb\d*|ofb|ede3|poly1305)$|^(rc4.*|chacha20|blowfish)$"
)

_ELAPSED = "You have chosen to measure elapsed time"
_TABLE = re.compile(r"type\s+(?:\d+ bytes\s*)+")
_DOING = re.compile(
    r"Doing (?P<name>.+?)(?: ops)? (?:for (?P<wall>\d+)s|\d+ times) on (?P<size>\d+) size blocks:"
    r"(?: (?P<count>\d+) .+ in (?P<seconds>\d+[.,]\d+)s)?.*"
)
_TOLD = re.compile(r"(built on|options|compiler|CPUINFO): ?(.*)")
_VERSION = re.compile(
    r"version: (?P<number>\S.*)|(?P<name>(?:Open|Libre|Boring)SSL \d+\.\d[^\s,]*(?: FIPS)?"
    r"(?:,?\s+(?:built on )?\d{1,2} [A-Z][a-z]{2} \d{4}.*)?)"
)
_PUBLIC_KEY = re.compile(r"Doing .*\d+s: |\+(DTP|DNP|R\d|F\d|DTW|RK)|.*\d\.\d+s\s+\d+\.\d")
_COMMAND = re.compile(
    r"(?:\S*[$#%>] *|.*[$#%>] +|\+ )?"
    r"(?P<command>(?:(?:[A-Za-z_]\w*=\S*|sudo|env|time|nice|taskset|chrt|numactl|-\S+|[\w,-]*\d\w*)"
    r" +)*[^\s$#>]*openssl(?:\.exe)? speed(?: .*)?)"
)
_ENGINE = re.compile(r'engine "(.+)" set\.')
_VALUE = re.compile(r"\d[\d.,]*k?")
_NAME = re.compile(r"[A-Za-z][\w()/ .+-]*")
_RATE = re.compile(r"\d+[.,]\d\dk?")
_CORE = re.compile(r"(.*[^\s(])\s*\(([^()]+)\)")
_CUT = re.compile(r"Doing .*\d[\d.,]*|\+[FR]:.*?(?<![.,]\d\d)|[^+].*\s\d[\d.,]*")
"""Ends of a file in which a digit may be lost."""

WARM = "one buffer again and again, in the nearest cache; the mean over all repetitions, no spread"
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
_TIMES = {"cpu-time": CPU_TIME, "wall-time": WALL_TIME}
UNKNOWN_TIME = (
    "the output does not say what divides, CPU time or wall time: say it with --elapsed or "
    "--no-elapsed"
)


def names_of(said: str) -> tuple[str, ...]:
    """Returns our spelling of a function: of `aes-128 cbc`, `hmac(md5)`, `AES-128-GCM`."""
    return (respelt(said.lower(), _RULES),)


class Count(NamedTuple):
    """A line `Doing`, or the same of -mr: messages of one size."""

    line: int
    said: str
    size: int
    messages: int
    seconds: float
    """CPU time, or wall time with -elapsed, rounded to hundredths."""
    wall: float | None
    """Seconds that the clock was set to."""

    def agrees(self, rate: float) -> bool:
        """Whether bytes per second of the table are these within the rounding of both."""
        if not self.seconds or not self.messages:
            return False
        own = self.messages * self.size / self.seconds
        rounding = 0.0051 / self.seconds + 5.1 / rate + 1e-4
        return abs(rate / own - 1) <= rounding

    def rate(self, by_wall: bool) -> float | None:
        """Returns bytes per second, None where the time is not known."""
        time = self.wall if by_wall and self.wall else self.seconds
        return self.messages * self.size / time if time else None


class Row(NamedTuple):
    """A line of a table: one function at each size."""

    line: int
    said: str
    label: str
    rates: dict[int, float]
    """Bytes per second by size, 0 where nothing was done."""


@dataclass
class Command:
    """Output of one command: each part of it may be missing."""

    line: int = 1
    text: str = ""
    words: list[str] = field(default_factory=list)
    version: str = ""
    engine: str | None = None
    elapsed: bool = False
    machine_readable: bool = False
    """Whether it has lines of -mr, which are silent about -elapsed."""
    processes: int = 1
    told: dict[str, str] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    counts: dict[tuple[str, int], Count] = field(default_factory=dict)
    """By name and size."""
    rows: list[Row] = field(default_factory=list)
    names: dict[str, None] = field(default_factory=dict)
    """Functions that processes of -multi have measured."""

    def after(self, option: str) -> str | None:
        """Returns the word after an option of the command line."""
        following = zip(self.words, self.words[1:], strict=False)
        return next((word for it, word in following if it.lstrip("-") == option), None)

    def has(self, option: str) -> bool:
        """Whether the command line has an option."""
        return any(it.startswith("-") and it.lstrip("-") == option for it in self.words)

    def divisor(self, elapsed: bool | None) -> Divisor:
        """Returns the time that divides; `elapsed` is the user's word."""
        if elapsed is None and (self.elapsed or self.has("elapsed")):
            elapsed = True
        elif elapsed is None and (self.text or (self.counts and not self.machine_readable)):
            elapsed = False
        return "unknown" if elapsed is None else "wall-time" if elapsed else "cpu-time"

    def is_decrypted(self, said: str) -> bool:
        """Whether -decrypt holds for a function, which it does for that of -evp alone."""
        name, evp = names_of(said)[0], self.after("evp")
        of_evp = evp is None or len(self.rows) < 2 or names_of(evp)[0] == name
        return self.has("decrypt") and of_evp and bool(_CIPHER.search(name))


class Text:
    """The commands of a text, taken in line by line."""

    def __init__(self) -> None:
        self.commands = [Command()]
        self.skipped: dict[str, int] = {}
        self._begun: tuple[str, str, str] | None = None

    @property
    def _last(self) -> Command:
        return self.commands[-1]

    def _whole(self, line: Line) -> Command:
        """Returns the command that a line belongs to, which has no table yet."""
        if self._last.rows:
            self.commands.append(Command(line.number))
        return self._last

    def take(self, line: Line) -> None:
        """Takes in a line; one of no known form is passed over."""
        text = line.text.strip().lstrip(">|` ").rstrip("` ")
        if not text or len(text) > LONGEST_LINE:
            return
        if " speed" in text and (found := _COMMAND.fullmatch(line.text.strip().strip("`"))):
            self._take_command(line, found["command"])
            return
        text = text.lstrip("#").lstrip()
        if _PUBLIC_KEY.match(text):
            self.skipped["public-key operations"] = self.skipped.get("public-key operations", 0) + 1
        elif text.startswith("+"):
            self._take_machine_readable(line, text)
        elif found := _DOING.fullmatch(text):
            self._take_count(line, found["name"], found["size"], found["wall"], found)
        elif _TABLE.fullmatch(text):
            sizes = re.findall(r"(\d+) bytes", text)
            self._whole(line).sizes = [whole(it, line.number) for it in sizes]
        elif text.startswith(_ELAPSED):
            self._whole(line).elapsed = True
        elif found := _VERSION.fullmatch(text):
            self._whole(line).version = found["name"] or f"OpenSSL {found['number']}"
        elif found := _ENGINE.fullmatch(text):
            self._whole(line).engine = found[1]
        elif found := _TOLD.fullmatch(text):
            self._whole(line).told[found[1]] = found[2]
        elif found := re.fullmatch(r"Forked child (\d+)", text):
            command = self._whole(line)
            command.processes = max(command.processes, 1 + whole(found[1], line.number))
        elif found := re.match(r"Got: \+F:\d+:([^:]+):", text):
            self._last.names[found[1]] = None
        else:
            self._take_row(line, text)

    def _take_command(self, line: Line, text: str) -> None:
        text = re.split(r"\s+(?:\d?>|\||&&|;|&$)", text)[0].strip()
        try:
            words = shlex.split(text)
        except ValueError:
            words = text.split()
        command = Command(line.number, text, words)
        command.engine = command.after("engine")
        provider = command.after("provider")
        if command.engine is None and provider not in _OWN_PROVIDERS:
            command.engine = provider
        if (processes := command.after("multi")) and processes.isdecimal():
            command.processes = max(1, whole(processes, line.number))
        self.commands.append(command)

    def _take_count(
        self, line: Line, said: str, size: str, wall: str | None, done: re.Match[str]
    ) -> None:
        key = (names_of(said)[0], whole(size, line.number))
        if key in self._whole(line).counts:
            self.commands.append(Command(line.number))
        if done["count"] is not None:
            self._last.counts[key] = Count(
                line.number,
                said,
                key[1],
                whole(done["count"], line.number),
                number(done["seconds"], line.number),
                None if wall is None else number(wall, line.number),
            )

    def _take_machine_readable(self, line: Line, text: str) -> None:
        kind, *fields = text.split(":")
        if kind in ("+H", "+DT"):
            self._whole(line).machine_readable = True
        if kind == "+H":
            self._whole(line).sizes = [whole(it, line.number) for it in fields]
        elif kind == "+DT" and len(fields) == 3:
            self._whole(line).names[fields[0]] = None
            self._begun = (fields[0], fields[1], fields[2])
        elif kind == "+R" and self._begun is not None and self._last.processes == 1:
            name, wall, size = self._begun
            done = re.fullmatch(r"\+R:(?P<count>\d+):.*:(?P<seconds>\d+[.,]\d+)", text)
            if done is not None:
                self._take_count(line, name, size, wall, done)
        elif kind == "+F":
            self._add_row(line, fields[1] if len(fields) > 1 else "", "", fields[2:])

    def _take_row(self, line: Line, text: str) -> None:
        core = ""
        if (found := _CORE.fullmatch(text)) and "k" in found[1]:
            text, core = found[1], found[2]
        words = text.split()
        values: list[str] = []
        while words and _VALUE.fullmatch(words[-1]):
            values.insert(0, words.pop())
        thousands = sum(it.endswith("k") for it in values if _RATE.fullmatch(it))
        alike = len(values) == len(self._last.sizes) and all(map(_RATE.fullmatch, values))
        name = " ".join(words)
        if _NAME.fullmatch(name) and (thousands or (values and alike)):
            if self._last.sizes or len(values) > 1 or self._last.after("bytes"):
                self._add_row(line, name, core, values)

    def _add_row(self, line: Line, said: str, core: str, values: list[str]) -> None:
        command = self._last
        if not command.sizes and len(values) == 1 and (given := command.after("bytes")):
            command.sizes = [whole(given, line.number)]
        if not command.sizes:
            raise Unreadable(
                line.number,
                "has figures above which the line with their sizes is missing: put it there, as in "
                "`type  16 bytes  64 bytes`",
            )
        if len(values) != len(command.sizes):
            raise Unreadable(
                line.number,
                f"has {len(values)} figures and the table {len(command.sizes)} sizes: it is cut",
            )
        rates = {}
        for size, value in zip(command.sizes, values, strict=True):
            rate = number(value.removesuffix("k"), line.number)
            rates[size] = rate * 1e3 if value.endswith("k") else rate
        if said == "evp":
            said = command.after("evp") or next(iter(command.names), said)
        command.rows.append(Row(line.number, said, core, rates))


def found_in(text: str) -> bool:
    """Whether a text has a table or a line `Doing` of openssl speed."""
    return bool(re.search(r"\btype[ \t]+\d+ bytes|\bDoing .{1,99} on \d+ size blocks:", text))


def found_in_mr(text: str) -> bool:
    """Whether a text has lines of openssl speed -mr."""
    return bool(re.search(r"^\W*\+(H|F|DT):", text, re.MULTILINE))


def read(text: str, elapsed: bool | None) -> list[Reading]:
    """Returns the figures of all commands; `elapsed` is the user's word about -elapsed.

    Different functions of one version, measured in the same way, are one reading. A function that
    comes again, on another core or by another command, is in a further one.
    """
    lines = lines_of(text, may_lack_end=True)
    if not text.endswith("\n") and _CUT.fullmatch(lines[-1].text.strip()):
        raise Unreadable(
            lines[-1].number,
            "has no end, so a digit may be lost; if it is whole, end it with a line break",
        )
    taken = Text()
    for line in lines:
        taken.take(line)
    return list(_together(taken, elapsed, lines[-1].number))


def _together(taken: Text, elapsed: bool | None, last: int) -> Iterator[Reading]:
    """Puts the functions of all commands into as few readings as can hold them."""
    readings: list[tuple[tuple[object, ...], Reading, dict[object, bool]]] = []
    version = ""
    for command in taken.commands:
        version = command.version or version
        for function in _functions(command):
            divisor = command.divisor(elapsed)
            facts = (
                *(function.label, version, divisor, command.engine, command.processes),
                *(command.has("aead"), command.after("async_jobs")),
            )
            what = (names_of(function.said), command.is_decrypted(function.said))
            reading, there = next(
                ((it, there) for of, it, there in readings if of == facts and what not in there),
                (None, dict[object, bool]()),
            )
            if reading is None:
                reading = _reading(command, function.label, version, divisor)
                readings.append((facts, reading, there))
            there[what] = _add(reading, command, function)
    if not readings:
        raise Unreadable(last, "ends the file before there is a figure: it is cut")
    labels = [it.part for _, it, _ in readings]
    for place, (_, reading, by_wall) in enumerate(readings, start=1):
        if all(by_wall.values()):
            reading.divisor = "wall-time"
        reading.traps.insert(0, _TIMES.get(reading.divisor, UNKNOWN_TIME))
        reading.skipped |= taken.skipped
        if labels.count(reading.part) > 1:
            reading.part = ", ".join(filter(None, [reading.part, f"table {place}"]))
        yield reading


def _functions(command: Command) -> Iterator[Row]:
    """Yields the rows of the table, and then the functions that were counted and are in none."""
    yield from command.rows
    known = {names_of(it.said)[0] for it in command.rows}
    counted = {name: it for (name, _), it in command.counts.items() if name not in known}
    yield from (Row(it.line, it.said, "", {}) for it in counted.values())


def _reading(command: Command, label: str, version: str, divisor: Divisor) -> Reading:
    return Reading(
        tool=f"{TOOL} -mr" if command.machine_readable else TOOL,
        provider="libressl" if version.startswith("LibreSSL") else "openssl",
        divisor=divisor,
        version=version,
        part=label,
        core=label if re.search(r"^[A-Z]|\d", label) else "",
        processes=command.processes,
    )


def _add(reading: Reading, command: Command, row: Row) -> bool:
    """Adds the figures of a function; returns whether they are its counts over wall time."""
    name = names_of(row.said)[0]
    alike = sum(names_of(it.said)[0] == name for it in command.rows)
    counts = {it.size: it for (of, _), it in command.counts.items() if of == name and alike < 2}
    doubt = _doubt(command, reading.divisor, row, counts)
    for size in dict.fromkeys([*row.rates, *counts]):
        count, rate = counts.get(size), row.rates.get(size)
        if count is not None and (doubt or rate is None):
            rate = count.rate(by_wall=bool(doubt))
        if not rate or (doubt and count is None):
            reading.skip("figures of 0" if not doubt else "figures without a count")
            continue
        reading.figures.append(
            Figure(
                line=row.line if count is None or size in row.rates else count.line,
                said=row.said,
                names=(name,),
                direction="backward" if command.is_decrypted(row.said) else "forward",
                message_bytes=size,
                ns=size / rate * 1e9,
                lanes=command.processes,
                backend=command.engine,
                asked=command.engine,
            )
        )
    if command.text not in reading.command:
        reading.command = "; ".join(filter(None, [reading.command, command.text]))
    reading.told |= command.told
    for caution in _cautions(command, reading.divisor, row.said, doubt):
        if caution not in reading.cautions:
            reading.cautions.append(caution)
    for trap in _traps(command, name):
        if trap not in reading.traps:
            reading.traps.append(trap)
    return bool(doubt)


def _doubt(command: Command, divisor: Divisor, row: Row, counts: dict[int, Count]) -> str:
    """Returns the reason why counts over wall time are right and the table is not, else ""."""
    least = LEAST_CPU_SHARE if command.engine is None else LEAST_CPU_SHARE_OF_ENGINE
    shares = [it.seconds / it.wall for it in counts.values() if it.wall]
    if divisor != "wall-time" and shares and min(shares) < least:
        return f"CPU time was {100 * min(shares):.0f} % of it at least once"
    if any(row.rates.get(size) and not it.agrees(row.rates[size]) for size, it in counts.items()):
        return "the table does not agree with the counts"
    return ""


def _cautions(command: Command, divisor: Divisor, said: str, doubt: str) -> Iterator[str]:
    """Yields the sentences without which a figure would mislead, wherever it is used."""
    if command.engine is not None:
        yield f'the engine "{command.engine}" did the work'
    if doubt:
        yield f"{said} by its counts over wall time, since {doubt}"
    elif command.engine is not None and divisor != "wall-time" and not command.counts:
        yield "user CPU time leaves out the work of an engine: rates may be far too high"
    if command.processes > 1:
        yield f"rates of {command.processes} processes at once (-multi), not of one core"


def _traps(command: Command, name: str) -> Iterator[str]:
    """Yields the facts that the figures of a function do not say."""
    yield WARM
    if _CIPHER.search(name):
        yield FIXED_COST
        if re.search(r"-(gcm|ccm|ocb)$", name):
            yield UNAUTHENTICATED
        if not command.text:
            yield DIRECTION
