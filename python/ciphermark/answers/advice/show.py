"""Advice as blocks: the first screen, and with `--explain` the reasons and figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from ciphermark.answers.advice import left_out, words
from ciphermark.answers.advice.advise import Advice, esp_command
from ciphermark.answers.advice.facts import STATUSES, Facts, Forgery
from ciphermark.answers.advice.peers import Peer
from ciphermark.answers.advice.ranking import Question, Ranked
from ciphermark.answers.capacity.path import TUNNELS, path_words
from ciphermark.answers.capacity.show import rate
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Headline, Note, Notes, Section, Table
from ciphermark.view.blocks import Facts as FactsBlock
from ciphermark.view.column import Column, of_text, of_words
from ciphermark.view.problems import MARKS, TIE

MOST_REFUSED = 3
"""Most refused suites on the first screen."""

Fact = tuple[str, str]


def blocks(advice: Advice, question: Question, *, explain: bool) -> Iterator[Block]:
    """Yields the advice, the machine that it is for first."""
    yield Headline(text=f"On {question.known.machine.label}: {headline(advice, question)}")
    yield _labelled(facts(advice, question))
    yield from _pasted(advice)
    if explain:
        yield from _explanation(advice, question)
        yield Notes.of([MARKS], style="dim")
        return
    more = ["For the reasons and all figures, add --explain"] * (advice.recommendation is not None)
    yield Notes.of([_basis(advice, question), *more, MARKS], style="dim")


def _labelled(found: Iterable[Fact], title: str = "") -> FactsBlock:
    """Returns facts, of neighbours with the same label only the first with it."""
    pairs = [
        (label if number == 0 else "", text)
        for label, alike in groupby(found, key=lambda fact: fact[0])
        for number, (_, text) in enumerate(alike)
    ]
    return FactsBlock.of_pairs(pairs, title=title)


def headline(advice: Advice, question: Question) -> str:
    if advice.recommendation is None:
        if advice.peer is not None:
            return _without_choice(advice.peer)
        if advice.measure is not None:
            title = advice.unmeasured[0].title
            return f"Use {title}: it fulfils all wishes, but was not measured here."
        return f"Nothing for {advice.use.title} fulfils all these wishes."
    path = None if advice.carried is None else advice.carried.path
    by = path.kind if path and path.has_cryptography else advice.recommendation.implementation
    which = f"{advice.recommendation.facts.title} ({by})"
    if advice.carried is not None:
        which += words.used(advice.carried, question) or words.included(advice.carried, question)
    if advice.recommendation.assumes_receiving:
        which += f", {words.RECEIVING_ASSUMED}"
    if advice.settings and left_out.is_another(advice.use, advice.recommendation.cost.provider):
        which += f"; {advice.use.library}, which the lines below configure, was not measured"
    return f"With this peer use {which}." if advice.peer is not None else f"Use {which}."


def _without_choice(peer: Peer) -> str:
    if peer.least_bad is None:
        return "Use nothing that this peer supports: none of its suites protects."
    return f"With this peer use {peer.least_bad.title}, and only until the peer is replaced."


def facts(advice: Advice, question: Question) -> Iterator[Fact]:
    """Yields labels and sentences of the first screen."""
    if advice.impossible is not None:
        yield from _impossible(advice)
    if advice.measure is not None:
        yield "measure", f"to know its cost and the rate that it carries: {advice.measure}"
        if others := [one.title for one in advice.unmeasured[1:]]:
            yield "or", f"{words.listed(others)}, which were not measured either"
    if advice.peer is not None:
        yield from _peer(advice, question)
    if advice.recommendation is not None and advice.carried is not None:
        assumed = advice.recommendation.assumes_receiving
        yield "carries", words.carries(advice.carried, question, assumes_receiving=assumed)
        if (load := words.load(advice.carried, question)) is not None:
            yield "", load
        has_path = question.load.node is None and question.use.protocol in TUNNELS
        if has_path or advice.carried.path is not None:
            yield "data path", path_words(advice.carried.path, advice.carried.cryptography_share)
        if advice.keys:
            yield "keys", advice.keys
        if advice.libraries:
            yield "libraries", words.libraries(advice.libraries)
        yield "not in it", advice.left_out
        yield "limit", words.limit(advice.carried, on_node=question.load.node is not None)
        if question.load.by == "latency":
            yield "delay", words.delay(advice.carried, question)
        if (packet := words.packet(advice.recommendation, question)) is not None:
            yield "packet", packet
        if advice.carried.nanojoules_per_byte is not None:
            value = figures.significant(advice.carried.nanojoules_per_byte.value)
            yield "energy", f"{value} nJ for each byte of payload"
        yield "safe?", words.safety(advice.recommendation)
        if advice.forgery is not None:
            yield "forgery", words.forged(advice.forgery, question)
    if advice.peer is None:
        yield from _others(advice, question)
    yield from (("note", note) for note in advice.notes)


def _others(advice: Advice, question: Question) -> Iterator[Fact]:
    """Yields the runner-up, ties, and refused functions."""
    if (tie := words.tie(advice.ranking)) is not None:
        yield "a tie", tie
    if (behind := words.sending_only(advice.ranking, question.load.by)) is not None:
        yield "sends only", behind
    if (second := words.next_best(advice.ranking, question.load.by)) is not None:
        yield "next best", second
    if advice.elsewhere is not None and advice.recommendation is not None:
        yield "elsewhere", _elsewhere(advice)
    if advice.impossible is not None:
        return  # what rules it out is said
    weak = words.weak_groups(advice.refused)
    for part, them in weak[:MOST_REFUSED]:
        yield "refused", words.weak(part, them)
    if len(weak) > MOST_REFUSED:
        yield "refused", f"and {len(weak) - MOST_REFUSED} more weak functions: --explain"


def _elsewhere(advice: Advice) -> str:
    assert advice.elsewhere is not None and advice.recommendation is not None
    ratio = advice.recommendation.ns.value / advice.elsewhere.ns.value
    other = f"{advice.elsewhere.facts.title} in an IPsec tunnel"
    if ratio >= 1:
        return f"{other} would take {figures.significant(100 / ratio, 2)} % of the CPU"
    return f"{other} would take {figures.significant(1 / ratio, 2)} times the CPU"


def _impossible(advice: Advice) -> Iterator[Fact]:
    """Yields what each wish rules out, contradictions, and the nearest candidates."""
    assert advice.impossible is not None
    for _, title, count, of in advice.impossible.ruled_out:
        if count:
            yield "ruled out", f"{count} of {figures.counted(of, 'candidate')} by: {title}"
    for conflict in advice.impossible.conflicts:
        verb = "leaves" if len(conflict.titles) == 1 else "together leave"
        yield "conflict", f"{words.listed(list(conflict.titles))} {verb} nothing"
    for ranked, against in advice.impossible.nearest[:MOST_REFUSED]:
        because = "; ".join(_without_stop(reason.because) for reason in against)
        yield "nearest", f"{ranked.facts.title}, which fails only in this: {because}"


def _without_stop(text: str) -> str:
    return text.rstrip(".")


def _peer(advice: Advice, question: Question) -> Iterator[Fact]:
    """Yields the cost of an old peer, its weak suites, and those without figures here."""
    peer = advice.peer
    assert peer is not None
    if peer.chosen is not None and peer.alone is not None:
        yield "it costs", _cost_of_peer(advice)
    if peer.chosen is not None and peer.weak:
        yield "weak", f"{peer.chosen.facts.title}: {peer.chosen.facts.status_reason}"
        if peer.alone is not None:
            yield "weak", f"Ask the other side for {peer.alone.facts.title}."
    chosen = None if peer.chosen is None else peer.chosen.facts.name
    if peer.least_bad is not None:
        chosen = peer.least_bad.name
        yield "it costs", "not known: it was not measured here"
        yield "weak", f"{peer.least_bad.title}: {peer.least_bad.status_reason}"
        if peer.alone is not None:
            yield "weak", f"Ask the other side for {peer.alone.facts.title}."
    for facts in peer.offered:
        if facts.name == chosen:
            continue
        if facts.rank >= STATUSES.index("acceptable"):
            yield "or", _or_else(advice, facts)
            continue
        mark = "; not measured here" if facts in peer.unmeasured else ""
        if facts.forbidden:
            mark += f"; its standard says {facts.standing.partition(' (')[0]}"
        reason = words.first_sentence(facts.status_reason)
        yield "rather not", f"{facts.title} ({facts.status}{mark}): {reason}"
    if any(facts.framing is not None for facts in peer.unmeasured):
        yield "measure", f"what was not measured here: {esp_command(question)}"


def _or_else(advice: Advice, facts: Facts) -> str:
    """Returns a further sound suite of a peer's list, with its cost."""
    assert advice.peer is not None
    ranked = next((one for one in advice.peer.ranked if one.facts.name == facts.name), None)
    if ranked is None or advice.recommendation is None:
        return f"{facts.title}, which was not measured here"
    times = ranked.ns.value / advice.recommendation.ns.value
    return f"{facts.title}, {figures.significant(times)} times the CPU"


