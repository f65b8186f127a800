"""First screen of a long survey: one line per algorithm, then advice and oddities.

Nothing is only here: `ciphermark show` prints every implementation, size and cost card.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from ciphermark.record.case_row import CALLING, key, settled
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.ratio import Ratio
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Facts, Note, Notes, Table
from ciphermark.view.column import WARNINGS, Cell, Column, of_text, of_words
from ciphermark.view.frame import MARKS_BELOW
from ciphermark.view.problems import FAILED, TIE, UNSETTLED
from ciphermark.workloads.single.code_paths import Choice
from ciphermark.workloads.single.columns import AT_MOST, MEANING, bound, has_bounds
from ciphermark.workloads.single.left_behind import LeftBehind
from ciphermark.workloads.single.left_behind import sentence as what_is_left
from ciphermark.workloads.single.matrix import matrices
from ciphermark.workloads.single.ratio import Paired, cycles_per_byte
from ciphermark.workloads.single.row import Row, clock_of_rates
from ciphermark.workloads.single.sections import KINDS, OPERATIONS, PACKET_BYTES, lines, sections
from ciphermark.workloads.surroundings import SOUND, failed

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.record.run import Context
    from ciphermark.workloads.single.cost_card import CostCard

MOST_WHOLE = 24
"""Lines of a table that is its own first screen; above, there is one line per algorithm."""

MEASURE = "openssl"
"""The library that others are compared with: the one that most machines have."""

MOST_FAILED = 3
"""Failures that are named; `ciphermark show` names all."""

FOR = {"aead": "to encrypt and authenticate", "mac": "as MAC", "hash": "as hash"}
"""Purposes of kinds, in the order in which they are mentioned."""

NAMED_TIES = 2
"""Number of ties that are named, so that each algorithm has one line."""

SCALAR = "scalar"
"""The code path of code without any vector or cryptographic instruction."""

MOST_SCALAR = 3
"""Libraries with such code that are named."""


@dataclass(frozen=True)
class Leader:
    """The fastest implementation of an algorithm, as its library calls it by itself."""

    algorithm: contract.Algorithm
    operation: str
    best: Row
    """Row of the message at which the libraries are compared."""
    by_size: dict[int, Row]
    """Rows of one implementation at each size."""
    ties: list[Row]
    """Rows of other libraries within the interval of the best; the fastest first."""
    openssl: Row | None
    times_openssl: float | None
    """OpenSSL's cycles by those of the fastest; None where either has no figure."""
    rivals: list[Row]
    """Rows of all libraries that have a figure."""


def is_long(context: Context, rows: list[Row], cards: list[CostCard]) -> bool:
    """Returns whether a run is longer than a screen and one line per algorithm suffices.

    This needs rows that are all called alike and of single functions.
    """
    suites = {it.name for it in context.algorithms if it.suite is not None}
    measured = [row for row in rows if row.message_bytes is not None]
    if len({key(row, CALLING) for row in rows}) > 1 or not measured:
        return False
    if any(row.algorithm in suites or row.profile is not None for row in rows):
        return False
    return len(lines(sections(context, rows, cards))) > MOST_WHOLE


def leaders(context: Context, rows: list[Row], ratio: Paired) -> list[Leader]:
    """Returns the fastest of each algorithm with a figure, by kind in plan order.

    Libraries are compared at a message of up to a packet, by the operations of a sender.
    """
    facts = {it.name: it for it in context.algorithms}
    order = list(KINDS)
    names = dict.fromkeys(row.algorithm for row in rows)
    leading = (_leader(facts[name], rows, ratio) for name in names)
    known = [it for it in leading if it is not None]
    return sorted(known, key=lambda it: order.index(it.algorithm.kind))


def _leader(algorithm: contract.Algorithm, rows: list[Row], ratio: Paired) -> Leader | None:
    own = [
        row
        for row in rows
        if row.algorithm == algorithm.name and row.message_bytes and row.error is None
    ]
    own.sort(key=lambda row: OPERATIONS.index(row.operation))
    operation = next((row.operation for row in own if row.cycles_per_byte is not None), None)
    own = [row for row in own if row.operation == operation]
    at = _compared_at(own)
    [*matrices_of_size] = matrices([row for row in own if row.message_bytes == at], ratio)
    if not matrices_of_size:
        return None
    entries = matrices_of_size[0].cells[algorithm.name]
    rivals = sorted(
        (it.row for it in entries.values() if it.row.cycles_per_message is not None),
        key=lambda row: row.cycles_per_message or 0.0,
    )
    if not rivals:
        return None
    best = rivals[0]
    ties = [row for row in rivals[1:] if entries[row.provider].standing == "tie"]
    openssl = next((row for row in rivals if row.provider == MEASURE), None)
    same = ("provider", "backend_asked", "switches")
    return Leader(
        algorithm=algorithm,
        operation=best.operation,
        best=best,
        by_size={row.message_bytes or 0: row for row in own if key(row, same) == key(best, same)},
        ties=ties,
        openssl=openssl,
        times_openssl=None if openssl is None else _times(openssl, best, ratio),
        rivals=rivals,
    )


