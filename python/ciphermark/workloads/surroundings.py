"""Sections of every report around its figures: the answers, the method, the machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ciphermark import contract
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Facts, Note, Notes, Section, Table, Template
from ciphermark.view.column import Column, Place, count, of_words
from ciphermark.view.machine import clock_facts, engine_facts, machine_facts, state_facts
from ciphermark.view.problems import FAILED, failures
from ciphermark.workloads.single import matrix
from ciphermark.workloads.single.method import timed

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workload import AnyRows

SOUND: set[contract.Status] = {"acceptable", "recommended"}
"""Statuses of algorithms that may lead a list; a broken one is no bargain at any price."""


def surroundings(run: Run, rows: AnyRows, rules: Mapping[str, str]) -> Iterator[Block]:
    """Yields the sections around figures of this machine's libraries."""
    yield _answers(run, rows)
    yield _implementations(rows)
    yield method(run, rules, timed(rows))
    yield machine(run)
    yield _libraries(run)


def _answers(run: Run, rows: AnyRows) -> Section:
    view = matrix.answers_view(run.context, rows)
    return Section(
        title="Whose answers are right",
        anchor="answers",
        about=f"{view.totals} A number is of test vectors passed; beside it stands how many other "
        "providers gave the same answers to random messages, or “alone” where no other has the "
        "algorithm.",
        blocks=[Template(name="answers.html.jinja", content={"answers": view, "sound": SOUND})],
        places=Place.PAGE,
    )


def failed(rows: AnyRows) -> Notes:
    """Returns the cases that failed, and why."""
    failed = failures(rows)
    cases = sum(len(problem.rows) for problem in failed)
    return Notes.of(
        [f"{problem.what}: {problem.why}" for problem in failed],
        title=f"{FAILED} {figures.counted(cases, 'case')} failed",
        anchor="failures",
        style="red",
        places=Place.TERMINAL | Place.PAGE,
    )


def _implementations(rows: AnyRows) -> Section:
    alike: dict[tuple[str, str, str], AnyRows] = {}
    for row in rows:
        if row.error is None:
            alike.setdefault((row.algorithm, row.provider, row.backend), []).append(row)
    constant_time = {True: "yes", False: "no", None: "not stated"}

    def agreeing(cases: AnyRows) -> str:
        others = sorted({name for row in cases for name in row.agrees_with})
        return ", ".join(others) or "no other provider has it"

    columns: list[Column[AnyRows]] = [
        of_words("Algorithm", lambda cases: cases[0].algorithm),
        of_words("Provider", lambda cases: cases[0].provider),
        of_words("Backend", lambda cases: cases[0].backend),
        of_words("Evidence", lambda cases: cases[0].backend_evidence),
        of_words("Constant time", lambda cases: constant_time[cases[0].constant_time]),
        Column(
            "Vectors passed", lambda cases: max(row.vectors_passed for row in cases), form=count
        ),
        of_words("Agrees with", agreeing),
    ]
    return Section(
        title="What ran, and how it was verified",
        about="Evidence for the backend: reported (the library says so), forced (only that path "
        "was left), inferred (timing or code differs when a feature is masked), or unknown.",
        blocks=[Table(columns=columns, rows=list(alike.values()))],
        places=Place.PAGE,
        folded=True,
    )


def method(run: Run, rules: Mapping[str, str], timed: dict[str, str] | None = None) -> Section:
    """Returns how a run was measured: rules by heading, and the content of timed code."""
    warnings = [warning.message for warning in run.warnings]
    return Section(
        title="How it was measured",
        blocks=[
            Facts.of(timed or {}, title="What is timed"),
            *(Notes(title=heading, notes=[Note(text)]) for heading, text in rules.items()),
            Notes.of([*run.context.notes, *warnings], title="Notes and warnings"),
        ],
        places=Place.PAGE,
        folded=True,
    )


def machine(run: Run) -> Section:
    """Returns the processor, its state at the start, and its clocks."""
    environment = run.context.engine_hello.environment
    features = " ".join(environment.machine.cpu_features)
    return Section(
        title="The machine",
        blocks=[
            Facts.of(machine_facts(environment.machine), title="Processor and system"),
            Facts.of(state_facts(run.context), title="State"),
            Facts.of(clock_facts(environment.clocks), title="Clocks"),
            Notes.of([features] if features else [], title="CPU features"),
        ],
        places=Place.PAGE,
        folded=True,
    )


def _libraries(run: Run) -> Section:
    hello = run.context.engine_hello
    columns: list[Column[contract.Provider]] = [
        of_words("Provider", lambda it: it.title),
        of_words("Version", lambda it: (it.version or "as in the engine") if it.usable else ""),
        of_words("Location", lambda it: it.location if it.usable else ""),
        of_words("Build", lambda it: it.build if it.usable else f"not usable: {it.reason}"),
        of_words("", lambda it: it.notice),
    ]
    return Section(
        title="Libraries and compiler",
        blocks=[
            Table(columns=columns, rows=hello.providers),
            Facts.of(engine_facts(hello.engine), title="Engine"),
        ],
        places=Place.PAGE,
        folded=True,
    )
