"""Capacity on a terminal: what to know first, then a line for each suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ciphermark.answers.capacity import words
from ciphermark.answers.capacity.answer import Answer, Unanswered
from ciphermark.answers.capacity.question import Known, Question
from ciphermark.show import figures
from ciphermark.show.fitting import Column, print_groups, print_left_out
from ciphermark.show.frame import print_facts


def print_capacity(
    console: Console, question: Question, known: Known, found: Sequence[Answer | Unanswered]
) -> None:
    """Prints what the best of the suites carries, and the table of all."""
    answers = [it for it in found if isinstance(it, Answer)]
    print_facts(console, _head(question, known, answers))
    profiles = list(dict.fromkeys(it.profile for it in answers))
    for profile in profiles:
        _print_profile(console, [it for it in answers if it.profile == profile])
    for it in found:
        if isinstance(it, Unanswered):
            console.print(Text(it.reason, "yellow"))
    for note in dict.fromkeys(note for it in answers for note in it.notes):
        console.print(Text(f"· {note}", "dim"))


def _head(question: Question, known: Known, answers: Sequence[Answer]) -> dict[str, str]:
    cpus = "" if known.machine.cpus is None else f", {figures.counted(known.machine.cpus, 'CPU')}"
    sources = ", ".join(dict.fromkeys(it.source for it in answers))
    return {
        "Machine": f"{known.machine.name}{cpus}",
        "From": sources,
        "Asked": words.asked(question),
    }


def _print_profile(console: Console, answers: Sequence[Answer]) -> None:
    # Where the link ends it all carry the same, and the CPU tells.
    best = min(answers, key=lambda it: (-it.payload_bits_per_second, it.cores_per_gbit.value))
    cores = figures.counted(best.cores, "core")
    console.print(Text(f"{best.suite}, {best.profile} on {cores}", "bold"))
    grid = Table.grid(padding=(0, 2))
    for label, text in words.summary(best):
        grid.add_row(Text(f"  {label}", style="dim"), Text(text))
    console.print(grid)
    console.print()
    print_left_out(console, print_groups(console, list(_columns(answers)), [("", list(answers))]))
    console.print()


def _columns(answers: Sequence[Answer]) -> Iterator[Column[Answer]]:
    """What is asked for most stays longest."""
    yield Column("\nsuite", lambda it: Text(it.suite), left=True)
    yield Column("payload\nGbit/s", lambda it: _gbit(it.payload_bits_per_second))
    yield Column(
        "95 %\ninterval", lambda it: Text(words.gbit_interval(it.low, it.high)), 2, "interval"
    )
    if any(it.flow.value < 0.99 * it.payload_bits_per_second for it in answers):
        yield Column("one\nflow", lambda it: _gbit(it.flow.value), 4, "one flow")
    yield Column("M packets\n/s", lambda it: _figure(it.packets_per_second / 1e6), 5, "packets")
    if any(it.wire_bits_per_second for it in answers):
        yield Column("on wire\nGbit/s", _wire, 6, "on the wire")
    yield Column("cores per\nGbit/s", lambda it: _figure(it.cores_per_gbit.value), 3)
    if any(it.held for it in answers):
        yield Column("tunnels\nhold it", _held)
    yield Column("fixed\ncost", _fixed, 7, "fixed cost")
    yield Column("\nlimit", lambda it: Text(it.limit), 8, "limit", left=True)
    if any(it.on_wire and it.on_wire.fragmented_share for it in answers):
        yield Column("whole\nup to", _fits, 6, "the largest packet that goes whole")
    if any(it.key for it in answers):
        yield Column("key\nlasts", _key, 5, "key lasts")
    yield Column("\nknown by", _known_by, 8, "known by", left=True)
    yield Column(
        "\nprovider", lambda it: Text(f"{it.provider} · {it.backend}", "dim"), 9, left=True
    )


def _gbit(bits_per_second: float) -> Text:
    return _figure(bits_per_second / 1e9)


def _figure(value: float) -> Text:
    return Text(figures.significant(value))


def _wire(it: Answer) -> Text:
    return Text("–") if it.wire_bits_per_second is None else _gbit(it.wire_bits_per_second)


def _fixed(it: Answer) -> Text:
    return Text("–" if it.fixed_share is None else figures.percent(it.fixed_share))


def _known_by(it: Answer) -> Text:
    return Text(words.BASES[it.basis], "dim")


def _provider(it: Answer) -> Text:
    return Text(f"{it.provider} · {it.backend}", "dim")


def _fits(it: Answer) -> Text:
    fits = None if it.on_wire is None else it.on_wire.largest_bytes
    return Text("–" if fits is None else f"{fits} B")


def _held(it: Answer) -> Text:
    return Text("–" if it.held is None else figures.grouped(it.held.tunnels))


def _key(it: Answer) -> Text:
    if it.key is None:
        return Text("–")
    lasting = words.lasting(it.key.seconds)
    return Text(f"! {lasting}", "yellow") if it.key.hurried else Text(lasting)
