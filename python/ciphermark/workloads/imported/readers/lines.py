"""Interpreter of programs that print figures line by line, by patterns with named groups.

`state` patterns take in a line that holds for the lines below it, `rows` patterns one with figures.
Objects of JSON become lines by the templates in `json` and are read by the same patterns. `<rate>`
in a pattern stands for a group `rate` in the form of `FORMS`, a number by default; `<n>` for a
number without a name. The groups:

    name, bits, op, size, lanes, code   function: bits of the key, operation, bytes of a message,
                                        messages of a call, code path
    plain, one_shot                     name of the algorithm alone; whether a call sets the key
    rate, back, unit                    rates forward and backward, and their unit
    rates, sizes                        rates of a row; sizes in the head of its table
    time, per                           time of a message, nanoseconds of a byte
    took, count, done                   time of several messages, their number or their bytes
    clock                               unit of these times but `per`
    ticks, cycles, hz                   ticks of a message; core cycles of it, or of a byte; a rate
    library, version, command           of the whole output
    begin                               a new output: the lines above no longer hold
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from ciphermark import contract
from ciphermark.contract.others import Divisor
from ciphermark.workloads.imported.readers.names import spellings
from ciphermark.workloads.imported.readers.reading import (
    Direction,
    Figure,
    Line,
    Reading,
    Unreadable,
    bounded,
    lines_of,
    positive,
    whole,
)

LONGEST_LINE = 2000
"""Characters of a line that the patterns search; longer ones are passed over."""

LONGEST_TEXT = 200
"""Characters of a text in JSON that becomes part of a line."""

Values = dict[str, str]
"""Texts of named groups; `at` is the number of the line."""

FORMS = {
    "name": r"\S+(?: \S+){0,9}?",
    "op": r"\w+",
    "unit": r"[kKmMGT]?i?B",
    "clock": r"[pnuµμm]?s|sec(?:onds?)?",
    "code": r"[^\]]{1,80}",
}
_NUMBER = r"\d(?:[\d.,]*\d)?"

UNITS: dict[str, float] = {"B": 1, "kB": 1e3, "KB": 1e3, "mB": 1e6, "MB": 1e6, "GB": 1e9}
UNITS |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
CLOCKS = {"ps": 1e-3, "ns": 1.0, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9}

_BACKWARD = re.compile(r"dec|open|verify", re.IGNORECASE)
_GROUP = re.compile(r"(?<!\?P)<([a-z_]+)>")
_BRACE = re.compile(r'"(?:[^"\\]|\\.)*"|[{\n]')
_KEY = re.compile(r"\{([\w.]+)\}")
_BLANK = re.compile(r"\s*")


def _given(values: Values) -> Values | str:
    return values


def _complete(reading: Reading, values: Values) -> None:
    del reading, values


@dataclass(frozen=True, kw_only=True)
class Program:
    """Output of one program, and the meaning of its lines."""

    name: str
    tool: str
    provider: str
    mark: str
    """Part of each output."""
    rows: tuple[str, ...]
    state: tuple[str, ...] = ()
    json: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    """Beginnings of rows: a line that begins so and is no row is refused."""
    skips: Mapping[str, str] = field(default_factory=dict)
    """Patterns of lines that are left out and counted, by the words of the count."""
    own: Mapping[str, str] = field(default_factory=dict)
    """Groups that the output leaves out, and bits of the key by bare name of a cipher."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case that are not of the usual form."""
    settle: Callable[[Values], Values | str] = _given
    """Completes the groups of a row, or returns the words under which it is left out."""
    combine: Callable[[list[float]], float] | None = None
    """Makes one figure of several of a function, which differ in the group `apart`."""
    complete: Callable[[Reading, Values], None] = _complete
    """Completes a reading from its last groups."""
    told: tuple[str, ...] = ()
    """Groups of which a run has one value; another value begins another run."""
    is_slope: bool = False
    divisor: Divisor = "wall-time"
    counted: contract.CycleSource | None = None
    """Source of the group `cycles`."""
    traps: tuple[str, ...] = ()

    def found_in(self, text: str) -> bool:
        """Checks whether a text has a row of this program."""
        if _is_json(text):
            return any(all(f'"{key}"' in text for key in _last_keys(it)) for it in self.json)
        rows = _compiled(self.rows) if self.mark in text else []
        return bool(rows) and any(
            len(line) <= LONGEST_LINE and any(row.search(line) for row in rows)
            for line in text.splitlines()
        )

    def read(self, text: str) -> list[Reading]:
        """Returns the runs of a file: several where a function comes again."""
        readings: list[Reading] = []
        skipped: dict[str, int] = {}
        seen: set[object] = set()
        values: Values = {}
        for figure, following in bounded(self._figures(text, skipped), lambda it: it[0].line):
            facts = {name: following[name] for name in self.told if name in following}
            key = (figure.key, following.get("apart"))
            if not readings or key in seen or facts != readings[-1].told:
                self._complete_last(readings, values)
                readings.append(self._begun(facts))
                seen = set()
            seen.add(key)
            values = following
            readings[-1].figures.append(figure)
        if not readings:
            last = text.count("\n") + (not text.endswith("\n"))
            what = (
                f": it has only {', '.join(skipped)}"
                if skipped
                else ": it is cut, or of another program"
            )
            raise Unreadable(last, f"ends a file without a figure of {self.tool}{what}")
        self._complete_last(readings, values)
        readings[0].skipped = skipped
        if len(readings) > 1:
            for number, reading in enumerate(readings, start=1):
                reading.part = f"table {number}"
        return readings

    def _begun(self, told: Values) -> Reading:
        return Reading(
            tool=self.tool,
            provider=self.provider,
            divisor=self.divisor,
            told=told,
            traps=list(self.traps),
        )

    def _complete_last(self, readings: list[Reading], values: Values) -> None:
        """Completes the last reading, whose last row had these groups."""
        if not readings:
            return
        reading = readings[-1]
        reading.provider = values.get("library", reading.provider)
        reading.version = values.get("version", "")
        reading.command = values.get("command", "")
        if any(it.core_cycles is not None for it in reading.figures):
            reading.counted = self.counted
        if self.combine:
            reading.figures = _combined(reading.figures, self.combine)
        self.complete(reading, values)

    def _figures(self, text: str, skipped: dict[str, int]) -> Iterator[tuple[Figure, Values]]:
        """Yields each figure with the groups of its row and of the lines above it."""

        def skip(reason: str) -> None:
            skipped[reason] = skipped.get(reason, 0) + 1

        values = dict(self.own)
        state, rows, cut = _compiled(self.state), _compiled(self.rows), _compiled(self.cut)
        skips = _compiled(self.skips.values())
        lines = _lines(text, self.json)
        open_line = None if _is_json(text) or text.endswith("\n") else lines[-1]
        for line in lines:
            if len(line.text) > LONGEST_LINE:
                continue
            for pattern in state:
                if match := pattern.search(line.text):
                    groups = _groups(match)
                    values = (dict(self.own) if "begin" in groups else values) | groups
            if match := next((it for row in rows if (it := row.search(line.text))), None):
                groups = _groups(match)
                if line is open_line and any(
                    match.end(group) == len(line.text) for group in groups.keys() & _MEASURED
                ):
                    raise Unreadable(line.number, _NO_END)
                row_values = values | groups | {"at": str(line.number)}
                try:
                    yield from self._of_row(line, row_values, skip)
                except KeyError as missing:
                    (group,) = missing.args
                    raise Unreadable(
                        line.number,
                        f"has a figure, and no line above it tells its {_MISSING.get(group, group)}"
                        ": import the whole output, with its head",
                    ) from None
            elif any(it.search(line.text) for it in cut):
                raise Unreadable(line.number, f"is no whole line of {self.tool}")
            else:
                for reason, pattern in zip(self.skips, skips, strict=True):
                    if pattern.search(line.text):
                        skip(reason)
                        break

    def _of_row(
        self, line: Line, values: Values, skip: Callable[[str], None]
    ) -> Iterator[tuple[Figure, Values]]:
        """Yields the figures of a row. Raises `KeyError` if a group has no text."""
        settled = self.settle(values)
        for cell in [settled] if isinstance(settled, str) else _cells(line, settled):
            if isinstance(cell, str):
                skip(cell)
            else:
                yield self._figure(line.number, cell), cell

    def _figure(self, line: int, values: Values) -> Figure:
        said = values["name"].strip()
        size = None if self.is_slope else whole(values["size"], line)
        name = values.get("plain") or self.words.get(said.lower(), said)
        ticks, cycles = values.get("ticks"), values.get("cycles")
        return Figure(
            line=line,
            said=" ".join(filter(None, (said, values.get("bits")))),
            names=spellings(name, values.get("bits", ""), values),
            direction=direction_of(values.get("op", "")),
            message_bytes=size,
            ns=_ns(line, values, size or 1),
            ticks=None if ticks is None else positive(ticks, line),
            core_cycles=None if cycles is None else positive(cycles, line),
            lanes=whole(values.get("lanes", "1"), line),
            backend=values.get("code") or None,
            asked=values.get("asked", values.get("code")) or None,
            pattern="one-shot" if "one_shot" in values else "reused-key",
        )


