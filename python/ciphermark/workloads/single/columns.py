"""The columns of figures of single messages, on a terminal, in a report and in exports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from ciphermark.statistics.estimate import Estimate
from ciphermark.view import figures
from ciphermark.view.column import WARNINGS, Column, Place, half_width, of_words, words
from ciphermark.view.problems import FAILED, UNSETTLED, cost
from ciphermark.workloads import energy
from ciphermark.workloads.single import cost_card
from ciphermark.workloads.single.cost_card import CostCard
from ciphermark.workloads.single.ratio import cycles_per_byte
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.sections import Line, Section, lines, packet_bytes, sizes

PAGE, EXPORT, TERMINAL = Place.PAGE, Place.EXPORT, Place.TERMINAL

AT_MOST = "≤"
"""Mark before an upper bound."""

COST_CARD = "cost card"
"""Name of its columns where they had to go."""

MEANING = (
    "upper bound: every sample was disturbed, so there is no figure; measure on a quieter machine"
)

RowOf = Callable[[Line], Row | None]
"""Takes from a line the row that a column is of."""


def columns(arranged: list[Section], rows: Iterable[Row]) -> Iterator[Column[Line]]:
    """Yields words, cycles per byte by size, costs of message, byte and key, throughput."""
    measured = sizes(arranged)
    packet = packet_bytes(measured)
    name: dict[str, Any] = {"kind": "name", "note": _warning}
    yield of_words("", lambda line: line.algorithm.name, "cycles/byte", places=TERMINAL, **name)
    yield of_words("Algorithm", lambda line: line.algorithm.title, places=PAGE | EXPORT, **name)
    yield of_words("Operation", lambda line: line.operation, places=PAGE)
    yield of_words("Implementation", lambda line: line.implementation, places=PAGE)
    yield of_words("Provider", lambda line: line.provider, places=EXPORT)
    yield of_words("Backend", _backend, places=EXPORT)
    yield from _of_sizes(measured, rows)
    if packet is not None:
        yield _noted_throughput(packet)
    yield from _of_card()
    yield from _of_step()
    yield _bounded(
        "cycles/key setup",
        lambda line: line.setup,
        "cycles_per_message",
        heading="cycles/\nkey setup",
        page_heading="Cost card, cycles per\nkey",
        dispensable=7,
        called="key setup",
    )
    if packet is not None:
        yield _throughput(packet)
        yield from energy.columns(_energy_at(_up_to(packet)), lines(arranged))
    yield of_words("provider", lambda line: line.provider, places=TERMINAL, key=True)
    yield of_words("called", lambda line: line.way, places=TERMINAL, at_end=True, key=True)
    yield of_words(
        "backend",
        lambda line: line.backend,
        dispensable=4,
        places=TERMINAL,
        at_end=True,
        key=_share_a_name(lines(arranged)),
    )


def _share_a_name(shown: list[Line]) -> bool:
    """Returns whether two lines differ in their backend alone."""
    names = {(line.section, line.algorithm.name, line.provider, line.way) for line in shown}
    return len(names) < len(shown)


def _warning(line: Line) -> str:
    """Returns a status that people do not expect."""
    return line.algorithm.status if line.algorithm.status in WARNINGS else ""


def _backend(line: Line) -> str:
    return " · ".join(filter(None, [line.backend, line.way]))


def _of_sizes(measured: list[int | str], rows: Iterable[Row]) -> Iterator[Column[Line]]:
    """Yields a column for each size; the least important ones are hidden first.

    The smallest, the largest and the packet stay longest. Failed cases are marked on a terminal,
    where no list of failures stands beside the table.
    """
    failed = {
        (row.algorithm, row.operation, row.provider, row.size)
        for row in rows
        if row.error is not None
    }
    for place, size in enumerate(measured):
        row_of = _at(size)

        def instead(line: Line, separator: str, size: int | str = size) -> str:
            case = (line.algorithm.name, line.operation, line.provider, size)
            row = line.by_size.get(size)
            return FAILED if row is None and case in failed else bound(row, separator)

        name, field = figures.message_size(size), "cycles_per_byte"
        telling = size in (measured[0], measured[-1], packet_bytes(measured))
        yield _bounded(
            name,
            row_of,
            field,
            dispensable=0 if telling else 5 + place % 2,
            instead=instead,
            estimate=partial(_open_estimate, row_of),
            places=TERMINAL,
        )
        yield _bounded(name, row_of, field, heading=f"cycles/byte\n{name}", places=PAGE | EXPORT)


def _at(size: int | str) -> RowOf:
    return lambda line: line.by_size.get(size)


def _up_to(packet: int) -> RowOf:
    return lambda line: line.packet_row(packet)


def _open_estimate(row_of: RowOf, line: Line) -> Estimate | None:
    """Cycles per byte of a row that did not settle; the others share the run's precision."""
    row = row_of(line)
    if row is None or row.converged or row.cycles_per_byte is None:
        return None
    return cycles_per_byte(row)


def _noted_throughput(packet: int) -> Column[Line]:
    """Returns the throughput at the largest message up to a packet, noted if smaller."""

    def note(line: Line) -> str:
        row = line.packet_row(packet)
        if row is None or row.message_bytes in (None, packet):
            return ""
        return f"at {figures.message_size(row.message_bytes)}"

    heading = f"MB/s\n{figures.message_size(packet)}"
    return _figure("", _up_to(packet), "mbytes_per_second", heading, note=note, places=PAGE)


