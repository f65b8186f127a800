"""Costs of a function that nothing is known of but figures on a few processors.

Over the calls that are known on all processors, the logarithms of costs have means for each
processor, and what is left of them correlates between processors. A new function has a size of its
own, of which nothing is supposed, and varies like the others: its figures on some processors then
tell those on the rest (kriging, with the covariance that the known calls have).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ciphermark.answers.models.core import core_of
from ciphermark.answers.models.observations import Observed
from ciphermark.errors import UsageError
from ciphermark.statistics.median import Floats
from ciphermark.statistics.quantiles import weighted_quantile

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
        calls: dict[tuple[str, str, int | None], dict[str, float]] = {}
        for it in observed.observations:
            key = (it.algorithm, it.operation, it.message_bytes)
            calls.setdefault(key, {})[it.processor] = it.cycles
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
