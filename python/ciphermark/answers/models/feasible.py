"""What fits a node (time, program memory, memory), and the least clock that holds a deadline."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from ciphermark.answers.models.costs import Costs, MessageCost, Room
from ciphermark.answers.models.observations import MODELLED_BACKEND, Footprint, Function
from ciphermark.answers.models.own_costs import INSTRUCTIONS_ONLY
from ciphermark.answers.models.processors import KnownProcessor, nearest
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Headline, Notes, Table
from ciphermark.view.column import Cell, Column, count, of_text, of_words
from ciphermark.view.problems import UNSETTLED
from ciphermark.workloads.flows import latency

Verdict = Literal["fits", "uncertain", "does not fit", "unknown"]
ORDER: tuple[Verdict, ...] = ("fits", "uncertain", "does not fit", "unknown")

BROKEN = "broken"
"""The status of functions that come last, whatever fits."""

LEGACY = "legacy"


class Wanted(NamedTuple):
    """What a node must hold."""

    seconds: float
    """For one message."""
    with_setup: bool
    """Whether its key is set up in that time as well."""
    message_bytes: int
    """Bytes of a protocol's payload."""
    flash_bytes: int | None = None
    ram_bytes: int | None = None
    constant_time: bool = False
    """True if only kernels count whose time is stated not to depend on secrets."""


class Need(msgspec.Struct, kw_only=True):
    """What a function takes of one thing, and what there is."""

    what: Literal["time", "flash", "ram"]
    takes: float | None
    """Seconds or bytes; None where that is not known."""
    low: float | None
    high: float | None
    limit: float
    source: str
    """What the figure is from: `measured`, `paper-model`, `operation-model`; of memory, the
    processor that it was found on."""

    is_guess: bool = False
    """Whether a model went beyond what it knows, or cannot say how wrong it is."""

    @property
    def margin(self) -> float | None:
        """Returns the limit divided by the need."""
        return self.limit / self.takes if self.takes else None

    @property
    def verdict(self) -> Verdict:
        """Returns the verdict on its whole interval."""
        if self.takes is None:
            return "unknown"
        if self.is_guess:
            return "uncertain"
        low = self.takes if self.low is None else self.low
        high = self.takes if self.high is None else self.high
        if high <= self.limit:
            return "fits"
        return "does not fit" if low > self.limit else "uncertain"


class Feasibility(msgspec.Struct, kw_only=True):
    """One function on the node."""

    function: str
    algorithm: str
    operation: str
    backend: str
    """The kernel: of those with figures the fastest that fits the memory."""
    verdict: Verdict
    cycles: float | None
    """Of what the time is for."""
    needs: list[Need]
    nearest: list[str]
    outside: str | None
    """Why this is beyond what is known, if it is."""
    status: str | None = None
    """Of its security today: `recommended`, `acceptable`, `legacy`, `broken`; None where no engine
    tells it."""


def feasible(
    costs: Costs,
    processor: KnownProcessor,
    wanted: Wanted,
    statuses: Mapping[str, str] = {},
    refused: Collection[tuple[str, str]] = (),
) -> list[Feasibility]:
    """Returns every function that is known, by its fastest kernel that fits the memory and is not
    `refused`: what fits first, among these the cheapest, and broken functions last. `statuses` has
    those of algorithms by their names."""
    room = Room(wanted.flash_bytes, wanted.ram_bytes, refused)
    found = []
    for function in costs.functions:
        kernels = costs.kernels(processor, function)
        choices = [
            _feasibility(costs, processor, function, wanted, backend, statuses)
            for backend in kernels
            if room.allows(function.algorithm, backend)
        ]
        if choices:
            found.append(room.fastest(choices, _memory_of, lambda it: it.cycles))
    return sorted(
        found,
        key=lambda it: (
            it.status == BROKEN,
            ORDER.index(it.verdict),
            it.cycles or 0.0,
            it.function,
        ),
    )


