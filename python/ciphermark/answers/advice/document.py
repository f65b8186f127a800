"""Advice as a document for machines."""

from __future__ import annotations

from typing import Any

import msgspec

from ciphermark.answers.advice import words
from ciphermark.answers.advice.advise import Advice
from ciphermark.answers.advice.facts import Facts
from ciphermark.answers.advice.ranking import Question, Ranked

Document = dict[str, Any]


def document(it: Advice, question: Question) -> Document:
    """Returns the advice as `--json` prints it."""
    runs = [name.removeprefix("run ") for name in words.sources(it, question)]
    return {
        "run": next(iter(runs), ""),
        "runs": runs,
        "machine": question.known.machine.name,
        "origin": question.known.machine.origin,
        "question": _question(question),
        "recommendation": None if it.recommendation is None else _ranked(it.recommendation, it),
        "ranking": [_ranked(one, it) for one in it.ranking],
        "ties": it.ties,
        "unmeasured": [one.name for one in it.unmeasured],
        "refused": [_refused(one) for one in it.refused],
        "impossible": None if it.impossible is None else _impossible(it),
        "forgery": it.forgery,
        "settings": it.settings,
        "faster_paths": it.faster_paths,
        "peer": None if it.peer is None else _peer(it),
        "elsewhere": None if it.elsewhere is None else _ranked(it.elsewhere, it),
        "libraries": dict(it.libraries),
        "left_out": it.left_out,
        "measure": it.measure,
        "notes": [*filter(None, [it.keys]), *it.notes],
    }


def _question(it: Question) -> Document:
    return {
        "for": it.use.name,
        "traffic": {name: getattr(it.load.traffic, name) for name in ("name", "typed", "sizes")},
        "both_ways": it.load.both_ways,
        "by": it.load.by,
        "cores": it.cores,
        "wishes": it.wishes,
        "tunnels": it.tunnels,
        "payload_bits_per_second": it.payload_bits_per_second,
        "link_bits_per_second": it.link_bits_per_second,
        "messages_per_second": it.messages_per_second,
        "attempts": it.attempts,
        "peer_supports": it.peer,
        "watts": it.load.watts,
        "node": None if it.load.node is None else it.load.node.name,
    }


def _ranked(one: Ranked, it: Advice) -> Document:
    carried = it.carries.get(one.facts.name)
    if it.recommendation is one:
        carried = it.carried
    return {
        "suite": one.facts.name,
        "provider": one.cost.provider,
        "backend": one.cost.backend,
        "how": one.cost.how,
        "nanoseconds_per_packet": one.packet_ns,
        "times": one.ratio,
        "tied": one.tied,
        "carried": carried,
        "forgery": it.forgeries.get(one.facts.name),
        "facts": msgspec.to_builtins(one.facts),
        "other_implementations": [
            {"provider": cost.provider, "backend": cost.backend, "nanoseconds": ns}
            for cost, ns in one.others
        ],
    }


def _refused(one: Any) -> Document:
    return msgspec.structs.asdict(one) | {
        "weak": one.weak,
        "reasons": [reason._asdict() for reason in one.reasons],
    }


def _impossible(it: Advice) -> Document:
    assert it.impossible is not None
    return {
        "ruled_out": [
            {"wish": wish, "title": title, "candidates": count, "of": of}
            for wish, title, count, of in it.impossible.ruled_out
        ],
        "conflicts": [conflict._asdict() for conflict in it.impossible.conflicts],
        "nearest": [
            {"suite": one.facts.name, "gives_up": [reason._asdict() for reason in against]}
            for one, against in it.impossible.nearest
        ],
    }


def _peer(it: Advice) -> Document:
    assert it.peer is not None
    peer = it.peer

    def name(one: Ranked | None) -> str | None:
        return None if one is None else one.facts.name

    def brief(facts: Facts) -> Document:
        return {"suite": facts.name, "status": facts.status, "standing": facts.standing}

    return {
        "supports": [brief(facts) for facts in peer.offered],
        "chosen": name(peer.chosen),
        "least_bad": None if peer.least_bad is None else peer.least_bad.name,
        "weak": peer.weak,
        "without_the_peer": name(peer.alone),
        "times_the_cost": peer.times_the_cost,
        "unmeasured": [facts.name for facts in peer.unmeasured],
    }
