"""What more cores bring, in the three ways to use them: a message split, the packets of one flow in
their order, many tunnels.

A *speed-up* is a rate on several cores over the same function's on one, of the same implementation
at the same size. Its 95 % interval comes from those of both figures (`ratio.unpaired_ratio`) or,
of tunnels, from what repeated executions differ by (Student's interval of the logarithms). The rate
of one message that is split is one over its time: its latency falls by as much.

Several cores *multiply* a function where the speed-up may be as large as their number less a
tenth. They bring *nothing* where it cannot be done, or where the interval reaches down to 1. What
has not settled is not known: who shares the machine with others would find that cores bring little.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec
import numpy as np

from ciphermark.record.case_row import ASKED, CaseRow, key
from ciphermark.statistics.crossing import Reach, crossing, is_doubtful
from ciphermark.statistics.possible import no_gain
from ciphermark.statistics.ratio import Ratio, geometric_mean
from ciphermark.workloads.single.ratio import ratio_of_packets, ratio_of_rows
from ciphermark.workloads.single.row import cycles

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow
    from ciphermark.workloads.sessions.row import SessionRow
    from ciphermark.workloads.single.row import Row

    AnyRow = Row | PacketRow | SessionRow

Way = Literal["message", "flow", "tunnels"]

Gain = Literal["multiplies", "some", "nothing", "unknown"]
"""`some`: more than on one core, and less than as many times as there are cores."""

Case = TypeVar("Case", bound=CaseRow)

FUNCTION = ("algorithm", "operation", "provider", "backend")

SHORT_OF = 0.1
"""What may lack of the number of cores for it to be called a multiple: those that share a message
wait for the last of them, and those that share packets take them from one queue."""


class Spread(msgspec.Struct, kw_only=True):
    """One function, spread in one way."""

    way: Way
    algorithm: str
    operation: str
    provider: str
    backend: str
    message_bytes: int
    cores: int
    """Several; on the other side is one."""
    speedup: float | None = None
    low: float | None = None
    high: float | None = None
    """95 % interval."""
    mbytes_per_second: tuple[float | None, float | None] = (None, None)
    """On one core and on several; MB is 10^6 bytes."""
    why_not: str | None = None
    """Reason why there is no speed-up: a function that cannot be spread so, a figure that cannot be
    true, or a fault."""
    cannot: bool = False
    """Whether the former."""
    settled: bool = True
    """Whether both figures count by their own rules: converged, valid."""

    @property
    def gain(self) -> Gain:
        """What several cores bring."""
        if self.cannot:
            return "nothing"
        if self.low is None or self.high is None or not self.settled:
            return "unknown"
        if self.high >= (1 - SHORT_OF) * self.cores:
            return "multiplies"
        return "some" if self.low > 1 else "nothing"


class Pays(msgspec.Struct, kw_only=True):
    """From which length splitting a message pays."""

    algorithm: str
    operation: str
    provider: str
    backend: str
    reach: Reach | Literal["even"]
    """`everywhere`, `nowhere`: at all measured sizes, at none; `even`: nowhere to be told."""
    message_bytes: float | None = None
    low: float | None = None
    high: float | None = None
    """95 % interval of the length; absent where it lies beyond the measured sizes."""
    measured: tuple[int, int]
    """The shortest and the longest size."""


class Verdict(msgspec.Struct, kw_only=True):
    """Whether a statement about one way holds: `GCM doubles on two cores, CBC cannot`."""

    way: Way
    holds: bool | None
    """None where one of them is not known."""
    gcm: Gain
    cbc: Gain


def message_spreads(rows: Iterable[Row], cores: int) -> list[Spread]:
    """Of rows of the workload `single`, those split over so many cores beside the whole ones."""
    return [_message(one, several, cores) for one, several in _split(rows)]


def flow_spreads(rows: Iterable[PacketRow], cores: int) -> list[Spread]:
    """Of rows of the workload `packets` those whose packets leave in their order."""
    ordered = [row for row in rows if row.delivery == "ordered"]
    sides = _sides(ordered, lambda row: row.cores == cores, lambda row: row.cores == 1)
    return [_flow(one, several, cores) for one, several in sides]


def tunnel_spreads(rows: Iterable[SessionRow], cores: int) -> list[Spread]:
    """Of rows of the workload `sessions`, each execution being one."""
    sides = _sides(rows, lambda row: row.cores == cores, lambda row: row.cores == 1)
    return [_tunnels(one, several, cores) for one, several in sides]


def pays(rows: Iterable[Row]) -> list[Pays]:
    """From where splitting pays, of each function that was split at two sizes or more."""
    functions: dict[Hashable, list[tuple[Row, Row]]] = defaultdict(list)
    for (one, *_), (several, *_) in _split(rows):
        # A row all of whose samples were disturbed has no figure.
        if all(row.error is None and row.cycles_per_message is not None for row in (one, several)):
            functions[key(one, ASKED)].append((one, several))
    return [_pays(pairs) for pairs in functions.values() if len(pairs) > 1]


def verdicts(spreads: Iterable[Spread]) -> list[Verdict]:
    """The published statement, asked of each way: GCM sealing and opening, and CBC encryption, each
    at the largest size."""
    by_way: dict[Way, list[Spread]] = defaultdict(list)
    for spread in spreads:
        by_way[spread.way].append(spread)
    return [_verdict(way, alike) for way, alike in by_way.items()]


def _verdict(way: Way, spreads: Sequence[Spread]) -> Verdict:
    largest = _largest(spreads)
    gcm = _weakest([it for it in largest if it.algorithm.endswith("-gcm")])
    encrypted = [it for it in largest if it.operation == "encrypt"]
    cbc = _weakest([it for it in encrypted if it.algorithm.endswith("-cbc")])
    holds = None if "unknown" in (gcm, cbc) else True
    if gcm in ("some", "nothing") or cbc in ("some", "multiplies"):
        holds = False
    return Verdict(way=way, holds=holds, gcm=gcm, cbc=cbc)


def _weakest(found: Sequence[Spread]) -> Gain:
    order: tuple[Gain, ...] = ("nothing", "some", "unknown", "multiplies")
    return min((it.gain for it in found), key=order.index, default="unknown")


def _largest(found: Sequence[Spread]) -> list[Spread]:
    largest: dict[Hashable, Spread] = {}
    for it in sorted(found, key=lambda it: it.message_bytes):
        largest[it.algorithm, it.operation, it.provider] = it
    return [*largest.values()]


def _split(rows: Iterable[Row]) -> list[tuple[list[Row], list[Row]]]:
    return _sides(rows, lambda row: row.offload == "split", lambda row: row.offload == "none")


def _sides(
    rows: Iterable[Case], is_several: Callable[[Case], bool], is_one: Callable[[Case], bool]
) -> list[tuple[list[Case], list[Case]]]:
    """Rows of one function and size on one core, and on several, where there are both."""
    sides: dict[Hashable, tuple[list[Case], list[Case]]] = defaultdict(lambda: ([], []))
    for row in rows:
        if row.message_bytes and (is_one(row) or is_several(row)):
            one, several = sides[key(row, (*ASKED, "message_bytes"))]
            (one if is_one(row) else several).append(row)
    return [(one, several) for one, several in sides.values() if one and several]


def _spread(
    way: Way,
    one: AnyRow,
    cores: int,
    **figures: Any,  # noqa: ANN401
) -> Spread:
    facts = {name: getattr(one, name) for name in (*FUNCTION, "message_bytes")}
    found = Spread(way=way, cores=cores, **facts | figures)
    if found.speedup is not None:
        alone, together = found.mbytes_per_second
        by_rates = together / alone if alone and together else None
        if why := no_gain(found.speedup, cores, by_rates):
            found.speedup = found.low = found.high = None
            found.why_not = why
    return found


def _failed(way: Way, rows: Iterable[AnyRow], one: AnyRow, cores: int) -> Spread | None:
    """Of the rows one that has failed or has no figures: then there is no speed-up."""
    facts: dict[str, Any] = {"mbytes_per_second": (one.mbytes_per_second, None)}
    for row in rows:
        if row.error is not None:
            facts |= {"why_not": reason(row.error.message)}
            return _spread(way, one, cores, **facts, cannot=row.error.kind == "unsupported")
        if not row.is_measured:
            return _spread(way, one, cores, **facts, why_not="not measured within the budget")
    return None


def reason(message: str) -> str:
    """The last of what an engine's message says, which is why: `not supported: … split over cores:
    each block needs the one before`."""
    return message.removeprefix("not supported: ").rpartition("split over cores: ")[2]


def _message(ones: Sequence[Row], severals: Sequence[Row], cores: int) -> Spread:
    one, several = ones[0], severals[0]
    if failed := _failed("message", (several, one), one, cores):
        return failed
    if one.cycles_per_message is None or several.cycles_per_message is None:
        return _spread("message", one, cores, why_not="all samples were disturbed")
    return _spread(
        "message",
        one,
        cores,
        **_fields(ratio_of_rows(one, several)),
        mbytes_per_second=(one.mbytes_per_second, several.mbytes_per_second),
        settled=one.converged and several.converged,
    )


def _flow(ones: Sequence[PacketRow], severals: Sequence[PacketRow], cores: int) -> Spread:
    one, several = ones[0], severals[0]
    if failed := _failed("flow", (several, one), one, cores):
        return failed
    return _spread(
        "flow",
        one,
        cores,
        # Both sides have as many packets.
        **_fields(ratio_of_packets(one, several, "processing")),
        mbytes_per_second=(one.mbytes_per_second, several.mbytes_per_second),
        settled=one.converged and several.converged,
    )


def _fields(ratio: Ratio) -> dict[str, float | None]:
    """The fields of a speed-up."""
    return {"speedup": ratio.value, "low": ratio.low, "high": ratio.high}


def _tunnels(ones: Sequence[SessionRow], severals: Sequence[SessionRow], cores: int) -> Spread:
    if failed := _failed("tunnels", (*severals, *ones), ones[0], cores):
        return failed
    sides = [[row for row in rows if row.valid] for rows in (ones, severals)]
    settled = min(map(len, sides)) >= 2
    if not settled:
        sides = [list(ones), list(severals)]
    # Executions of a round stand beside each other; those of one side alone are left out.
    rounds = list(zip(*sides, strict=False))
    ratios = [_rate(several) / _rate(one) for one, several in rounds]
    mean = geometric_mean(np.array(ratios))
    found = {"speedup": ratios[0]} if mean is None else _fields(mean)
    rates = tuple(
        _geometric([row.mbytes_per_second or 0 for row in side])
        for side in zip(*rounds, strict=True)
    )
    return _spread("tunnels", ones[0], cores, **found, mbytes_per_second=rates, settled=settled)


def _geometric(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def _rate(row: SessionRow) -> float:
    assert row.messages_per_second is not None
    return row.messages_per_second


def _pays(pairs: Iterable[tuple[Row, Row]]) -> Pays:
    pairs = sorted(pairs, key=lambda pair: _size(pair[0]))
    sizes: list[float] = [_size(one) for one, _ in pairs]
    gains = [cycles(one).minus(cycles(several)) for one, several in pairs]
    facts: dict[str, Any] = {name: getattr(pairs[0][0], name) for name in FUNCTION}
    facts["measured"] = (sizes[0], sizes[-1])
    if all(map(is_doubtful, gains)):
        return Pays(**facts, reach="even")
    found = crossing(sizes, gains)
    if found.reach == "several":
        # Near a crossing noise alone makes costs cross again.
        told = [place for place, gain in enumerate(gains) if not is_doubtful(gain)]
        found = crossing([sizes[place] for place in told], [gains[place] for place in told])
    facts |= {"message_bytes": found.message_bytes, "low": found.low, "high": found.high}
    return Pays(**facts, reach=found.reach)


def _size(row: Row) -> int:
    """Of a row that `_sides` has taken."""
    return row.message_bytes or 0
