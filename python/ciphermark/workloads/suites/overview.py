"""First screen of a run of suites: a line for each, advice, cost of many tunnels and of the work
around cipher and MAC.

Nothing is only here: `ciphermark show` prints every size, library, cost card and part.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from ciphermark.record.case_row import key, settled
from ciphermark.statistics.estimate import Estimate
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Facts, Note, Notes, Table
from ciphermark.view.column import WARNINGS, Cell, Column, of_text, of_words
from ciphermark.view.frame import MARKS_BELOW
from ciphermark.view.problems import UNSETTLED
from ciphermark.workloads.single.columns import has_bounds
from ciphermark.workloads.single.overview import BOUNDS_ALONE, MOST_FAILED
from ciphermark.workloads.single.row import Row, cycles
from ciphermark.workloads.single.sections import PACKET_BYTES
from ciphermark.workloads.suites.parts import PartsFigure
from ciphermark.workloads.surroundings import SOUND, failed

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.record.run import Context

Size = int | str
"""Bytes of a packet, or the name of a mix."""

MOST_WHOLE = 12
"""Rows of suites that are their own first screen; of more, each suite has one line."""

ENDS = {"seal": "send", "open": "receive"}
"""Work of a tunnel's ends, by operation."""

SAME_LIBRARY = ("provider", "backend_asked", "switches")


@dataclass(frozen=True)
class SuiteLine:
    """One suite, at each end by the library that is the fastest there with packets of `size`."""

    facts: contract.Algorithm
    size: Size
    few: int
    """Tunnels, each with a key of its own: the fewest that were measured,"""
    many: int
    """and the most."""
    rows: dict[tuple[str, int, Size], Row]
    """Rows by operation, tunnels and size."""

    def row(self, operation: str, size: Size | None = None, keys: int | None = None) -> Row | None:
        """Returns the row of the compared size and one tunnel, unless others are given."""
        return self.rows.get((operation, keys or self.few, size or self.size))

    @property
    def ends(self) -> list[Row]:
        """Returns the compared row of each end that has a figure."""
        compared = (self.row(operation) for operation in ENDS)
        return [row for row in compared if row is not None and row.mbytes_per_second]

    @property
    def cost(self) -> float:
        """Returns mean cycles of a packet over its ends; to compare suites with equal ends."""
        costs = [row.cycles_per_message or 0.0 for row in self.ends]
        return sum(costs) / len(costs)

    @property
    def protocol(self) -> str:
        return self.facts.suite.protocol if self.facts.suite else ""

    def slower_with_many(self) -> float | None:
        """Returns the ratio of cycles with the most tunnels to few, at the worse end."""
        ratios = [
            crowded.cycles_per_message / alone.cycles_per_message
            for operation in ENDS
            if self.many != self.few
            and (alone := self.row(operation)) is not None
            and (crowded := self.row(operation, keys=self.many)) is not None
            and alone.cycles_per_message
            and crowded.cycles_per_message
        ]
        return max(ratios, default=None)


def is_long(context: Context, rows: Sequence[Row]) -> bool:
    """Returns whether rows of suites exceed a screen and one line each suffices.

    Rows with energy need more than one line.
    """
    suites = {it.name for it in context.algorithms if it.suite is not None}
    line = ("algorithm", "operation", "keys", *SAME_LIBRARY)
    shown = {key(row, line) for row in rows if row.algorithm in suites}
    return len(shown) > MOST_WHOLE and not any(row.energy for row in rows)


def suite_lines(context: Context, rows: Sequence[Row]) -> list[SuiteLine]:
    """Returns a line for each suite with a figure: by protocol, the cheapest first."""
    suites = {it.name: it for it in context.algorithms if it.suite is not None}
    timed = [
        row
        for row in rows
        if row.algorithm in suites and row.size is not None and row.cycles_per_message
    ]
    names = dict.fromkeys(row.algorithm for row in timed)
    lines = (_line(suites[name], [it for it in timed if it.algorithm == name]) for name in names)
    known = [line for line in lines if line.ends]
    return sorted(known, key=lambda line: (line.protocol, line.cost))


