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
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from ciphermark.workloads.imported.readers.reading import (
    Line,
    Unreadable,
    lines_of,
    number,
    respelt,
    whole,
)

LONGEST_LINE = 4096
"""Characters; a longer line is none of this program."""

_OWN_PROVIDERS = (None, "default", "legacy", "base", "fips", "null")

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

IS_CIPHER = re.compile(
    r".*-(ecb|cbc|ctr|gcm|ccm|ocb|siv|xts|cfb\d*|ofb|ede3|poly1305)|rc4.*|chacha20|blowfish"
)

_SPEED = re.compile(r"openssl(?:\.exe)? +speed(?= |$)")
_PROMPT = re.compile(r"[$#%>;] *|&& *|^\+ |[➜❯λ»](?:.* )?")
_BEFORE = re.compile(
    r"(?:[A-Za-z_]\w*=\S* +)*"
    r"(?:(?:sudo|doas|env|time|nice|taskset|chrt|numactl|perf|ssh|adb|docker|stdbuf) (?:.* )?)?\S*"
)
"""The words before `openssl` that belong to its command."""
MOST_BEFORE = 400
"""Characters before `openssl` in a line."""

_PUBLIC_KEY = re.compile(r"Doing .*\d+s: |\+(DTP|DNP|R\d|F\d|DTW|RK)|.*\d\.\d+s\s+\d+\.\d")
_DOING = re.compile(
    r"Doing (?P<name>.+?)(?: ops)? (?:for (?P<wall>\d+)s|\d+ times) on (?P<size>\d+) size blocks:"
    r"(?: (?P<count>\d+) .+ in (?P<seconds>\d+[.,]\d+)s)?.*"
)
_COUNTED = re.compile(r"\+R:(?P<count>\d+):.*:(?P<seconds>\d+[.,]\d+)")
_TABLE = re.compile(r"type\s+(?:\d+ bytes\s*)+")
_ELAPSED = "You have chosen to measure elapsed time"
_VERSION = re.compile(
    r"version: (?P<number>\S.*)|(?P<name>(?:Open|Libre|Boring)SSL \d+\.\d[^\s,:]*(?: FIPS)?"
    r"(?:,?\s+(?:built on )?\d{1,2} [A-Z][a-z]{2} \d{4}.*)?):?"
)
_ENGINE = re.compile(r'(Invalid )?engine "(.+?)".*')
_TOLD = re.compile(r"(built on|options|compiler|CPUINFO): ?(.*)")
_CHILD = re.compile(r"Forked child (\d+)")
_OF_CHILD = re.compile(r"Got: \+F:\d+:([^:]+):.*")
_CORE = re.compile(r"(.*[^\s(])\s*\(([^()]+)\)")
_NAME = re.compile(r"[A-Za-z][\w()/ .+-]*")
_VALUE = re.compile(r"\d[\d.,]*k?")
_RATE = re.compile(r"\d+[.,]\d\dk?")
_REST = re.compile(r"\s*(?:(?:\d+ bytes\s*)+|(?:\d+[.,]\d\dk\s*)+)")
"""The rest of a line of a table that a narrow screen has broken."""
_CUT = re.compile(
    r"Doing .*\d[\d.,]*|\+[FR]:.*?(?<![.,]\d\d)|\S+(?: \S+)?(?:\s+\d+[.,]\d\dk)*\s+\d[\d.,]*"
)
"""Ends of a file in which a digit may be lost."""

LEAST_THOUSANDS = 10_000
"""Bytes per second; faster ones are printed in thousands, with a k."""


@lru_cache(1024)
def name_of(said: str) -> str:
    """Returns our spelling of a function: of `aes-128 cbc`, `hmac(md5)`, `AES-128-GCM`."""
    return respelt(said.lower(), _RULES)


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
        """Returns whether bytes per second of the table are these within the rounding of both."""
        own = self.rate(self.seconds)
        rounding = 0.0051 / self.seconds + 5.1 / rate + 1e-4 if own else 0
        return own > 0 and abs(rate / own - 1) <= rounding

    def rate(self, seconds: float) -> float:
        """Returns bytes per second, 0 where there is no time."""
        return self.messages * self.size / seconds if seconds else 0


class Row(NamedTuple):
    """A line of a table: one function at each size."""

    line: int
    said: str
    label: str
    """The words in brackets at its end, such as a core, or those before the name."""
    rates: dict[int, float]
    """Bytes per second by size, 0 where nothing was done."""


