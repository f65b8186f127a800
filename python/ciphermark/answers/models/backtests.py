"""Back-tests of both models of processors: predictions of what they were not fitted to.

Each processor is left out in turn, and each algorithm. With a processor goes all of its core, as
one that was measured at two clocks, and what a board with it has measured. The reference processor
is never one of those that are predicted, since the counts of operations are its own.

A new algorithm is known from the reference processor alone: of it the model of operations has the
counts, and the paper's model the cost, by which it is scaled to other clocks and widths.

What measuring a few functions on a new processor is worth is back-tested too: some calls of a
processor that is left out are made known, and the others predicted. The call to measure first is
the one after which the errors on all processors are least; the next, that which helps most beside.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from ciphermark.answers.models import operation_model
from ciphermark.answers.models.block_model import BlockCosts, points
from ciphermark.answers.models.expected_work import tell_work
from ciphermark.answers.models.observations import (
    REFERENCE_TARGET,
    Function,
    Key,
    Observed,
    simulated,
)
from ciphermark.answers.models.operation_model import (
    Beliefs,
    Calls,
    Core,
    Cost,
    OperationModel,
    Spread,
)
from ciphermark.contract.others import target_of_board
from ciphermark.errors import UsageError
from ciphermark.record.run import Run
from ciphermark.run.targets.target import Processor
from ciphermark.statistics.quantiles import Floats, weighted_quantile

Model = Literal["paper-model", "operation-model"]
MODELS: tuple[Model, ...] = ("paper-model", "operation-model")


class Tested(msgspec.Struct, kw_only=True, frozen=True):
    """A call that was predicted by models that had not seen what was left out."""

    processor: str
    algorithm: str
    operation: str
    message_bytes: int | None
    metric: str
    observed: float
    """Cycles, or instructions."""
    predicted: dict[Model, float]
    low: float
    """Of the model of operations, with `high`: the 95 % interval."""
    high: float
    weight: float
    """Below 1 where a function has several calls on a processor: it counts once."""

    def error(self, model: Model) -> float:
        """Relative, without its sign."""
        return abs(self.predicted[model] / self.observed - 1)


class Distribution(msgspec.Struct, kw_only=True):
    """Of relative errors."""

    calls: int
    median: float
    three_quarters: float
    nine_tenths: float
    worst: float


def by_processor(observed: Observed, model: OperationModel) -> list[Tested]:
    """Each processor from the others."""
    return list(_left_out(observed, model, _is_of_one_target))


def by_kind_of_processor(observed: Observed, model: OperationModel) -> list[Tested]:
    """Each processor from those that are not described alike, as those of its family are."""

    def alike(one: Core, other: Core) -> bool:
        is_alike = _kind(one.processor) == _kind(other.processor)
        return is_alike or _is_of_one_target(one, other)

    return list(_left_out(observed, model, alike))


def by_algorithm(observed: Observed) -> list[Tested]:
    """Each algorithm from the others, and from its cost on the reference processor."""
    known = [it for it in observed.observations if it.processor == REFERENCE_TARGET]
    algorithms = dict.fromkeys(it.algorithm for it in known if tell_work(it.operations))
    return [it for algorithm in algorithms for it in _new_algorithm(observed, algorithm)]


def distribution(tested: Sequence[Tested], model: Model) -> Distribution:
    """The errors of a model; needs a call."""
    errors = np.array([it.error(model) for it in tested])
    weights = np.array([it.weight for it in tested])
    return Distribution(
        calls=len(tested),
        median=weighted_quantile(errors, weights, 0.5),
        three_quarters=weighted_quantile(errors, weights, 0.75),
        nine_tenths=weighted_quantile(errors, weights, 0.9),
        worst=float(errors.max()),
    )


def covered(tested: Iterable[Tested]) -> float:
    """The share that the intervals of the model of operations hold; needs one."""
    held = [(it.weight, it.low <= it.observed <= it.high) for it in tested]
    return sum(weight for weight, is_held in held if is_held) / sum(it[0] for it in held)


def is_reference(core: Core) -> bool:
    """Whether the counts of operations are from this core."""
    return REFERENCE_TARGET in core.names


def _is_of_one_target(one: Core, other: Core) -> bool:
    """Whether both are the same core, simulated and on a board."""
    return not _targets(one).isdisjoint(_targets(other))


def _targets(core: Core) -> set[str]:
    return {target_of_board(name) or name for name in core.names}


def _left_out(
    observed: Observed, model: OperationModel, goes_with: Callable[[Core, Core], bool]
) -> Iterator[Tested]:
    """Each core, from all that do not go with it."""
    cores = model.fit.cores
    for core in cores:
        if not is_reference(core):
            without = [at for at, other in enumerate(cores) if goes_with(core, other)]
            gone = {name for at in without for name in cores[at].names}
            others = observed.of(it for it in observed.processors if it not in gone)
            costs = model.costs_given(core.processor, {}, without)
            yield from _tested(core, costs, _blocks(others))


def _new_algorithm(observed: Observed, algorithm: str) -> Iterator[Tested]:
    """Calls of an algorithm, as if only the reference processor had it."""
    others = [it for it in observed.observations if it.algorithm != algorithm]
    own = [it for it in observed.observations if it.algorithm == algorithm]
    known = [it for it in own if it.processor == REFERENCE_TARGET]
    model = OperationModel(msgspec.structs.replace(observed, observations=[*others, *known]))
    blocks = _blocks(msgspec.structs.replace(observed, observations=known))
    for core in model.fit.cores:
        if not is_reference(core):
            left_out = [
                it for it in own if it.processor == core.names[0] and tell_work(it.operations)
            ]
            costs = model.costs(core.processor)
            yield from _tested(core._replace(observations=left_out), costs, blocks)


def _tested(core: Core, costs: dict[Key, Cost], blocks: BlockCosts) -> Iterator[Tested]:
    functions = [it.function for it in core.observations]
    for it in core.observations:
        by_blocks = blocks.cycles(core.processor, *it.key)
        cost = costs.get(it.key)
        if by_blocks is None or cost is None:  # both are judged by the same calls
            continue
        yield Tested(
            processor=core.names[0],
            algorithm=it.algorithm,
            operation=it.operation,
            message_bytes=it.message_bytes,
            metric=it.metric,
            observed=it.cycles,
            predicted={"paper-model": by_blocks, "operation-model": cost.cycles},
            low=cost.low,
            high=cost.high,
            weight=1 / functions.count(it.function),
        )


def _blocks(observed: Observed) -> BlockCosts:
    """The paper's model, with its blocks counted as functions pad."""
    return BlockCosts(observed, points(observed), "padded")


