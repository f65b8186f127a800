"""The better model: counts of operations, each kind of work priced by the processor's description.

What a call needs is known from the instruction stream of one reference processor, what a processor
can be expected to need for it from its description (`expected_work.py`), and how far prices are
from that from all other processors (`operation_regression.py`). Figures of the processor itself,
where there are some, correct its own prices: so a few measured functions predict the others.

A function or size whose operations were not counted is not known; nothing is guessed between sizes.

How strongly prices are held to what was expected, and how wrong the fit is at processors that it
was not made with, is found by leaving out each core in turn, so that nothing is asked of a fit that
has seen the answer. Processors of the same core, as one that was measured at two clocks, are left
out together.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ciphermark.answers.models import operation_regression as regression
from ciphermark.answers.models.expected_work import tell_work
from ciphermark.answers.models.observations import Key, Observation, Observed
from ciphermark.answers.models.operation_regression import (
    Beliefs,
    Call,
    Calls,
    Evidence,
    Function,
    Spread,
)
from ciphermark.answers.models.processors import (
    KnownProcessor,
    Prediction,
    core_of,
    nearest,
    outside_of,
)
from ciphermark.errors import UsageError
from ciphermark.measure.targets.target import Processor
from ciphermark.statistics.quantiles import Floats, weighted_quantile

STRENGTHS = (0.5, 1.0, 2.0)
"""Multiples of what is usually thought of how far prices are from what is expected."""

COVERED = 0.95
"""The share of left-out calls that intervals hold."""

FEWEST_CORES = 3
"""With fewer, nothing can be left out that would tell how wrong the others are."""


class Core(NamedTuple):
    """A core with what is known of it."""

    names: list[str]
    """Of its processors."""
    processor: Processor
    observations: list[Observation]
    """Of calls whose operations are known, each once."""
    calls: Calls


class Chosen(NamedTuple):
    """What leaving out has told."""

    spread: Spread
    widening: float
    """By what the standard deviations of the regression are multiplied, so that intervals hold as
    many of the left-out calls as they should."""


def functions_of(observed: Observed) -> list[Function]:
    """The functions whose operations are known."""
    return sorted({it.function for it in observed.observations if tell_work(it.operations)})


def cores_of(observed: Observed, functions: Sequence[Function]) -> list[Core]:
    """The cores of the data."""
    names: dict[bytes, list[str]] = {}
    for name, known in observed.processors.items():
        names.setdefault(repr(core_of(known.processor)).encode(), []).append(name)
    found = [_core(observed, them, functions) for them in names.values()]
    return [core for core in found if core is not None]


def _core(observed: Observed, names: list[str], functions: Sequence[Function]) -> Core | None:
    """None where the operations of no call are known."""
    once: dict[Key, Observation] = {}
    for it in observed.observations:
        if it.processor in names and tell_work(it.operations) and it.cycles > 0:
            once.setdefault(it.key, it)
    if not once:
        return None
    processor = observed.processors[names[0]].processor
    known = list(once.values())
    calls = [Call(it.function, it.operations or {}, it.cycles) for it in known]
    return Core(names, processor, known, regression.calls_on(processor, calls, functions))


class _Errors(NamedTuple):
    """Of the calls on a core that was left out."""

    off: Floats
    """Distances of the logarithms of predicted and observed cost."""
    standard: Floats
    """The same, in standard deviations of the prediction."""
    weight: Floats


class OperationFit:
    """The regression over cores, of which any can be left out."""

    def __init__(self, cores: Sequence[Core], functions: Sequence[Function]) -> None:
        self.cores = cores
        self.functions = functions
        self._told: dict[tuple[Spread, int], Evidence] = {}
        self._chosen: dict[frozenset[int], Chosen] = {}

    def chosen(self, without: Collection[int] = ()) -> Chosen:
        """How strongly to regularise, by the cores that are not left out."""
        left_out = frozenset(without)
        if left_out not in self._chosen:
            errors = {
                spread: self._errors(spread, left_out)
                for spread in map(regression.PRIOR.scaled, STRENGTHS)
            }
            best = min(errors, key=lambda spread: _typical(errors[spread]))
            self._chosen[left_out] = Chosen(best, _widening(errors[best]))
        return self._chosen[left_out]

    def shared(self, spread: Spread, without: Collection[int]) -> Beliefs:
        """What the cores share, as those tell it that are not left out."""
        told = [self._evidence(spread, at) for at in range(len(self.cores)) if at not in without]
        return regression.shared_beliefs(told, len(self.functions), spread)

    def _evidence(self, spread: Spread, at: int) -> Evidence:
        if (spread, at) not in self._told:
            self._told[spread, at] = regression.evidence(self.cores[at].calls, spread)
        return self._told[spread, at]

    def _errors(self, spread: Spread, without: frozenset[int]) -> list[_Errors]:
        """Of each core that is not left out, from the others that are not."""
        return [
            self._left_out(spread, at, without | {at})
            for at in range(len(self.cores))
            if at not in without
        ]

    def _left_out(self, spread: Spread, at: int, without: Collection[int]) -> _Errors:
        calls = self.cores[at].calls
        beliefs = regression.beliefs_on_core(self.shared(spread, without), spread)
        mean, deviation = regression.figures(calls, beliefs, spread)
        off = np.abs(mean - calls.rest)
        return _Errors(off, off / deviation, calls.weight)


def _typical(errors: Sequence[_Errors]) -> float:
    """The mean distance, in which each function counts once on each core."""
    off, weights = (np.concatenate([it[place] for it in errors]) for place in (0, 2))
    return float(np.average(off, weights=weights))


def _widening(errors: Sequence[_Errors]) -> float:
    standard, weights = (np.concatenate([it[place] for it in errors]) for place in (1, 2))
    return weighted_quantile(standard, weights, COVERED)


class Cost(NamedTuple):
    """Cycles of a call, with the interval that holds 95 % of calls that were left out."""

    cycles: float
    low: float
    high: float


def operations_of(observed: Observed) -> dict[Key, dict[str, int]]:
    """The counts of operations that are known, by calls."""
    return {
        it.key: it.operations
        for it in observed.observations
        if it.operations and tell_work(it.operations)
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
            known = {it.key: it.cycles for at in own for it in self.fit.cores[at].observations}
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