def _feasibility(
    costs: Costs,
    processor: KnownProcessor,
    function: Function,
    wanted: Wanted,
    backend: str,
    statuses: Mapping[str, str],
) -> Feasibility:
    cost = costs.of(processor, function, wanted.message_bytes, backend)
    timed = cost if wanted.with_setup else MessageCost(setup=None, message=cost.message)
    outside = cost.message.outside
    if cost.setup is not None:
        outside = outside or cost.setup.outside
    time = _time(timed, processor, wanted, outside)
    needs = [time, *_memory(costs, processor, function, wanted, backend)]
    return Feasibility(
        function=function.name,
        algorithm=function.algorithm,
        operation=function.operation,
        backend=backend,
        verdict=verdict_of(needs),
        cycles=timed.cycles,
        needs=needs,
        nearest=cost.message.nearest,
        outside=outside,
        status=statuses.get(function.algorithm),
    )


def _memory_of(it: Feasibility) -> Footprint:
    """Returns the need of limited memory."""
    takes = {need.what: None if need.takes is None else int(need.takes) for need in it.needs}
    return Footprint(code_bytes=takes.get("flash"), ram_bytes=takes.get("ram"))


def verdict_of(needs: Sequence[Need]) -> Verdict:
    """Returns that of all needs; the first is that of time, without which nothing can be said."""
    verdicts = [need.verdict for need in needs]
    if "does not fit" in verdicts:
        return "does not fit"
    if verdicts[0] == "unknown":
        return "unknown"
    return "fits" if set(verdicts) == {"fits"} else "uncertain"


def _time(
    cost: MessageCost, processor: KnownProcessor, wanted: Wanted, outside: str | None
) -> Need:
    hertz = processor.processor.clock_mhz * 1e6
    values = (cost.cycles, cost.low, cost.high)
    takes, low, high = (None if it is None else it / hertz for it in values)
    is_guess = cost.message.basis != "measured" and (outside is not None or low is None)
    return Need(
        what="time",
        takes=takes,
        low=low,
        high=high,
        limit=wanted.seconds,
        source=cost.message.basis,
        is_guess=is_guess,
    )


def _memory(
    costs: Costs, processor: KnownProcessor, function: Function, wanted: Wanted, backend: str
) -> list[Need]:
    """Returns the needs of limited flash and RAM."""
    where, footprint = _footprint(costs, processor, function.algorithm, backend)
    return memory_needs(footprint, wanted, where)


def memory_needs(footprint: Footprint, wanted: Wanted, where: str) -> list[Need]:
    """Returns the needs of memory that are limited."""
    needs = []
    if wanted.flash_bytes is not None:
        needs.append(_room("flash", footprint.code_bytes, wanted.flash_bytes, where))
    if wanted.ram_bytes is not None:
        needs.append(_room("ram", footprint.ram_bytes, wanted.ram_bytes, where))
    return needs


def _room(what: Literal["flash", "ram"], takes: int | None, limit: int, where: str) -> Need:
    return Need(what=what, takes=takes, low=None, high=None, limit=limit, source=where)


def _footprint(
    costs: Costs, processor: KnownProcessor, algorithm: str, backend: str
) -> tuple[str, Footprint]:
    """Returns the needs of a kernel here, else on the nearest processor with figures."""
    known = costs.observed.footprints
    having = [
        it for it in costs.observed.processors.values() if (it.name, algorithm, backend) in known
    ]
    names = nearest(processor.processor, having, most=len(having))
    ordered = sorted(names, key=lambda name: name != processor.name)
    if not ordered:
        return "", Footprint()
    return ordered[0], known[ordered[0], algorithm, backend]


WIDTHS = (8, 16, 32)


class Least(msgspec.Struct, kw_only=True):
    """One kind of processor."""

    bus_width_bits: int
    has_multiply: bool
    clock_mhz: float | None
    """The least that holds the deadline; None where that is not known."""
    low: float | None
    """With `high`, its 95 % interval."""
    high: float | None
    basis: str
    like: str
    """The known processor that it is otherwise taken to be like."""
    measured: dict[str, float]
    """Known processors of this kind, with the clock, in MHz, by their own cycles."""
    kernels: dict[str, str]
    """The kernel of each of these: the fastest with figures."""
    outside: str | None


def require(costs: Costs, function: Function, message_bytes: int, deadline_s: float) -> list[Least]:
    """For each width, with a multiply instruction and without."""
    return [
        _least(costs, function, message_bytes, deadline_s, width, multiplies)
        for width in WIDTHS
        for multiplies in (False, True)
    ]


