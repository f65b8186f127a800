"""The page for decision makers at the top of a report: the scenarios, and the answers to them.

Each protocol of a run has one scenario: its usual traffic on a full line, one core, one key. The
advice and the table are answers to it, by the functions of `capacity` and `advise`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ciphermark.answers.advice import advise, show, uses
from ciphermark.answers.advice.advise import Advice
from ciphermark.answers.advice.ranking import Load
from ciphermark.answers.advice.ranking import Question as AdviceQuestion
from ciphermark.answers.advice.uses import Wishes
from ciphermark.answers.capacity import show as capacity_words
from ciphermark.answers.capacity import sources
from ciphermark.answers.capacity.answer import (
    BYTES,
    FIXED,
    MOSTLY,
    Answer,
    Known,
    Unanswered,
    answer,
    rows_of,
)
from ciphermark.errors import UsageError
from ciphermark.statistics.estimate import Estimate
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Notes, Section, Table, Template
from ciphermark.view.column import Cell, Column, Place, of_words
from ciphermark.workload import workload_of
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.surroundings import SOUND

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.record.run import Context


LINES = {"100 Mbit/s": 1e8, "1 Gbit/s": 1e9, "10 Gbit/s": 1e10}
"""Rates of Ethernet lines, bits per second: IEEE 802.3."""

ADVISED_LINE = "1 Gbit/s"
"""The line of each scenario."""

PLAIN_USE = "ipsec"
"""The use where a run has no suites: the one that is put together from most parts."""

DECIDED_ON = ("suite", "aead", "cipher")
"""Kinds of algorithms that carry traffic; the first of which a run has some is decided on."""


class Decided(NamedTuple):
    """One scenario with the advice and the capacity of all suites in it."""

    question: AdviceQuestion
    advice: Advice | None
    """Advice; None if the figures are too few."""
    answers: list[Answer]
    """Answers of the suites, the largest rate first."""
    unanswered: list[Unanswered]


def is_decided_on(context: Context) -> bool:
    """Returns whether a run is of suites or imported, in rows of one thread."""
    workload = workload_of(context.workload)
    suites = any(it.kind == "suite" for it in context.algorithms)
    return workload.of_messages and (suites or not workload.measured_here)


def decision(context: Context, known: Known) -> list[Decided]:
    """Returns a scenario for each use of a run; none where nothing in it carries traffic."""
    rows = [row for source in known.sources for row in source.rows]
    names = decided_on(context, rows)
    return [_decided(use, names, known) for use in _uses(context.algorithms)] if names else []


def _decided(use: uses.Use, names: Sequence[str], known: Known) -> Decided:
    """Answers for both directions if anything has both."""
    answered: list[Answer | Unanswered] = []
    for both_ways in (True, False):
        question = _scenario(use, both_ways, known)
        wanted = sources.wanted(use, None, known.facts)
        suites = sources.names_of(wanted, known, question.scenario) or names
        answered = [answer(name, question.scenario, known) for name in suites]
        if any(isinstance(it, Answer) for it in answered):
            break
    advised = None
    try:
        advised = advise.advise(question, known.all_facts, rows_of(known, question.scenario))
    except UsageError:
        pass  # this run has too little for it
    answers = [it for it in answered if isinstance(it, Answer)]
    return Decided(
        question,
        None if advised is None or advised.recommendation is None else advised,
        sorted(answers, key=lambda it: -it.carried.value),
        [it for it in answered if isinstance(it, Unanswered)],
    )


def _scenario(use: uses.Use, both_ways: bool, known: Known) -> AdviceQuestion:
    return AdviceQuestion(
        use=use,
        load=Load(uses.traffic(use, None, None), both_ways, "throughput", use.profile or None),
        wishes=Wishes(needs_integrity=not use.confidentiality_only),
        known=known,
        link_bits_per_second=LINES[ADVISED_LINE],
    )


def decided_on(context: Context, rows: Sequence[Row]) -> list[str]:
    """Returns the algorithms of a run that are rivals for the same traffic."""
    kinds = {it.name: it.kind for it in context.algorithms}
    timed = dict.fromkeys(row.algorithm for row in rows if row.ns_per_message is not None)
    for kind in DECIDED_ON:
        if alike := [it for it in timed if kinds[it] == kind]:
            return alike
    return []


def line_load(it: Answer, bits_per_second: float) -> Estimate:
    """Cores that a full line takes, in the direction or directions of the answer."""
    link_bytes = it.mean_packet_bytes if it.on_wire is None else it.on_wire.link_bytes
    packets_per_second = bits_per_second / (8 * link_bytes)
    return it.ns_per_packet.times(packets_per_second * 1e-9)


def _uses(facts: Sequence[contract.Algorithm]) -> Iterator[uses.Use]:
    """Yields the uses with a protocol of the run's suites, IPsec first."""
    protocols = {it.suite.protocol for it in facts if it.suite is not None}
    names = sorted(uses.USES.files(), key=lambda it: (it != PLAIN_USE, it))
    for use in map(uses.USES.named, names):
        if use.protocol in protocols or (not protocols and use.name == PLAIN_USE):
            yield use


MEASURED = ("profile", "sizes")
"""Answers that rest on nothing but figures of the suite itself."""

FIRST = 10
"""Suites that are seen at once, of those that carry most."""

WHOLE = 0.995
"""A share of a core from which on it is said in cores."""

CAPACITY = (
    "Payload in each direction, and the share of one core that fills a line, headers counted "
    "where they are known."
)


