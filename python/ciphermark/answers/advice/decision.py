"""The page for decision makers at the top of a report: what a run carries, and what to use.

The answers are those of `capacity` and `advise`, from this run alone, for one mix of packets, and
for lines of the usual rates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ciphermark.answers.advice import advise, show, uses
from ciphermark.answers.advice.advise import Advice
from ciphermark.answers.advice.ranking import Load
from ciphermark.answers.advice.ranking import Question as AdviceQuestion
from ciphermark.answers.advice.uses import Wishes
from ciphermark.answers.capacity import show as capacity_words
from ciphermark.answers.capacity.answer import (
    Answer,
    Known,
    Question,
    Unanswered,
    answer,
    machine_of,
    rows_of,
    source_of,
)
from ciphermark.answers.capacity.packet_cost import USUAL_ERROR
from ciphermark.errors import UsageError
from ciphermark.plan import profiles
from ciphermark.plan.profile import Profile
from ciphermark.show import figures
from ciphermark.show.column import Cell
from ciphermark.statistics.estimate import Estimate
from ciphermark.workload import workload_of
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.surroundings import SOUND

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.record.run import Context


LINES = {"100 Mbit/s": 1e8, "1 Gbit/s": 1e9, "10 Gbit/s": 1e10}
"""Rates of Ethernet lines, bits per second: IEEE 802.3."""

PROFILE = "imix"

ADVISED_LINE = "1 Gbit/s"
"""The line that the advice is asked about."""

PLAIN_USE = "ipsec"
"""What advice is for where a run has no suites: the use that is put together from most parts."""

DECIDED_ON = ("suite", "aead", "cipher")
"""Kinds of algorithms that carry traffic; the first of which a run has some is decided on."""


class Advised(NamedTuple):
    """Advice with its question."""

    question: AdviceQuestion
    advice: Advice


class Decision(NamedTuple):
    """All that the page for decision makers rests on."""

    names: list[str]
    """What is decided on, in the order of the run."""
    both_ways: bool
    """Whether answers are of both directions; not where the other one was not measured."""
    answers: list[Answer]
    """On one core; those that carry most first."""
    unanswered: list[Unanswered]
    """Of what nothing can be said, with why."""
    advised: list[Advised]
    """One for each use of the run's suites, none where it has too little."""


def is_decided_on(context: Context) -> bool:
    """Whether a run is of suites, or of what other programs tell, in rows of one thread."""
    workload = workload_of(context.workload)
    suites = any(it.kind == "suite" for it in context.algorithms)
    return workload.of_messages and (suites or not workload.measured_here)


def decision(
    context: Context, rows: Sequence[Row], facts: Sequence[contract.Algorithm] = ()
) -> Decision | None:
    """None where a run has nothing that carries traffic.

    `facts` are those of all algorithms: advice says of what a suite consists, and what is refused.
    """
    names = decided_on(context, rows)
    if not names:
        return None
    [profile] = profiles.from_option(PROFILE)
    known = Known(
        machine=machine_of(context),
        sources=[source_of(context, rows)],
        facts={it.name: it for it in facts},
        parts_error=USUAL_ERROR,
    )
    both_ways, found = _answers(names, profile, known)
    answers = [it for it in found if isinstance(it, Answer)]
    return Decision(
        names,
        both_ways,
        sorted(answers, key=lambda it: -it.payload_bits_per_second),
        [it for it in found if isinstance(it, Unanswered)],
        list(_advised(context, known, both_ways)),
    )


def decided_on(context: Context, rows: Sequence[Row]) -> list[str]:
    """The algorithms of a run that are rivals for the same traffic."""
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


def _answers(
    names: Sequence[str], profile: Profile, known: Known
) -> tuple[bool, list[Answer | Unanswered]]:
    """Of both directions if anything has both, in the order of the names."""
    found: list[Answer | Unanswered] = []
    for both_ways in (True, False):
        question = Question(profile=profile, cores=1, both_ways=both_ways)
        found = [answer(name, question, known) for name in names]
        if any(isinstance(it, Answer) for it in found):
            return both_ways, found
    return False, found


def _advised(context: Context, known: Known, both_ways: bool) -> Iterator[Advised]:
    facts = known.all_facts
    for use in _uses(context.algorithms):
        profile = use.profile or None
        question = AdviceQuestion(
            use=use,
            load=Load(uses.traffic(use, None, None), both_ways, "throughput", profile),
            wishes=Wishes(
                strength_bits=use.strength_bits, needs_integrity=not use.confidentiality_only
            ),
            known=known,
            link_bits_per_second=LINES[ADVISED_LINE],
        )
        try:
            found = advise.advise(question, facts, rows_of(known, question.scenario))
        except UsageError:
            continue  # this run has too little for it
        if found.recommendation is not None:
            yield Advised(question, found)