def _kind(processor: Processor) -> tuple[object, ...]:
    return (
        processor.bus_width_bits,
        processor.isa,
        processor.registers,
        processor.has_rotate,
        processor.has_variable_shift,
    )


MOST_MEASURED = 3
_DRAWS = 30
"""Of calls at random, for what a choice without thought gives."""
_SEED = 1


class Step(msgspec.Struct, kw_only=True):
    """The errors when so many calls are known."""

    measured: int
    median_error: float
    """Over all processors, of the calls of all other functions."""
    nine_tenths: float
    at_random: float
    """The median error with calls that were drawn; typical of many draws."""
    algorithm: str | None = None
    """Of the call that is to be measured beside those of the steps before."""
    operation: str | None = None
    message_bytes: int | None = None


class _LeftOut(NamedTuple):
    """A processor that was left out."""

    calls: Calls
    beliefs: Beliefs
    places: dict[Key, int]
    spread: Spread


class _Off(NamedTuple):
    errors: Floats
    weights: Floats


def steps(model: OperationModel) -> list[Step]:
    """The errors with none to `MOST_MEASURED` known calls, chosen one after the other."""
    them = [_without(model, core) for core in model.fit.cores if not is_reference(core)]
    offered = _candidates(them)
    draw = random.Random(_SEED)
    found = [_step([], _off(them, []))]
    chosen: list[Key] = []
    while len(chosen) < min(MOST_MEASURED, len(offered) - 1):
        further = [key for key in offered if key not in chosen]
        chosen.append(min(further, key=lambda key: _median(_off(them, [*chosen, key]))))
        drawn = [draw.sample(offered, len(chosen)) for _ in range(_DRAWS)]
        usual = float(np.median([_median(_off(them, keys)) for keys in drawn]))
        found.append(_step(chosen, _off(them, chosen), usual))
    return found


def _without(model: OperationModel, core: Core) -> _LeftOut:
    cores = model.fit.cores
    without = [at for at, other in enumerate(cores) if _is_of_one_target(core, other)]
    spread = model.fit.chosen(without).spread
    beliefs = operation_model.beliefs_on_core(model.fit.shared(spread, without), spread)
    places = {it.key: at for at, it in enumerate(core.observations)}
    return _LeftOut(core.calls, beliefs, places, spread)


