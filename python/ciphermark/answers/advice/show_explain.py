"""Why the advice is what it is, and what would change it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from ciphermark.answers.advice import words
from ciphermark.answers.advice.advise import Advice
from ciphermark.answers.advice.carried import Question
from ciphermark.answers.advice.forgery import Forgery
from ciphermark.answers.advice.ranking import Ranked
from ciphermark.show import figures
from ciphermark.show.columns import Column, Columns

if TYPE_CHECKING:
    from ciphermark.record.run import Context

Fact = tuple[str, str]


def print_explanation(console: Console, it: Advice, question: Question, context: Context) -> None:
    """Prints it, in sections."""
    from ciphermark.answers.advice.show import print_facts

    _print_ranking(console, it, question)
    sections = {
        "What would change it": _flips(it),
        "How likely a forgery is": _forgeries(it),
        "Not measured here": _unmeasured(it),
        "Refused": _refused(it),
        "What is known of the choice": _known(it),
        "Settings": _settings(it),
        "How this was found": _method(it, question, context),
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
    console.print(Text("All that fulfil the wishes, the best first", style="bold"))
    columns = [
        Column[Ranked]("suite", lambda one: one.facts.title + (" =" if one.tied else "")),
        Column("times", lambda one: figures.significant(one.ratio.value), justify="right"),
        Column("±", lambda one: _half(one), justify="right"),
        Column("ns/packet", lambda one: figures.significant(one.packet_ns.value), justify="right"),
        Column(
            "carries",
            lambda one: words.rate(it.carries[one.facts.name].bits_per_second.value),
            justify="right",
        ),
        Column("by", lambda one: one.implementation, from_width=100),
        Column("status", lambda one: one.facts.status, from_width=110),
        Column("bits", lambda one: str(one.facts.strength_bits), justify="right", from_width=110),
        Column("from", lambda one: one.cost.how, from_width=120),
    ]
    console.print(Columns(columns, it.ranking))
    console.print(Text("=: no difference to the first beyond noise, or below 2 %", style="dim"))


def _half(one: Ranked) -> str:
    return f"{figures.significant(100 * one.ns.share, 2)} %"


def _flips(it: Advice) -> Iterator[Fact]:
    if it.recommendation is None:
        return
    now = it.recommendation.facts.title
    for flip in it.flips:
        mark = "would" if flip.changes else "would not"
        typed = f"  [{flip.option}]" if flip.option else ""
        yield mark, words.flip(flip, now) + typed


def _forgeries(it: Advice) -> Iterator[Fact]:
    """By bound: each with the functions and lengths of tags that it was asked for."""
    groups: dict[tuple[str, str], dict[tuple[str, int], Forgery]] = {}
    for found in it.forgeries.values():
        bound = groups.setdefault((found.in_words, found.source), {})
        bound[found.algorithm, found.tag_bytes] = found
    for (in_words, source), bound in groups.items():
        for found in bound.values():
            yield "", f"{found.algorithm}, {8 * found.tag_bytes}-bit tag: {words.forged(found)}"
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


def _method(it: Advice, question: Question, context: Context) -> Iterator[Fact]:
    load = question.load
    yield (
        "run",
        f"{context.run} ({context.plan_name}), of {context.machine_name}, {context.cpu_name}",
    )
    if load.by == "latency":
        yield "ranked by", "the time of the longest packet: protecting it and taking it out again"
    elif load.both_ways:
        yield "ranked by", "the CPU of one packet out and one in"
    else:
        yield "ranked by", "the CPU of a packet that goes out"
    if load.by == "energy":
        yield "", "Energy is CPU time times power, so on one kind of core the order is the same."
    if question.cores > 1:
        yield (
            "cores",
            "A further core is taken to do 75 to 100 % of what the first does: "
            "'ciphermark capacity' goes by what was measured on several.",
        )
    yield "traffic", _traffic(question)
    yield (
        "intervals",
        "95 %. Two costs are a tie whose ratio has 1 in its interval, or that differ by under 2 %.",
    )
    if it.recommendation is not None:
        error = it.recommendation.cost.error(load.traffic.sizes, load.profile)
        if error:
            yield (
                "intervals",
                f"What it carries has ±{figures.percent(error)} more in its interval, since this "
                "was not measured as a whole; all suites share that error.",
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
