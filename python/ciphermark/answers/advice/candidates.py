"""Candidates: what can be used, what it costs, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import combinations
from typing import NamedTuple

import msgspec

from ciphermark.answers.advice.facts import FORGERY, Facts, Known, Part, facts
from ciphermark.answers.advice.uses import KEYED, Truncated, Use, Wishes
from ciphermark.answers.capacity.suite_costs import SuiteCost, by_library, from_parts, whole
from ciphermark.answers.models.observations import Footprint
from ciphermark.statistics.estimate import complete
from ciphermark.workloads.single.row import Row


class Candidate(NamedTuple):
    """A suite or algorithm with its implementations, in no order; none where none was measured."""

    facts: Facts
    costs: tuple[SuiteCost, ...]
    cut_source: str = ""
    """Why its tag may be shorter than the function's whole one."""


def candidates(
    use: Use,
    known: Known,
    rows: Sequence[Row],
    wishes: Wishes,
    more: Iterable[str] = (),
    memory: Mapping[str, Footprint] = {},
) -> list[Candidate]:
    """Returns those of a use and those named besides; `memory` is that of algorithms and suites
    on a node."""
    found = []
    for name in dict.fromkeys([*_names(use, known, rows), *more]):
        it = facts(name, use, known)
        if it is not None:
            costed = costs(use, it, rows)
            if memory:
                costed = [_with_memory(cost, it, memory) for cost in costed]
            found += _with_tags(Candidate(it, tuple(costed)), use, wishes)
    return found


def _with_memory(cost: SuiteCost, it: Facts, memory: Mapping[str, Footprint]) -> SuiteCost:
    """Returns the cost with its own memory, or that of its parts: at most so much, since parts may
    share code."""
    names = [it.name] if it.name in memory else [part.name for part in it.parts]
    found = [memory.get(name, Footprint()) for name in names]
    code = complete(each.code_bytes for each in found)
    ram = complete(each.ram_bytes for each in found)
    return cost._replace(
        code_bytes=None if code is None else sum(code),
        memory_bytes=None if ram is None else sum(ram),
    )


def costs(use: Use, it: Facts, rows: Sequence[Row]) -> list[SuiteCost]:
    """Returns the implementations of the usual tools' library, else all."""
    return by_library(use.library, all_costs(it, rows))


def all_costs(it: Facts, rows: Sequence[Row]) -> list[SuiteCost]:
    """Returns the implementations by any library: measured as a whole, else put together."""
    measured = whole(rows, it.name)
    if measured or it.kind != "suite":
        return measured
    return from_parts(rows, it.name, [part.name for part in it.parts], it.framing)


def _names(use: Use, known: Known, rows: Sequence[Row]) -> Iterable[str]:
    """The suites of the protocol that are known, and those that can be put together; or the
    algorithms of the kinds that serve."""
    measured = dict.fromkeys(row.algorithm for row in rows)
    if use.protocol is None:
        serving = (known[it] for it in measured if it in known)
        yield from (it.name for it in serving if it.kind in use.kinds and it.name != "empty")
        return
    protocols = {name.partition(":")[0] for name in (f"{use.protocol}:", *use.suites)}
    yield from (it for it in measured if it in known and it.partition(":")[0] in protocols)
    yield from use.suites
    yield from (it for it in known if it.partition(":")[0] in protocols and ":" in it)


def excluded(use: Use, it: Facts) -> tuple[str, str] | None:
    """Why it is no answer although it is of the right kind, with the source."""
    for rule in use.excluded:
        if fnmatchcase(it.name, rule.name):
            return rule.reason, rule.source
    return None


