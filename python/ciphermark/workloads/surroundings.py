"""What every report says around its figures: of the machine, the libraries, and the answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ciphermark import contract
from ciphermark.run.doctor import examine, overall
from ciphermark.show import figures
from ciphermark.show.machine import (
    caption,
    clock_facts,
    engine_facts,
    machine_facts,
    processor,
    state_facts,
)
from ciphermark.show.problems import failures
from ciphermark.workloads.single import answers
from ciphermark.workloads.single.method import timed

if TYPE_CHECKING:
    from ciphermark.record.run import Context, Run
    from ciphermark.workload import AnyRows

SOUND: set[contract.Status] = {"acceptable", "recommended"}
"""Statuses of algorithms that may lead a list; what is broken is no bargain at any price."""


def surroundings(run: Run, rows: AnyRows) -> dict[str, Any]:
    """What the templates of all workloads need whose figures are of this machine."""
    context, environment = run.context, run.context.engine_hello.environment
    return about(run) | {
        "title": f"What cryptography costs on {processor(environment.machine)}",
        "doctor": overall(examine(environment)).line,
        "answers": answers.view(context, rows),
        "failures": failures(rows),
        "implementations": list(_implementations(rows)),
        "timed": timed(rows),
    }


def about(run: Run) -> dict[str, Any]:
    """What is said of any run and the machine that made it."""
    context, hello = run.context, run.context.engine_hello
    return {
        "origin": origin_line(context),
        "interrupted": context.interrupted,
        "caption": caption(context),
        "sound": SOUND,
        "notes": context.notes,
        "warnings": [warning.message for warning in run.warnings],
        "machine": machine_facts(hello.environment.machine),
        "features": hello.environment.machine.cpu_features,
        "state": state_facts(context),
        "clocks": clock_facts(hello.environment.clocks),
        "providers": hello.providers,
        "engine": engine_facts(hello.engine),
    }


def origin_line(context: Context) -> list[str]:
    """Which machine and run, when, and by which command."""
    return [
        f"machine {context.machine_name}",
        f"run {context.run}",
        figures.date(context.started_unix_ns),
        f"{context.command}, version {context.ciphermark_version}",
    ]


def _implementations(rows: AnyRows) -> Iterable[list[str]]:
    """What ran: implementation, evidence for the backend, constant time, how it was verified."""
    alike: dict[tuple[str, str, str], AnyRows] = {}
    for row in rows:
        if row.error is None:
            alike.setdefault((row.algorithm, row.provider, row.backend), []).append(row)
    words = {True: "yes", False: "no", None: "not stated"}
    for (algorithm, provider, backend), cases in alike.items():
        others = sorted({name for row in cases for name in row.agrees_with})
        yield [
            algorithm,
            provider,
            backend,
            cases[0].backend_evidence,
            words[cases[0].constant_time],
            str(max(row.vectors_passed for row in cases)),
            ", ".join(others) or "no other provider has it",
        ]