def _throughput(packet: int) -> Column[Line]:
    """Returns the column of throughput at one size of packet."""
    size = figures.message_size(packet)
    heading = f"MB/s at\n{size}"
    return _figure(
        heading.replace("\n", " "),
        _at(packet),
        "mbytes_per_second",
        heading,
        dispensable=1,
        places=TERMINAL | EXPORT,
    )


def _energy_at(row_of: RowOf) -> Callable[[Line], energy.Energy | None]:
    def value(line: Line) -> energy.Energy | None:
        row = row_of(line)
        return None if row is None else row.energy

    return value


def _of_card() -> Iterator[Column[Line]]:
    """Yields fixed cost and cost of a byte of the longest messages, with intervals."""
    group = "Cost card, cycles per\n"

    def start(line: Line) -> str | None:
        return None if line.card is None else cost_card.start(line.card) or None

    def note(line: Line) -> str:
        above = start(line)
        return f"from {above} on" if above else ""

    def fixed(line: Line) -> Estimate | None:
        return None if line.card is None else line.card.long.fixed

    def slope(line: Line) -> Estimate | None:
        return None if line.card is None else line.card.long.slope

    def added(of_byte: Estimate, separator: str) -> str:
        text = cost(of_byte, separator)
        return text if text == FAILED else f"+ {text}"

    def slope_order(line: Line) -> float | None:
        return None if line.card is None else line.card.long.b

    def with_start(card: CostCard, separator: str) -> str:
        text, above = cost(card.long.slope, separator), cost_card.start(card)
        return f"{text} {cost_card.FROM} {above}" if above else text

    yield Column(
        "",
        start,
        f"{cost_card.FROM}\nsize",
        words,
        kind="interval",
        dispensable=8,
        called="size of the cost card",
        places=TERMINAL,
    )
    yield Column(
        "cycles/message",
        lambda line: line.card,
        "cycles/\nmessage",
        cost_card.fixed_cost,
        order=lambda line: None if line.card is None else line.card.long.a,
        note=note,
        page_heading=f"{group}message",
        dispensable=2,
        called=COST_CARD,
    )
    yield _half_width(fixed, f"{group}±")
    yield Column(
        "", slope, "+ cycles/\nbyte", added, dispensable=2, called=COST_CARD, places=TERMINAL
    )
    yield Column("", slope, f"{group}byte", cost, order=slope_order, places=PAGE)
    yield Column("+ cycles/byte", lambda line: line.card, form=with_start, places=EXPORT)
    yield _half_width(slope, f"{group}±")


def _half_width(estimate: Callable[[Line], Estimate | None], page_heading: str) -> Column[Line]:
    """Returns half of the interval of a cost; empty where it has none."""

    def width(line: Line) -> float | str | None:
        cost = estimate(line)
        if cost is None or cost.low is None or cost.high is None:
            return None if cost is None else ""
        return cost.high - cost.low

    return Column(
        "",
        estimate,
        form=cost_card.half_width,
        order=width,
        kind="interval",
        dispensable=8,
        called="± of the cost card",
        page_heading=page_heading,
        places=TERMINAL | PAGE,
    )


def _of_step() -> Iterator[Column[Line]]:
    """Yields the extra cost of a message and a byte beyond the nearest level.

    That is one key and hot buffers.
    """

    def of_message(line: Line) -> Estimate | None:
        return None if line.step is None else line.step.per_message

    def of_byte(line: Line) -> Estimate | None:
        return None if line.step is None else line.step.per_byte

    for heading, added in (("step/\nmessage", of_message), ("step/\nbyte", of_byte)):
        yield Column("", added, heading, _difference, dispensable=3, places=TERMINAL)
        yield Column(
            "",
            added,
            form=_uncertainty,
            kind="interval",
            dispensable=8,
            called="± of the step",
            places=TERMINAL,
        )


def _difference(cost: Estimate, separator: str) -> str:
    return figures.difference(cost.value, cost.half, separator)


def _uncertainty(cost: Estimate, separator: str) -> str:
    return "" if cost.half is None else half_width(cost.half, separator)


def _figure(name: str, row_of: RowOf, field: str, heading: str = "", **fields: Any) -> Column[Line]:
    """Returns a figure of one row of a line, marked where that did not settle."""

    def value(line: Line) -> float | None:
        row = row_of(line)
        return None if row is None else getattr(row, field)

    return Column(name, value, heading, **{"mark": lambda line: _unsettled(row_of(line))} | fields)


def _bounded(name: str, row_of: RowOf, field: str, **fields: Any) -> Column[Line]:
    """Returns a figure of cycles, with the upper bound where there is no figure."""
    instead = {"instead": lambda line, separator: bound(row_of(line), separator)}
    return _figure(name, row_of, field, **instead | fields)


def _unsettled(row: Row | None) -> str:
    return "" if row is None or row.converged else UNSETTLED


def bound(row: Row | None, separator: str = " ") -> str:
    """`≤ 12.1` cycles per byte, of a row without bytes per message; nothing of a row that has no
    bound."""
    if row is None:
        return ""
    value = row.cycles_per_byte_upper_bound if row.size else row.cycles_upper_bound
    if value is None:
        return ""
    return f"{AT_MOST}{separator}{figures.significant(value, separator=separator)}"


def has_bounds(rows: Iterable[Row]) -> bool:
    """Returns whether the mark occurs."""
    return any(row.cycles_upper_bound is not None for row in rows)
