"""What more cores bring in the three ways to use them, on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.show import figures
from ciphermark.show.frame import print_marks
from ciphermark.show.problems import FAILED, UNSETTLED
from ciphermark.show.tables import Column, print_groups, print_left_out
from ciphermark.workloads.cores.spreads import Gain, Pays, Spread, Verdict, Way
from ciphermark.workloads.packets.break_even_table import size

TITLES: dict[Way, str] = {
    "message": "One message, split",
    "flow": "One tunnel, its packets in their order",
    "tunnels": "Many tunnels",
}
STATEMENT = "GCM doubles on two cores, CBC cannot"
GAINS: dict[Gain, str] = {
    "multiplies": "×{cores}",
    "some": "less than ×{cores}",
    "nothing": "nothing",
    "unknown": "unknown",
}
METHOD = (
    "× is the rate on {cores} cores divided by that on one, with its 95 % interval. For one "
    "message the rate follows from the time from call to answer; the packets of one tunnel "
    "come from a thread of their own, one per call; with many tunnels each has its own key."
)
OPEN = f"{UNSETTLED} did not settle, and decides nothing: ciphermark doctor names the disturbances."
NOTHING = "–"


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the table."""

    spread: Spread
    pays: Pays | None


def lines(spreads: Sequence[Spread], pays: Sequence[Pays]) -> dict[Way, list[Line]]:
    """By way, at the largest size of one message, and at every size of packets."""
    from_where = {(it.algorithm, it.operation, it.provider): it for it in pays}
    largest = max((it.message_bytes for it in spreads if it.way == "message"), default=0)
    found: dict[Way, list[Line]] = {}
    for it in spreads:
        if it.way != "message" or it.message_bytes == largest:
            function = (it.algorithm, it.operation, it.provider)
            known = from_where.get(function) if it.way == "message" else None
            found.setdefault(it.way, []).append(Line(spread=it, pays=known))
    return found


def print_cores(
    console: Console, spreads: Sequence[Spread], pays: Sequence[Pays], found: Sequence[Verdict]
) -> None:
    """Prints the table, the statement asked of each way, and what the figures are."""
    cores = max((it.cores for it in spreads), default=0)
    groups = [(TITLES[way], shown) for way, shown in lines(spreads, pays).items()]
    console.print()
    left_out = print_groups(console, _columns(cores), groups)
    console.print()
    for sentence in sentences(found, cores):
        console.print(Text(sentence))
    if any(not it.settled for it in spreads):
        console.print(Text(OPEN))
    console.print(Padding(Text(METHOD.format(cores=cores), style="dim"), (0, 0, 0, 2)))
    print_left_out(console, left_out)
    print_marks(console)


def sentences(found: Sequence[Verdict], cores: int) -> list[str]:
    """The statement, and whether it holds, way by way."""
    told = [f"“{STATEMENT}”, tested on {cores} cores:"]
    for it in found:
        mark = {True: "✓", False: "✗", None: "?"}[it.holds]
        gcm, cbc = (GAINS[gain].format(cores=cores) for gain in (it.gcm, it.cbc))
        gains = f"GCM gains {gcm}, CBC encryption {cbc}"
        told.append(f"  {mark} {TITLES[it.way].lower()}: {gains}")
    return told


def _columns(cores: int) -> list[Column[Line]]:
    return [
        Column("", lambda it: Text(f"{it.spread.algorithm} {it.spread.operation}"), left=True),
        Column("by", lambda it: Text(it.spread.provider, "dim"), 2, left=True, key=True),
        Column(
            "bytes", lambda it: Text(figures.message_size(it.spread.message_bytes)), 1, key=True
        ),
        Column("MB/s\non 1", lambda it: _rate(it.spread, 0), 3, "MB/s"),
        Column(f"MB/s\non {cores}", lambda it: _rate(it.spread, 1), 3, "MB/s"),
        Column(f"{cores} cores", lambda it: _speedup(it.spread)),
        Column("95 %", lambda it: _interval(it.spread)),
        Column("pays from, or why not", _remark, left=True, below=True),
    ]


def _size(spread: Spread) -> str:
    return figures.message_size(spread.message_bytes)


def _rate(spread: Spread, side: int) -> Text:
    rate = spread.mbytes_per_second[side]
    return Text(NOTHING if rate is None else figures.significant(rate))


def _speedup(spread: Spread) -> Text:
    if spread.speedup is None:
        return Text("cannot" if spread.cannot else FAILED)
    return Text(f"{'' if spread.settled else UNSETTLED}×{spread.speedup:.2f}")


def _interval(spread: Spread) -> Text:
    if spread.low is None or spread.high is None:
        return Text("")
    return Text(f"{spread.low:.2f}–{spread.high:.2f}", style="dim")


def _remark(line: Line) -> Text:
    if line.spread.why_not is not None:
        return Text(line.spread.why_not)
    if line.pays is None:
        return Text("")
    return Text(pays_words(line.pays))


def pays_words(it: Pays) -> str:
    """`11 000 B (9 800 B to 12 300 B)`, or at all sizes, at none, or that it cannot be told."""
    short, long = map(figures.message_size, it.measured)
    match it.reach:
        case "from" if it.message_bytes is not None:
            if it.low is None and it.high is None:
                return size(it.message_bytes)
            low = "less" if it.low is None else size(it.low)
            high = "more" if it.high is None else size(it.high)
            return f"{size(it.message_bytes)} ({low} to {high})"
        case "everywhere":
            return f"{short} or less"
        case "nowhere":
            return f"not up to {long}"
        case "even":
            return "cannot be told"
        case _:
            return "at some sizes"
