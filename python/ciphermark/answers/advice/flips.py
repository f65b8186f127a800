"""What would change the advice: other sizes, another processor, other wishes, other code paths.

Where a library's own choice of code path is the slower one, it says what makes it take the faster.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec

from ciphermark.answers.advice.candidates import Candidate
from ciphermark.answers.advice.ranking import Load, Ranked, is_over, quotient, ranking, same
from ciphermark.answers.advice.uses import Traffic
from ciphermark.answers.capacity.suite_costs import SuiteCost, masked, one_size
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.ratio import is_above, unpaired_ratio
from ciphermark.workloads.single.code_paths import Choice, choices
from ciphermark.workloads.single.ratio import cycles_per_byte
from ciphermark.workloads.single.row import Row


class FasterPath(msgspec.Struct, kw_only=True):
    """A switch that makes a library faster in what is advised."""

    algorithm: str
    operation: str | None
    message_bytes: int | None
    """Both None where it was judged by the traffic that is asked about."""
    provider: str
    default: str
    fastest: str
    gain: float
    """Cost of the default by that of the fastest."""
    switches: dict[str, str]
    """Environment variables."""


def faster_for(traffic: Load, chosen: Ranked, rows: Sequence[Row]) -> list[FasterPath]:
    """The switches with which the library of a suite carries this very traffic cheaper, beyond the
    ratio's interval and by over 2 %, and is no slower in either direction; the best first."""
    default = chosen.cost
    parts = [it.name for it in chosen.facts.parts]
    found = []
    for cost in masked(rows, chosen.facts.name, parts):
        if cost.provider != default.provider or not traffic.knows(cost):
            continue
        before, after = traffic.packet_ns(default), traffic.packet_ns(cost)
        two_way = traffic._replace(both_ways=True)
        both_ways = two_way.packet_ns(cost), two_way.packet_ns(default)
        harmless = not is_over(*both_ways)
        if not same(before, after) and after.value < before.value and harmless:
            found.append(
                FasterPath(
                    algorithm=chosen.facts.name,
                    operation=None,
                    message_bytes=None,
                    provider=cost.provider,
                    default=default.backend,
                    fastest=cost.backend,
                    gain=before.value / after.value,
                    switches=cost.switches,
                )
            )
    return sorted(found, key=lambda it: -it.gain)[:1]


def faster_paths(rows: Sequence[Row], algorithms: Iterable[str], provider: str) -> list[FasterPath]:
    """One for each set of switches that is faster in every operation and size in which it was
    measured for these algorithms: a switch is for the whole process."""
    wanted = set(algorithms)
    found = [it for it in choices([row for row in rows if row.algorithm in wanted])]
    own = [it for it in found if it.provider == provider]
    best: dict[str, FasterPath] = {}
    for it in own:
        if it.flagged and (faster := _faster(it)) is not None:
            key = repr(sorted(faster.switches.items()))
            if _never_slower(own, faster.switches) and key not in best:
                best[key] = faster
    return sorted(best.values(), key=lambda it: -it.gain)


def _faster(it: Choice) -> FasterPath | None:
    path = it.paths[0]
    if not path.switches or it.gain is None:
        return None
    return FasterPath(
        algorithm=it.algorithm,
        operation=it.operation,
        message_bytes=it.message_bytes,
        provider=it.provider,
        default=it.default,
        fastest=path.path,
        gain=it.gain,
        switches=path.switches,
    )


def _never_slower(own: Iterable[Choice], switches: dict[str, str]) -> bool:
    for choice in own:
        default = next((it for it in choice.paths if it.default), None)
        masked = next((it for it in choice.paths if it.switches == switches), None)
        if default is None or masked is None:
            continue
        if None not in (masked.cycles_per_byte, default.cycles_per_byte):
            ratio = unpaired_ratio(cycles_per_byte(masked), None, cycles_per_byte(default), None)
            if is_above(ratio, 1.0):
                return False
    return True


AES_INSTRUCTIONS = frozenset({"aes", "vaes"})
"""As `/proc/cpuinfo` names them on x86 and on Arm; VAES does not come without."""


class Flip(msgspec.Struct, kw_only=True):
    """One change, and the best candidate then."""

    what: str
    """In words that begin a sentence: `packets of at most 90 bytes`."""
    kind: str
    """`size`, `aes`, `strength`, `compliance`, `by`."""
    name: str | None
    """The best then; None where there is none."""
    title: str | None
    changes: bool
    """Whether it is another than now."""
    ratio: Estimate | None = None
    """Cost of today's advice by that of the best then."""
    why: str = ""
    """Where there is none, or what was compared."""
    option: str = ""
    """What to type to ask for it."""


