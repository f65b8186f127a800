"""The first screen of a run of suites: one line for each, then which to use, and what many tunnels
and the work around cipher and MAC cost.

Nothing is only here: `ciphermark show` prints every size, library, cost card and part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from ciphermark.record.case_row import key, settled
from ciphermark.show import figures
from ciphermark.show.column import WARNINGS
from ciphermark.show.frame import print_labelled, print_marks
from ciphermark.show.problems import UNSETTLED
from ciphermark.show.tables import Column, print_groups, print_left_out
from ciphermark.workloads.single.columns import has_bounds
from ciphermark.workloads.single.overview import BOUNDS_ALONE, print_first_failures
from ciphermark.workloads.single.row import Row, cycles
from ciphermark.workloads.single.sections import PACKET_BYTES
from ciphermark.workloads.suites.parts import PartsFigure
from ciphermark.workloads.surroundings import SOUND

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.record.run import Context

Size = int | str
"""Bytes of a packet, or the name of a mix."""

MOST_WHOLE = 12
"""Rows of suites that are their own first screen; of more, each suite has one line."""

ENDS = {"seal": "send", "open": "receive"}
"""What the ends of a tunnel do, by operation."""

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
    """By operation, tunnels and size."""

    def row(self, operation: str, size: Size | None = None, keys: int | None = None) -> Row | None:
        """That with packets of the compared size and one tunnel, unless others are given."""
        return self.rows.get((operation, keys or self.few, size or self.size))

    @property
    def ends(self) -> list[Row]:
        """The compared row of each end that has a figure."""
        found = (self.row(operation) for operation in ENDS)
        return [row for row in found if row is not None and row.mbytes_per_second]

    @property
    def cost(self) -> float:
        """Mean cycles of a packet over its ends; to compare suites with equal ends."""
        costs = [row.cycles_per_message or 0.0 for row in self.ends]
        return sum(costs) / len(costs)

    @property
    def protocol(self) -> str:
        return self.facts.suite.protocol if self.facts.suite else ""

    def slower_with_many(self) -> float | None:
        """How many times the cycles a packet takes with the most tunnels, at the worse end."""
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
    """Whether the rows of suites are more than a screen, all without energy, so that one line for
    each suite says what there is to say."""
    suites = {it.name for it in context.algorithms if it.suite is not None}
    line = ("algorithm", "operation", "keys", *SAME_LIBRARY)
    shown = {key(row, line) for row in rows if row.algorithm in suites}
    return len(shown) > MOST_WHOLE and not any(row.energy for row in rows)


def suite_lines(context: Context, rows: Sequence[Row]) -> list[SuiteLine]:
    """A line for each suite of a run that has a figure: by protocol, the cheapest first."""
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
    found: dict[tuple[str, int, Size], Row] = {}
    for operation in ENDS:
        own = [row for row in rows if row.operation == operation]
        compared = [row for row in own if (row.keys, row.size) == (few, size)]
        best = min(compared, key=lambda row: row.cycles_per_message or 0.0, default=None)
        if best is not None:
            library = key(best, SAME_LIBRARY)
            # Where that library was not measured with many tunnels, the fastest that was.
            own.sort(key=lambda row: (key(row, SAME_LIBRARY) == library, -_cycles(row)))
            found |= {(operation, row.keys, row.size or 0): row for row in own}
    return SuiteLine(facts, size, few, max(row.keys for row in rows), found)


def _cycles(row: Row) -> float:
    return row.cycles_per_message or 0.0


def _usual(sizes: Sequence[Size]) -> Size:
    """The largest packet that an Ethernet frame carries, else the smallest, else a mix."""
    lengths = sorted({size for size in sizes if isinstance(size, int)})
    carried = [size for size in lengths if size <= PACKET_BYTES]
    return next(reversed(carried), None) or next(iter(lengths), None) or sizes[0]


def print_overview(console: Console, context: Context, rows: list[Row]) -> None:
    """Prints a line for each suite, the marks and what failed."""
    lines = suite_lines(context, rows)
    if lines:
        columns = list(_columns(lines))
        left_out = print_groups(console, columns, [("", lines)])
        suites = [row for row in rows if ":" in row.algorithm]
        count = settled(suites)
        if count.unsettled:
            said = f"{UNSETTLED} did not settle to ±{100 * context.precision:g} %"
            counted = f"{count.unsettled} of {figures.counted(count.cases, 'case')}"
            console.print(Text(f"{said} ({counted})", style="dim"))
        print_left_out(console, left_out)
    else:
        console.print(BOUNDS_ALONE if has_bounds(rows) else "No suite has a figure.")
    print_first_failures(console, rows)
    print_marks(console)


def print_conclusion(
    console: Console, context: Context, rows: list[Row], parts: Sequence[PartsFigure]
) -> None:
    """Prints which suites to use, what many tunnels cost, and what the parts would have told;
    nothing of what was not measured."""
    lines = suite_lines(context, rows)
    said = {
        "Use": recommendation(lines),
        "Tunnels": crowding(lines),
        "Parts": around_parts(parts),
    }
    if any(said.values()):
        console.print()
    for label, sentence in said.items():
        if sentence:
            print_labelled(console, label, sentence)


def _columns(lines: Sequence[SuiteLine]) -> Iterator[Column[SuiteLine]]:
    yield Column("Gbit/s of payload,\none core", _name, left=True)
    smallest = min(
        (size for line in lines for _, _, size in line.rows if isinstance(size, int)), default=None
    )
    for operation, what in ENDS.items():
        if not any(line.row(operation) for line in lines):
            continue
        for size in dict.fromkeys((smallest, _common(lines))):
            if size is not None:
                heading = f"{what}\n{figures.message_size(size)}"
                dispensable = 3 if size != _common(lines) else 0
                yield Column(heading, _rate(operation, size), dispensable)
    if any(line.slower_with_many() for line in lines):
        many = figures.grouped(max(line.many for line in lines))
        yield Column(f"cost with\n{many} keys", _crowded, 2)
    yield Column("\nlibrary", _libraries, 1, "library", left=True)


def _common(lines: Sequence[SuiteLine]) -> Size:
    """The size at which most suites are compared."""
    sizes = [line.size for line in lines]
    return max(dict.fromkeys(sizes), key=sizes.count)


def _name(line: SuiteLine) -> Text:
    status = line.facts.status
    text = Text(line.facts.name)
    return text.append(f" {status}", WARNINGS[status]) if status in WARNINGS else text


def _rate(operation: str, size: Size) -> Callable[[SuiteLine], Text]:
    def cell(line: SuiteLine) -> Text:
        row = line.row(operation, size)
        if row is None or not row.mbytes_per_second:
            return Text("")
        if row.converged:
            return Text(figures.significant(_gbits(row)))
        half = figures.half_percent(cycles(row).share)
        return Text(f"{UNSETTLED}{figures.significant(_gbits(row))} {half}".rstrip(), "yellow")

    return cell


def _gbits(row: Row) -> float:
    return 8e-3 * (row.mbytes_per_second or 0.0)


def _crowded(line: SuiteLine) -> Text:
    ratio = line.slower_with_many()
    return Text("" if ratio is None else figures.times(ratio))


def _libraries(line: SuiteLine) -> Text:
    """Of both ends, where they are not the same."""
    return Text(", ".join(dict.fromkeys(row.provider for row in line.ends)), "dim")


def recommendation(lines: Sequence[SuiteLine]) -> str:
    """The cheapest sound suite of each protocol, with what one core carries of it, and the suite
    that costs the same within the intervals."""
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
    told = []
    for where in dict.fromkeys(map(_where, (best for best, _ in cheapest))):
        rates = "; ".join(_rates(best, alike) for best, alike in cheapest if _where(best) == where)
        told.append(f"{where}: {rates}.")
    return " ".join([*told, *(["Payload, cryptography alone."] if told else [])])


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
    ends = [[cycles(row).interval or (0.0, math.inf) for row in pair] for pair in pairs]
    return all(a[0] <= b[1] and b[0] <= a[1] for a, b in ends)


def crowding(lines: Sequence[SuiteLine]) -> str:
    """How much more a packet costs with many tunnels than with one; empty where only one number was
    measured."""
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
    """What the work around cipher and MAC costs in packets of the usual size, as what their rates
    would have promised; empty without parts."""
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
