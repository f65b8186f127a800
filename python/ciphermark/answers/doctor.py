"""`ciphermark doctor`."""

from __future__ import annotations

from collections.abc import Iterator

from ciphermark import contract
from ciphermark.command.options import EngineOption, JsonOption
from ciphermark.run.doctor import Diagnosis, Finding, Verdict, examine, overall, when_figures_hold
from ciphermark.view.blocks import Block, Facts, Headline, Note, Notes, Table
from ciphermark.view.column import Cell, Column, of_words


def doctor(json: JsonOption = False, engine: EngineOption = None) -> None:
    """Say what makes this machine unfit for measuring.

    Each finding comes with its effect on the figures and with the command to type. An unfit machine
    is no failure: the exit code is 0 whenever the machine could be examined.
    """
    from ciphermark.command.output import print_answer
    from ciphermark.run.engine import Engine

    measured = Engine(engine)
    environment, later = measured.environment(), measured.environment()
    findings = examine(environment, later)
    diagnosis = overall(findings)
    document = {"environment": environment, "verdict": diagnosis.verdict, "findings": findings}
    print_answer(
        json,
        lambda: document | {"when_figures_hold": when_figures_hold(findings)},
        lambda: blocks(environment, findings, diagnosis),
    )


STYLES: dict[Verdict, str] = {
    "bad": "bold red",
    "fair": "yellow",
    "unknown": "dim",
    "good": "green",
}
"""Colours of the verdicts, the worst first; the verdict stands there as a word too."""

MARKS: dict[Verdict, str] = {
    "bad": "failed",
    "fair": "unsettled",
    "unknown": "soft",
    "good": "good",
}
"""Classes of the cells of each verdict."""

COLUMNS: list[Column[Finding]] = [
    of_words("", lambda row: Cell(row.verdict, mark=MARKS[row.verdict])),
    of_words("finding", lambda row: row.name),
    of_words("value", lambda row: row.value, wraps=True),
    of_words("effect on the figures", lambda row: row.effect, wraps=True),
]


def blocks(
    environment: contract.Environment, findings: list[Finding], diagnosis: Diagnosis
) -> Iterator[Block]:
    """Yields the diagnosis, the machine, the findings, and the commands that help."""
    machine = environment.machine
    yield Headline(text=diagnosis.line, style=STYLES[diagnosis.verdict])
    hold = when_figures_hold(findings)
    yield Notes.of([hold] if hold else [])
    yield Facts.of({"Machine": f"{machine.machine_name} · {machine.cpu_name} · {machine.kernel}"})
    worst_first = list(STYLES)
    rows = sorted(findings, key=lambda row: worst_first.index(row.verdict))
    yield Table(columns=COLUMNS, rows=rows)
    cures = [
        note
        for row in findings
        if row.cure
        for note in (Note(f"# {row.name}", style="dim"), Note(row.cure))
    ]
    yield Notes(notes=cures, title="To mend it, type", style="cyan", whole=True)
