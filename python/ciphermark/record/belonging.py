"""Whether the parts of a stored run belong together, each of which can be read by itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from ciphermark.errors import WorkError
from ciphermark.record.run import Run
from ciphermark.workload import workload_of

Fault = tuple[str, str]
"""The table in which something is wrong, and what that is."""


def check(run: Run, explain: Callable[[str, str], WorkError]) -> None:
    """Raises what `explain` makes of the first fault: of a table's name and what is wrong in it."""
    for table, wrong in _faults(run):
        raise explain(table, wrong)


def _faults(run: Run) -> Iterator[Fault]:
    yield from _of_context(run)
    yield from _of_cases(run)
    if run.samples.column("case").null_count:
        yield "samples", "a sample has no case"
    yield from _of_simulations(run)


def _of_context(run: Run) -> Iterator[Fault]:
    context = run.context
    if not workload_of(context.workload).measured_here:  # nobody has looked at its machine
        return
    for name in ("hello", "cycle_source", "core_hz"):
        if getattr(context, name) is None:
            yield "context", f"it has no {name}"
    if context.core_hz is not None and not (
        math.isfinite(context.core_hz) and context.core_hz >= 0
    ):
        yield "context", f"core_hz is {context.core_hz}"


def _of_cases(run: Run) -> Iterator[Fault]:
    numbers = {it.case.case for it in run.cases}
    if len(numbers) < len(run.cases):
        yield "cases", "several cases have one number"
    workload = workload_of(run.context.workload)
    if not workload.measured_here and numbers != {it.case for it in run.imported}:
        yield "imported", "it has figures of other cases"
    load = workload.load
    if load is not None and any(getattr(it.case, load) is None for it in run.cases):
        yield "cases", f"a case has no {load}"


def _of_simulations(run: Run) -> Iterator[Fault]:
    known = {it.label for it in run.variants}
    for it in run.simulations:
        if known and it.case.target not in known:
            yield "simulations", f"it has {it.case.target!r}, which is none of the run's variants"
        if it.metric is None and it.value is not None:
            yield "simulations", "a figure has no metric"
