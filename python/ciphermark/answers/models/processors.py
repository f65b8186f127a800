"""Processors as models know them: described or like another, which of them are near, and what a
model answers of one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from ciphermark.errors import UsageError
from ciphermark.plan import names
from ciphermark.run.targets import target
from ciphermark.run.targets.target import TARGETS, Processor


class KnownProcessor(msgspec.Struct, kw_only=True):
    """A processor with its name."""

    name: str
    title: str
    processor: Processor


def described_processors() -> list[KnownProcessor]:
    """The processors that the targets of this package describe, by name."""
    return [
        KnownProcessor(name=target.name, title=target.title, processor=target.processor)
        for target in TARGETS.all()
        if target.processor is not None and target.variant_of is None
    ]


def core_of(processor: Processor) -> Processor:
    """The processor without its clock, its memories, and where its description is from: equal for
    processors that take the same cycles."""
    return msgspec.structs.replace(processor, clock_mhz=0.0, flash_kb=None, ram_kb=None, sources={})


def nearest(processor: Processor, known: Iterable[KnownProcessor], most: int = 3) -> list[str]:
    """Names of at most so many, the nearest first.

    Width counts before instructions, and these before the clock, which changes no cycles.
    """
    ordered = sorted(known, key=lambda it: (_distance(processor, it.processor), it.name))
    return [it.name for it in ordered[:most]]


def _distance(one: Processor, other: Processor) -> tuple[float, int, float]:
    differing = sum(
        (
            one.isa != other.isa,
            (one.multiply_bits > 0) != (other.multiply_bits > 0),
            one.has_divide != other.has_divide,
            one.has_rotate != other.has_rotate,
            one.has_variable_shift != other.has_variable_shift,
            one.out_of_order != other.out_of_order,
        )
    )
    return (
        abs(math.log2(one.bus_width_bits / other.bus_width_bits)),
        differing,
        abs(math.log2(one.clock_mhz / other.clock_mhz)),
    )


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


Basis = Literal["measured", "paper-model", "operation-model"]
"""Where a figure is from: from a run, or from one of the models."""


class Prediction(msgspec.Struct, kw_only=True):
    """What one call of a function is thought to cost on a processor."""

    cycles: float | None
    """None where the model does not know the function or the size."""
    low: float | None
    """With `high`, the 95 % interval, from the errors of back-tests; a measured figure is its own.
    """
    high: float | None
    basis: Basis
    nearest: list[str]
    """Names of the known processors that are most like this one, the nearest first."""
    outside: str | None
    """Why this is outside what the model knows; None where it is inside."""
    backend: str = "reference"
    """The kernel that it is of."""


class ProcessorModel(Protocol):
    """A model that has been fitted."""

    def predict(
        self,
        processor: KnownProcessor,
        algorithm: str,
        operation: str,
        message_bytes: int | None,
    ) -> Prediction:
        """What a call of `operation` costs; `message_bytes` is None for `setup`."""
        ...


def described(typed: str) -> KnownProcessor:
    """The processor of a target, or of a file of the user's own. Raises `UsageError`."""
    if (path := TARGETS.own_file(typed)) is not None:
        return _of_file(path)
    known = {it.name: it for it in described_processors()}
    listing = "ciphermark list targets, or name a file: ./processor.toml"
    return known[names.find(typed, {it: it for it in known}, "described target", listing)]


def _of_file(path: Path) -> KnownProcessor:
    found = target.read(path)
    if found.processor is None:
        raise UsageError(
            f"{path} describes no processor: add a table [processor] like that of the target "
            "atmega128"
        )
    return KnownProcessor(name=found.name, title=found.title, processor=found.processor)


def processor_of(
    target: str | None, like: str | None, changes: Sequence[str], clock: str | None
) -> KnownProcessor:
    """The target, or one that differs from another in some fields. Raises `UsageError`."""
    import msgspec

    if target is not None and like is not None:
        raise UsageError("--target and --like exclude each other: give one of them")
    found = described(target or like or "")
    fields = dict(_change(it) for it in changes)
    if clock is not None:
        from ciphermark.plan.quantities import amount

        fields["clock_mhz"] = str(amount(clock, "--clock"))
    if not fields:
        return found
    said = ", ".join(f"{field}={value}" for field, value in fields.items())
    return msgspec.structs.replace(
        found,
        name=found.name if target else f"like-{found.name}",
        title=f"{found.title} with {said}",
        processor=_changed(found.processor, fields),
    )


def _change(text: str) -> tuple[str, str]:
    field, equals, value = text.partition("=")
    if not equals or not value:
        raise UsageError(f"--set {text!r} is no FIELD=VALUE: write --set multiply_bits=0")
    return field, value


def _changed(processor: Processor, fields: dict[str, str]) -> Processor:
    import msgspec

    from ciphermark.run.targets.target import Processor

    plain = msgspec.to_builtins(processor)
    for field, value in fields.items():
        if field not in plain or field in ("cycles", "sources"):
            settable = ", ".join(it for it in plain if it not in ("cycles", "sources"))
            raise UsageError(f"--set {field}: a processor has no such field: take {settable}")
        kind = type(plain[field])
        plain[field] = value.lower() == "true" if kind is bool else value
    try:
        return msgspec.convert(plain, Processor, strict=False)
    except msgspec.ValidationError as error:
        said = ", ".join(f"{field}={value}" for field, value in fields.items())
        raise UsageError(f"--set {said}: {error}") from None
