"""A function that nothing is known of but figures on a few processors, on all the others.

Over the calls that are known on all processors, the logarithms of costs have means for each
processor, and what is left of them correlates between processors. A new function has a size of its
own, of which nothing is supposed, and varies like the others: its figures on some processors then
tell those on the rest (kriging, with the covariance that the known calls have).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from ciphermark.answers.models.observations import Key, Observation, Observed
from ciphermark.answers.models.processors import core_of
from ciphermark.errors import UsageError
from ciphermark.statistics.quantiles import Floats, weighted_quantile

FEWEST_CALLS = 8
_ANY_SIZE = 100.0
"""Variance of the logarithm of a function's size."""
_SHRUNK = 0.2
"""Towards independent processors, since calls are few and alike."""
_NOISE = 0.05
_COVERED = 0.95
MOST_MEASURED = 3


class Figure(NamedTuple):
    """Cycles on a processor, with the interval that holds 95 % of left-out figures."""

    cycles: float
    low: float
    high: float


class Reference(NamedTuple):
    """A processor on which to measure a new function, beside those before it."""

    processor: str
    median_error: float
    """On all others, over the algorithms that were left out in turn."""


class AlikeFunctions:
    """Made of the calls that are known on all processors. Raises `UsageError` for too few."""

    def __init__(self, observed: Observed) -> None:
        self.processors = _one_of_each_core(observed)
        calls: dict[Key, dict[str, float]] = {}
        for it in observed.observations:
            calls.setdefault(it.key, {})[it.processor] = it.cycles
        whole = {
            key: them
            for key, them in calls.items()
            if all(them.get(name, 0) > 0 for name in self.processors)
        }
        if len(whole) < FEWEST_CALLS:
            raise UsageError(
                f"{observed.source} has {len(whole)} calls that are known on all processors, and "
                f"{FEWEST_CALLS} are needed: run ciphermark simulate all"
            )
        self._algorithms = [key[0] for key in whole]
        self._logs = np.array(
            [[math.log(it[name]) for name in self.processors] for it in whole.values()]
        )

    def predict(self, known: Mapping[str, float]) -> dict[str, Figure]:
        """Figures on all processors, from some of them, by their names."""
        places = [self.processors.index(name) for name in known]
        given = np.log(list(known.values()))
        mean, deviation = _conditional(self._logs, places, given)
        half = self._widening(places) * deviation
        figures = np.exp([mean, mean - half, mean + half]).T
        return {
            name: Figure(*map(float, row))
            for name, row in zip(self.processors, figures, strict=True)
        }

    def references(self) -> list[Reference]:
        """On which processors to measure first, and how wrong the rest then is."""
        found: list[Reference] = []
        chosen: list[int] = []
        while len(chosen) < min(MOST_MEASURED, len(self.processors) - 1):
            further = [at for at in range(len(self.processors)) if at not in chosen]
            errors = {at: float(np.median(self._errors([*chosen, at])[0])) for at in further}
            best = min(errors, key=errors.__getitem__)
            chosen.append(best)
            found.append(Reference(self.processors[best], math.expm1(errors[best])))
        return found

    def _widening(self, places: Sequence[int]) -> float:
        _, standard = self._errors(places)
        return weighted_quantile(standard, np.ones_like(standard), _COVERED)

    def _errors(self, places: Sequence[int]) -> tuple[Floats, Floats]:
        """Of the other processors, for each algorithm from all others: distances of logarithms,
        and the same in standard deviations."""
        others = [at for at in range(len(self.processors)) if at not in places]
        off, standard = [], []
        for algorithm in dict.fromkeys(self._algorithms):
            own = np.array([it == algorithm for it in self._algorithms])
            for row in self._logs[own]:
                mean, deviation = _conditional(self._logs[~own], places, row[places])
                off.append(np.abs(mean - row)[others])
                standard.append(off[-1] / deviation[others])
        return np.concatenate(off), np.concatenate(standard)


def _one_of_each_core(observed: Observed) -> list[str]:
    cores: dict[str, str] = {}
    for name, known in observed.processors.items():
        cores.setdefault(repr(core_of(known.processor)), name)
    return list(cores.values())


def _conditional(logs: Floats, places: Sequence[int], known: Floats) -> tuple[Floats, Floats]:
    """Means and standard deviations on all processors, given those at some places."""
    sizes = logs.mean(axis=1, keepdims=True)
    means = (logs - sizes).mean(axis=0)
    rest = logs - sizes - means
    covariance = rest.T @ rest / max(len(logs) - 1, 1)
    covariance = (1 - _SHRUNK) * covariance + _SHRUNK * np.diag(np.diag(covariance))
    covariance += _NOISE**2 * np.eye(len(means)) + _ANY_SIZE
    chosen = list(places)
    gain = np.linalg.solve(covariance[np.ix_(chosen, chosen)], covariance[chosen]).T
    variance = np.diag(covariance - gain @ covariance[chosen])
    return means + gain @ (known - means[chosen]), np.sqrt(np.maximum(variance, _NOISE**2))


class OnProcessor(msgspec.Struct, kw_only=True):
    """What a call of the function costs on a processor."""

    processor: str
    metric: str
    cycles: float
    low: float
    high: float
    microseconds: float | None
    """None where figures are instructions."""
    is_known: bool


class NewFunction(msgspec.Struct, kw_only=True):
    """The answer for one function."""

    algorithm: str
    operation: str
    message_bytes: int | None
    processors: list[OnProcessor]
    references: list[Reference]
    """On which processors a new function should be measured first, by the back-test."""
    notes: list[str]


def new_function(observed: Observed, figures: Sequence[Observation]) -> NewFunction:
    """Figures of one call on some processors tell those on the others. Raises `UsageError`."""
    calls = {it.key for it in figures}
    if len(calls) != 1:
        raise UsageError(f"--known has figures of {len(calls)} calls: give those of one")
    (call,) = calls
    model = AlikeFunctions(observed)
    known = {it.processor: it.cycles for it in figures}
    strange = [name for name in known if name not in model.processors]
    if strange:
        raise UsageError(
            f"--known has a figure of {strange[0]}: take processors of "
            f"{', '.join(model.processors)}"
        )
    return NewFunction(
        algorithm=call[0],
        operation=call[1],
        message_bytes=call[2],
        processors=[
            _on(observed, name, figure, known.get(name))
            for name, figure in model.predict(known).items()
        ],
        references=model.references(),
        notes=observed.notes,
    )


def _on(observed: Observed, name: str, figure: Figure, known: float | None) -> OnProcessor:
    processor = observed.processors[name].processor
    cycles, low, high = figure if known is None else (known, known, known)
    in_cycles = processor.metric != "instructions"
    return OnProcessor(
        processor=name,
        metric=processor.metric,
        cycles=cycles,
        low=low,
        high=high,
        microseconds=cycles / processor.clock_mhz if in_cycles else None,
        is_known=known is not None,
    )
