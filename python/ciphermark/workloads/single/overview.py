"""The first screen of a long survey: one line per algorithm, then what to use here and what is odd.

Nothing is only here: `ciphermark show` prints every implementation, size and cost card.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from ciphermark.record.case_row import CALLING, key, settled
from ciphermark.show import figures
from ciphermark.show.column import WARNINGS
from ciphermark.show.frame import print_labelled, print_marks, print_sentences
from ciphermark.show.problems import FAILED, TIE, UNSETTLED, failures
from ciphermark.show.tables import Column, Groups, fits, print_groups, print_left_out
from ciphermark.statistics.ratio import Ratio
from ciphermark.workloads.single.code_paths import Choice
from ciphermark.workloads.single.columns import AT_MOST, MEANING, bound, has_bounds
from ciphermark.workloads.single.left_behind import LeftBehind
from ciphermark.workloads.single.left_behind import sentence as what_is_left
from ciphermark.workloads.single.matrix import matrices
from ciphermark.workloads.single.ratio import Paired, cycles_per_byte
from ciphermark.workloads.single.row import Row, clock_of_rates
from ciphermark.workloads.single.sections import KINDS, OPERATIONS, PACKET_BYTES, lines, sections
from ciphermark.workloads.surroundings import SOUND

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
"""What a kind is used for, in the order in which it is said."""

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
    """Of the message at which the libraries are compared."""
    by_size: dict[int, Row]
    """Rows of one implementation at each size."""
    ties: list[Row]
    """Of other libraries, whose difference to it is within the interval; the fastest first."""
    openssl: Row | None
    times_openssl: float | None
    """OpenSSL's cycles by those of the fastest; None where either has no figure."""
    rivals: list[Row]
    """Of every library, that has a figure."""


def is_long(context: Context, rows: list[Row], cards: list[CostCard]) -> bool:
    """Whether a run has more lines than a screen, all called alike and of single functions, so that
    one line per algorithm says what there is to say."""
    suites = {it.name for it in context.algorithms if it.suite is not None}
    measured = [row for row in rows if row.message_bytes is not None]
    if len({key(row, CALLING) for row in rows}) > 1 or not measured:
        return False
    if any(row.algorithm in suites or row.profile is not None for row in rows):
        return False
    return len(lines(sections(context, rows, cards))) > MOST_WHOLE


def leaders(context: Context, rows: list[Row], ratio: Paired) -> list[Leader]:
    """The fastest of each algorithm that has a figure, by kind in the order of the plan. Libraries
    are compared at a message of up to a packet, by what a sender does."""
    facts = {it.name: it for it in context.algorithms}
    order = list(KINDS)
    names = dict.fromkeys(row.algorithm for row in rows)
    found = (_leader(facts[name], rows, ratio) for name in names)
    known = [it for it in found if it is not None]
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
    [*found] = matrices([row for row in own if row.message_bytes == at], ratio)
    if not found:
        return None
    entries = found[0].cells[algorithm.name]
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
    """The largest message up to a packet, of those at which half as many rows have converged as at
    any: where the budget had no room for a size, hardly one has."""
    sizes = {size for row in rows if (size := row.message_bytes)}
    compared = {size for size in sizes if size <= PACKET_BYTES} or sizes
    settled = Counter(row.message_bytes for row in rows if row.converged)
    most = max((settled[size] for size in compared), default=0)
    return max((size for size in compared if 2 * settled[size] >= most), default=None)


def _times(row: Row, best: Row, ratio: Paired) -> float | None:
    if row is best:
        return 1.0
    found = ratio(row, best)
    return found.value if isinstance(found, Ratio) else None


def print_overview(
    console: Console,
    context: Context,
    rows: list[Row],
    found: list[Leader],
    odd: Sequence[str],
    since: str | None,
) -> None:
    """Prints a line for each leader, the marks, what failed, and the conclusion: what to use, what
    is `odd`, and what changed `since` the run before."""
    if found:
        sizes = _sizes(found)
        left_out = _print_table(console, found, sizes)
        _print_marks(console, context, rows, found)
        print_left_out(console, left_out)
    else:
        console.print(BOUNDS_ALONE if has_bounds(rows) else "No case has a figure.")
    print_first_failures(console, rows)
    print_marks(console)
    console.print()
    if advice := recommendation(found):
        print_labelled(console, "Use", advice)
    if odd:
        print_labelled(console, "Odd", f"{'; '.join(odd)}.")
    if since:
        print_labelled(console, "Changed", since)


BOUNDS_ALONE = (
    "No case has a figure: every sample was disturbed by other work on this core. `ciphermark show "
    "last` has upper bounds; measure again on a quieter machine."
)


def _sizes(found: list[Leader]) -> list[int]:
    """The smallest message, the one that libraries are compared at, and the largest."""
    measured = sorted({size for it in found for size in it.by_size})
    packets = [size for size in measured if size <= PACKET_BYTES]
    telling = {*measured[:1], *packets[-1:], *measured[-1:]}
    return [size for size in measured if size in telling]


def _compared(sizes: list[int]) -> int:
    return max((size for size in sizes if size <= PACKET_BYTES), default=sizes[0])


