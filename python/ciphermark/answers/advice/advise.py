"""The advice: put together from candidates, wishes, costs and what a peer supports."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

import msgspec

from ciphermark.answers.advice import left_out
from ciphermark.answers.advice.candidates import (
    Candidate,
    Conflict,
    Constraint,
    Reason,
    Refused,
    all_costs,
    candidates,
    conflicts,
    constraints,
    costs,
    nearest,
    reasons,
    ruled_out,
)
from ciphermark.answers.advice.facts import Facts, Forgery, Known, facts, forgery
from ciphermark.answers.advice.faster_paths import FasterPath, faster_for, faster_paths
from ciphermark.answers.advice.peers import Peer, judge
from ciphermark.answers.advice.ranking import (
    Carried,
    Load,
    Question,
    Ranked,
    carried,
    preference,
    quotient,
    ranking,
)
from ciphermark.answers.advice.uses import Setting, Traffic, Use, Wishes, settings
from ciphermark.answers.capacity.answer import measuring
from ciphermark.answers.capacity.keys import HURRIED_S, MANY_MORE, more_than
from ciphermark.answers.capacity.packet_cost import assumption, keys_in_common, with_keys
from ciphermark.answers.capacity.suite_costs import FROM_PARTS, WHOLE, whole
from ciphermark.answers.models.observations import Footprint
from ciphermark.answers.protocols import nodes
from ciphermark.errors import UsageError
from ciphermark.statistics.estimate import Estimate
from ciphermark.view import figures
from ciphermark.workloads.single.row import Row

MANY_TUNNELS = 1000
"""For whom the default run of `esp` measures."""


class NothingMeasured(UsageError):
    """No candidate has a figure."""


class Impossible(msgspec.Struct, kw_only=True):
    """Why nothing is left, and what comes nearest."""

    ruled_out: list[tuple[str, str, int, int]]
    """Each wish: its name, its words, candidates it rules out, of how many."""
    conflicts: list[Conflict]
    nearest: list[tuple[Ranked, list[Reason]]]


class Advice(msgspec.Struct, kw_only=True):
    """All that `ciphermark advise` says."""

    use: Use
    traffic: Traffic
    wishes: Wishes
    recommendation: Ranked | None
    carried: Carried | None
    ranking: list[Ranked]
    """Of what fulfils all wishes and was measured."""
    carries: dict[str, Carried]
    """Of each that is ranked."""
    ties: list[str]
    """Names of what costs the same as the recommendation."""
    unmeasured: list[Facts]
    """What fulfils all wishes and has no figure."""
    refused: list[Refused]
    impossible: Impossible | None
    forgery: Forgery | None
    forgeries: dict[str, Forgery]
    """Of each that is ranked."""
    settings: list[Setting]
    faster_paths: list[FasterPath]
    peer: Peer | None
    elsewhere: Ranked | None
    """The suite of another protocol, where there is no choice in this one."""
    libraries: list[tuple[str, Estimate]]
    """The other libraries that have the recommendation, with their cost by that of its own."""
    keys: str
    """How many keys were in use, where that matters; empty where nothing is known of it."""
    left_out: str
    """What the figures do not have in them, and whose code does the work in the tools."""
    measure: str | None
    """What measures the best of what fulfils all wishes, where nothing of that was measured."""
    notes: list[str]


def advise(
    question: Question,
    known: Known,
    rows: Sequence[Row],
    path_rows: Sequence[Row] = (),
    memory: Mapping[str, Footprint] = {},
) -> Advice:
    """Judges a run's rows, all suites with the same number of keys in use.

    `path_rows` are of another run that looked at libraries' code paths. Raises `NothingMeasured`,
    and `UsageError` for an unreadable list of the peer.
    """
    tunnels = question.tunnels or 1
    several = len({row.keys for row in rows}) > 1
    leaders = _leaders(question, known, rows, memory) if several else []
    keys = keys_in_common(rows, leaders, tunnels)
    found = _advise(question, known, with_keys(rows, keys) if several else rows, path_rows, memory)
    found.keys = _of_keys(found, question, rows)
    return found


def _leaders(
    question: Question, known: Known, rows: Sequence[Row], memory: Mapping[str, Footprint]
) -> list[str]:
    """Returns the first suites of the ranking and of the peer, by figures with the fewest keys."""
    left, ranked = _judged(question, known, rows, memory)[1:]
    peer = _peer(question, known, rows, left, ranked)
    found = [*ranked[:1], *([peer.chosen] if peer and peer.chosen else [])]
    return [it.facts.name for it in found]


def _judged(
    question: Question, known: Known, rows: Sequence[Row], memory: Mapping[str, Footprint]
) -> tuple[list[Candidate], list[Candidate], list[Ranked]]:
    """Returns all candidates, those that fulfil the wishes, and the ranking of these."""
    them = candidates(question.use, known, rows, question.wishes, question.more, memory)
    if question.only:
        them = [it for it in them if it.facts.name in (*question.only, *question.more)]
    them = _of_one_kind(them, question.use.library)
    tests = _tests(question)
    left = [it for it in them if not reasons(it, tests)]
    return them, left, ranking(left, question.load)


def _advise(
    question: Question,
    known: Known,
    rows: Sequence[Row],
    path_rows: Sequence[Row],
    memory: Mapping[str, Footprint],
) -> Advice:
    """Judges rows of which each suite has one number of keys."""
    use, load, wishes = question.use, question.load, question.wishes
    them, left, ranked = _judged(question, known, rows, memory)
    tests = _tests(question)
    measured = any(load.knows(cost) for it in them for cost in it.costs)
    if not measured:
        raise NothingMeasured(nothing_measured(use, question.only))
    peer = _peer(question, known, rows, left, ranked)
    chosen = ranked[0] if ranked else None
    if peer is not None:
        chosen = peer.chosen
    refused = _refused(them, tests, load, ranked)
    refused += _asked_about(use, known, refused, them, wishes)
    carries = {it.facts.name: carried(it, question) for it in ranked}
    chosen_carries = None
    if chosen is not None:
        chosen_carries = carried(chosen, question) if peer else carries[chosen.facts.name]
    unmeasured = sorted((it.facts for it in left if not it.costs), key=preference)
    path = None if chosen_carries is None else chosen_carries.path
    through_tunnel = path is not None and path.has_cryptography
    return Advice(
        use=use,
        traffic=load.traffic,
        wishes=wishes,
        recommendation=chosen,
        carried=chosen_carries,
        ranking=ranked,
        carries=carries,
        ties=[it.facts.name for it in ranked[1:] if it.tied] if peer is None else [],
        unmeasured=unmeasured,
        refused=refused,
        impossible=(
            None if ranked or unmeasured or peer is not None else _impossible(them, tests, load)
        ),
        forgery=_forgery(chosen, chosen_carries, question),
        forgeries=_forgeries(ranked, carries, question),
        # Who programs a node links a function, and configures no tool.
        settings=[] if load.node is not None else _settings(use, chosen, ranked, peer),
        faster_paths=_faster(rows, path_rows, chosen, load),
        libraries=_libraries(chosen, rows, load),
        peer=peer,
        # Of cryptography alone, as this is then not.
        elsewhere=None if through_tunnel else _elsewhere(use, known, rows, load),
        left_out=(
            left_out.ON_NODE
            if load.node is not None
            else left_out.sentence(
                use,
                chosen.cost.provider if chosen else use.library or "",
                path,
            )
        ),
        measure=(
            measuring(unmeasured[0].name) if unmeasured and not ranked and peer is None else None
        ),
        keys="",
        notes=_notes(
            question,
            chosen,
            peer,
            through_tunnel=through_tunnel,
            whole_known=any(it.startswith(f"{use.protocol}:") for it in known),
        ),
    )


def _tests(question: Question) -> list[Constraint]:
    """Returns the wishes as tests, with that of a key at the rate that is asked about."""
    found = constraints(question.use, question.wishes)
    rates = (question.payload_bits_per_second, question.link_bits_per_second)
    if question.peer is None and any(rates):
        title = f"a key that lasts at least {HURRIED_S:g} s"
        found.append(Constraint("keys", title, lambda it: _hurried(it, question)))
    return found


def _hurried(it: Candidate, question: Question) -> Reason | None:
    ranked = ranking([it], question.load)
    key = carried(ranked[0], question).key if ranked else None
    if key is None or not key.hurried:
        return None
    because = f"one key lasts {key.seconds:.2g} s at this rate, less than a key exchange needs"
    return Reason("keys", because, key.limit.source)


def _of_one_kind(them: list[Candidate], library: str | None) -> list[Candidate]:
    """Returns the candidates without figures that are not to be compared with those of others.

    Sums of parts leave something out, and the tools use one library: where suites were measured as
    a whole, or by that library, the others have no figure.
    """
    suites = [cost for it in them for cost in it.costs if it.facts.kind == "suite"]
    left = [cost for cost in suites if cost.how == WHOLE] or suites
    left = [cost for cost in left if cost.provider == library] or left
    return [
        it._replace(costs=tuple(cost for cost in it.costs if cost in left))
        if it.facts.kind == "suite"
        else it
        for it in them
    ]


def _libraries(it: Ranked | None, rows: Sequence[Row], load: Load) -> list[tuple[str, Estimate]]:
    """Returns the other libraries that have a suite, with their cost by that of the chosen one."""
    if it is None:
        return []
    [ranked] = ranking([Candidate(it.facts, tuple(all_costs(it.facts, rows)))], load)
    found: dict[str, Estimate] = {}
    for cost, ns in [(ranked.cost, ranked.ns), *ranked.others]:
        if cost.provider != it.cost.provider and cost.how == it.cost.how:
            found.setdefault(cost.provider, quotient(ns, it.ns))
    return list(found.items())


def nothing_measured(use: Use, only: Sequence[str] = ()) -> str:
    """The sentence about a run without a figure for a use, or for only these suites of it."""
    if only:
        return (
            f"no stored run has figures for {', '.join(only[:3])}: measure first with "
            f"'{measuring(','.join(only))}'"
        )
    return f"no stored run has figures for {use.title}: measure first with '{use.measured_by}'"


def _of_keys(it: Advice, question: Question, rows: Sequence[Row]) -> str:
    """Returns the sentence on the keys in use, with the command for figures that are missing."""
    chosen = it.recommendation
    if chosen is None:
        return ""
    keys, tunnels = chosen.cost.keys, question.tunnels
    if tunnels is None:
        many, ns = _nearest(chosen, MANY_TUNNELS, rows, question.load)
        if keys > 1 or many <= MANY_MORE:
            return ""
        more = more_than(ns / chosen.packet_ns.value - 1, "with one")
        return (
            f"one key is in use here; with {figures.grouped(many)} a packet costs {more}: "
            "--tunnels N counts that"
        )
    if tunnels > MANY_MORE * keys:
        in_use = "one key is" if keys == 1 else f"{figures.grouped(keys)} keys are"
        return (
            f"{in_use} in use here. The cost of finding the key of one of {tunnels} tunnels was "
            f"not measured: {esp_command(question)}"
        )
    if keys == 1:
        return ""
    sentence = f"every suite with {figures.grouped(keys)} keys in use"
    one, ns = _nearest(chosen, 1, rows, question.load)
    if one == 1:
        sentence += f": a packet costs {more_than(chosen.packet_ns.value / ns - 1, 'with one')}"
    there = {row.algorithm for row in rows}
    lacking = [facts.title for facts in it.unmeasured if facts.name in there]
    if lacking:
        named = ", ".join(lacking)
        sentence += f"; not measured so were {named}: {esp_command(question)}"
    return sentence


def esp_command(question: Question) -> str:
    """Returns the command that measures the suites of a question with as many keys."""
    command = question.use.measured_by
    if question.only:
        command = measuring(",".join(question.only))
    if question.peer is not None:
        command += f" --peer-supports {shlex.quote(question.peer)}"
    if question.tunnels is not None:
        command += f" --tunnels {question.tunnels}"
    return command


def _nearest(chosen: Ranked, tunnels: int, rows: Sequence[Row], load: Load) -> tuple[int, float]:
    """Returns the measured number of keys nearest to the tunnels, and nanoseconds of a packet.

    Both are of the same implementation.
    """
    own = chosen.cost
    alike = (
        it
        for it in whole(rows, chosen.facts.name, tunnels=tunnels)
        if (it.provider, it.backend) == (own.provider, own.backend) and load.knows(it)
    )
    cost = next(alike, own)
    return cost.keys, load.packet_ns(cost).value


def _peer(
    question: Question,
    known: Known,
    rows: Sequence[Row],
    left: Sequence[Candidate],
    ranked: Sequence[Ranked],
) -> Peer | None:
    if question.peer is None:
        return None
    good = [it.facts.name for it in left]
    alone = ranked[0] if ranked else None
    return judge(question.peer, question.use, known, rows, good, question.load, alone)


def _refused(
    them: Sequence[Candidate],
    tests: Sequence[Constraint],
    load: Load,
    ranked: Sequence[Ranked],
) -> list[Refused]:
    """Those with reasons against them: the weak first, of these the measured ones first."""
    found = []
    for it in them:
        against = reasons(it, tests)
        if not against:
            continue
        costed = ranking([it], load)
        times = costed[0].ns.value / ranked[0].ns.value if costed and ranked else None
        found.append(_refusal(it, against, times))
    return sorted(found, key=lambda it: (not it.weak, not it.measured, it.status, it.name))


def _refusal(it: Candidate, against: list[Reason], times: float | None = None) -> Refused:
    return Refused(
        name=it.facts.name,
        title=it.facts.title,
        status=it.facts.status,
        reasons=against,
        weak_parts=it.facts.weak_parts,
        measured=bool(it.costs),
        times_the_cost=times,
    )


def _asked_about(
    use: Use,
    known: Known,
    refused: Sequence[Refused],
    them: Sequence[Candidate],
    wishes: Wishes,
) -> list[Refused]:
    """Weak functions that people ask about and that no candidate is."""
    there = {it.name for it in refused} | {it.facts.name for it in them}
    found = []
    for name in use.asked_about:
        it = None if name in there else facts(name, use, known)
        if it is None:
            continue
        against = reasons(Candidate(it, ()), constraints(use, wishes)[:1])
        if against:
            found.append(_refusal(Candidate(it, ()), against))
    return found


def _impossible(them: Sequence[Candidate], tests: Sequence[Constraint], load: Load) -> Impossible:
    near = nearest(them, tests)
    failing = {it.facts.name: against for it, against in near}
    ranked = ranking([it for it, _ in near], load)
    return Impossible(
        ruled_out=ruled_out(them, tests),
        conflicts=conflicts(them, tests),
        nearest=[(it, failing[it.facts.name]) for it in ranked],
    )


def _forgeries(
    ranked: Sequence[Ranked], carries: Mapping[str, Carried], question: Question
) -> dict[str, Forgery]:
    found = {it.facts.name: _forgery(it, carries[it.facts.name], question) for it in ranked}
    return {name: it for name, it in found.items() if it is not None}


def _forgery(it: Ranked | None, carries: Carried | None, question: Question) -> Forgery | None:
    """Returns the chance at as many tries as a node's channel takes, or the rate, or the suite."""
    if it is None or carries is None or it.facts.tagged_by is None or it.facts.kind == "hash":
        return None
    traffic = question.load.traffic
    per_second = question.messages_per_second
    if per_second is None and question.load.node is not None:
        frame_bytes = question.load.frame_bytes(it.facts, traffic.largest_bytes)
        per_second = nodes.tries_per_second(question.load.node.radio, frame_bytes)
    if per_second is None and carries.rate_bits_per_second is not None:
        per_second = carries.rate_bits_per_second / (8 * traffic.mean_bytes)
    if per_second is None:
        per_second = carries.packets_per_second.value
    return forgery(
        it.facts.tagged_by,
        it.facts.tag_bytes,
        traffic.largest_bytes,
        question.use.aad_bytes,
        attempts_per_second=per_second,
        attempts=question.attempts,
    )