def _cost_of_peer(advice: Advice) -> str:
    peer = advice.peer
    assert peer is not None and peer.chosen is not None and peer.alone is not None
    if peer.chosen.facts.name == peer.alone.facts.name:
        return "nothing: it is also the advice without the peer"
    times = figures.significant(peer.times_the_cost or 1)
    text = f"{times} times the CPU of {peer.alone.facts.title}, the best without this peer"
    alone = advice.carries.get(peer.alone.facts.name)
    if alone is not None and alone.cpu_share is not None and advice.carried is not None:
        assert advice.carried.cpu_share is not None
        text += (
            f": {words.percent(advice.carried.cpu_share)} of one core instead of "
            f"{words.percent(alone.cpu_share)}"
        )
    return text


def _pasted(advice: Advice) -> Iterator[Notes]:
    """Yields the lines to paste, by file, each whole, however long."""
    if advice.recommendation is not None and advice.use.no_choice:
        yield Notes.of([advice.use.no_choice])
    files = groupby(advice.settings, key=lambda one: f"Paste into {one.title} ({one.where}):")
    for title, settings in files:
        yield Notes.of((one.line for one in settings), title=title, style="green", whole=True)
    for path in advice.faster_paths:
        times = f"{figures.significant(path.gain)} times as fast here by {path.fastest}"
        title = f"Programs that use {path.provider} are {times}, with this in their environment:"
        line = " ".join(f"{name}={value}" for name, value in sorted(path.switches.items()))
        yield Notes.of([line], title=title, style="green", whole=True)