def _print_table(console: Console, found: list[Leader], sizes: list[int]) -> list[Column[Leader]]:
    """With the names of ties where the terminal has room for them, else with their number; on a
    narrow one library and code path share a column, and the largest message goes first; on one that
    has no room for both, the code path goes."""
    groups: Groups[Leader] = [("", found)]
    whole = list(_columns(found, sizes, _count))
    for columns in (list(_columns(found, sizes, _names)), whole):
        if fits(columns, found, console.width):
            return print_groups(console, columns, groups)
    narrow = list(_columns(found, sizes, _count, is_narrow=True))
    least = [it for it in narrow if not it.dispensable]
    shown = narrow if fits(least, found, console.width) else whole
    return print_groups(console, shown, groups)


def _columns(
    found: list[Leader],
    sizes: list[int],
    ties: Callable[[Leader], str],
    *,
    is_narrow: bool = False,
) -> Iterator[Column[Leader]]:
    at = _compared(sizes)
    for place, size in enumerate(sizes):
        if place == 0:
            yield Column("\ncycles/byte", _name(at), left=True)
        yield Column(
            f"\n{figures.message_size(size)}",
            _cycles(size, size == at),
            0 if size == at else 3 if size > at else 2,
            figures.message_size(size),
        )
    yield Column(f"MB/s at\n{figures.message_size(at)}", _throughput, 1)
    if any(it.times_openssl is not None for it in found):
        yield Column("times\nOpenSSL", _openssl, 3, "times OpenSSL")
    if is_narrow:
        yield Column("best library,\ncode path", _library_and_path, left=True)
    else:
        yield Column("best\nlibrary", lambda it: Text(it.best.provider), left=True)
        yield Column(
            "\ncode path", lambda it: Text(it.best.backend, "dim"), 4, "code path", left=True
        )
    if any(it.ties for it in found):
        yield Column(f"ties\n{TIE}", lambda it: Text(ties(it)), left=True)


def _name(compared: int) -> Callable[[Leader], Text]:
    """The algorithm, and the size of its message where that is not the one of the heading."""

    def cell(it: Leader) -> Text:
        text, status = Text(it.algorithm.name), it.algorithm.status
        if it.best.message_bytes not in (None, compared):
            text.append(f" at {figures.message_size(it.best.message_bytes)}", "dim")
        return text.append(f" {status}", WARNINGS[status]) if status in WARNINGS else text

    return cell


def _cycles(size: int, is_compared: bool) -> Callable[[Leader], Text]:
    """Returns the cell of cycles at this size, or at that of a comparison of libraries."""

    def cell(it: Leader) -> Text:
        row = it.best if is_compared else it.by_size.get(size)
        if row is None:
            return Text("")
        if row.cycles_per_byte is None:
            return Text(bound(row) or FAILED, "dim")
        text = _figure(row, row.cycles_per_byte)
        if not row.converged:
            text.append(f" {figures.half_percent(cycles_per_byte(row).share)}".rstrip())
        return text

    return cell


def _throughput(it: Leader) -> Text:
    value = it.best.mbytes_per_second
    return Text("") if value is None else _figure(it.best, value)


def _figure(row: Row, value: float) -> Text:
    if row.converged:
        return Text(figures.significant(value))
    return Text(f"{UNSETTLED}{figures.significant(value)}", "yellow")


def _openssl(it: Leader) -> Text:
    if it.times_openssl is None:
        return Text("–", "dim")
    if it.best is it.openssl:
        return Text("1")
    mark = TIE if it.openssl in it.ties else ""
    return Text(f"{mark}{figures.significant(it.times_openssl)}")


def _library_and_path(it: Leader) -> Text:
    return Text.assemble(it.best.provider, " ", (_folded(it.best.backend), "dim"))


def _folded(path: str) -> str:
    """A long code path by its first part and its last: `vaes…avx512`."""
    parts = path.split("-")
    return f"{parts[0]}…{parts[-1]}" if len(parts) > 2 else path


def _names(it: Leader) -> str:
    return ", ".join(row.provider for row in it.ties)


def _count(it: Leader) -> str:
    return f"+{len(it.ties)}" if it.ties else ""


def _print_marks(console: Console, context: Context, rows: list[Row], found: list[Leader]) -> None:
    """Those that occur, each with what it means, in one paragraph."""
    marks = []
    count = settled(rows)
    if count.unsettled:
        said = f"did not settle to ±{100 * context.precision:g} %"
        cases = figures.counted(count.cases, "case")
        marks.append(f"{UNSETTLED} {said} ({count.unsettled} of {cases})")
    if any(it.ties for it in found):
        marks.append(f"{TIE} cannot be distinguished from the best")
    if has_bounds(rows):
        marks.append(f"{AT_MOST} {MEANING}")
    console.print(Text("; ".join(filter(None, [*marks, clock_of_rates(rows)])), style="dim"))


def print_first_failures(console: Console, rows: list[Row]) -> None:
    """The first of the cases that failed and why; nothing when none did."""
    found = failures(rows)
    if not found:
        return
    cases = sum(len(problem.rows) for problem in found)
    console.print(Text(f"{FAILED} {figures.counted(cases, 'case')} failed", style="bold red"))
    print_sentences(console, (f"{it.what}: {it.why}" for it in found[:MOST_FAILED]))
    if len(found) > MOST_FAILED:
        print_sentences(console, [f"and {len(found) - MOST_FAILED} more: ciphermark show last"])


def recommendation(found: Sequence[Leader]) -> str:
    """The cheapest sound algorithm of each kind that people choose from, in one sentence: by which
    library, on which code path, how fast. What has no interval decides nothing, and is named where
    it seems cheaper."""
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
    """What is not as one expects it, a clause each: libraries that do not take the fastest of their
    own code paths, states that functions leave behind, and plain code for what the processor has
    instructions for."""
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
