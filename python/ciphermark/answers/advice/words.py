"""Advice in sentences that need no cryptography to be understood."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ciphermark.answers.advice.candidates import Refused
from ciphermark.answers.advice.facts import SECONDS_PER_YEAR, STATUSES, Forgery, Part
from ciphermark.answers.advice.ranking import PREFERENCE, Carried, Question, Ranked, preference
from ciphermark.answers.capacity.answer import measuring
from ciphermark.answers.capacity.path import TUNNELS
from ciphermark.answers.capacity.show import rate
from ciphermark.answers.protocols import nodes
from ciphermark.statistics.estimate import Estimate
from ciphermark.view import figures
from ciphermark.workloads.flows import latency

if TYPE_CHECKING:
    from ciphermark.answers.advice.advise import Advice

STATUS_WORDS = {
    "recommended": "a good choice for something new",
    "acceptable": "sound where its conditions are met",
    "legacy": "only for what already uses it",
    "broken": "practical attacks are known",
}
"""As `algorithms/README.md` has them."""

MOST_SHARE = 0.5
"""Of the cost: what is more than this is what limits."""

LONG_YEARS = 1e6

_TIMES = (
    *(("years", SECONDS_PER_YEAR), ("days", 86_400.0)),
    *(("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0)),
)

_SOURCE = re.compile(r"\b(?:19|20)\d\d\b|RFC|NIST")
"""A year, as of a paper, or who sets a standard."""


def rates(it: Estimate) -> str:
    """Formats a rate with its interval: `9.42 Gbit/s (9.10–9.71)`."""
    _, size = figures.unit_of(it.value, figures.BIT_RATES)
    return f"{rate(it.value)}{interval(it.times(1 / size))}"


def interval(it: Estimate, digits: int = figures.DIGITS) -> str:
    """Formats ends: ` (9.10–9.71)`, ` (9.10 or more)` without an upper one; a point has none."""
    if it.interval is None:
        return " (no interval)"
    low = figures.significant(it.interval[0], digits)
    if math.isinf(it.interval[1]):
        return f" ({low} or more)"
    high = figures.significant(it.interval[1], digits)
    return "" if low == high else f" ({low}–{high})"


def cores(count: int) -> str:
    return "one core" if count == 1 else f"{count} cores"


RECEIVING_ASSUMED = "receiving assumed to cost as much as sending"


def carries(it: Carried, question: Question, *, assumes_receiving: bool = False) -> str:
    """Returns `9.42 Gbit/s on one core (9.10–9.71), of IMIX traffic inside the tunnel`."""
    ways = " each way" if question.load.both_ways else ""
    text, found, ends = rates(it.bits_per_second).partition(" (")
    what = f"{question.use.payload} in {question.load.traffic.name}"
    whole = included(it, question)
    assumed = f"; {RECEIVING_ASSUMED}" if assumes_receiving else ""
    return f"{text}{ways} on {cores(question.cores)}{found}{ends}, of {what}{whole}{assumed}"


def included(it: Carried, question: Question) -> str:
    """Says whether a data path is in the rate of a tunnel; nothing of other protocols."""
    if it.path is not None:
        return ", data path included"
    return ", cryptography alone" if question.use.protocol in TUNNELS else ""


def used(it: Carried, question: Question) -> str:
    """Returns `: 1 Gbit/s both ways uses 22 % of one core`; nothing without a rate."""
    if it.cpu_share is None or it.rate_bits_per_second is None:
        return ""
    verb = (
        "use" if question.link_bits_per_second is None and (question.tunnels or 1) > 1 else "uses"
    )
    share = f"{verb} {figures.significant(100 * it.cpu_share.value, 2)} % of one core"
    if it.holds is False:
        share = f"{verb.replace('use', 'need')} {_needed(it.cpu_share)} cores"
    elif it.holds is None:
        ends = interval(it.cpu_share.times(100), 2)
        share += f"{ends}, so {cores(question.cores)} may not be enough"
    ways = " both ways" if question.load.both_ways else ""
    if question.link_bits_per_second is not None:
        line = rate(question.link_bits_per_second)
        return f": a full line of {line}{ways} {share}{included(it, question)}"
    flow = f"{rate(it.rate_bits_per_second)}{ways}"
    if question.tunnels is not None:
        flow = f"{figures.counted(question.tunnels, 'tunnel')}, {flow} in all,"
    return f": {flow} {share}{included(it, question)}"


def _needed(share: Estimate) -> int:
    """Returns the cores that would do, by the upper end of what is needed."""
    return math.ceil(share.value if share.high is None else share.high)


def load(it: Carried, question: Question) -> str | None:
    """Returns `1 Gbit/s both ways uses 22 % (21–23) of one core`, and the conclusion."""
    if it.cpu_share is None or it.rate_bits_per_second is None:
        return None
    ways = " both ways" if question.load.both_ways else ""
    share = it.cpu_share
    text = f"{_asked(it, question)}{ways} uses {percent(share)} of one core"
    if it.holds is False:
        text += f": {_too_much(share, question.cores)}"
    elif it.holds is None:
        are = "is" if question.cores == 1 else "are"
        enough = f"whether {cores(question.cores)} {are} enough is not known"
        text += f": the interval includes both answers, so {enough}"
    return text


def _asked(it: Carried, question: Question) -> str:
    assert it.rate_bits_per_second is not None
    if question.link_bits_per_second is None:
        return rate(it.rate_bits_per_second)
    line = rate(question.link_bits_per_second)
    return f"a full line of {line}, {rate(it.rate_bits_per_second)} of it payload,"


def _too_much(share: Estimate, count: int) -> str:
    return f"too much for {cores(count)}; {_needed(share)} that share it evenly would do"


def percent(it: Estimate) -> str:
    """Formats a share: `22.1 % (21.3–22.9)`."""
    return f"{figures.significant(100 * it.value, 2)} %{interval(it.times(100), 2)}"


def limit(it: Carried, *, on_node: bool = False) -> str:
    """Returns the larger part of the cost, and the remedy; a node has one core."""
    share = it.fixed_share
    if share is None:
        return "unknown: only one size of message was measured"
    shown = figures.percent(share)
    if share >= MOST_SHARE:
        more = "" if on_node else ", and more cores"
        return f"the fixed cost of a packet ({shown} of the work): longer packets would help{more}"
    more = "a faster clock would help" if on_node else "more cores would help"
    return (
        f"the bytes of packets (their fixed cost is {shown} of the work): {more}, longer packets "
        "would help little"
    )


def safety(it: Ranked) -> str:
    """`yes: a good choice for something new (recommended), 128-bit strength, approved by FIPS`."""
    facts = it.facts
    verdict = "yes" if facts.rank >= STATUSES.index("acceptable") else "no"
    parts = [
        f"{verdict}: {STATUS_WORDS[facts.status]} ({facts.status})",
        f"{facts.strength_bits}-bit strength",
        "approved by FIPS" if facts.fips_approved else "not approved by FIPS",
    ]
    return ", ".join(parts)


def times(it: Estimate, by: str) -> str:
    """Formats a ratio: `2.61 times the work (2.5–2.7)`."""
    what = "delay" if by == "latency" else "energy" if by == "energy" else "CPU"
    return f"{figures.significant(it.value)} times the {what}{interval(it)}"


def next_best(ranked: list[Ranked], by: str) -> str | None:
    """Returns the runner-up and its ratio; None where there is none."""
    apart = [it for it in ranked[1:] if not it.tied and not _is_behind(it, ranked)]
    if not apart:
        return None
    return f"{apart[0].facts.title}: {times(apart[0].ratio, by)}"


def tie(ranked: list[Ranked]) -> str | None:
    """Names the suites that cost the same as the first, and the reason of the choice."""
    level = [it for it in ranked[1:] if it.tied]
    if not level:
        return None
    noise = figures.percent(max(it.ns.share or 0.0 for it in (ranked[0], *level)))
    costs = "costs" if len(level) == 1 else "cost"
    said = (
        f"{listed([it.facts.title for it in level])} {costs} the same within the noise (±{noise})"
    )
    better = [it for it in level if preference(it.facts) < preference(ranked[0].facts)]
    if not better:
        return f"{said}; among these the choice is by {PREFERENCE}"
    most = figures.significant(max(it.ratio.value for it in better), 2)
    return (
        f"{said}; of better facts, but by these figures {most} times as dear: "
        f"{listed([it.facts.title for it in better])}; measure again on a quiet machine"
    )


def _is_behind(it: Ranked, ranked: list[Ranked]) -> bool:
    """Returns whether a suite comes after the first because its receiving was not measured."""
    return it.assumes_receiving and not ranked[0].assumes_receiving


def sending_only(ranked: list[Ranked], by: str) -> str | None:
    """Returns the suites that come last since only sending was measured; None without any."""
    behind = [it for it in ranked[1:] if _is_behind(it, ranked)]
    if not behind:
        return None
    costs = [f"{it.facts.title} {times(it.ratio, by)}" for it in behind]
    return (
        f"{listed(costs)}, {RECEIVING_ASSUMED}; suites with both directions measured come first: "
        f"{measuring(','.join(it.facts.name for it in behind))}"
    )


def libraries(them: Sequence[tuple[str, Estimate]]) -> str:
    """Returns for example `ipsec-mb would take 0.40 of that, nettle 1.3 times that`."""
    said = []
    for name, ratio in them:
        value = figures.significant(ratio.value, 2)
        said.append(f"{name} {value} {'of' if ratio.value < 1 else 'times'} that")
    first, *others = said
    name, _, rest = first.partition(" ")
    return ", ".join([f"{name} would take {rest}", *others])


def sources(it: Advice, question: Question) -> list[str]:
    """Returns the sources of the ranked suites, that of the recommendation first; else all."""
    used = [one.source for one in (it.carried, *it.carries.values()) if one]
    return [*dict.fromkeys(used or (it.name for it in question.known.sources))]


def listed(titles: list[str]) -> str:
    """Joins titles: `a, b and c`."""
    return titles[0] if len(titles) == 1 else f"{', '.join(titles[:-1])} and {titles[-1]}"


def packet(it: Ranked, question: Question) -> str | None:
    """Returns the cost of a packet on a node; None elsewhere."""
    node = question.load.node
    if node is None:
        return None
    cycles = figures.significant(it.packet_ns.value * node.clock_mhz / 1e3)
    time, clock = latency(it.packet_ns.value), figures.significant(node.clock_mhz)
    ways = " out and one in" if question.load.both_ways else ""
    return (
        f"{cycles} cycles for one{ways} ({question.load.traffic.name}), {time} at {clock} MHz by "
        f"the kernel {it.cost.backend}, without key setup"
    )


def forged(it: Forgery, question: Question) -> str:
    """Returns how often a made-up message passes: `one in 3.4 × 10^38 …`."""
    text = f"a forged message passes at most once in {figures.power(1 / it.chance)} tries"
    if it.years is not None and it.attempts_per_second is not None:
        rate = figures.significant(it.attempts_per_second)
        fills = question.load.node is not None and question.messages_per_second is None
        why = f", since {nodes.FILLED_CHANNEL}" if fills else ""
        text += f"; at {rate} tries per second{why}, once in {years(it.years)}"
    if it.chance_of_any is not None and it.attempts is not None:
        tries = figures.significant(it.attempts)
        text += f"; of {tries} tries one passes with probability {chance(it.chance_of_any)}"
    return text


def chance(probability: float) -> str:
    """Formats a probability: `0.023 %`, `1 in 3.1 × 10^9`, `certain`."""
    if probability >= 0.9995:
        return "1"
    if probability >= 1e-4:
        return f"{figures.significant(100 * probability, 2)} %"
    return "0" if probability == 0 else f"1 in {figures.power(1 / probability)}"


def years(number: float) -> str:
    """Formats a time in its unit: `3.1 hours`, `12.4 years`, `10^25 years`."""
    if number >= LONG_YEARS:
        return f"{figures.power(number)} years"
    return figures.in_units(number * SECONDS_PER_YEAR, _TIMES, 1.5)


def weak_groups(them: Iterable[Refused]) -> list[tuple[Part, list[Refused]]]:
    """Returns weak suites by their weak part."""
    groups: dict[str, tuple[Part, list[Refused]]] = {}
    for it in them:
        if it.weak and it.weak_parts:
            part = it.weak_parts[0]
            groups.setdefault(part.name, (part, []))[1].append(it)
    return list(groups.values())


def weak(part: Part, them: Sequence[Refused], *, whole: bool = False) -> str:
    """Returns `HMAC-MD5 (legacy, in 2 suites, 3.7 to 3.9 times the CPU): …`, whole or not."""
    marks: list[str] = [part.status]
    if any(it.name != part.name for it in them):
        marks.append(f"in {figures.counted(len(them), 'suite')}")
    marks += _costing(them)
    because = part.status_reason if whole else first_sentence(part.status_reason)
    return f"{part.title} ({', '.join(marks)}): {because}"


def _costing(them: Sequence[Refused]) -> list[str]:
    """Returns the cost beside the best; nothing without anything to compare it with."""
    known = sorted(it.times_the_cost for it in them if it.times_the_cost is not None)
    if not known:
        return [] if any(it.measured for it in them) else ["not measured"]
    low, high = (figures.significant(end, 2) for end in (known[0], known[-1]))
    return [f"{low} times the CPU" if low == high else f"{low} to {high} times the CPU"]


def refused(it: Refused) -> str:
    """Returns a suite that a wish refuses: `AES-128-GCM (1.0 times the CPU): 128 bits …`."""
    because = "; ".join(reason.because for reason in it.reasons)
    mark = "".join(f" ({cost})" for cost in _costing([it]))
    return f"{it.title}{mark}: {because}"


def first_sentence(text: str) -> str:
    """Returns the first sentence with a source, else the first one.

    The part after a semicolon is left out.
    """
    sentences = re.split(r"(?<=[.)])(?<!\b[A-Z]\.) (?=[A-Z])", text)
    said = next((it for it in sentences if _SOURCE.search(it)), sentences[0])
    for match in re.finditer(r"; ", said):
        head = said[: match.start()]
        if head.count("(") == head.count(")") and _SOURCE.search(head):
            said = head
            break
    return said.rstrip(".") + "."


def delay(it: Carried, question: Question) -> str:
    """Returns the time of the longest packet."""
    size = figures.message_size(question.load.traffic.largest_bytes)
    return f"{latency(it.longest_ns.value)} for the longest packet ({size}), both ends together"
