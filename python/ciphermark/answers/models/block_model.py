"""Costs by the paper's model, with the errors that it has made.

It tells any function of the data, at any size, on any processor.

Functions that multiply have parameters for processors with and without a multiply instruction,
equation (2). The adjustment for RISC and CISC, equation (3), is left out: the paper prints it in a
form that contradicts itself, and its CISC side rests on one processor.

The interval is from the model's errors at processors that it was not fitted to: each is left out in
turn, what it costs is predicted from the others, and the logarithms of predicted / observed are
taken to scatter around 0.
"""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cached_property

import numpy as np

from ciphermark.answers.models import block_fit
from ciphermark.answers.models.block_fit import (
    CIPHERING,
    SETUPS,
    Parameters,
    Points,
    Rule,
    function_blocks,
    points,
)
from ciphermark.answers.models.observations import Function, Observation, Observed
from ciphermark.answers.models.processors import KnownProcessor, Prediction, nearest
from ciphermark.measure.targets.target import Processor
from ciphermark.statistics.quantiles import student_quantile

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
            cost += parameters.b * blocks.number(message_bytes, self._rule)
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


FEWEST_LEFT_OUT = 3
"""Processors with whose errors an interval can be stated."""


class BlockModel:
    """Fitted to observations; see `ProcessorModel`."""

    def __init__(self, observed: Observed, rule: Rule = "padded") -> None:
        self._observed = observed
        self._costs = BlockCosts(observed, points(observed), rule)

    def predict(
        self,
        processor: KnownProcessor,
        algorithm: str,
        operation: str,
        message_bytes: int | None,
    ) -> Prediction:
        """What a call costs, or why that is not known."""
        function = self._costs.function(algorithm, operation)
        cycles = self._costs.cycles(processor.processor, algorithm, operation, message_bytes)
        factor = self._factors.get((algorithm, operation))
        low = high = None
        if cycles is not None and factor is not None:
            low, high = cycles / factor, cycles * factor
        return Prediction(
            cycles=cycles,
            low=low,
            high=high,
            basis="paper-model",
            nearest=nearest(processor.processor, self._observed.processors.values()),
            outside=self._outside(processor.processor, function, message_bytes, cycles),
        )

    @cached_property
    def _factors(self) -> dict[tuple[str, str], float]:
        """Of each operation, the factor that bounds 95 % of the errors."""
        scatter: dict[tuple[str, str], list[float]] = defaultdict(list)
        for name, them in self._by_processor().items():
            for call, errors in self._left_out(name, them).items():
                scatter[call].append(float(np.mean(np.square(errors))))
        return {
            call: math.exp(student_quantile(0.975, len(squares) - 1) * math.sqrt(np.mean(squares)))
            for call, squares in scatter.items()
            if len(squares) >= FEWEST_LEFT_OUT
        }

    def _by_processor(self) -> dict[str, list[Observation]]:
        found: dict[str, list[Observation]] = defaultdict(list)
        for it in self._observed.observations:
            found[it.processor].append(it)
        return found

    def _left_out(self, name: str, them: list[Observation]) -> dict[tuple[str, str], list[float]]:
        """Logarithms of predicted / observed on one processor, from the others alone."""
        others = self._costs.without(name)
        processor = self._observed.processors[name].processor
        errors: dict[tuple[str, str], list[float]] = defaultdict(list)
        for it in them:
            cycles = others.cycles(processor, it.algorithm, it.operation, it.message_bytes)
            if cycles is not None and it.cycles > 0:
                errors[it.algorithm, it.operation].append(math.log(cycles / it.cycles))
        return errors

    def _outside(
        self,
        processor: Processor,
        function: Function,
        message_bytes: int | None,
        cycles: float | None,
    ) -> str | None:
        """Why this is beyond the data, if it is."""
        them = self._costs.points.get(function)
        if them is None:
            return f"{self._observed.source} has nothing on {function.name}"
        if cycles is None:
            return "the observations do not tell what a message costs"
        widths = {it.processor.bus_width_bits for it in self._observed.processors.values()}
        if processor.bus_width_bits not in widths:
            return f"no known processor has a bus of {processor.bus_width_bits} bits"
        sizes = [it.message_bytes for it in them if it.message_bytes is not None]
        if message_bytes is not None and not min(sizes) <= message_bytes <= max(sizes):
            known = " to ".join(map(str, sorted({min(sizes), max(sizes)})))
            return f"known for messages of {known} bytes, not of {message_bytes}"
        return None
