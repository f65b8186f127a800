"""From which packet size on devices beat the CPU, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.plan.cpu_sets import listed
from ciphermark.show import figures
from ciphermark.show.fitting import Column, print_groups, print_left_out
from ciphermark.statistics.estimate import in_threes
from ciphermark.workloads.packets import break_even_words as words
from ciphermark.workloads.packets.break_even import BreakEven, Comparison, Measure
from ciphermark.workloads.packets.cores import CoresNeeded

TITLE = "From which packet size on a device beats the CPU"
NOTHING = "–"
NO_RIVAL = (
    "No break-even: it takes the same packets with a device and without one, in batches of the "
    "same size; write for example ciphermark packets --break-even --offload cores,af_alg,opencl"
)

SHORT = {
    "always": "always",
    "never": "never",
    "several": "at some sizes",
    "even": "no difference",
    "no-figure": NOTHING,
}
"""Outcomes without a size of their own."""


def print_break_even(console: Console, found: Sequence[Comparison]) -> None:
    """Prints the table, then the advice, then what the figures are."""
    console.print()
    console.print(Text(TITLE, style="bold"))
    if not found:
        console.print(Text(NO_RIVAL))
        return
    groups: dict[str, list[Comparison]] = {}
    for it in found:
        groups.setdefault(words.function(it), []).append(it)
    left_out = print_groups(console, list(_columns()), list(groups.items()))
    for sentence in words.sentences(found):
        console.print(Text(sentence))
    for sentence in (words.METHOD, words.FREED):
        console.print(Padding(Text(sentence, style="dim"), (0, 0, 0, 2)))
    print_left_out(console, left_out)


def document(found: Sequence[Comparison], needed: Sequence[CoresNeeded]) -> dict[str, object]:
    """What `--json` adds; `break_even` is there where it was asked for, even if empty."""
    told: dict[str, object] = {"break_even": in_threes(found), "advice": [*words.sentences(found)]}
    return told | ({"cores_needed": needed} if needed else {})


def _columns() -> Iterator[Column[Comparison]]:
    yield Column("device", lambda it: Text(words.device(it)), left=True)
    yield Column("CPUs", lambda it: Text(listed(it.cpus)), 4)
    yield Column("batch", lambda it: Text(figures.grouped(it.batch)))
    yield Column("in\nflight", lambda it: Text(figures.grouped(it.in_flight)))
    yield Column("faster\nfrom", lambda it: _outcome(it, "throughput"))
    yield Column("", lambda it: _interval(it, "throughput"), 5, "interval of that")
    yield Column("cheaper in\nCPU time from", lambda it: _outcome(it, "cpu_time"))
    yield Column("", lambda it: _interval(it, "cpu_time"), 6, "interval of that")
    yield Column("at", _largest, 2)
    yield Column("freed cycles/\npacket", _freed, 2)
    yield Column("/byte", _freed_per_byte, 3)


def _outcome(it: Comparison, measure: Measure) -> Text:
    found: BreakEven | None = getattr(it, measure)
    if found is None:
        return Text("is the CPU", style="dim")
    if found.outcome in SHORT:
        return Text(SHORT[found.outcome])
    if found.outcome == "beyond":
        return Text(f"> {figures.message_size(it.points[-1].message_bytes)}")
    where = words.size(found.message_bytes)
    return Text(f"up to {where}" if found.outcome == "up-to" else where)


def _interval(it: Comparison, measure: Measure) -> Text:
    found: BreakEven | None = getattr(it, measure)
    return Text("" if found is None else words.interval(found), style="dim")


def _largest(it: Comparison) -> Text:
    return Text(figures.message_size(it.points[-1].message_bytes), style="dim")


def _freed(it: Comparison) -> Text:
    freed = it.points[-1].freed_cycles
    return Text(NOTHING if freed is None else _signed(freed.value))


def _freed_per_byte(it: Comparison) -> Text:
    freed = it.points[-1].freed_cycles_per_byte
    return Text(NOTHING if freed is None else _signed(freed))


def _signed(cycles: float) -> str:
    """What is less than nothing is burnt and not freed."""
    return ("−" if cycles < 0 else "") + figures.significant(abs(cycles))
