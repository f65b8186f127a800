"""The least clocks that hold a deadline, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark.answers.models.block_points import Function
from ciphermark.answers.models.require import Least
from ciphermark.show import figures
from ciphermark.show.fitting import Column, print_groups, print_left_out
from ciphermark.workloads.sessions.show_limits import latency

GUESS = "?"
"""Marks what is outside what a model knows."""

MOST_NAMED = 2
"""Known processors of a kind; of more, the extremes."""


def document(
    function: Function,
    message_bytes: int,
    deadline_s: float,
    found: Sequence[Least],
    notes: Sequence[str],
) -> dict[str, object]:
    """What `--json` prints."""
    return {
        "algorithm": function.algorithm,
        "operation": function.operation,
        "message_bytes": message_bytes,
        "deadline_s": deadline_s,
        "processors": found,
        "notes": list(notes),
    }


def print_require(
    console: Console,
    function: Function,
    message_bytes: int,
    deadline_s: float,
    found: Sequence[Least],
    notes: Sequence[str],
) -> None:
    """Prints a line for each kind of processor."""
    size = figures.message_size(message_bytes)
    title = f"{function.name}: key setup and {size} within {latency(1e9 * deadline_s)}"
    groups = [
        (f"{width} bits", [it for it in found if it.bus_width_bits == width])
        for width in dict.fromkeys(it.bus_width_bits for it in found)
    ]
    console.print(Text(title))
    console.print()
    print_left_out(console, print_groups(console, list(_columns()), groups))
    console.print()
    outside = dict.fromkeys(f"{GUESS} {it.outside}" for it in found if it.outside)
    for note in [*outside, *notes]:
        console.print(Padding(Text(note, style="dim"), (0, 0, 0, 2)))


def _columns() -> Iterator[Column[Least]]:
    yield Column("", lambda it: Text(_kind(it)), left=True)
    yield Column("least clock", _least)
    yield Column("", lambda it: Text(_interval(it), style="dim"), 1, "interval of it")
    yield Column("by", lambda it: Text(it.basis, style="dim"), 3, left=True)
    yield Column("like", lambda it: Text(it.like, style="dim"), 4, left=True)
    yield Column("known ones", lambda it: Text(_measured(it)), 2, left=True)


def _least(it: Least) -> Text:
    """A guess is marked."""
    return Text((GUESS if it.outside else "") + _clock(it.clock_mhz))


def _kind(it: Least) -> str:
    return "with multiply" if it.has_multiply else "without multiply"


def _clock(megahertz: float | None) -> str:
    return "–" if megahertz is None else f"{figures.significant(megahertz)} MHz"


def _interval(it: Least) -> str:
    if it.low is None:
        return ""
    return f"{figures.significant(it.low)}–{figures.significant(it.high)}"


def _measured(it: Least) -> str:
    """The slowest clock and the fastest, of many."""
    ordered = sorted(it.measured, key=it.measured.__getitem__)
    if len(ordered) > MOST_NAMED:
        first, last = ordered[0], ordered[-1]
        return f"{_named(it, first)} to {_named(it, last)}"
    return ", ".join(_named(it, name) for name in ordered)


def _named(it: Least, name: str) -> str:
    return f"{name} {_clock(it.measured[name])}"