def _line(facts: contract.Algorithm, rows: list[Row]) -> SuiteLine:
    few = min(row.keys for row in rows)
    size = _usual([row.size for row in rows if row.size is not None and row.keys == few])
    by_case: dict[tuple[str, int, Size], Row] = {}
    for operation in ENDS:
        own = [row for row in rows if row.operation == operation]
        compared = [row for row in own if (row.keys, row.size) == (few, size)]
        best = min(compared, key=lambda row: row.cycles_per_message or 0.0, default=None)
        if best is not None:
            library = key(best, SAME_LIBRARY)
            # Where that library was not measured with many tunnels, the fastest that was.
            own.sort(key=lambda row: (key(row, SAME_LIBRARY) == library, -_cycles(row)))
            by_case |= {(operation, row.keys, row.size or 0): row for row in own}
    return SuiteLine(facts, size, few, max(row.keys for row in rows), by_case)


def _cycles(row: Row) -> float:
    return row.cycles_per_message or 0.0


def _usual(sizes: Sequence[Size]) -> Size:
    """Returns the largest packet in an Ethernet frame, else the smallest, else a mix."""
    lengths = sorted({size for size in sizes if isinstance(size, int)})
    carried = [size for size in lengths if size <= PACKET_BYTES]
    return next(reversed(carried), None) or next(iter(lengths), None) or sizes[0]


def blocks(context: Context, rows: list[Row]) -> Iterator[Block]:
    """Yields a line for each suite, the marks and the failures."""
    lines = suite_lines(context, rows)
    if lines:
        count = settled([row for row in rows if ":" in row.algorithm])
        said = f"did not settle to ±{100 * context.precision:g} %"
        cases = f"{count.unsettled} of {figures.counted(count.cases, 'case')}"
        legend = [Note(f"{said} ({cases})", UNSETTLED)] if count.unsettled else []
        yield Table(columns=list(_columns(lines)), rows=lines, legend=legend)
    else:
        yield Notes.of([BOUNDS_ALONE if has_bounds(rows) else "No suite has a figure."])
    yield replace(failed(rows), shown=MOST_FAILED)
    yield MARKS_BELOW


def conclusion(context: Context, rows: list[Row], parts: Sequence[PartsFigure]) -> Facts:
    """Returns the advice on suites, the cost of many tunnels, and errors of the parts."""
    lines = suite_lines(context, rows)
    return Facts.of(
        {
            "Use": recommendation(lines),
            "Tunnels": crowding(lines),
            "Parts": around_parts(parts),
        }
    )


def _columns(lines: Sequence[SuiteLine]) -> Iterator[Column[SuiteLine]]:
    yield of_words(
        "", lambda it: it.facts.name, "Gbit/s of payload,\none core", kind="name", note=_warning
    )
    smallest = min(
        (size for line in lines for _, _, size in line.rows if isinstance(size, int)), default=None
    )
    for operation, what in ENDS.items():
        for size in dict.fromkeys((smallest, _common(lines))):
            if size is not None:
                heading = f"{what}\n{figures.message_size(size)}"
                dispensable = 3 if size != _common(lines) else 0
                yield Column(
                    "",
                    partial(_rate, operation, size),
                    heading,
                    mark=partial(_mark, operation, size),
                    estimate=partial(_open_estimate, operation, size),
                    dispensable=dispensable,
                )
    many = figures.grouped(max(line.many for line in lines))
    yield of_text(f"cost with\n{many} keys", _crowded, dispensable=2)
    yield of_words("", _libraries, "\nlibrary", dispensable=1, called="library")


def _common(lines: Sequence[SuiteLine]) -> Size:
    """Returns the size at which most suites are compared."""
    sizes = [line.size for line in lines]
    return max(dict.fromkeys(sizes), key=sizes.count)


def _warning(line: SuiteLine) -> str:
    status = line.facts.status
    return status if status in WARNINGS else ""


def _rate(operation: str, size: Size, line: SuiteLine) -> float | None:
    row = line.row(operation, size)
    return _gbits(row) if row is not None and row.mbytes_per_second else None


def _mark(operation: str, size: Size, line: SuiteLine) -> str:
    row = line.row(operation, size)
    return "" if row is None or row.converged else UNSETTLED


def _open_estimate(operation: str, size: Size, line: SuiteLine) -> Estimate | None:
    row = line.row(operation, size)
    return None if row is None or row.converged else cycles(row)


def _gbits(row: Row) -> float:
    return 8e-3 * (row.mbytes_per_second or 0.0)


def _crowded(line: SuiteLine) -> str:
    ratio = line.slower_with_many()
    return "" if ratio is None else figures.times(ratio)


