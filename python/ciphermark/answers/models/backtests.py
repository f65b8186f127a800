"""The back-tests of both models on one source of observations, put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from ciphermark.answers.models import backtest
from ciphermark.answers.models.backtest import Distribution, Tested
from ciphermark.answers.models.first_measured import Step, steps
from ciphermark.answers.models.observations import Observed
from ciphermark.answers.models.operation_model import OperationModel

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
    by_processor = backtest.by_processor(observed, model)
    tests = {
        BY_PROCESSOR: by_processor,
        BY_KIND: backtest.by_kind_of_processor(observed, model),
        BY_ALGORITHM: backtest.by_algorithm(observed),
    }
    compared = [_compared(name, "all", "", tested) for name, tested in tests.items() if tested]
    for part, name_of in _PARTS.items():
        compared += _parts(part, name_of, by_processor)
    return Backtests(
        source=observed.source,
        compared=compared,
        steps=steps(model),
        tested=by_processor,
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
        paper=backtest.distribution(tested, "paper-model"),
        operations=backtest.distribution(tested, "operation-model"),
        covered=backtest.covered(tested),
    )