def _settings(
    use: Use, chosen: Ranked | None, ranked: Sequence[Ranked], peer: Peer | None
) -> list[Setting]:
    if peer is None:
        return settings(use, chosen.facts.name, [it.facts.name for it in ranked]) if chosen else []
    best = peer.least_bad if chosen is None else chosen.facts
    if best is None:
        return []
    return settings(use, best.name, (), *peer.beside(best.name))


def _faster(
    rows: Sequence[Row], path_rows: Sequence[Row], chosen: Ranked | None, load: Load
) -> list[FasterPath]:
    """By the run itself where it has masked features, else by what is known at 1024 bytes."""
    if chosen is None:
        return []
    if any(row.switches and row.provider == chosen.cost.provider for row in rows):
        return faster_for(load, chosen, rows)
    names = (chosen.facts.name, *(it.name for it in chosen.facts.parts))
    return faster_paths(path_rows, names, chosen.cost.provider)


def _elsewhere(use: Use, known: Known, rows: Sequence[Row], load: Load) -> Ranked | None:
    """What another protocol offers, where there is no choice in this one."""
    it = None if use.elsewhere is None else facts(use.elsewhere, use, known)
    if it is None:
        return None
    found = ranking([Candidate(it, tuple(costs(use, it, rows)))], load)
    return found[0] if found else None


