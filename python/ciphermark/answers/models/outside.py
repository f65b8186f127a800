"""Whether a processor is like those that a model knows, in what its description says."""

from __future__ import annotations

from collections.abc import Iterable

from ciphermark.answers.models.observation import KnownProcessor
from ciphermark.measure.targets.processor import Processor

_NUMBERS = {
    "bus_width_bits": "words of {} bits",
    "multiply_bits": "a multiplication of {} bits",
    "registers": "{} registers",
    "issue": "{} instructions at a time",
}
_CHOICES = {
    "isa": "the kind of instruction set {}",
    "has_divide": "has_divide = {}",
    "has_rotate": "has_rotate = {}",
    "has_variable_shift": "has_variable_shift = {}",
    "out_of_order": "out_of_order = {}",
    "metric": "figures in {}",
}


def outside_of(processor: Processor, known: Iterable[KnownProcessor]) -> str | None:
    """What of its description is beyond that of all known processors; None where nothing is.

    Of numbers, beyond is less or more than any of theirs; of the rest, what none of them has.
    """
    them = [it.processor for it in known]
    beyond = [
        words.format(getattr(processor, field))
        for field, words in _NUMBERS.items()
        if not _is_between(getattr(processor, field), [getattr(it, field) for it in them])
    ]
    beyond += [
        words.format(str(getattr(processor, field)).lower())
        for field, words in _CHOICES.items()
        if getattr(processor, field) not in {getattr(it, field) for it in them}
    ]
    return f"no known processor has {', nor '.join(beyond)}" if beyond else None


def _is_between(value: float, values: list[float]) -> bool:
    return bool(values) and min(values) <= value <= max(values)
