"""The page for decision makers at the top of a report: picture, capacity and advice, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ciphermark.answers.advice import show as advise
from ciphermark.answers.advice.decision import LINES, Advised, Decision, line_load
from ciphermark.answers.capacity import words as capacity_words
from ciphermark.answers.capacity.answer import Answer
from ciphermark.command.surroundings import SOUND
from ciphermark.show import figures
from ciphermark.show.cells import Cell
from ciphermark.statistics.estimate import Estimate

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.record.run import Context

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
    facts = list(advise.facts(it.advice, it.question))
    if len(it.advice.ranking) == 1:
        facts.append(("rivals", "none: nothing else that would do has a figure in this run"))
    return {
        "use": it.question.use.title,
        "headline": advise.headline(it.advice, it.question),
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
            "These are ciphers alone: a tunnel has to know that packets are whole, which costs "
            "more. ciphermark esp measures both together."
        )
    if not found.advised:
        said.append(
            "For advice this run has too little: ciphermark esp measures what tunnels use, and "
            "ciphermark advise answers from it."
        )
    return said


def _number(value: float) -> str:
    return figures.significant(value, separator=figures.NARROW_SPACE)
