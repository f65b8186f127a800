"""Result of reading a file of another program, and the errors where it cannot be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeVar

from ciphermark import contract
from ciphermark.contract.others import Divisor
from ciphermark.errors import shortened
from ciphermark.plan.quantities import LARGEST_MESSAGE_BYTES

Row = TypeVar("Row")

MOST_LANES = 65_536
"""Messages of one call; a burst of DPDK has some hundred at most."""

MOST_TIME = 1e18
"""Nanoseconds, or cycles, of a message: thirty years."""

MOST_FIGURES = 500_000
"""Figures of a file, at most; a table of ipsec_perf has some ten thousand."""

LONGEST_NAME = 1000
"""Most characters in the name of a measured function."""

Direction = Literal["forward", "backward"]
"""`backward` undoes: decrypts, opens."""


class Unreadable(Exception):
    """Error for a file of a wrong form, or one that is cut."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line
        self.what = what


class Line(NamedTuple):
    """A line of a file, counted from 1, without its end."""

    number: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Figure:
    """Figure as the program printed it; with time and cycles only if the program prints them."""

    line: int
    said: str
    """Name of the measured function, in the program's own words."""
    names: tuple[str, ...]
    """Spellings under which our algorithms may know it, the likeliest first."""
    direction: Direction = "forward"
    message_bytes: int | None
    """Size of a message; None where the cost of a further byte was measured."""
    ns: float | None = None
    """For a message, or for a byte where there is no message."""
    ticks: float | None = None
    """Ticks of a counter of constant rate, for the same work."""
    core_cycles: float | None = None
    """Cycles of the core, for the same work, where the program has counted or calibrated them."""
    lanes: int = 1
    """Messages of one call."""
    backend: str | None = None
    """The code path, where the program names it."""
    asked: str | None = None
    """Choice given to the program where it is not the program's default."""
    pattern: contract.Pattern = "reused-key"

    @property
    def key(self) -> tuple[object, ...]:
        """Returns the fields that differ between any two figures of one file."""
        return (self.said, self.direction, self.message_bytes, self.lanes, self.backend, self.asked)


@dataclass(kw_only=True)
class Reading:
    """All that a file says."""

    tool: str
    provider: str
    """The library that was measured."""
    divisor: Divisor
    figures: list[Figure] = field(default_factory=list)
    version: str = ""
    command: str = ""
    ticks_hz: float | None = None
    counted: contract.CycleSource | None = None
    """Source of the core cycles that the program itself prints."""
    told: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    traps: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    """Facts that every screen has to repeat which uses the figures."""
    timed: dict[str, str] = field(default_factory=dict)
    """Loop of `openssl speed` by function, in the program's words."""
    part: str = ""
    """Name of this reading where a file has several: a core, `table 2`."""
    core: str = ""
    """Processor core that the file names."""
    processes: int = 1
    """Processes at once whose rates were added up."""

    def skip(self, what: str) -> None:
        """Counts something that was left out."""
        self.skipped[what] = self.skipped.get(what, 0) + 1


def bounded(figures: Iterable[Row], line_of: Callable[[Row], int]) -> Iterator[Row]:
    """Yields figures, of which a file may have so many. Raises `Unreadable`."""
    for count, figure in enumerate(figures, start=1):
        if count > MOST_FIGURES:
            raise Unreadable(
                line_of(figure), f"has more figures than the {MOST_FIGURES:,} of a file"
            )
        yield figure


def check_figures(figures: Iterable[Figure]) -> None:
    """Refuses what no program can have measured, whatever it has printed."""
    for figure in figures:
        size, lanes = figure.message_bytes, figure.lanes
        if size is not None and not 1 <= size <= LARGEST_MESSAGE_BYTES:
            raise Unreadable(
                figure.line, f"has messages of {size} bytes, which are not between 1 byte and 1 GiB"
            )
        if not 1 <= lanes <= MOST_LANES:
            raise Unreadable(figure.line, f"has {lanes} messages in a call: 1 to {MOST_LANES}")
        if len(figure.said) > LONGEST_NAME:
            raise Unreadable(figure.line, f"has a name of {len(figure.said):,} characters")
        values = (figure.ns, figure.ticks, figure.core_cycles)
        if not all(0 < it < MOST_TIME for it in values if it is not None):
            raise Unreadable(figure.line, f"has {figure.said}, which takes no time that there is")


def check_once(figures: Iterable[Figure]) -> None:
    """Refuses a file that has a figure twice: whose would it be?"""
    seen: dict[tuple[object, ...], int] = {}
    for figure in figures:
        first = seen.setdefault(figure.key, figure.line)
        if first != figure.line:
            raise Unreadable(
                figure.line,
                f"has {figure.said} again, which line {first} has already: put each table into a "
                "file of its own",
            )


MOST_DIGITS = 30
"""Most digits of a number: programs print half as many, and its reciprocal is a number too."""

LARGEST_WHOLE = 2**53
"""Up to which a number without decimals is exact."""

LONGEST_LINE = 65_536
"""Characters: a table of ipsec_perf has a column for each of hundreds of variants."""

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_DECIMAL_COMMA = re.compile(r"(0|\d+(?=,\d{1,2}$|,\d{4,}$)),(\d+)")
"""A comma that can only stand before decimals: `2,900` may be thousands."""


def lines_of(text: str, longest: int = LONGEST_LINE, *, may_lack_end: bool = False) -> list[Line]:
    """Returns the lines of a file that ends where a line ends.

    A file that does not may have lost a digit, which would be another figure: a reader that takes
    it (`may_lack_end`) has to see from the line itself that it is whole.
    """
    if not text.strip():
        raise Unreadable(1, "there is nothing in it")
    lines = [Line(number, it) for number, it in enumerate(text.splitlines(), start=1)]
    for line in lines:
        if len(line.text) > longest:
            raise Unreadable(
                line.number, f"has {len(line.text):,} characters, which is no line of a program"
            )
    if not text.endswith("\n") and not may_lack_end:
        raise Unreadable(
            lines[-1].number,
            "has no end, so the file may be cut; if it is whole, end it with a line break",
        )
    return lines


def respelt(name: str, rules: Iterable[tuple[str, str]]) -> str:
    """Replaces these patterns in a name, one after the other."""
    for pattern, replacement in rules:
        name = re.sub(pattern, replacement, name)
    return name


def number(text: str, line: int) -> float:
    """Returns a number of at least 0, with a point or comma before its decimals."""
    stripped = text.strip()
    if len(stripped) > MOST_DIGITS:
        raise Unreadable(line, f"has {_shown(stripped)} where a number belongs")
    stripped = _DECIMAL_COMMA.sub(r"\1.\2", stripped)
    if "," in stripped:
        raise Unreadable(
            line,
            f"has {_shown(stripped)}, whose comma may part thousands or decimals: write a point "
            "before decimals and nothing between thousands",
        )
    if not _NUMBER.fullmatch(stripped):
        raise Unreadable(line, f"has {_shown(stripped)} where a number belongs")
    return float(stripped)


def whole(text: str, line: int) -> int:
    """Returns a number without decimals."""
    value = number(text, line)
    if value != int(value) or value > LARGEST_WHOLE:
        raise Unreadable(line, f"has {_shown(text)} where a whole number belongs")
    return int(value)


def positive(text: str, line: int) -> float:
    """Returns a number above 0."""
    value = number(text, line)
    if value <= 0:
        raise Unreadable(line, f"has {_shown(text)} where a number above 0 belongs")
    return value


def _shown(text: str) -> str:
    """Quotes a text of any content, shortened, for a sentence."""
    return repr(shortened(text, 40))