def _least(
    costs: Costs,
    function: Function,
    message_bytes: int,
    deadline_s: float,
    width: int,
    multiplies: bool,
) -> Least:
    like = _like(costs, width, multiplies)
    cost = costs.of(_unnamed(like, width, multiplies), function, message_bytes)
    known = {
        name: _fastest(costs, it, function, message_bytes)
        for name, it in costs.observed.processors.items()
        if (it.processor.bus_width_bits, it.processor.multiply_bits > 0) == (width, multiplies)
    }
    measured = {
        name: clock
        for name, it in known.items()
        if _is_in_cycles(it) and (clock := _clock(it.cycles, deadline_s)) is not None
    }
    return Least(
        bus_width_bits=width,
        has_multiply=multiplies,
        clock_mhz=_clock(cost.cycles, deadline_s),
        low=_clock(cost.low, deadline_s),
        high=_clock(cost.high, deadline_s),
        basis=cost.message.basis,
        like=like.name,
        measured=measured,
        kernels={name: known[name].message.backend for name in measured},
        outside=cost.message.outside,
    )


def _fastest(
    costs: Costs, processor: KnownProcessor, function: Function, message_bytes: int
) -> MessageCost:
    """Returns the cost by the fastest kernel, in whatever memory."""
    found = (
        costs.of(processor, function, message_bytes, backend)
        for backend in costs.kernels(processor, function)
    )
    return min(found, key=lambda it: math.inf if it.cycles is None else it.cycles)


def _like(costs: Costs, width: int, multiplies: bool) -> KnownProcessor:
    """Returns the known processor nearest to this kind."""
    processors = costs.observed.processors
    fitting = sorted(
        processors.values(),
        key=lambda it: (
            abs(it.processor.bus_width_bits.bit_length() - width.bit_length()),
            (it.processor.multiply_bits > 0) != multiplies,
            it.name,
        ),
    )
    return fitting[0]


def _unnamed(like: KnownProcessor, width: int, multiplies: bool) -> KnownProcessor:
    """Returns an unknown processor of this kind."""
    changed = msgspec.structs.replace(
        like.processor, bus_width_bits=width, multiply_bits=width if multiplies else 0
    )
    return KnownProcessor(name="", title=f"{width} bits", processor=changed)


def _is_in_cycles(cost: MessageCost) -> bool:
    """Returns whether a processor has figures of its own, in cycles."""
    message = cost.message
    return message.basis == "measured" and message.outside != INSTRUCTIONS_ONLY


def _clock(cycles: float | None, deadline_s: float) -> float | None:
    """Returns the clock in MHz."""
    return None if cycles is None else cycles / deadline_s / 1e6


TITLES: dict[str, str] = {
    "fits": "Fits",
    "uncertain": "May fit: the limit lies within the interval, or a figure is unknown",
    "does not fit": "Does not fit",
    "unknown": "Not known",
    BROKEN: "Broken functions, whether they fit or not",
}
"""Sections of the table, in their order."""

MARKS = {"fits": "good", "uncertain": "unsettled", "does not fit": "failed", "unknown": "soft"}
"""Classes of the cells of each verdict."""

WHAT = {"time": "time", "flash": "flash", "ram": "RAM"}


def document(
    processor: KnownProcessor,
    wanted: Wanted,
    found: Sequence[Feasibility],
    notes: Sequence[str],
) -> dict[str, object]:
    """Returns the content of `--json`."""
    functions = [_with_margins(it) for it in found]
    return {
        "target": processor.name,
        "wanted": wanted._asdict(),
        "functions": functions,
        "notes": list(notes),
    }


def feasible_blocks(
    processor: KnownProcessor,
    wanted: Wanted,
    found: Sequence[Feasibility],
    notes: Sequence[str],
) -> Iterator[Block]:
    """Yields the answer, a line for each function, and the reasons of those that do not fit."""
    yield Headline(text=_headline(found))
    yield Notes.of([f"{processor.title}: {_wish(processor, wanted)}"])
    sections = list(TITLES)
    rows = sorted(found, key=lambda row: sections.index(_section(row)))
    yield Table(columns=COLUMNS, rows=rows, section=lambda row: TITLES[_section(row)])
    alike: dict[str, list[str]] = {}
    for row in found:
        if row.verdict != "fits" or row.outside:
            alike.setdefault(reasons(row), []).append(row.function)
    yield Notes.of(f"{why}: {', '.join(names)}" for why, names in alike.items())
    yield Notes.of([*_legend(found, processor.name), *notes], style="dim")


