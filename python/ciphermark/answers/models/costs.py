"""What calls and messages cost on a processor, by the best that is known of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple, TypeVar

import msgspec

from ciphermark.answers.models.block_model import BlockModel, setup_names
from ciphermark.answers.models.observations import (
    MODELLED_BACKEND,
    Footprint,
    Function,
    Observed,
)
from ciphermark.answers.models.own_costs import OwnCosts
from ciphermark.answers.models.processors import (
    Basis,
    KnownProcessor,
    Prediction,
    ProcessorModel,
)
from ciphermark.errors import UsageError
from ciphermark.run.targets.target import Processor
from ciphermark.statistics.estimate import complete

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


Choice = TypeVar("Choice")


class Room(NamedTuple):
    """Memory that a node has, and kernels that it must not use."""

    flash_bytes: int | None = None
    ram_bytes: int | None = None
    refused: Collection[tuple[str, str]] = ()
    """Algorithm and backend."""

    def or_of(self, processor: Processor) -> Room:
        """Returns these limits, and those of the processor where there are none."""
        flash, ram = (
            None if kilobytes is None else round(1024 * kilobytes)
            for kilobytes in (processor.flash_kb, processor.ram_kb)
        )
        return self._replace(
            flash_bytes=flash if self.flash_bytes is None else self.flash_bytes,
            ram_bytes=ram if self.ram_bytes is None else self.ram_bytes,
        )

    def allows(self, algorithm: str, backend: str) -> bool:
        """Returns whether a kernel may be used."""
        return (algorithm, backend) not in self.refused

    def fastest(
        self,
        choices: Iterable[Choice],
        memory: Callable[[Choice], Footprint],
        cycles: Callable[[Choice], float | None],
    ) -> Choice:
        """Returns the choice of fewest cycles of those that fit; if none fits, the one that is
        over the limit by the smallest factor. Unknown memory comes after known."""

        def rank(choice: Choice) -> tuple[float, bool, float]:
            count = cycles(choice)
            is_known, over = self._over(memory(choice))
            return over, not is_known, math.inf if count is None else count

        return min(choices, key=rank)

    def _over(self, memory: Footprint) -> tuple[bool, float]:
        """Returns whether all limited needs are known, and the factor over the limit."""
        takes = ((memory.code_bytes, self.flash_bytes), (memory.ram_bytes, self.ram_bytes))
        limited = [(need, limit) for need, limit in takes if limit is not None]
        factors = [need / max(limit, 1) for need, limit in limited if need is not None]
        return len(factors) == len(limited), max(1.0, *factors) if factors else 1.0


UNLIMITED = Room()


class Costs:
    """Answers of several models, of which the first that knows a function is taken."""

    def __init__(self, observed: Observed, models: Sequence[ProcessorModel]) -> None:
        self.observed = observed
        self._own = OwnCosts(observed)
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

    def own_kernels(self, processor: KnownProcessor, function: Function) -> list[str]:
        """Returns the backends with figures of the processor."""
        return self._own.kernels(processor, *function)

    def kernels(self, processor: KnownProcessor, function: Function) -> list[str]:
        """Returns the same; without any the reference, of which other processors are predicted."""
        return self.own_kernels(processor, function) or [MODELLED_BACKEND]

    def of(
        self,
        processor: KnownProcessor,
        function: Function,
        message_bytes: int,
        backend: str = MODELLED_BACKEND,
    ) -> MessageCost:
        """A message with the key setup before it."""
        setup = self._setup(function)
        return MessageCost(
            setup=None
            if setup is None
            else self.predicted(processor, function.algorithm, setup, None, backend),
            message=self.predicted(processor, *function, message_bytes, backend),
        )

    def _setup(self, function: Function) -> str | None:
        names = setup_names(function.operation)
        return next((it for it in names if (function.algorithm, it) in self._known), None)

    def predicted(
        self,
        processor: KnownProcessor,
        algorithm: str,
        operation: str,
        size: int | None,
        backend: str = MODELLED_BACKEND,
    ) -> Prediction:
        """Returns the cost of one call alone; models answer for the reference only."""
        answer = self._own.predict(processor, algorithm, operation, size, backend)
        for model in self._models if backend == MODELLED_BACKEND else ():
            if answer.cycles is not None:
                break
            answer = model.predict(processor, algorithm, operation, size)
        return answer


def costs(observed: Observed, models: Sequence[ProcessorModel] = ()) -> Costs:
    """What was measured comes first, then these models, then the paper's on what is in cycles."""
    return Costs(observed, [*models, BlockModel(observed.in_cycles().modelled())])


