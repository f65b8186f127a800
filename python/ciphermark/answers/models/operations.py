"""Observations with counts of operations, as the better model needs them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ciphermark.answers.models.data import SIMULATED, observed
from ciphermark.command.linear_algebra import use_one_thread

if TYPE_CHECKING:
    from ciphermark.answers.models.observations import Observed


def observed_with_operations(data: str, runs: Path | None, metric: str | None) -> Observed:
    """The observations that are meant; where they have no counts, those of the newest simulation.

    Raises `UsageError`.
    """
    use_one_thread()
    found = observed(data, runs, metric)
    if any(it.operations for it in found.observations):
        return found
    from ciphermark.answers.models.lent_operations import lend_operations

    return lend_operations(found, observed(SIMULATED, runs))
