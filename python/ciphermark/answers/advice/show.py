"""Advice on a terminal: the first screen, and with `--explain` the reasons and figures."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from ciphermark.answers.advice import left_out, words
from ciphermark.answers.advice.advise import Advice, esp_command
from ciphermark.answers.advice.facts import STATUSES, Facts, Forgery
from ciphermark.answers.advice.peers import Peer
from ciphermark.answers.advice.ranking import Question, Ranked
from ciphermark.answers.capacity.path import TUNNELS, path_words
from ciphermark.show import figures
from ciphermark.show.figures import wrapped
from ciphermark.show.frame import print_marks
from ciphermark.show.problems import TIE
from ciphermark.show.tables import Columns, ListColumn

LABEL = 11
"""Columns of the words on the left."""

WIDEST = 110
"""Longer lines are not read more easily."""

MOST_REFUSED = 3
"""On the first screen."""

Fact = tuple[str, str]


def print_advice(console: Console, it: Advice, question: Question, *, explain: bool) -> None:
    """Prints the advice, the machine that it is for first."""
    first = f"On {question.known.machine.label}: {headline(it, question)}"
    console.print(Text(first, style="bold"))
    print_facts(console, facts(it, question))
    _print_settings(console, it)
    if explain:
        print_explanation(console, it, question)
    else:
        console.print()
        console.print(Text(_basis(it, question), style="dim"))
        if it.recommendation is not None:
            more = "For the reasons and all figures, add --explain"
            console.print(Text(more, style="dim"))
    print_marks(console)


def print_facts(console: Console, found: Iterator[Fact]) -> None:
    """Prints each after its label, wrapped below itself."""
    width = min(console.width, WIDEST)
    last = ""
    for label, text in found:
        shown = "" if label == last else label
        for number, line in enumerate(wrapped(text, width - LABEL - 2).splitlines()):
            left = f"  {shown if number == 0 else '':<{LABEL}}"
            console.print(Text.assemble((left, "cyan"), line), soft_wrap=True)
        last = label


def headline(it: Advice, question: Question) -> str:
    if it.recommendation is None:
        if it.peer is not None:
            return _without_choice(it.peer)
        if it.measure is not None:
            title = it.unmeasured[0].title
            return f"Use {title}: it fulfils all wishes, but was not measured here."
        return f"Nothing for {it.use.title} fulfils all these wishes."
    path = None if it.carried is None else it.carried.path
    by = path.kind if path and path.has_cryptography else it.recommendation.implementation
    which = f"{it.recommendation.facts.title} ({by})"
    if it.carried is not None:
        which += words.used(it.carried, question) or words.included(it.carried, question)
    if it.recommendation.assumes_receiving:
        which += f", {words.RECEIVING_ASSUMED}"
    if it.settings and left_out.is_another(it.use, it.recommendation.cost.provider):
        which += f"; {it.use.library}, which the lines below configure, was not measured"
    return f"With this peer use {which}." if it.peer is not None else f"Use {which}."


def _without_choice(peer: Peer) -> str:
    if peer.least_bad is None:
        return "Use nothing that this peer supports: none of its suites protects."
    return f"With this peer use {peer.least_bad.title}, and only until the peer is replaced."


def facts(it: Advice, question: Question) -> Iterator[Fact]:
    """What stands on the first screen, a label and a sentence each."""
    if it.impossible is not None:
        yield from _impossible(it)
    if it.measure is not None:
        yield "measure", f"to know its cost and the rate that it carries: {it.measure}"
        if others := [one.title for one in it.unmeasured[1:]]:
            yield "or", f"{words.listed(others)}, which were not measured either"
    if it.peer is not None:
        yield from _peer(it, question)
    if it.recommendation is not None and it.carried is not None:
        assumed = it.recommendation.assumes_receiving
        yield "carries", words.carries(it.carried, question, assumes_receiving=assumed)
        if (load := words.load(it.carried, question)) is not None:
            yield "", load
        has_path = question.load.node is None and question.use.protocol in TUNNELS
        if has_path or it.carried.path is not None:
            yield "data path", path_words(it.carried.path, it.carried.cryptography_share)
        if it.keys:
            yield "keys", it.keys
        if it.libraries:
            yield "libraries", words.libraries(it.libraries)
        yield "not in it", it.left_out
        yield "limit", words.limit(it.carried, on_node=question.load.node is not None)
        if question.load.by == "latency":
            yield "delay", words.delay(it.carried, question)
        if (packet := words.packet(it.recommendation, question)) is not None:
            yield "packet", packet
        if it.carried.nanojoules_per_byte is not None:
            value = figures.significant(it.carried.nanojoules_per_byte.value)
            yield "energy", f"{value} nJ for each byte of payload"
        yield "safe?", words.safety(it.recommendation)
        if it.forgery is not None:
            yield "forgery", words.forged(it.forgery, question)
    if it.peer is None:
        yield from _others(it, question)
    yield from (("note", note) for note in it.notes)


def _others(it: Advice, question: Question) -> Iterator[Fact]:
    """The runner-up, what is a tie, what is refused."""
    if (tie := words.tie(it.ranking)) is not None:
        yield "a tie", tie
    if (behind := words.sending_only(it.ranking, question.load.by)) is not None:
        yield "sends only", behind
    if (second := words.next_best(it.ranking, question.load.by)) is not None:
        yield "next best", second
    if it.elsewhere is not None and it.recommendation is not None:
        yield "elsewhere", _elsewhere(it)
    if it.impossible is not None:
        return  # what rules it out is said
    weak = words.weak_groups(it.refused)
    for part, them in weak[:MOST_REFUSED]:
        yield "refused", words.weak(part, them)
    if len(weak) > MOST_REFUSED:
        yield "refused", f"and {len(weak) - MOST_REFUSED} more weak functions: --explain"


def _elsewhere(it: Advice) -> str:
    assert it.elsewhere is not None and it.recommendation is not None
    ratio = it.recommendation.ns.value / it.elsewhere.ns.value
    other = f"{it.elsewhere.facts.title} in an IPsec tunnel"
    if ratio >= 1:
        return f"{other} would take {figures.significant(100 / ratio, 2)} % of the CPU"
    return f"{other} would take {figures.significant(1 / ratio, 2)} times the CPU"


def _impossible(it: Advice) -> Iterator[Fact]:
    """Which wish rules out what, which contradict, and the nearest that works."""
    assert it.impossible is not None
    for _, title, count, of in it.impossible.ruled_out:
        if count:
            yield "ruled out", f"{count} of {figures.counted(of, 'candidate')} by: {title}"
    for conflict in it.impossible.conflicts:
        verb = "leaves" if len(conflict.titles) == 1 else "together leave"
        yield "conflict", f"{words.listed(list(conflict.titles))} {verb} nothing"
    for ranked, against in it.impossible.nearest[:MOST_REFUSED]:
        because = "; ".join(_without_stop(reason.because) for reason in against)
        yield "nearest", f"{ranked.facts.title}, which fails only in this: {because}"


def _without_stop(text: str) -> str:
    return text.rstrip(".")


def _peer(it: Advice, question: Question) -> Iterator[Fact]:
    """What the old peer costs, what is weak in it, and what of it is not measured here."""
    peer = it.peer
    assert peer is not None
    if peer.chosen is not None and peer.alone is not None:
        yield "it costs", _cost_of_peer(it)
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
            yield "or", _or_else(it, facts)
            continue
        mark = "; not measured here" if facts in peer.unmeasured else ""
        if facts.forbidden:
            mark += f"; its standard says {facts.standing.partition(' (')[0]}"
        reason = words.first_sentence(facts.status_reason)
        yield "rather not", f"{facts.title} ({facts.status}{mark}): {reason}"
    if any(facts.framing is not None for facts in peer.unmeasured):
        yield "measure", f"what was not measured here: {esp_command(question)}"


def _or_else(it: Advice, facts: Facts) -> str:
    """What else of a peer's list is sound."""
    assert it.peer is not None
    ranked = next((one for one in it.peer.ranked if one.facts.name == facts.name), None)
    if ranked is None or it.recommendation is None:
        return f"{facts.title}, which was not measured here"
    times = ranked.ns.value / it.recommendation.ns.value
    return f"{facts.title}, {figures.significant(times)} times the CPU"