def _basis(advice: Advice, question: Question) -> str:
    machine = question.known.machine
    of = ", ".join(filter(None, (machine.name, machine.cpu)))
    if question.load.node is not None:
        of = f"the simulated {question.load.node.target}, for {question.load.node.title}"
    return f"From {words.listed(words.sources(advice, question))} on {of}."


def _explanation(advice: Advice, question: Question) -> Iterator[Block]:
    """Yields the reasons, in sections."""
    yield Section(
        title="All suites that fulfil the wishes, the best first",
        blocks=[
            Table(
                columns=_ranking(advice),
                rows=advice.ranking,
                legend=[Note("no difference to the first beyond noise, or below 2 %", TIE)],
            )
        ],
    )
    yield _labelled(_forgeries(advice, question), "Probability of a forgery")
    yield _labelled(_unmeasured(advice), "Not measured here")
    yield _labelled(_refused(advice), "Refused")
    yield _labelled(_known(advice), "Facts about the choice")
    yield _labelled(_settings(advice), "Settings")
    yield _labelled(_method(advice, question), "Method")


def _ranking(advice: Advice) -> list[Column[Ranked]]:
    return [
        of_words("suite", lambda row: row.facts.title + (f" {TIE}" if row.tied else "")),
        Column("times", lambda row: row.ratio.value),
        of_text("±", _half),
        Column("ns/packet", lambda row: row.packet_ns.value),
        of_text("carries", lambda row: rate(advice.carries[row.facts.name].bits_per_second.value)),
        of_words("by", lambda row: row.implementation, dispensable=1),
        of_words("status", lambda row: row.facts.status, dispensable=2),
        of_text("bits", lambda row: str(row.facts.strength_bits), dispensable=2),
        of_words("from", lambda row: row.cost.how, dispensable=3),
    ]


def _half(one: Ranked) -> str:
    return f"{figures.significant(100 * (one.ns.share or 0.0), 2)} %"


