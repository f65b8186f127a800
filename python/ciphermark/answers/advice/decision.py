"""What somebody who has to decide must know of a run: what it carries, and what to use.

The answers are those of `capacity` and `advise`, from this run alone, for one mix of packets, and
for lines of the usual rates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ciphermark.answers.advice import advise, uses
from ciphermark.answers.advice.advise import Advice
from ciphermark.answers.advice.carried import Question as AdviceQuestion
from ciphermark.answers.advice.ranking import Load
from ciphermark.answers.advice.wishes import Wishes
from ciphermark.answers.capacity.answer import Answer, Unanswered
from ciphermark.answers.capacity.answering import answer
from ciphermark.answers.capacity.parts import USUAL_ERROR
from ciphermark.answers.capacity.question import Known, Machine, Question, Source
from ciphermark.errors import UsageError
from ciphermark.plan import profiles
from ciphermark.statistics.estimate import Estimate
from ciphermark.workload import workload_of
from ciphermark.workloads.single.row import Row

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
    both_ways, found = _answers(names, profile, _known(context, rows))
    answers = [it for it in found if isinstance(it, Answer)]
    return Decision(
        names,
        both_ways,
        sorted(answers, key=lambda it: -it.payload_bits_per_second),
        [it for it in found if isinstance(it, Unanswered)],
        list(_advised(context, rows, facts, both_ways)),
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


def _known(context: Context, rows: Sequence[Row]) -> Known:
    facts = None if context.hello is None else context.hello.environment
    source = Source(
        name=f"run {context.run}",
        kind="measured" if workload_of(context.workload).measured_here else "imported",
        rows=rows,
        algorithms={it.name: it for it in context.algorithms},
        lengths={it.profile: it.lengths for it in context.plan.cases if it.profile},
        error=0.0 if facts is None else facts.clocks.core_hz_spread + facts.clocks.cycle_residual,
    )
    machine = Machine(
        name=context.machine_name,
        cpus=facts and facts.machine.cpus_online,
        physical_cores=facts and facts.machine.cores_physical,
    )
    return Known(machine=machine, sources=[source], parts_error=USUAL_ERROR)


def _answers(
    names: Sequence[str], profile: profiles.Profile, known: Known
) -> tuple[bool, list[Answer | Unanswered]]:
    """Of both directions if anything has both, in the order of the names."""
    found: list[Answer | Unanswered] = []
    for both_ways in (True, False):
        question = Question(profile=profile, cores=1, both_ways=both_ways)
        found = [answer(name, question, known) for name in names]
        if any(isinstance(it, Answer) for it in found):
            return both_ways, found
    return False, found


def _advised(
    context: Context,
    rows: Sequence[Row],
    facts: Sequence[contract.Algorithm],
    both_ways: bool,
) -> Iterator[Advised]:
    known = {it.name: it for it in (*facts, *context.algorithms)}
    for use in _uses(context.algorithms):
        profile = use.profile or None
        question = AdviceQuestion(
            use=use,
            load=Load(uses.traffic(use, None, None), both_ways, "throughput", profile),
            wishes=Wishes(needs_integrity=not use.confidentiality_only),
            cores=1,
            payload_bits_per_second=None,
            link_bits_per_second=LINES[ADVISED_LINE],
            messages_per_second=None,
            attempts=None,
            peer=None,
            imported=not workload_of(context.workload).measured_here,
            more=(),
            physical_cores=None,
        )
        try:
            found = advise.advise(question, known, list(rows))
        except UsageError:
            continue  # this run has too little for it
        if found.recommendation is not None:
            yield Advised(question, found)


def _uses(facts: Sequence[contract.Algorithm]) -> Iterator[uses.Use]:
    """Those whose protocol the run has suites of, IPsec first."""
    protocols = {it.suite.protocol for it in facts if it.suite is not None}
    names = sorted(uses.known(), key=lambda it: (it != PLAIN_USE, it))
    for use in map(uses.use, names):
        if use.protocol in protocols or (not protocols and use.name == PLAIN_USE):
            yield use
