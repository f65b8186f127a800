"""The plots of a run of simulated processors. To add one, write a file with a `plots` and name it
here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.workloads.simulation.columns import lines
from ciphermark.workloads.simulation.plots import code_size, per_byte
from ciphermark.workloads.simulation.plots.models import errors, predicted

if TYPE_CHECKING:
    from ciphermark.answers.models.backtests import ModelTests
    from ciphermark.show.plots.panel import Plot
    from ciphermark.workloads.simulation.row import SimulationRow


def plots(rows: list[SimulationRow], tests: ModelTests) -> list[Plot]:
    """Those that have something to show."""
    shown = lines(rows)
    of_models = (predicted.plot(tests.tested), errors.plot(tests.tested))
    return [*per_byte.plots(shown), code_size.plot(shown), *of_models]
