"""Observations with counts of operations, as the better model needs them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ciphermark.cli.linear_algebra import use_one_thread
from ciphermark.cli.model_data import SIMULATED, has_simulation, observed
from ciphermark.errors import UsageError

if TYPE_CHECKING:
    from ciphermark.analyse.observations import Observed


_NONE = "no simulation is stored: run ciphermark simulate all"


def observed_with_operations(data: str, runs: Path | None, metric: str | None) -> Observed:
    """The observations that are meant; where they have no counts, those of the newest simulation.

    Raises `UsageError`.
    """
    use_one_thread()
    if data == SIMULATED and not has_simulation(runs):
        raise UsageError(f"operations are counted in simulations, and {_NONE}")
    found = observed(data, runs, metric)
    if any(it.operations for it in found.observations):
        return found
    if not has_simulation(runs):
        raise UsageError(
            f"{found.source} has no counts of operations, which are those of a simulation, and "
            f"{_NONE}"
        )
    from ciphermark.analyse.lent_operations import lend_operations

    return lend_operations(found, observed(SIMULATED, runs))
