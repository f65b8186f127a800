"""Back-tests of both models of processors: predictions of what they were not fitted to.

Each processor is left out in turn, and each algorithm. With a processor goes all of its core, as
one that was measured at two clocks. The reference processor is never one of those that are
predicted, since the counts of operations are its own.

A new algorithm is known from the reference processor alone: of it the model of operations has the
counts, and the paper's model the cost, by which it is scaled to other clocks and widths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import msgspec
import numpy as np

from ciphermark.answers.models.block_costs import BlockCosts
from ciphermark.answers.models.block_points import points
from ciphermark.answers.models.expected_work import tell_work
from ciphermark.answers.models.observations import REFERENCE_TARGET, Observed
from ciphermark.answers.models.operation_fit import Core
from ciphermark.answers.models.operation_model import Cost, OperationModel
from ciphermark.measure.targets.processor import Processor
from ciphermark.statistics.quantiles import weighted_quantile

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
    return list(_left_out(observed, model, lambda one, other: one is other))


def by_kind_of_processor(observed: Observed, model: OperationModel) -> list[Tested]:
    """Each processor from those that are not described alike, as those of its family are."""
    return list(
        _left_out(
            observed,
            model,
            lambda one, other: _kind(one.processor) == _kind(other.processor),
        )
    )


def by_algorithm(observed: Observed) -> list[Tested]:
    """Each algorithm from the others, and from its cost on the reference processor."""
    known = [it for it in observed.observations if it.processor == REFERENCE_TARGET]
    algorithms = dict.fromkeys(it.algorithm for it in known if tell_work(it.operations))
    return [it for algorithm in algorithms for it in _new_algorithm(observed, algorithm)]


def distribution(tested: Sequence[Tested], model: Model) -> Distribution:
    """The errors of a model; needs a call."""
    errors = np.array([it.error(model) for it in tested])
    weights = np.array([it.weight for it in tested])
    median, three_quarters, nine_tenths = (
        weighted_quantile(errors, weights, share) for share in (0.5, 0.75, 0.9)
    )
    return Distribution(
        calls=len(tested),
        median=median,
        three_quarters=three_quarters,
        nine_tenths=nine_tenths,
        worst=float(errors.max()),
    )


def covered(tested: Iterable[Tested]) -> float:
    """The share that the intervals of the model of operations hold; needs one."""
    held = [(it.weight, it.low <= it.observed <= it.high) for it in tested]
    return sum(weight for weight, is_held in held if is_held) / sum(it[0] for it in held)


def is_reference(core: Core) -> bool:
    """Whether the counts of operations are from this core."""
    return REFERENCE_TARGET in core.names


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


def _tested(
    core: Core, costs: dict[tuple[str, str, int | None], Cost], blocks: BlockCosts
) -> Iterator[Tested]:
    functions = [(it.algorithm, it.operation) for it in core.observations]
    for it, function in zip(core.observations, functions, strict=True):
        key = (*function, it.message_bytes)
        by_blocks = blocks.cycles(core.processor, *key)
        if by_blocks is None or key not in costs:  # both are judged by the same calls
            continue
        yield Tested(
            processor=core.names[0],
            algorithm=it.algorithm,
            operation=it.operation,
            message_bytes=it.message_bytes,
            metric=it.metric,
            observed=it.cycles,
            predicted={"paper-model": by_blocks, "operation-model": costs[key].cycles},
            low=costs[key].low,
            high=costs[key].high,
            weight=1 / functions.count(function),
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
