"""Costs of functions on processors of nodes, made up: cycles of a + b·bytes."""

from __future__ import annotations

from collections.abc import Mapping

from ciphermark.answers.models.observations import Footprint, Observation, Observed
from ciphermark.answers.models.processors import KnownProcessor
from ciphermark.answers.protocols.nodes import Battery, BitRadio, Node
from ciphermark.contract.others import Metric
from ciphermark.run.targets.target import Processor

ECB: dict[tuple[str, str], tuple[float, float]] = {
    ("aes-128-ecb", "encrypt"): (200, 300),
    ("rc5-32-12-8-ecb", "encrypt"): (100, 800),
    ("rc5-32-12-8-ecb", "decrypt"): (100, 700),
    ("rc5-32-12-8-ecb", "setup"): (4000, 0),
}
"""What a run of a sensor's functions has: a and b by algorithm and operation."""

SIZES = (8, 16, 32, 64, 128)
"""The smallest is the block of RC5; that of AES is twice as long."""

BATTERY = Battery(capacity_mah=1000, self_discharge_per_year=0)

RADIO = BitRadio(
    transmit_ma=20, receive_ma=10, bit_rate_bps=8000, preamble_bytes=5, largest_frame_bytes=200
)
"""A byte takes a millisecond."""


def node(**changes: object) -> Node:
    """A node with round numbers: 1 MHz, 2 V, 5 mA, nothing while it sleeps."""
    fields = {
        "name": "round",
        "title": "round numbers",
        "target": "atmega128",
        "clock_mhz": 1,
        "supply_v": 2,
        "active_ma": 5,
        "sleep_ua": 0,
        "radio": RADIO,
        "battery": BATTERY,
    }
    return Node(**(fields | changes))


def known(name: str = "atmega128") -> KnownProcessor:
    """A processor of that name."""
    processor = Processor(
        clock_mhz=7.37,
        bus_width_bits=8,
        isa="risc",
        multiply_bits=8,
        has_divide=False,
        has_rotate=False,
        has_variable_shift=False,
        registers=32,
        issue=1,
        icache_kb=0,
        dcache_kb=0,
        metric="cycles-simulated",
        sources={},
    )
    return KnownProcessor(name=name, title=name, processor=processor)


def observed(
    costs: Mapping[tuple[str, str], tuple[float, float]] = ECB,
    metric: Metric = "cycles-simulated",
    target: str = "atmega128",
    footprints: dict[tuple[str, str], Footprint] | None = None,
) -> Observed:
    """What a run would have of these functions on one target."""
    return Observed(
        source="run 20261122-090000-0000",
        processors={target: known(target)},
        observations=[
            Observation(
                processor=target,
                algorithm=algorithm,
                operation=operation,
                message_bytes=size,
                cycles=a + b * (size or 0),
                metric=metric,
            )
            for (algorithm, operation), (a, b) in costs.items()
            for size in (SIZES["aes-128" in algorithm :] if operation != "setup" else [None])
        ],
        footprints=footprints or {},
    )
