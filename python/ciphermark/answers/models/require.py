"""The least clock at which a processor holds a deadline, by word size and multiplier."""

from __future__ import annotations

import msgspec

from ciphermark.answers.models.block_points import Function
from ciphermark.answers.models.message_costs import Costs, MessageCost
from ciphermark.answers.models.observation import KnownProcessor
from ciphermark.answers.models.own_costs import INSTRUCTIONS_ONLY

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
            name: _clock(it.cycles, deadline_s) for name, it in known.items() if _is_in_cycles(it)
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
    own = message.basis == "measured" and message.outside != INSTRUCTIONS_ONLY
    return own and cost.cycles is not None


def _clock(cycles: float | None, deadline_s: float) -> float | None:
    """In MHz."""
    return None if cycles is None else cycles / deadline_s / 1e6