def _cost_of_peer(it: Advice) -> str:
    peer = it.peer
    assert peer is not None and peer.chosen is not None and peer.alone is not None
    if peer.chosen.facts.name == peer.alone.facts.name:
        return "nothing: it is also the advice without the peer"
    times = figures.significant(peer.times_the_cost or 1)
    text = f"{times} times the CPU of {peer.alone.facts.title}, the best without this peer"
    alone = it.carries.get(peer.alone.facts.name)
    if alone is not None and alone.cpu_share is not None and it.carried is not None:
        assert it.carried.cpu_share is not None
        text += (
            f": {words.percent(it.carried.cpu_share)} of one core instead of "
            f"{words.percent(alone.cpu_share)}"
        )
    return text


def _print_settings(console: Console, it: Advice) -> None:
    """What to paste, each line whole, however long."""
    if it.recommendation is not None and it.use.no_choice:
        console.print()
        console.print(Text(it.use.no_choice))
    if it.settings or it.faster_paths:
        console.print()
    heading = ""
    for setting in it.settings:
        if heading != (heading := f"Paste into {setting.title} ({setting.where}):"):
            console.print(Text(heading))
        console.print(Text(f"  {setting.line}", style="green"), soft_wrap=True)
    for path in it.faster_paths:
        times = figures.significant(path.gain)
        who = f"Programs that use {path.provider} are {times} times as fast here"
        console.print(Text(f"{who} by {path.fastest}, with this in their environment:"))
        line = " ".join(f"{name}={value}" for name, value in sorted(path.switches.items()))
        console.print(Text(f"  {line}", style="green"), soft_wrap=True)


