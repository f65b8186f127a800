"""What fits a node, and the least clocks that hold a deadline, on a terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from rich.console import Console
from rich.text import Text

from ciphermark.answers.models.feasible import ORDER, Feasibility, Least, Need, Wanted
from ciphermark.answers.models.observations import Function
from ciphermark.answers.models.processors import KnownProcessor
from ciphermark.show import figures
from ciphermark.show.frame import print_sentences
from ciphermark.show.tables import Column, print_groups, print_left_out
from ciphermark.workloads.latency import latency

TITLES = {
    "fits": "Fits",
    "uncertain": "May fit: the limit lies within the interval, or something is not known",
    "does not fit": "Does not fit",
    "unknown": "Not known",
}
STYLES = {"fits": "green", "uncertain": "yellow", "does not fit": "red", "unknown": "dim"}
WHAT = {"time": "time", "flash": "flash", "ram": "RAM"}
NOTHING = "–"


def document(
    processor: KnownProcessor,
    wanted: Wanted,
    found: Sequence[Feasibility],
    notes: Sequence[str],
) -> dict[str, object]:
    """What `--json` prints."""
    functions = [_with_margins(it) for it in found]
    return {
        "target": processor.name,
        "wanted": wanted._asdict(),
        "functions": functions,
        "notes": list(notes),
    }


def print_feasible(
    console: Console,
    processor: KnownProcessor,
    wanted: Wanted,
    found: Sequence[Feasibility],
    notes: Sequence[str],
) -> None:
    """Prints what is wanted, a line for each function, and why what does not fit does not."""
    console.print(Text(f"{processor.title}: {_wish(processor, wanted)}"))
    console.print()
    groups = [
        (TITLES[verdict], them)
        for verdict in ORDER
        if (them := [it for it in found if it.verdict == verdict])
    ]
    limited = {need.what for it in found for need in it.needs}
    print_left_out(console, print_groups(console, list(_columns(limited)), groups))
    console.print()
    unfit = (it for it in found if it.verdict != "fits" or it.outside)
    print_sentences(console, (f"{it.function}: {reasons(it)}" for it in unfit))
    print_sentences(console, [*_legend(found), *notes], "dim")


def reasons(it: Feasibility) -> str:
    """Why it does not fit, or what is not known: `time is ×3.20 of the limit`."""
    told = [_reason(need) for need in it.needs if need.verdict != "fits"]
    return "; ".join(filter(None, [*told, it.outside]))


def _wish(processor: KnownProcessor, wanted: Wanted) -> str:
    """`16 MHz; key setup and 32 B within 5.00 ms; 128 KiB of flash`."""
    what = "key setup and" if wanted.with_setup else "a message of"
    size = figures.message_size(wanted.message_bytes)
    parts = [
        f"{figures.significant(processor.processor.clock_mhz)} MHz",
        f"{what} {size} within {latency(1e9 * wanted.seconds)}",
    ]
    if wanted.flash_bytes is not None:
        parts.append(f"{figures.message_size(wanted.flash_bytes)} of flash")
    if wanted.ram_bytes is not None:
        parts.append(f"{figures.message_size(wanted.ram_bytes)} of RAM")
    return "; ".join(parts)


def _columns(limited: Collection[str]) -> Iterator[Column[Feasibility]]:
    """Of memory, what is limited."""
    yield Column("", lambda it: Text(it.function, style=STYLES[it.verdict]), left=True)
    yield Column("cycles", lambda it: _figure(it.cycles))
    yield Column("time", lambda it: _time(_need(it, "time")))
    yield Column("", lambda it: _interval(_need(it, "time")), 2, "interval of time")
    yield Column("limit is", lambda it: _margin(_need(it, "time")))
    if "flash" in limited:
        yield Column("flash", lambda it: _bytes(_need(it, "flash")), 3)
        yield Column("limit is", lambda it: _margin(_need(it, "flash")), 4, "margin of flash")
    if "ram" in limited:
        yield Column("RAM", lambda it: _bytes(_need(it, "ram")), 3)
        yield Column("limit is", lambda it: _margin(_need(it, "ram")), 4, "margin of RAM")
    yield Column("from", lambda it: Text(it.needs[0].source, style="dim"), 1, left=True)


def _need(it: Feasibility, what: str) -> Need | None:
    return next((need for need in it.needs if need.what == what), None)


def _figure(value: float | None) -> Text:
    return Text(NOTHING if value is None else figures.grouped(value))


def _time(need: Need | None) -> Text:
    return Text(NOTHING if need is None or need.takes is None else latency(1e9 * need.takes))


def _interval(need: Need | None) -> Text:
    if need is None or need.low is None or need.high is None:
        return Text("")
    low, high = latency(1e9 * need.low), latency(1e9 * need.high)
    return Text("" if low == high else f"{low}–{high}", style="dim")


def _bytes(need: Need | None) -> Text:
    return Text("" if need is None else NOTHING if need.takes is None else f"{need.takes:.0f} B")


def _margin(need: Need | None) -> Text:
    return Text("" if need is None or need.margin is None else figures.times(need.margin))


def _reason(need: Need) -> str:
    what = WHAT[need.what]
    if need.takes is None:
        return f"{what} is not known"
    if need.is_guess:
        return f"{what} is a guess"
    if need.verdict == "uncertain":
        return f"{what} may be over the limit"
    return f"{what} is {figures.times(need.takes / need.limit)} of the limit"


def _legend(found: Sequence[Feasibility]) -> Iterator[str]:
    """What the columns mean, and on which processors figures rest that are not the target's own."""
    yield "limit is: how many times what is taken fits into what there is"
    whose = {need.source for it in found for need in it.needs[1:] if need.source}
    if whose:
        yield f"flash and RAM as on {', '.join(sorted(whose))}"
    like = {", ".join(it.nearest) for it in found if it.needs[0].source != "measured"}
    if like:
        yield f"nearest known processors: {'; '.join(sorted(like))}"


def _with_margins(it: Feasibility) -> dict[str, object]:
    import msgspec

    needs = [
        msgspec.structs.asdict(need) | {"margin": need.margin, "verdict": need.verdict}
        for need in it.needs
    ]
    return msgspec.structs.asdict(it) | {"needs": needs, "reasons": reasons(it)}


GUESS = "?"
"""Marks what is outside what a model knows."""

MOST_NAMED = 2
"""Known processors of a kind; of more, the extremes."""


def require_document(
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
    print_left_out(console, print_groups(console, list(_clock_columns()), groups))
    console.print()
    outside = dict.fromkeys(f"{GUESS} {it.outside}" for it in found if it.outside)
    print_sentences(console, [*outside, *notes], "dim")


def _clock_columns() -> Iterator[Column[Least]]:
    yield Column("", lambda it: Text(_kind(it)), left=True)
    yield Column("least clock", _least)
    yield Column("", lambda it: Text(_clock_interval(it), style="dim"), 1, "interval of it")
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


def _clock_interval(it: Least) -> str:
    if it.low is None or it.high is None:
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
