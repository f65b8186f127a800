"""Predictions of the paper's model, with the errors that it has made.

The interval is from the model's errors at processors that it was not fitted to: each is left out in
turn, what it costs is predicted from the others, and the logarithms of predicted / observed are
taken to scatter around 0.
"""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cached_property

import numpy as np

from ciphermark.answers.models.block_costs import BlockCosts
from ciphermark.answers.models.block_points import Function, points
from ciphermark.answers.models.blocks import Rule
from ciphermark.answers.models.nearest import nearest
from ciphermark.answers.models.observation import KnownProcessor, Observation
from ciphermark.answers.models.observations import Observed
from ciphermark.answers.models.prediction import Prediction
from ciphermark.measure.targets.processor import Processor
from ciphermark.statistics.quantiles import student_quantile

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
        known = cycles is not None and factor is not None
        return Prediction(
            cycles=cycles,
            low=cycles / factor if known else None,
            high=cycles * factor if known else None,
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
