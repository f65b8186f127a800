"""What fits a node: its time, its program memory and its memory."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from ciphermark.answers.models.block_points import Function
from ciphermark.answers.models.message_costs import Costs, MessageCost
from ciphermark.answers.models.nearest import nearest
from ciphermark.answers.models.observation import KnownProcessor
from ciphermark.answers.models.observations import Footprint

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
    outside = cost.message.outside or (cost.setup and cost.setup.outside)
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
    limited = (
        ("flash", footprint.code_bytes, wanted.flash_bytes),
        ("ram", footprint.ram_bytes, wanted.ram_bytes),
    )
    return [
        Need(what=what, takes=takes, low=None, high=None, limit=limit, source=where)
        for what, takes, limit in limited
        if limit is not None
    ]


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
