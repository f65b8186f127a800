"""Lists that `ciphermark list` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from ciphermark import contract
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Notes, Table
from ciphermark.view.column import STATUS_MARKS, Cell, Column, of_text, of_words
from ciphermark.view.stored import runs as runs

if TYPE_CHECKING:  # what one list shows takes longer to load than another to print
    from ciphermark.answers.protocols.nodes import Node
    from ciphermark.answers.protocols.protocols import Protocol
    from ciphermark.plan.profile import Profile
    from ciphermark.run.targets.toolchain import TargetSummary
    from ciphermark.studies.registry import Summary as StudySummary

Thing = TypeVar("Thing")


def _list(
    columns: list[Column[Thing]], things: Sequence[Thing], then: str, command: str
) -> list[Block]:
    """Returns a list, and the command to type with a name of it."""
    said = Notes.of([f"{then}: ciphermark {command}"], style="dim")
    return [Table(columns=columns, rows=things), said]


def algorithms(facts: list[contract.Algorithm]) -> list[Block]:
    """Returns algorithms by kind, with their standard and security."""
    from ciphermark.workloads.single.sections import KINDS

    columns: list[Column[contract.Algorithm]] = [
        of_words("algorithm", lambda it: it.name),
        of_words("title", lambda it: it.title, dispensable=3),
        of_words("kind", lambda it: it.kind),
        of_words("status", _status),
        of_text("bits", lambda it: str(it.strength_bits)),
        of_words("against", lambda it: it.strength_kind, dispensable=3),
        of_words("standard", lambda it: it.standard, wraps=True),
    ]
    order = list(KINDS)
    listed = sorted(facts, key=lambda it: (order.index(it.kind), it.name))
    count = figures.counted(len(facts), "algorithm")
    command = "list implementations --algorithms NAME"
    return _list(columns, listed, f"{count}. One of them", command)


def _status(it: contract.Algorithm | Protocol) -> Cell:
    return Cell(it.status, mark=STATUS_MARKS[it.status])


def suites(facts: list[contract.Algorithm]) -> list[Block]:
    """Returns suites with the bytes that they add to a packet, and their standing."""
    columns: list[Column[contract.Algorithm]] = [
        of_words("suite", lambda it: it.name),
        of_words("status", _status),
        of_text("bits", lambda it: str(it.strength_bits)),
        of_text("adds\nbytes", _added),
        of_text("ICV\nbits", lambda it: str(8 * it.suite.framing.icv_bytes) if it.suite else ""),
        of_words("standing", lambda it: it.suite.standing if it.suite else "", dispensable=4),
    ]
    count = figures.counted(len(facts), "suite")
    return _list(columns, facts, f"{count}. Measure some", "esp --suites NAME,NAME")


def _added(facts: contract.Algorithm) -> str:
    """Returns the fewest and the most bytes that a packet grows by: `56-59`."""
    assert facts.suite is not None
    it = facts.suite.framing
    fewest = it.outer_bytes + it.header_bytes + it.iv_bytes + it.trailer_bytes + it.icv_bytes
    return str(fewest) if it.pad_to == 1 else f"{fewest}-{fewest + it.pad_to - 1}"


def providers(libraries: list[contract.Provider]) -> list[Block]:
    """Returns libraries; those that cannot be used with the reason and the remedy."""
    columns: list[Column[contract.Provider]] = [
        of_words("provider", lambda it: it.name),
        of_words("state", lambda it: _good("usable") if it.usable else _bad("not usable")),
        of_words("library", _library, wraps=True),
        of_words("location", lambda it: it.location if it.usable else it.reason, at_end=True),
        of_words("notice", lambda it: it.notice, at_end=True),
    ]
    usable = sum(it.usable for it in libraries)
    said = f"{usable} of {len(libraries)} can be used here; code paths of one"
    return _list(columns, libraries, said, "list implementations --providers NAME")


def _library(it: contract.Provider) -> str:
    return f"{it.title} {it.version}" if it.usable else ""


def _good(text: str) -> Cell:
    return Cell(text, mark="good")


def _bad(text: str) -> Cell:
    return Cell(text, mark="failed")


def studies(found: list[StudySummary]) -> list[Block]:
    """Returns published studies, each with its source and the command that runs it."""
    columns: list[Column[StudySummary]] = [
        of_words("study", lambda it: it.study),
        of_words("title", lambda it: it.title, wraps=True),
        of_words("source", lambda it: it.source or "", at_end=True),
    ]
    return _list(columns, found, "Run one", "study NAME")


def nodes(known: list[Node]) -> list[Block]:
    """Returns nodes, with the target whose cycles are their processor's."""
    columns: list[Column[Node]] = [
        of_words("node", lambda it: it.name),
        of_words("title", lambda it: it.title, wraps=True),
        of_words("target", lambda it: it.target),
        of_text("MHz", lambda it: f"{it.clock_mhz:g}"),
        of_text("battery mAh", lambda it: f"{it.battery.capacity_mah:g}", dispensable=3),
        of_text(
            "unverified", lambda it: f"{len(it.unverified)} of {len(it.values)}", dispensable=3
        ),
    ]
    return _list(columns, known, "Cost of protocols on one", "protocol all --node NODE")


def protocols(known: list[Protocol]) -> list[Block]:
    """Returns protocols that secure messages, with their security today."""
    columns: list[Column[Protocol]] = [
        of_words("protocol", lambda it: it.name),
        of_words("title", lambda it: it.title, dispensable=5),
        of_words("cipher", lambda it: it.cipher, dispensable=3),
        of_text("key bits", lambda it: str(it.key_bits), dispensable=3),
        of_text("tag bytes", lambda it: str(it.tag_bytes)),
        of_words("status", _status),
        of_words("because", lambda it: it.status_reason, wraps=True),
    ]
    return _list(columns, known, "Cost of one on a node", "protocol PROTOCOL --node NODE")


def profiles(known: list[Profile]) -> list[Block]:
    """Returns mixes of message sizes, with how large their messages are."""
    columns: list[Column[Profile]] = [
        of_words("profile", lambda it: it.name),
        of_words("title", lambda it: it.title, wraps=True),
        of_words("bytes of", lambda it: it.layer, dispensable=3),
        of_text("mean", lambda it: figures.significant(it.mean_bytes)),
        of_text("largest", lambda it: str(it.largest_bytes)),
        of_words("bursts", lambda it: it.bursts.kind if it.bursts else ""),
        of_words("source", lambda it: it.source, wraps=True, dispensable=9),
    ]
    then = "--json has the sources; files of your own: docs/capacity.md. Traffic of such packets"
    return _list(columns, known, then, "capacity --profile NAME")


def targets(found: list[TargetSummary]) -> list[Block]:
    """Returns simulated processors, with the remedy for those that cannot be used."""
    from ciphermark.workloads.simulation.row import METRICS

    columns: list[Column[TargetSummary]] = [
        of_words("target", lambda it: it.target),
        of_words("processor", lambda it: it.title, wraps=True),
        of_text("bits", lambda it: str(it.word_bits)),
        of_text("MHz", lambda it: f"{it.clock_mhz:g}"),
        of_words("multiplies", _multiplies, dispensable=3),
        of_words("figures", lambda it: METRICS[it.metric]),
        of_words("here", lambda it: Cell("no", mark="unsettled") if it.reason else _good("yes")),
    ]
    reasons = Notes.of([it.reason for it in found if it.reason], style="yellow")
    return [*_list(columns, found, "Cycles of functions on one", "simulate TARGET"), reasons]


def _multiplies(target: TargetSummary) -> str:
    return f"{target.multiply_bits} bits" if target.multiply_bits else "no"
