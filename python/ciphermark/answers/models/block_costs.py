"""Costs by the paper's model: any function of the data, at any size, on any processor.

Functions that multiply have parameters for processors with and without a multiply instruction,
equation (2). The adjustment for RISC and CISC, equation (3), is left out: the paper prints it in a
form that contradicts itself, and its CISC side rests on one processor.
"""

from __future__ import annotations

from ciphermark.answers.models import block_fit
from ciphermark.answers.models.block_fit import Parameters
from ciphermark.answers.models.block_points import (
    CIPHERING,
    SETUPS,
    Function,
    Points,
    function_blocks,
)
from ciphermark.answers.models.blocks import Rule
from ciphermark.answers.models.observations import Observed
from ciphermark.measure.targets.processor import Processor

MULTIPLYING = ("idea-ecb", "chacha20-poly1305")
"""Algorithms whose definition multiplies words."""


class BlockCosts:
    """Parameters of all functions, computed when they are asked for."""

    def __init__(self, observed: Observed, points: Points, rule: Rule) -> None:
        self.points = points
        self._observed = observed
        self._rule = rule
        self._solved: dict[tuple[Function, bool | None], Parameters | None] = {}

    def without(self, processor: str) -> BlockCosts:
        """The same, as if this processor were not in the data."""
        others = {
            function: [it for it in them if it.processor != processor]
            for function, them in self.points.items()
        }
        kept = {function: them for function, them in others.items() if them}
        return BlockCosts(self._observed, kept, self._rule)

    def cycles(
        self, processor: Processor, algorithm: str, operation: str, message_bytes: int | None
    ) -> float | None:
        """What a call costs; None where the data have no such function or do not tell."""
        function = self.function(algorithm, operation)
        parameters = self._parameters(function, processor)
        if parameters is None:
            return None
        cost = parameters.a if operation not in CIPHERING else 0.0
        if message_bytes is not None:
            blocks = function_blocks(self._observed, function)
            cost += parameters.b * blocks.count(message_bytes, self._rule)
        return cost / processor.bus_width_bits if cost > 0 else None

    def function(self, algorithm: str, operation: str) -> Function:
        """The function whose parameters tell; key setup is part of what a cipher does with it."""
        own = Function(algorithm, operation)
        if own in self.points or not _is_setup(operation):
            return own
        wanted = operation.removeprefix("init-")
        found = (Function(algorithm, it) for it in (wanted, *CIPHERING) if it in CIPHERING)
        return next((it for it in found if it in self.points), own)

    def _parameters(self, function: Function, processor: Processor) -> Parameters | None:
        """Those of the processors that multiply, or do not, as this one; where the function
        multiplies and there are such."""
        multiplies = processor.multiply_bits > 0 if function.algorithm in MULTIPLYING else None
        key = (function, multiplies)
        if key not in self._solved:
            self._solved[key] = self._solve(function, multiplies)
        return self._solved[key]

    def _solve(self, function: Function, multiplies: bool | None) -> Parameters | None:
        every = self.points.get(function)
        if every is None:
            return None
        alike = [it for it in every if multiplies in (None, self._multiplies(it.processor))]
        return block_fit.solve(
            alike or every, function_blocks(self._observed, function), self._rule
        )

    def _multiplies(self, name: str) -> bool:
        return self._observed.processors[name].processor.multiply_bits > 0


def _is_setup(operation: str) -> bool:
    return operation in SETUPS or operation.startswith("init-")
