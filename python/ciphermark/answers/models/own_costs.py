"""What a processor's own figures tell: no model where a call was measured, its own line between."""

from __future__ import annotations

from typing import NamedTuple

from ciphermark.answers.models import block_fit
from ciphermark.answers.models.block_model import BlockModel
from ciphermark.answers.models.core import core_of
from ciphermark.answers.models.observation import KnownProcessor
from ciphermark.answers.models.observations import Observed
from ciphermark.answers.models.prediction import Prediction

INSTRUCTIONS_ONLY = "instructions were counted, not cycles: one cycle is supposed for each"


class _Line(NamedTuple):
    """The model of blocks through one processor's figures."""

    model: BlockModel
    worst: dict[tuple[str, str], float]
    """The largest relative error at these figures, by algorithm and operation."""


class OwnCosts:
    """Answers for processors that are in the data; see `ProcessorModel`."""

    def __init__(self, observed: Observed) -> None:
        self._observed = observed
        self._cycles = {
            (it.processor, it.algorithm, it.operation, it.message_bytes): it.cycles
            for it in observed.observations
        }
        self._uncounted = {
            it.processor for it in observed.observations if it.metric == "instructions"
        }
        self._lines: dict[str, _Line] = {}

    def predict(
        self,
        processor: KnownProcessor,
        algorithm: str,
        operation: str,
        message_bytes: int | None,
    ) -> Prediction:
        """The figure of this call; at sizes that are not in the data, the processor's own line."""
        if not self._is_known(processor):
            nothing = f"{self._observed.source} has nothing of {processor.name}"
            return _prediction(processor, None, None, None, nothing)
        cycles = self._cycles.get((processor.name, algorithm, operation, message_bytes))
        if cycles is not None:
            return _prediction(processor, cycles, cycles, cycles, self._doubt(processor.name))
        line = self._line(processor.name)
        it = line.model.predict(processor, algorithm, operation, message_bytes)
        if it.cycles is None:
            return _prediction(processor, None, None, None, it.outside)
        off = 1 + line.worst.get((algorithm, operation), 0.0)
        doubt = it.outside or self._doubt(processor.name)
        return _prediction(processor, it.cycles, it.cycles / off, it.cycles * off, doubt)

    def _is_known(self, it: KnownProcessor) -> bool:
        """Whether it is one of the data, if at another clock or with other memory."""
        known = self._observed.processors.get(it.name)
        return known is not None and core_of(known.processor) == core_of(it.processor)

    def _doubt(self, name: str) -> str | None:
        """Why its figures are no cycles, where they are none."""
        return INSTRUCTIONS_ONLY if name in self._uncounted else None

    def _line(self, name: str) -> _Line:
        if name not in self._lines:
            alone = self._observed.of([name])
            fits = block_fit.fits(alone, ["padded"])
            worst = {(it.algorithm, it.operation): it.worst_relative_error for it in fits}
            self._lines[name] = _Line(BlockModel(alone), worst)
        return self._lines[name]


def _prediction(
    processor: KnownProcessor,
    cycles: float | None,
    low: float | None,
    high: float | None,
    outside: str | None = None,
) -> Prediction:
    return Prediction(
        cycles=cycles,
        low=low,
        high=high,
        basis="measured",
        nearest=[processor.name],
        outside=outside,
    )
