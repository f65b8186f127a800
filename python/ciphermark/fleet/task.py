"""The one task of a fleet's workers: measure the machine and return the run.

It is called on other machines and takes its arguments by value; the engine and the libraries are
those installed there. The client stores the run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.farm.machine_lock import MachineBusy, boot_id, held
from ciphermark.farm.worker import look, others_off, stoppable
from ciphermark.fleet.ledger import Request
from ciphermark.plan.build import Built
from ciphermark.run.engine import Engine


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """Measurement that a worker is asked for."""

    fleet: str
    command: str
    request: Request
    even_unfit: bool


class Measured(msgspec.Struct, frozen=True):
    """Run with its rows, ready to be stored."""

    run: Any
    rows: Any
    errors: int
    verdict: str
    """Verdict of doctor before measuring."""


def measure_here(work: Work) -> Measured | str:
    """Measures this machine; returns a sentence where it may not be measured, or has no case.

    Raises WorkError when the engine ends before its farewell.
    """
    engine, name = Engine(), f"fleet {work.fleet}"
    try:
        with held(boot_id(), name), stoppable(name) as interrupts:
            looked = look(engine)
            if looked.verdict == "bad" and not work.even_unfit:
                why = looked.line.removeprefix("bad: ")
                return f"is unfit ({why}): see ciphermark doctor there, or give --even-unfit"
            built = _plan(engine, work.request)
            measured = _measure(engine, built, work, interrupts, looked.verdict)
            return "was told to stop" if interrupts.requested else measured
    except (UsageError, MachineBusy) as error:
        return str(error)


def _plan(engine: Engine, request: Request) -> Built:
    from ciphermark.command.options import OffloadOptions
    from ciphermark.workloads.single.command import survey_plan

    return survey_plan(engine, request.plan, request.selection(), OffloadOptions())


def _measure(engine: Engine, built: Built, work: Work, interrupts: Any, verdict: str) -> Measured:
    from ciphermark.command.measuring import failed
    from ciphermark.record.recorder import Recorder
    from ciphermark.workload import rows, rows_table

    notes = [*built.notes, f"measured by fleet {work.fleet}"]
    named = (work.command, work.request.plan_name)
    recorder = Recorder(*named, built.plan, built.algorithms, notes)
    with contextlib.closing(engine.measure(built.plan, interrupts)) as events:
        _record(events, recorder)
    run = recorder.finish(interrupts.requested)
    analysed = rows(run)
    table = rows_table(analysed, run.context.workload)
    return Measured(run, table, failed(analysed), verdict)


def _record(events: Iterator[contract.Event], recorder: Any) -> None:
    with contextlib.ExitStack() as stack:
        for event in events:
            if isinstance(event, contract.Hello):
                stack.enter_context(others_off(event.environment.state.cpu))
            recorder.feed(event)
