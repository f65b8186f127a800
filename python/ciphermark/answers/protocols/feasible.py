"""Check of a protocol's packets against the time and memory of a node."""

from __future__ import annotations

from ciphermark.answers.models.costs import FunctionCosts
from ciphermark.answers.models.feasible import (
    Feasibility,
    Need,
    Wanted,
    memory_needs,
    verdict_of,
)
from ciphermark.answers.models.observations import Footprint
from ciphermark.answers.models.processors import KnownProcessor
from ciphermark.answers.protocols.cost import packet
from ciphermark.answers.protocols.protocols import Protocol, Side

KEYS = "a packet's keys are set up before, unless the protocol changes them with each (mutesla)"


def feasible_packets(
    protocol: Protocol, processor: KnownProcessor, wanted: Wanted, costs: FunctionCosts
) -> list[Feasibility]:
    """Returns whether a packet can be sent and received. Raises `UsageError` where a pass of it has
    no cost."""
    return [_feasible(protocol, side, processor, wanted, costs) for side in ("send", "receive")]


def _feasible(
    protocol: Protocol,
    side: Side,
    processor: KnownProcessor,
    wanted: Wanted,
    costs: FunctionCosts,
) -> Feasibility:
    clock_mhz = processor.processor.clock_mhz
    crypto, memory = packet(protocol, wanted.message_bytes, side, clock_mhz, costs)
    instead = {
        f"{work.cost.algorithm} for {work.mode}, without the further work of that mode"
        for work in crypto.works
        if not work.is_exact
    }
    bases = {work.cost.basis for work in crypto.works}
    low, high = (
        None if cycles is None else cycles / clock_mhz / 1e6 for cycles in (crypto.low, crypto.high)
    )
    time = Need(
        what="time",
        takes=crypto.seconds,
        low=low,
        high=high,
        limit=wanted.seconds,
        source="measured" if bases == {"measured"} else "paper-model",
        is_guess=low is None,
    )
    footprint = Footprint() if memory is None else memory.footprint
    needs = [time, *memory_needs(footprint, wanted, processor.name)]
    return Feasibility(
        function=f"{protocol.name} {side}",
        algorithm=protocol.name,
        operation=side,
        backend=crypto.backends,
        verdict=verdict_of(needs),
        cycles=crypto.cycles,
        needs=needs,
        nearest=[processor.name],
        outside="; ".join(sorted(instead)) or None,
        status=protocol.status,
    )