def blocks(found: Sequence[Decided]) -> Section:
    """Returns the section of the page: the first scenario, and the others folded."""
    first, *others = found
    folded = [
        Section(
            title=f"For {it.question.use.title}: {_scenario_words(it)}",
            blocks=list(_of_use(it)),
            folded=True,
        )
        for it in others
    ]
    return Section(
        title="To decide: what to use, and how much it carries",
        anchor="decision",
        blocks=[
            Notes.of([_scenario_words(first)], title=f"For {first.question.use.title}"),
            *_of_use(first),
            *folded,
        ],
        places=Place.PAGE,
    )


def _of_use(it: Decided) -> Iterator[Block]:
    if it.advice is not None:
        yield Template(name="decision.html.jinja", content=_advice(it, it.advice))
    facts = it.question.known.all_facts
    columns = _columns(it.answers, facts)
    seen, folded = it.answers[:FIRST], it.answers[FIRST:]
    if seen:
        yield Notes.of([CAPACITY], title="Capacity")
    yield Table(columns=columns, rows=seen)
    more = f"and {len(folded)} more that carry less"
    yield Section(title=more, blocks=[Table(columns=columns, rows=folded)], folded=True)
    yield Notes.of(_missing(it, facts))
    yield Notes.of(dict.fromkeys(note for one in it.answers for note in one.notes))


def _scenario_words(it: Decided) -> str:
    """Returns the question in one line: use, traffic, directions, rate, cores and keys."""
    asked = capacity_words.asked(it.question.scenario)
    paths = [one.path is not None for one in it.answers]
    whole = "data path included" if paths and all(paths) else "cryptography alone"
    if any(paths) and not all(paths):
        whole = "data path included where it is known"
    return f"{asked}, one key in use, {whole}"


def _columns(
    answers: Sequence[Answer], facts: Mapping[str, contract.Algorithm]
) -> list[Column[Answer]]:
    """Returns the columns of the capacity; life of keys and basis only if they say something."""
    is_weak = any(it.basis not in MEASURED for it in answers)
    return [
        of_words("Suite", lambda it: _suite(it, facts.get(it.suite)), kind="name"),
        Column("Gbit/s", lambda it: it.carried.value / 1e9, "One core carries\nGbit/s"),
        of_words("95 %", _interval, "One core carries\n95 %", kind="interval"),
        *(
            Column(name, partial(_load, rate), f"Of a core, to fill a line of\n{name}")
            for name, rate in LINES.items()
        ),
        *([Column("lasts", _key, "A key\nlasts")] if any(it.key for it in answers) else []),
        of_words("Most of the cost", _most_of, order=lambda it: it.fixed_share),
        *([of_words("Known by", lambda it: capacity_words.BASES[it.basis])] if is_weak else []),
    ]


def _suite(it: Answer, algorithm: contract.Algorithm | None) -> Cell:
    title = it.suite if algorithm is None else algorithm.title
    warning = "" if algorithm is None or algorithm.status in SOUND else algorithm.status
    return Cell(title, title, warning, "name")


def _interval(it: Answer) -> Cell:
    bounds = it.carried.interval or (it.carried.value, it.carried.value)
    return Cell(capacity_words.gbit_interval(*bounds), it.carried.value, mark="interval")


def _most_of(it: Answer) -> str:
    """Returns the larger part of a packet's cost."""
    if it.fixed_share is None:
        return ""
    return FIXED if it.fixed_share > MOSTLY else BYTES


def _key(it: Answer) -> Cell:
    """Returns the life of a key, marked if too short for new keys."""
    if it.key is None:
        return Cell("", mark="number")
    mark = "number unsettled" if it.key.hurried else "number"
    return Cell(capacity_words.lasting(it.key.seconds), it.key.seconds, mark=mark)


def _load(rate: float, it: Answer) -> Cell:
    """Returns the share of a core that fills a line, or the number of cores."""
    cores = line_load(it, rate).value
    text = figures.percent(cores) if cores < WHOLE else f"{figures.significant(cores)} cores"
    return Cell(text, cores, mark="number")


def _advice(it: Decided, advice: Advice) -> dict[str, Any]:
    """Returns the first screen of `ciphermark advise` for the scenario."""
    question = it.question
    facts = list(show.facts(advice, question))
    if len(advice.ranking) == 1:
        facts.append(
            ("rivals", "none: no other suite that fulfils the wishes has a figure in this run")
        )
    both_ways = " --both-ways" if question.load.both_ways else ""
    return {
        "headline": show.headline(advice, question),
        "facts": _merged(facts),
        "settings": advice.settings,
        "command": f"ciphermark advise --for {question.use.name} --link 1G{both_ways} --explain",
    }


def _merged(facts: list[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Labels with all that stands after them; one without a label goes on with the one before."""
    by_text: list[tuple[str, list[str]]] = []
    for label, text in facts:
        if by_text and label in ("", by_text[-1][0]):
            by_text[-1][1].append(text)
        else:
            by_text.append((label, [text]))
    return by_text


def _missing(it: Decided, facts: Mapping[str, contract.Algorithm]) -> list[str]:
    """Returns sentences on missing answers of this run, with commands for them."""
    said = [one.reason for one in it.unanswered]
    kinds = {facts[one.suite].kind for one in it.answers if one.suite in facts}
    if kinds == {"cipher"}:
        said.append(
            "These are ciphers alone: a tunnel also has to detect changed packets, which costs "
            "more. ciphermark esp measures both together."
        )
    if it.advice is None:
        said.append(
            "This run has too few figures for advice: ciphermark esp measures suites of "
            "tunnels, and ciphermark advise answers from them."
        )
    return said
