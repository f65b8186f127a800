"""What the model of blocks is fitted to: costs on processors, over the number of blocks.

Costs are in cycles·bits: cycles times the width of the processor's bus, by which the model supposes
them to be the same everywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from ciphermark.answers.models.blocks import Blocks, Rule, blocks_of
from ciphermark.answers.models.observation import Observation
from ciphermark.answers.models.observations import Observed

SETUPS = ("setup", "init")
"""Names of key setup: ours, and that of published tables. One that is for decrypting alone is
`init-decrypt`."""
CIPHERING = ("encrypt", "decrypt", "keystream")
"""Operations that cost nothing for a message without blocks. Of others, an empty message has a cost
of its own: a hash pads it, a MAC makes a tag."""


class Function(NamedTuple):
    """What has parameters of its own."""

    algorithm: str
    operation: str

    @property
    def name(self) -> str:
        return f"{self.algorithm} {self.operation}"


class Point(NamedTuple):
    """One observation as the model sees it."""

    processor: str
    message_bytes: int | None
    """None of key setup alone."""
    cost: float
    """Cycles·bits; of a cipher, key setup and message together."""

    def blocks(self, blocks: Blocks, rule: Rule) -> int:
        """Key setup alone has none."""
        return 0 if self.message_bytes is None else blocks.count(self.message_bytes, rule)


Points = dict[Function, list[Point]]


def points(observed: Observed) -> Points:
    """The points of each function. Key setup is a function of its own where it does not belong to
    those of a cipher."""
    setups = {
        (it.processor, it.algorithm, it.operation): it.cycles
        for it in observed.observations
        if it.message_bytes is None
    }
    found: Points = defaultdict(list)
    for it in observed.observations:
        width = observed.processors[it.processor].processor.bus_width_bits
        for function, message_bytes, cycles in _parts(it, setups):
            if cycles > 0:
                found[function].append(Point(it.processor, message_bytes, cycles * width))
    ciphers = {it.algorithm for it in found if it.operation in CIPHERING}
    return {
        function: list(dict.fromkeys(them))
        for function, them in found.items()
        if not (function.operation == "setup" and function.algorithm in ciphers)
    }


def function_blocks(observed: Observed, function: Function) -> Blocks:
    """The blocks of a function in this source."""
    own = blocks_of(function.algorithm)
    if function.operation in CIPHERING and observed.cipher_block_bits is not None:
        return Blocks(observed.cipher_block_bits)
    return own


def _parts(
    it: Observation, setups: dict[tuple[str, str, str], float]
) -> Iterator[tuple[Function, int | None, float]]:
    """What an observation tells: of a cipher's message, the key setup alone and both together."""
    function = Function(it.algorithm, it.operation)
    if it.operation not in CIPHERING:
        if it.message_bytes is not None or it.operation == "setup":
            yield function, it.message_bytes, it.cycles
        return
    setup = setup_cycles(it, setups)
    if setup is not None:
        yield function, None, setup
    yield function, it.message_bytes, it.cycles + (setup or 0.0)


def setup_cycles(it: Observation, setups: dict[tuple[str, str, str], float]) -> float | None:
    """Cycles of the key setup before a message, for this direction where each has its own."""
    found = (setups.get((it.processor, it.algorithm, name)) for name in setup_names(it.operation))
    return next((cycles for cycles in found if cycles is not None), None)


def setup_names(operation: str) -> tuple[str, ...]:
    """Names that the key setup before an operation can have, the most particular first."""
    return (f"init-{operation}", *SETUPS)