_MISSING = {"name": "function", "size": "bytes"}
_MEASURED = frozenset(
    ("rate", "back", "rates", "time", "per", "cpb", "took", "count", "done", "ticks", "cycles")
)
_NO_END = "has no end, so the file may be cut; if it is whole, end it with a line break"


def direction_of(op: str) -> Direction:
    """Returns the direction of an operation that a program names."""
    return "backward" if _BACKWARD.match(op) else "forward"


def with_more_digits(values: Values, *groups: str) -> Values:
    """Drops all of these groups but the one whose number has most digits."""
    digits = {
        name: len(re.sub(r"\D", "", values[name]).lstrip("0")) for name in groups if name in values
    }
    kept = max(digits, key=lambda it: digits[it], default="")
    return {name: text for name, text in values.items() if name == kept or name not in groups}


def unit_of(values: Values) -> float:
    """Returns the bytes of the unit, or the group `unit_bytes` if there is one."""
    return float(values.get("unit_bytes") or UNITS[values.get("unit", "B")])


def _ns(line: int, values: Values, size: int) -> float | None:
    """Returns nanoseconds of a message, or of a byte if the size is 1."""
    clock = CLOCKS.get(values.get("clock", "ns"), CLOCKS["s"])
    if "rate" in values:
        return size / (positive(values["rate"], line) * unit_of(values)) * 1e9
    if "per" in values:
        return positive(values["per"], line) * size
    if "time" in values:
        return positive(values["time"], line) * clock
    if "count" in values:
        return positive(values["took"], line) * clock / positive(values["count"], line)
    if "done" in values:
        return positive(values["took"], line) * clock / positive(values["done"], line) * size
    if "hz" in values:
        spent = values.get("cycles") or values["ticks"]
        return positive(spent, line) / positive(values["hz"], line) * 1e9
    return None


