"""Made-up functions, with costs that follow from their operations and planted prices."""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec
import numpy as np

from ciphermark.answers.models.expected_work import KINDS, expected_work
from ciphermark.answers.models.observations import Observation, Observed
from ciphermark.answers.models.processors import KnownProcessor, described_processors
from ciphermark.contract.others import SimulatedCase, Simulation
from ciphermark.run.targets.target import Processor

KNOWN = {it.name: it for it in described_processors()}
NAMES = (
    *("atmega103", "atmega128", "cortex-m0", "cortex-m4", "octeon", "pentium3", "pxa250-200"),
    *("pxa250-400", "rv32i", "sa1110", "ultrasparc2"),
)
ALGORITHMS = 9
SIZES = (16, 64)
_KINDS = (
    *("add-32", "add-8", "add-address", "logic-32", "logic-8", "shift-32", "rotate", "move-32"),
    *("load-32", "load-8", "load-address", "store-32", "branch-taken", "branch-untaken", "call"),
)
_RARE = ("multiply-16", "multiply-32")

Price = Callable[[Processor, str], float]
"""Of a kind of work on a processor, relative to what is expected."""


def plain(processor: Processor, kind: str) -> float:
    """Dearer memory, dearer jumps on processors with rotations."""
    return {"load": 1.4, "store": 0.8, "flow": 1.5 if processor.has_rotate else 1.0}.get(kind, 1.0)


def operations(algorithm: int, size: int) -> dict[str, int]:
    """Counts of an algorithm, the more the longer the message is."""
    random = np.random.default_rng(algorithm)
    counts = {kind: int(10 ** random.uniform(0, 3)) for kind in _KINDS}
    if algorithm % 3 == 0:
        counts |= {kind: int(10 ** random.uniform(0, 2)) for kind in _RARE}
        counts["in-multiply"] = 80 * sum(counts[kind] for kind in _RARE)
    return {kind: count * (size // 16) for kind, count in counts.items()}


def observed(price: Price = plain, noise: float = 0.0, names: tuple[str, ...] = NAMES) -> Observed:
    """All functions on processors, with what nothing explains."""
    random = np.random.default_rng(7)
    found = [
        Observation(
            processor=name,
            algorithm=f"made-up-{algorithm}",
            operation="encrypt",
            message_bytes=size,
            cycles=cost(KNOWN[name].processor, price, algorithm, size)
            * math.exp(noise * random.standard_normal()),
            metric=KNOWN[name].processor.metric,
            operations=operations(algorithm, size),
        )
        for name in names
        for algorithm in range(ALGORITHMS)
        for size in SIZES
    ]
    return Observed(
        source="a test", processors={name: KNOWN[name] for name in names}, observations=found
    )


def simulations(found: Observed) -> list[Simulation]:
    """The observations as cases of a simulation, with counts on the target that counts."""
    return [
        Simulation(
            case=SimulatedCase(
                target=it.processor,
                algorithm=it.algorithm,
                operation=it.operation,
                message_bytes=it.message_bytes,
            ),
            metric=it.metric,
            value=round(it.cycles),
            operations=it.operations if it.processor == "rv32i" else None,
        )
        for it in found.observations
    ]


def cost(processor: Processor, price: Price, algorithm: int, size: int) -> float:
    work = expected_work(operations(algorithm, size), processor)
    return float(work @ [price(processor, kind) for kind in KINDS])


def changed(like: str, **fields: object) -> KnownProcessor:
    """A processor that is not known."""
    processor = msgspec.structs.replace(KNOWN[like].processor, **fields)
    return KnownProcessor(name="new", title="New", processor=processor)


def dearer(found: Observed, factors: dict[str, float]) -> Observed:
    """The same with other costs on some processors."""
    return msgspec.structs.replace(
        found,
        observations=[
            msgspec.structs.replace(it, cycles=it.cycles * factors.get(it.processor, 1.0))
            for it in found.observations
        ],
    )
