"""Rate of one core over packet size, with the rates of lines: a panel for each protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from ciphermark.answers.advice.decision import LINES, decided_on
from ciphermark.answers.advice.uses import suite_parts
from ciphermark.view.blocks import Chart
from ciphermark.view.plots import theme
from ciphermark.view.plots.panel import Panel, Points
from ciphermark.workloads.single.plots import over_size
from ciphermark.workloads.single.plots.coordinates import EDGE, Coordinates, Measure, hues_of
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.sections import Line, Section, lines, packet_bytes, sections, sizes
from ciphermark.workloads.surroundings import SOUND

if TYPE_CHECKING:
    from ciphermark.record.run import Context


MOST = len(theme.HUES)
"""Most suites of a protocol that are drawn: those of the highest rate, the sound ones first."""

SENDING = ("seal", "encrypt")
"""The direction that is drawn."""


def _gbit_per_second(row: Row) -> float | None:
    """Bits of the message by nanoseconds."""
    if not row.ns_per_message or row.message_bytes is None:
        return None
    return 8 * row.message_bytes / row.ns_per_message


def _interval(row: Row) -> tuple[float | None, float | None]:
    """Returns the rate's interval from that of the cycles, at the measured clock."""
    value = _gbit_per_second(row)
    extremes = (row.cycles_per_message_high, row.cycles_per_message_low)
    if value is None or row.cycles_per_message is None:
        return (None, None)
    low, high = (it and value * row.cycles_per_message / it for it in extremes)
    return (low, high)


MEASURE = Measure(
    title="payload that one core sends, Gbit/s",
    value=_gbit_per_second,
    interval=_interval,
    references={name: rate / 1e9 for name, rate in LINES.items()},
)


@dataclass(frozen=True)
class LineCoordinates(Coordinates):
    """Axes on which every rate of a line has a place."""

    @classmethod
    def around(cls, measure: Measure, points: Points) -> Self:
        tight = super().around(measure, points)
        rates = measure.references.values()
        low, high = min(tight.low, min(rates) / EDGE), max(tight.high, max(rates) * EDGE)
        return replace(tight, low=low, high=high)


@dataclass(frozen=True)
class _Named(Section):
    """Suites of one protocol."""

    name: str = ""

    @property
    def title(self) -> str:
        return f"{self.name} · {self.operation}" if self.name else super().title


def _panels(context: Context, rows: list[Row]) -> list[Panel]:
    arranged = list(_protocols(context, rows))
    points = MEASURE.points(lines(arranged))
    if not points:
        return []
    coordinates, hues = LineCoordinates.around(MEASURE, points), hues_of(arranged)
    titled = [(section.title, MEASURE.points(section.lines)) for section in arranged]
    drawn = [(title, part) for title, part in titled if part]
    return [
        over_size.panel(number, title, part, coordinates, hues)
        for number, (title, part) in enumerate(drawn)
    ]


def _protocols(context: Context, rows: list[Row]) -> Iterator[Section]:
    """Yields the fastest implementation of each suite that sends, by protocol."""
    names = set(decided_on(context, rows))
    every = [
        line
        for section in sections(context, rows, [])
        for line in section.lines
        if line.algorithm.name in names and line.operation in SENDING
    ]
    packet = packet_bytes(sizes([Section("suite", "seal", every)]))
    best: dict[str, Line] = {}
    for line in every:
        rival = best.get(line.algorithm.name)
        if rival is None or _rate(packet)(line) > _rate(packet)(rival):
            best[line.algorithm.name] = line
    grouped: dict[str, list[Line]] = {}
    for line in sorted(best.values(), key=lambda it: (not _is_sound(it), -_rate(packet)(it))):
        protocol = suite_parts(line.algorithm.name)[0] or ""
        grouped.setdefault(protocol, []).append(line)
    for protocol, alike in grouped.items():
        yield _Named(alike[0].algorithm.kind, alike[0].operation, alike[:MOST], protocol)


def _is_sound(line: Line) -> bool:
    return line.algorithm.status in SOUND


def _rate(packet: int | None) -> Callable[[Line], float]:
    """Returns the rate of a line at the compared packet; 0 if there is none."""

    def rate(line: Line) -> float:
        row = None if packet is None else line.packet_row(packet)
        return (row and _gbit_per_second(row)) or 0.0

    return rate


def chart(context: Context, rows: list[Row]) -> Chart:
    """Returns the picture of a run; empty where nothing sends."""
    return Chart(
        name="decision",
        title="What one core sends, over packet size",
        anchor="decision-chart",
        explanation="Gbit/s of payload in the sending direction: the six sound suites of each "
        "protocol that carry most, by their fastest implementations; both axes are logarithmic. A "
        "curve above a dotted line fills that line with one core. Headers take a share of a line "
        "that grows as packets shrink: the table counts it.",
        panels=_panels(context, rows),
        hint=over_size.HINT,
    )
