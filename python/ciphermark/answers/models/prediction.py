"""What models of processors answer, and what they share: the question."""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from ciphermark.answers.models.observation import KnownProcessor

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
