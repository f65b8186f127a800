"""What a message costs on a processor, by the best that is known of it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ciphermark.answers.models.block_model import BlockModel
from ciphermark.answers.models.block_points import Function, setup_names
from ciphermark.answers.models.observation import KnownProcessor
from ciphermark.answers.models.observations import Observed
from ciphermark.answers.models.own_costs import OwnCosts
from ciphermark.answers.models.prediction import Prediction, ProcessorModel

INSTRUCTIONS_APART = (
    "times of other processors are predicted from those whose cycles are known, where there are any"
)


class MessageCost(msgspec.Struct, kw_only=True):
    """Key setup and one message."""

    setup: Prediction | None
    """None where there is no key."""
    message: Prediction

    @property
    def cycles(self) -> float | None:
        """Of both."""
        return _sum(self._parts, "cycles")

    @property
    def low(self) -> float | None:
        """Both at their lowest, which is wider than need be."""
        return _sum(self._parts, "low")

    @property
    def high(self) -> float | None:
        return _sum(self._parts, "high")

    @property
    def _parts(self) -> list[Prediction]:
        return [self.message] if self.setup is None else [self.setup, self.message]


class Costs:
    """Answers of several models, of which the first that knows a function is taken."""

    def __init__(self, observed: Observed, models: Sequence[ProcessorModel]) -> None:
        self.observed = observed
        self._models = models
        self._known = {(it.algorithm, it.operation) for it in observed.observations}

    @property
    def notes(self) -> list[str]:
        """What one must know of the data."""
        if "instructions" not in self.observed.metrics:
            return self.observed.notes
        return [*self.observed.notes, INSTRUCTIONS_APART]

    @property
    def functions(self) -> list[Function]:
        """What is done to messages, by name."""
        done = {
            Function(it.algorithm, it.operation)
            for it in self.observed.observations
            if it.message_bytes is not None
        }
        return sorted(done)

    def of(self, processor: KnownProcessor, function: Function, message_bytes: int) -> MessageCost:
        """A message with the key setup before it."""
        setup = self._setup(function)
        return MessageCost(
            setup=setup and self._predicted(processor, function.algorithm, setup, None),
            message=self._predicted(processor, *function, message_bytes),
        )

    def _setup(self, function: Function) -> str | None:
        names = setup_names(function.operation)
        return next((it for it in names if (function.algorithm, it) in self._known), None)

    def _predicted(
        self, processor: KnownProcessor, algorithm: str, operation: str, size: int | None
    ) -> Prediction:
        for model in self._models:
            answer = model.predict(processor, algorithm, operation, size)
            if answer.cycles is not None:
                break
        return answer


def costs(observed: Observed, models: Sequence[ProcessorModel] = ()) -> Costs:
    """What was measured comes first, then these models, then the paper's on what is in cycles."""
    return Costs(observed, [OwnCosts(observed), *models, BlockModel(observed.in_cycles())])


def _sum(parts: Sequence[Prediction], name: str) -> float | None:
    values = [getattr(it, name) for it in parts]
    return None if None in values else sum(values)