def _sum(parts: Sequence[Prediction], name: str) -> float | None:
    values = complete(getattr(it, name) for it in parts)
    return None if values is None else sum(values)


class FunctionCost(msgspec.Struct, kw_only=True, frozen=True):
    """Cycles of one call."""

    algorithm: str
    operation: str
    backend: str
    message_bytes: int | None
    """None of a key setup."""
    cycles: float
    low: float | None
    """With `high`, how wrong that may be: of a call that was measured, itself; None where the
    model cannot tell."""
    high: float | None
    basis: Basis
    calls: int = 1
    """One; older versions counted a long message as several."""

    @property
    def kernel(self) -> tuple[str, str]:
        """Algorithm and backend."""
        return self.algorithm, self.backend

    @property
    def is_measured(self) -> bool:
        """Whether this very call was, and not others from which it follows."""
        return self.basis == "measured" and self.low == self.high


class FunctionCosts:
    """Answers for one processor with so much memory."""

    def __init__(self, costs: Costs, processor: KnownProcessor, room: Room = UNLIMITED) -> None:
        self.room = room
        self.costs = costs
        self.processor = processor

    def footprint(self, algorithm: str, backend: str) -> Footprint | None:
        """The memory of a kernel there; None where it was not simulated."""
        found = self.costs.observed.footprints
        return found.get((self.processor.name, algorithm, backend))

    def codes_with(self, cipher: str, backend: str) -> list[int]:
        """Bytes of code of each algorithm there that is a mode of the cipher by this backend."""
        return [
            it.code_bytes
            for (processor, algorithm, own), it in self.costs.observed.footprints.items()
            if (processor, own) == (self.processor.name, backend)
            and f"-{cipher}-" in f"-{algorithm}-"
            and it.code_bytes is not None
        ]

    def setup_cycles(self, algorithm: str, backend: str) -> float | None:
        """Returns the cost of the sender's key setup; None where it is unknown."""
        return self.costs.predicted(self.processor, algorithm, "setup", None, backend).cycles

    def kernels(
        self, functions: Sequence[Function], message_bytes: int | None
    ) -> list[FunctionCost]:
        """Returns the cost by each kernel of the first of these functions that was measured on the
        processor, else of the first that a model knows. Raises `UsageError`."""
        costs = [self._of(it, message_bytes) for it in functions]
        found = [them for them in costs if them]
        measured = [them for them in found if them[0].basis == "measured"]
        if found:
            return (measured or found)[0]
        last, backends = functions[-1], ""
        reason = self.costs.predicted(self.processor, *last, message_bytes).outside
        if any(not self.room.allows(it.algorithm, MODELLED_BACKEND) for it in functions):
            reason = "no kernel with figures is stated to take constant time"
            backends = " --backends portable"
        raise UsageError(
            f"{last.algorithm} {last.operation}: {reason}; "
            f"write ciphermark simulate {self.processor.name}{backends}"
        )

    def _of(self, function: Function, message_bytes: int | None) -> list[FunctionCost]:
        """Returns a cost for each kernel of the function; empty if it is not known."""
        answers = (
            self.costs.predicted(self.processor, *function, message_bytes, backend)
            for backend in self.costs.kernels(self.processor, function)
            if self.room.allows(function.algorithm, backend)
        )
        return [
            FunctionCost(
                algorithm=function.algorithm,
                operation=function.operation,
                backend=it.backend,
                message_bytes=message_bytes,
                cycles=it.cycles,
                low=it.low,
                high=it.high,
                basis=it.basis,
            )
            for it in answers
            if it.cycles is not None and it.outside is None
        ]


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
