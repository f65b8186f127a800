"""What functions cost the processor of a node, in cycles."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ciphermark.answers.models.block_points import Function
from ciphermark.answers.models.message_costs import Costs
from ciphermark.answers.models.observation import KnownProcessor
from ciphermark.answers.models.observations import Observed
from ciphermark.answers.models.prediction import Basis, Prediction
from ciphermark.errors import UsageError


class FunctionCost(msgspec.Struct, kw_only=True, frozen=True):
    """Cycles of one call."""

    algorithm: str
    operation: str
    message_bytes: int
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

    def first(
        self, functions: Sequence[Function], message_bytes: int, block_bytes: int
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
        self, function: Function, message_bytes: int, block_bytes: int
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
        half = message_bytes // block_bytes // 2 * block_bytes
        if half == 0:
            return None
        parts = [self._cost(function, it, block_bytes) for it in (half, message_bytes - half)]
        return None if None in parts else _joined(*parts)

    def _answer(self, function: Function, message_bytes: int) -> Prediction:
        return self._costs.of(self._processor, function, message_bytes).message


def _joined(first: FunctionCost, second: FunctionCost) -> FunctionCost:
    """The cost of one message after the other."""
    return msgspec.structs.replace(
        first,
        message_bytes=first.message_bytes + second.message_bytes,
        cycles=first.cycles + second.cycles,
        low=_sum(first.low, second.low),
        high=_sum(first.high, second.high),
        calls=first.calls + second.calls,
    )


def _sum(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first + second


def in_cycles(observed: Observed) -> Observed:
    """Without processors of which only instructions were counted: no time follows from them.
    Raises `UsageError` where none is left."""
    kept = {it.processor for it in observed.observations if it.metric != "instructions"}
    if not kept:
        raise UsageError(
            f"{observed.source} has instructions only, of which no time follows: write ciphermark "
            "simulate atmega128, whose cycles are counted"
        )
    return observed.of(kept)
