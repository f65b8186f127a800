"""What fits a node (time, program memory, memory), and the least clock that holds a deadline."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from ciphermark.answers.models.costs import INSTRUCTIONS_ONLY, Costs, MessageCost
from ciphermark.answers.models.observations import Footprint, Function
from ciphermark.answers.models.processors import KnownProcessor, nearest

Verdict = Literal["fits", "uncertain", "does not fit", "unknown"]
ORDER: tuple[Verdict, ...] = ("fits", "uncertain", "does not fit", "unknown")


class Wanted(NamedTuple):
    """What a node must hold."""

    seconds: float
    """For one message."""
    with_setup: bool
    """Whether its key is set up in that time as well."""
    message_bytes: int
    flash_bytes: int | None = None
    ram_bytes: int | None = None


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
        """How many times it would fit."""
        return self.limit / self.takes if self.takes else None

    @property
    def verdict(self) -> Verdict:
        """Of its whole interval."""
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
    verdict: Verdict
    cycles: float | None
    """Of what the time is for."""
    needs: list[Need]
    nearest: list[str]
    outside: str | None
    """Why this is beyond what is known, if it is."""


def feasible(costs: Costs, processor: KnownProcessor, wanted: Wanted) -> list[Feasibility]:
    """Every function that is known, what fits first, and among these the cheapest."""
    found = [_feasibility(costs, processor, function, wanted) for function in costs.functions]
    return sorted(found, key=lambda it: (ORDER.index(it.verdict), it.cycles or 0.0, it.function))


def _feasibility(
    costs: Costs, processor: KnownProcessor, function: Function, wanted: Wanted
) -> Feasibility:
    cost = costs.of(processor, function, wanted.message_bytes)
    timed = cost if wanted.with_setup else MessageCost(setup=None, message=cost.message)
    outside = cost.message.outside
    if cost.setup is not None:
        outside = outside or cost.setup.outside
    time = _time(timed, processor, wanted, outside)
    needs = [time, *_memory(costs, processor, function, wanted)]
    return Feasibility(
        function=function.name,
        algorithm=function.algorithm,
        operation=function.operation,
        verdict=_verdict([it.verdict for it in needs]),
        cycles=timed.cycles,
        needs=needs,
        nearest=cost.message.nearest,
        outside=outside,
    )


def _verdict(verdicts: list[Verdict]) -> Verdict:
    """Of all needs together; the first is that of time, without which nothing can be said."""
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
    costs: Costs, processor: KnownProcessor, function: Function, wanted: Wanted
) -> list[Need]:
    """Of what is limited: code and tables in flash; context and stack in memory."""
    where, footprint = _footprint(costs, processor, function)
    needs = []
    if wanted.flash_bytes is not None:
        needs.append(_room("flash", footprint.code_bytes, wanted.flash_bytes, where))
    if wanted.ram_bytes is not None:
        needs.append(_room("ram", footprint.ram_bytes, wanted.ram_bytes, where))
    return needs


def _room(what: Literal["flash", "ram"], takes: int | None, limit: int, where: str) -> Need:
    return Need(what=what, takes=takes, low=None, high=None, limit=limit, source=where)


def _footprint(
    costs: Costs, processor: KnownProcessor, function: Function
) -> tuple[str, Footprint]:
    """What the algorithm takes here, else on the nearest processor where that is known."""
    known = costs.observed.footprints
    having = [
        it for it in costs.observed.processors.values() if (it.name, function.algorithm) in known
    ]
    names = nearest(processor.processor, having, most=len(having))
    ordered = sorted(names, key=lambda name: name != processor.name)
    if not ordered:
        return "", Footprint()
    return ordered[0], known[ordered[0], function.algorithm]


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
        name: costs.of(it, function, message_bytes)
        for name, it in costs.observed.processors.items()
        if (it.processor.bus_width_bits, it.processor.multiply_bits > 0) == (width, multiplies)
    }
    return Least(
        bus_width_bits=width,
        has_multiply=multiplies,
        clock_mhz=_clock(cost.cycles, deadline_s),
        low=_clock(cost.low, deadline_s),
        high=_clock(cost.high, deadline_s),
        basis=cost.message.basis,
        like=like.name,
        measured={
            name: clock
            for name, it in known.items()
            if _is_in_cycles(it) and (clock := _clock(it.cycles, deadline_s)) is not None
        },
        outside=cost.message.outside,
    )


def _like(costs: Costs, width: int, multiplies: bool) -> KnownProcessor:
    """The known processor nearest to this kind."""
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
    """A processor of this kind, none of the known ones."""
    changed = msgspec.structs.replace(
        like.processor, bus_width_bits=width, multiply_bits=width if multiplies else 0
    )
    return KnownProcessor(name="", title=f"{width} bits", processor=changed)


def _is_in_cycles(cost: MessageCost) -> bool:
    """Whether a processor has figures of its own, and of cycles."""
    message = cost.message
    return message.basis == "measured" and message.outside != INSTRUCTIONS_ONLY


def _clock(cycles: float | None, deadline_s: float) -> float | None:
    """In MHz."""
    return None if cycles is None else cycles / deadline_s / 1e6