def _candidates(them: Sequence[_LeftOut]) -> list[Key]:
    """One call of each function that all processors have: that of the middle size."""
    common = set.intersection(*(set(it.places) for it in them))
    functions: dict[tuple[str, str], list[Key]] = {}
    for key in sorted(common, key=lambda key: (key[0], key[1], key[2] or 0)):
        functions.setdefault(key[:2], []).append(key)
    return [keys[len(keys) // 2] for keys in functions.values()]


def _off(them: Iterable[_LeftOut], known: Sequence[Key]) -> _Off:
    """The relative errors of the calls of functions that are not known, on all processors."""
    functions = {key[:2] for key in known}
    errors, weights = [], []
    for it in them:
        told = it.calls.only([it.places[key] for key in known])
        told = told._replace(weight=np.ones(len(known)))  # a call is all there is of its function
        beliefs = operation_model.given(it.beliefs, told, it.spread)
        mean, _ = operation_model.expected_rest(it.calls, beliefs, it.spread)
        others = [at for key, at in it.places.items() if key[:2] not in functions]
        errors.append(np.abs(np.expm1(mean - it.calls.rest))[others])
        weights.append(it.calls.weight[others])
    return _Off(np.concatenate(errors), np.concatenate(weights))


def _median(off: _Off) -> float:
    return weighted_quantile(off.errors, off.weights, 0.5)


def _step(chosen: Sequence[Key], off: _Off, usual: float | None = None) -> Step:
    algorithm, operation, message_bytes = chosen[-1] if chosen else (None, None, None)
    return Step(
        measured=len(chosen),
        median_error=_median(off),
        nine_tenths=weighted_quantile(off.errors, off.weights, 0.9),
        at_random=_median(off) if usual is None else usual,
        algorithm=algorithm,
        operation=operation,
        message_bytes=message_bytes,
    )


BY_PROCESSOR = "processor"
BY_KIND = "kind of processor"
BY_ALGORITHM = "algorithm"


class Compared(msgspec.Struct, kw_only=True):
    """The errors of both models on some of the calls that were left out."""

    left_out: str
    """What was left out to predict them."""
    part: str
    """`all`, `metric`, `processor` or `function`: what the calls have in common."""
    of: str
    """Which metric, processor or function."""
    paper: Distribution
    operations: Distribution
    covered: float
    """The share that the intervals of the model of operations hold."""


class Backtests(msgspec.Struct, kw_only=True):
    """What both models are worth."""

    source: str
    compared: list[Compared]
    steps: list[Step]
    """Of the model of operations, with calls of the processor itself."""
    tested: list[Tested]
    """Each processor from the others."""
    notes: list[str]


def backtests(observed: Observed) -> Backtests:
    """All back-tests. Raises `UsageError` where the observations do not tell enough."""
    model = OperationModel(observed)
    each = by_processor(observed, model)
    tests = {
        BY_PROCESSOR: each,
        BY_KIND: by_kind_of_processor(observed, model),
        BY_ALGORITHM: by_algorithm(observed),
    }
    compared = [_compared(name, "all", "", tested) for name, tested in tests.items() if tested]
    for part, name_of in _PARTS.items():
        compared += _parts(part, name_of, each)
    return Backtests(
        source=observed.source,
        compared=compared,
        steps=steps(model),
        tested=each,
        notes=observed.notes,
    )


_PARTS: dict[str, Callable[[Tested], str]] = {
    "metric": lambda it: it.metric,
    "processor": lambda it: it.processor,
    "function": lambda it: f"{it.algorithm} {it.operation}",
}


def _parts(
    part: str, name_of: Callable[[Tested], str], tested: Sequence[Tested]
) -> Iterator[Compared]:
    for name in dict.fromkeys(map(name_of, tested)):
        yield _compared(BY_PROCESSOR, part, name, [it for it in tested if name_of(it) == name])


def _compared(left_out: str, part: str, of: str, tested: Sequence[Tested]) -> Compared:
    return Compared(
        left_out=left_out,
        part=part,
        of=of,
        paper=distribution(tested, "paper-model"),
        operations=distribution(tested, "operation-model"),
        covered=covered(tested),
    )


class ModelTests(NamedTuple):
    """What both models said of calls that they had not seen."""

    tested: list[Tested]
    reason: str
    """Why there are none; else empty."""


def model_tests(run: Run) -> ModelTests:
    """Of the shortest, the middle and the longest message, which tell as much as all."""
    observed = simulated(f"run {run.context.run}", run.simulations, run.targets)
    few = _of_few_sizes(observed)
    try:
        return ModelTests(by_processor(few, OperationModel(few)), "")
    except UsageError as error:
        return ModelTests([], str(error))


def _of_few_sizes(observed: Observed) -> Observed:
    """Of each function, so that it does not matter how many lengths were simulated."""
    sizes: dict[Function, set[int | None]] = {}
    for it in observed.observations:
        sizes.setdefault(it.function, set()).add(it.message_bytes)
    kept = {function: _ends_and_middle(own) for function, own in sizes.items()}
    observations = [it for it in observed.observations if it.message_bytes in kept[it.function]]
    return msgspec.structs.replace(observed, observations=observations)


def _ends_and_middle(sizes: set[int | None]) -> set[int | None]:
    """None is the size of key setup, which has no other."""
    ordered = sorted(it for it in sizes if it is not None)
    if len(ordered) < len(sizes):
        return {None}
    return {ordered[0], ordered[len(ordered) // 2], ordered[-1]}
