"""Both models of processors, judged by a run of simulations: each processor is left out in turn and
predicted from the others."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from ciphermark.answers.models.backtest import Tested, by_processor
from ciphermark.answers.models.observations import Observed, simulated
from ciphermark.answers.models.operation_model import OperationModel
from ciphermark.errors import UsageError
from ciphermark.record.run import Run


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
    sizes: dict[tuple[str, str], set[int | None]] = {}
    for it in observed.observations:
        sizes.setdefault((it.algorithm, it.operation), set()).add(it.message_bytes)
    kept = {function: _ends_and_middle(own) for function, own in sizes.items()}
    observations = [
        it for it in observed.observations if it.message_bytes in kept[it.algorithm, it.operation]
    ]
    return msgspec.structs.replace(observed, observations=observations)


def _ends_and_middle(sizes: set[int | None]) -> set[int | None]:
    """None is the size of key setup, which has no other."""
    if None in sizes:
        return {None}
    ordered = sorted(sizes)
    return {ordered[0], ordered[len(ordered) // 2], ordered[-1]}
