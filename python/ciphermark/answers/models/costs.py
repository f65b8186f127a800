"""What calls and messages cost on a processor, by the best that is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from ciphermark.answers.models import block_model
from ciphermark.answers.models.block_model import BlockModel, setup_names
from ciphermark.answers.models.observations import Footprint, Function, Observed
from ciphermark.answers.models.processors import (
    Basis,
    KnownProcessor,
    Prediction,
    ProcessorModel,
    core_of,
)
from ciphermark.errors import UsageError
from ciphermark.statistics.estimate import complete

INSTRUCTIONS_ONLY = "instructions were counted, not cycles: one cycle per instruction is assumed"


class _Line(NamedTuple):
    """The model of blocks through one processor's figures."""

    model: BlockModel
    worst: dict[tuple[str, str], float]
    """The largest relative error at these figures, by algorithm and operation."""


class OwnCosts:
    """Answers for processors that are in the data; see `ProcessorModel`."""

    def __init__(self, observed: Observed) -> None:
        self._observed = observed
        self._cycles = {(it.processor, it.key): it.cycles for it in observed.observations}
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
        cycles = self._cycles.get((processor.name, (algorithm, operation, message_bytes)))
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
            fits = block_model.fits(alone, ["padded"])
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


INSTRUCTIONS_APART = (
    "the times of other processors are predicted from those with known cycles, if there are any"
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
        self._known = {it.function for it in observed.observations}

    @property
    def notes(self) -> list[str]:
        """What one must know of the data."""
        if "instructions" not in self.observed.metrics:
            return self.observed.notes
        return [*self.observed.notes, INSTRUCTIONS_APART]

    @property
    def functions(self) -> list[Function]:
        """What is done to messages, by name."""
        done = (it for it in self.observed.observations if it.message_bytes is not None)
        return sorted({it.function for it in done})

    def of(self, processor: KnownProcessor, function: Function, message_bytes: int) -> MessageCost:
        """A message with the key setup before it."""
        setup = self._setup(function)
        return MessageCost(
            setup=None
            if setup is None
            else self.predicted(processor, function.algorithm, setup, None),
            message=self.predicted(processor, *function, message_bytes),
        )

    def _setup(self, function: Function) -> str | None:
        names = setup_names(function.operation)
        return next((it for it in names if (function.algorithm, it) in self._known), None)

    def predicted(
        self, processor: KnownProcessor, algorithm: str, operation: str, size: int | None
    ) -> Prediction:
        """One call alone."""
        for model in self._models:
            answer = model.predict(processor, algorithm, operation, size)
            if answer.cycles is not None:
                break
        return answer


def costs(observed: Observed, models: Sequence[ProcessorModel] = ()) -> Costs:
    """What was measured comes first, then these models, then the paper's on what is in cycles."""
    return Costs(observed, [OwnCosts(observed), *models, BlockModel(observed.in_cycles())])


def _sum(parts: Sequence[Prediction], name: str) -> float | None:
    values = complete(getattr(it, name) for it in parts)
    return None if values is None else sum(values)


class FunctionCost(msgspec.Struct, kw_only=True, frozen=True):
    """Cycles of one call."""

    algorithm: str
    operation: str
    message_bytes: int | None
    """None of a key setup."""
    cycles: float
    low: float | None
    """With `high`, how wrong that may be: of a call that was measured, itself; None where the
    model cannot tell."""
    high: float | None
    basis: Basis
    calls: int = 1
    """Into so many a message is split that is longer than any known one. That is a little more than
    it would cost, as what a call costs beside its bytes counts as often."""

    @property
    def is_measured(self) -> bool:
        """Whether this very call was, and not others from which it follows."""
        return self.basis == "measured" and self.low == self.high and self.calls == 1


class FunctionCosts:
    """Answers for one processor."""

    def __init__(self, costs: Costs, processor: KnownProcessor) -> None:
        self._costs = costs
        self._processor = processor

    def footprint(self, algorithm: str) -> Footprint | None:
        """The memory of an algorithm there; None where it was not simulated."""
        return self._costs.observed.footprints.get((self._processor.name, algorithm))

    def codes_with(self, cipher: str) -> list[int]:
        """Bytes of code of each algorithm there that is a mode of the cipher."""
        return [
            it.code_bytes
            for (processor, algorithm), it in self._costs.observed.footprints.items()
            if processor == self._processor.name
            and f"-{cipher}-" in f"-{algorithm}-"
            and it.code_bytes is not None
        ]

    def first(
        self, functions: Sequence[Function], message_bytes: int | None, block_bytes: int
    ) -> FunctionCost:
        """The cost of the first of these functions that was measured on the processor, else of the
        first that a model knows. Raises `UsageError`."""
        costs = [self._cost(it, message_bytes, block_bytes) for it in functions]
        found = [it for it in costs if it is not None]
        if not found:
            last = functions[-1]
            raise UsageError(
                f"{last.algorithm} {last.operation}: {self._answer(last, message_bytes).outside}; "
                f"write ciphermark simulate {self._processor.name}"
            )
        measured = [it for it in found if it.basis == "measured"]
        return (measured or found)[0]

    def _cost(
        self, function: Function, message_bytes: int | None, block_bytes: int
    ) -> FunctionCost | None:
        """None where the function is not known, or not for messages that are so short."""
        answer = self._answer(function, message_bytes)
        if answer.cycles is None:
            return None
        if answer.outside is None:
            return FunctionCost(
                algorithm=function.algorithm,
                operation=function.operation,
                message_bytes=message_bytes,
                cycles=answer.cycles,
                low=answer.low,
                high=answer.high,
                basis=answer.basis,
            )
        if message_bytes is None:
            return None
        half = message_bytes // block_bytes // 2 * block_bytes
        if half == 0:
            return None
        first = self._cost(function, half, block_bytes)
        second = self._cost(function, message_bytes - half, block_bytes)
        return None if first is None or second is None else _joined(first, second)

    def _answer(self, function: Function, message_bytes: int | None) -> Prediction:
        return self._costs.predicted(self._processor, *function, message_bytes)


def _joined(first: FunctionCost, second: FunctionCost) -> FunctionCost:
    """The cost of one message after the other."""
    return msgspec.structs.replace(
        first,
        message_bytes=(first.message_bytes or 0) + (second.message_bytes or 0),
        cycles=first.cycles + second.cycles,
        low=_added(first.low, second.low),
        high=_added(first.high, second.high),
        calls=first.calls + second.calls,
    )


def _added(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first + second


def in_cycles(observed: Observed) -> Observed:
    """Without processors of which only instructions were counted: no time follows from them.
    Raises `UsageError` where none is left."""
    kept = {it.processor for it in observed.observations if it.metric != "instructions"}
    if not kept:
        raise UsageError(
            f"{observed.source} has only instructions, from which no time follows: write "
            "ciphermark simulate atmega128, whose cycles are counted"
        )
    return observed.of(kept)
