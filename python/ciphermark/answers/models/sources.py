"""Where observations come from: the options of the models, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.options import JsonOption, RunsOption, option
from ciphermark.errors import UsageError
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.answers.models.observations import Observed
    from ciphermark.contract.others import Metric
    from ciphermark.record.store import Store


SIMULATED = "simulated"

REPORT_BYTES = 24
"""Bytes of a node's message unless told otherwise: an assumption."""

DataOption = Annotated[
    str,
    option(
        "DATA",
        "The figures to fit: sensor-2003 (the paper's own table), simulated (the newest stored "
        "simulation of each function), or a run.",
        "--data",
    ),
]
CostsOption = Annotated[
    str,
    option(
        "DATA",
        "The figures to answer from: simulated (the newest stored simulation of each function), a "
        "run, or sensor-2003 (the paper's own table).",
        "--data",
    ),
]
MetricOption = Annotated[
    str | None,
    option(
        "METRIC",
        "Of a simulation, only figures of one kind: cycles-measured (on a board), "
        "cycles-simulated, cycles-model or instructions.",
        "--metric",
    ),
]


TARGET = typer.Option(
    "--target",
    metavar="NAME|FILE",
    help="The processor: a target (ciphermark list targets), or a file (TOML) with a table "
    "[processor].",
)


@dataclass
class DataOptions:
    """What models answer from, and how."""

    data: CostsOption = SIMULATED
    metric: MetricOption = None
    json: JsonOption = False
    runs: RunsOption = None


def observed(data: str, runs: str | None, metric: str | None = None) -> Observed:
    """The observations that are meant. Raises `UsageError`."""
    from ciphermark.answers.models import sensor_2003
    from ciphermark.record.store import Store

    chosen = _metric(metric)
    if data == sensor_2003.NAME:
        _refuse_metric(chosen, data)
        return sensor_2003.observed()
    store = Store.default(runs)
    if data != SIMULATED:
        return _of_run(store, _resolved(store, data), chosen)
    names = _simulations(store)
    if not names:
        raise UsageError(f"{_no_simulation(store)}, or write --data {sensor_2003.NAME}")
    from ciphermark.answers.models.observations import newest_simulated

    found = newest_simulated([store.load(name) for name in names], chosen)
    return _some(found, chosen)


def _of_run(store: Store, name: str, metric: Metric | None) -> Observed:
    from ciphermark.answers.models.observations import measured, simulated
    from ciphermark.command.stored import rows_of

    run = store.load(name)
    source = f"run {run.context.run}"
    if run.simulations:
        return _some(simulated(source, run.simulations, run.targets, metric), metric)
    if not workload_of(run.context.workload).sampled:
        raise UsageError(
            f"{source} is of the workload {run.context.workload}, and models are fitted to "
            "simulations and to single messages: see ciphermark list runs"
        )
    _refuse_metric(metric, source)
    return measured(run.context, rows_of(store, name, run.context))


def _resolved(store: Store, data: str) -> str:
    from ciphermark.answers.models import sensor_2003
    from ciphermark.command.stored import resolve

    try:
        return resolve(store, data)
    except UsageError as error:
        others = f"{sensor_2003.NAME} and {SIMULATED} are no runs, and can be written too"
        raise UsageError(f"--data {data}: {error}; {others}") from None


_LOOKED_THROUGH = 20
"""Simulations that figures are taken from, the newest: 50 ms each."""


def _simulations(store: Store) -> list[str]:
    """The stored ones that have figures, the newest first."""
    from ciphermark.command.stored import Newest

    newest = Newest(store)
    stored = (it for it in store.summaries() if workload_of(it.workload).simulated)
    found = [it.run for it in islice(newest.serving(stored), _LOOKED_THROUGH)]
    newest.say_passed_over()
    return found


def _no_simulation(store: Store) -> str:
    return f"no simulation is stored in {store.place}: run ciphermark simulate all"


def _some(found: Observed, metric: Metric | None) -> Observed:
    """The observations, if there are any."""
    if not found.observations:
        what = f"figures in {metric}" if metric else "figures of processors that are described"
        raise UsageError(f"{found.source} has no {what}: see ciphermark list targets")
    return found


def _metric(typed: str | None) -> Metric | None:
    from typing import get_args

    from ciphermark.contract.others import Metric
    from ciphermark.plan import names

    if typed is None:
        return None
    known: dict[str, Metric] = {it: it for it in get_args(Metric)}
    return known[names.find(typed, {it: it for it in known}, "metric", ", ".join(known))]


def _refuse_metric(metric: Metric | None, source: str) -> None:
    if metric is not None:
        raise UsageError(
            f"--metric goes with simulations only, and {source} is none: leave it out, or write "
            "--data simulated"
        )


def observed_with_operations(data: str, runs: str | None, metric: str | None) -> Observed:
    """The observations that are meant; where they have no counts, those of stored simulations.

    Raises `UsageError`.
    """
    from ciphermark.answers.models.observations import lend_operations
    from ciphermark.record.store import Store

    store = Store.default(runs)
    # Where no other data have counts either, to name these would lead here again.
    if data == SIMULATED and not _simulations(store):
        raise UsageError(f"operations are counted in simulations, and {_no_simulation(store)}")
    known = observed(data, runs, metric).modelled()
    if any(observation.operations for observation in known.observations):
        return known
    if not _simulations(store):
        raise UsageError(
            f"{known.source} has no counts of operations, which are those of a simulation, and "
            f"{_no_simulation(store)}"
        )
    return lend_operations(known, observed(SIMULATED, runs).modelled())