def _compared_at(rows: list[Row]) -> int | None:
    """Returns the largest message up to a packet with enough converged rows.

    Enough is half as many as at any size: where the budget had no room for a size, hardly one has
    converged.
    """
    sizes = {size for row in rows if (size := row.message_bytes)}
    compared = {size for size in sizes if size <= PACKET_BYTES} or sizes
    settled = Counter(row.message_bytes for row in rows if row.converged)
    most = max((settled[size] for size in compared), default=0)
    return max((size for size in compared if 2 * settled[size] >= most), default=None)


def _times(row: Row, best: Row, ratio: Paired) -> float | None:
    if row is best:
        return 1.0
    to_best = ratio(row, best)
    return to_best.value if isinstance(to_best, Ratio) else None


BOUNDS_ALONE = (
    "No case has a figure: every sample was disturbed by other work on this core. `ciphermark show "
    "last` has upper bounds; measure again on a quieter machine."
)


def blocks(
    context: Context,
    rows: list[Row],
    found: list[Leader],
    odd: Sequence[str],
    since: str | None,
) -> Iterator[Block]:
    """Yields a line for each leader, the failures, and the conclusion.

    The conclusion has the advice, the `odd` findings, and the changes `since` the run before.
    """
    if found:
        yield Table(
            columns=list(_columns(found)), rows=found, legend=[*_legend(context, rows, found)]
        )
    else:
        yield Notes.of([BOUNDS_ALONE if has_bounds(rows) else "No case has a figure."])
    yield replace(failed(rows), shown=MOST_FAILED)
    yield MARKS_BELOW
    conclusion = {
        "Use": recommendation(found),
        "Odd": f"{'; '.join(odd)}." if odd else "",
        "Changed": since or "",
    }
    yield Facts.of(conclusion)


def _sizes(found: list[Leader]) -> list[int]:
    """Returns the smallest message, the one that libraries are compared at, and the largest."""
    measured = sorted({size for leader in found for size in leader.by_size})
    packets = [size for size in measured if size <= PACKET_BYTES]
    telling = {*measured[:1], *packets[-1:], *measured[-1:]}
    return [size for size in measured if size in telling]


def _compared(sizes: list[int]) -> int:
    return max((size for size in sizes if size <= PACKET_BYTES), default=sizes[0])


def _columns(found: list[Leader]) -> Iterator[Column[Leader]]:
    sizes = _sizes(found)
    at = _compared(sizes)
    yield of_words("", partial(_name, at), "\ncycles/byte", kind="name", note=_note)
    for size in sizes:
        row_of = partial(_row, size, size == at)
        yield Column(
            "",
            partial(_cycles, row_of),
            f"\n{figures.message_size(size)}",
            mark=partial(_mark, row_of),
            estimate=partial(_open_estimate, row_of),
            instead=partial(_instead, row_of),
            dispensable=0 if size == at else 4 if size > at else 5,
            called=figures.message_size(size),
        )
    yield of_text(f"MB/s at\n{figures.message_size(at)}", _throughput, dispensable=1)
    if any(leader.times_openssl is not None for leader in found):
        yield of_text("times\nOpenSSL", _openssl, dispensable=3, called="times OpenSSL")
    yield of_words("", lambda leader: leader.best.provider, "best\nlibrary", key=True)
    yield of_words("", _path, "\ncode path", dispensable=2, called="code path")
    yield of_words("", _ties, f"ties\n{TIE}", dispensable=6, called="ties")


def _name(compared: int, leader: Leader) -> str:
    """Returns the algorithm, with its message size where that is not the compared one."""
    size = leader.best.message_bytes
    at = "" if size in (None, compared) else f" at {figures.message_size(size or 0)}"
    return f"{leader.algorithm.name}{at}"


def _note(leader: Leader) -> str:
    status = leader.algorithm.status
    return status if status in WARNINGS else ""


RowOf = Callable[[Leader], Row | None]


def _row(size: int, is_compared: bool, leader: Leader) -> Row | None:
    return leader.best if is_compared else leader.by_size.get(size)


def _cycles(row_of: RowOf, leader: Leader) -> float | None:
    row = row_of(leader)
    return None if row is None else row.cycles_per_byte


def _mark(row_of: RowOf, leader: Leader) -> str:
    row = row_of(leader)
    return "" if row is None or row.converged else UNSETTLED


def _open_estimate(row_of: RowOf, leader: Leader) -> Estimate | None:
    row = row_of(leader)
    if row is None or row.converged or row.cycles_per_byte is None:
        return None
    return cycles_per_byte(row)


def _instead(row_of: RowOf, leader: Leader, separator: str) -> str:
    row = row_of(leader)
    return "" if row is None else bound(row, separator) or FAILED


def _throughput(leader: Leader) -> str | Cell:
    value = leader.best.mbytes_per_second
    return "" if value is None else _figure(leader.best, value)


def _figure(row: Row, value: float) -> Cell:
    if row.converged:
        return Cell(figures.significant(value))
    return Cell(f"{UNSETTLED}{figures.significant(value)}", mark="unsettled")


