"""Figures of `openssl speed`: counts over the right time, and the work that its loop timed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ciphermark.contract.others import Divisor
from ciphermark.workloads.imported.readers.openssl_commands import (
    IS_CIPHER,
    Command,
    Count,
    Row,
    commands,
    name_of,
)
from ciphermark.workloads.imported.readers.openssl_loops import loop_name, loops
from ciphermark.workloads.imported.readers.reading import Figure, Reading, Unreadable

TOOL = "openssl speed"

LEAST_CPU_SHARE = 0.25
"""Share of the wall time below which CPU time does not divide a count; a busy machine has more."""

LEAST_CPU_SHARE_OF_ENGINE = 0.9
"""Share with an engine at work, in the kernel or a device: user CPU time leaves it out."""

MOST_READINGS = 200
"""Runs of a file: a log of a machine with 128 cores has a table for each."""

MOST_NAMED = 4
"""Functions that a caution names."""

WARM = "one buffer again and again, in the nearest cache; the mean over all repetitions, no spread"
DIRECTION = "the output does not say whether -decrypt was given: figures are taken as encryption"
TIMES = {
    "cpu-time": (
        "figures are divided by user CPU time: what the kernel did, an engine or another thread, "
        "is not in it, so more than wall time allows can come out; --elapsed says that -elapsed "
        "was given"
    ),
    "wall-time": (
        "figures are divided by wall time: other work of the CPU in that time counts against them"
    ),
    "unknown": (
        "the output does not say what divides, CPU time or wall time: say it with --elapsed or "
        "--no-elapsed"
    ),
}


def found_in(text: str) -> bool:
    """Returns whether a text has a table or a line `Doing` of openssl speed."""
    return bool(re.search(r"\btype[ \t|]+\d+ bytes|\bDoing .{1,99} on \d+ size blocks:", text))


def found_in_mr(text: str) -> bool:
    """Returns whether a text has lines of openssl speed -mr."""
    return bool(re.search(r"^[^\w\n]*\+(H|F|DT):", text, re.MULTILINE))


def read(text: str, elapsed: bool | None) -> list[Reading]:
    """Returns the figures of all commands; `elapsed` is the user's word about -elapsed.

    Figures of one version that were measured in the same way are one reading. One that comes again,
    on another core or by another command, is in a further one.
    """
    taken, skipped = commands(text)
    of_readings: list[_Measured] = []
    versions = {it.version for it in taken if it.version}
    version = versions.pop() if len(versions) == 1 else ""
    for command in taken:
        version = command.version or version
        divisor = _divisor(command, elapsed)
        for row, counts in command.functions():
            figures = _Figures(command, row, counts, divisor, version)
            measured = next((it for it in of_readings if it.takes(figures)), None)
            if measured is None:
                measured = _Measured(figures)
                of_readings.append(measured)
            if len(of_readings) > MOST_READINGS:
                raise Unreadable(
                    row.line,
                    f"has {row.said} when there are {MOST_READINGS} runs before it: put fewer "
                    "tables into a file",
                )
            measured.add(figures)
    labels = Counter(it.reading.part for it in of_readings)
    for place, it in enumerate(of_readings, start=1):
        if labels[it.reading.part] > 1:
            it.reading.part = ", ".join(filter(None, [it.reading.part, f"table {place}"]))
        it.finish(skipped)
    return [it.reading for it in of_readings]


def _divisor(command: Command, elapsed: bool | None) -> Divisor:
    if elapsed is None and (command.elapsed or command.has("elapsed")):
        elapsed = True
    elif elapsed is None and (command.text or (command.counts and not command.machine_readable)):
        elapsed = False
    return "unknown" if elapsed is None else "wall-time" if elapsed else "cpu-time"


class _Figures:
    """The figures of one function of a command."""

    def __init__(
        self,
        command: Command,
        row: Row,
        counts: dict[int, Count],
        divisor: Divisor,
        version: str,
    ) -> None:
        self.command, self.row, self.name = command, row, name_of(row.said)
        self.is_decrypted = command.is_decrypted(row.said)
        self._counts = counts
        self.doubt = _doubt(command, row, counts)
        self.facts = (
            *(row.label, version, divisor, command.engine, command.processes),
            *(command.has("aead"), command.after("async_jobs")),
        )
        self.cells = {
            (self.name, self.is_decrypted, size) for size in row.rates.keys() | counts.keys()
        }

    def rates(self) -> Iterator[tuple[int, int, float]]:
        """Yields line, size and bytes per second, from counts if the table is wrong."""
        for size in dict.fromkeys([*self.row.rates, *self._counts]):
            line, rate, count = self.row.line, self.row.rates.get(size), self._counts.get(size)
            if rate is None and count is not None:
                line, rate = count.line, count.rate(count.seconds)
            if self.doubt:
                rate = 0 if count is None else count.rate(count.wall or count.seconds)
            yield line, size, rate or 0


class _Measured:
    """A reading that grows, and the facts that all of its figures share."""

    def __init__(self, first: _Figures) -> None:
        command, row, version = first.command, first.row, first.facts[1]
        self._facts, self._cells = first.facts, set[Any]()
        self._by_wall: dict[str, list[str]] = {}
        self.reading = Reading(
            tool=f"{TOOL} -mr" if command.machine_readable else TOOL,
            provider="libressl" if version.startswith("LibreSSL") else "openssl",
            divisor=first.facts[2],
            version=version,
            part=row.label,
            core=row.label if re.search(r"^[A-Z]\w{2}|\d", row.label) else "",
            processes=command.processes,
        )

    def takes(self, figures: _Figures) -> bool:
        """Returns whether figures belong into this reading, which has none of them yet."""
        return figures.facts == self._facts and not figures.cells & self._cells

    def add(self, figures: _Figures) -> None:
        """Adds the figures of a function."""
        reading, command, said = self.reading, figures.command, figures.row.said
        self._cells |= figures.cells
        if figures.doubt:
            self._by_wall.setdefault(figures.doubt, []).append(said)
        for line, size, rate in figures.rates():
            if not rate:
                reading.skip("figures without a count" if figures.doubt else "figures of 0")
                continue
            figure = Figure(
                line=line,
                said=said,
                names=(figures.name,),
                direction="backward" if figures.is_decrypted else "forward",
                message_bytes=size,
                ns=size / rate * 1e9,
                lanes=command.processes,
                backend=command.engine,
                asked=command.engine,
            )
            reading.figures.append(figure)
        if command.text not in reading.command:
            reading.command = "; ".join(filter(None, [reading.command, command.text]))
        reading.told |= command.told
        reading.timed[said] = loop_name(said, reading.version, command.has("aead"))
        for caution in _cautions(command, reading.divisor):
            if caution not in reading.cautions:
                reading.cautions.append(caution)
        if (
            IS_CIPHER.fullmatch(figures.name)
            and not command.text
            and DIRECTION not in reading.traps
        ):
            reading.traps.append(DIRECTION)

    def finish(self, skipped: dict[str, int]) -> None:
        """Adds the facts that follow from all figures."""
        reading, by_loop = self.reading, dict[str, list[str]]()
        doubted = sum(map(len, self._by_wall.values()))
        if doubted == len(reading.timed):
            reading.divisor = "wall-time"
        for doubt, names in self._by_wall.items():
            more = ", …" if len(names) > MOST_NAMED else ""
            which = f"{', '.join(names[:MOST_NAMED])}{more} by"
            reading.cautions.append(f"{which} counts over wall time, since {doubt}")
        for said, loop in reading.timed.items():
            by_loop.setdefault(loop, []).append(said)
        timed = [
            f"timed for each message of {', '.join(it)}: {loops().loops[loop].times}"
            for loop, it in by_loop.items()
        ]
        reading.traps = [*timed, TIMES[reading.divisor], WARM, *reading.traps]
        reading.skipped |= skipped


def _doubt(command: Command, row: Row, counts: dict[int, Count]) -> str:
    """Returns why counts over wall time are right and the table is not, else ""."""
    least = LEAST_CPU_SHARE if command.engine is None else LEAST_CPU_SHARE_OF_ENGINE
    if any(it.seconds < least * it.wall for it in counts.values() if it.wall):
        return f"CPU time was less than {100 * least:.0f} % of it"
    if any(row.rates.get(size) and not it.agrees(row.rates[size]) for size, it in counts.items()):
        return "the table does not agree with the counts"
    return ""


def _cautions(command: Command, divisor: Divisor) -> Iterator[str]:
    """Yields the facts without which a figure would mislead, wherever it is used."""
    if command.engine is not None:
        yield f'with the engine "{command.engine}"'
        if divisor != "wall-time" and not command.counts:
            yield "user CPU time leaves out the work of an engine: rates may be far too high"
    if command.processes > 1:
        yield f"rates of {command.processes} processes at once (-multi), not of one core"
