"""A new function on all known processors, from figures on a few of them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ciphermark.answers.models.alike_functions import AlikeFunctions, Figure, Reference
from ciphermark.answers.models.observation import Observation
from ciphermark.answers.models.observations import Observed
from ciphermark.errors import UsageError


class OnProcessor(msgspec.Struct, kw_only=True):
    """What a call of the function costs on a processor."""

    processor: str
    metric: str
    cycles: float
    low: float
    high: float
    microseconds: float | None
    """None where figures are instructions."""
    is_known: bool


class NewFunction(msgspec.Struct, kw_only=True):
    """The answer for one function."""

    algorithm: str
    operation: str
    message_bytes: int | None
    processors: list[OnProcessor]
    references: list[Reference]
    """On which processors a new function should be measured first, by the back-test."""
    notes: list[str]


def new_function(observed: Observed, figures: Sequence[Observation]) -> NewFunction:
    """Figures of one call on some processors tell those on the others. Raises `UsageError`."""
    calls = {(it.algorithm, it.operation, it.message_bytes) for it in figures}
    if len(calls) != 1:
        raise UsageError(f"--known has figures of {len(calls)} calls: give those of one")
    (call,) = calls
    model = AlikeFunctions(observed)
    known = {it.processor: it.cycles for it in figures}
    strange = [name for name in known if name not in model.processors]
    if strange:
        raise UsageError(
            f"--known has a figure of {strange[0]}: take processors of "
            f"{', '.join(model.processors)}"
        )
    return NewFunction(
        algorithm=call[0],
        operation=call[1],
        message_bytes=call[2],
        processors=[
            _on(observed, name, figure, known.get(name))
            for name, figure in model.predict(known).items()
        ],
        references=model.references(),
        notes=observed.notes,
    )


def _on(observed: Observed, name: str, figure: Figure, known: float | None) -> OnProcessor:
    processor = observed.processors[name].processor
    cycles, low, high = figure if known is None else (known, known, known)
    in_cycles = processor.metric != "instructions"
    return OnProcessor(
        processor=name,
        metric=processor.metric,
        cycles=cycles,
        low=low,
        high=high,
        microseconds=cycles / processor.clock_mhz if in_cycles else None,
        is_known=known is not None,
    )
