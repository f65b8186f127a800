"""A run of each workload that is shown, with its rows: what tests of all of them go through."""

from __future__ import annotations

from collections.abc import Callable

from ciphermark.record.run import Run
from ciphermark.workload import AnyRows, rows
from packets_example import packets_example
from sessions_example import sessions_example
from simulation_example import simulated_example
from survey_example import survey_example
from tunnel_example import tunnel_run


def _simulation() -> tuple[Run, AnyRows]:
    run = simulated_example()
    return run, rows(run)


def _tunnel() -> tuple[Run, AnyRows]:
    run = tunnel_run()
    return run, rows(run)


EXAMPLES: dict[str, Callable[[], tuple[Run, AnyRows]]] = {
    "single": survey_example,
    "sessions": sessions_example,
    "packets": packets_example,
    "simulation": _simulation,
    "tunnel": _tunnel,
}
