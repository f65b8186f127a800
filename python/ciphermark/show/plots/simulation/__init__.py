"""The plots of a run of simulated processors. To add one, write a file with a `plots` and name it
here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show.plots.models import errors, predicted
from ciphermark.show.plots.simulation import code_size, per_byte
from ciphermark.show.simulation_lines import lines

if TYPE_CHECKING:
    from ciphermark.analyse.model_tests import ModelTests
    from ciphermark.analyse.simulation_row import SimulationRow
    from ciphermark.show.plots.panel import Plot


def plots(rows: list[SimulationRow], tests: ModelTests) -> list[Plot]:
    """Those that have something to show."""
    shown = lines(rows)
    of_models = (predicted.plot(tests.tested), errors.plot(tests.tested))
    return [*per_byte.plots(shown), code_size.plot(shown), *of_models]
