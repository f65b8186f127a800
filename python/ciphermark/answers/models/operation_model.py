"""The better model: counts of operations, each kind of work priced by the processor's description.

What a call needs is known from the instruction stream of one reference processor, what a processor
can be expected to need for it from its description (`expected_work.py`), and how far prices are
from that from all other processors (`operation_regression.py`). Figures of the processor itself,
where there are some, correct its own prices: so a few measured functions predict the others.

A function or size whose operations were not counted is not known; nothing is guessed between sizes.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from ciphermark.answers.models import operation_regression as regression
from ciphermark.answers.models.core import core_of
from ciphermark.answers.models.expected_work import tell_work
from ciphermark.answers.models.nearest import nearest
from ciphermark.answers.models.observation import KnownProcessor
from ciphermark.answers.models.observations import Observed
from ciphermark.answers.models.operation_fit import (
    FEWEST_CORES,
    Chosen,
    OperationFit,
    cores_of,
    functions_of,
)
from ciphermark.answers.models.operation_regression import Call
from ciphermark.answers.models.outside import outside_of
from ciphermark.answers.models.prediction import Prediction
from ciphermark.errors import UsageError
from ciphermark.measure.targets.processor import Processor

Key = tuple[str, str, int | None]
"""Algorithm, operation and size."""


class Cost(NamedTuple):
    """Cycles of a call, with the interval that holds 95 % of calls that were left out."""

    cycles: float
    low: float
    high: float


def operations_of(observed: Observed) -> dict[Key, dict[str, int]]:
    """The counts of operations that are known, by calls."""
    return {
        (it.algorithm, it.operation, it.message_bytes): it.operations
        for it in observed.observations
        if tell_work(it.operations)
    }


class OperationModel:
    """Fitted to observations; see `ProcessorModel`. Raises `UsageError` where they are too few."""

    def __init__(self, observed: Observed) -> None:
        self._observed = observed
        self.operations = operations_of(observed)
        functions = functions_of(observed)
        self.fit = OperationFit(cores_of(observed, functions), functions)
        if len(self.fit.cores) < FEWEST_CORES:
            raise UsageError(
                f"{observed.source} has calls with counted operations on {len(self.fit.cores)} "
                f"processors, and the model needs {FEWEST_CORES}: run ciphermark simulate all"
            )
        self._predicted: dict[str, dict[Key, Cost]] = {}

    def predict(
        self,
        processor: KnownProcessor,
        algorithm: str,
        operation: str,
        message_bytes: int | None,
    ) -> Prediction:
        """What a call costs, or why that is not known."""
        cost = self.costs(processor.processor).get((algorithm, operation, message_bytes))
        known = self._observed.processors.values()
        return Prediction(
            cycles=cost and cost.cycles,
            low=cost and cost.low,
            high=cost and cost.high,
            basis="operation-model",
            nearest=nearest(processor.processor, [it for it in known if it.name != processor.name]),
            outside=self._unknown(algorithm, operation, message_bytes) or self.outside(processor),
        )

    def outside(self, processor: KnownProcessor) -> str | None:
        """What of a processor is beyond all that are known; None where it is known itself."""
        core = core_of(processor.processor)
        known = self._observed.processors.values()
        if any(core_of(it.processor) == core for it in known):
            return None
        return outside_of(processor.processor, known)

    def costs(self, processor: Processor) -> dict[Key, Cost]:
        """Of every call that is known, on a processor; what is known of its core counts."""
        core = core_of(processor)
        key = repr(core)
        if key not in self._predicted:
            own = [at for at, it in enumerate(self.fit.cores) if core_of(it.processor) == core]
            known = {
                (it.algorithm, it.operation, it.message_bytes): it.cycles
                for at in own
                for it in self.fit.cores[at].observations
            }
            self._predicted[key] = self._costs(processor, known, own, self.fit.chosen())
        return self._predicted[key]

    def costs_given(
        self, processor: Processor, known: Mapping[Key, float], without: Collection[int] = ()
    ) -> dict[Key, Cost]:
        """The same from these figures of the processor, and from all cores but some: nothing of
        these is seen."""
        return self._costs(processor, known, without, self.fit.chosen(without))

    def _costs(
        self,
        processor: Processor,
        known: Mapping[Key, float],
        without: Collection[int],
        chosen: Chosen,
    ) -> dict[Key, Cost]:
        spread, widening = chosen
        beliefs = regression.beliefs_on_core(self.fit.shared(spread, without), spread)
        calls = regression.calls_on(
            processor,
            [Call(key[:2], it, known.get(key, math.nan)) for key, it in self.operations.items()],
            self.fit.functions,
        )
        places = [at for at, key in enumerate(self.operations) if key in known]
        beliefs = regression.given(beliefs, calls.only(places), spread)
        mean, deviation = regression.figures(calls, beliefs, spread)
        middle, half = calls.level + mean, widening * deviation
        figures = np.exp([middle, middle - half, middle + half]).T
        return {
            key: Cost(*map(float, row)) for key, row in zip(self.operations, figures, strict=True)
        }

    def _unknown(self, algorithm: str, operation: str, message_bytes: int | None) -> str | None:
        """Why the operations of a call are not known, if they are not."""
        if (algorithm, operation, message_bytes) in self.operations:
            return None
        sizes = [it[2] for it in self.operations if it[:2] == (algorithm, operation)]
        if not sizes:
            return f"the operations of {algorithm} {operation} have not been counted"
        listed = ", ".join(str(it) for it in sorted(size for size in sizes if size is not None))
        return (
            f"the operations of {algorithm} {operation} have been counted for messages of "
            f"{listed} bytes, not of {message_bytes}"
        )
