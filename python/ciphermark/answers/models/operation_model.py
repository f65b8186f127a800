"""The better model: counts of operations, each kind of work priced by the processor's description.

What a call needs is known from the instruction stream of one reference processor, what a processor
can be expected to need for it from its description (`expected_work.py`), and how far prices are
from that from all other processors. Figures of the processor itself, where there are some, correct
its own prices: so a few measured functions predict the others. A function or size whose operations
were not counted is not known; nothing is guessed between sizes.

The cost y of a call is taken as

    log y = log w + sum over kinds of work k of s_k (p_k + d_k) + f + noise

where w is the expected work of the call and s_k the share of it that is of kind k, so that p_k is
the logarithm of the price of that work, relative to what was expected. p_k depends linearly on
features of the processor; d_k is what is particular to a core, and f what is particular to a
function, be it on all processors or on narrow ones.

All of p, d and f are thought to be near 0, with the standard deviations in `Spread`: this is ridge
regression, or the posterior of a Gaussian model, and gives the uncertainty of each prediction. The
d of a core without figures are not known and add to its uncertainty; a few figures tell them.

How strongly prices are held to what was expected, and how wrong the fit is at processors that it
was not made with, is found by leaving out each core in turn, so that nothing is asked of a fit that
has seen the answer. Processors of the same core, as one that was measured at two clocks, are left
out together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ciphermark.answers.models.expected_work import KINDS, Operations, expected_works, tell_work
from ciphermark.answers.models.observations import Key, Observation, Observed
from ciphermark.answers.models.processors import (
    KnownProcessor,
    Prediction,
    core_of,
    nearest,
    outside_of,
)
from ciphermark.errors import UsageError
from ciphermark.run.targets.target import Processor
from ciphermark.statistics.quantiles import Floats, weighted_quantile

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


def expected_rest(calls: Calls, beliefs: Beliefs, spread: Spread) -> tuple[Floats, Floats]:
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
    return sorted(
        {
            observation.function
            for observation in observed.observations
            if tell_work(observation.operations)
        }
    )


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
    return Core(names, processor, known, calls_on(processor, calls, functions))


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
                spread: self._errors(spread, left_out) for spread in map(PRIOR.scaled, STRENGTHS)
            }
            best = min(errors, key=lambda spread: _typical(errors[spread]))
            self._chosen[left_out] = Chosen(best, _widening(errors[best]))
        return self._chosen[left_out]

    def shared(self, spread: Spread, without: Collection[int]) -> Beliefs:
        """What the cores share, as those tell it that are not left out."""
        told = [self._evidence(spread, at) for at in range(len(self.cores)) if at not in without]
        return shared_beliefs(told, len(self.functions), spread)

    def _evidence(self, spread: Spread, at: int) -> Evidence:
        if (spread, at) not in self._told:
            self._told[spread, at] = evidence(self.cores[at].calls, spread)
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
        beliefs = beliefs_on_core(self.shared(spread, without), spread)
        mean, deviation = expected_rest(calls, beliefs, spread)
        off = np.abs(mean - calls.rest)
        return _Errors(off, off / deviation, calls.weight)


def _typical(errors: Sequence[_Errors]) -> float:
    """The mean distance, in which each function counts once on each core."""
    off, weights = (np.concatenate([error[place] for error in errors]) for place in (0, 2))
    return float(np.average(off, weights=weights))


def _widening(errors: Sequence[_Errors]) -> float:
    standard, weights = (np.concatenate([error[place] for error in errors]) for place in (1, 2))
    return weighted_quantile(standard, weights, COVERED)


class Cost(NamedTuple):
    """Cycles of a call, with the interval that holds 95 % of calls that were left out."""

    cycles: float
    low: float
    high: float


def operations_of(observed: Observed) -> dict[Key, dict[str, int]]:
    """The counts of operations that are known, by calls."""
    return {
        observation.key: observation.operations
        for observation in observed.observations
        if observation.operations and tell_work(observation.operations)
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
                observation.key: observation.cycles
                for at in own
                for observation in self.fit.cores[at].observations
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
        beliefs = beliefs_on_core(self.fit.shared(spread, without), spread)
        calls = calls_on(
            processor,
            [Call(key[:2], it, known.get(key, math.nan)) for key, it in self.operations.items()],
            self.fit.functions,
        )
        places = [at for at, key in enumerate(self.operations) if key in known]
        beliefs = given(beliefs, calls.only(places), spread)
        mean, deviation = expected_rest(calls, beliefs, spread)
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