def _libraries(line: SuiteLine) -> Cell:
    """Returns the libraries of both ends, where they are not the same."""
    return Cell(", ".join(dict.fromkeys(row.provider for row in line.ends)), mark="soft")


def recommendation(lines: Sequence[SuiteLine]) -> str:
    """Names the cheapest sound suite of each protocol, and the rate of one core.

    Also the suite that costs the same within the intervals.
    """
    cheapest, is_open = [], False
    for protocol in dict.fromkeys(line.protocol for line in lines):
        sound = [it for it in lines if it.protocol == protocol and it.facts.status in SOUND]
        most = max((len(line.ends) for line in sound), default=0)
        ordered = sorted((it for it in sound if len(it.ends) == most), key=lambda it: it.cost)
        # Without an interval a suite decides nothing: it may be the cheapest, and may not.
        known = [it for it in ordered if all(cycles(row).has_interval for row in it.ends)]
        is_open |= len(known) < len(ordered)
        if known:
            alike = [it for it in ordered if it is not known[0] and _is_alike(known[0], it)]
            cheapest.append((known[0], alike))
    if is_open and not cheapest:
        return "nothing yet: no suite has an interval; measure on a quieter machine."
    sentences = []
    for where in dict.fromkeys(map(_where, (best for best, _ in cheapest))):
        rates = "; ".join(_rates(best, alike) for best, alike in cheapest if _where(best) == where)
        sentences.append(f"{where}: {rates}.")
    return " ".join([*sentences, *(["Payload, cryptography alone."] if sentences else [])])


def _where(line: SuiteLine) -> str:
    """`One core sends and receives packets of 1500 B`."""
    size = figures.message_size(line.size)
    packets = f"packets of {size}" if isinstance(line.size, int) else f"the mix {size}"
    return f"One core {' and '.join(f'{ENDS[row.operation]}s' for row in line.ends)} {packets}"


def _rates(best: SuiteLine, alike: Sequence[SuiteLine]) -> str:
    """`esp:aes-128-gcm 50.7 and 71.8 Gbit/s`."""
    rates = " and ".join(figures.significant(_gbits(row)) for row in best.ends)
    ties = f" ({alike[0].facts.name} the same within the intervals)" if alike else ""
    return f"{best.facts.name} {rates} Gbit/s{ties}"


def _is_alike(one: SuiteLine, other: SuiteLine) -> bool:
    """Returns whether both intervals overlap at every end; a missing one may lie anywhere."""
    if one.size != other.size or len(one.ends) != len(other.ends):
        return False
    pairs = zip(one.ends, other.ends, strict=True)
    intervals = [[cycles(row).interval or (0.0, math.inf) for row in pair] for pair in pairs]
    return all(a[0] <= b[1] and b[0] <= a[1] for a, b in intervals)


def crowding(lines: Sequence[SuiteLine]) -> str:
    """Describes the extra cost of a packet with many tunnels over one.

    Empty where only one number was measured.
    """
    slower = {line.facts.name: ratio for line in lines if (ratio := line.slower_with_many())}
    if not slower:
        return ""
    worst = max(slower, key=slower.__getitem__)
    line = next(it for it in lines if it.facts.name == worst)
    return (
        f"with {figures.counted(line.many, 'key')} in use instead of {line.few} a packet of "
        f"{figures.message_size(line.size)} takes up to {figures.significant(slower[worst])} times "
        f"the cycles ({worst}): it waits for its key, and for memory."
    )


def around_parts(parts: Sequence[PartsFigure]) -> str:
    """Describes the cost of the work around cipher and MAC in usual packets.

    It is the error of the rates that the parts promise; empty without parts.
    """
    few = min((it.keys for it in parts), default=1)
    usual = [it for it in parts if it.keys == few]
    if not usual:
        return ""
    size = _usual([it.message_bytes for it in usual])
    alike = sorted((it for it in usual if it.message_bytes == size), key=lambda it: it.error)
    low, high = alike[0].error, alike[-1].error
    of = f"{alike[-1].algorithm}, {ENDS.get(alike[-1].operation, alike[-1].operation)}"
    span = f"{100 * low:+.0f} to {100 * high:+.0f} %" if len(alike) > 1 else f"{100 * high:+.0f} %"
    return (
        f"cipher and MAC measured alone and added up give a rate that is off by {span} in packets "
        f"of {figures.message_size(size)} (most: {of})."
    )