def _basis(it: Advice, question: Question) -> str:
    machine = question.known.machine
    of = ", ".join(filter(None, (machine.name, machine.cpu)))
    if question.load.node is not None:
        of = f"the simulated {question.load.node.target}, for {question.load.node.title}"
    return f"From {words.listed(words.sources(it, question))} on {of}."


def print_explanation(console: Console, it: Advice, question: Question) -> None:
    """Prints the reasons, in sections."""
    _print_ranking(console, it, question)
    sections = {
        "Probability of a forgery": _forgeries(it, question),
        "Not measured here": _unmeasured(it),
        "Refused": _refused(it),
        "Facts about the choice": _known(it),
        "Settings": _settings(it),
        "Method": _method(it, question),
    }
    for title, found in sections.items():
        facts = list(found)
        if facts:
            console.print()
            console.print(Text(title, style="bold"))
            print_facts(console, iter(facts))


def _print_ranking(console: Console, it: Advice, question: Question) -> None:
    if not it.ranking:
        return
    console.print()
    console.print(Text("All suites that fulfil the wishes, the best first", style="bold"))
    columns = [
        ListColumn[Ranked]("suite", lambda one: one.facts.title + (f" {TIE}" if one.tied else "")),
        ListColumn("times", lambda one: figures.significant(one.ratio.value), justify="right"),
        ListColumn("±", lambda one: _half(one), justify="right"),
        ListColumn(
            "ns/packet", lambda one: figures.significant(one.packet_ns.value), justify="right"
        ),
        ListColumn(
            "carries",
            lambda one: words.rate(it.carries[one.facts.name].bits_per_second.value),
            justify="right",
        ),
        ListColumn("by", lambda one: one.implementation, from_width=100),
        ListColumn("status", lambda one: one.facts.status, from_width=110),
        ListColumn(
            "bits", lambda one: str(one.facts.strength_bits), justify="right", from_width=110
        ),
        ListColumn("from", lambda one: one.cost.how, from_width=120),
    ]
    console.print(Columns(columns, it.ranking))
    console.print(Text(f"{TIE} no difference to the first beyond noise, or below 2 %", style="dim"))


def _half(one: Ranked) -> str:
    return f"{figures.significant(100 * (one.ns.share or 0.0), 2)} %"


def _forgeries(it: Advice, question: Question) -> Iterator[Fact]:
    """By bound: each with the functions and lengths of tags that it was asked for."""
    groups: dict[tuple[str, str], dict[tuple[str, int], Forgery]] = {}
    for found in it.forgeries.values():
        bound = groups.setdefault((found.in_words, found.source), {})
        bound[found.algorithm, found.tag_bytes] = found
    for (in_words, source), bound in groups.items():
        for found in bound.values():
            tag = f"{found.algorithm}, {8 * found.tag_bytes}-bit tag"
            yield "", f"{tag}: {words.forged(found, question)}"
        yield "bound", f"{in_words} ({source})"
    for source in dict.fromkeys(one.cut_source for one in it.ranking if one.cut_source):
        yield "cut tags", source


def _unmeasured(it: Advice) -> Iterator[Fact]:
    if it.unmeasured:
        titles = [facts.title for facts in it.unmeasured]
        yield "", f"{words.listed(titles)}: measure with '{it.use.measured_by}'"


def _refused(it: Advice) -> Iterator[Fact]:
    """The weak by what makes them so, then what wishes alone have refused."""
    for part, them in words.weak_groups(it.refused):
        yield part.status, words.weak(part, them, whole=True)
        others = [one.title for one in them if one.name != part.name]
        if others:
            yield "", f"  in {words.listed(others)}"
        yield "", f"  Sources: {'; '.join(part.sources)}"
    for one in it.refused:
        if not one.weak:
            yield "by wish", words.refused(one)


def _known(it: Advice) -> Iterator[Fact]:
    if it.recommendation is None:
        return
    facts = it.recommendation.facts
    for part in facts.parts:
        yield "choice", f"{part.title} is {part.status}. {part.status_reason}"
        for source in part.sources:
            yield "choice", f"  {source}"
    if facts.standing:
        yield "standard", facts.standing
    for limit in facts.limits:
        yield "one key", limit
    for source in dict.fromkeys([*facts.sources, *it.use.sources]):
        yield "protocol", source


def _settings(it: Advice) -> Iterator[Fact]:
    for one in it.settings:
        if one.note:
            yield "setting", f"{one.title}: {one.note}"
        yield "setting", f"{one.title}: {'; '.join(one.sources)}"


def _method(it: Advice, question: Question) -> Iterator[Fact]:
    load = question.load
    yield "run", _basis(it, question)
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
    if it.recommendation is not None:
        packet = load.packet(it.recommendation.cost, error=question.known.parts_error)
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