def _uses(facts: Sequence[contract.Algorithm]) -> Iterator[uses.Use]:
    """Those whose protocol the run has suites of, IPsec first."""
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


def decision_page(context: Context, found: Decision) -> dict[str, Any]:
    """All that the template needs but the picture."""
    facts = {it.name: it for it in context.algorithms}
    with_keys, with_basis = _have_keys(found.answers), _are_weak(found.answers)
    return {
        "profile": found.answers[0].profile.upper() if found.answers else "",
        "mean_bytes": _mean_bytes(found.answers),
        "ways": "each way, both at once" if found.both_ways else "one way (sending)",
        "heads": _heads(found.answers),
        "lines": [_line(it, facts[it.suite], with_keys, with_basis) for it in found.answers],
        "advice": [_advice(it) for it in found.advised],
        "first": FIRST,
        "notes": list(dict.fromkeys(note for it in found.answers for note in it.notes)),
        "missing": _missing(found, facts),
    }


def _mean_bytes(answers: list[Answer]) -> str:
    return figures.significant(answers[0].mean_packet_bytes) if answers else ""


def _heads(answers: list[Answer]) -> list[dict[str, Any]]:
    """Columns in groups, in the order of `_line`."""
    groups = [
        ("", ["Suite"]),
        ("One core carries", ["Gbit/s", "95 %"]),
        ("Of a core, to fill a line of", list(LINES)),
        ("A key", ["lasts"] if _have_keys(answers) else []),
        ("", ["Most of the cost", *(["Known by"] if _are_weak(answers) else [])]),
    ]
    return [
        {"name": name, "columns": columns, "numbers": bool(name)}
        for name, columns in groups
        if columns
    ]


def _have_keys(answers: list[Answer]) -> bool:
    """Whether limits of keys are known of some."""
    return any(it.key is not None for it in answers)


def _are_weak(answers: list[Answer]) -> bool:
    """Whether some rest on other figures than those of the suite, measured here."""
    return any(it.basis not in MEASURED for it in answers)


def _line(
    it: Answer, algorithm: contract.Algorithm, with_keys: bool, with_basis: bool
) -> list[Cell]:
    gbit = it.payload_bits_per_second / 1e9
    warning = "" if algorithm.status in SOUND else algorithm.status
    return [
        Cell(algorithm.title, algorithm.title, warning, "name"),
        Cell(_number(gbit), gbit, mark="number"),
        Cell(capacity_words.gbit_interval(it.low, it.high), gbit, mark="interval"),
        *(_load(line_load(it, rate)) for rate in LINES.values()),
        *([_key(it)] if with_keys else []),
        Cell(it.limit, it.limit),
        *([Cell(capacity_words.BASES[it.basis], it.basis)] if with_basis else []),
    ]


def _key(it: Answer) -> Cell:
    """Marked where it lasts too short for new ones to be negotiated."""
    if it.key is None:
        return Cell("", mark="number")
    mark = "number unsettled" if it.key.hurried else "number"
    return Cell(capacity_words.lasting(it.key.seconds), it.key.seconds, mark=mark)


def _load(cores: Estimate) -> Cell:
    """Of a core, or how many of them."""
    if cores.value < WHOLE:
        text = figures.percent(cores.value)
    else:
        text = f"{figures.significant(cores.value)} cores"
    return Cell(text, cores.value, mark="number")


def _advice(it: Advised) -> dict[str, Any]:
    """What `ciphermark advise` says first, for one use."""
    facts = list(show.facts(it.advice, it.question))
    if len(it.advice.ranking) == 1:
        facts.append(
            ("rivals", "none: no other suite that fulfils the wishes has a figure in this run")
        )
    return {
        "use": it.question.use.title,
        "headline": show.headline(it.advice, it.question),
        "facts": _merged(facts),
        "settings": it.advice.settings,
        "command": f"ciphermark advise --for {it.question.use.name} --link 1G --explain",
    }


def _merged(facts: list[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Labels with all that stands after them; one without a label goes on with the one before."""
    found: list[tuple[str, list[str]]] = []
    for label, text in facts:
        if found and label in ("", found[-1][0]):
            found[-1][1].append(text)
        else:
            found.append((label, [text]))
    return found


def _missing(found: Decision, facts: Mapping[str, contract.Algorithm]) -> list[str]:
    """What could not be said from this run, and what to type."""
    said = [it.reason for it in found.unanswered]
    if all(facts[name].kind == "cipher" for name in found.names):
        said.append(
            "These are ciphers alone: a tunnel also has to detect changed packets, which costs "
            "more. ciphermark esp measures both together."
        )
    if not found.advised:
        said.append(
            "This run has too few figures for advice: ciphermark esp measures suites of "
            "tunnels, and ciphermark advise answers from them."
        )
    return said


def _number(value: float) -> str:
    return figures.significant(value, separator=figures.NARROW_SPACE)
