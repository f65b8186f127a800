"""Candidates: what can be used, what is known of it, and what it costs here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

import msgspec

from ciphermark.answers.advice.facts import Facts, Known, facts
from ciphermark.answers.advice.simulated import Rooms
from ciphermark.answers.advice.uses import Truncated, Use
from ciphermark.answers.advice.wishes import Wishes
from ciphermark.answers.capacity.suite_costs import ALIKE, SuiteCost, from_parts, whole
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
    rooms: Rooms | None = None,
) -> list[Candidate]:
    """Those of a use, and those that are named besides."""
    found = []
    for name in dict.fromkeys([*_names(use, known, rows), *more]):
        it = facts(name, use, known)
        if it is not None:
            costed = costs(use, it, rows)
            if rooms is not None:
                parts = [part.name for part in it.parts]
                costed = [rooms.filled(cost, parts) for cost in costed]
            found += _with_tags(Candidate(it, tuple(costed)), use, wishes)
    return found


def costs(use: Use, it: Facts, rows: Sequence[Row]) -> list[SuiteCost]:
    """Its implementations: measured as a whole, else put together, else of a like function."""
    measured = whole(rows, it.name)
    if measured or it.kind != "suite":
        return measured
    own = [part.name for part in it.parts]
    there = {row.algorithm for row in rows}
    parts = [part if part in there else use.like.get(part, part) for part in own]
    found = from_parts(rows, it.name, parts)
    return [cost._replace(how=ALIKE) for cost in found] if parts != own else found


def _names(use: Use, known: Known, rows: Sequence[Row]) -> Iterable[str]:
    """The suites of the protocol that are known, and those that can be put together; or the
    algorithms of the kinds that serve."""
    if use.protocol is None:
        measured = dict.fromkeys(row.algorithm for row in rows)
        serving = (known[it] for it in measured if it in known)
        yield from (it.name for it in serving if it.kind in use.kinds and it.name != "empty")
        return
    protocols = {name.partition(":")[0] for name in (f"{use.protocol}:", *use.suites)}
    measured = {row.algorithm for row in rows}
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