def by_size(ranked: Sequence[Ranked], load: Load) -> list[Flip]:
    """The sizes at which another of the candidates is the cheapest, between the measured ones."""
    if not ranked or load.by == "latency":
        return []
    with_sizes = [it for it in ranked if it.cost.sizes()]
    if not with_sizes or with_sizes[0] is not ranked[0]:
        return []
    sizes = sorted(set.intersection(*(set(it.cost.sizes()) for it in with_sizes)))
    stretches = _stretches(sizes, [_cheapest(with_sizes, size, load) for size in sizes])
    found = []
    for place, (winner, low, high) in enumerate(stretches):
        if winner is ranked[0]:
            continue
        start, end = _edges(stretches, place, load)
        if (start or 0) <= load.traffic.mean_bytes <= (end or math.inf):
            continue  # what is asked about was judged with all that is known of it
        # Where the advice loses most of those sizes.
        size = max(
            (it for it in sizes if low <= it <= high),
            key=lambda it: _loss(winner, ranked[0], it, load),
        )
        best, mine = _at(winner.cost, size, load), _at(ranked[0].cost, size, load)
        found.append(
            Flip(
                what=_words(start, end, sizes),
                kind="size",
                name=winner.facts.name,
                title=winner.facts.title,
                changes=True,
                ratio=quotient(mine, best),
                why=f"at {size} bytes",
                option=f"--sizes {size}",
            )
        )
    return found


def without_aes(
    them: Sequence[Candidate],
    masked: dict[str, list[SuiteCost]],
    ranked: Sequence[Ranked],
    load: Load,
) -> Flip | None:
    """The best by code paths that were seen to use no AES instructions; None where that was
    not looked at, or where the advice uses none itself."""
    if not ranked or not ranked[0].cost.features & AES_INSTRUCTIONS:
        return None
    left = []
    for it in them:
        costs = [*it.costs, *masked.get(it.facts.name, [])]
        plain = tuple(
            cost for cost in costs if cost.features and not cost.features & AES_INSTRUCTIONS
        )
        if plain:
            left.append(it._replace(costs=plain))
    if not any(it.facts.name == ranked[0].facts.name for it in left):
        return None
    found = ranking(left, load)
    if not found:
        return None
    mine = next((it for it in found if it.facts.name == ranked[0].facts.name), None)
    return Flip(
        what="without AES instructions",
        kind="aes",
        name=found[0].facts.name,
        title=found[0].facts.title,
        changes=found[0].facts.name != ranked[0].facts.name,
        ratio=None if mine is None else quotient(mine.ns, found[0].ns),
        why="by code paths without AES instructions, on this processor",
    )


def otherwise(
    what: str, kind: str, option: str, then: Sequence[Ranked], now: Ranked, why: str = ""
) -> Flip:
    """The best under other wishes."""
    if not then:
        return Flip(
            what=what,
            kind=kind,
            name=None,
            title=None,
            changes=True,
            why=why or "nothing is left",
            option=option,
        )
    best = then[0]
    other = best.facts.name != now.facts.name
    return Flip(
        what=what,
        kind=kind,
        name=best.facts.name,
        title=best.facts.title,
        changes=other,
        ratio=quotient(best.ns, now.ns) if other and kind != "by" else None,
        why=why,
        option=option,
    )


def _at(cost: SuiteCost, size: int, load: Load) -> Estimate:
    one = load._replace(traffic=Traffic("", "", ((size, 1.0),), one_size(size)), profile=None)
    return one.packet_ns(cost)


def _cheapest(them: Sequence[Ranked], size: int, load: Load) -> Ranked:
    """At one size; the advice itself where the difference to it is noise."""
    costs = [(it, _at(it.cost, size, load)) for it in them]
    best, ns = min(costs, key=lambda it: it[1].value)
    return them[0] if same(ns, costs[0][1]) else best


Stretch = tuple[Ranked, int, int]
"""The cheapest, and the first and last of the measured sizes at which it is."""


def _stretches(sizes: Sequence[int], winners: Sequence[Ranked]) -> list[Stretch]:
    found: list[Stretch] = []
    for size, winner in zip(sizes, winners, strict=True):
        if found and found[-1][0] is winner:
            found[-1] = (winner, found[-1][1], size)
        else:
            found.append((winner, size, size))
    return found


def _loss(winner: Ranked, mine: Ranked, size: int, load: Load) -> float:
    return _at(mine.cost, size, load).value / _at(winner.cost, size, load).value


def _edges(stretches: Sequence[Stretch], place: int, load: Load) -> tuple[int | None, int | None]:
    """Where one begins and ends to be cheaper than those before and after it, between measured
    sizes; None at the ends of what was measured."""
    winner, low, high = stretches[place]
    start = end = None
    if place > 0:
        before, _, last = stretches[place - 1]
        start = _crossing(last, low, winner, before, load)
    if place + 1 < len(stretches):
        after, first, _ = stretches[place + 1]
        end = _crossing(first, high, winner, after, load)
    return start, end


def _crossing(outside: int, inside: int, winner: Ranked, other: Ranked, load: Load) -> int:
    """The size nearest to `outside` at which the winner still costs less than the other."""
    while abs(outside - inside) > 1:
        middle = (outside + inside) // 2
        wins = _at(winner.cost, middle, load).value < _at(other.cost, middle, load).value
        outside, inside = (outside, middle) if wins else (middle, inside)
    return inside


def _words(start: int | None, end: int | None, sizes: Sequence[int]) -> str:
    if start is None and end is None:
        return f"messages of {sizes[0]} to {sizes[-1]} bytes"
    if start is None:
        return f"messages of at most {end} bytes"
    if end is None:
        return f"messages of at least {start} bytes"
    return f"messages of {start} to {end} bytes"