@dataclass
class Command:
    """Output of one command: each part of it may be missing."""

    text: str = ""
    words: list[str] = field(default_factory=list)
    version: str = ""
    engine: str | None = None
    elapsed: bool = False
    machine_readable: bool = False
    processes: int = 1
    told: dict[str, str] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    counts: dict[str, dict[int, Count]] = field(default_factory=dict)
    """Counts by name and size."""
    rows: list[Row] = field(default_factory=list)
    of_children: str = ""
    """The function that the processes of -multi have measured."""

    def after(self, option: str) -> str | None:
        """Returns the word after an option of the command line."""
        following = zip(self.words, self.words[1:], strict=False)
        return next((word for it, word in following if it.lstrip("-") == option), None)

    def has(self, option: str) -> bool:
        """Returns whether the command line has an option."""
        return any(it.startswith("-") and it.lstrip("-") == option for it in self.words)

    def is_decrypted(self, said: str) -> bool:
        """Returns whether -decrypt holds for a function, which it does for that of -evp alone."""
        name, evp = name_of(said), name_of(self.after("evp") or "")
        by_itself = name != evp and name in map(name_of, self.words)
        return self.has("decrypt") and not by_itself and bool(IS_CIPHER.fullmatch(name))

    def functions(self) -> Iterator[tuple[Row, dict[int, Count]]]:
        """Yields each row of the table with its counts, then the functions that it lacks.

        Counts of a function that has several rows are of none of them.
        """
        rows = Counter(name_of(it.said) for it in self.rows)
        for row in self.rows:
            name = name_of(row.said)
            yield row, self.counts.get(name, {}) if rows[name] == 1 else {}
        for name, counts in self.counts.items():
            if name not in rows:
                first = next(iter(counts.values()))
                yield Row(first.line, first.said, "", {}), counts


def commands(text: str) -> tuple[list[Command], dict[str, int]]:
    """Returns the output of each command, and how much of other kinds was left out."""
    lines = lines_of(text, may_lack_end=True)
    if not text.endswith("\n") and _CUT.fullmatch(lines[-1].text.strip()):
        raise Unreadable(
            lines[-1].number,
            "has no end, so a digit may be lost; if it is whole, end it with a line break",
        )
    taken = _Text()
    for line in _joined(lines):
        if len(line.text) <= LONGEST_LINE:
            taken.take(line)
    if not any(it.rows or it.counts for it in taken.commands):
        raise Unreadable(
            lines[-1].number, "ends the file before there is a figure of a function: it is cut"
        )
    return taken.commands, taken.skipped


def _joined(lines: Iterable[Line]) -> Iterator[Line]:
    """Yields the lines, each with its rest where it was broken."""
    last: Line | None = None
    for line in lines:
        short = last is not None and len(line.text) + len(last.text) <= LONGEST_LINE
        if last is not None and short and _REST.fullmatch(line.text):
            last = Line(last.number, f"{last.text} {line.text.strip()}")
            continue
        if last is not None:
            yield last
        last = line
    if last is not None:
        yield last