def _with_tags(it: Candidate, use: Use, wishes: Wishes) -> list[Candidate]:
    """Itself, or with the shorter tag that is wished where it may be cut so."""
    wish, rule = wishes.tag, truncation(use, it.facts)
    if wish is None or wish.fits(it.facts.tag_bytes) or wish.sense == "+" or rule is None:
        return [it]
    if not least_tag_bytes(rule, it.facts) <= wish.bytes < it.facts.tag_bytes:
        return [it]
    title = f"{it.facts.title} cut to {wish.bytes} bytes"
    cut = msgspec.structs.replace(it.facts, tag_bytes=wish.bytes, title=title)
    return [it._replace(facts=cut, cut_source=rule.source)]


def truncation(use: Use, it: Facts) -> Truncated | None:
    """How short its tag may be cut; None where it may not."""
    return next((rule for rule in use.truncated if fnmatchcase(it.name, rule.names)), None)


def least_tag_bytes(rule: Truncated, it: Facts) -> int:
    """Of a tag that is cut."""
    return max(rule.least_bytes, math.ceil(rule.least_share * it.whole_tag_bytes))


STATUS = "status"
"""The wish that nobody has to utter: nothing weak."""


class Reason(NamedTuple):
    """Why a candidate is refused."""

    wish: str
    because: str
    source: str = ""


class Constraint(NamedTuple):
    """One wish: a test that gives the reason why a candidate does not fulfil it, or None."""

    name: str
    title: str
    """In words: `at least 256 bits of strength`."""
    refuses: Callable[[Candidate], Reason | None]


class Refused(msgspec.Struct, kw_only=True):
    """A candidate that is no answer, with all reasons."""

    name: str
    title: str
    status: str
    reasons: list[Reason]
    weak_parts: list[Part]
    """What makes its status what it is."""
    measured: bool
    times_the_cost: float | None = None
    """By that of the recommendation, where both were measured."""

    @property
    def weak(self) -> bool:
        """Whether it is refused for what it is worth, and not for a wish alone."""
        return any(it.wish == STATUS for it in self.reasons)


class Conflict(NamedTuple):
    """Wishes that no candidate fulfils together, while it is enough to drop any one of them."""

    wishes: tuple[str, ...]
    titles: tuple[str, ...]


def constraints(use: Use, wishes: Wishes) -> list[Constraint]:
    """The wishes, each as a test."""
    found = [
        Constraint(STATUS, _weak_title(wishes), lambda it: _weak(it, wishes)),
        Constraint(
            "strength",
            f"at least {wishes.strength_bits} bits of strength",
            lambda it: _too_weak(it, wishes.strength_bits),
        ),
    ]
    if wishes.needs_integrity and wishes.tag is None:
        found.append(Constraint("integrity", "changes are noticed", _unnoticed))
    if wishes.tag is not None:
        title = f"a tag of {wishes.tag}"
        found.append(Constraint("tag", title, lambda it: _other_tag(it, wishes, use)))
    if wishes.fips:
        found.append(Constraint("fips", "approved by FIPS", _not_approved))
    for name, most in (("memory", wishes.memory_bytes), ("code", wishes.code_bytes)):
        if most is not None:
            found.append(_room(name, most))
    found.append(Constraint("use", f"fit for {use.title}", lambda it: _unfit(use, it)))
    return found


def reasons(it: Candidate, wishes: Sequence[Constraint]) -> list[Reason]:
    """Every reason against a candidate; none where it fulfils all wishes."""
    found = (wish.refuses(it) for wish in wishes)
    return [reason for reason in found if reason is not None]


def conflicts(them: Sequence[Candidate], wishes: Sequence[Constraint]) -> list[Conflict]:
    """The smallest sets of wishes that leave no candidate; empty where some candidate is left."""
    against = [{wish.name for wish in wishes if wish.refuses(it) is not None} for it in them]
    minimal: list[frozenset[str]] = []
    for size in range(1, len(wishes) + 1):
        for names in combinations([wish.name for wish in wishes], size):
            chosen = frozenset(names)
            if any(it <= chosen for it in minimal):
                continue
            if all(chosen & refused for refused in against):
                minimal.append(chosen)
    titles = {wish.name: wish.title for wish in wishes}
    order = list(titles)
    ordered = [tuple(sorted(it, key=order.index)) for it in minimal]
    return [Conflict(it, tuple(titles[name] for name in it)) for it in ordered]


