"""The regression of the model of operations: prices, and what is left of each function.

The cost y of a call is taken as

    log y = log w + sum over kinds of work k of s_k (p_k + d_k) + f + noise

where w is the expected work of the call and s_k the share of it that is of kind k, so that p_k is
the logarithm of the price of that work, relative to what was expected. p_k depends linearly on
features of the processor; d_k is what is particular to a core, and f what is particular to a
function, be it on all processors or on narrow ones.

All of p, d and f are thought to be near 0, with the standard deviations in `Spread`: this is ridge
regression, or the posterior of a Gaussian model, and gives the uncertainty of each prediction. The
d of a core without figures are not known and add to its uncertainty; a few figures tell them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ciphermark.answers.models.expected_work import KINDS, Operations, expected_works
from ciphermark.measure.targets.target import Processor
from ciphermark.statistics.quantiles import Floats

Function = tuple[str, str]
"""Algorithm and operation."""


class Spread(NamedTuple):
    """Standard deviations of what is fitted, on the scale of natural logarithms."""

    price: float
    """Of the price of a kind of work on all processors."""
    feature: float
    """Of what a feature adds to it."""
    own: float
    """Of what is particular to a core."""
    function: float
    """Of what is particular to a function."""
    noise: float
    """Of what nothing explains."""

    def scaled(self, strength: float) -> Spread:
        """The same with everything but the noise so many times as wide."""
        return self._replace(
            price=strength * self.price,
            feature=strength * self.feature,
            own=strength * self.own,
            function=strength * self.function,
        )


PRIOR = Spread(price=0.3, feature=0.5, own=0.2, function=0.2, noise=0.25)
"""Most prices within a third or so of what was expected; features may change them by half."""

FEATURES = 5
_FUNCTION_COLUMNS = 2
_PRICE_COLUMNS = FEATURES * len(KINDS)
_WORDS_AT_HAND = 8
"""That a function works on: with registers for fewer, it goes to memory between operations."""


def features(processor: Processor) -> list[float]:
    """What prices depend on, beside a constant: whether they are in cycles; whether there is a
    rotation, as in instruction sets that do more than the reference with other operands too; how
    far registers are too few; and whether words are narrow."""
    words = processor.registers * min(processor.bus_width_bits, 32) / 32
    return [
        1.0,
        float(processor.metric != "instructions"),
        float(processor.has_rotate),
        max(0.0, math.log2(_WORDS_AT_HAND / words)),
        float(processor.bus_width_bits < 32),
    ]


class Call(NamedTuple):
    """What the regression is told of a call."""

    function: Function
    operations: Operations
    cost: float = float("nan")
    """NaN where it is to be predicted."""


class Calls(NamedTuple):
    """Calls on one processor, as the regression sees them: a row for each."""

    design: Floats
    """Of what cores share: shares times features, and the columns of the functions."""
    own: Floats
    """Of what is particular to the core: the shares of the kinds of work."""
    level: Floats
    """Logarithms of the expected work."""
    rest: Floats
    """Logarithms of the costs relative to that; NaN where they are to be predicted."""
    weight: Floats
    """Below 1 where a function has several calls: it counts once."""
    strange: Floats
    """Variances, relative to that of functions, of calls of functions that have no columns."""

    def only(self, chosen: Sequence[int]) -> Calls:
        """Those of these places."""
        places = np.array(chosen, dtype=int)
        return Calls(*(it[places] for it in self))


class Evidence(NamedTuple):
    """What the calls on one core say of everything that cores share: a normal equation."""

    precision: Floats
    weighted: Floats


class Beliefs(NamedTuple):
    """Mean and covariance."""

    mean: Floats
    covariance: Floats


def calls_on(processor: Processor, them: Sequence[Call], functions: Sequence[Function]) -> Calls:
    """Calls on a processor, for a regression over these functions."""
    work = expected_works([it.operations for it in them], processor)
    total = work.sum(axis=1)
    shares, own = work / total[:, None], np.array(features(processor), dtype=float)
    prices = (shares[:, :, None] * own).reshape(len(them), _PRICE_COLUMNS)
    counts = Counter(it.function for it in them if math.isfinite(it.cost))
    return Calls(
        design=np.hstack([prices, _own(them, functions, own)]),
        own=shares,
        level=np.log(total),
        rest=np.log([it.cost for it in them]) - np.log(total),
        weight=np.array([1 / max(counts[it.function], 1) for it in them]),
        strange=_strange(them, functions, own),
    )


def evidence(calls: Calls, spread: Spread) -> Evidence:
    """What one core tells, its own particulars integrated out (Woodbury's identity)."""
    certainty = (calls.weight / spread.noise**2)[:, None]
    known = np.column_stack([calls.design, calls.rest])
    own = np.eye(len(KINDS)) / spread.own**2 + calls.own.T @ (certainty * calls.own)
    explained = calls.own @ np.linalg.solve(own, calls.own.T @ (certainty * known))
    solved = certainty * (known - explained)
    return Evidence(calls.design.T @ solved[:, :-1], calls.design.T @ solved[:, -1])


def shared_beliefs(told: Iterable[Evidence], functions: int, spread: Spread) -> Beliefs:
    """Of everything that cores share, from what these cores tell."""
    prices = [spread.price, *[spread.feature] * (FEATURES - 1)] * len(KINDS)
    own = [spread.function] * (_FUNCTION_COLUMNS * functions)
    precision = np.diag(1 / np.square([*prices, *own]))
    weighted = np.zeros(len(precision))
    for it in told:
        precision = precision + it.precision
        weighted = weighted + it.weighted
    covariance = np.linalg.inv(precision).astype(np.float64, copy=False)
    return Beliefs(covariance @ weighted, covariance)


def beliefs_on_core(shared: Beliefs, spread: Spread) -> Beliefs:
    """Of what cores share and of what is particular to one that has told nothing yet."""
    own = np.zeros(len(KINDS))
    covariance = np.zeros((len(shared.mean) + len(own),) * 2)
    covariance[: len(shared.mean), : len(shared.mean)] = shared.covariance
    covariance[len(shared.mean) :, len(shared.mean) :] = spread.own**2 * np.eye(len(own))
    return Beliefs(np.concatenate([shared.mean, own]), covariance)


def given(beliefs: Beliefs, known: Calls, spread: Spread) -> Beliefs:
    """The same, when the costs of some calls on that core are known."""
    if len(known.rest) == 0:
        return beliefs
    rows = _whole(known)
    with_rows = beliefs.covariance @ rows.T
    among = rows @ with_rows + np.diag(spread.noise**2 / known.weight)
    gain = np.linalg.solve(among, with_rows.T).T
    mean = beliefs.mean + gain @ (known.rest - rows @ beliefs.mean)
    return Beliefs(mean, beliefs.covariance - gain @ with_rows.T)


def figures(calls: Calls, beliefs: Beliefs, spread: Spread) -> tuple[Floats, Floats]:
    """What calls on that core cost, as their `rest`; and the standard deviations of what would be
    measured."""
    rows = _whole(calls)
    known = np.sum((rows @ beliefs.covariance) * rows, axis=1)
    strange = spread.function**2 * calls.strange
    return rows @ beliefs.mean, np.sqrt(np.maximum(known, 0) + strange + spread.noise**2)


def _whole(calls: Calls) -> Floats:
    return np.hstack([calls.design, calls.own])


def _own(them: Sequence[Call], functions: Sequence[Function], own: Floats) -> Floats:
    """The columns of the functions: anywhere, and on narrow processors besides."""
    places = {function: _FUNCTION_COLUMNS * place for place, function in enumerate(functions)}
    columns = np.zeros((len(them), _FUNCTION_COLUMNS * len(functions)))
    for row, it in zip(columns, them, strict=True):
        if it.function in places:
            at = places[it.function]
            row[at : at + _FUNCTION_COLUMNS] = _particulars(own)
    return columns


def _strange(them: Sequence[Call], functions: Sequence[Function], own: Floats) -> Floats:
    known = set(functions)
    return float(np.sum(np.square(_particulars(own)))) * np.array(
        [it.function not in known for it in them]
    )


def _particulars(own: Floats) -> Floats:
    """What multiplies the two columns of a function on a processor with these features."""
    return own[[0, -1]]