def _cells(line: Line, values: Values) -> list[Values | str]:
    """Returns the groups of each figure of a row, or the reason of its omission."""
    rates = values.get("rates", "").replace("k", "").split()
    sizes = re.findall(r"\d+", values.get("sizes", "")) if rates else []
    if len(rates) != len(sizes):
        raise Unreadable(
            line.number, f"has {len(rates)} figures and the table {len(sizes)} sizes: it is cut"
        )
    cells = [values | {"size": size, "rate": it} for size, it in zip(sizes, rates, strict=True)]
    if "back" in values:
        cells = [values, values | {"rate": values["back"], "op": "open"}]
    return [
        "functions that did not run" if it.get("rate") == "N/A" else it for it in cells or [values]
    ]


def _compiled(patterns: Iterable[str]) -> list[re.Pattern[str]]:
    return [re.compile(_GROUP.sub(_form, pattern)) for pattern in patterns]


def _form(group: re.Match[str]) -> str:
    """Returns the pattern of a named group, or of a number without a name."""
    name = group[1]
    return _NUMBER if name == "n" else f"(?P<{name}>{FORMS.get(name, _NUMBER)})"


def _groups(match: re.Match[str]) -> Values:
    return {name: text for name, text in match.groupdict().items() if text is not None}


def _combined(figures: list[Figure], combine: Callable[[list[float]], float]) -> list[Figure]:
    """Returns one figure for each function, at the line of its first."""
    by_key: dict[tuple[object, ...], list[Figure]] = {}
    for figure in figures:
        by_key.setdefault(figure.key, []).append(figure)
    return [
        replace(
            same[0],
            ns=combine([it.ns for it in same if it.ns is not None]),
            core_cycles=combine([it.core_cycles or 0 for it in same]) or None,
        )
        for same in by_key.values()
    ]


def _is_json(text: str) -> bool:
    return re.match(r'\s*(?:\[\s*(?:\{|$)|\{\s*")', text[:1000]) is not None


def _lines(text: str, templates: tuple[str, ...]) -> list[Line]:
    """Returns the lines of a text, or JSON objects by the first fitting template."""
    if not _is_json(text):
        return lines_of(text, may_lack_end=True)
    filled_lines = []
    for line, record in _objects(text):
        filled = (_filled(template, record) for template in templates)
        if written := next(filter(None, filled), None):
            filled_lines.append(Line(line, written))
    return filled_lines


def _filled(template: str, record: object) -> str | None:
    """Returns a template filled from an object; None where a value is missing."""
    texts = {key: _text(record, key) for key in _KEY.findall(template)}
    return None if None in texts.values() else _KEY.sub(lambda it: texts[it[1]] or "", template)


def _last_keys(template: str) -> list[str]:
    return [key.rpartition(".")[2] for key in _KEY.findall(template)]


def _text(record: object, path: str) -> str | None:
    """Returns a number or a short text at a dotted path."""
    for key in path.split("."):
        if isinstance(record, list):
            record = record[0] if record and key == "0" else None
        else:
            record = record.get(key) if isinstance(record, dict) else None
    if isinstance(record, bool) or not isinstance(record, int | float | str):
        return None
    text = record if isinstance(record, str) else format(Decimal(repr(record)), "f")
    return None if len(text) > LONGEST_TEXT or "\n" in text else text


def _objects(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields all objects of one or several documents, each with its line."""
    starts, decoder, place = _starts(text), json.JSONDecoder(), 0
    while blank := _BLANK.match(text, place):
        if blank.end() == len(text):
            return
        try:
            document, place = decoder.raw_decode(text, blank.end())
        except (ValueError, RecursionError):
            last = text.count("\n") + 1
            raise Unreadable(last, "ends JSON that is not whole: the file is cut") from None
        left = [document]
        while left:
            item = left.pop()
            if isinstance(item, dict):
                yield next(starts, 1), item
                item = list(item.values())
            if isinstance(item, list):
                left += reversed(item)


def _starts(text: str) -> Iterator[int]:
    """Yields the line of each brace outside texts, where an object begins."""
    line = 1
    for token in _BRACE.finditer(text):
        line += token[0] == "\n"
        if token[0] == "{":
            yield line
