"""The option `--on` of `ciphermark capacity`: another machine, or this one at another clock.

`NAME` is a machine of which runs are stored, or a processor that models know (a target, or a file
that describes one); `NAME@CLOCK` the same at another clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ciphermark.answers.capacity import command_runs as capacity_runs
from ciphermark.errors import UsageError

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.answers.capacity.question import Known, Question, Source
    from ciphermark.answers.models.predictions import Predicted
    from ciphermark.record.store import Store
    from ciphermark.workloads.single.row import Row

OTHER_CLOCK_ERROR = 0.1
"""Half-width, as a share, of figures that are scaled to another clock: what stays in the caches
takes the same cycles, memory does not. An assumption."""

HERE = "here"


def known_on(
    store: Store, names: Sequence[str], questions: Sequence[Question], typed: str, runs: Path | None
) -> Known:
    """What is known of the machine that is meant. Raises `UsageError`."""
    from ciphermark.plan.rates import hertz

    name, _, clock = typed.partition("@")
    known = _named(store, names, questions, name.strip() or HERE, runs)
    return _at_clock(known, hertz(clock, "--on")) if clock else known


def _named(
    store: Store, names: Sequence[str], questions: Sequence[Question], name: str, runs: Path | None
) -> Known:
    if name == HERE:
        return capacity_runs.known(store, names, questions, None)
    summaries = capacity_runs.named_machine(store, name)
    if summaries:
        return capacity_runs.of_runs(store, names, questions, summaries)
    return _predicted(store, name, runs)


def _at_clock(known: Known, hz: float) -> Known:
    """The same cycles at another clock."""
    machine = msgspec.structs.replace(
        known.machine,
        note=f"scaled by the clock to {hz / 1e9:g} GHz: ±{100 * OTHER_CLOCK_ERROR:.0f} % is an "
        "assumption, since memory does not scale with it",
    )
    sources = [_source_at(it, hz) for it in known.sources]
    return msgspec.structs.replace(known, machine=machine, sources=sources)


def _source_at(source: Source, hz: float) -> Source:
    rows = [msgspec.structs.replace(row, core_hz=hz) for row in source.rows if row.core_hz]
    error = source.error + OTHER_CLOCK_ERROR
    return msgspec.structs.replace(source, rows=rows, error=error, kind="predicted")


def _predicted(store: Store, name: str, runs: Path | None) -> Known:
    """Our kernels on a processor that is described, by the models."""
    from ciphermark.answers.capacity.parts import USUAL_ERROR
    from ciphermark.answers.capacity.question import Known, Machine, Source
    from ciphermark.answers.models.predictions import Wanted, predictions
    from ciphermark.answers.models.processors import described
    from ciphermark.answers.models.sources import observed_with_operations

    try:
        processor = described(name)
    except UsageError as error:
        stored = ", ".join(capacity_runs.machines(store)) or "none"
        raise UsageError(f"--on {name}: {error}; machines with runs: {stored}") from None
    if processor.processor.metric == "instructions":
        raise UsageError(
            f"--on {name}: models give instructions of it and no cycles, so that nobody can tell "
            "the time they take: take another target (ciphermark list targets)"
        )
    try:
        observed = observed_with_operations("simulated", runs, None)
    except UsageError:
        raise UsageError(
            f"--on {name}: no run is of such a machine, and models that would predict it need a "
            "simulation: ciphermark simulate all"
        ) from None
    sizes = sorted({it.message_bytes for it in observed.observations if it.message_bytes})
    answer = predictions(observed, processor, [], Wanted(sizes=sizes))
    hz = 1e6 * answer.clock_mhz
    return Known(
        machine=Machine(
            name=name,
            cpus=1,
            physical_cores=1,
            note=f"our portable kernels on {processor.title}, {_how(answer.predictions)}: nothing "
            "was measured there",
        ),
        sources=[
            Source(
                name=f"the models, from {observed.source}",
                kind="predicted",
                rows=[_row(number, it, hz) for number, it in enumerate(answer.predictions)],
                algorithms=_facts(),
            )
        ],
        parts_error=USUAL_ERROR,
    )


def _how(found: Sequence[Predicted]) -> str:
    """How figures came about, of which a simulation may know some."""
    simulated = {it.basis == "measured" for it in found}
    if simulated == {True}:
        return "simulated"
    models = "predicted as by ciphermark model predict"
    return f"in part simulated, else {models}" if True in simulated else models


def _facts() -> dict[str, contract.Algorithm]:
    """Of all algorithms; none without an engine, so that suites cannot be composed."""
    from ciphermark.measure.engine import Engine

    try:
        return {it.name: it for it in Engine().describe().algorithms}
    except UsageError:
        return {}


def _row(number: int, predicted: Predicted, hz: float) -> Row:
    """A prediction in the form of a row."""
    from ciphermark.statistics.estimate import Estimate
    from ciphermark.workloads.single.unsampled_row import unsampled_row

    return unsampled_row(
        number,
        Estimate(predicted.cycles, predicted.low, predicted.high),
        hz,
        algorithm=predicted.algorithm,
        operation=predicted.operation,
        message_bytes=predicted.message_bytes,
        workload="single",
    )