class _Text:
    """The commands of a text, taken in line by line."""

    def __init__(self) -> None:
        self.commands = [Command()]
        self.skipped: dict[str, int] = {}
        self._begun: tuple[str, str, str] | None = None
        self._sizes: list[int] = []

    def _open(self) -> Command:
        """Returns the last command, or a new one if that has a table already."""
        if self.commands[-1].rows:
            self.commands.append(Command())
        return self.commands[-1]

    def take(self, line: Line) -> None:
        """Takes in a line; one of no known form is passed over."""
        text = line.text.strip().strip("`")
        if (match := _SPEED.search(text)) and match.start() <= MOST_BEFORE:
            before = _PROMPT.split(text[: match.start()])[-1].lstrip()
            if _BEFORE.fullmatch(before):
                self._take_command(line, before + text[match.start() :])
                return
        text = (text.replace("|", " ") if text.startswith("|") else text).strip("># ")
        if _PUBLIC_KEY.match(text):
            self.skipped["public-key operations"] = self.skipped.get("public-key operations", 0) + 1
        elif text.startswith("+"):
            self._take_machine_readable(line, text)
        elif match := _DOING.fullmatch(text):
            self._take_count(line, match["name"], match["size"], match["wall"], match)
        elif _TABLE.fullmatch(text):
            self._set_sizes(line, re.findall(r"(\d+) bytes", text))
        elif text.startswith(_ELAPSED):
            self._open().elapsed = True
        elif match := _VERSION.fullmatch(text):
            self._open().version = match["name"] or f"OpenSSL {match['number']}"
        elif match := _ENGINE.fullmatch(text):
            self._open().engine = None if match[1] else match[2]
        elif match := _TOLD.fullmatch(text):
            self._open().told[match[1]] = match[2]
        elif match := _CHILD.fullmatch(text):
            command = self._open()
            command.processes = max(command.processes, 1 + whole(match[1], line.number))
        elif match := _OF_CHILD.fullmatch(text):
            self.commands[-1].of_children = match[1]
        else:
            self._take_row(line, text)

    def _take_command(self, line: Line, text: str) -> None:
        text = re.sub(r"\$\(.*?\)|`.*?`", "N", text)
        text = re.split(r"\s*(?:\s\d?>|[|;]|&&|\s&$)", text)[0].strip()
        try:
            words = shlex.split(text)
        except ValueError:
            words = text.split()
        command = Command(text, words)
        provider = command.after("provider")
        command.engine = command.after("engine") or (
            None if provider in _OWN_PROVIDERS else provider
        )
        if (processes := command.after("multi")) and processes.isdecimal():
            command.processes = max(1, whole(processes, line.number))
        self.commands.append(command)

    def _take_count(
        self, line: Line, said: str, size: str, wall: str | None, done: re.Match[str]
    ) -> None:
        name, message_bytes = name_of(said), whole(size, line.number)
        if message_bytes in self._open().counts.get(name, ()):
            self.commands.append(Command())
        if done["count"] is not None:
            self.commands[-1].counts.setdefault(name, {})[message_bytes] = Count(
                line.number,
                said,
                message_bytes,
                whole(done["count"], line.number),
                number(done["seconds"], line.number),
                None if wall is None else number(wall, line.number),
            )

    def _set_sizes(self, line: Line, sizes: list[str]) -> None:
        self._sizes = self._open().sizes = [whole(it, line.number) for it in sizes]

    def _take_machine_readable(self, line: Line, text: str) -> None:
        kind, *fields = text.split(":")
        command = self.commands[-1]
        if kind == "+H":
            self._set_sizes(line, fields)
        elif kind == "+DT" and len(fields) == 3:
            self._open().of_children = fields[0]
            self._begun = (fields[0], fields[2], fields[1])
        elif kind == "+R" and self._begun is not None and command.processes == 1:
            if done := _COUNTED.fullmatch(text):
                self._take_count(line, *self._begun, done)
                self.commands[-1].machine_readable = True
        elif kind == "+F":
            command.machine_readable = True
            self._add_row(line, fields[1] if len(fields) > 1 else "", "", fields[2:])

    def _take_row(self, line: Line, text: str) -> None:
        label = ""
        if (match := _CORE.fullmatch(text)) and "k" in match[1]:
            text, label = match[1], match[2]
        words, command = text.split(), self.commands[-1]
        values: list[str] = []
        while words and _VALUE.fullmatch(words[-1]):
            values.insert(0, words.pop())
        thousands = sum(it.endswith("k") for it in values if _RATE.fullmatch(it))
        if not command.sizes and len(values) == len(self._sizes) and not command.has("aead"):
            command.sizes = self._sizes
        alike = len(values) == len(command.sizes) > 0 and all(map(_RATE.fullmatch, values))
        known = command.sizes or len(values) > 1 or command.after("bytes")
        if len(words) > 1 and IS_CIPHER.fullmatch(name_of(words[-1])):
            label, words = " ".join(words[:-1]), words[-1:]
        name = " ".join(words)
        if _NAME.fullmatch(name) and known and (thousands or alike):
            self._add_row(line, name, label, values)

    def _add_row(self, line: Line, said: str, label: str, values: list[str]) -> None:
        command = self.commands[-1]
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
        rates = [number(it.removesuffix("k"), line.number) for it in values]
        if not line.text.lstrip(" #>").startswith("+"):
            for place, value in enumerate(values):
                if value.endswith("k"):
                    rates[place] *= 1e3
                elif rates[place] > LEAST_THOUSANDS:
                    raise Unreadable(
                        line.number, f"has {value}, which has lost its k: write {value}k"
                    )
        if said == "evp":
            said = command.after("evp") or command.of_children or said
        command.rows.append(
            Row(line.number, said, label, dict(zip(command.sizes, rates, strict=True)))
        )