def ruled_out(
    them: Sequence[Candidate], wishes: Iterable[Constraint]
) -> list[tuple[str, str, int, int]]:
    """For each wish: its name, its words, how many candidates it alone rules out, of how many."""
    return [
        (wish.name, wish.title, sum(wish.refuses(it) is not None for it in them), len(them))
        for wish in wishes
    ]


def nearest(
    them: Sequence[Candidate], wishes: Sequence[Constraint]
) -> list[tuple[Candidate, list[Reason]]]:
    """The candidates that fail the fewest wishes, with what has to be given up for each. What is
    weak comes after all that is not, and what is broken never."""
    sound = [it for it in them if it.costs and it.facts.status != "broken"]
    judged = [(it, reasons(it, wishes)) for it in sound]
    ranked = sorted(judged, key=lambda it: (_has_weakness(it[1]), len(it[1])))
    if not ranked:
        return []
    least = (_has_weakness(ranked[0][1]), len(ranked[0][1]))
    return [it for it in ranked if (_has_weakness(it[1]), len(it[1])) == least]


def _has_weakness(found: Iterable[Reason]) -> bool:
    return any(it.wish in (STATUS, "use") for it in found)


def _weak_title(wishes: Wishes) -> str:
    return "nothing broken" if wishes.allow_legacy else "nothing broken or legacy"


def _weak(it: Candidate, wishes: Wishes) -> Reason | None:
    allowed = ("recommended", "acceptable", "legacy")[: 3 if wishes.allow_legacy else 2]
    if it.facts.status in allowed:
        return None
    weak = it.facts.weak_parts[0]
    because = f"{weak.title} is {weak.status}{weak.status_reason and f': {weak.status_reason}'}"
    return Reason(STATUS, because, next(reversed(weak.sources), ""))


def _too_weak(it: Candidate, bits: int) -> Reason | None:
    """Forgery of one-time keys is no strength of a key: it is asked about as a tag."""
    if it.facts.strength_kind == FORGERY or it.facts.strength_bits >= bits:
        return None
    against = "" if it.facts.strength_kind == KEYED else " against collisions"
    return Reason("strength", f"{it.facts.strength_bits} bits of strength{against}")


def _unnoticed(it: Candidate) -> Reason | None:
    if it.facts.tag_bytes:
        return None
    return Reason("integrity", "it only encrypts and does not detect changed messages")


def _other_tag(it: Candidate, wishes: Wishes, use: Use) -> Reason | None:
    if wishes.tag is None or wishes.tag.fits(it.facts.tag_bytes):
        return None
    because = f"its tag has {it.facts.tag_bytes} bytes"
    rule = truncation(use, it.facts)
    if rule is None or wishes.tag.bytes > it.facts.tag_bytes:
        return Reason("tag", because)
    least = least_tag_bytes(rule, it.facts)
    return Reason("tag", f"{because} and may not be cut below {least}", rule.source)


def _not_approved(it: Candidate) -> Reason | None:
    return None if it.facts.fips_approved else Reason("fips", "not approved by FIPS")


def _room(name: str, most: int) -> Constraint:
    what = {"memory": "memory", "code": "code and tables"}[name]

    def refuses(it: Candidate) -> Reason | None:
        sizes = [getattr(cost, f"{name}_bytes") for cost in it.costs]
        known = [size for size in sizes if size is not None]
        if not known or min(known) <= most:
            return None
        return Reason(name, f"{min(known)} bytes of {what}")

    return Constraint(name, f"at most {most} bytes of {what}", refuses)


def _unfit(use: Use, it: Candidate) -> Reason | None:
    rule = excluded(use, it.facts)
    return None if rule is None else Reason("use", *rule)
