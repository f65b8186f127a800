"""The processor that `ciphermark model predict` is asked for: a target, or one like it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ciphermark.answers.models.target import described
from ciphermark.errors import UsageError

if TYPE_CHECKING:
    from ciphermark.answers.models.observation import KnownProcessor
    from ciphermark.measure.targets.processor import Processor


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

    from ciphermark.measure.targets.processor import Processor

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