def _notes(
    question: Question,
    chosen: Ranked | None,
    peer: Peer | None,
    *,
    through_tunnel: bool,
    whole_known: bool,
) -> list[str]:
    found = list(question.use.notes)
    if chosen is None:
        return found
    if peer is not None and question.use.groups and not peer.beside(chosen.facts.name)[0]:
        found.append(
            "The peer's list names no key exchange group, so the line has none: without one, new "
            "keys have no forward secrecy. Add a group that the peer has, as -modp2048."
        )
    cost = chosen.cost
    source = question.source(cost)
    imported = source.kind == "imported"
    found += source.notes
    if imported or cost.assumed:
        found.append(assumption(question.use.measured_by, imported=imported))
    elif cost.unsettled is not None:
        found.append(
            f"Some figures of {chosen.facts.title} did not settle ({cost.unsettled}): measure "
            "again on a quiet machine."
        )
    load = question.load
    if chosen.assumes_receiving:
        found.append(
            f"Receiving was not measured with {chosen.facts.title}: "
            f"{measuring(chosen.facts.name)} measures both directions."
        )
    if cost.how == FROM_PARTS and not through_tunnel:
        found.append(_of_parts(question.use, len(chosen.facts.parts), whole_known))
    if cost.sizes() and not cost.covers(question.load.traffic.sizes):
        sizes = cost.sizes()
        range_ = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
        found.append(
            f"Some messages are outside the measured sizes ({range_} bytes), so their cost is "
            "extrapolated; the interval allows for it."
        )
    if cost.constant_time is False:
        found.append(
            f"The running time of {cost.provider} for {chosen.facts.title} depends on the key: "
            "another program on the same machine may learn the key from it."
        )
    if load.node is None and left_out.is_another(question.use, cost.provider):
        found.append(
            f"'{left_out.measuring(question.use)}' measures the library that the tools below use."
        )
    found += _unknown_rooms(question.wishes, chosen)
    if chosen.cut_source:
        size = chosen.facts.tag_bytes
        found.append(f"Send the first {size} bytes of the tag, and compare only those.")
    if question.wishes.fips:
        found.append(
            "FIPS approves the algorithm. Ask the vendor of your library whether it is a "
            "validated module."
        )
    return found


def _of_parts(use: Use, parts: int, whole_known: bool) -> str:
    text = (
        "The figures are the sum of parts that were measured separately: a lower bound of the cost"
    )
    if parts == 1:
        text = (
            "The figures leave out the protocol's work beside the cipher: a lower bound of the cost"
        )
    return f"{text}; '{use.measured_by}' measures the whole suite." if whole_known else f"{text}."


def _unknown_rooms(wishes: Wishes, chosen: Ranked) -> list[str]:
    """A limit that nothing can be said about refuses nothing; that has to be said."""
    asked = {
        "memory": (wishes.memory_bytes, chosen.cost.memory_bytes),
        "code": (wishes.code_bytes, chosen.cost.code_bytes),
    }
    return [
        f"The {what} that {chosen.facts.title} needs with {chosen.cost.provider} is unknown, so "
        f"--{what} was ignored; simulated processors (--node) tell it."
        for what, (wished, known) in asked.items()
        if wished is not None and known is None
    ]