def _openssl(leader: Leader) -> str | Cell:
    if leader.times_openssl is None:
        return Cell("–", mark="soft")
    if leader.best is leader.openssl:
        return "1"
    mark = TIE if leader.openssl in leader.ties else ""
    return f"{mark}{figures.significant(leader.times_openssl)}"


def _path(leader: Leader) -> Cell:
    """Returns a long code path by its first part and its last: `vaes…avx512`."""
    parts = leader.best.backend.split("-")
    text = f"{parts[0]}…{parts[-1]}" if len(parts) > 2 else leader.best.backend
    return Cell(text, mark="soft")


def _ties(leader: Leader) -> str:
    """Formats the first ties and the number of the others: `nettle, botan +3`."""
    names = ", ".join(row.provider for row in leader.ties[:NAMED_TIES])
    more = len(leader.ties) - NAMED_TIES
    return f"{names} +{more}" if more > 0 else names


def _legend(context: Context, rows: list[Row], found: list[Leader]) -> Iterator[Note]:
    count = settled(rows)
    if count.unsettled:
        cases = f"{count.unsettled} of {figures.counted(count.cases, 'case')}"
        yield Note(f"{cases} did not settle to ±{100 * context.precision:g} %", UNSETTLED)
    if any(leader.ties for leader in found):
        yield Note("cannot be distinguished from the best", TIE)
    if has_bounds(rows):
        yield Note(MEANING, AT_MOST)
    if clock := clock_of_rates(rows):
        yield Note(clock)


def recommendation(found: Sequence[Leader]) -> str:
    """Names the cheapest sound algorithm of each kind that people choose from.

    The sentence has the library, the code path and the speed. A figure without an interval decides
    nothing, and is named where it seems cheaper.
    """
    chosen, cheaper, is_open = [], [], False
    for kind, purpose in FOR.items():
        sound = [it for it in found if it.algorithm.kind == kind and it.algorithm.status in SOUND]
        known = [it for it in sound if it.best.cycles_per_message_low is not None]
        is_open |= len(known) < len(sound)
        if known:
            it = min(known, key=_cost)
            cheapest = min(sound, key=_cost)
            if _cost(cheapest) < _cost(it):
                cheaper.append(cheapest.algorithm.name)
            libraries = " or ".join(row.provider for row in [it.best, *it.ties[:1]])
            chosen.append(f"{it.algorithm.name} by {libraries} {purpose} ({_how(it.best)})")
    if is_open and not chosen:
        return "nothing yet: no figure of these has an interval; measure on a quieter machine."
    if not chosen:
        return ""
    said = f"{_listed(chosen)}."
    if len(cheaper) == 1:
        said += f" {cheaper[0]} seems cheaper, but its figure has no interval yet."
    elif cheaper:
        said += f" {_listed(cheaper)} seem cheaper, but their figures have no interval yet."
    return said


def _cost(it: Leader) -> float:
    return it.best.cycles_per_byte or math.inf


def _how(row: Row) -> str:
    speed = row.mbytes_per_second
    return row.backend + ("" if speed is None else f", {figures.significant(speed)} MB/s")


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def oddities(
    found: Sequence[Leader], choices: Sequence[Choice], left: Sequence[LeftBehind]
) -> list[str]:
    """Returns unexpected findings, a clause each.

    They are libraries that do not take the fastest of their own code paths, states that functions
    leave behind, and plain code where the processor has instructions.
    """
    return [*_slow_paths(choices), *_left_behind(left), *_scalar_code(found)]


def _slow_paths(choices: Sequence[Choice]) -> Iterator[str]:
    flagged = [it for it in choices if it.flagged]
    if flagged:
        it = max(flagged, key=lambda it: it.gain or 0.0)
        functions = {(one.provider, one.algorithm) for one in flagged}
        others = _others(len(functions) - 1, "list implementations")
        yield (
            f"{it.provider} takes {it.default} for {it.algorithm}, and its own {it.fastest} is "
            f"{it.gain:.2f} times as fast{others}"
        )


def _left_behind(left: Sequence[LeftBehind]) -> Iterator[str]:
    if left:
        yield f"{what_is_left(left[0])}{_others(len(left) - 1, 'show last')}"


def _others(count: int, command: str) -> str:
    return f" (and {count} more: ciphermark {command})" if count > 0 else ""


def _scalar_code(found: Sequence[Leader]) -> Iterator[str]:
    """Libraries that compute without the instructions by which another one is the fastest."""
    count = Counter(
        row.provider
        for it in found
        if it.best.backend != SCALAR and it.best.features
        for row in it.rivals
        if row.backend == SCALAR and row not in it.ties
    )
    if count:
        named = [f"{name} ({number})" for name, number in count.most_common(MOST_SCALAR)]
        named[0] = named[0].replace(")", " algorithms)") if count.total() > 1 else named[0]
        more = len(count) - MOST_SCALAR
        also = [f"{more} more libraries"] if more > 0 else []
        yield (
            f"{_listed([*named, *also])} {'run' if len(count) > 1 else 'runs'} plain code where "
            "the fastest library uses the processor's instructions"
        )