def _section(row: Feasibility) -> str:
    return BROKEN if row.status == BROKEN else row.verdict


def reasons(it: Feasibility) -> str:
    """Returns the reasons of a verdict: `takes 3.20 times the time there is`."""
    told = [_reason(need) for need in it.needs if need.verdict != "fits"]
    return "; ".join(filter(None, [*told, it.outside]))


_MOST_NAMED = 5
"""Algorithms that the first line names."""


def _headline(found: Sequence[Feasibility]) -> str:
    """`Fits: ascon-aead128 (reference) in 237 µs, cmac-aes-128 (table) in 293 µs`, each algorithm
    once by its first operation; legacy ones are named where no other fits, broken ones never."""
    fitting: dict[bool, dict[str, str]] = {False: {}, True: {}}
    for it in found:
        time = it.needs[0].takes
        if it.verdict == "fits" and it.status != BROKEN and time is not None:
            described = f"{it.algorithm} ({it.backend}) in {latency(1e9 * time)}"
            fitting[it.status == LEGACY].setdefault(it.algorithm, described)
    named = [*(fitting[False] or fitting[True]).values()]
    more = len(named) - _MOST_NAMED
    listed = ", ".join(named[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    if named:
        return f"Fits: {listed}"
    uncertain = len({it.algorithm for it in found if it.verdict == "uncertain"})
    also = f"; {figures.counted(uncertain, 'algorithm')} may fit" if uncertain else ""
    return f"Nothing known fits{also}"


def _wish(processor: KnownProcessor, wanted: Wanted) -> str:
    """Returns `16 MHz; key setup and 32 B within 5.00 ms; 128 KiB of flash`."""
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
    if wanted.constant_time:
        parts.append("in constant time")
    return "; ".join(parts)


def _source(need: Need) -> str:
    """Returns the origin; a figure of the processor itself may be simulated."""
    if need.source != "measured":
        return need.source
    return "own figure" if need.low == need.high else "own, by blocks"


def _need(it: Feasibility, what: str) -> Need | None:
    return next((need for need in it.needs if need.what == what), None)


def _unsettled(row: Feasibility) -> str:
    """Returns the mark of a figure that is not the processor's own at this size."""
    time = row.needs[0]
    is_exact = time.low == time.high and time.low is not None and row.outside is None
    return "" if is_exact else UNSETTLED


def _time_text(row: Feasibility) -> str:
    takes = row.needs[0].takes
    return "" if takes is None else latency(1e9 * takes)


def _interval(row: Feasibility) -> Cell:
    time = row.needs[0]
    if time.low is None or time.high is None or time.low == time.high:
        return Cell("")
    return Cell(f"{latency(1e9 * time.low)}–{latency(1e9 * time.high)}", mark="interval")


def _takes(what: str, heading: str, dispensable: int) -> Column[Feasibility]:
    """Returns the column of bytes of memory; empty unless it is limited."""

    def text(row: Feasibility) -> str:
        need = _need(row, what)
        return "" if need is None or need.takes is None else f"{need.takes:.0f} B"

    return of_text(heading, text, dispensable=dispensable)


def _margin(what: str, dispensable: int) -> Column[Feasibility]:
    """Returns the column of the limit divided by the need."""

    def text(row: Feasibility) -> str:
        need = _need(row, what)
        return "" if need is None or need.margin is None else figures.times(need.margin)

    called = "headroom" + (f" of {WHAT[what]}" if what != "time" else "")
    return of_text("headroom", text, dispensable=dispensable, called=called)


COLUMNS: list[Column[Feasibility]] = [
    of_words("", lambda row: Cell(row.function, mark=MARKS[row.verdict])),
    of_words("kernel", lambda row: row.backend),
    of_words("status", lambda row: row.status or "", dispensable=1),
    Column("cycles", lambda row: row.cycles, form=count, mark=_unsettled),
    of_text("time", _time_text),
    of_text("interval", _interval),
    _margin("time", 2),
    _takes("flash", "flash", 3),
    _margin("flash", 4),
    _takes("ram", "RAM", 3),
    _margin("ram", 4),
    of_words("from", lambda row: Cell(_source(row.needs[0]), mark="soft"), dispensable=1),
]


def _reason(need: Need) -> str:
    what = WHAT[need.what]
    if need.takes is None:
        return f"{what} is unknown"
    if need.is_guess:
        return f"{what} is predicted beyond the known processors, or without an interval"
    if need.verdict == "uncertain":
        return f"{what} may be over the limit"
    return f"takes {figures.significant(need.takes / need.limit)} times the {what} there is"


def _legend(found: Sequence[Feasibility], target: str) -> Iterator[str]:
    """Yields the meanings of the columns, and the processors behind borrowed figures."""
    yield "headroom: the limit divided by the need of the function"
    yield f"{UNSETTLED} not simulated at this size: by blocks from others, or by a model"
    yield KERNELS
    whose: dict[str, list[str]] = {}
    for it in found:
        for source in {need.source for need in it.needs[1:] if need.source}:
            whose.setdefault(source, []).append(it.algorithm)
    whose.pop(target, None)
    for source, algorithms in whose.items():
        yield f"flash and RAM as on {source}: {', '.join(dict.fromkeys(algorithms))}"
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


KERNELS = (
    "kernel: the fastest of ciphermark's portable C that has figures and fits; code written for "
    "this processor may be faster"
)

MOST_NAMED = 2
"""Known processors of a kind; of more, the extremes."""


CLOCK_KERNELS = (
    f"the least clock is that of the kernel {MODELLED_BACKEND}; known processors have the fastest "
    "of ciphermark's portable C that has figures"
)


class Required(msgspec.Struct, kw_only=True):
    """The clocks that a function needs, as `--json` prints them."""

    algorithm: str
    operation: str
    message_bytes: int
    deadline_s: float
    processors: list[Least]
    notes: list[str]


def require_blocks(required: Required) -> Iterator[Block]:
    """Yields a line for each kind of processor."""
    rows = required.processors
    function = f"{required.algorithm} {required.operation}"
    size = figures.message_size(required.message_bytes)
    limit = latency(1e9 * required.deadline_s)
    yield Headline(text=f"{function}: key setup and {size} within {limit}")
    yield Table(columns=CLOCKS, rows=rows, section=lambda row: f"{row.bus_width_bits} bits")
    outside = dict.fromkeys(f"{UNSETTLED} {row.outside}" for row in rows if row.outside)
    yield Notes.of([*outside, CLOCK_KERNELS, *required.notes], style="dim")


def _clock_text(megahertz: float | None) -> str:
    return "–" if megahertz is None else f"{figures.significant(megahertz)} MHz"


def _clock_interval(row: Least) -> Cell:
    if row.low is None or row.high is None:
        return Cell("")
    text = f"{figures.significant(row.low)}–{figures.significant(row.high)}"
    return Cell(text, mark="interval")


def _measured(it: Least) -> str:
    """Returns the known processors; of many the slowest clock and the fastest."""
    ordered = sorted(it.measured, key=it.measured.__getitem__)
    if len(ordered) > MOST_NAMED:
        first, last = ordered[0], ordered[-1]
        return f"{_named(it, first)} to {_named(it, last)}"
    return ", ".join(_named(it, name) for name in ordered)


def _named(it: Least, name: str) -> str:
    return f"{name} {_clock_text(it.measured[name])} ({it.kernels[name]})"


CLOCKS: list[Column[Least]] = [
    of_words("", lambda row: "with multiply" if row.has_multiply else "without multiply"),
    of_text("least clock", lambda row: UNSETTLED * bool(row.outside) + _clock_text(row.clock_mhz)),
    of_text("interval", _clock_interval, dispensable=1, called="interval of it"),
    of_words("by", lambda row: Cell(row.basis, mark="soft"), dispensable=3),
    of_words("like", lambda row: Cell(row.like, mark="soft"), dispensable=4),
    of_words("known ones", _measured, dispensable=2),
]