def _forgeries(advice: Advice, question: Question) -> Iterator[Fact]:
    """Yields the bounds, each after the functions and lengths of tags that it is for."""
    groups: dict[tuple[str, str], dict[tuple[str, int], Forgery]] = {}
    for forgery in advice.forgeries.values():
        bound = groups.setdefault((forgery.in_words, forgery.source), {})
        bound[forgery.algorithm, forgery.tag_bytes] = forgery
    for (in_words, source), bound in groups.items():
        for forgery in bound.values():
            tag = f"{forgery.algorithm}, {8 * forgery.tag_bytes}-bit tag"
            yield "", f"{tag}: {words.forged(forgery, question)}"
        yield "bound", f"{in_words} ({source})"
    for source in dict.fromkeys(one.cut_source for one in advice.ranking if one.cut_source):
        yield "cut tags", source


def _unmeasured(advice: Advice) -> Iterator[Fact]:
    if advice.unmeasured:
        titles = [facts.title for facts in advice.unmeasured]
        yield "", f"{words.listed(titles)}: measure with '{advice.use.measured_by}'"


def _refused(advice: Advice) -> Iterator[Fact]:
    """Yields weak suites by their weak part, then those that wishes alone refuse."""
    for part, them in words.weak_groups(advice.refused):
        yield part.status, words.weak(part, them, whole=True)
        others = [one.title for one in them if one.name != part.name]
        if others:
            yield "", f"  in {words.listed(others)}"
        yield "", f"  Sources: {'; '.join(part.sources)}"
    for one in advice.refused:
        if not one.weak:
            yield "by wish", words.refused(one)


def _known(advice: Advice) -> Iterator[Fact]:
    if advice.recommendation is None:
        return
    facts = advice.recommendation.facts
    for part in facts.parts:
        yield "choice", f"{part.title} is {part.status}. {part.status_reason}"
        for source in part.sources:
            yield "choice", f"  {source}"
    if facts.standing:
        yield "standard", facts.standing
    for limit in facts.limits:
        yield "one key", limit
    for source in dict.fromkeys([*facts.sources, *advice.use.sources]):
        yield "protocol", source


def _settings(advice: Advice) -> Iterator[Fact]:
    for one in advice.settings:
        if one.note:
            yield "setting", f"{one.title}: {one.note}"
        yield "setting", f"{one.title}: {'; '.join(one.sources)}"


def _method(advice: Advice, question: Question) -> Iterator[Fact]:
    load = question.load
    yield "run", _basis(advice, question)
    if load.by == "latency":
        yield "ranked by", "the time of the longest packet: protecting it and opening it"
    elif load.both_ways:
        yield "ranked by", "the CPU time of one packet out and one in"
    else:
        yield "ranked by", "the CPU time of an outgoing packet"
    if load.by == "energy":
        yield "", "Energy is CPU time times power: on one kind of core the order is the same."
    if question.cores > 1:
        yield (
            "cores",
            "Each further core is assumed to add 75 to 100 % of the first: 'ciphermark "
            "capacity' uses measurements on several cores.",
        )
    yield "traffic", _traffic(question)
    yield (
        "intervals",
        "95 %. Two costs are a tie if the interval of their ratio contains 1, or if they differ "
        "by less than 2 %. A figure without an interval of its own gets ±10 %, an assumption.",
    )
    if advice.recommendation is not None:
        packet = load.packet(advice.recommendation.cost, error=question.known.parts_error)
        if packet is not None and packet.ns != packet.own:
            error = (packet.ns.share or 0.0) - (packet.own.share or 0.0)
            yield (
                "intervals",
                f"The rate carried has an interval that is ±{figures.percent(error)} wider, since "
                "this traffic was not measured as a whole; all suites share that error.",
            )


def _traffic(question: Question) -> str:
    sizes = question.load.traffic.sizes
    mean = figures.significant(question.load.traffic.mean_bytes)
    if len(sizes) == 1:
        return f"messages of {sizes[0][0]} bytes"
    if len(sizes) <= 6:
        parts = ", ".join(f"{figures.percent(share)} of {size} bytes" for size, share in sizes)
        return f"{question.load.traffic.name}: {parts}; {mean} bytes on average"
    return f"{question.load.traffic.name}: {sizes[0][0]} to {sizes[-1][0]} bytes, {mean} on average"
